"""Kernel principal components of Fashion-MNIST: exact beside scikit-learn's three solvers, by a dictionary beside its Nyström features, errors.

Run by `cargo xtask bench kernel`. Both sides get all cores. Every run is a process of its own that loads the same file; the whole fit with the
coordinates of all rows is timed, kernel matrix included. charta and its peers take turns. Pixels are divided by 255; the kernel is exp(−γ‖x − y‖²)
with γ fixed. Name parts to run only those: `python bench/kernel.py … exact nystroem errors`.

- `exact`: 5,000×784, 20 components, in f32 and f64;
- `nystroem`: 50,000×784 in f32, a dictionary of 1,000 rows; the high-water mark of the whole process;
- `errors`: 5,000×784 in f64, dictionaries of several sizes and choices, against the exact solution.
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from support import arguments, machine, results
from support.contest import Contender, in_turns, watched

WORKER = Path(__file__).parent / "support" / "method_worker.py"
GAMMA = 0.01
N_COMPONENTS = 20
N_EXACT = 5_000
N_LARGE = 50_000
DICTIONARY = 1_000
SIZES = (100, 300, 1_000, 2_000)
CHOICES = ("random", "k_means", "leverage")
ROUNDS = 3
OURS = {"n_components": N_COMPONENTS, "kernel": "rbf", "gamma": GAMMA}
LIMIT_MIB = 2_048
PARTS = ("exact", "nystroem", "errors")


def exact_parameters():
    """charta's parameters of the exact solution."""
    return {**OURS, "dictionary": "all"}


def dictionary_parameters(size, choice):
    """charta's parameters of an approximation."""
    return {**OURS, "dictionary": size, "dictionary_choice": choice}


def kernel_pca(solver, n_jobs):
    """scikit-learn's exact fit."""
    parameters = {"n_components": N_COMPONENTS, "kernel": "rbf", "gamma": GAMMA, "eigen_solver": solver, "random_state": 0, "n_jobs": n_jobs}
    return {"module": "sklearn.decomposition", "name": "KernelPCA", "parameters": parameters, "mode": "fit_transform", "figures": {}}


def nystroem(size):
    """scikit-learn's random dictionary, whose features go into its PCA."""
    features = {"kernel": "rbf", "gamma": GAMMA, "n_components": size, "random_state": 0, "n_jobs": -1}
    steps = [
        {"module": "sklearn.kernel_approximation", "name": "Nystroem", "parameters": features},
        {"module": "sklearn.decomposition", "name": "PCA", "parameters": {"n_components": N_COMPONENTS, "random_state": 0}},
    ]
    return {"steps": steps, "mode": "fit_transform", "figures": {}}


def prepared(shared, scratch):
    """The images as .npy files, which both sides read; None where they are absent."""
    if not arguments.has_fashion_mnist(shared, "the kernel methods are measured on it"):
        return None
    images = np.load(shared / "fashion_mnist.npz")["X"][:N_LARGE].astype(np.float32) / np.float32(255)
    files = {name: scratch / f"fashion_unit_{name}.npy" for name in ("f32", "f64", "large")}
    np.save(files["large"], images)
    np.save(files["f32"], images[:N_EXACT])
    np.save(files["f64"], images[:N_EXACT].astype(np.float64))
    return files


class Truth:
    """The exact solution of 5,000 rows in f64, by scipy's dense solver."""

    def __init__(self, path):
        from scipy.linalg import eigh
        from sklearn.metrics.pairwise import rbf_kernel

        matrix = rbf_kernel(np.load(path), gamma=GAMMA)
        matrix += matrix.mean() - matrix.mean(axis=0) - matrix.mean(axis=0)[:, None]
        self.trace = float(np.trace(matrix))
        values, vectors = eigh(matrix, subset_by_index=(len(matrix) - N_COMPONENTS, len(matrix) - 1))
        self.values = values[::-1]
        self.map = vectors[:, ::-1] * np.sqrt(self.values)

    def figures(self, map_):
        """How far a map is from the truth: its sums of squares are eigenvalues, what they leave of the trace is the error in feature space.

        The centre counts as exact: what a dictionary cannot hold of the rows' mean is not in this error, but is in charta's own `mean_reconstruction_error`.
        """
        values = np.square(map_).sum(axis=0)
        apart = np.abs(values / self.values - 1)
        left, _, right = np.linalg.svd(map_.T @ self.map)
        rest = np.square(map_ @ (left @ right) - self.map).sum() / np.square(self.map).sum()
        least = (self.trace - self.values.sum()) / len(map_)
        return {
            "largest_eigenvalue_error": float(apart.max()),
            "mean_eigenvalue_error": float(apart.mean()),
            "procrustes": float(rest),
            "feature_error": float((self.trace - values.sum()) / len(map_)),
            "excess_feature_error": float(((self.trace - values.sum()) / len(map_)) / least - 1),
        }


def ours(program, name, parameters, path, rounds, folder):
    """A contender of charta's."""
    return Contender(name, [program, "kernel_pca", json.dumps(parameters), path, 1], rounds, folder)


def theirs(name, setting, path, rounds, folder):
    """A contender of scikit-learn's."""
    return Contender(name, [sys.executable, WORKER, json.dumps(setting), path, 1], rounds, folder)


def exact(program, files, folder, truth):
    """The exact solution on both sides, in both precisions; charta's first."""
    found = []
    for precision in ("f32", "f64"):
        path = files[precision]
        contenders = [ours(program, f"charta, {precision}", exact_parameters(), path, ROUNDS, folder)]
        for solver, n_jobs, rounds in (("arpack", None, ROUNDS), ("arpack", -1, ROUNDS), ("randomized", None, ROUNDS), ("randomized", -1, ROUNDS), ("dense", None, 1)):
            said = f"KernelPCA ({solver}{', n_jobs=-1' if n_jobs else ''}), {precision}"
            contenders.append(theirs(said, kernel_pca(solver, n_jobs), path, rounds, folder))
        in_turns(contenders)
        found += [contender.summary(truth.figures) for contender in contenders]
    return found


def large(program, files, folder):
    """The approximation of all rows on both sides, and the memory of the whole process."""
    contenders = [
        ours(program, f"charta, {DICTIONARY:,} {choice}", dictionary_parameters(DICTIONARY, choice), files["large"], 2, folder) for choice in CHOICES
    ]
    contenders.append(theirs(f"Nystroem ({DICTIONARY:,}) + PCA", nystroem(DICTIONARY), files["large"], 2, folder))
    in_turns(contenders)
    found = []
    for contender in contenders:
        record = contender.summary(lambda map_: {"sum_of_squares": float(np.square(map_).sum())})
        if "failed" not in record:
            top = watched(contender.command)
            record["process_mib"] = None if top is None else top / 2**20
        found.append(record)
    return found


def errors(program, files, folder, truth):
    """Dictionaries of several sizes and choices, on rows where the exact solution is known."""
    contenders = [ours(program, "charta, exact", exact_parameters(), files["f64"], 1, folder)]
    for size in SIZES:
        contenders += [
            ours(program, f"charta, {size:,} {choice}", dictionary_parameters(size, choice), files["f64"], 1, folder) for choice in CHOICES
        ]
        contenders.append(theirs(f"Nystroem ({size:,}) + PCA", nystroem(size), files["f64"], 1, folder))
    in_turns(contenders)
    return [contender.summary(truth.figures) for contender in contenders]


def fastest(records, mine):
    """The best wall time of one side."""
    return min((r["wall"]["best"] for r in records if "failed" not in r and r["name"].startswith("charta") == mine), default=None)


def lines(part, data, records):
    """Lines of the table; charta's best wall time of this part as a share of each peer's."""
    best = fastest(records, True)
    for record in records:
        if "failed" in record:
            yield [part, data, record["name"], "failed", "", "", "", "", "", "", "", "", record["failed"]]
            continue
        quality = record["quality"]
        figures = [quality.get(name) for name in ("largest_eigenvalue_error", "mean_eigenvalue_error", "procrustes", "excess_feature_error")]
        shown = [f"{figure:.1e}" if figure is not None else "" for figure in figures]
        share = "" if record["name"].startswith("charta") or best is None else f"{best / record['wall']['best']:.3f}"
        whole = record.get("process_mib")
        yield [
            part,
            data,
            record["name"],
            f"{record['wall']['best']:.2f}",
            f"{record['cpu']['best']:.2f}",
            f"{record['extra_mib']:.0f}",
            f"{whole:.0f}" if whole else "",
            *shown,
            share,
            "; ".join(record["warnings"]),
        ]


def verdict(kept):
    """The two figures that the project holds itself to, in words."""
    said = []
    if "exact" in kept:
        mine, others = fastest(kept["exact"], True), fastest(kept["exact"], False)
        if mine and others:
            said.append(f"Exact: charta's fastest is {mine / others:.3f} of scikit-learn's fastest, over both precisions.")
    tops = [record["process_mib"] for record in kept.get("nystroem", []) if record["name"].startswith("charta") and record.get("process_mib")]
    if tops:
        said.append(f"Nyström: charta's whole process held at most {max(tops):.0f} MiB ({'below' if max(tops) < LIMIT_MIB else 'above'} {LIMIT_MIB}).")
    return " ".join(said)


def main():
    """Measures and keeps."""
    given = arguments.with_parts(arguments.parser(__doc__), PARTS)
    described = machine.describe()
    files = prepared(given.shared_data, given.scratch)
    if files is None:
        return
    program, wanted = given.charta.resolve(), given.parts or PARTS
    truth = Truth(files["f64"]) if {"exact", "errors"} & set(wanted) else None
    kept, table = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for part, data, measured in (
            ("exact", "5,000×784", lambda: exact(program, files, folder, truth)),
            ("nystroem", "50,000×784 f32", lambda: large(program, files, folder)),
            ("errors", "5,000×784 f64", lambda: errors(program, files, folder, truth)),
        ):
            if part in wanted:
                print(f"{part} …", flush=True)
                kept[part] = measured()
                table += lines(part, data, kept[part])
    header = ["part", "data", "", "wall s, best", "CPU s, best", "extra MiB", "process MiB"]
    header += ["largest λ error", "mean λ error", "Procrustes", "excess error in feature space", "charta's wall / this", "said"]
    note = (
        f"scikit-learn {version('scikit-learn')}, all cores on both sides; RBF kernel with γ = {GAMMA}, {N_COMPONENTS} components. Errors are against scipy's dense solver in f64: of "
        "eigenvalues, relative; Procrustes, the share of the map's squares that no turning explains; in feature space, how much more than the exact solution is left of a row. "
        + verdict(kept)
    )
    results.append(given.results, "kernel", "kernel principal components", {"machine": described, "records": kept}, results.markdown_table(header, table), note)


if __name__ == "__main__":
    main()

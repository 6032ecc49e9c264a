"""The linear family on Fashion-MNIST, 70,000×784 in f32: charta beside scikit-learn, method by method, in turns.

Run by `cargo xtask bench linear`. Both sides get all cores. Every run is a process of its own that loads the same files; the fit with the
coordinates of all rows is timed. charta and its peers take turns, so that other load on the machine meets both. Beside each time stands
the quality reached, measured alike on both sides. Name methods to run only those: `python bench/linear.py … lda nmf`.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from support import arguments, machine, results
from support.contest import Timed

WORKER = Path(__file__).parent / "support" / "method_worker.py"
ROUNDS = 3


def peer(name, module="sklearn.decomposition", mode="fit_transform", rounds=2, **parameters):
    """One setting of scikit-learn's."""
    return {"module": module, "name": name, "parameters": parameters, "mode": mode, "rounds": rounds}


DISCRIMINANT = "sklearn.discriminant_analysis"
# For every method: charta's parameters, and others to show beside them; the figure that tells the quality, as charta reports it and as an expression over scikit-learn's
# model; what the figure is; scikit-learn's settings, the default first.
CASES = {
    "lda": {
        "charta": {"n_components": 9},
        "figure": "training_accuracy",
        "theirs": "model.score(rows, labels)",
        "says": "training accuracy",
        "labels": True,
        "peers": [
            peer("LinearDiscriminantAnalysis", DISCRIMINANT, "fit_then_transform"),
            peer("LinearDiscriminantAnalysis", DISCRIMINANT, "fit_then_transform", solver="eigen"),
        ],
    },
    "truncated_svd": {
        "charta": {"n_components": 50},
        "figure": "singular_values",
        "theirs": "model.singular_values_",
        "says": "largest relative error of a singular value",
        "peers": [
            peer("TruncatedSVD", n_components=50, random_state=0),
            peer("TruncatedSVD", n_components=50, algorithm="arpack", random_state=0),
        ],
    },
    "factor_analysis": {
        "charta": {"n_components": 20},
        "figure": "log_likelihood",
        "theirs": "model.score(rows)",
        "says": "mean log-likelihood of a row (larger is better)",
        "peers": [
            peer("FactorAnalysis", n_components=20, random_state=0, rounds=1),
            peer("FactorAnalysis", n_components=20, svd_method="lapack", max_iter=20, rounds=1),
        ],
    },
    "ica": {
        "charta": {"n_components": 20},
        "figure": "negentropy",
        "theirs": "(np.logaddexp(embedding, -embedding).mean(axis=0, dtype=float) - np.log(2) - 0.3745672075) ** 2",
        "says": "negentropy (E log cosh s − E log cosh ν)², summed over the sources (larger is better)",
        "peers": [
            peer("FastICA", n_components=20, whiten="unit-variance", random_state=0, rounds=1),
            peer("FastICA", n_components=20, whiten="unit-variance", whiten_solver="eigh", random_state=0),
        ],
    },
    "nmf": {
        "charta": {"n_components": 20},
        # Stopped where the error is that of scikit-learn's default.
        "also": [{"n_components": 20, "max_iterations": 10}],
        "figure": "reconstruction_error",
        "theirs": "model.reconstruction_err_",
        "says": "reconstruction error, Frobenius norm (smaller is better)",
        "peers": [
            peer("NMF", n_components=20, random_state=0, rounds=1),
            peer("NMF", n_components=20, init="nndsvd", random_state=0, rounds=1),
        ],
    },
    "incremental_pca": {
        "charta": {"n_components": 50},
        "figure": "explained_variance",
        "theirs": "model.explained_variance_",
        "says": "largest relative error of an eigenvalue",
        "peers": [peer("IncrementalPCA", mode="fit_then_transform", n_components=50, rounds=1)],
    },
}


def prepared(shared, scratch):
    """The data as plain .npy files, which both sides read."""
    rows, labels = scratch / "fashion_mnist_f32.npy", scratch / "fashion_mnist_labels.npy"
    if not rows.exists() or not labels.exists():
        stored = np.load(shared / "fashion_mnist.npz")
        np.save(rows, stored["X"].astype(np.float32))
        np.save(labels, stored["y"].astype(np.float64).reshape(-1, 1))
    return rows, labels


def truths(path):
    """What singular values and variances are, from sums in f64."""
    rows = np.load(path, mmap_mode="r")
    mean = rows.mean(axis=0, dtype=np.float64)
    scatter = np.zeros((rows.shape[1], rows.shape[1]))
    for start in range(0, rows.shape[0], 5000):
        block = rows[start : start + 5000].astype(np.float64) - mean
        scatter += block.T @ block
    raw = scatter + rows.shape[0] * np.outer(mean, mean)
    return {
        "singular_values": np.sqrt(np.linalg.eigvalsh(raw)[::-1]),
        "explained_variance": np.linalg.eigvalsh(scatter / (rows.shape[0] - 1))[::-1],
    }


def quality(case, value, truth):
    """One number: the figure itself, or how far it is off where the truth is known."""
    if case["figure"] in truth:
        value = np.asarray(value)
        return float(np.abs(value / truth[case["figure"]][: len(value)] - 1).max())
    return float(np.sum(value))


def title(setting):
    """A peer's name with what is not its default."""
    shown = {key: value for key, value in setting["parameters"].items() if key not in ("n_components", "random_state", "whiten")}
    words = ", ".join(f"{key}={value}" for key, value in shown.items())
    return setting["name"] + (f" ({words})" if words else "")


def own_title(case, setting):
    """charta's name with what differs from its first setting."""
    words = ", ".join(f"{key}={value}" for key, value in setting.items() if case["charta"].get(key) != value)
    return "charta" + (f" ({words})" if words else "")


class Contender(Timed):
    """One side, with the quality of its fit."""

    def summary(self, case, truth):
        """The record that is kept."""
        return {
            **self.times(),
            "quality": quality(case, self.record["figures"][case["figure"]], truth),
            "warnings": self.record.get("warnings", []),
        }


def contest(method, case, program, files, truth):
    """charta and its peers in turns; charta's record first."""
    rows, labels = files
    given = [labels] if case.get("labels") else []
    ours = [
        Contender(own_title(case, setting), [program, method, json.dumps(setting), rows, 1, *given], ROUNDS)
        for setting in [case["charta"], *case.get("also", [])]
    ]
    theirs = [
        Contender(title(setting), [sys.executable, WORKER, json.dumps(setting | {"figures": {case["figure"]: case["theirs"]}}), rows, 1, *given], setting["rounds"])
        for setting in case["peers"]
    ]
    for turn in range(ROUNDS):
        for contender in [*ours, *theirs]:
            if turn < contender.rounds:
                contender.turn()
    return [contender.summary(case, truth) for contender in [*ours, *theirs]]


def lines(method, records):
    """Lines of the table; charta's wall time as a share of each peer's, best against best."""
    ours = records[0]["wall"]["best"]
    for record in records:
        share = "" if record["name"].startswith("charta") else f"{ours / record['wall']['best']:.3f}"
        warned = "; ".join(record["warnings"])
        yield [method, record["name"], f"{record['wall']['best']:.2f}", f"{record['cpu']['best']:.2f}", f"{record['extra_mib']:.0f}", f"{record['quality']:.6g}", share, warned]


def main():
    """Measures and keeps."""
    parser = arguments.parser(__doc__)
    parser.add_argument("methods", nargs="*", help="the methods to measure; all if none is named")
    given = parser.parse_args()
    if not arguments.has_fashion_mnist(given.shared_data):
        return
    described = machine.describe()
    files = prepared(given.shared_data, given.scratch)
    truth = truths(files[0])
    chosen = {name: CASES[name] for name in given.methods or CASES}
    kept, table = {}, []
    for method, case in chosen.items():
        print(f"{method} …", flush=True)
        kept[method] = contest(method, case, given.charta.resolve(), files, truth)
        table += lines(method, kept[method])
    header = ["method", "", "wall s, best", "CPU s, best", "extra MiB", "quality", "charta's wall / this", "said"]
    said = "; ".join(f"{name}: {case['says']}" for name, case in chosen.items())
    title_ = "the linear family, Fashion-MNIST 70,000×784 f32"
    note = f"scikit-learn {version('scikit-learn')}, all cores on both sides. Quality is, for {said}."
    results.append(given.results, "linear", title_, {"machine": described, "records": kept}, results.markdown_table(header, table), note)


if __name__ == "__main__":
    main()

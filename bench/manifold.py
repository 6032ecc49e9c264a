"""The manifold methods: charta beside scikit-learn and tapkee, method by method, in turns; memory of a large Isomap; growth with the rows.

Run by `cargo xtask bench manifold`. Both sides get all cores. Every run is a process of its own that loads the same file; the whole fit is
timed, neighbours included. charta and its peers take turns, so that other load on the machine meets both. Beside each time stands how well
the map keeps the true coordinates of the roll, or the digits' classes, measured alike on both sides. Name parts to run only those:
`python bench/manifold.py … isomap growth`.
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from support import arguments, machine, results
from support.contest import Contender, in_turns, run

WORKER = Path(__file__).parent / "support" / "method_worker.py"
ROUNDS = 2


def peer(name, module="sklearn.manifold", rounds=2, **parameters):
    """One setting of a peer's."""
    return {"module": module, "name": name, "parameters": parameters, "mode": "fit_transform", "rounds": rounds, "figures": {}}


def tapkee(method, rounds=1, **parameters):
    """One setting of tapkee's, with its fastest search for few columns."""
    return peer(method, "tapkee", rounds, target_dimension=2, **parameters)


def local(method, n_neighbors=12, rounds=1):
    """scikit-learn's locally linear embedding; its dense solver would need n² numbers and n³ steps."""
    return peer("LocallyLinearEmbedding", rounds=rounds, n_neighbors=n_neighbors, method=method, eigen_solver="arpack", random_state=0, n_jobs=-1)


# For every method: the data, charta's parameters, the peers' settings.
CASES = {
    "isomap": {
        "data": "optdigits",
        "charta": {"n_neighbors": 10, "landmarks": "all"},
        "peers": [
            peer("Isomap", n_neighbors=10, n_jobs=-1),
            peer("Isomap", n_neighbors=10, n_jobs=-1, eigen_solver="dense", rounds=1),
            tapkee("isomap", num_neighbors=10),
        ],
    },
    "lle": {"data": "swiss_roll", "charta": {"n_neighbors": 12}, "peers": [local("standard", rounds=2), tapkee("lle", num_neighbors=12)]},
    "modified_lle": {"data": "swiss_roll", "charta": {"n_neighbors": 12}, "peers": [local("modified")]},
    "hessian_lle": {"data": "swiss_roll", "charta": {"n_neighbors": 12}, "peers": [local("hessian"), tapkee("hlle", num_neighbors=12)]},
    "ltsa": {"data": "swiss_roll", "charta": {"n_neighbors": 12}, "peers": [local("ltsa"), tapkee("ltsa", num_neighbors=12)]},
    "laplacian_eigenmaps": {
        "data": "swiss_roll",
        "charta": {"n_neighbors": 12, "weights": "binary"},
        "peers": [
            peer("SpectralEmbedding", affinity="nearest_neighbors", n_neighbors=13, eigen_solver="arpack", random_state=0, n_jobs=-1),
            peer("SpectralEmbedding", affinity="nearest_neighbors", n_neighbors=13, eigen_solver="amg", random_state=0, n_jobs=-1),
            tapkee("la", num_neighbors=12),
        ],
    },
}
# What grows with the rows, and the largest number of them.
GROWTH = {
    "isomap": ({"n_neighbors": 12}, 100_000),
    "lle": ({"n_neighbors": 12}, 100_000),
    "modified_lle": ({"n_neighbors": 12}, 100_000),
    "hessian_lle": ({"n_neighbors": 12}, 100_000),
    "ltsa": ({"n_neighbors": 12}, 100_000),
    "laplacian_eigenmaps": ({"n_neighbors": 12}, 100_000),
    "diffusion_maps": ({"n_neighbors": 12}, 100_000),
    "lpp": ({"n_neighbors": 12}, 100_000),
    "npe": ({"n_neighbors": 12}, 100_000),
}
SIZES = [5_000, 10_000, 20_000, 50_000, 100_000]


def roll(n_rows, seed=0):
    """Points of a swiss roll and their true coordinates, arc length and height."""
    chance = np.random.default_rng(seed)
    angle = 1.5 * np.pi * (1 + 2 * chance.random(n_rows))
    height = 21 * chance.random(n_rows)
    rows = np.stack([angle * np.cos(angle), height, angle * np.sin(angle)], axis=1)
    arc = 0.5 * (angle * np.sqrt(1 + angle**2) + np.arcsinh(angle))
    return rows, np.stack([arc, height], axis=1)


def prepared(shared, scratch):
    """The data as .npy files, which both sides read, with what their maps should keep."""
    files = {}
    rows, truth = roll(20_000)
    np.save(scratch / "swiss_roll_20k.npy", rows)
    files["swiss_roll"] = (scratch / "swiss_roll_20k.npy", lambda map_: explained(map_, truth), "20,000×3 f64")
    if shared is not None and (shared / "optdigits.npz").exists():
        stored = np.load(shared / "optdigits.npz")
        np.save(scratch / "optdigits.npy", stored["X"].astype(np.float64))
        files["optdigits"] = (scratch / "optdigits.npy", lambda map_: kept_classes(map_, stored["y"]), "5,620×64 f64")
    else:
        print("skipped: ../shared/data/optdigits.npz is absent, and isomap is measured on it")
    return files


def explained(map_, truth):
    """The least share of a true coordinate's variance that a linear function of the map's coordinates explains: 1 if it is unrolled."""
    inputs = np.column_stack([map_ / np.abs(map_).max(axis=0), np.ones(len(map_))])
    centred = truth - truth.mean(axis=0)
    rest = centred - inputs @ np.linalg.lstsq(inputs, centred, rcond=None)[0]
    return float((1 - (rest**2).sum(axis=0) / (centred**2).sum(axis=0)).min())


def kept_classes(map_, classes):
    """The share of rows whose class their 10 nearest rows of the map tell."""
    from sklearn.neighbors import KNeighborsClassifier

    half = len(map_) // 2
    return float(KNeighborsClassifier(10).fit(map_[:half], classes[:half]).score(map_[half:], classes[half:]))


def title(setting):
    """A peer's name with its settings."""
    hidden = ("random_state", "n_jobs", "n_neighbors", "num_neighbors", "target_dimension")
    words = ", ".join(f"{key}={value}" for key, value in setting["parameters"].items() if key not in hidden)
    origin = "tapkee " if setting["module"] == "tapkee" else ""
    return origin + setting["name"] + (f" ({words})" if words else "")


def contest(method, case, program, file, folder):
    """charta and its peers in turns; charta's record first."""
    path, quality, _ = file
    contenders = [Contender("charta", [program, method, json.dumps(case["charta"]), path, 1], ROUNDS, folder)]
    for setting in case["peers"]:
        contenders.append(Contender(title(setting), [sys.executable, WORKER, json.dumps(setting), path, 1], setting["rounds"], folder))
    in_turns(contenders)
    return [contender.summary(quality) for contender in contenders]


def lines(method, file, records):
    """Lines of the table; charta's wall time as a share of each peer's, best against best."""
    ours = records[0]
    for record in records:
        if "failed" in record:
            yield [method, file[2], record["name"], "failed", "", "", "", "", record["failed"]]
            continue
        share = "" if record is ours else f"{ours['wall']['best'] / record['wall']['best']:.3f}"
        warned = "; ".join(record["warnings"])
        figures = [f"{record['wall']['best']:.2f}", f"{record['cpu']['best']:.2f}", f"{record['extra_mib']:.0f}", f"{record['quality']:.4f}"]
        yield [method, file[2], record["name"], *figures, share, warned]


def growth(program, scratch):
    """charta's time and memory for rolls of more and more rows."""
    found = {}
    for n_rows in SIZES:
        path = scratch / f"swiss_roll_{n_rows}.npy"
        np.save(path, roll(n_rows, seed=1)[0])
        for method, (parameters, most) in GROWTH.items():
            if n_rows > most:
                continue
            record, failure = run([program, method, json.dumps(parameters), path, 1])
            if record is None:
                found.setdefault(method, []).append([n_rows, failure])
                continue
            extra = (record["peak_rss"] - record["baseline_rss"]) / 2**20
            found.setdefault(method, []).append([n_rows, record["wall"][0], extra])
            print(f"growth: {method} {n_rows}: {record['wall'][0]:.2f} s, {extra:.0f} MiB", flush=True)
    return found


def draw_growth(found, path):
    """Time against rows, both on log scales."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.6), constrained_layout=True)
    for method, points in found.items():
        good = [point for point in points if len(point) == 3]
        for panel, place in zip(axes, (1, 2)):
            panel.plot([point[0] for point in good], [max(point[place], 1e-3) for point in good], marker="o", label=method)
    for panel, what in zip(axes, ("seconds", "MiB beside the data")):
        panel.set(xscale="log", yscale="log", xlabel="rows of a swiss roll", ylabel=what)
        panel.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=110)


def main():
    """Measures and keeps."""
    parser = arguments.parser(__doc__)
    parser.add_argument("parts", nargs="*", help="the methods to measure, and `growth`; all if none is named")
    given = parser.parse_args()
    described = machine.describe()
    files = prepared(given.shared_data, given.scratch)
    program = given.charta.resolve()
    wanted = given.parts or [*CASES, "growth"]
    kept, table = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for method in wanted:
            case = CASES.get(method)
            if case is None or case["data"] not in files:
                continue
            print(f"{method} …", flush=True)
            kept[method] = contest(method, case, program, files[case["data"]], folder)
            table += lines(method, files[case["data"]], kept[method])
    header = ["method", "data", "", "wall s, best", "CPU s, best", "extra MiB", "quality", "charta's wall / this", "said"]
    note = (
        f"scikit-learn {version('scikit-learn')}, tapkee {version('tapkee')}, all cores on both sides. Quality is, of the swiss roll, the least share of a true "
        "coordinate's variance that the map explains linearly; of optdigits, the accuracy of 10 nearest neighbours in the map, first half against second."
    )
    if "growth" in wanted:
        kept["growth"] = growth(program, given.scratch)
        draw_growth(kept["growth"], given.results / "growth.png")
        for method, points in kept["growth"].items():
            for n_rows, *figures in points:
                seconds, extra = figures if len(figures) == 2 else (float("nan"), float("nan"))
                table.append([method, f"{n_rows:,}×3 f64", "charta", f"{seconds:.2f}", "", f"{extra:.0f}", "", "", "growth"])
    results.append(given.results, "manifold", "manifold methods", {"machine": described, "records": kept}, results.markdown_table(header, table), note)


if __name__ == "__main__":
    main()

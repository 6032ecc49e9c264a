"""Scaling by distances: SMACOF, metric and non-metric, beside scikit-learn, in turns; Sammon's map and its parametric form.

Run by `cargo xtask bench scaling`. Both sides get all cores. Every run is a process of its own that loads the same file; the whole fit is timed,
distances included. One random start and a fixed count of iterations on both sides, no early stop. The stress of every map is measured here, alike
for both sides. Sammon's maps have no peer among the packages pinned: their times stand alone.
Name parts to run only those: `python bench/scaling.py … metric sammon`.
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist

from support import arguments, machine, results
from support.contest import Contender, in_turns

WORKER = Path(__file__).parent / "support" / "method_worker.py"


def mds(metric, n_iter, rounds):
    """scikit-learn's SMACOF of one random start, without an early stop."""
    parameters = {"n_components": 2, "metric_mds": metric, "n_init": 1, "init": "random", "max_iter": n_iter, "eps": 0.0, "random_state": 0}
    setting = {"module": "sklearn.manifold", "name": "MDS", "parameters": parameters, "mode": "fit_transform", "figures": {}}
    return {"name": f"MDS (metric_mds={metric})", "setting": setting, "rounds": rounds}


def majorization(metric, n_iter):
    """charta's parameters of the same: the same steps, as many of them."""
    return {"nonmetric": not metric, "n_starts": 1, "init": "random", "steps": "majorization", "max_iterations": n_iter, "tolerance": 0.0}


# For every part: rows, charta's method and parameters, the stress that is told, peers.
CASES = {
    "metric": {
        "n_rows": 2_000,
        "says": "300 iterations",
        "method": "mds",
        "charta": majorization(True, 300),
        "stress": "metric",
        "rounds": 2,
        "peers": [mds(True, 300, 2)],
    },
    "nonmetric": {
        "n_rows": 2_000,
        "says": "100 iterations",
        "method": "mds",
        "charta": majorization(False, 100),
        "stress": "kruskal",
        "rounds": 2,
        "peers": [mds(False, 100, 1)],
    },
    "metric_by_default": {"n_rows": 2_000, "says": "defaults", "method": "mds", "charta": {}, "stress": "metric", "rounds": 2, "peers": []},
    "nonmetric_by_default": {
        "n_rows": 2_000,
        "says": "defaults",
        "method": "mds",
        "charta": {"nonmetric": True},
        "stress": "kruskal",
        "rounds": 2,
        "peers": [],
    },
    "sammon": {"n_rows": 2_000, "says": "defaults", "method": "sammon", "charta": {}, "stress": "sammon", "rounds": 2, "peers": []},
    "parametric_sammon": {
        "n_rows": 2_000,
        "says": "defaults",
        "method": "parametric_sammon",
        "charta": {},
        "stress": "sammon",
        "rounds": 2,
        "peers": [],
    },
    "parametric_sammon_large": {
        "n_rows": 20_000,
        "says": "defaults",
        "method": "parametric_sammon",
        "charta": {},
        "stress": None,
        "rounds": 1,
        "peers": [],
    },
}


def prepared(shared, scratch):
    """Images as .npy files by their number of rows; None where they are absent."""
    if not arguments.has_fashion_mnist(shared, "the scaling methods are measured on it"):
        return None
    images = np.load(shared / "fashion_mnist.npz")["X"]
    files = {}
    for n_rows in {case["n_rows"] for case in CASES.values()}:
        files[n_rows] = scratch / f"fashion_scaling_{n_rows}.npy"
        np.save(files[n_rows], images[:n_rows].astype(np.float64) / 255.0)
    return files


class Stress:
    """The stresses of maps of the same rows."""

    def __init__(self, path):
        self.path, self.wanted = path, None

    def of(self, kind, map_):
        """One stress of a map."""
        if kind is None:
            return None
        if self.wanted is None:
            self.wanted = pdist(np.load(self.path))
        found = pdist(map_)
        if kind == "metric":
            return float(np.square(found - self.wanted).sum() / np.square(self.wanted).sum())
        if kind == "sammon":
            known = self.wanted > 0
            wanted, found = self.wanted[known], found[known]
            return float((np.square(wanted - found) / wanted).sum() / wanted.sum())
        return float(self.kruskal(found))

    def kruskal(self, found):
        """Kruskal's first stress with the map's own best monotone distances, ties apart."""
        from sklearn.isotonic import isotonic_regression

        order = np.lexsort((found, self.wanted))
        best = np.empty_like(found)
        best[order] = isotonic_regression(found[order])
        return np.sqrt(np.square(found - best).sum() / np.square(found).sum())


def contest(case, program, path, folder):
    """charta and its peers in turns; charta's record first."""
    contenders = [Contender("charta", [program, case["method"], json.dumps(case["charta"]), path, 1], case["rounds"], folder)]
    for peer in case["peers"]:
        contenders.append(Contender(peer["name"], [sys.executable, WORKER, json.dumps(peer["setting"]), path, 1], peer["rounds"], folder))
    in_turns(contenders)
    stress = Stress(path)
    return [contender.summary(lambda map_: stress.of(case["stress"], map_)) for contender in contenders]


def lines(part, case, records):
    """Lines of the table; charta's wall time as a share of each peer's, best against best."""
    ours = records[0]
    data = f"{case['n_rows']:,}×784 f64"
    for record in records:
        if "failed" in record:
            yield [part, data, case["says"], record["name"], "failed", "", "", "", "", record["failed"]]
            continue
        share = "" if record is ours or "failed" in ours else f"{ours['wall']['best'] / record['wall']['best']:.3f}"
        stress = "" if record["quality"] is None else f"{record['quality']:.5f}"
        figures = [f"{record['wall']['best']:.2f}", f"{record['cpu']['best']:.2f}", f"{record['extra_mib']:.0f}", stress]
        yield [part, data, case["says"], record["name"], *figures, share, "; ".join(record["warnings"])]


def main():
    """Measures and keeps."""
    given = arguments.with_parts(arguments.parser(__doc__), CASES)
    described = machine.describe()
    files = prepared(given.shared_data, given.scratch)
    if files is None:
        return
    kept, table = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for part in given.parts or CASES:
            print(f"{part} …", flush=True)
            case = CASES[part]
            kept[part] = contest(case, given.charta.resolve(), files[case["n_rows"]], folder)
            table += lines(part, case, kept[part])
    header = ["part", "data", "", "", "wall s, best", "CPU s, best", "extra MiB", "stress", "charta's wall / this", "said"]
    note = (
        f"scikit-learn {version('scikit-learn')}, all cores on both sides, Fashion-MNIST, two components. Stress, measured alike: metric, Σ(δ − d)²/Σδ²; non-metric, Kruskal's "
        "first with ties apart; Sammon's. Both sides start at random, each by its own numbers."
    )
    results.append(given.results, "scaling", "scaling by distances", {"machine": described, "records": kept}, results.markdown_table(header, table), note)


if __name__ == "__main__":
    main()

"""Neighbour embeddings: t-SNE, UMAP and PaCMAP beside openTSNE, umap-learn and pacmap, on the same rows, in turns.

Run by `cargo xtask bench layouts`. Every run is a process of its own. A process of charta fits once. The peers that compile at their first call fit
twice: the first fit of the process, with the loading of the package, is cold, the second warm. Both sides get all cores; umap-learn and pacmap run
without a seed, because with one they use a single core. Maps are judged alike: trustworthiness of 15 neighbours in a fixed sample of 5,000 rows, and the
share of rows whose class their 10 nearest others in the map tell, means of three runs with other seeds.

Name parts to run only those: `python bench/layouts.py … digits fashion_10k fashion_70k divergence threads held_out growth`, and methods with
`--methods`. `--rows` caps the rows of every part, to try the script out.
"""

import json
import os
import sys
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np

from support import arguments, machine, results
from support.contest import run

WORKER = Path(__file__).parent / "support" / "layout_worker.py"
CORES = len(os.sched_getaffinity(0))
SEEDS = (0, 1, 2)
SAMPLE = 5_000
GROWTH = (100_000, 300_000, 1_000_000)
# For every method of charta: the peer, its settings, and fits of a process; t-SNE gets 50 principal components, on both sides.
METHODS = {
    "tsne": {"peer": "openTSNE", "package": "openTSNE", "parameters": {"n_jobs": CORES}, "fits": 1, "reduced": True},
    "umap": {"peer": "umap", "package": "umap-learn", "parameters": {"n_jobs": CORES}, "fits": 2, "reduced": False},
    "pacmap": {"peer": "pacmap", "package": "pacmap", "parameters": {}, "fits": 2, "reduced": False},
}


class Rows:
    """One data set as .npy files that both sides read, with its classes; reduced to 50 principal components where that is wanted."""

    def __init__(self, name, rows, classes, scratch):
        self.name, self.rows, self.classes, self.scratch = name, rows.astype(np.float32), classes, scratch

    def file(self, reduced=False, part=slice(None), suffix=""):
        """The file of some rows."""
        path = self.scratch / f"layouts_{self.name}{'_reduced' if reduced else ''}{suffix}.npy"
        np.save(path, (self.components if reduced else self.rows)[part])
        return path

    @cached_property
    def components(self):
        """The first 50 principal components, or the rows themselves if they have no more columns."""
        from sklearn.decomposition import PCA

        if self.rows.shape[1] <= 64:
            return self.rows
        return PCA(50, random_state=0).fit_transform(self.rows).astype(np.float32)

    def judged(self, map_):
        """Trustworthiness and accuracy of a map."""
        from sklearn.manifold import trustworthiness

        sample = np.random.default_rng(0).permutation(len(self.rows))[:SAMPLE]
        k = min(15, len(sample) // 2 - 1)
        return {"trustworthiness": trustworthiness(self.rows[sample], map_[sample], n_neighbors=k), "accuracy": nearest_accuracy(map_, self.classes)}


def nearest_accuracy(map_, classes):
    """The share of rows whose class their 10 nearest others tell."""
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors(n_neighbors=10).fit(map_).kneighbors(return_distance=False)
    votes = np.stack([(classes[nearest] == label).sum(axis=1) for label in range(classes.max() + 1)], axis=1)
    return float((votes.argmax(axis=1) == classes).mean())


def prepared(shared, scratch, most):
    """The data sets that are there, with at most so many rows."""
    from sklearn.datasets import load_digits

    rows, classes = load_digits(return_X_y=True)
    sets = {"digits": Rows("digits", rows[:most], classes[:most], scratch)}
    if shared is None or not (shared / "fashion_mnist.npz").exists():
        print("skipped: ../shared/data/fashion_mnist.npz is absent: only digits and growth are measured")
        return sets
    stored = np.load(shared / "fashion_mnist.npz")
    rows, classes = stored["X"].reshape(len(stored["X"]), -1), stored["y"].astype(int)
    for name, count in (("fashion_5k", 5_000), ("fashion_12k", 12_000), ("fashion_10k", 10_000), ("fashion_70k", 70_000)):
        count = min(count, most or count)
        sets[name] = Rows(name, rows[:count], classes[:count], scratch)
    return sets


class Side:
    """charta or a peer with one method, and its commands."""

    def __init__(self, method, program, peer):
        self.method, self.program, self.case = method, program, METHODS[method]
        self.name = self.case["peer"] if peer else "charta"
        self.is_peer = peer

    def command(self, path, seed, extra=(), threads=None):
        """The process that fits the rows of a file."""
        if not self.is_peer:
            limit = ["env", f"RAYON_NUM_THREADS={threads}"] if threads else []
            return [*limit, self.program, self.method, json.dumps({"seed": seed}), path, 1, *extra]
        parameters = dict(self.case["parameters"])
        if self.method == "tsne":
            parameters["random_state"] = seed
        case = {"peer": self.case["peer"], "parameters": parameters, "fits": self.case["fits"]}
        return [sys.executable, WORKER, json.dumps(case), path, *extra]

    def fit(self, path, seed, target, **how):
        """One process, and the map that it leaves."""
        extra = [*how.pop("extra", ()), "--embedding", target]
        record, failure = run(self.command(path, seed, extra, **how))
        return (record, np.load(target)) if record else ({"failed": failure}, None)


def sides(method, program):
    """charta first, then its peer."""
    return [Side(method, program, peer) for peer in (False, True)]


def mean(values):
    """The mean, as a plain number."""
    return float(np.mean(values))


def contest(method, rows, program, scratch):
    """charta and its peer in turns, a process for every seed; what is kept of both."""
    path = rows.file(METHODS[method]["reduced"])
    both = sides(method, program)
    found = {side.name: [] for side in both}
    for seed in SEEDS:
        for side in both:
            print(f"  {method} of {rows.name}: {side.name}, seed {seed} …", flush=True)
            record, map_ = side.fit(path, seed, scratch / "layouts_map.npy")
            if map_ is not None:
                record["quality"] = rows.judged(map_)
            found[side.name].append(record)
    return {name: summary(records) for name, records in found.items()}


def summary(records):
    """Times, memory, stages and quality over the seeds."""
    good = [record for record in records if "failed" not in record]
    if not good:
        return {"failed": records[-1]["failed"]}
    warm = [record["wall"][-1] for record in good]
    best = good[int(np.argmin(warm))]
    return {
        "wall": results.seconds(warm),
        "cpu": results.seconds([record["cpu"][-1] for record in good]),
        "cold": results.seconds([record["wall"][0] + record.get("import", 0.0) for record in good]),
        "extra_mib": max(record["peak_rss"] - record["baseline_rss"] for record in good) / 2**20,
        "stages": best["stages"],
        "quality": {name: mean([record["quality"][name] for record in good]) for name in good[0]["quality"]},
        "runs": len(good),
    }


def staged(stages):
    """Stages in a cell of the table."""
    return ", ".join(f"{name} {seconds:.2f}" for name, seconds in stages)


def contest_lines(method, rows, found):
    """Lines of the table; charta's time and memory as shares of the peer's."""
    ours = found["charta"]
    shape = f"{rows.name} {len(rows.rows):,}×{(rows.components if METHODS[method]['reduced'] else rows.rows).shape[1]}"
    for name, record in found.items():
        if "failed" in record:
            yield [method, shape, name, "failed: " + record["failed"], *[""] * 8]
            continue
        shares = []
        if record is not ours and "failed" not in ours:
            pairs = [(ours["wall"]["best"], record["wall"]["best"]), (ours["cold"]["best"], record["cold"]["best"])]
            shares = [f"{a / b:.3f}" for a, b in [*pairs, (ours["extra_mib"], record["extra_mib"])]]
        times = [record["wall"]["best"], record["cpu"]["best"], record["cold"]["best"]]
        quality = [f"{value:.4f}" for value in record["quality"].values()]
        yield [method, shape, name, *(f"{value:.2f}" for value in times), f"{record['extra_mib']:.0f}", *quality, " / ".join(shares), staged(record["stages"])]


def divergence(rows, program, scratch):
    """The exact Kullback–Leibler divergence of both maps by t-SNE from one and the same P."""
    from openTSNE.affinity import PerplexityBasedNN
    from scipy.spatial.distance import pdist

    path, found = rows.file(True), {}
    p = PerplexityBasedNN(rows.components, perplexity=30, method="exact", n_jobs=CORES).P.tocoo()
    for side in sides("tsne", program):
        values = []
        for seed in SEEDS:
            record, map_ = side.fit(path, seed, scratch / "layouts_map.npy")
            if map_ is None:
                found[side.name] = record
                break
            z = 2.0 * (1.0 / (1.0 + pdist(map_, "sqeuclidean"))).sum()
            apart = np.square(map_[p.row] - map_[p.col]).sum(axis=1)
            values.append(float((p.data * (np.log(p.data) + np.log1p(apart) + np.log(z))).sum()))
        else:
            found[side.name] = {"divergence": mean(values), "each": values}
    return found


def threads(method, rows, program, scratch):
    """charta with one thread and with all, whole and in the layout; the maps must have the same bits."""
    path, side = rows.file(METHODS[method]["reduced"]), Side(method, program, peer=False)
    found, maps = {}, []
    for count in (1, CORES):
        record, map_ = side.fit(path, 0, scratch / "layouts_map.npy", threads=count)
        if map_ is None:
            return record
        maps.append(map_)
        layout = sum(seconds for name, seconds in record["stages"] if name == "layout")
        found[str(count)] = {"wall": record["wall"][-1], "layout": layout, "stages": record["stages"]}
    one, all_ = found["1"], found[str(CORES)]
    found["speed_up"] = {part: one[part] / max(all_[part], 1e-9) for part in ("wall", "layout")}
    found["same_bits"] = bool((maps[0] == maps[1]).all())
    return found


def held_out(method, rows, program, scratch):
    """Accuracy of a sixth of the rows, placed in the map of the others, on both sides."""
    from sklearn.neighbors import KNeighborsClassifier

    cut, reduced = len(rows.rows) * 5 // 6, METHODS[method]["reduced"]
    path, new = rows.file(reduced, slice(None, cut), "_known"), rows.file(reduced, slice(cut, None), "_new")
    placed, found = scratch / "layouts_placed.npy", {}
    for side in sides(method, program):
        print(f"  {method}: rows held out, {side.name} …", flush=True)
        record, map_ = side.fit(path, 0, scratch / "layouts_map.npy", extra=["--new", new, "--placed", placed])
        if map_ is None:
            found[side.name] = record
            continue
        judge = KNeighborsClassifier(10).fit(map_, rows.classes[:cut])
        found[side.name] = {"accuracy": float(judge.score(np.load(placed), rows.classes[cut:])), "seconds": record["transform"]}
    return found


def clusters(n_rows, n_columns=50, n_clusters=50):
    """Rows of many round clusters of different sizes and widths."""
    chance = np.random.default_rng(0)
    centres = 4.0 * chance.standard_normal((n_clusters, n_columns), dtype=np.float32)
    widths = chance.uniform(0.5, 1.5, n_clusters).astype(np.float32)
    of_row = chance.choice(n_clusters, n_rows, p=chance.dirichlet(np.full(n_clusters, 3.0)))
    rows = chance.standard_normal((n_rows, n_columns), dtype=np.float32)
    return rows * widths[of_row, None] + centres[of_row]


def growth(methods, program, scratch, most):
    """charta's time and memory for more and more rows."""
    found = {method: [] for method in methods}
    for n_rows in sorted({min(size, most or size) for size in GROWTH}):
        path = scratch / "layouts_growth.npy"
        np.save(path, clusters(n_rows))
        for method in methods:
            record, failure = run(Side(method, program, peer=False).command(path, 0))
            if record is None:
                found[method].append({"n_rows": n_rows, "failed": failure})
                continue
            extra = (record["peak_rss"] - record["baseline_rss"]) / 2**20
            found[method].append({"n_rows": n_rows, "wall": record["wall"][0], "cpu": record["cpu"][0], "extra_mib": extra, "stages": record["stages"]})
            print(f"  growth: {method}, {n_rows:,} rows: {record['wall'][0]:.1f} s, {extra:.0f} MiB", flush=True)
        path.unlink()
    return found


def described(kept):
    """The parts that are no contest, in sentences below the table."""
    if "divergence" in kept:
        values = ", ".join(f"{name} {record.get('divergence', float('nan')):.4f}" for name, record in kept["divergence"].items())
        yield f"Exact divergence of t-SNE from one P, fashion_5k: {values}."
    for method, record in kept.get("threads", {}).items():
        if "speed_up" in record:
            gain = record["speed_up"]
            same = "same bits" if record["same_bits"] else "OTHER BITS"
            yield f"{method}, 1 thread against {CORES}: whole {gain['wall']:.2f}×, layout {gain['layout']:.2f}×, {same}."
    for method, record in kept.get("held_out", {}).items():
        good = {name: side for name, side in record.items() if "accuracy" in side}
        yield f"{method}, rows held out: " + ", ".join(f"{name} {side['accuracy']:.4f} in {side['seconds']:.2f} s" for name, side in good.items()) + "."
    for method, points in kept.get("growth", {}).items():
        good = [point for point in points if "wall" in point]
        figures = "; ".join(f"{point['n_rows']:,}×50: {point['wall']:.1f} s, {point['extra_mib']:.0f} MiB ({staged(point['stages'])})" for point in good)
        yield f"{method} grows: {figures}."


def measured(given, program):
    """All parts that are wanted, and the lines of the table."""
    sets = prepared(given.shared_data, given.scratch, given.rows)
    parts = given.parts or ["digits", "fashion_10k", "fashion_70k", "divergence", "threads", "held_out", "growth"]
    methods, scratch = given.methods, given.scratch
    kept, table = {}, []
    for name in (part for part in parts if part in sets):
        for method in methods:
            found = contest(method, sets[name], program, scratch)
            kept.setdefault(name, {})[method] = found
            table += contest_lines(method, sets[name], found)
    if "divergence" in parts and "tsne" in methods and "fashion_5k" in sets:
        kept["divergence"] = divergence(sets["fashion_5k"], program, scratch)
    if "threads" in parts and "fashion_70k" in sets:
        kept["threads"] = {method: threads(method, sets["fashion_70k"], program, scratch) for method in methods}
    if "held_out" in parts and "fashion_12k" in sets:
        kept["held_out"] = {method: held_out(method, sets["fashion_12k"], program, scratch) for method in methods}
    if "growth" in parts:
        kept["growth"] = growth(methods, program, scratch, given.rows)
    return kept, table


def main():
    """Measures and keeps."""
    parser = arguments.parser(__doc__)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS), help="the methods to measure")
    parser.add_argument("--rows", type=int, help="rows at most, to try the script out")
    parser.add_argument("parts", nargs="*", help="the parts to measure; all if none is named")
    given = parser.parse_args()
    where = machine.describe()
    kept, table = measured(given, given.charta.resolve())
    versions = ", ".join(f"{METHODS[method]['package']} {version(METHODS[method]['package'])}" for method in given.methods)
    note = (
        f"{versions}. Warm is the second fit of a process where the peer compiles, cold the first with the loading of the package. Shares are charta's of "
        "the peer's: warm wall, cold wall, extra memory. Quality is a mean over three runs. Stages are those of the best run, in seconds.\n\n"
        + "\n".join(f"- {line}" for line in described(kept))
    )
    header = ["method", "rows", "", "wall s", "CPU s", "cold wall s", "extra MiB", "trustworthiness", "accuracy", "charta / this", "stages"]
    record = {"machine": where, "rows_at_most": given.rows, "records": kept}
    results.append(given.results, "layouts", "neighbour embeddings", record, results.markdown_table(header, table), note)


if __name__ == "__main__":
    main()

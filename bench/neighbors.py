"""The search for neighbours: charta beside faiss and scikit-learn (exact), pynndescent and hnswlib (approximate), in turns.

Run by `cargo xtask bench neighbors`. Both sides get all cores. Every turn is a process of its own that loads the same file, once for the time and
for the neighbours of 2,000 fixed rows. Recall is the share of what was found that is no farther than the true last neighbour, measured in f64, alike for all.
pynndescent compiles at its first call: its second call in the process is timed. Name cases to run only those: `python bench/neighbors.py … fashion mixture`.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from support import arguments, machine, results
from support.contest import Timed

WORKER = Path(__file__).parent / "support" / "neighbors_worker.py"
ROUNDS = 2
# The width of hnswlib's search is the smallest of these that reaches the recall.
WANTED = 0.98
WIDTHS = (50, 100, 200)
FLAT = (100_000, 128, 20)


def fashion(shared):
    """Images, whole numbers from 0 to 255."""
    return np.load(shared / "fashion_mnist.npz")["X"].astype(np.float32)


def scaled(shared):
    """The same between 0 and 1, where numbers are no longer whole."""
    return fashion(shared) / np.float32(255)


def cells(shared):
    """Expressions of blood cells, repeated to 50,000 rows with noise."""
    stored = np.load(shared / "pbmc3k.npz")
    rows = stored["X"].astype(np.float32)
    draw = np.random.default_rng(0)
    rows = rows[draw.integers(0, rows.shape[0], 50_000)]
    return rows + draw.normal(0, 0.1 * rows.std(), rows.shape).astype(np.float32)


def mixture(_):
    """Overlapping clusters with a flat spectrum, randomly turned."""
    n_rows, n_columns, n_clusters = FLAT
    draw = np.random.default_rng(1)
    spread = (np.arange(n_columns) + 1.0) ** -0.25
    centres = draw.normal(size=(n_clusters, n_columns)) * spread
    rows = centres[draw.integers(0, n_clusters, n_rows)] + draw.normal(size=(n_rows, n_columns)) * spread
    turn = np.linalg.qr(draw.normal(size=(n_columns, n_columns)))[0]
    return np.ascontiguousarray(rows @ turn, dtype=np.float32)


# For every case: how its rows are made, the numbers of neighbours, and whether exact searches run too.
CASES = {
    "fashion": {"make": fashion, "counts": [15, 90], "exact": [15], "says": "Fashion-MNIST, 70,000×784"},
    "scaled": {"make": scaled, "counts": [], "exact": [15], "says": "Fashion-MNIST divided by 255"},
    "cells": {"make": cells, "counts": [15], "exact": [], "says": "pbmc3k repeated to 50,000 rows with noise"},
    "mixture": {"make": mixture, "counts": [15], "exact": [], "says": "100,000×128, 20 clusters, flat spectrum"},
}


class Contender(Timed):
    """One side, with how many of the true neighbours it finds."""

    def __init__(self, name, command, rounds=ROUNDS):
        super().__init__(name, command, rounds)

    def summary(self, limits, rows):
        """The record that is kept."""
        return {
            **self.times(),
            "recall": recall(rows, self.record, limits),
            "own_recall": self.record.get("recall"),
            "algorithm": self.record.get("algorithm", ""),
            "checksum": self.record.get("checksum"),
        }


def distances(rows, row, others):
    """Distances from a row, in f64."""
    return np.sqrt(((rows[others].astype(np.float64) - rows[row].astype(np.float64)) ** 2).sum(axis=1))


def recall(rows, record, limits):
    """The share of the neighbours found that are no farther than the true last one."""
    near = total = 0
    for row, found in zip(record["rows"], record["neighbors"], strict=True):
        near += int((distances(rows, row, found) <= limits[row] * (1 + 1e-9) + 1e-12).sum())
        total += len(found)
    return near / total


def true_limits(rows, shown, count):
    """How far the true last neighbour of each shown row is: the best by products in f64, then measured."""
    mean = rows.mean(axis=0, dtype=np.float64)
    scores = np.empty((len(shown), rows.shape[0]))
    own = rows[shown].astype(np.float64) - mean
    for start in range(0, rows.shape[0], 5000):
        block = rows[start : start + 5000].astype(np.float64) - mean
        scores[:, start : start + 5000] = 0.5 * (block**2).sum(axis=1) - own @ block.T
    limits = {}
    for row, line in zip(shown, scores, strict=True):
        line[row] = np.inf
        best = np.argpartition(line, count + 10)[: count + 10]
        limits[row] = np.sort(distances(rows, row, best))[count - 1]
    return limits


def peer(name, path, setting, rounds=ROUNDS):
    """One peer with its settings."""
    return Contender(name, [sys.executable, WORKER, json.dumps(setting), path], rounds)


def exact_contest(program, path, count):
    """charta and its peers, all exact."""
    return [
        Contender("charta (exact)", [program, path, count, "exact", 1, 1, 0]),
        peer(f"faiss-cpu {version('faiss-cpu')} IndexFlatL2", path, {"peer": "faiss", "count": count}, rounds=1),
        peer(f"scikit-learn {version('scikit-learn')} brute", path, {"peer": "brute", "count": count}, rounds=1),
    ]


def approximate_contest(program, path, count):
    """charta and its peers, all approximate."""
    widths = [width for width in WIDTHS if width >= count]
    return [
        Contender(f"charta (approximate, recall {WANTED})", [program, path, count, "approximate", WANTED, 1, 0]),
        Contender("charta (approximate, recall 0.99)", [program, path, count, "approximate", 0.99, 1, 0]),
        peer(f"pynndescent {version('pynndescent')} (second call)", path, {"peer": "pynndescent", "count": count}, rounds=1),
        *[
            peer(f"hnswlib {version('hnswlib')} (M=16, ef={width})", path, {"peer": "hnswlib", "count": count, "width": width}, rounds=1)
            for width in widths
        ],
    ]


def contest(contenders, limits, rows):
    """All in turns; a wider search of hnswlib runs only if a narrower one misses the recall."""
    done = set()
    for turn in range(ROUNDS):
        enough = False
        for contender in contenders:
            is_width = contender.name.startswith("hnswlib")
            if turn >= contender.rounds or (is_width and enough):
                continue
            contender.turn()
            done.add(contender.name)
            enough = enough or (is_width and recall(rows, contender.record, limits) >= WANTED)
    return [contender.summary(limits, rows) for contender in contenders if contender.name in done]


def lines(case, kind, count, records):
    """Lines of the table; charta's times as a share of each peer's, best against best."""
    ours = records[0]
    for record in records:
        own = record["name"].startswith("charta")
        shares = ["", ""] if own else [f"{ours[time]['best'] / record[time]['best']:.3f}" for time in ("wall", "cpu")]
        times = [f"{record[time]['best']:.2f}" for time in ("wall", "cpu")]
        yield [case, kind, count, record["name"], *times, f"{record['extra_mib']:.0f}", f"{record['recall']:.4f}", *shares, record["algorithm"]]


def main():
    """Measures and keeps."""
    parser = arguments.parser(__doc__, program="the built program bench_neighbors")
    parser.add_argument("--only", choices=["exact", "approximate"], help="one kind of search alone")
    parser.add_argument("cases", nargs="*", help="the cases to measure; all if none is named")
    given = parser.parse_args()
    if not arguments.has_fashion_mnist(given.shared_data):
        return
    described = machine.describe()
    program = given.charta.resolve()
    kept, table = {}, []
    for name in given.cases or CASES:
        case = CASES[name]
        path = given.scratch / f"neighbors_{name}.npy"
        if not path.exists():
            np.save(path, case["make"](given.shared_data))
        rows = np.load(path, mmap_mode="r")
        shown = [index * rows.shape[0] // 2000 for index in range(2000)]
        wanted = [("exact", count) for count in case["exact"]] + [("approximate", count) for count in case["counts"]]
        for kind, count in wanted:
            if given.only not in (None, kind):
                continue
            print(f"{name}, {kind}, {count} neighbours …", flush=True)
            contenders = (exact_contest if kind == "exact" else approximate_contest)(program, path, count)
            records = contest(contenders, true_limits(rows, shown, count), rows)
            kept[f"{name} {kind} {count}"] = records
            table += lines(name, kind, count, records)
    header = ["data", "search", "k", "", "wall s, best", "CPU s, best", "extra MiB", "recall", "charta's wall / this", "charta's CPU / this", "algorithm"]
    said = "; ".join(f"{name}: {CASES[name]['says']}" for name in given.cases or CASES)
    note = f"All cores on both sides, f32. Recall on 2,000 fixed rows against distances in f64. {said}."
    results.append(given.results, "neighbors", "the search for neighbours", {"machine": described, "records": kept}, results.markdown_table(header, table), note)


if __name__ == "__main__":
    main()

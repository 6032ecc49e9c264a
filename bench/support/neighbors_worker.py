"""One search of a peer in a process of its own; prints a JSON line like charta's `bench_neighbors` program.

Arguments: a JSON object with `peer` (`faiss`, `brute`, `pynndescent`, `hnswlib`), `count` and, for hnswlib, `width`; then the .npy file. Making an
index counts. All find the neighbours of every row of the file among all its rows, without the row itself.
"""

import json
import os
import sys
import time

import numpy as np

from memory import peak, reset_peak, resident

CORES = len(os.sched_getaffinity(0))


def faiss(rows, setting):
    """All distances, through a matrix product."""
    import faiss as library

    library.omp_set_num_threads(CORES)
    index = library.IndexFlatL2(rows.shape[1])
    index.add(rows)
    return index.search(rows, setting["count"] + 1)[1]


def brute(rows, setting):
    """All distances, by scikit-learn."""
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=setting["count"], algorithm="brute", n_jobs=-1).fit(rows)
    return search.kneighbors(return_distance=True)[1]


def pynndescent(rows, setting):
    """Random trees and descent, with its defaults."""
    from pynndescent import NNDescent

    return NNDescent(rows, n_neighbors=setting["count"] + 1, random_state=0, n_jobs=CORES).neighbor_graph[0]


def hnswlib(rows, setting):
    """A layered graph: built, then asked for every row."""
    import hnswlib as library

    index = library.Index(space="l2", dim=rows.shape[1])
    index.init_index(max_elements=rows.shape[0], ef_construction=200, M=16, random_seed=0)
    index.set_num_threads(CORES)
    index.add_items(rows)
    index.set_ef(max(setting["width"], setting["count"] + 1))
    return index.knn_query(rows, k=setting["count"] + 1)[0]


def without_itself(row, found, count):
    """The neighbours of a row but the row."""
    return [int(place) for place in found if place != row and place >= 0][:count]


def main():
    """Loads, searches, prints."""
    setting, path = json.loads(sys.argv[1]), sys.argv[2]
    search = {"faiss": faiss, "brute": brute, "pynndescent": pynndescent, "hnswlib": hnswlib}[setting["peer"]]
    rows = np.load(path)
    if setting["peer"] == "pynndescent":
        # Compiles what the timed call needs.
        search(rows, setting)
    else:
        search(rows[:2000], setting)
    reset_peak()
    baseline = resident()
    wall_start, cpu_start = time.perf_counter(), time.process_time()
    found = search(rows, setting)
    wall, cpu = time.perf_counter() - wall_start, time.process_time() - cpu_start
    shown = [index * rows.shape[0] // 2000 for index in range(2000)]
    lists = [without_itself(row, found[row], setting["count"]) for row in shown]
    print(json.dumps({"wall": [wall], "cpu": [cpu], "peak_rss": peak(), "baseline_rss": baseline, "rows": shown, "neighbors": lists}))


if __name__ == "__main__":
    main()

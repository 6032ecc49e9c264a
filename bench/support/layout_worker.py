"""Fits of openTSNE, umap-learn or pacmap in a process of its own; prints a JSON line like charta's `bench_method` program.

Arguments: a JSON object with `peer`, `parameters` and `fits`, then the .npy file. With `--embedding FILE` the last map is written there; with
`--new FILE --placed FILE` the last model places those rows. `import` is what loading the package took; the first of `wall` includes what it compiles.
"""

import argparse
import json
import logging
import sys
import time
import warnings

import numpy as np

from memory import peak, reset_peak, resident

SECONDS = {}


def timed(owner, name, stage):
    """Adds the time of a function's calls to a stage's."""
    inner = getattr(owner, name)

    def outer(*positional, **named):
        start = time.perf_counter()
        try:
            return inner(*positional, **named)
        finally:
            SECONDS[stage] = SECONDS.get(stage, 0.0) + time.perf_counter() - start

    setattr(owner, name, outer)


class OpenTsne:
    """openTSNE: its embedding places new rows."""

    def __init__(self, parameters):
        import openTSNE
        import openTSNE.affinity
        import openTSNE.initialization

        self.kind, self.parameters = openTSNE.TSNE, parameters
        timed(openTSNE.affinity.MultiscaleMixture, "__init__", "neighbours and affinities")
        timed(openTSNE.initialization, "pca", "start")
        timed(openTSNE.TSNEEmbedding, "optimize", "layout")

    def fit(self, rows, _):
        """The map."""
        self.model = self.kind(**self.parameters).fit(rows)
        return np.asarray(self.model)

    def place(self, rows):
        """Places of new rows."""
        return np.asarray(self.model.transform(rows))


class Umap:
    """umap-learn."""

    def __init__(self, parameters):
        import umap
        import umap.umap_

        self.kind, self.parameters = umap.UMAP, parameters
        timed(umap.umap_, "nearest_neighbors", "neighbours")
        timed(umap.umap_, "fuzzy_simplicial_set", "graph")
        timed(umap.umap_, "spectral_layout", "start")
        timed(umap.umap_, "optimize_layout_euclidean", "layout")

    def fit(self, rows, _):
        """The map."""
        self.model = self.kind(**self.parameters)
        return self.model.fit_transform(rows)

    def place(self, rows):
        """Places of new rows."""
        return self.model.transform(rows)


class Pacmap:
    """pacmap."""

    def __init__(self, parameters):
        import pacmap
        import pacmap.pacmap as module

        self.kind, self.parameters = pacmap.PaCMAP, parameters
        timed(module, "preprocess_X", "axes")
        timed(module, "compute_nearest_neighbors", "neighbours")
        timed(module, "generate_pair", "neighbours and pairs")
        timed(module, "pacmap", "layout")

    def fit(self, rows, keep):
        """The map; the index of the rows is kept only if new ones are to be placed."""
        self.model = self.kind(save_tree=keep, **self.parameters)
        return self.model.fit_transform(rows)

    def place(self, rows):
        """Places of new rows."""
        return self.model.transform(rows)


PEERS = {"openTSNE": OpenTsne, "umap": Umap, "pacmap": Pacmap}


def main():
    """Loads, repeats, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", type=json.loads)
    parser.add_argument("file")
    for name in ("--embedding", "--new", "--placed"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    case, rows = arguments.case, np.load(arguments.file)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    peer = PEERS[case["peer"]](case["parameters"])
    record = {"import": time.perf_counter() - start, "wall": [], "cpu": [], "figures": {}, "warnings": []}
    reset_peak()
    record["baseline_rss"] = resident()
    for _ in range(case["fits"]):
        SECONDS.clear()
        peer.model = None
        wall, cpu = time.perf_counter(), time.process_time()
        map_ = peer.fit(rows, arguments.new is not None)
        record["wall"].append(time.perf_counter() - wall)
        record["cpu"].append(time.process_time() - cpu)
    record["stages"] = [[stage, seconds] for stage, seconds in SECONDS.items()]
    record["peak_rss"] = peak()
    if arguments.embedding:
        np.save(arguments.embedding, np.asarray(map_, dtype=np.float64))
    if arguments.new:
        start = time.perf_counter()
        placed = peer.place(np.load(arguments.new))
        record["transform"] = time.perf_counter() - start
        np.save(arguments.placed, np.asarray(placed, dtype=np.float64))
    sys.stdout.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()

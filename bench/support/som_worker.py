"""One run of MiniSom in a process of its own; prints a JSON line like charta's `bench_method` program.

Arguments: a JSON object with `width`, `height`, `topology`, `sigma`, `n_epochs`, `train` (the name of MiniSom's method) and `seed`, then the .npy file
and repetitions. Timed are the start by principal components and the training; errors and, with `--embedding FILE`, the winners of all rows come after.
"""

import json
import sys
import time
import warnings

import numpy as np
from minisom import MiniSom

from memory import peak, reset_peak, resident


def fitted(case, rows):
    """A trained map."""
    som = MiniSom(case["width"], case["height"], rows.shape[1], sigma=case["sigma"], topology=case["topology"], random_seed=case["seed"])
    som.pca_weights_init(rows)
    getattr(som, case["train"])(rows, case["n_epochs"] * len(rows))
    return som


def main():
    """Loads, repeats, prints."""
    case, path, repetitions, *rest = sys.argv[1:]
    target = rest.pop() if "--embedding" in rest else None
    case = json.loads(case)
    rows = np.load(path)
    reset_peak()
    baseline = resident()
    wall, cpu = [], []
    warnings.simplefilter("ignore")
    for _ in range(int(repetitions)):
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        som = fitted(case, rows)
        wall.append(time.perf_counter() - wall_start)
        cpu.append(time.process_time() - cpu_start)
    top = peak()
    figures = {"quantization_error": float(som.quantization_error(rows)), "topographic_error": float(som.topographic_error(rows))}
    if target is not None:
        np.save(target, np.array([som.winner(row) for row in rows[:1]], dtype=np.float64))
    print(json.dumps({"wall": wall, "cpu": cpu, "peak_rss": top, "baseline_rss": baseline, "figures": figures}))


if __name__ == "__main__":
    main()

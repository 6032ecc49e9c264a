"""One run of scikit-learn's PCA in a process of its own; prints the same JSON line as charta's `bench_pca` example.

Arguments: the .npy file, the number of components, repetitions, solver, `fit` or `fit_transform`.
"""

import json
import sys
import time

import numpy as np
from sklearn.decomposition import PCA

from memory import peak, reset_peak, resident


def main():
    """Loads, repeats, prints."""
    path, n_components, repetitions, solver, mode = sys.argv[1:]
    rows = np.load(path)
    reset_peak()
    baseline = resident()
    wall, cpu = [], []
    for _ in range(int(repetitions)):
        model = PCA(n_components=int(n_components), svd_solver=solver, random_state=0)
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        getattr(model, mode)(rows)
        wall.append(time.perf_counter() - wall_start)
        cpu.append(time.process_time() - cpu_start)
    variances = [float(value) for value in model.explained_variance_]
    print(json.dumps({"wall": wall, "cpu": cpu, "peak_rss": peak(), "baseline_rss": baseline, "explained_variance": variances}))


if __name__ == "__main__":
    main()

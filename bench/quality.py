"""Trustworthiness beside scikit-learn's, and all measures of a million rows by a sample.

Usage: quality.py BENCH_QUALITY SHARED_DATA, where BENCH_QUALITY is the built program of that name. Prints Markdown.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness

NEIGHBORS = 15


def ours(binary, rows, embedding, sample):
    """The program's record of one call."""
    with tempfile.TemporaryDirectory() as folder:
        data, places = Path(folder) / "data.npy", Path(folder) / "map.npy"
        np.save(data, rows)
        np.save(places, embedding)
        words = [binary, str(data), str(places), str(NEIGHBORS), str(sample)]
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main():
    """Measures and prints."""
    binary, shared = sys.argv[1], Path(sys.argv[2])
    rows = np.load(shared / "fashion_mnist.npz")["X"][:10_000].astype(np.float32)
    embedding = PCA(2, random_state=0).fit_transform(rows).astype(np.float64)
    start = time.perf_counter()
    theirs = trustworthiness(rows, embedding, n_neighbors=NEIGHBORS)
    seconds = time.perf_counter() - start
    record = ours(binary, rows, embedding, 0)
    both, everything = record["both"], record["all"]
    print("| Fashion-MNIST, 10,000 × 784, k = 15 | seconds | trustworthiness |\n|---|---|---|")
    print(f"| scikit-learn, trustworthiness | {seconds:.2f} | {theirs:.9f} |")
    print(f"| charta, trustworthiness and continuity | {both['seconds']:.2f} | {both['trustworthiness']:.9f} |")
    print(f"| charta, all measures | {everything['seconds']:.2f} | {everything['trustworthiness']:.9f} |")
    print(f"\nRatio of trustworthiness and continuity to scikit-learn's trustworthiness: {both['seconds'] / seconds:.2f}\n")
    random = np.random.default_rng(0)
    sheet = random.random((1_000_000, 50), dtype=np.float32)
    record = ours(binary, sheet, sheet[:, :2].astype(np.float64), 1000)["all"]
    print(f"1,000,000 × 50 random rows, all measures of 1,000 sampled: {record['seconds']:.1f} s, ", end="")
    print(f"trustworthiness {record['trustworthiness']:.4f} ± {record['error']:.4f}")


if __name__ == "__main__":
    main()

"""PCA of Fashion-MNIST, 70,000×784 in f32, 50 components: charta beside scikit-learn's four solvers, in turns.

Run by `cargo xtask bench pca`. Both sides get all cores. Every run is a process of its own that loads the same file; only the fit (with the
embedding: `fit_transform`) is timed. charta and a peer take turns, so that other load on the machine meets both. Memory is measured in
separate processes with a single fit: the high-water mark less what was resident before the fit.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from support import arguments, machine, results
from support.contest import record_of

N_COMPONENTS = 50
# (solver, mode, rounds, fits): the slow solvers get fewer of both. The first fit of a process warms up and is left out.
PEERS = [
    ("covariance_eigh", "fit_transform", 6, 3),
    ("covariance_eigh", "fit", 6, 3),
    ("randomized", "fit_transform", 4, 3),
    ("randomized", "fit", 4, 3),
    ("arpack", "fit_transform", 2, 2),
    ("arpack", "fit", 2, 2),
    ("full", "fit_transform", 2, 2),
    ("full", "fit", 2, 2),
]
CHARTA_FITS = 3
MEMORY_PROCESSES = 2
WORKER = Path(__file__).parent / "support" / "method_worker.py"


def prepared(shared, scratch):
    """The data as a plain f32 .npy file, which both sides read."""
    path = scratch / "fashion_mnist_f32.npy"
    if not path.exists():
        np.save(path, np.load(shared / "fashion_mnist.npz")["X"].astype(np.float32))
    return path


def true_variances(path):
    """The leading eigenvalues of the covariance, accumulated in f64."""
    rows = np.load(path, mmap_mode="r")
    mean = rows.mean(axis=0, dtype=np.float64)
    scatter = np.zeros((rows.shape[1], rows.shape[1]))
    for start in range(0, rows.shape[0], 5000):
        block = rows[start : start + 5000].astype(np.float64) - mean
        scatter += block.T @ block
    return np.linalg.eigvalsh(scatter / (rows.shape[0] - 1))[::-1][:N_COMPONENTS]


def charta_command(program, path, repetitions):
    """charta's side."""
    return [program, "pca", json.dumps({"n_components": N_COMPONENTS}), path, repetitions]


def peer_command(path, repetitions, solver, mode):
    """scikit-learn's side."""
    case = {
        "module": "sklearn.decomposition",
        "name": "PCA",
        "parameters": {"n_components": N_COMPONENTS, "svd_solver": solver, "random_state": 0},
        "mode": mode,
        "figures": {"explained_variance": "model.explained_variance_"},
    }
    return [sys.executable, WORKER, json.dumps(case), path, repetitions]


class Contender:
    """The times of one side, gathered over the rounds."""

    def __init__(self, name, rounds, fits, command):
        self.name, self.rounds, self.fits, self.command = name, rounds, fits, command
        self.wall, self.cpu, self.variances = [], [], None

    def turn(self):
        """One process with a few warm fits."""
        record = record_of(self.command(self.fits))
        self.wall += record["wall"][1:]
        self.cpu += record["cpu"][1:]
        self.variances = record["figures"]["explained_variance"]

    def extra_memory(self):
        """MiB that a single fit adds to the loaded data, the least of a few processes."""
        records = [record_of(self.command(1)) for _ in range(MEMORY_PROCESSES)]
        return min(record["peak_rss"] - record["baseline_rss"] for record in records) / 2**20

    def summary(self, truth):
        """The record that is kept."""
        error = np.abs(np.array(self.variances) / truth - 1).max()
        return {
            "name": self.name,
            "wall": results.seconds(self.wall),
            "cpu": results.seconds(self.cpu),
            "extra_mib": self.extra_memory(),
            "eigenvalue_error": float(error),
        }


def contest(program, path):
    """Alternates charta with every peer until all have had their rounds."""
    rounds = max(rounds for _, _, rounds, _ in PEERS)
    charta = Contender("charta fit_transform", rounds, CHARTA_FITS, lambda fits: charta_command(program, path, fits))
    peers = [peer(path, *settings) for settings in PEERS]
    for turn in range(rounds):
        for other in (other for other in peers if turn < other.rounds):
            charta.turn()
            other.turn()
        print(f"  round {turn + 1}: charta's best {min(charta.wall):.3f} s", flush=True)
    return [charta, *peers]


def peer(path, solver, mode, rounds, fits):
    """One way of calling scikit-learn."""
    return Contender(f"scikit-learn {solver} {mode}", rounds, fits, lambda count: peer_command(path, count, solver, mode))


def row(record, ours):
    """A line of the table; the ratio compares best wall times within this run."""
    ratio = record["wall"]["best"] / ours["wall"]["best"]
    times = [f"{record[kind][which]:.3f}" for kind in ("wall", "cpu") for which in ("best", "median")]
    return [record["name"], *times, f"{record['extra_mib']:.0f}", f"{record['eigenvalue_error']:.1e}", f"{ratio:.2f}", record["wall"]["repetitions"]]


def main():
    """Measures and keeps."""
    given = arguments.parser(__doc__).parse_args()
    if not arguments.has_fashion_mnist(given.shared_data):
        return
    described = machine.describe()
    path = prepared(given.shared_data, given.scratch)
    truth = true_variances(path)
    records = [contender.summary(truth) for contender in contest(given.charta.resolve(), path)]
    header = ["", "wall s, best", "median", "CPU s, best", "median", "extra MiB", "eigenvalue error", "wall / charta's", "fits"]
    table = results.markdown_table(header, [row(record, records[0]) for record in records])
    title = f"PCA({N_COMPONENTS}), Fashion-MNIST 70,000×784 f32"
    results.append(given.results, "pca", title, {"machine": described, "records": records}, table, f"scikit-learn {version('scikit-learn')}, all cores on both sides.")


if __name__ == "__main__":
    main()

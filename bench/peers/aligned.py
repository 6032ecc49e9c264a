"""Aligned maps beside AlignedUMAP of umap-learn: movement of shared samples, trustworthiness, k-NN accuracy and time, in one run.

``python bench/peers/aligned.py [FASHION_MNIST.npz]``: slices of the digits, or of the first rows of a file with the arrays `X` and `y`. Needs umap-learn;
stops with a line that says so where something is missing. Movement is that of shared samples between slices that follow each other, after every map
was divided by its own standard deviation; both packages are warm when the clock starts.
"""

import sys
import time

import numpy as np

import charta

N_SLICES = 10


def main():
    try:
        import umap
    except ImportError:
        sys.exit("umap-learn is not installed: pip install umap-learn")
    X, y = charta.digits() if len(sys.argv) < 2 else of_file(sys.argv[1])
    size, step = len(X) * 2 // (N_SLICES + 1), len(X) // (N_SLICES + 1)
    parts = [slice(step * number, step * number + size) for number in range(N_SLICES)]
    slices, labels = [X[part] for part in parts], [y[part] for part in parts]
    relations = [{number + step: number for number in range(size - step)} for _ in range(N_SLICES - 1)]
    print(f"{N_SLICES} slices of {size} samples, half of them shared with the next")
    made = {
        "umap-learn AlignedUMAP": lambda: umap.AlignedUMAP(),
        "charta AlignedUMAP": lambda: charta.AlignedUMAP(),
        "charta AlignedTSNE": lambda: charta.AlignedTSNE(),
        "charta AlignedPaCMAP": lambda: charta.AlignedPaCMAP(),
        "charta UMAP, each alone": lambda: Alone(charta.UMAP),
        "charta TSNE, each alone": lambda: Alone(charta.TSNE),
        "charta PaCMAP, each alone": lambda: Alone(charta.PaCMAP),
    }
    first = None
    print(f"{'':28} {'seconds':>8} {'ratio':>6} {'movement':>9} {'median':>7} {'trustworthiness':>16} {'k-NN accuracy':>14}")
    for name, of in made.items():
        # Compiled, and warm.
        of().fit([part[:150] for part in slices[:2]], relations=[{number + 75: number for number in range(75)}])
        start = time.perf_counter()
        maps = [np.asarray(embedding, dtype=np.float64) for embedding in of().fit(slices, relations=relations).embeddings_]
        seconds = time.perf_counter() - start
        first = first or seconds
        moved = movement(maps, relations)
        trusted = np.mean([charta.trustworthiness(part, embedding, n_neighbors=15) for part, embedding in zip(slices, maps)])
        right = np.mean([accuracy(embedding, classes) for embedding, classes in zip(maps, labels)])
        print(f"{name:28} {seconds:8.2f} {seconds / first:6.2f} {moved.mean():9.3f} {np.median(moved):7.3f} {trusted:16.4f} {right:14.4f}", flush=True)


class Alone:
    """Every slice embedded without the others."""

    def __init__(self, made):
        self.made = made

    def fit(self, slices, relations):
        self.embeddings_ = [self.made().fit_transform(part) for part in slices]
        return self


def movement(maps, relations):
    """How far shared samples move from one map to the next, in standard deviations of the map."""
    scaled = [(embedding - embedding.mean(axis=0)) / np.sqrt(embedding.var(axis=0).mean()) for embedding in maps]
    moved = []
    for before, after, relation in zip(scaled, scaled[1:], relations):
        earlier, later = np.array(list(relation)), np.array(list(relation.values()))
        moved.append(np.linalg.norm(before[earlier] - after[later], axis=1))
    return np.concatenate(moved)


def accuracy(embedding, labels, k=10):
    """Share of samples whose label is the most frequent among their nearest on the map."""
    indices, _ = charta.nearest_neighbors(embedding, k)
    votes = np.zeros((len(labels), int(labels.max()) + 1))
    np.add.at(votes, (np.arange(len(labels))[:, None], labels[indices].astype(int)), 1)
    return np.mean(votes.argmax(axis=1) == labels)


def of_file(path):
    try:
        with np.load(path, allow_pickle=False) as file:
            X, y = file["X"][:11000], file["y"][:11000]
    except (OSError, KeyError) as error:
        sys.exit(f"no data: {error}")
    return X.reshape(len(X), -1).astype(np.float32), y.astype(int)


if __name__ == "__main__":
    main()

"""Reference numbers of PaCMAP: near pairs from given neighbours, and how good pacmap's maps of digits are.

Writes `pacmap_digits.json`.
"""

import logging

import numpy as np
from pacmap import PaCMAP
from pacmap.pacmap import sample_neighbors_pair, scale_dist
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.datasets import load_digits

from support import command, data, versions, writing

N_PAIRED = 400
N_NEIGHBORS = 10
N_MORE = 50
N_TRAINED = 1200
SEEDS = (0, 1, 2)


def near_pairs(rows):
    """Neighbours of some rows, exactly, and the near pairs that pacmap makes of them."""
    found = NearestNeighbors(n_neighbors=N_NEIGHBORS + N_MORE, algorithm="brute").fit(rows)
    places = found.kneighbors(return_distance=False)
    squares = np.square(rows[:, None] - rows[places]).sum(axis=2)
    order = np.lexsort((places, squares), axis=1)
    places = np.take_along_axis(places, order, 1).astype(np.int32)
    squares = np.take_along_axis(squares, order, 1)
    distances = np.sqrt(squares).astype(np.float32)
    scales = np.maximum(distances[:, 3:6].mean(axis=1), 1e-10)
    scaled = scale_dist(distances, scales, places)
    pairs = sample_neighbors_pair(rows.astype(np.float32), scaled, places, N_NEIGHBORS)
    return {
        "n_rows": len(rows),
        "places": places,
        "squares": squares.astype(np.int64),
        "near": pairs[:, 1].reshape(len(rows), N_NEIGHBORS),
    }


def accuracy_of_others(places, labels):
    """The share of rows whose ten nearest others vote for their class."""
    nearest = NearestNeighbors(n_neighbors=10).fit(places).kneighbors(return_distance=False)
    votes = np.stack([np.bincount(labels[row], minlength=labels.max() + 1) for row in nearest])
    return (votes.argmax(axis=1) == labels).mean()


def quality(rows, labels, seed):
    """How good a map of all rows is, and one of the first with the others placed in it."""
    whole = PaCMAP(random_state=seed).fit_transform(rows)
    model = PaCMAP(random_state=seed, save_tree=True)
    known = model.fit_transform(rows[:N_TRAINED])
    placed = model.transform(rows[N_TRAINED:])
    judge = KNeighborsClassifier(n_neighbors=10).fit(known, labels[:N_TRAINED])
    return {
        "seed": seed,
        "trustworthiness_15": trustworthiness(rows, whole, n_neighbors=15),
        "accuracy_10": accuracy_of_others(whole, labels),
        "held_out_accuracy_10": judge.score(placed, labels[N_TRAINED:]),
    }


def main():
    """Writes all files of this topic."""
    logging.disable(logging.WARNING)
    output = command.parse(__doc__).output
    rows, labels = load_digits(return_X_y=True)
    document = {
        "reference": versions.reference("pacmap", "pacmap.PaCMAP(random_state=seed); scale_dist, sample_neighbors_pair of exact neighbours"),
        "data": data.describe("digits", rows, "sklearn.datasets.load_digits"),
        "n_trained": N_TRAINED,
        "near_pairs": near_pairs(rows[:N_PAIRED]),
        "quality": [quality(rows, labels, seed) for seed in SEEDS],
    }
    writing.write(output, "pacmap_digits.json", document)


if __name__ == "__main__":
    main()

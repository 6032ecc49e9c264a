"""Exact neighbours in one stated order, by (distance, index) and without the point itself, and a way to make scikit-learn use them.

Digits holds whole numbers, so that many distances are equal; which of two neighbours at equal distance a package takes is chance. With
this order there is nothing left to chance.
"""

from contextlib import contextmanager

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors


def nearest(queries, rows, count, same=False):
    """Indices and Euclidean distances of the nearest rows, by (distance, index); `same`: the queries are the rows, leave out self."""
    squared = cdist(queries, rows, "sqeuclidean")
    if same:
        np.fill_diagonal(squared, np.inf)
    order = np.argsort(squared, axis=1, kind="stable")[:, :count]
    return order, np.sqrt(np.take_along_axis(squared, order, axis=1))


def ties(rows, count):
    """How many rows have their last neighbour at the same distance, to rounding, as the next one."""
    distances = nearest(rows, rows, count + 1, same=True)[1]
    return int((distances[:, -1] <= distances[:, -2] * (1 + 1e-12)).sum())


class Ordered(NearestNeighbors):
    """scikit-learn's neighbour search with the order of `nearest`; among themselves, every row comes first in its own list."""

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """As scikit-learn's, for dense rows."""
        rows, count = self._fit_X, n_neighbors or self.n_neighbors
        if X is None:
            order, distances = nearest(rows, rows, count, same=True)
        elif X is rows or isinstance(X, NearestNeighbors):
            others, lengths = nearest(rows, rows, count - 1, same=True)
            order = np.column_stack([np.arange(len(rows)), others])
            distances = np.column_stack([np.zeros(len(rows)), lengths])
        else:
            order, distances = nearest(np.asarray(X), rows, count)
        return (distances, order) if return_distance else order


@contextmanager
def ordered(module):
    """Within it, a module of scikit-learn finds neighbours in the stated order."""
    before = module.NearestNeighbors
    module.NearestNeighbors = Ordered
    try:
        yield
    finally:
        module.NearestNeighbors = before

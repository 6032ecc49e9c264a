"""The small data sets that scikit-learn ships, and the marks by which a test knows that it holds the same data."""

import numpy as np
from sklearn import datasets


def small(name):
    """One of scikit-learn's own data sets as f64."""
    return getattr(datasets, f"load_{name}")().data.astype(np.float64)


def labelled(name):
    """One of scikit-learn's own data sets as f64, with its labels or targets."""
    found = getattr(datasets, f"load_{name}")()
    return found.data.astype(np.float64), found.target


def describe(name, data, source):
    """Name, shape and sums of a data set: equal sums say that a test compares the same numbers."""
    wide = data.astype(np.float64)
    return {
        "name": name,
        "source": source,
        "n_rows": data.shape[0],
        "n_columns": data.shape[1],
        "sum": wide.sum(),
        "sum_of_squares": np.square(wide).sum(),
    }


def without_constant_columns(data):
    """The data less its constant columns, and the indices of the columns kept."""
    kept = np.flatnonzero(data.max(axis=0) > data.min(axis=0))
    return data[:, kept], kept

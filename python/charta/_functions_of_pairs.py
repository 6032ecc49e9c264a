"""Distances and kernel values by a function of the user's, called for every pair of samples."""

import numpy as np


def dense(rows, function):
    """The samples as an array of double precision."""
    if rows.is_sparse:
        name = getattr(function, "__name__", "it")
        raise ValueError(f"a function of two samples needs dense samples, got sparse ones: {name} would see their zeros one by one")
    return np.array(rows.values, dtype=np.float64)


class Matrix:
    """A function of two samples that is known by its values for all pairs of two sets of samples."""

    def __init__(self, name, of_sets):
        self.__name__, self.of_sets = name, of_sets

    def __call__(self, one, other):
        return self.of_sets(one[None], other[None])[0, 0]


def among(function, rows, is_kernel):
    """The value for every pair of samples, which are the same both ways."""
    if isinstance(function, Matrix):
        values = np.array(function.of_sets(rows, rows), dtype=np.float64)
        if not is_kernel:
            np.fill_diagonal(values, 0.0)
        return (values + values.T) / 2
    n_rows = len(rows)
    values = np.zeros((n_rows, n_rows))
    for one in range(n_rows):
        # A sample has no distance from itself.
        for other in range(one if is_kernel else one + 1, n_rows):
            values[one, other] = values[other, one] = _value(function, rows[one], rows[other])
    return values


def between(function, rows, known):
    """The value for each sample and each of those known."""
    if isinstance(function, Matrix):
        return np.array(function.of_sets(rows, known), dtype=np.float64)
    values = np.zeros((len(rows), len(known)))
    for one, row in enumerate(rows):
        for other, with_this in enumerate(known):
            values[one, other] = _value(function, row, with_this)
    return values


def _value(function, one, other):
    value = function(one, other)
    try:
        return float(value)
    except (TypeError, ValueError):
        name = getattr(function, "__name__", repr(function))
        raise ValueError(f"the function {name} must return a number for two samples, got {value!r}") from None

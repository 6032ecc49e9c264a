"""Kernels of two sets of samples by the names and with the parameters that scikit-learn gives them."""

import numpy as np


def _inner(one, other):
    return np.asarray(one @ other.T)


def _each(function):
    """A kernel that is a sum over features, sample by sample, so that only one sample's differences are there at once."""

    def kernel(one, other, **parameters):
        values = np.empty((len(one), len(other)))
        for number, row in enumerate(one):
            values[number] = function(row, other)
        return values

    return kernel


def _polynomial(one, other, gamma=None, degree=3, coef0=1):
    return (_of_columns(gamma, one) * _inner(one, other) + coef0) ** degree


def _sigmoid(one, other, gamma=None, coef0=1):
    return np.tanh(_of_columns(gamma, one) * _inner(one, other) + coef0)


def _rbf(one, other, gamma=None):
    squares = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None] - 2 * _inner(one, other)
    np.maximum(squares, 0, out=squares)
    if one is other:
        np.fill_diagonal(squares, 0)
    return np.exp(-_of_columns(gamma, one) * squares)


def _laplacian(one, other, gamma=None):
    return np.exp(-_of_columns(gamma, one) * _each(lambda row, rows: np.abs(row - rows).sum(axis=1))(one, other))


def _cosine(one, other):
    def unit(rows):
        lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        return rows / np.where(lengths > 0, lengths, 1)

    return _inner(unit(one), unit(other))


def _chi_squared(row, rows):
    sums = row + rows
    return (np.divide((row - rows) ** 2, sums, out=np.zeros_like(rows), where=sums > 0)).sum(axis=1)


def _additive_chi2(one, other):
    for rows in (one, other):
        if (rows < 0).any():
            raise ValueError("the kernel chi2 needs features of at least 0: Negative values in data")
    return -_each(_chi_squared)(one, other)


def _chi2(one, other, gamma=1.0):
    return np.exp(gamma * _additive_chi2(one, other))


def _of_columns(gamma, rows):
    return 1 / rows.shape[1] if gamma is None else gamma


#: Kernels by name, and the parameters that each takes.
KERNELS = {
    "linear": (_inner, ()),
    "rbf": (_rbf, ("gamma",)),
    "poly": (_polynomial, ("gamma", "degree", "coef0")),
    "polynomial": (_polynomial, ("gamma", "degree", "coef0")),
    "sigmoid": (_sigmoid, ("gamma", "coef0")),
    "laplacian": (_laplacian, ("gamma",)),
    "cosine": (_cosine, ()),
    "chi2": (_chi2, ("gamma",)),
    "additive_chi2": (_additive_chi2, ()),
}


def kernel(name, one, other, **parameters):
    """The kernel of that name between two sets of samples; of the parameters those count that it has."""
    function, takes = KERNELS[name]
    return function(one, other, **{name: value for name, value in parameters.items() if name in takes})

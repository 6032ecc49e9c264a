"""Data sets that come with the engine, or are made by it."""

import numpy as np

from . import _charta
from ._input import random_seed


def data_set(name):
    """A data set by its name: (rows, labels), or (rows, None).

    >>> import charta
    >>> X, y = charta.data_set("iris")
    >>> X.shape
    (150, 4)
    """
    rows, labels, _ = _charta.data_set(name)
    if isinstance(labels, list):
        words = np.array(labels)
        try:
            labels = words.astype(int)
        except ValueError:
            labels = words
    return rows, labels


def _stored(name, title, shape):
    def made():
        return data_set(name)

    made.__doc__ = f"{title}: (rows, labels) of {shape[0]} rows and {shape[1]} columns."
    return made


def _generated(name, title, rows):
    def made(n_samples=rows, *, noise=0.0, random_state=None):
        if isinstance(n_samples, bool) or int(n_samples) != n_samples or n_samples < 1:
            raise ValueError(f"`n_samples` must be a whole number of at least 1, got {n_samples!r}")
        return data_set(f"{name}:{int(n_samples)},noise={noise},seed={random_seed(random_state)}")

    made.__doc__ = f"{title}: (rows, where each lies along the shape).\n\n`noise` is the standard deviation of what is added to every coordinate."
    return made


def _all():
    sets = {}
    for name, title, rows, columns, generated in _charta.data_sets():
        made = _generated(name, title, rows) if generated else _stored(name, title, (rows, columns))
        made.__name__ = made.__qualname__ = name.replace("-", "_")
        made.__module__ = "charta"
        sets[made.__name__] = made
    return sets


#: Functions by name.
DATA_SETS = _all()

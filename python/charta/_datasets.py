"""Built-in and generated data sets."""

import numpy as np

from . import _charta
from ._input import random_seed


def data_set(name):
    """Data set by name: (X, y), or (X, None) if it has no labels.

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

    made.__doc__ = f"{title}: (X, y) with {shape[0]} samples and {shape[1]} features."
    return made


def _generated(name, title, rows):
    def made(n_samples=rows, *, noise=0.0, random_state=None):
        if isinstance(n_samples, bool) or int(n_samples) != n_samples or n_samples < 1:
            raise ValueError(f"`n_samples` must be a whole number of at least 1, got {n_samples!r}")
        return data_set(f"{name}:{int(n_samples)},noise={noise},seed={random_seed(random_state)}")

    made.__doc__ = f"{title}: (X, t) with the position t of each sample along the shape.\n\n`noise` is the standard deviation of the Gaussian noise that is added to every feature."
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

"""Built-in and generated data sets."""

import numpy as np

from . import _charta
from ._input import random_seed


def data_set(name):
    """Data set by name: (X, y), or (X, None) if it has neither labels nor names.

    Of a data set of distances, X is the matrix of distances. Rows without labels have their names as y.

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

    made.__doc__ = f"{title}: (X, y) with X of shape ({shape[0]}, {shape[1]})."
    return made


def _generated(name, title, rows, parameters):
    def made(n_samples=rows, *, noise=None, random_state=None, **options):
        if isinstance(n_samples, bool) or int(n_samples) != n_samples or n_samples < 1:
            raise ValueError(f"`n_samples` must be a whole number of at least 1, got {n_samples!r}")
        for option in options:
            if option not in parameters:
                raise TypeError(f"{made.__name__}() has no parameter {option!r}")
        given = {"noise": noise, "seed": random_seed(random_state), **options}
        words = [f"{key}={value}" for key, value in given.items() if value is not None]
        return data_set(",".join([f"{name}:{int(n_samples)}", *words]))

    own = "".join(f"\n\n`{parameter}` is a parameter of this data set." for parameter in parameters)
    made.__doc__ = (
        f"{title}: (X, t) with the position t of each sample along the shape, or its class.\n\n"
        "`noise` is the standard deviation of the Gaussian noise that is added to every feature; by default that of the data set."
        f"{own}"
    )
    return made


def _all():
    sets = {}
    for name, title, rows, columns, generated, parameters in _charta.data_sets():
        made = _generated(name, title, rows, parameters) if generated else _stored(name, title, (rows, columns))
        made.__name__ = made.__qualname__ = name.replace("-", "_")
        made.__module__ = "charta"
        sets[made.__name__] = made
    return sets


#: Functions by name.
DATA_SETS = _all()

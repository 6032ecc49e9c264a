"""Quality measures, nearest neighbours and intrinsic dimension."""

import json

import numpy as np

from . import _charta, _names
from ._engine import plain_session
from ._functions_of_pairs import among, dense
from ._input import labels as _labels
from ._input import random_seed, table
from ._metrics import address_of


def _given(X, metric):
    rows = table(X, "this function")
    compiled = None if isinstance(metric, str) else address_of(metric)
    if compiled is not None:
        return rows, {"table": rows.values, "kind": "features", "function": compiled}
    if callable(metric):
        return rows, {"table": among(metric, dense(rows, metric), False), "kind": "distances"}
    kind = "distances" if metric == "precomputed" else "features"
    values = np.asarray(rows.values, dtype=np.float64) if kind == "distances" else rows.values
    return rows, {"table": values, "kind": kind}


def _options(metric, p=2.0, **others):
    named = isinstance(metric, str) and metric != "precomputed"
    options = {"metric": _names.VALUES["metric"].get(metric, metric) if named else "euclidean", "power": float(p), **others}
    return json.dumps(options)


def _map(embedding, n_rows):
    found = table(embedding, "the embedding")
    if found.n_rows != n_rows:
        raise ValueError(f"the embedding must have a row for each row of X: expected {n_rows}, got {found.n_rows}")
    return np.asarray(found.values, dtype=np.float64)


def trustworthiness(X, X_embedded, *, n_neighbors=5, metric="euclidean", n_jobs=None):
    """Trustworthiness: to what extent neighbours in the embedding are neighbours in the data. 1 if all are, about 0.5 for a random embedding.

    >>> import charta
    >>> X, _ = charta.iris()
    >>> charta.trustworthiness(X, charta.PCA(2).fit_transform(X)) > 0.97
    True
    """
    return _both(X, X_embedded, n_neighbors, metric, n_jobs)[0]


def continuity(X, X_embedded, *, n_neighbors=5, metric="euclidean", n_jobs=None):
    """Continuity: to what extent neighbours in the data are neighbours in the embedding."""
    return _both(X, X_embedded, n_neighbors, metric, n_jobs)[1]


def _both(X, X_embedded, n_neighbors, metric, n_jobs):
    rows, given = _given(X, metric)
    layout = _map(X_embedded, rows.n_rows)
    if callable(metric) or metric in ("euclidean", "precomputed"):
        return _charta.trustworthiness(given, layout, n_neighbors, plain_session(n_jobs))
    figures = _charta.quality_figures(given, layout, [n_neighbors], rows.n_rows, 0, _options(metric), plain_session(n_jobs))
    return float(figures["trustworthiness"][0]), float(figures["continuity"][0])


def metric_of_fit(model):
    """The metric that a model was fitted with, as keywords of :func:`quality_report`."""
    if model.source == "distances":
        return {"metric": "precomputed"}
    settings = json.loads(model.parameters)
    if "metric" not in settings:
        return {}
    return {"metric": settings["metric"], "p": settings.get("power", 2.0), "image_width": settings.get("image_width")}


class QualityReport(dict):
    """Quality measures by name, printed as a table."""

    def __repr__(self):
        lines = []
        for name, value in self.items():
            if isinstance(value, np.ndarray) and value.size <= 8:
                value = ", ".join(f"{number:.4g}" for number in value.ravel())
            if isinstance(value, float):
                value = f"{value:.4g}"
            if isinstance(value, (str, int)):
                lines.append(f"{name:<34} {value}")
        return "\n".join(lines)


def quality_report(X, X_embedded, *, labels=None, n_neighbors=None, metric="euclidean", p=2.0, image_width=None, sample=None, random_state=None, n_jobs=None):
    """Quality of an embedding: measures of neighbourhoods and distances, and of classes if there are labels, by name.

    Above 10,000 samples the measures are estimated from 2,000 of them, or from `sample`, with standard errors. ``of_rows`` has
    the measures of each sample. `image_width` is for ``metric="tangent"``: the width of the images in pixels.

    >>> import charta
    >>> X, y = charta.iris()
    >>> report = charta.quality_report(X, charta.PCA(2).fit_transform(X), labels=y)
    >>> float(report["trustworthiness"][0]) > 0.97
    True
    """
    rows, given = _given(X, metric)
    if labels is not None:
        given.update(_labels(labels, rows.n_rows, "the report", numbers=False)[0])
        if "numbers" in given:
            raise ValueError("`labels` must be classes, got numbers with fractions")
    counts = [] if n_neighbors is None else [int(count) for count in np.atleast_1d(n_neighbors)]
    sample = None if sample is None else int(sample)
    seed = random_seed(random_state)
    layout = _map(X_embedded, rows.n_rows)
    return QualityReport(_charta.quality_figures(given, layout, counts, sample, seed, _options(metric, p, image_width=image_width), plain_session(n_jobs)))


def intrinsic_dimension(X, *, n_neighbors=(10, 20), metric="euclidean", n_jobs=None):
    """Intrinsic dimension of the data, by several estimators: numbers by name.

    >>> import charta
    >>> X, _ = charta.swiss_roll(2000)
    >>> round(charta.intrinsic_dimension(X)["maximum_likelihood"])
    2
    """
    _, given = _given(X, metric)
    first, last = (n_neighbors, n_neighbors) if np.ndim(n_neighbors) == 0 else n_neighbors
    found = _charta.intrinsic_dimension(given, int(first), int(last), _options(metric), plain_session(n_jobs))
    return {name: dimension for name, dimension, _ in found if dimension is not None}


def nearest_neighbors(X, n_neighbors=15, *, metric="euclidean", p=2.0, search="auto", recall=0.98, random_state=None, n_jobs=None):
    """k nearest neighbours of every sample, itself excluded: (indices, distances), nearest first.

    >>> import charta
    >>> X, _ = charta.iris()
    >>> indices, distances = charta.nearest_neighbors(X, 5)
    >>> indices.shape
    (150, 5)
    """
    _, given = _given(X, metric)
    options = _options(metric, p, search=search, recall=float(recall), seed=random_seed(random_state))
    indices, distances, _ = _charta.nearest_neighbors(given, int(n_neighbors), options, plain_session(n_jobs))
    return indices, distances


def _of_class(name, stated):
    """A function that fits a class and returns some of its attributes."""

    def made(X, **parameters):
        from ._classes import CLASSES

        fitted = CLASSES[stated["class"]](**parameters).fit(X)
        return tuple(getattr(fitted, attribute) for attribute in stated["returns"])

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"{stated['document']}\n\nParameters are those of :class:`charta.{stated['class']}`."
    return made


#: Functions that the table of names has.
FUNCTIONS = {name: _of_class(name, stated) for name, stated in _names.FUNCTIONS.items()}

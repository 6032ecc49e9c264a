"""Metrics by the names and with the arguments that scipy knows, and graphs of neighbours in place of samples."""

import functools
import json

import numpy as np

from .. import _charta
from .._errors import shown
from .._functions_of_pairs import Matrix

#: The largest radius: within it all samples are neighbours.
EVERYTHING = float(np.finfo(np.float64).max)


class Measured:
    """Classes with a metric: any that scipy names, and arguments of metrics as `metric_params`."""

    def _metric_arguments(self):
        """The arguments of the metric besides `p`."""
        given = getattr(self, "metric_params", None)
        if given is None:
            return {}
        if not isinstance(given, dict):
            raise TypeError(f"`metric_params` must be a dict or None, got {shown(given)}")
        return dict(given)

    def _function(self):
        arguments = self._metric_arguments()
        metric = self.metric
        if callable(metric):
            return functools.partial(metric, **arguments) if arguments else metric
        if metric == "precomputed" or not isinstance(metric, str):
            return None
        if self._is_ours(metric) and not set(arguments) - {"p"}:
            return None
        if metric == "minkowski":
            arguments.setdefault("p", self.p)
        theirs = metric_of_scipy(metric, **arguments)
        if theirs is None:
            if arguments:
                raise ValueError(f"`metric_params` are for metrics of scipy, a function or p, and `metric` is {metric!r}: got {shown(arguments)}")
            return None
        return theirs

    def _is_ours(self, metric):
        kind = next(parameter["kind"] for parameter in self._parameters if parameter["name"] == "metric")
        words = [word for name, word, _ in self._class["values"] if name == "metric"]
        return metric in words or any(alternative.get("word") == metric for alternative in kind["alternatives"])

    def _instead(self):
        instead = super()._instead()
        return instead | {"metric"} if isinstance(self._function(), Matrix) else instead

    def _value(self, parameter, given, rows, labelled):
        if parameter["name"] == "p" and "p" in self._metric_arguments():
            given = self._metric_arguments()["p"]
        if parameter["ours"] == "radius" and given is not None and np.ndim(given) == 0 and given == np.inf:
            given = EVERYTHING
        return super()._value(parameter, given, rows, labelled)

    def _restored(self):
        super()._restored()
        if getattr(self, "radius", None) == EVERYTHING:
            self.radius = np.inf


def theirs_name(metric):
    """What scipy calls a metric."""
    return {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean"}.get(metric, metric)


def metric_of_scipy(metric, **arguments):
    """A metric that scipy has, as a function of two samples; None if it has none of this name."""
    theirs = _of_scipy(metric)
    if theirs is None:
        return None

    def distances(rows, others):
        try:
            return theirs(rows, others, metric=theirs_name(metric), **arguments)
        except TypeError as error:
            # scipy's message goes on with all the samples.
            raise no_arguments(metric, arguments, error) from None

    return Matrix(metric, distances)


def no_arguments(metric, arguments, error):
    """The error for arguments that a metric of scipy does not take."""
    return TypeError(f"{shown(arguments)} are no arguments of the metric {metric!r}: {shown(str(error).splitlines()[0])}")


def _of_scipy(metric):
    """scipy's distances between two sets of samples, if it has a metric of this name."""
    try:
        from scipy.spatial import distance
    except ImportError:
        return None
    if not callable(getattr(distance, theirs_name(metric), None)):
        return None
    return distance.cdist


class NeighborGraphs(Measured):
    """Classes that take a sparse matrix of the distances to some neighbours in place of all distances."""

    def _is_graph(self, rows):
        return rows.is_sparse and isinstance(self.metric, str) and self.metric == "precomputed"

    def _input(self, rows, new=False):
        if not self._is_graph(rows):
            return super()._input(rows, new)
        if new:
            return {"table": _missing_elsewhere(rows), "kind": "distances_to"}
        return neighbors_of(rows)

    def _settings(self, rows, labelled):
        method, settings = super()._settings(rows, labelled)
        if self._is_graph(rows):
            # Nothing is known of the distances between connected components.
            settings = json.dumps({**json.loads(settings), "disconnected": "error"})
        return method, settings


def neighbors_of(rows):
    """A sparse matrix of distances as the engine takes neighbours."""
    starts, columns, values, n_columns = rows.values
    if rows.n_rows != n_columns:
        raise ValueError(f"a graph of neighbours must have as many columns as samples, got shape {(rows.n_rows, n_columns)}")
    counts = np.diff(starts.astype(np.int64))
    shape = (rows.n_rows, max(int(counts.max(initial=0)), 1))
    indices, distances = np.full(shape, -1, np.int64), np.zeros(shape)
    where = np.arange(shape[1]) < counts[:, None]
    indices[where], distances[where] = columns, values
    return {"table": np.zeros((rows.n_rows, 1)), "kind": "neighbors", "neighbors": (indices, distances)}


def _missing_elsewhere(rows):
    """A dense matrix of distances, in which those that are not stored are missing."""
    starts, columns, values, n_columns = rows.values
    table = np.full((rows.n_rows, n_columns), np.nan)
    table[np.repeat(np.arange(rows.n_rows), np.diff(starts.astype(np.int64))), columns] = values
    return table


def searched(estimator, X):
    """scikit-learn's search for neighbours, fitted to the same samples: what its users know as `nbrs_`."""
    from sklearn.neighbors import NearestNeighbors

    settings = {name: getattr(estimator, name) for name in ("radius", "n_jobs") if getattr(estimator, name, None) is not None}
    return NearestNeighbors(n_neighbors=estimator.n_neighbors, metric=estimator.metric, p=estimator.p, **settings).fit(X)


def quiet_steps(estimator, given):
    """The matrices that the fit to this input went through, without its warnings."""
    model = estimator._model
    return _charta.steps(model.method, model.parameters, given, {"threads": None, "warn": lambda kind, message: None})[0]

"""Parameters of a metric, as a dictionary: of those that the engine does not have, distances are computed here."""

import functools

import numpy as np

from .._functions_of_pairs import dense
from .._metrics import by_covariance, covariance

#: Names of SciPy for names of other packages.
_NAMES = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}


class Distance:
    """A metric of SciPy with its parameters."""

    def __init__(self, metric, params):
        self.metric, self.params = _NAMES.get(metric, metric), dict(params)
        if self.metric == "mahalanobis" and "V" in self.params:
            self.params["VI"] = np.linalg.inv(self.params.pop("V")).T

    def between(self, rows, others=None):
        """The distances of all rows to the others, or among themselves."""
        from scipy.spatial.distance import cdist, pdist, squareform

        if others is None:
            return squareform(pdist(rows, self.metric, **self.params))
        return cdist(rows, others, self.metric, **self.params)

    def __call__(self, one, other):
        return self.between(one[None], other[None])[0, 0]


class MetricParams:
    """Classes with `metric` and a dictionary of its parameters."""

    #: The parameter that holds the dictionary.
    _dictionary = "metric_params"

    def _params(self):
        params = getattr(self, self._dictionary)
        if not isinstance(params, dict):
            return {}
        # The engine has the power of Minkowski's distance, and takes covariances.
        return {} if by_covariance(self.metric, params) or (self.metric == "minkowski" and set(params) == {"p"}) else params

    def _input(self, rows, new=False):
        given, params = super()._input(rows, new), getattr(self, self._dictionary)
        if not new and isinstance(params, dict) and by_covariance(self.metric, params):
            given["covariance"] = covariance(self.metric, params, rows.n_columns)
        return given

    def _function(self):
        params = self._params()
        if not params or self.metric == "precomputed":
            return super()._function()
        return functools.partial(self.metric, **params) if callable(self.metric) else Distance(self.metric, params)

    def _instead(self):
        return super()._instead() | ({"metric"} if self._params() else set())

    def _value(self, parameter, given, rows, labelled):
        params = getattr(self, self._dictionary)
        if parameter["ours"] == "power" and self.metric == "minkowski" and isinstance(params, dict) and "p" in params:
            given = params["p"]
        return super()._value(parameter, given, rows, labelled)

    def _compared(self, function, rows, new):
        if not isinstance(function, Distance) or (new and "_compared_with" not in self.__dict__):
            return super()._compared(function, rows, new)
        own = dense(rows, function.between)
        if new:
            return {"table": function.between(own, self._compared_with), "kind": "distances_to"}
        return {"table": function.between(own), "kind": "distances"}

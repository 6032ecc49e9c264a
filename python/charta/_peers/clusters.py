"""k-means as scikit-learn's users call it: initial centres as an array or by a function, a number of initializations that depends on them, scores."""

import numpy as np

from .._errors import warn_caller
from .._estimator import LEFT
from .._input import random_seed, row_weights, table


class KMeansMixin:
    """What `KMeans` has besides the interface of all clusterings."""

    def _fit(self, X, y, **beside):
        self._n_init = self._starts()
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn_caller("`algorithm` 'elkan' compares clusters, and there is one: Lloyd's algorithm is run", RuntimeWarning)
        if callable(self.init):
            return self._best(X, y, beside)
        if _is_array(self.init):
            if self.n_init not in ("auto", 1):
                warn_caller(f"`init` gives the initial centres: one initialization is run, not the {self.n_init} of `n_init`", RuntimeWarning)
            beside["initial_components"] = _centers(self.init)
        return super()._fit(X, y, **beside)

    def _best(self, X, y, beside):
        """The fit of the lowest inertia from the centres that a function gives, as often as it is asked."""
        draw = np.random.RandomState(random_seed(self.random_state))
        rows, best = None, None
        for _ in range(self._n_init):
            centers = _centers(self.init(X, self.n_clusters, random_state=draw))
            rows = super()._fit(X, y, **{**beside, "initial_components": centers})
            if best is None or self.inertia_ < best[0]:
                best = self.inertia_, self._model, self._kept
        _, self._model, self._kept = best
        return rows

    def _starts(self):
        """The number of initializations; k-means++ draws centres so well that by default it is run once."""
        if not isinstance(self.n_init, str) or self.n_init != "auto":
            return self.n_init
        return 10 if callable(self.init) or not _is_array(self.init) and self.init == "random" else 1

    def _value(self, parameter, given, rows, labelled):
        if parameter["name"] == "init" and (callable(given) or _is_array(given)):
            return LEFT
        if parameter["name"] == "n_init":
            given = 1 if _is_array(self.init) or callable(self.init) else self._starts()
        return super()._value(parameter, given, rows, labelled)

    def score(self, X, y=None, sample_weight=None):
        """Minus the sum of squared distances of the samples to the nearest centres, times their weights: higher is better."""
        rows = self._new_rows(X)
        with self._speaking():
            from .._engine import session

            nearest = self._model.transform(self._input(rows, new=True), session(self)).min(axis=1).astype(np.float64) ** 2
        weights = 1.0 if sample_weight is None else row_weights(sample_weight, X, type(self).__name__)
        if np.shape(weights) not in ((), (len(nearest),)):
            raise ValueError(f"`sample_weight` must have one number for each sample: expected {len(nearest)}, got {len(weights)}")
        return -float(np.sum(weights * nearest))


def _is_array(given):
    return not isinstance(given, str) and np.ndim(given) > 0


def _centers(given):
    values = table(given.toarray() if hasattr(given, "toarray") else given, "`init`").values
    return np.ascontiguousarray(values, dtype=np.float64)

"""Discriminant analysis as scikit-learn's users call it: covariances by an estimator of theirs, priors that are normalized."""

import copy

import numpy as np

from .._accepted import check
from .._errors import shown, warn_caller
from .._input import table

#: How far the sum of priors may be from 1 before they are divided by it with a warning.
ROUNDING = 1e-5


class DiscriminantMixin:
    """What `LinearDiscriminantAnalysis` has besides the interface of all classifiers."""

    def _fit(self, X, y, **beside):
        check("covariance_estimator", self.covariance_estimator, self._class["own"]["covariance_estimator"][1])
        if self.covariance_estimator is not None:
            if self.shrinkage is not None and self.shrinkage != "none":
                raise ValueError("`covariance_estimator` and `shrinkage` are both given: each says how covariances are estimated, so leave one of them out")
            beside["covariance"] = self._covariance_within(X, y)
        return super()._fit(X, y, **beside)

    def _covariance_within(self, X, y):
        """The mean of the classes' covariances by the estimator, weighted by the priors."""
        rows = table(X, type(self).__name__)
        if y is None or rows.is_sparse:
            what = "requires y to be passed, but the target y is None" if y is None else "needs dense rows with a `covariance_estimator`, got sparse ones"
            raise ValueError(f"This {type(self).__name__} estimator {what}.")
        given, _ = self._labels(y, rows)
        names, of_row = given["classes"]
        priors = self._priors()
        shares = np.bincount(of_row[of_row >= 0], minlength=len(names)) if priors is None or isinstance(priors, str) else np.asarray(priors, dtype=np.float64)
        if priors == "equal" or len(shares) != len(names):
            # A wrong number of priors is reported by the fit.
            shares = np.ones(len(names))
        within = np.zeros((rows.n_columns, rows.n_columns))
        for place, share in enumerate(shares / shares.sum()):
            # A copy: parameters stay as they were given.
            estimator = copy.deepcopy(self.covariance_estimator)
            estimator.fit(np.asarray(rows.values, dtype=np.float64)[of_row == place])
            if not hasattr(estimator, "covariance_"):
                raise ValueError(f"`covariance_estimator` must have the attribute `covariance_` after a fit, and {type(estimator).__name__} does not")
            within += share * np.asarray(estimator.covariance_, dtype=np.float64)
        return within

    def _priors(self):
        """The priors as they are given, divided by their sum."""
        priors = self.priors
        if priors is None or isinstance(priors, str):
            return priors
        values = np.asarray(priors, dtype=np.float64)
        if values.ndim != 1 or np.any(values < 0) or not 0 < values.sum() < np.inf:
            raise ValueError(f"`priors` must be finite numbers of at least 0, one for each class, and not all 0, got {shown(priors)}")
        return (values / values.sum()).tolist()

    def _value(self, parameter, given, rows, labelled):
        if parameter["name"] == "priors":
            given = self._priors()
            if given is not None and not isinstance(given, str) and abs(np.sum(self.priors) - 1) > ROUNDING:
                warn_caller(f"`priors` add up to {np.sum(self.priors):.6g}, not to 1: they are divided by that", UserWarning)
        return super()._value(parameter, given, rows, labelled)

    def _attribute(self, name):
        if name == "covariance" and self.solver == "svd" and not self.store_covariance:
            return None
        return super()._attribute(name)

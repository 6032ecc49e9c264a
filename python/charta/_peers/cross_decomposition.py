"""Partial least squares and canonical correlation as scikit-learn's users call them: scores of the fit, inverse transforms of both tables, coefficients."""

import numpy as np

from .._engine import session
from .._input import table
from .._roles import Targets


class Copies:
    """The parameter `copy` of methods, which changes nothing: input is never overwritten."""

    def transform(self, X, y=None, copy=True):
        """Scores of the features `X`, and of the targets `y` if given. Input is never overwritten, whatever `copy` says."""
        return super().transform(X, y)

    def predict(self, X, copy=True):
        """Predicts the targets from the features. Input is never overwritten, whatever `copy` says."""
        return super().predict(X)


class LatentMixin(Copies):
    """What both classes of partial least squares have besides the interface of all regressions."""

    def _remember(self, y, several):
        super()._remember(y, several)
        self._x_scores, self._y_scores = None, None
        if "_target_scale" in self.__dict__:
            self._x_scores = self._embedding()
            self._y_scores = self._scores_of_targets(y) if len(self._x_scores) == len(y) else None

    def _scores_of_targets(self, y):
        """Scores of the targets of the fit, which are deflated after each component."""
        mean, spread = self._target_scale
        rest = (np.asarray(y, dtype=np.float64).reshape(len(y), -1) - mean) / spread
        canonical = self._class["fixed"]["mode"] == "canonical"
        scores = np.empty((len(rest), self.y_weights_.shape[1]))
        for place, (weights, loadings) in enumerate(zip(self.y_weights_.T, self.y_loadings_.T)):
            length = weights @ weights
            scores[:, place] = rest @ weights / (length if length > 0 else 1)
            rest = rest - np.outer((scores if canonical else self._x_scores)[:, place], loadings)
        return scores

    def inverse_transform(self, X, y=None):
        """Reconstructs features from the scores `X`, and targets from the scores `y` if given."""
        features = super().inverse_transform(X)
        if y is None:
            return features
        if "_target_scale" not in self.__dict__:
            raise ValueError("targets are reconstructed after a fit to numbers in this process only: call inverse_transform(X) alone")
        mean, spread = self._target_scale
        return features, np.asarray(y, dtype=np.float64) @ self.y_loadings_.T * spread + mean


class RegressionMixin(LatentMixin):
    """Scores of the fit under the names of scikit-learn."""

    _computed = (*Targets._computed, "x_scores", "y_scores")

    def _attribute(self, name):
        if name in ("x_scores", "y_scores"):
            return self.__dict__.get(f"_{name}")
        return super()._attribute(name)


class CanonicalMixin(Copies):
    """What `CCA` has besides the interface of all methods of two views."""

    _computed = ("coef", "intercept")

    def inverse_transform(self, X, y=None):
        """Reconstructs the features of the first view from its scores `X`, and those of the second from `y` if given."""
        self._check_fitted()
        features = self._inverse_of_view(0, X, self.x_rotations_)
        return features if y is None else (features, self._inverse_of_view(1, y, self.y_rotations_))

    def _inverse_of_view(self, view, scores, rotations):
        # Some features that have these scores; the model then gives those that are expected of them.
        widths = [0, *np.cumsum(self._model.widths)]
        mean = np.asarray(self._model.figure("mean"))[widths[view] : widths[view + 1]]
        scores = np.asarray(table(scores, type(self).__name__).values, dtype=np.float64)
        some = mean + scores @ np.linalg.pinv(np.asarray(rotations, dtype=np.float64))
        with self._speaking():
            return self._model.predict_view(view, view, {"table": np.ascontiguousarray(some)}, session(self))

    def _attribute(self, name):
        if name not in ("coef", "intercept"):
            return super()._attribute(name)
        # What is predicted is linear in the features: evaluated at the mean and at each unit vector from there.
        n_columns = self.n_features_in_
        mean = np.asarray(self._model.figure("mean"))[:n_columns]
        steps = mean + np.eye(n_columns + 1, n_columns, k=-1)
        expected = self._model.predict_view(0, 1, {"table": steps}, session(self))
        return expected[0] if name == "intercept" else (expected[1:] - expected[0]).T

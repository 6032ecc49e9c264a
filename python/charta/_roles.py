"""Mixins for methods with an inverse transform, reconstruction errors, predictions, clusters, a neighbour graph, several views, partial fits or feature selection."""

from typing import NamedTuple

import numpy as np

from ._engine import session
from ._estimator import LEFT
from ._input import random_seed, table, warn_of_column
from ._output import wrapped


class Inverse:
    """Methods with an inverse transform."""

    def inverse_transform(self, X):
        """Reconstructs features from the coordinates `X`."""
        self._check_fitted()
        rows = table(X, type(self).__name__)
        if rows.is_sparse:
            raise ValueError("coordinates must be dense, got sparse rows")
        with self._speaking():
            return self._model.inverse_transform(np.asarray(rows.values, dtype=np.float64), rows.single, session(self))


class RowErrors:
    """Methods with reconstruction errors."""

    def row_errors(self, X):
        """Squared reconstruction error of every sample: a novelty score."""
        rows = self._new_rows(X)
        with self._speaking():
            return self._model.row_errors(self._input(rows, new=True), session(self))


class Continued:
    """Methods whose optimization can be continued."""

    def continue_fit(self, n_iter, exaggeration=None):
        """Runs `n_iter` further iterations of the optimization. Returns self."""
        self._check_fitted()
        with self._speaking():
            self._model = self._model.continued(n_iter, exaggeration, session(self))
        self._kept = type(self._kept)()
        return self


class Partial:
    """Methods that can be fitted in batches."""

    def partial_fit(self, X, y=None):
        """Updates the model with further samples; it is then that of all samples so far. Returns self."""
        rows = table(X, type(self).__name__)
        if "_model" not in self.__dict__:
            partial = self._begun(rows)
        elif "_partial" not in self.__dict__:
            raise ValueError(
                f"this {type(self).__name__} was copied or read from a file, and cannot be updated: call partial_fit of the object that was fitted"
            )
        elif rows.n_columns != self.n_features_in_:
            raise ValueError(f"X has {rows.n_columns} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input.")
        else:
            self._check_names(rows)
            partial = self._partial
        with self._speaking():
            model = partial.add({"table": rows.values}, session(self))
        if "_model" not in self.__dict__:
            self._learned(rows)
        self._partial, self._model, self._kept = partial, model, _fresh()
        return self

    def _begun(self, rows):
        from . import _charta

        with self._speaking():
            method, settings = self._settings(rows, False)
            return _charta.Partial(method, settings, rows.n_columns)

    def _fit(self, X, y):
        # By parts too, the first of which is the whole: more may follow.
        rows = table(X, type(self).__name__)
        partial, given = self._begun(rows), self._input(rows)
        with self._speaking():
            model = partial.add(given, session(self))
            embedding = model.transform(given, session(self))
        self._partial, self._model, self._kept = partial, model, _fresh()
        self._kept.values["embedding"] = embedding
        self._learned(rows)
        return rows

    def __getstate__(self):
        state = super().__getstate__()
        # What a fit under way has summed up stays in its process.
        state.pop("_partial", None)
        return state


def _fresh():
    from ._estimator import Kept

    return Kept()


class Likelihood:
    """Methods with a likelihood."""

    def score_samples(self, X):
        """Log-likelihood of every sample."""
        rows = self._new_rows(X)
        with self._speaking():
            return self._model.log_likelihoods(self._input(rows, new=True), session(self))

    def score(self, X, y=None):
        """Mean log-likelihood of the samples."""
        return float(np.mean(self.score_samples(X)))

    def get_covariance(self):
        """The covariance of the features under the model."""
        self._check_fitted()
        noise = self.noise_variance_
        axes = np.asarray(self.components_, dtype=np.float64)
        if np.ndim(noise) == 0:
            axes = axes * np.sqrt(np.maximum(self.explained_variance_ - noise, 0))[:, None]
        return axes.T @ axes + np.diag(np.broadcast_to(noise, self.n_features_in_))

    def get_precision(self):
        """The inverse of the covariance."""
        return np.linalg.inv(self.get_covariance())


class Sampling:
    """Methods that assume a distribution of the samples."""

    def sample(self, n_samples=1, random_state=None):
        """Draws `n_samples` new samples from the distribution of the model."""
        self._check_fitted()
        with self._speaking():
            return self._model.sample(_count(n_samples), random_seed(random_state), session(self))


def _count(n_samples):
    if isinstance(n_samples, (bool, np.bool_)) or not isinstance(n_samples, (int, np.integer)) or n_samples < 1:
        raise ValueError(f"`n_samples` must be a whole number of at least 1, got {n_samples!r}")
    return int(n_samples)


class OfClasses:
    """A method that is there unless the estimator was fitted to numbers."""

    def __init__(self, function):
        self.function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, estimator, owner=None):
        if estimator is None:
            return self.function
        numbers = estimator._entry["labels"] == "target" and "classes_" not in estimator.__dict__
        if numbers:
            raise AttributeError(f"{type(estimator).__name__!r} object has no attribute {self.name!r}: it was not fitted to classes")
        return self.function.__get__(estimator, owner)


class Predicting:
    """Methods that predict labels."""

    def _labels(self, y, rows):
        given, classes = super()._labels(y, rows)
        if self._entry["labels"] == "required" and "numbers" in given:
            raise ValueError("Unknown label type: continuous. Classes were expected, and y has numbers with fractions.")
        return given, classes

    def _predicted(self, X):
        rows = self._new_rows(X)
        with self._speaking():
            return self._model.predict(self._input(rows, new=True), session(self))

    def predict(self, X):
        """Predicts the label of each sample: a class, or one or several numbers."""
        predicted = self._predicted(X)
        if len(predicted) == 2:
            values = predicted[1]
            return values[:, 0] if self.__dict__.get("_one_target", values.shape[1] == 1) else values
        return self.classes_[predicted[1]]

    @OfClasses
    def predict_proba(self, X):
        """Probabilities of the classes, for each sample."""
        return self._predicted(X)[2]

    @OfClasses
    def predict_log_proba(self, X):
        """Log-probabilities of the classes, for each sample."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @OfClasses
    def decision_function(self, X):
        """Decision values of the classes, for each sample; their difference if there are two classes."""
        decisions = self._predicted(X)[3]
        return decisions[:, 1] - decisions[:, 0] if decisions.shape[1] == 2 else decisions

    def _attribute(self, name):
        linear = self._entry["family"] == "linear" and "classes_" in self.__dict__
        if name not in ("coef", "intercept") or not linear or self._entry["labels"] == "target":
            return super()._attribute(name)
        # Decision values are linear in the features: evaluated at zero and at each unit vector.
        steps = np.eye(self.n_features_in_ + 1, self.n_features_in_, k=-1)
        decisions = self._model.predict({"table": steps}, session(self))[3]
        if decisions.shape[1] == 2:
            decisions = decisions[:, 1:] - decisions[:, :1]
        return decisions[0] if name == "intercept" else (decisions[1:] - decisions[0]).T

    def score(self, X, y, sample_weight=None):
        """Accuracy for classes, R² for numbers."""
        predicted, y = self.predict(X), np.asarray(y)
        if len(y.shape) == 0 or len(y) != len(predicted):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{len(predicted)}, {y.shape[0] if y.shape else 1}]")
        if "classes_" in self.__dict__:
            if y.ndim == 2 and y.shape[1] == 1:
                warn_of_column()
                y = y[:, 0]
            return float(np.average(predicted == y, weights=sample_weight))
        y = y.reshape(predicted.shape).astype(np.float64)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        missed = np.average((y - predicted) ** 2, axis=0, weights=weights)
        spread = np.average((y - np.average(y, axis=0, weights=weights)) ** 2, axis=0, weights=weights)
        # A constant target: 1 if predicted exactly, else 0.
        shares = np.where(spread > 0, 1 - missed / np.where(spread > 0, spread, 1), np.where(missed > 0, 0.0, 1.0))
        return float(np.mean(shares))

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        if self._entry["labels"] == "target":
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
            tags.target_tags.single_output, tags.target_tags.multi_output = True, True
            return tags
        tags.classifier_tags = ClassifierTags()
        if self._entry["labels"] == "required":
            tags.estimator_type = "classifier"
        return tags


class Clustering:
    """Methods that find clusters."""

    @property
    def labels_(self):
        """The cluster of each sample of the fit, counted from 0; −1 for a sample that was left out."""
        if "_model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'labels_' before it is fitted")
        if "labels" not in self._kept.values:
            self._kept.values["labels"] = self._model.clusters()
        return self._kept.values["labels"]

    def predict(self, X):
        """The cluster of each sample, new ones or those of the fit."""
        rows = self._new_rows(X)
        with self._speaking():
            return self._model.predict(self._input(rows, new=True), session(self))

    def fit_predict(self, X, y=None):
        """Fits the model to `X` and returns the cluster of each sample."""
        return self.fit(X, y).labels_.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags


class ShortestPath(NamedTuple):
    """A shortest path along the neighbour graph between two samples."""

    #: The samples that it visits, both ends included.
    rows: np.ndarray
    #: Its length along the graph: the geodesic distance of its ends.
    length: float
    #: The distance of its ends in the input, by the metric of the graph.
    input_distance: float
    #: The distance of its ends in the embedding, by all coordinates.
    map_distance: float


class Graphed:
    """Methods that embed a neighbour graph."""

    def _fit_to(self, given, rows, labelled):
        super()._fit_to(given, rows, labelled)
        # Not a copy: the graph is made again of the samples when it is wanted.
        self._rows_of_fit = {name: given[name] for name in ("table", "kind", "neighbors") if name in given}

    def _graph_input(self, X):
        """The samples of the fit: those given, or those that the fit has seen."""
        self._check_fitted()
        if X is not None:
            rows = self._new_rows(X)
            return {name: value for name, value in self._input(rows).items() if name in ("table", "kind", "neighbors")}
        if "_rows_of_fit" not in self.__dict__:
            raise ValueError(f"this {type(self).__name__} was copied or read from a file and does not hold the samples of its fit: give them as `X`")
        return self._rows_of_fit

    def neighbor_graph(self, X=None):
        """The edges of the neighbour graph that was embedded: pairs of samples, and the length of each edge.

        `X` are the samples of the fit, needed only for an estimator that was copied or read from a file.
        """
        with self._speaking():
            return self._model.graph(self._graph_input(X), session(self))

    def shortest_path(self, a, b, X=None):
        """The shortest path between samples `a` and `b` along the neighbour graph: `rows`, `length` along the graph, `input_distance` and `map_distance` of the straight lines.

        `X` are the samples of the fit, needed only for an estimator that was copied or read from a file.
        """
        given = self._graph_input(X)
        n_rows = len(self.embedding_)
        for name, row in (("a", a), ("b", b)):
            if isinstance(row, bool) or not isinstance(row, (int, np.integer)) or not 0 <= row < n_rows:
                raise ValueError(f"`{name}` must be a sample from 0 to {n_rows - 1}, got {row!r}")
        with self._speaking():
            found = self._model.shortest_path(given, int(a), int(b), session(self))
        if found is None:
            raise ValueError(
                f"no path along the neighbour graph leads from sample {a} to sample {b}, which lie in different connected components: "
                "use more neighbours, or choose other samples"
            )
        rows, length, straight = found
        ends = np.asarray(self.embedding_, dtype=np.float64)[[a, b]]
        return ShortestPath(np.array(rows), length, straight, float(np.linalg.norm(ends[1] - ends[0])))

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("_rows_of_fit", None)
        return state


class Targets(Predicting):
    """Targets of one or several columns, which are a view of their own."""

    def fit_transform(self, X, y=None):
        """Fits the model and returns the scores of features and targets."""
        fitted = self.fit(X, y)
        return fitted.transform(X, y if "_target_scale" in self.__dict__ else None)

    def transform(self, X, y=None):
        """Scores of the features `X`, and of the targets `y` if given."""
        placed = super().transform(X)
        if y is None:
            return placed
        if "_target_scale" not in self.__dict__:
            raise ValueError("coordinates by targets need targets that are numbers, and a fit in this process: call transform(X) alone")
        mean, spread = self._target_scale
        targets = np.asarray(y, dtype=np.float64).reshape(len(placed), -1)
        if targets.shape[1] != len(mean):
            raise ValueError(f"y has {targets.shape[1]} columns, but {type(self).__name__} was fitted to {len(mean)} targets")
        return placed, ((targets - mean) / spread @ self.y_rotations_).astype(placed.dtype if hasattr(placed, "dtype") else np.float64)

    def _remember(self, y, several):
        """Mean of the targets."""
        targets = np.asarray(y)
        self.__dict__.pop("_target_scale", None)
        self._one_target = not several
        if targets.dtype.kind not in "biuf" or "classes_" in self.__dict__:
            return
        targets = targets.reshape(len(targets), -1).astype(np.float64)
        # Rows without a target were left out of the fit.
        targets = targets[~np.isnan(targets).any(axis=1)]
        spread = targets.std(axis=0, ddof=1) if self.scale and len(targets) > 1 else np.ones(targets.shape[1])
        self._target_scale = targets.mean(axis=0), np.where(spread == 0, 1, spread)

    def _fit(self, X, y):
        y = y if y is None or hasattr(y, "columns") else np.asarray(y)
        several = y is not None and len(y.shape) == 2 and getattr(y, "dtype", np.dtype(float)).kind in "biufO"
        if not several:
            rows = super()._fit(X, y)
            self._remember(y, several)
            return rows
        rows, targets = table(X, type(self).__name__), table(y, type(self).__name__)
        if rows.n_rows != targets.n_rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.n_rows}, {targets.n_rows}]")
        given = self._input(rows)
        given.pop("names", None)
        given["views"] = [targets.values]
        self._fit_to(given, rows, True)
        self._learned(rows)
        self._remember(y, several)
        return rows


class TwoViews:
    """Two views of the same rows, as `X` and `y`."""

    def _fit(self, X, y):
        name = type(self).__name__
        if y is None:
            raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None: the second view of the same rows.")
        y = np.asarray(y) if not hasattr(y, "columns") else y
        rows, other = table(X, name), table(y[:, None] if len(y.shape) == 1 else y, name)
        if rows.n_rows != other.n_rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.n_rows}, {other.n_rows}]")
        if rows.single != other.single:
            other.values = other.values.astype(np.float32 if rows.single else np.float64)
        self._fit_to({"table": rows.values, "views": [other.values]}, rows, True)
        self._learned(rows)
        self._one_column = len(y.shape) == 1
        return rows

    def fit_transform(self, X, y=None):
        """Fits the model and returns the scores of both views."""
        return self.fit(X, y).transform(X, y)

    def transform(self, X, y=None):
        """Scores of the first view, and of the second if given."""
        rows = self._new_rows(X)
        with self._speaking():
            first = self._model.transform_view(0, {"table": rows.values}, session(self))
        first = wrapped(self, first, rows.given)
        if y is None:
            return first
        y = y if hasattr(y, "columns") else np.asarray(y)
        other = table(y[:, None] if len(y.shape) == 1 else y, type(self).__name__)
        if other.n_rows != rows.n_rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.n_rows}, {other.n_rows}]")
        with self._speaking():
            return first, self._model.transform_view(1, {"table": other.values}, session(self))

    def predict(self, X):
        """Predicts the second view from the first."""
        rows = self._new_rows(X)
        with self._speaking():
            expected = self._model.predict_view(0, 1, {"table": rows.values}, session(self))
        return expected[:, 0] if self.__dict__.get("_one_column") else expected

    def score(self, X, y):
        """R² of the prediction of the second view, averaged over its columns."""
        expected = self.predict(X)
        y = np.asarray(y, dtype=np.float64).reshape(expected.shape)
        spread = ((y - y.mean(axis=0)) ** 2).sum(axis=0)
        return float(np.mean(1 - ((y - expected) ** 2).sum(axis=0) / np.where(spread > 0, spread, 1)))

    @property
    def _n_features_out(self):
        return self._model.n_components // 2

    def get_feature_names_out(self, input_features=None):
        """Names of the coordinates of either view."""
        return super().get_feature_names_out()[: self._model.n_components // 2]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        return tags


class ManyViews:
    """Several views of the same rows, as a list."""

    def _views(self, views):
        name = type(self).__name__
        if not isinstance(views, (list, tuple)) or len(views) < 2:
            raise ValueError(f"{name} takes a list of at least two views of the same rows, got {type(views).__name__}")
        tables = [table(view, name) for view in views]
        single = all(of.single for of in tables)
        for of in tables:
            if of.n_rows != tables[0].n_rows:
                raise ValueError(f"all views must have the same rows, got {[of.n_rows for of in tables]}")
            if not of.is_sparse:
                of.values = of.values.astype(np.float32 if single else np.float64, copy=False)
        return tables, {"table": tables[0].values, "views": [of.values for of in tables[1:]]}

    def _fit(self, X, y):
        tables, given = self._views(X)
        self._fit_to(given, tables[0], False)
        self._learned(tables[0])
        self.n_features_in_ = sum(of.n_columns for of in tables)
        return tables[0]

    def transform(self, X):
        """Scores of samples of which all views are given."""
        self._check_fitted()
        tables, given = self._views(X)
        with self._speaking():
            placed = self._model.transform(given, session(self))
        return wrapped(self, placed, tables[0].given)

    def transform_view(self, view, X):
        """Scores of one view, counted from 0."""
        self._check_fitted()
        rows = table(X, type(self).__name__)
        with self._speaking():
            return self._model.transform_view(view, {"table": rows.values}, session(self))

    def predict_view(self, view, X, to):
        """Predicts the features of view `to` from those of another view."""
        self._check_fitted()
        rows = table(X, type(self).__name__)
        with self._speaking():
            return self._model.predict_view(view, to, {"table": rows.values}, session(self))


class Selecting:
    """Feature selection."""

    def _fit(self, X, y):
        if not hasattr(self.estimator, "fit"):
            return super()._fit(X, y)
        from ._selection import CrossValidator

        rows = table(X, type(self).__name__)
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        validator = CrossValidator(self, rows, y)
        given, _ = self._labels(y, rows)
        given.update(self._input(rows), score=validator.score, splits=validator.splits)
        self._fit_to(given, rows, True)
        self._learned(rows)
        return rows

    def _value(self, parameter, given, rows, labelled):
        # A scikit-learn estimator, with its own scoring and splits.
        if hasattr(self.estimator, "fit") and parameter["name"] in ("estimator", "scoring", "cv"):
            return LEFT
        if parameter["name"] == "tol" and given is not None:
            if self.n_features_to_select != "auto":
                # A requested number is reached.
                return None
            # scikit-learn's tolerance is what the score must gain; ours, going backward, what the error may rise.
            return -given if self.direction == "backward" else given
        return super()._value(parameter, given, rows, labelled)

    def _wants_numbers(self, y):
        if hasattr(self.estimator, "fit"):
            from sklearn.base import is_regressor

            return is_regressor(self.estimator)
        return self.estimator in ("linear", "ridge") or super()._wants_numbers(y)

    def get_support(self, indices=False):
        """Selected features: a mask, or their indices."""
        self._check_fitted()
        places = np.sort(np.asarray(self._model.figure("selected_columns")).astype(int))
        if indices:
            return places
        mask = np.zeros(self.n_features_in_, bool)
        mask[places] = True
        return mask

    @property
    def support_(self):
        """Mask of the selected features."""
        if "_model" not in self.__dict__:
            raise AttributeError("support_")
        return self.get_support()

    def get_feature_names_out(self, input_features=None):
        """Names of the selected features."""
        self._check_fitted()
        known = self.__dict__.get("feature_names_in_")
        if input_features is None:
            names = known if known is not None else np.array([f"x{number}" for number in range(self.n_features_in_)], dtype=object)
        else:
            names = np.asarray(input_features, dtype=object)
            if known is not None and not np.array_equal(known, names):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(names) != self.n_features_in_:
                raise ValueError(f"input_features should have length equal to number of features ({self.n_features_in_}), got {len(names)}")
        return names[self.get_support()]

"""What multidimensional scaling has in scikit-learn besides parameters and figures."""

import json

import numpy as np

from .. import _charta
from .._engine import plain_session
from .._errors import warn_caller
from .measured import Measured


class Dissimilarities(Measured):
    """The distances between all samples, as the fit took them."""

    def _fit_to(self, given, rows, labelled):
        super()._fit_to(given, rows, labelled)
        self._given = given

    def _attribute(self, name):
        if name == "dissimilarity_matrix" and "_given" in self.__dict__:
            return self._dissimilarities()
        return super()._attribute(name)

    def _dissimilarities(self):
        given, single = self._given, self._model.single
        if given["kind"] == "distances":
            return given["table"]
        settings = json.loads(self._model.parameters)
        options = {"metric": settings["metric"], "power": settings["power"], "search": "exact", "recall": 1.0, "seed": 0}
        n_rows = self._model.figure("n_rows")
        indices, distances, _ = _charta.nearest_neighbors(given, n_rows - 1, json.dumps(options), plain_session(self.n_jobs))
        matrix = np.zeros((n_rows, n_rows), np.float32 if single else np.float64)
        np.put_along_axis(matrix, indices, distances, axis=1)
        return matrix

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("_given", None)
        return state


class MDS(Dissimilarities):
    """MDS: the deprecated ways to say what is given, initial coordinates, and the dissimilarities of the fit."""

    def _given_metric(self):
        """The metric, and whether the distances themselves are kept, with the parameters that stand for them until scikit-learn 1.10."""
        return ("euclidean", bool(self.metric)) if isinstance(self.metric, (bool, np.bool_)) else (self.metric, self.metric_mds)

    def _fit(self, X, y, init=None, **beside):
        if self.dissimilarity not in (None, "deprecated"):
            if not isinstance(self.metric, (bool, np.bool_)) and self.metric != "euclidean":
                raise ValueError(f"`dissimilarity` and `metric` are both given, got {self.dissimilarity!r} and {self.metric!r}: give only `metric`")
            warn_caller(f"`dissimilarity` is deprecated: say metric={self.dissimilarity!r}", FutureWarning)
        if isinstance(self.metric, (bool, np.bool_)):
            warn_caller(f"metric={self.metric} is deprecated: say metric_mds={self.metric}", FutureWarning)
        if init is not None:
            beside["initial_embedding"] = np.array(init, dtype=np.float64)
        metric, metric_mds = self.metric, self.metric_mds
        try:
            self.metric, self.metric_mds = self._given_metric()
            return super()._fit(X, y, **beside)
        finally:
            self.metric, self.metric_mds = metric, metric_mds

    def fit(self, X, y=None, init=None):
        """Fits the model to `X`, from the coordinates `init` if they are given. Returns self."""
        self._fit(X, y, init)
        return self

    def fit_transform(self, X, y=None, init=None):
        """Fits the model to `X`, from the coordinates `init` if they are given, and returns the embedding."""
        return self._embedding_of(self._fit(X, y, init))


class ClassicalMDS(Dissimilarities):
    """Classical MDS: metrics with arguments, and the dissimilarities of the fit."""

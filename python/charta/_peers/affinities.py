"""Affinities: words, matrices and functions that say what the graph of eigenmaps is, as in scikit-learn."""

import numpy as np

from .._accepted import check
from .._errors import warn_caller
from .._estimator import LEFT
from .._functions_of_pairs import among, between, dense
from .._input import Table, table
from .kernels import KERNELS, kernel
from .measured import EVERYTHING

#: Words that say that `X` is no table of samples.
GIVEN = ("precomputed", "precomputed_nearest_neighbors")


class Affinities:
    """Classes whose `affinity` may be an RBF kernel of all pairs of samples, a matrix that is given, or a function, besides a graph of neighbours."""

    #: Kernels besides `rbf` that are affinities.
    _kernels = ()

    def _is(self, *words):
        return isinstance(self.affinity, str) and self.affinity in words

    def _is_matrix(self):
        """True if the engine is given affinities in place of samples."""
        return callable(self.affinity) or self._is(*GIVEN, *self._kernels)

    def _settings(self, rows, labelled):
        if isinstance(self.affinity, np.ndarray) or self.affinity is None:
            raise ValueError(f"`affinity` must be a word or a function, got {self.affinity!r}")
        return super()._settings(rows, labelled)

    def _value(self, parameter, given, rows, labelled):
        name = parameter["name"]
        if name == "affinity":
            if self._is_matrix():
                return LEFT
            given = "heat" if self._is("rbf") else given
        elif self._is("rbf") and name in ("bandwidth", "radius"):
            return 1 / self._gamma(rows) if name == "bandwidth" else EVERYTHING
        elif name == "n_neighbors":
            if self._is("rbf") or (self._is_matrix() and not self._is(GIVEN[1])):
                # Not used with this affinity, and checked all the same.
                check(name, given, "int >= 1 or None")
                return LEFT
            if given is None:
                given = self._neighbors_of(rows.n_rows)
            given = super()._value(parameter, given, rows, labelled)
            if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
                if given < 2:
                    raise ValueError(f"`{name}` counts the sample itself, and must be at least 2, got {given}")
                return int(given) - 1
        elif name == "radius" and given is not None and np.ndim(given) == 0 and given == np.inf:
            given = EVERYTHING
        return super()._value(parameter, given, rows, labelled)

    def _restored(self):
        super()._restored()
        self.n_neighbors += 1
        if self._model.source == "affinities":
            self.affinity = "precomputed"
        elif self.radius == EVERYTHING and self.affinity == "heat":
            self.affinity, self.gamma, self.radius, self.bandwidth = "rbf", 1 / self.bandwidth, None, self._defaults["bandwidth"]
        elif self.affinity == "average":
            self.affinity = "nearest_neighbors"

    def _neighbors_of(self, n_rows):
        """Neighbours of a sample, itself included, where their number is left open: a tenth of the samples."""
        return max(int(n_rows) // 10, 2)

    def _gamma(self, rows):
        if self.gamma is None:
            return 1 / rows.n_columns
        if not self.gamma > 0:
            raise ValueError(f"`gamma` must be a number above 0 for the affinity 'rbf', got {self.gamma!r}")
        return self.gamma

    def _input(self, rows, new=False):
        if not self._is_matrix():
            return super()._input(rows, new)
        kind = "affinities_to" if new else "affinities"
        if self._is("precomputed"):
            matrix = rows
        elif self._is("precomputed_nearest_neighbors"):
            matrix = self._of_neighbors(rows, new)
        else:
            matrix = self._called(rows, new)
        if not new:
            self.__dict__["_matrix"] = matrix
        return {"table": _stored(matrix if new else _symmetric(matrix)), "kind": kind}

    def _of_neighbors(self, rows, new):
        """The graph of the nearest neighbours in a graph of neighbours with their distances, the mean of both directions."""
        from scipy import sparse

        if not rows.is_sparse:
            raise ValueError("`affinity='precomputed_nearest_neighbors'` takes a sparse graph of distances to neighbours, got a dense array")
        count = self.n_neighbors if self.n_neighbors is not None else self._neighbors_of(rows.n_rows)
        starts, columns, values, n_columns = rows.values
        starts = starts.astype(np.int64)
        counts = np.diff(starts)
        if counts.min() < count:
            raise ValueError(f"`n_neighbors` is {count}, and a sample of the graph has only {counts.min()} neighbours")
        # Nearest first within each sample; of equal distances the lower number.
        order = np.lexsort((columns, values, np.repeat(np.arange(rows.n_rows), counts)))
        nearest = columns[order][(starts[:-1, None] + np.arange(count)).ravel()]
        graph = sparse.csr_matrix(
            (np.ones(len(nearest)), nearest.astype(np.int32), np.arange(rows.n_rows + 1) * count), shape=(rows.n_rows, n_columns)
        )
        return table(graph if new else (graph + graph.T) * 0.5, type(self).__name__)

    def _called(self, rows, new):
        raise NotImplementedError

    def _learned(self, rows, classes=None):
        super()._learned(rows, classes)
        self.__dict__["_samples"] = None if self._is_matrix() else rows
        if not self._is_matrix():
            self.__dict__.pop("_matrix", None)

    def _attribute(self, name):
        if name == "affinity_matrix":
            return self._affinity_matrix()
        if name == "n_neighbors" and self._is("nearest_neighbors", GIVEN[1], "binary", "heat"):
            return self._neighbors_of(self._model.figure("n_rows")) if self.n_neighbors is None else self.n_neighbors
        if name == "gamma" and self._is("rbf", *self._kernels):
            return 1 / self.n_features_in_ if self.gamma is None else self.gamma
        return super()._attribute(name)

    def _affinity_matrix(self):
        if "_matrix" in self.__dict__:
            return _as_given(self._matrix)
        rows = self.__dict__.get("_samples")
        if rows is None:
            return None
        if self._is("rbf"):
            values = rows.given.toarray() if rows.is_sparse else rows.values
            values = np.asarray(values, dtype=np.float64)
            return kernel("rbf", values, values, gamma=self._gamma(rows)).astype(np.float32 if rows.single else np.float64)
        return self._neighbor_matrix(rows)

    def _neighbor_matrix(self, rows):
        """The graph of nearest neighbours, each sample its own too, as the mean of both directions."""
        from scipy import sparse

        from .._functions import nearest_neighbors

        if not self._is("nearest_neighbors") or self._is_of_distances():
            return None
        count = self._attribute("n_neighbors")
        options = {"metric": self.metric, "p": self.p, "search": self.search, "recall": self.recall, "random_state": self.random_state, "n_jobs": self.n_jobs}
        indices, _ = nearest_neighbors(rows.given, count - 1, **options)
        indices = np.concatenate([np.arange(len(indices))[:, None], indices], axis=1)
        graph = sparse.csr_matrix((np.ones(indices.size), indices.ravel(), np.arange(len(indices) + 1) * count), shape=(len(indices),) * 2)
        return (graph + graph.T) * 0.5

    def _is_of_distances(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _input_is_square(self):
        return self._is(*GIVEN) or super()._input_is_square()

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("_samples", None)
        return state


class SpectralEmbedding(Affinities):
    """Spectral embedding: a function of affinities is called with all samples at once."""

    def _called(self, rows, new):
        if new:
            raise ValueError("new samples cannot be embedded by a function of all samples of the fit: use affinity='rbf' or a matrix")
        return table(self.affinity(rows.given), "the matrix of `affinity`")


class SpectralClustering(Affinities):
    """Spectral clustering: affinities may be kernels by name, and functions of two samples."""

    _kernels = tuple(name for name in KERNELS if name != "rbf")

    def _settings(self, rows, labelled):
        if self._is("additive_chi2"):
            raise ValueError("the kernel additive_chi2 has values below 0 and cannot be an affinity: use chi2")
        return super()._settings(rows, labelled)

    def _called(self, rows, new):
        function = self.affinity
        values = dense(rows, function)
        if new and "_compared_with" not in self.__dict__:
            raise ValueError(f"this {type(self).__name__} was read from a file and does not hold the samples of its fit")
        known = self._compared_with if new else values
        if not new:
            self.__dict__["_compared_with"] = values
        if callable(function):
            parameters = self.kernel_params or {}

            def compared(one, other):
                return function(one, other, **parameters)

            matrix = between(compared, values, known) if new else among(compared, values, True)
        else:
            matrix = kernel(function, values, known, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        return Table(matrix, matrix.shape, None, matrix)

    def _learned(self, rows, classes=None):
        known = self.__dict__.get("_compared_with")
        super()._learned(rows, classes)
        if known is not None and (callable(self.affinity) or self._is(*self._kernels)):
            self.__dict__["_compared_with"] = known


def _symmetric(rows):
    """A matrix that is the same both ways: the mean of both, with a warning, where it is not."""
    if rows.n_rows != rows.n_columns:
        raise ValueError(f"an affinity matrix must have as many columns as samples, got shape {(rows.n_rows, rows.n_columns)}")
    matrix = _as_given(rows)
    apart = abs(matrix - matrix.T)
    if apart.max() <= 1e-10 * max(abs(matrix).max(), 1e-300):
        return rows
    warn_caller("the affinity matrix is not symmetric: the mean of both directions is used", UserWarning)
    mean = (matrix + matrix.T) / 2
    return table(mean, "the affinity matrix")


def _as_given(rows):
    if not rows.is_sparse:
        return rows.values
    from scipy import sparse

    starts, columns, values, n_columns = rows.values
    return sparse.csr_matrix((values, columns.astype(np.int32), starts.astype(np.int64)), shape=(rows.n_rows, n_columns))


def _stored(rows):
    """The entries of a matrix that are not zero, as the engine takes sparse rows."""
    if rows.is_sparse:
        starts, columns, values, n_columns = rows.values
        order = None
        if len(columns) > 1:
            of_row = np.repeat(np.arange(rows.n_rows), np.diff(starts.astype(np.int64)))
            order = np.lexsort((columns, of_row))
            columns, values = columns[order], values[order]
        return starts, columns, values.astype(np.float64), n_columns
    matrix = np.asarray(rows.values, dtype=np.float64)
    if np.isnan(matrix).any() or np.isinf(matrix).any():
        raise ValueError("the affinity matrix contains NaN or infinity")
    where = matrix != 0
    starts = np.concatenate([[0], np.cumsum(where.sum(axis=1))]).astype(np.uint64)
    return starts, np.nonzero(where)[1].astype(np.uint32), matrix[where], matrix.shape[1]

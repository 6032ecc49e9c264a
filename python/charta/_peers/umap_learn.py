"""What only UMAP has: parameters, attributes and calls of umap-learn."""

import functools
import json

import numpy as np

from .. import _charta
from .._engine import session
from .._errors import warn_caller
from .._input import table
from .._output import wrapped
from .metric_params import MetricParams

#: Distances with a largest value, and that value: samples so far apart have nothing in common.
_LARGEST = {"correlation": 2.0, "cosine": 2.0, "hellinger": 1.0, "jaccard": 1.0, "dice": 1.0}


class Umap(MetricParams):
    """UMAP with the conventions of umap-learn."""

    _dictionary = "metric_kwds"

    def fit(self, X, y=None):
        """Fits the model to `X`; labels `y` bring samples with the same label together, -1 or NaN is no label. Returns self."""
        self._fit(X, y)
        return self

    def fit_transform(self, X, y=None):
        """Fits the model to `X` and returns the embedding; with `output_dens` also the logarithms of the local radii in the data and in the embedding."""
        rows = self._fit(X, y)
        # Not the array that is kept: the caller may change his own.
        embedding = wrapped(self, self._embedding().copy(), rows.given)
        return (embedding, self.rad_orig_, self.rad_emb_) if self.output_dens else embedding

    def _fit(self, X, y):
        if isinstance(self.n_jobs, int) and self.n_jobs < -1:
            raise ValueError(f"`n_jobs` must be at least 1, or -1 for all cores, got {self.n_jobs}")
        rows = table(X, type(self).__name__)
        if y is not None:
            count = y.shape[0] if hasattr(y, "shape") else len(y)
            if count != rows.n_rows:
                raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.n_rows}, {count}]")
        for name in ("_distinct", "_sample_of", "_places"):
            self.__dict__.pop(name, None)
        if not self.unique:
            return super()._fit(X, y)
        if self.metric == "precomputed" or self._knn(rows) is not None:
            raise ValueError("`unique` needs samples: distances and neighbours say nothing of equal ones")
        self._distinct, self._sample_of = _distinct(rows)
        super()._fit(_chosen(X, self._distinct), None if y is None else np.asarray(y)[self._distinct])
        return rows

    def _settings(self, rows, labelled):
        method, settings = super()._settings(rows, labelled)
        settings = json.loads(settings)
        if self.disconnection_distance is None and isinstance(self.metric, str) and self.metric in _LARGEST:
            settings["disconnection_distance"] = _LARGEST[self.metric]
        if self.output_dens and not self.densmap:
            # The radii are reported and not preserved, in as many epochs as without them.
            settings.update(densmap=True, dens_lambda=0.0)
            if settings.get("n_epochs") is None:
                settings["n_epochs"] = 500 if rows.n_rows <= 10_000 else 200
        if self.unique and "_distinct" in self.__dict__ and settings["n_neighbors"] > rows.n_rows:
            settings["n_neighbors"] = max(2, rows.n_rows)
        self._used = settings
        return method, json.dumps(settings)

    def _value(self, parameter, given, rows, labelled):
        if parameter["name"] == "target_n_neighbors" and given == -1:
            return None
        if parameter["name"] == "n_components" and isinstance(given, float) and given.is_integer():
            given = int(given)
        return super()._value(parameter, given, rows, labelled)

    def _function(self):
        function = super()._function()
        return _without_gradient(function) if callable(self.metric) and function is not None else function

    def _input(self, rows, new=False):
        given = super()._input(rows, new)
        if new:
            return given
        knn = self._knn(rows)
        if knn is not None:
            given["neighbors"] = knn
        if "_distinct" in self.__dict__ and "initial_embedding" in given:
            given["initial_embedding"] = np.ascontiguousarray(given["initial_embedding"][self._distinct])
        return given

    def _knn(self, rows):
        """The neighbours of `precomputed_knn` as the engine takes them; nothing if there are none, or if they do not suit."""
        given = self.precomputed_knn
        if given is None or given[0] is None:
            return None
        indices, distances = given[0], given[1]
        for name, array in (("indices", indices), ("distances", distances)):
            if not isinstance(array, np.ndarray) or array.ndim != 2:
                raise ValueError(f"`precomputed_knn` must be arrays of indices and of distances, got {type(array).__name__} as {name}")
        if indices.shape != distances.shape:
            raise ValueError(f"the indices and the distances of `precomputed_knn` must have one shape, got {indices.shape} and {distances.shape}")
        if indices.shape[1] < self.n_neighbors:
            warn_caller(f"`precomputed_knn` has {indices.shape[1]} neighbours, fewer than `n_neighbors`: it is not used", UserWarning)
            return None
        if len(indices) != rows.n_rows:
            warn_caller(f"`precomputed_knn` has {len(indices)} samples and X has {rows.n_rows}: it is not used", UserWarning)
            return None
        # The sample itself is one of the neighbours counted.
        kept = slice(0, self.n_neighbors)
        return np.ascontiguousarray(indices[:, kept], dtype=np.int64), np.ascontiguousarray(distances[:, kept], dtype=np.float64)

    def _fit_to(self, given, rows, labelled):
        super()._fit_to(given, rows, labelled)
        # Not a copy: the graph is made again of the samples when it is wanted.
        self._given_to_fit, self._supervised = (given, json.dumps(self._used)), labelled

    @property
    def graph_(self):
        """The fuzzy graph that was embedded, a sparse matrix: symmetric, with weights from 0 to 1."""
        if "_combined" in self.__dict__:
            return self._combined
        if "_model" not in self.__dict__:
            raise AttributeError("graph_")
        kept = self._kept.values
        if "graph" not in kept:
            if "_given_to_fit" not in self.__dict__:
                raise AttributeError("graph_: this UMAP was copied or read from a file and does not hold the samples of its fit")
            from scipy.sparse import csr_matrix

            given, settings = self._given_to_fit
            with self._speaking():
                starts, columns, weights = _charta.fuzzy_graph(settings, given, {**session(self), "listener": None})
            n_rows = len(starts) - 1
            kept["graph"] = csr_matrix((weights, columns.astype(np.int32), starts.astype(np.int32)), shape=(n_rows, n_rows))
        return kept["graph"]

    def _embedding(self):
        if "_places" not in self.__dict__:
            places = super()._embedding()
            if self._used.get("disconnection_distance") is not None and "_given_to_fit" in self.__dict__:
                places = self._without_lonely(places)
            self._places = places[self._sample_of] if "_sample_of" in self.__dict__ else places
        return self._places

    def _without_lonely(self, places):
        """Coordinates, of which those of samples without any neighbour are NaN."""
        if self._model.figure("n_connected_components") == 1:
            return places
        lonely = np.asarray(self.graph_.sum(axis=1)).ravel() == 0
        if lonely.any():
            some = "A few" if lonely.mean() < 0.1 else "A large number"
            distance = self._used["disconnection_distance"]
            warn_caller(
                f"{some} of your vertices ({lonely.sum()} of {len(lonely)} samples) have no neighbour closer than {distance:g}: their coordinates are NaN. "
                "A larger `disconnection_distance` connects them.",
                UserWarning,
            )
            places = places.copy()
            places[lonely] = np.nan
        return places

    def _of_all(self, values):
        """Numbers of distinct samples, as those of all."""
        return values[self._sample_of] if "_sample_of" in self.__dict__ else values

    @property
    def rad_orig_(self):
        """The logarithms of the local radii in the data, with `densmap` or `output_dens`."""
        return self._radii("log_radii", "rad_orig_")

    @property
    def rad_emb_(self):
        """The logarithms of the local radii in the embedding, with `densmap` or `output_dens`."""
        return self._radii("embedded_log_radii", "rad_emb_")

    def _radii(self, figure, name):
        values = self._model.figure(figure) if "_model" in self.__dict__ else None
        if values is None:
            raise AttributeError(f"{name}: only after a fit with densmap=True or output_dens=True")
        return self._of_all(np.asarray(values)).astype(np.float32)

    def update(self, X):
        """Adds the samples of `X` to those of the fit: the embedding is optimized again from where it was, the new samples from where `transform` embeds
        them. Returns self."""
        new = self._new_rows(X)
        if "_given_to_fit" not in self.__dict__:
            raise ValueError("this UMAP was copied or read from a file and does not hold the samples of its fit: fit it to all samples")
        given = self._given_to_fit[0]
        if given.get("kind") != "features" or callable(self.metric):
            raise ValueError("update needs samples, and the fit was to distances: fit it to all samples")
        if self._supervised:
            raise ValueError("update needs labels of the new samples, which it does not take: fit it to all samples")
        placed = np.asarray(type(self).transform(self, X), dtype=np.float64)
        own = super()._embedding()
        known = given["table"]
        if isinstance(known, tuple):
            from scipy.sparse import csr_matrix, vstack

            known = csr_matrix((known[2], known[1], known[0]), shape=(len(known[0]) - 1, known[3]))
            rows = vstack([known, csr_matrix(new.given)]).tocsr()
        else:
            rows = np.concatenate([known, np.asarray(new.values, dtype=known.dtype)])
        names = {"names": given["names"]} if "names" in given else {}
        everything = table(rows, type(self).__name__)
        everything.names = names.get("names")
        for name in ("_distinct", "_sample_of", "_places"):
            self.__dict__.pop(name, None)
        start = np.ascontiguousarray(np.concatenate([own, placed]), dtype=np.float64)
        self._fit_to({"table": everything.values, "kind": "features", **names, "initial_embedding": start}, everything, False)
        self._learned(everything)
        return self

    def __mul__(self, other):
        """The map of both fits to the same samples: samples are neighbours if they are so in both."""
        return self._with(other, lambda own, its: _known(own, its) * _known(its, own))

    def __add__(self, other):
        """The map of both fits to the same samples: samples are neighbours if they are so in one of them."""
        return self._with(other, lambda own, its: own + its - own * its)

    def __sub__(self, other):
        """The map of what the other fit to the same samples does not explain: samples are neighbours if they are so here and not there."""
        return self._with(other, lambda own, its: _known(own, its) * (1 - its))

    def _with(self, other, combine):
        if not isinstance(other, Umap):
            return NotImplemented
        own, its = self.graph_, other.graph_
        if own.shape != its.shape:
            raise ValueError(f"both models must be fitted to the same samples, and they have {own.shape[0]} and {its.shape[0]}")
        combined = _of_pairs(own, its, combine)
        # Every sample's strongest edge is certain again, in one direction or the other.
        strongest = combined.max(axis=1).toarray().ravel()
        scaled = combined.multiply(1 / np.where(strongest > 0, strongest, 1)[:, None]).tocsr()
        graph = (scaled + scaled.T - scaled.multiply(scaled.T)).tocsr().astype(np.float32)
        graph.eliminate_zeros()
        graph.sort_indices()
        made = type(self)(**self.get_params(deep=False))
        parts = (graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.data)
        start = np.nan_to_num(np.asarray(self.embedding_, dtype=np.float64))
        if len(start) != graph.shape[0]:
            raise ValueError("models with `unique` cannot be combined: fit them to distinct samples")
        settings = {name: value for name, value in self._used.items() if name not in ("densmap", "parametric", "supervised")}
        with self._speaking():
            made.embedding_ = _charta.embed_fuzzy_graph(json.dumps(settings), parts, np.ascontiguousarray(start), session(self))
        made._combined, made._used = graph, self._used
        return made

    def get_feature_names_out(self, input_features=None):
        """Names of the coordinates, as umap-learn has them: umap0, umap1 …"""
        self._check_fitted()
        return np.array([f"umap{place}" for place in range(self._n_features_out)], dtype=object)

    @property
    def _a(self):
        return self._figure_of_fit("a")

    @property
    def _b(self):
        return self._figure_of_fit("b")

    @property
    def _n_neighbors(self):
        self._check_fitted()
        return min(self._used["n_neighbors"], len(super()._embedding()))

    @property
    def _unique_inverse_(self):
        return self._sample_of

    def _figure_of_fit(self, name):
        self._check_fitted()
        return self._model.figure(name)

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("_given_to_fit", None)
        return state


def _known(weights, others):
    """Weights in which edges that only the other graph has are weaker than all, and not 0."""
    least = max(weights[weights > 0].min(initial=1.0) / 2, 1e-8)
    return np.where((weights == 0) & (others > 0), least, weights)


def _of_pairs(own, its, combine):
    """The graph of all edges of two graphs, with the weight that is made of both; both give 0 to an edge they do not have."""
    from scipy.sparse import csr_matrix

    edges = ((own != 0) + (its != 0)).tocoo()
    weights = [np.asarray(graph[edges.row, edges.col], dtype=np.float64).ravel() for graph in (own, its)]
    return csr_matrix((combine(*weights), (edges.row, edges.col)), shape=own.shape)


def _without_gradient(function):
    """A distance of two samples, of a function that may give its gradient too."""

    @functools.wraps(function)
    def distance(one, other):
        value = function(one, other)
        return value[0] if isinstance(value, tuple) else value

    return distance


def _distinct(rows):
    """The first sample of every kind, and the number of each sample's kind among them."""
    if rows.is_sparse:
        starts, columns, values, _ = rows.values
        # What is 0 is 0, stored or not.
        keys = [
            (columns[a:b][values[a:b] != 0].tobytes(), (values[a:b][values[a:b] != 0]).tobytes())
            for a, b in zip(starts[:-1].astype(np.int64), starts[1:].astype(np.int64))
        ]
    else:
        # -0 is 0.
        keys = [row.tobytes() for row in np.ascontiguousarray(rows.values + 0.0)]
    numbers, distinct, of_sample = {}, [], np.empty(len(keys), dtype=np.int64)
    for sample, key in enumerate(keys):
        if key not in numbers:
            numbers[key] = len(distinct)
            distinct.append(sample)
        of_sample[sample] = numbers[key]
    return np.array(distinct), of_sample


def _chosen(X, samples):
    """Some samples, in the container of all."""
    if hasattr(X, "tocsr"):
        return X.tocsr()[samples]
    if hasattr(X, "iloc"):
        return X.iloc[samples]
    return np.asarray(X)[samples]

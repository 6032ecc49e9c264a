"""Aligned maps: slices of data that share samples, each embedded so that shared samples stay near their places."""

import json

import numpy as np

from . import _charta
from ._classes import CLASSES
from ._errors import not_fitted
from ._input import table

#: Parameters of the alignment: the name here, that of the engine, the default.
ALIGNMENT = {
    "alignment_regularisation": ("alignment_regularization", 0.01),
    "alignment_window_size": ("alignment_window_size", 3),
}


class Aligned:
    """Embeds a sequence of slices, such as the days of a series, so that samples which slices share stay near their places.

    The first slice is embedded by `estimator` alone; each later one starts at the places that its samples have in the slices before it, and is
    pulled towards them. Earlier maps stay as they are, so that slices can be added with :meth:`update` at any time.

    Parameters
    ----------
    estimator
        An estimator that takes anchors, such as ``charta.UMAP()``, ``charta.TSNE()`` or ``charta.PaCMAP()``. It is copied for every slice.
        A parameter given as a list has a value for each slice.
    alignment_regularisation
        Strength of the pull towards the places in earlier slices, relative to the attraction by neighbours. Larger values keep samples in
        place, smaller ones let every slice have the map that suits it best; usually 0.001 to 0.1.
    alignment_window_size
        Number of earlier slices that count. More make slow changes smoother; usually 1 to 5.

    Attributes
    ----------
    embeddings_
        The map of each slice.
    mappers_
        The fitted estimator of each slice: `mappers_[i].transform` places new samples on its map.
    dict_relations_
        The relations, as given: a dictionary from the samples of a slice to those of the next.

    Examples
    --------
    >>> import charta
    >>> X, y = charta.digits()
    >>> slices = [X[:800], X[400:1200], X[800:1600]]
    >>> relations = [{i + 400: i for i in range(400)}] * 2
    >>> aligned = charta.Aligned(charta.UMAP(), alignment_window_size=2).fit(slices, relations=relations)
    >>> [embedding.shape for embedding in aligned.embeddings_]
    [(800, 2), (800, 2), (800, 2)]
    """

    def __init__(self, estimator, *, alignment_regularisation=0.01, alignment_window_size=3):
        self.estimator = estimator
        self.alignment_regularisation = alignment_regularisation
        self.alignment_window_size = alignment_window_size

    def get_params(self, deep=True):
        """The parameters by name; with `deep`, those of the estimator too."""
        values = {"estimator": self.estimator, **{name: getattr(self, name) for name in ALIGNMENT}}
        if deep:
            values.update({f"estimator__{name}": value for name, value in self.estimator.get_params().items()})
        return values

    def set_params(self, **params):
        """Sets parameters by name; `estimator__name` reaches into the estimator."""
        for name, value in params.items():
            outer, _, inner = name.partition("__")
            if outer == "estimator" and inner:
                self.estimator.set_params(**{inner: value})
            elif name in ("estimator", *ALIGNMENT):
                setattr(self, name, value)
            else:
                raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}. Valid parameters are: {sorted(self.get_params())!r}.")
        return self

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.get_params(deep=False).items())})"

    def fit(self, X, y=None, *, relations=None):
        """Fits maps to the slices `X`, a list; with labels `y`, a list too, for supervised maps.

        `relations` has, for each slice but the last, a dictionary from the positions of its samples to those of the same samples in the next slice;
        without it, slices are data frames whose indices name the samples. Returns self.
        """
        if not isinstance(X, (list, tuple)) or not X:
            raise TypeError(f"{type(self).__name__} takes a list of slices, got {type(X).__name__}")
        if y is not None and len(y) != len(X):
            raise ValueError(f"`y` must have labels for each of the {len(X)} slices, got {len(y)}")
        if relations is not None and len(relations) != len(X) - 1:
            raise ValueError(f"`relations` must have {len(X) - 1} dictionaries for {len(X)} slices, from each to the next, got {len(relations)}")
        self.mappers_, self.embeddings_, self.dict_relations_, self._index = [], [], [], None
        self._slices = len(X)
        try:
            for number, rows in enumerate(X):
                relation = None if relations is None or number == 0 else relations[number - 1]
                self._add(rows, None if y is None else y[number], relation)
        except BaseException:
            # No half of a sequence.
            del self.mappers_, self.embeddings_, self.dict_relations_
            raise
        return self

    def fit_transform(self, X, y=None, *, relations=None):
        """Fits maps to the slices and returns the list of them."""
        return self.fit(X, y, relations=relations).embeddings_

    def update(self, X, y=None, *, relations=None, **params):
        """Adds the slice `X`; `relations` is the dictionary from the last slice to it. The maps of earlier slices stay as they are. Further parameters are those of
        the estimator for this slice alone.
        """
        if "mappers_" not in self.__dict__:
            raise not_fitted(self)
        self._slices = None
        self._add(X, y, relations, params)
        return self

    @property
    def n_models_(self):
        """Number of slices."""
        return len(self.mappers_)

    def _add(self, X, y, relation, params=None):
        number = len(self.mappers_)
        estimator = self._estimator_of(number).set_params(**params or {})
        index = getattr(X, "index", None) if hasattr(X, "iloc") else None
        if number:
            if relation is None:
                relation = _of_index(self._index, index)
            n_rows = table(X, type(self).__name__).n_rows
            self._check_takes_anchors(estimator)
            estimator._also_given = {"anchors": self._anchors([*self.dict_relations_, relation], n_rows)}
        estimator.fit(X, y)
        # An array of the precision of the samples, as the estimator has it.
        embedding = np.array(estimator._embedding())
        if number:
            self.dict_relations_.append(dict(_pairs(relation)))
        self.mappers_.append(estimator)
        self.embeddings_.append(embedding)
        self._index = index

    def _estimator_of(self, number):
        values = self.estimator.get_params(deep=False)
        defaults = type(self.estimator)._defaults
        for name, value in values.items():
            if isinstance(value, list) and not isinstance(defaults.get(name), (list, tuple)) and defaults.get(name, LEFT) is not LEFT:
                if self._slices is not None and len(value) != self._slices:
                    raise ValueError(f"`{name}` must be one value, or a list of one for each of the {self._slices} slices, got {len(value)}")
                values[name] = value[min(number, len(value) - 1)]
        return type(self.estimator)(**values)

    def _check_takes_anchors(self, estimator):
        if "anchors" not in estimator._entry["takes"]:
            able = sorted(name for name in CLASSES if "anchors" in CLASSES[name]._entry["takes"])
            raise ValueError(f"{type(estimator).__name__} has no map that can be aligned: `estimator` must be one of {', '.join(able)}")

    def _anchors(self, relations, n_rows):
        counts = [len(embedding) for embedding in self.embeddings_[1:]] + [n_rows]
        related = [(_pairs(relation), count) for relation, count in zip(relations, counts)]
        embeddings = [np.asarray(embedding, dtype=np.float64) for embedding in self.embeddings_]
        settings = {ours: getattr(self, name) for name, (ours, _) in ALIGNMENT.items()}
        from ._engine import speaking

        with speaking({ours: name for name, (ours, _) in ALIGNMENT.items()}, []):
            return _charta.slice_anchors(embeddings, related, json.dumps(settings))


#: A parameter that has no default.
LEFT = object()


def _pairs(relation):
    """Pairs of positions, from a dictionary or an array of two columns."""
    if hasattr(relation, "items"):
        pairs = list(relation.items())
    else:
        pairs = np.asarray(relation)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise TypeError(f"a relation must be a dictionary, or pairs of positions in two columns, got {type(relation).__name__}")
        pairs = pairs.tolist()
    whole = all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 0 for pair in pairs for value in pair)
    if not whole:
        raise ValueError("a relation must lead from positions of samples to positions: whole numbers of at least 0")
    return [(int(earlier), int(later)) for earlier, later in pairs]


def _of_index(earlier, later):
    """The samples that two data frames share, by their indices."""
    if earlier is None or later is None:
        raise ValueError("`relations` must be given unless all slices are data frames, whose indices name the samples")
    if not earlier.is_unique or not later.is_unique:
        raise ValueError("the indices of data frames must name each sample once, or `relations` must be given")
    place = {name: number for number, name in enumerate(earlier)}
    return {place[name]: number for number, name in enumerate(later) if name in place}


def _class_of(name):
    """The class `Aligned…` whose parameters are those of the class `name` and of the alignment."""
    inner = CLASSES[name]

    def __init__(self, *args, **params):
        for parameter, (_, default) in ALIGNMENT.items():
            setattr(self, parameter, params.pop(parameter, default))
        self.estimator = inner(*args, **params)

    def get_params(self, deep=True):
        """The parameters by name."""
        return {**self.estimator.get_params(deep=deep), **{name: getattr(self, name) for name in ALIGNMENT}}

    def set_params(self, **params):
        """Sets parameters by name."""
        for parameter in ALIGNMENT:
            if parameter in params:
                setattr(self, parameter, params.pop(parameter))
        self.estimator.set_params(**params)
        return self

    def __repr__(self):
        changed = [f"{name}={getattr(self, name)!r}" for name, (_, default) in ALIGNMENT.items() if getattr(self, name) != default]
        given = repr(self.estimator)[len(name) + 1 : -1]
        return f"Aligned{name}({', '.join([given] * bool(given) + changed)})"

    def __getattr__(self, parameter):
        # What the estimator is set to.
        if not parameter.startswith("_") and "estimator" in self.__dict__ and parameter in self.estimator.get_params(deep=False):
            return getattr(self.estimator, parameter)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {parameter!r}")

    title = inner._entry["title"]
    body = {method.__name__: method for method in (__init__, get_params, set_params, __repr__, __getattr__)}
    body["__doc__"] = (
        f"{title} of a sequence of slices, such as the days of a series, in which shared samples stay near their places.\n\n"
        f"Takes the parameters of :class:`charta.{name}`, each as one value or as a list of one for every slice, and `alignment_regularisation` and\n"
        "`alignment_window_size`: see :class:`charta.Aligned`, which has the same methods and attributes.\n"
    )
    body["__module__"] = "charta"
    return type(f"Aligned{name}", (Aligned,), body)


def made(name):
    """The class of this name."""
    return Aligned if name == "Aligned" else _class_of(name[len("Aligned") :])

"""Base class of all estimators: scikit-learn's interface around the engine."""

import inspect
import json

import numpy as np

from ._accepted import check
from ._engine import Model, session, speaking
from ._errors import not_fitted, warn_caller
from ._functions_of_pairs import among, between, dense
from ._input import labels, listed, random_seed, table, unlisted_far
from ._metrics import address_of
from ._output import wrapped

#: Parameters that every class has besides its method's own: default, type, help.
COMMON = {
    "n_jobs": (None, "int or None", "Number of threads; None or -1 for all cores. The result does not depend on it."),
    "verbose": (False, "bool or int", "Show progress on standard error."),
    "callback": (None, "callable or None", "Called with (step, loss, layout) during the optimization; it stops early if the callback returns true."),
    "memory_limit": (None, "int, str or None", "Maximum memory of a fit, in bytes or as a size such as '2GB': a fit that needs more is refused before it starts."),
}
#: A parameter that is left to the engine's default.
LEFT = object()


class Kept:
    """Cache of fitted attributes."""

    def __init__(self):
        self.values = {}


class Estimator:
    """A method with scikit-learn's interface. The classes are made from the registry of the engine."""

    #: Facts of the method and of the class, from the registry.
    _entry, _class, _defaults, _parameters = {}, {}, {}, ()

    @classmethod
    def _get_param_names(cls):
        names, variable = set(), False
        # A class of the user's may have a constructor of its own.
        for parameter in list(inspect.signature(cls.__init__).parameters.values())[1:]:
            variable |= parameter.kind is parameter.VAR_KEYWORD
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                names.add(parameter.name)
        return sorted(names | set(cls._defaults) if variable else names)

    def get_params(self, deep=True):
        """The parameters by name; with `deep`, those of an estimator among them too."""
        values = {name: getattr(self, name) for name in self._get_param_names()}
        if deep:
            for name, value in list(values.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    values.update({f"{name}__{inner}": given for inner, given in value.get_params().items()})
        return values

    def set_params(self, **params):
        """Sets parameters by name; `estimator__name` reaches into an estimator among them."""
        nested = {}
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in self._get_param_names() or (inner and not hasattr(getattr(self, name), "set_params")):
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {self._get_param_names()!r}.")
            if inner:
                nested.setdefault(name, {})[inner] = value
            else:
                setattr(self, name, value)
        for name, given in nested.items():
            getattr(self, name).set_params(**given)
        return self

    def __repr__(self, N_CHAR_MAX=700):
        changed = (f"{name}={getattr(self, name)!r}" for name, default in self._defaults.items() if _differs(getattr(self, name, default), default))
        return f"{type(self).__name__}({', '.join(changed)})"[:N_CHAR_MAX]

    def _method(self):
        """The name of the method, which a parameter may choose, and the names of its parameters."""
        variants = self._class["variants"]
        if variants is None:
            return self._entry["name"], {parameter["ours"] for parameter in self._parameters}
        given = getattr(self, variants["name"])
        methods = variants["methods"]
        if given not in methods:
            words = ", ".join(f"'{word}'" for word in methods)
            raise ValueError(f"`{variants['name']}` must be one of {words}, got {given!r}")
        from ._classes import method

        return methods[given], {parameter["name"] for parameter in method(methods[given])["parameters"]}

    def _settings(self, rows, labelled):
        """The method's name, and its parameters as JSON in its own words."""
        method, known = self._method()
        for name, word in self._class["refused"].items():
            given = getattr(self, name)
            nothing = given is None or given is False or isinstance(given, (dict, tuple, list)) and not any(item is not None for item in given)
            if not nothing and _differs(given, word):
                raise ValueError(f"{type(self).__name__} does not take `{name}`, got {given!r}")
        settings = dict(self._class["fixed"])
        for parameter in self._parameters:
            name, ours = parameter["name"], parameter["ours"]
            if ours in known and name not in self._instead() and not (ours == "init" and _is_table(getattr(self, name))):
                value = self._value(parameter, getattr(self, name), rows, labelled)
                if value is None and parameter["kind"]["type"] != "optional":
                    raise ValueError(f"`{name}` must be {parameter['values']}, got None")
                if value is not LEFT:
                    settings[ours] = value
        for name, (_, rule, _) in self._class["taken"].items():
            check(name, getattr(self, name), rule)
        for name, (default, rule) in self._class["ignored"].items():
            check(name, getattr(self, name), rule)
            if name in known and _differs(getattr(self, name), default):
                settings[name] = _plain(getattr(self, name))
        if settings.get("metric") == "minkowski" and settings.get("power") in (1, 2):
            # These have names of their own, and faster searches.
            settings["metric"] = "manhattan" if settings["power"] == 1 else "euclidean"
        return method, json.dumps(settings)

    def _instead(self):
        """Parameters whose words say what the rows are, not how they are compared; or that are functions, which the engine does not call."""
        given = {name: getattr(self, name, None) for name in ("metric", "distance", "kernel")}
        return {name for name, value in given.items() if _is_function(value) or (isinstance(value, str) and value == "precomputed")}

    def _function(self):
        """The function that compares samples in place of the engine's metrics or kernels, if one is given."""
        takes = self._entry["takes"]
        for name in ("metric", "distance", "kernel"):
            value = getattr(self, name, None)
            if not _is_function(value) or (name != "kernel" and address_of(value) is not None):
                continue
            if ("kernel" if name == "kernel" else "distances") not in takes:
                what = "a kernel matrix" if name == "kernel" else "distances"
                raise ValueError(f"`{name}` of {type(self).__name__} cannot be a function: the method needs features, and does not take {what} in their place")
            return value
        return None

    def _compiled(self):
        """The address of a compiled metric, for the engine, if one is given."""
        given = (getattr(self, name, None) for name in ("metric", "distance"))
        addresses = (address_of(value) for value in given if _is_function(value))
        return {"function": address for address in addresses if address is not None}

    def _initial(self, rows):
        """What an array in place of an initialization is called in the engine, and the array; nothing if a word names the initialization."""
        name = next((parameter["name"] for parameter in self._parameters if parameter["ours"] == "init"), None)
        given = getattr(self, name) if name else None
        if not _is_table(given):
            return {}
        takes = self._entry["takes"]
        kind = next((kind for kind in ("initial_embedding", "initial_components") if kind in takes), None)
        if kind is None:
            raise ValueError(f"`{name}` of {type(self).__name__} cannot be an array")
        values = table(given, f"`{name}` of {type(self).__name__}").values
        if isinstance(values, tuple):
            raise ValueError(f"`{name}` must be dense, got a sparse array")
        return {kind: np.asarray(values, dtype=np.float64)}

    def _value(self, parameter, given, rows, labelled):
        if np.ndim(given) > 1:
            raise ValueError(f"`{parameter['name']}` must be {parameter['values']}, got an array of shape {np.shape(given)}")
        given = _plain(given)
        for name, theirs, ours in self._class["values"]:
            if name == parameter["name"] and theirs == given and type(theirs) is type(given):
                given = ours
                break
        if parameter["ours"] == "seed":
            return random_seed(getattr(self, parameter["name"]))
        if parameter["ours"] == "n_components" and given is None:
            # As many as the rows allow.
            return min(rows.n_rows, rows.n_columns)
        if parameter["ours"] == "supervised" and given is None:
            return labelled
        return given

    def _words(self):
        """Names of the class for names of the engine, in messages."""
        words = {parameter["ours"]: parameter["name"] for parameter in self._parameters}
        return {**words, self._entry["name"]: type(self).__name__}

    def fit(self, X, y=None):
        """Fits the model to `X`, with labels `y` for supervised methods. Returns self."""
        self._fit(X, y)
        return self

    def fit_transform(self, X, y=None):
        """Fits the model to `X` and returns the embedding."""
        rows = self._fit(X, y)
        # Not the array that is kept: the caller may change his own.
        own = self._model.embedding()
        return wrapped(self, self._embedding().copy() if own is None else own, rows.given)

    def _fit(self, X, y):
        rows = table(X, type(self).__name__)
        given, classes = self._input(rows), None
        use = self._entry["labels"]
        if y is not None and use != "ignored":
            given_labels, classes = self._labels(y, rows)
            given.update(given_labels)
        elif use == "required" or use == "target":
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        self._fit_to(given, rows, y is not None)
        self._learned(rows, classes)
        return rows

    def _fit_to(self, given, rows, labelled):
        with self._speaking():
            method, settings = self._settings(rows, labelled)
            # What is given besides the samples by who fits for the user, such as anchors of aligned maps.
            given = {**given, **self.__dict__.pop("_also_given", {})}
            model = Model.fit(method, settings, given, session(self))
        self._model, self._kept = model, Kept()

    def _speaking(self):
        takes = self._entry["takes"]
        given = [(name, "precomputed", None) for name in ("metric", "distance") if "distances" in takes]
        given += [("kernel", "precomputed", None)] * ("kernel" in takes)
        return speaking(self._words(), [*self._class["values"], *given])

    def _learned(self, rows, classes=None):
        for name in ("feature_names_in_", "classes_", "_compared_with"):
            self.__dict__.pop(name, None)
        function = self._function()
        if function is not None:
            self._compared_with = dense(rows, function)
        self.n_features_in_ = rows.n_columns
        if rows.names is not None:
            self.feature_names_in_ = np.array(rows.names, dtype=object)
        if classes is not None and hasattr(type(self), "predict"):
            self.classes_ = classes

    def _input(self, rows, new=False):
        """What the engine is given: rows, what they are, and for a fit, where it starts."""
        given = self._rows(rows, new)
        return given if new else {**given, **self._initial(rows)}

    def _rows(self, rows, new):
        kind = "features"
        dissimilarity = getattr(self, "dissimilarity", None)
        if dissimilarity not in (None, "euclidean", "precomputed", "deprecated"):
            raise ValueError(f"`dissimilarity` must be 'euclidean' or 'precomputed', got {dissimilarity!r}: other distances are named by `metric`")
        if getattr(self, "kernel", None) == "precomputed":
            kind = "kernel"
        elif "precomputed" in (getattr(self, name, None) for name in ("metric", "distance", "dissimilarity")):
            kind = "distances"
        function = self._function()
        if function is not None:
            return self._compared(function, rows, new)
        if kind == "distances" and rows.is_sparse and "neighbors" in self._entry["takes"]:
            return {"table": unlisted_far(rows), "kind": "distances_to"} if new else {"kind": "neighbors", **listed(rows, type(self).__name__)}
        given = {**self._compiled(), "table": rows.values, "kind": kind if not new or kind == "features" else f"{kind}_to"}
        if kind != "features":
            given["table"] = _square(rows)
        elif rows.names is not None:
            given["names"] = rows.names
        return given

    def _compared(self, function, rows, new):
        """Samples by the values of a function: among each other, or with those of the fit."""
        is_kernel = callable(getattr(self, "kernel", None))
        kind = "kernel" if is_kernel else "distances"
        if not new:
            return {"table": among(function, dense(rows, function), is_kernel), "kind": kind}
        if "_compared_with" not in self.__dict__:
            raise ValueError(
                f"this {type(self).__name__} was read from a file and does not hold the samples of its fit: set the parameter to 'precomputed', "
                f"and give {'kernel values' if is_kernel else 'distances'} to them"
            )
        own = dense(rows, function)
        given = {"table": between(function, own, self._compared_with), "kind": f"{kind}_to"}
        if is_kernel:
            given["own_kernel"] = np.array([function(row, row) for row in own], dtype=np.float64)
        return given

    def _labels(self, y, rows):
        use = self._entry["labels"]
        given, classes = labels(y, rows.n_rows, type(self).__name__, numbers=use == "target" or self._wants_numbers(y))
        if use == "optional" and classes is not None and classes.dtype.kind == "i" and len(classes) and classes[0] == -1:
            # -1 marks samples without a label, as in scikit-learn and umap-learn.
            names, of_row = given["classes"]
            given, classes = {"classes": (names[1:], of_row - 1)}, classes[1:]
        return given, classes

    def _wants_numbers(self, y):
        """True if labels are regression targets: by the parameter, or because they are floats with many distinct values."""
        theirs = [parameter["name"] for parameter in self._parameters if parameter["ours"] in ("target", "target_metric")]
        if not theirs:
            return False
        target = getattr(self, theirs[0])
        target = next((ours for name, word, ours in self._class["values"] if name == theirs[0] and word == target), target)
        if target != "auto":
            return target in ("numbers", "ordinal", "count")
        values = np.asarray(y)
        return values.dtype.kind == "f" and len(np.unique(values)) > max(20, len(values) // 20)

    def transform(self, X):
        """Embeds the samples of `X`, new ones (out-of-sample) or those of the fit."""
        rows = self._new_rows(X)
        with self._speaking():
            coordinates = self._model.transform(self._input(rows, new=True), session(self))
        return wrapped(self, coordinates, rows.given)

    def _new_rows(self, X):
        self._check_fitted()
        rows = table(X, type(self).__name__)
        self._check_names(rows)
        if rows.n_columns != self.n_features_in_:
            raise ValueError(f"X has {rows.n_columns} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input.")
        return rows

    def _check_names(self, rows):
        known = self.__dict__.get("feature_names_in_")
        if known is None and rows.names is None:
            return
        name = type(self).__name__
        if known is None:
            warn_caller(f"X has feature names, but {name} was fitted without feature names", UserWarning)
            rows.names = None
        elif rows.names is None:
            warn_caller(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning)
        elif list(known) != rows.names:
            raise ValueError(_names_differ(list(known), rows.names))

    def _check_fitted(self):
        if "_model" not in self.__dict__:
            raise not_fitted(self)

    def _embedding(self):
        if "embedding" not in self._kept.values:
            self._kept.values["embedding"] = self._model.embedding()
        return self._kept.values["embedding"]

    def plan(self, X, y=None):
        """Algorithm and predicted memory of a fit, without running it: the algorithm, bytes by purpose, and advice."""
        from . import _charta

        rows = table(X, type(self).__name__)
        given = self._input(rows)
        with self._speaking():
            method, settings = self._settings(rows, y is not None)
            algorithm, memory, advice = _charta.plan(method, settings, given)
        return {"algorithm": algorithm, "memory": dict(memory), "bytes": sum(size for _, size in memory), "advice": advice.worded(self._words(), [])}

    def steps(self, X, y=None):
        """The matrices that a fit to `X` goes through, by name, for methods that give them: the weights W and the matrix M of LLE,
        the geodesic distances D of Isomap, the covariance of PCA. ``formulas`` of the result says what each is; ``rows`` which
        samples they are about, if the fit leaves out some.

        >>> import charta
        >>> X, _ = charta.iris()
        >>> charta.PCA().steps(X)["covariance"].shape
        (4, 4)
        """
        from . import _charta

        rows = table(X, type(self).__name__)
        given = self._input(rows)
        if y is not None and self._entry["labels"] != "ignored":
            given.update(self._labels(y, rows)[0])
        with self._speaking():
            method, settings = self._settings(rows, y is not None)
            return Steps(*_charta.steps(method, settings, given, session(self)))

    def quality(self, X, labels=None, **options):
        """Quality of the embedding of the samples of the fit: see :func:`charta.quality_report`. Distances in the data are those
        of the fit unless `metric` says otherwise."""
        from ._functions import metric_of_fit, quality_report

        self._check_fitted()
        if "metric" not in options:
            function = self._function()
            # A kernel says nothing of distances.
            own = {} if function is None or callable(getattr(self, "kernel", None)) else {"metric": function}
            options = {**(metric_of_fit(self._model) if function is None else own), **options}
        return quality_report(X, self.embedding_, labels=labels, **options)

    def save(self, path):
        """Writes the model file, which the command line and Rust read too."""
        from ._charta import write_file

        self._check_fitted()
        write_file(path, self._model.to_bytes())

    def __getattr__(self, name):
        if name.startswith("_") or not name.endswith("_") or "_model" not in self.__dict__:
            kind = type(self).__name__
            hint = " before it is fitted" if name.endswith("_") and not name.startswith("_") else ""
            raise AttributeError(f"{kind!r} object has no attribute {name!r}{hint}")
        kept = self.__dict__["_kept"].values
        if name not in kept:
            kept[name] = self._attribute(name[:-1])
        if kept[name] is None:
            known = ", ".join(f"{figure}_" for figure in self._model.figure_names())
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}; its method reports {known}")
        return kept[name]

    def _attribute(self, name):
        """A fitted attribute, its name without the last underscore; None if there is none."""
        if name == "embedding":
            return self._embedding()
        figure = self._figure(name)
        value = self._model.figure(figure["figure"])
        if value is None and name == "components":
            value = self._model.axes()
        if value is None:
            return None
        if "view" in figure:
            value = self._of_view(value, figure["view"])
        if figure.get("transpose"):
            value = value.T
        if isinstance(value, np.ndarray) and self._model.single:
            value = value.astype(np.float32)
        return value

    def _of_view(self, value, view):
        """The block of a table that belongs to one view: its components, and its columns."""
        widths = [0, *np.cumsum(self._model.widths)]
        count = len(value) // len(self._model.widths)
        return value[view * count : (view + 1) * count, widths[view] : widths[view + 1]]

    def _figure(self, name):
        """The figure of the engine that an attribute is, with what is to be done to it."""
        for attribute, figure, values in self._class["attributes_if"]:
            if attribute == name and all(getattr(self, parameter) in among for parameter, among in values.items()):
                return {"figure": figure}
        figure = self._class["attributes"].get(name, name)
        return {"figure": figure} if isinstance(figure, str) else figure

    def _attributes(self):
        names = {*self._class["attributes"], *self._model.figure_names(), "embedding"}
        return sorted(f"{name}_" for name in names if self._attribute(name) is not None)

    def __dir__(self):
        names = list(super().__dir__())
        return sorted({*names, *self._attributes()}) if "_model" in self.__dict__ else names

    @property
    def _n_features_out(self):
        return self._model.n_components

    def get_feature_names_out(self, input_features=None):
        """Names of the coordinates."""
        self._check_fitted()
        return np.array(self._model.component_names, dtype=object)

    def __getstate__(self):
        if "_model" in self.__dict__:
            # Models whose `transform` does not need it do not keep it in their file.
            self._embedding()
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__.update(state)

    def set_output(self, *, transform=None):
        """Makes `transform` give "pandas" or "polars" frames, or arrays by "default"."""
        if transform is not None:
            if transform not in ("default", "pandas", "polars"):
                raise ValueError(f"output must be 'default', 'pandas' or 'polars', got {transform!r}")
            self._sklearn_output_config = {"transform": transform}
        return self

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        entry = self._entry
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=entry["labels"] in ("required", "target")),
            transformer_tags=TransformerTags(preserves_dtype=["float64", "float32"]),
            classifier_tags=None,
            regressor_tags=None,
            input_tags=InputTags(
                sparse="sparse" in entry["takes"],
                positive_only="nonnegative" in entry["takes"],
                allow_nan=getattr(self, "missing", None) == "em",
                pairwise=self._input_is_square(),
            ),
        )

    def _input_is_square(self):
        given = (getattr(self, name, None) for name in ("metric", "distance", "dissimilarity", "kernel"))
        return any(isinstance(value, str) and value == "precomputed" for value in given)

    def get_metadata_routing(self):
        """Metadata that the methods of the estimator take: none."""
        from sklearn.utils.metadata_routing import MetadataRequest

        return MetadataRequest(owner=type(self).__name__)

    def _repr_mimebundle_(self, **kwargs):
        """The picture of the estimator in notebooks, as scikit-learn draws it."""
        try:
            from sklearn.utils import estimator_html_repr
        except ImportError:
            return {"text/plain": repr(self)}
        return {"text/plain": repr(self), "text/html": estimator_html_repr(self)}


class Steps(dict):
    """Matrices of a fit by name, in the order in which it computes them."""

    def __init__(self, matrices, formulas, rows):
        super().__init__(matrices)
        #: What each matrix is.
        self.formulas = formulas
        #: The samples that the matrices are about, if some were left out.
        self.rows = rows


def _is_table(value):
    """True for anything with rows and columns."""
    return not isinstance(value, str) and hasattr(value, "__len__") and len(np.shape(value)) == 2


def _is_function(value):
    """True for a function, a compiled one included."""
    return callable(value) or hasattr(value, "native_name")


def _differs(value, default):
    if isinstance(value, np.ndarray) or isinstance(default, np.ndarray):
        return not np.array_equal(value, default)
    try:
        return bool(value != default) or type(value) is not type(default)
    except (TypeError, ValueError):
        return True


def _plain(value):
    """A value that can be written as JSON."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (np.ndarray, tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return repr(value)


def _square(rows):
    if rows.is_sparse:
        raise ValueError("distances and kernels must be dense, got sparse rows")
    return np.asarray(rows.values, dtype=np.float64)


def _names_differ(known, given):
    """Error message for mismatching feature names, worded as in scikit-learn."""
    message = "The feature names should match those that were passed during fit.\n"
    shown = 5
    unseen, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    for names, title in ((unseen, "Feature names unseen at fit time"), (missing, "Feature names seen at fit time, yet now missing")):
        if names:
            message += f"{title}:\n" + "".join(f"- {name}\n" for name in names[:shown])
            message += "- ...\n" if len(names) > shown else ""
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message

"""Model files: the same as those of the command line and of Rust."""

import json
import os

import numpy as np

from ._charta import Model
from ._estimator import Kept


def load(path):
    """Reads a model file that `save`, the command line or Rust wrote: a fitted estimator."""
    with open(os.fspath(path), "rb") as file:
        model = Model.from_bytes(file.read(), False)
    parameters = json.loads(model.parameters)
    estimator = _class_of(model, parameters)()
    described = estimator._class
    for parameter in described["parameters"]:
        if parameter["ours"] in parameters:
            value = parameters[parameter["ours"]]
            if isinstance(value, bool):
                value = next((theirs for name, theirs, ours in described["values"] if name == parameter["name"] and ours is value), value)
            setattr(estimator, parameter["name"], tuple(value) if isinstance(value, list) else value)
    estimator._model, estimator._kept = model, Kept()
    estimator.n_features_in_ = model.widths[0] if model.widths and len(model.widths) == 2 else model.n_columns
    if model.source in ("distances", "a kernel"):
        known = ("kernel",) if model.source == "a kernel" else ("metric", "distance")
        for name in known:
            if name in estimator._defaults:
                setattr(estimator, name, "precomputed")
    if model.column_names is not None:
        estimator.feature_names_in_ = np.array(model.column_names, dtype=object)
    classes = model.figure("classes")
    if classes is None and model.figure("accuracy") is not None:
        classes = model.figure("targets")
    if classes is not None and hasattr(type(estimator), "predict"):
        estimator.classes_ = _classes(classes)
    estimator._restored()
    return estimator


def _class_of(model, parameters):
    from ._classes import CLASSES

    classes = CLASSES.of_method(model.method)
    if model.widths and len(model.widths) > 2:
        classes.sort(key=lambda made: not made._class["many_views"])
    fits = (made for made in classes if all(parameters.get(name) == value for name, value in made._class["fixed"].items()))
    return next(fits, classes[0])


def _classes(names):
    """Names of classes, as whole numbers or truth values if all are."""
    if set(names) == {"False", "True"}:
        return np.array([name == "True" for name in names])
    if all(name.lstrip("-").isdecimal() and str(int(name)) == name for name in names):
        return np.array([int(name) for name in names])
    return np.array(names)

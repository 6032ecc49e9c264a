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
    estimator = _class_of(model.method, parameters)(**{})
    described = estimator._class
    for parameter in described["parameters"]:
        if parameter["ours"] in parameters:
            value = parameters[parameter["ours"]]
            setattr(estimator, parameter["name"], tuple(value) if isinstance(value, list) else value)
    if described["total"]:
        name, ours, other = described["total"]
        setattr(estimator, name, parameters[ours] + parameters[other])
    estimator._model, estimator._kept = model, Kept()
    estimator.n_features_in_ = model.n_columns
    if model.column_names is not None:
        estimator.feature_names_in_ = np.array(model.column_names, dtype=object)
    classes = model.figure("classes")
    if classes is None and model.figure("accuracy") is not None:
        classes = model.figure("targets")
    if classes is not None and hasattr(type(estimator), "predict"):
        estimator.classes_ = _classes(classes)
    return estimator


def _class_of(method, parameters):
    from ._classes import CLASSES, METHODS

    described = METHODS[method]["classes"]
    fits = (of for of in described if all(parameters.get(name) == value for name, value in of["fixed"]))
    return CLASSES[next(fits, described[0])["name"]]


def _classes(names):
    """Names of classes, as whole numbers if all are."""
    try:
        return np.array([int(name) for name in names])
    except ValueError:
        return np.array(names)

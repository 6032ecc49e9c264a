"""Wrong values of parameters: what scikit-learn refuses is refused here too, in every class that it has as well."""

import importlib
import warnings

import numpy as np
import pytest

import charta
from charta import _names
from support import NAMES, QUICK, fitted

pytest.importorskip("sklearn")

from sklearn.utils import _param_validation as validation  # noqa: E402

#: Classes that scikit-learn has too.
SHARED = [name for name, stated in _names.CLASSES.items() if (stated.get("package") or "").startswith("sklearn")]

#: Values that scikit-learn refuses and every class of charta takes, by parameter, with the reason.
TAKEN_EVERYWHERE = {"n_components": {"None": "as many components as the data allows"}}

#: Values that scikit-learn refuses and a class of charta takes, by class and parameter, with the reason.
TAKEN = {
    "FactorAnalysis": {"noise_variance_init": {"0.5": "one noise variance for all features"}},
    "IncrementalPCA": {"n_components": {"0.5": "the proportion of the variance to explain"}},
    "MDS": {"dissimilarity": {"None": "not given"}, "normalized_stress": {"None": "as `auto`"}},
    "NMF": {"alpha_H": {"None": "as `same`"}},
    "SequentialFeatureSelector": {"cv": {"0.5": "the proportion of samples to hold out"}, "n_features_to_select": {"None": "all of them"}},
    "SpectralClustering": {"gamma": {"None": "1 / features, as for SpectralEmbedding"}, "n_neighbors": {"None": "a tenth of the samples, as for SpectralEmbedding"}},
    "TSNE": {
        "angle": dict.fromkeys(("1.5", "2.0"), "a coarser approximation"),
        "early_exaggeration": dict.fromkeys(("0.5", "0.999999"), "a weaker attraction at the start"),
        "learning_rate": {"None": "as `auto`"},
        "max_iter": dict.fromkeys(("0", "249"), "a short optimization is one too"),
    },
}


def theirs(name):
    """scikit-learn's class of that name."""
    return getattr(importlib.import_module(_names.CLASSES[name]["package"]), name)


class BadType:
    """A value of a type that no parameter takes."""


def wrong_values(name, parameter):
    """Values that scikit-learn refuses: of wrong types, out of range, not numbers."""
    constraints = theirs(name)._parameter_constraints[parameter]
    if constraints == "no_validation":
        return
    values = [BadType(), -1, -1.0, 0, 0.5, 1.5, 2.0, float("nan"), float("inf"), True, False, "bad", "", None, [], [1, "a"], {"a": 1}, ("x",), np.float64("nan"), np.bool_(True), b"auto", 1j]
    for constraint in map(validation.make_constraint, constraints):
        try:
            values.append(validation.generate_invalid_param_val(constraint))
        except NotImplementedError:
            pass
    for value in values:
        try:
            validation.validate_parameter_constraints({parameter: constraints}, {parameter: value}, name)
        except validation.InvalidParameterError:
            yield value


def shown(value):
    return repr(value)[:60]


@pytest.mark.parametrize("name", SHARED)
def test_a_value_that_scikit_learn_refuses_is_refused(name, iris):
    rows, classes = np.asarray(iris[0], dtype=np.float64)[::4] + 0.1, iris[1][::4]
    taken = {}
    for parameter in sorted(set(theirs(name)._parameter_constraints) & set(getattr(charta, name)._defaults)):
        for value in wrong_values(name, parameter):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    fitted(name, rows, classes, **{**QUICK.get(name, {}), parameter: value})
                except (ValueError, TypeError) as error:
                    # Whatever is given, a message can be read.
                    assert len(str(error)) < 1000, error
                    continue
            if shown(value) not in TAKEN_EVERYWHERE.get(parameter, {}):
                taken.setdefault(parameter, set()).add(shown(value))
    expected = {parameter: set(values) for parameter, values in TAKEN.get(name, {}).items()}
    assert taken == expected, taken


@pytest.mark.parametrize("name", [name for name in NAMES if name != "MultiviewCCA"])
def test_messages_do_not_print_whole_arrays(name, iris):
    rows, classes = np.asarray(iris[0], dtype=np.float64)[::4] + 0.1, iris[1][::4]
    for parameter in getattr(charta, name)._defaults:
        for value in (np.arange(10000.0).reshape(100, 100), list(range(10000)), {"key": "x" * 10000}, "x" * 10000):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    fitted(name, rows, classes, **{**QUICK.get(name, {}), parameter: value})
                except (ValueError, TypeError) as error:
                    assert len(str(error)) < 1000, (parameter, str(error)[:300])

"""scikit-learn's checks of estimators with default settings, as its users make them."""

import warnings

import pytest

import charta
from charta._classes import CLASSES
from support import NAMES
from test_manners import AS_MANY_AS_SAMPLES, DIRECT_WITH_TARGET

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

ONE_TARGET = "two components need two targets, and the checks give one: scikit-learn's own class fails them too unless it is made with one component"
FEW_FEATURES = "2,000 components keep distances of few rows to 10 %, and the checks have few features: scikit-learn's own class fails them too unless it is made with two components"

#: Classes that are not checked with default settings, with the reason.
UNCHECKED = {
    "MultiviewCCA": "a fit takes a list of tables, and the checks give one table",
    "CCA": ONE_TARGET,
    "PLSCanonical": ONE_TARGET,
    "GaussianRandomProjection": FEW_FEATURES,
    "SparseRandomProjection": FEW_FEATURES,
}

#: Checks that a class fails, with the reason.
EXCEPTIONS = {
    "KMeans": dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "other random rows are drawn as initial centres where samples are repeated: from given centres the fits are the same; scikit-learn's own class fails them too",
    ),
    "PCA": dict.fromkeys(("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), AS_MANY_AS_SAMPLES),
    "PLSRegression": DIRECT_WITH_TARGET,
    "SparsePCA": {"check_estimators_nan_inf": "a penalty of 1 is more than the features of the check are long: refused, since all components would be zero"},
}


@pytest.mark.parametrize("name", NAMES)
def test_default_settings_pass_the_checks(name):
    if name in UNCHECKED:
        pytest.skip(UNCHECKED[name])
    if {"n_neighbors", "perplexity"} & set(CLASSES[name]._defaults) and name != "SequentialFeatureSelector":
        pytest.skip("needs as many neighbours as some checks have rows: checked with fewer in test_manners.py")
    expected = EXCEPTIONS.get(name, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(getattr(charta, name)(), on_skip=None, on_fail=None, expected_failed_checks=expected)
    failed = [f"{of['check_name']}: {type(of['exception']).__name__}: {of['exception']}" for of in results if of["status"] == "failed"]
    assert not failed, "\n".join(failed)
    assert {of["check_name"] for of in results if of["status"] == "xfail"} == set(expected)

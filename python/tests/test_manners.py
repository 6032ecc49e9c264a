"""scikit-learn's manners, with scikit-learn and without."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import charta
from support import NAMES, fitted, has_views, quick

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

NO_ITERATIONS = "the solution is a decomposition without iterations: there is no n_iter_ to report"
DIRECT = {"check_transformer_n_iter": NO_ITERATIONS}
DIRECT_WITH_TARGET = {**DIRECT, "check_non_transformer_estimators_n_iter": NO_ITERATIONS}
ONE_CLUSTER = "the check sets n_clusters to 1, and there is nothing to find with fewer than two clusters"

AS_MANY_AS_SAMPLES = "the check repeats samples, and n_components=None is as many components as there are samples: more of repeated ones"

#: Checks that a class fails, with the reason. A check that is named here and passes is an error too.
EXCEPTIONS = {
    "TSNE": {"check_fit2d_1sample": "the check sets a perplexity of 0.5, which is refused before the single row is"},
    "SpectralClustering": dict.fromkeys(
        ("check_dont_overwrite_parameters", "check_fit2d_1feature", "check_fit2d_1sample", "check_fit2d_predict1d", "check_methods_subset_invariance"), ONE_CLUSTER
    )
    | {"check_methods_sample_order_invariance": "the check sets n_components to 1, and the constant eigenvector alone tells no clusters apart"},
    "CCA": DIRECT,
    "PCA": dict.fromkeys(("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), AS_MANY_AS_SAMPLES),
    "PLSCanonical": DIRECT_WITH_TARGET,
    "PLSRegression": DIRECT_WITH_TARGET,
}

#: Classes that are not checked, with the reason.
UNCHECKED = {"MultiviewCCA": "a fit takes a list of tables, and the checks give one table"}


@pytest.mark.parametrize("name", NAMES)
def test_scikit_learn_recognises_the_estimator(name):
    if name in UNCHECKED:
        pytest.skip(UNCHECKED[name])
    expected = EXCEPTIONS.get(name, {})
    results = check_estimator(quick(name), on_skip=None, on_fail=None, expected_failed_checks=expected)
    failed = [f"{of['check_name']}: {type(of['exception']).__name__}: {of['exception']}" for of in results if of["status"] == "failed"]
    assert not failed, "\n".join(failed)
    assert {of["check_name"] for of in results if of["status"] == "xfail"} == set(expected)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNCHECKED])
def test_counts_of_iterations_are_those_of_the_method(name, iris):
    model = fitted(name, *iris)
    if "n_iterations" in model._model.figure_names():
        assert model.n_iter_ == model._model.figure("n_iterations")
    else:
        assert not hasattr(model, "n_iter_")


@pytest.mark.parametrize("name", NAMES)
def test_copies_are_the_same_and_repr_is_code(name, iris):
    made = quick(name)
    again = eval(repr(made), vars(charta))
    assert again.get_params() == made.get_params()
    assert clone(made).get_params() == made.get_params()
    model = fitted(name, *iris)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.embedding_, model.embedding_)
    if not has_views(name):
        np.testing.assert_array_equal(copy.transform(iris[0][:7]), model.transform(iris[0][:7]))


def test_unknown_parameters_get_the_nearest_name():
    with pytest.raises(TypeError, match="did you mean `n_components`"):
        charta.PCA(n_component=2)
    with pytest.raises(ValueError, match="Invalid parameter 'n_component'"):
        charta.PCA().set_params(n_component=2)


def test_no_class_needs_scikit_learn():
    program = """
import sys
sys.modules["sklearn"] = None
import numpy as np, charta
X, y = charta.iris()
assert charta.PCA(2).fit_transform(X).shape == (150, 2)
assert charta.LDA().fit(X, y).score(X, y) > 0.9
try:
    charta.PCA().transform(X)
except charta.NotFittedError as error:
    assert "not fitted yet" in str(error), error
else:
    raise AssertionError("an estimator that is not fitted placed rows")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_importing_takes_milliseconds():
    program = "import numpy, time; start = time.perf_counter(); import charta; print(time.perf_counter() - start)"
    times = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout) for _ in range(5)]
    assert min(times) < 0.05, times
    loaded = subprocess.run(
        [sys.executable, "-c", "import charta, sys; print([name for name in ('sklearn', 'scipy', 'pandas', 'matplotlib') if name in sys.modules])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout.strip() == "[]"

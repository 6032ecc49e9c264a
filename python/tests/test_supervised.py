"""Discriminant analysis, partial least squares, canonical correlation and feature selection beside scikit-learn."""

import numpy as np
import pytest

import charta

sklearn = pytest.importorskip("sklearn")

from sklearn import cross_decomposition, discriminant_analysis, feature_selection  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402
from sklearn.covariance import OAS  # noqa: E402
from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: E402
from sklearn.linear_model import LinearRegression  # noqa: E402


@pytest.fixture(scope="module")
def views(iris):
    rows = np.asarray(iris[0], dtype=np.float64)
    return rows[:, :2], rows[:, 2:]


def test_covariances_of_an_estimator_are_those_of_the_classifier(iris):
    rows, classes = np.asarray(iris[0], dtype=np.float64), iris[1]
    given = {"solver": "eigen", "store_covariance": True}
    ours = charta.LinearDiscriminantAnalysis(**given, covariance_estimator=OAS()).fit(rows, classes)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(**given, covariance_estimator=OAS()).fit(rows, classes)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-10)
    assert not hasattr(ours.covariance_estimator, "covariance_")
    for wrong in (KMeans(2), "auto", OAS):
        with pytest.raises((ValueError, TypeError), match="covariance_estimator"):
            charta.LinearDiscriminantAnalysis(covariance_estimator=wrong).fit(rows, classes)
    with pytest.raises(ValueError, match="both given"):
        charta.LinearDiscriminantAnalysis(covariance_estimator=OAS(), shrinkage=0.1).fit(rows, classes)


def test_priors_are_divided_by_their_sum(iris):
    with pytest.warns(UserWarning, match="divided by that"):
        found = charta.LinearDiscriminantAnalysis(priors=[1, 1, 2]).fit(*iris)
    np.testing.assert_allclose(found.priors_, [0.25, 0.25, 0.5])
    with pytest.raises(ValueError, match="at least 0"):
        charta.LinearDiscriminantAnalysis(priors=[0.5, -0.5, 1]).fit(*iris)


def test_the_covariance_of_many_features_is_kept_on_request(digits):
    rows, classes = np.hstack([digits[0], digits[0] ** 2]), digits[1]
    assert not hasattr(charta.LinearDiscriminantAnalysis().fit(rows, classes), "covariance_")
    assert charta.LinearDiscriminantAnalysis(store_covariance=True).fit(rows, classes).covariance_.shape == (128, 128)
    assert not hasattr(charta.LinearDiscriminantAnalysis(solver="svd").fit(digits[0], classes), "covariance_")


@pytest.mark.parametrize("name", ["PLSRegression", "PLSCanonical"])
def test_scores_and_inverse_transforms_are_those_of_scikit_learn(name, views):
    ours, theirs = getattr(charta, name)(2).fit(*views), getattr(cross_decomposition, name)(2, tol=1e-14, max_iter=10000).fit(*views)
    signs = np.sign(np.sum(ours._x_scores * theirs._x_scores, axis=0))
    np.testing.assert_allclose(ours._x_scores, theirs._x_scores * signs, atol=1e-6)
    np.testing.assert_allclose(ours._y_scores, theirs._y_scores * signs, atol=1e-5)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    scores = ours.transform(*views, copy=False)
    for back, view in zip(ours.inverse_transform(*scores), theirs.inverse_transform(*theirs.transform(*views))):
        np.testing.assert_allclose(back, view, atol=1e-5)
    np.testing.assert_allclose(ours.predict(views[0], copy=False), theirs.predict(views[0]), atol=1e-5)
    if name == "PLSRegression":
        np.testing.assert_array_equal(ours.x_scores_, ours.transform(views[0]))


def test_canonical_correlation_predicts_linearly_and_goes_back(views):
    found = charta.CCA(2).fit(*views)
    centred = views[0] - views[0].mean(axis=0)
    np.testing.assert_allclose(found.predict(views[0]), centred @ found.coef_.T + found.intercept_, atol=1e-9)
    np.testing.assert_allclose(found.intercept_, views[1].mean(axis=0))
    first, second = found.inverse_transform(*found.transform(*views))
    # As many components as features: nothing is lost.
    np.testing.assert_allclose(first, views[0], atol=1e-9)
    np.testing.assert_allclose(second, views[1], atol=1e-9)


def test_features_are_selected_in_sparse_rows_with_gaps_and_without_a_target(iris):
    sparse = pytest.importorskip("scipy.sparse")
    rows, classes = np.asarray(iris[0], dtype=np.float64), np.unique(iris[1], return_inverse=True)[1]
    selectors = [package.SequentialFeatureSelector(LinearRegression(), n_features_to_select=2, cv=3) for package in (charta, feature_selection)]
    ours, theirs = (selector.fit(sparse.csr_array(rows), classes) for selector in selectors)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
    assert sparse.issparse(ours.transform(sparse.csr_array(rows)))
    gaps = rows.copy()
    gaps[::7, 1] = np.nan
    found = charta.SequentialFeatureSelector(HistGradientBoostingClassifier(max_iter=5), n_features_to_select=3, cv=2).fit(gaps, classes)
    np.testing.assert_array_equal(found.transform(gaps), gaps[:, found.get_support()])
    with pytest.raises(ValueError, match="NaN"):
        charta.SequentialFeatureSelector(LinearRegression(), n_features_to_select=3).fit(gaps, classes)
    alone = charta.SequentialFeatureSelector(KMeans(3, n_init=1, random_state=0), n_features_to_select=2, cv=3).fit(rows)
    assert alone.get_support().sum() == 2
    with pytest.raises(ValueError, match="below the number of features"):
        charta.SequentialFeatureSelector(LinearRegression(), n_features_to_select=4).fit(rows, classes)
    with pytest.raises(ValueError, match="metadata routing"):
        charta.SequentialFeatureSelector(LinearRegression()).fit(rows, classes, sample_weight=np.ones(150))


def test_metadata_reaches_the_estimator(iris):
    rows, classes = np.asarray(iris[0], dtype=np.float64), np.unique(iris[1], return_inverse=True)[1]
    weights = np.where(classes == 0, 0.01, 5.0)
    with sklearn.config_context(enable_metadata_routing=True):
        given = {"n_features_to_select": 1, "cv": 3}
        ours, theirs = (
            package.SequentialFeatureSelector(LinearRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True), **given).fit(rows, classes, sample_weight=weights)
            for package in (charta, feature_selection)
        )
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())

"""Estimators among those of scikit-learn."""

import pickle

import numpy as np
import pytest

import charta

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")

from sklearn.decomposition import PCA  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402


def test_a_pipeline_is_searched_by_grid(digits):
    rows, classes = digits
    pipeline = make_pipeline(StandardScaler(), charta.PCA(20), charta.UMAP(n_epochs=60), KNeighborsClassifier())
    grid = GridSearchCV(pipeline, {"pca__n_components": [10, 20], "umap__n_neighbors": [8, 15]}, cv=2)
    grid.fit(rows, classes)
    assert grid.best_score_ > 0.7
    assert set(grid.best_params_) == {"pca__n_components", "umap__n_neighbors"}


def test_classifiers_are_scored_by_folds(iris):
    assert cross_val_score(charta.LinearDiscriminantAnalysis(), *iris).mean() > 0.95


def test_processes_of_joblib_fit_alike(iris):
    from sklearn.model_selection import cross_val_predict

    rows, classes = iris
    alone = cross_val_predict(charta.LDA(), rows, classes, n_jobs=1)
    np.testing.assert_array_equal(alone, cross_val_predict(charta.LDA(), rows, classes, n_jobs=2))


def test_frames_come_back_as_frames(iris):
    frame = pandas.DataFrame(iris[0], columns=list("abcd"), index=np.arange(150) + 7)
    placed = charta.PCA(2).set_output(transform="pandas").fit_transform(frame)
    assert list(placed.columns) == ["pc1", "pc2"] and list(placed.index) == list(frame.index)
    polars = pytest.importorskip("polars")
    placed = charta.PCA(2).set_output(transform="polars").fit_transform(frame)
    assert isinstance(placed, polars.DataFrame) and placed.columns == ["pc1", "pc2"]
    with pytest.raises(ValueError, match="should match those that were passed during fit"):
        charta.PCA(2).fit(frame).transform(frame[list("bacd")])


def test_results_are_those_of_scikit_learn(iris):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rows, classes = iris
    ours, theirs = charta.PCA().fit(rows), PCA().fit(rows)
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        np.testing.assert_allclose(np.abs(getattr(ours, name)), np.abs(getattr(theirs, name)), atol=1e-9)
    ours, theirs = charta.LDA().fit(rows, classes), LinearDiscriminantAnalysis().fit(rows, classes)
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-8)
    np.testing.assert_allclose(ours.means_, theirs.means_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-7)
    pair = classes != classes[0]
    ours, theirs = charta.LDA().fit(rows[pair], classes[pair]), LinearDiscriminantAnalysis().fit(rows[pair], classes[pair])
    np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), atol=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


def test_targets_are_predicted_as_by_scikit_learn():
    from sklearn.cross_decomposition import PLSRegression
    from sklearn.datasets import load_linnerud

    rows, targets = load_linnerud(return_X_y=True)
    ours, theirs = charta.PLSRegression(2).fit(rows, targets), PLSRegression(2).fit(rows, targets)
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), atol=1e-8)
    # Its iterations end at a tolerance; ours are an exact decomposition.
    theirs = PLSRegression(2, tol=1e-14, max_iter=10_000).fit(rows, targets)
    for mine, his in zip(ours.transform(rows, targets), theirs.transform(rows, targets)):
        np.testing.assert_allclose(np.abs(mine), np.abs(his), atol=1e-7)
    one = charta.PLSRegression(2).fit(rows, targets[:, 0])
    np.testing.assert_allclose(one.predict(rows), PLSRegression(2).fit(rows, targets[:, 0]).predict(rows).ravel(), atol=1e-8)


def test_likelihoods_are_those_of_scikit_learn(digits):
    from sklearn.decomposition import FactorAnalysis

    rows = digits[0]
    ours, theirs = charta.PCA(8).fit(rows), PCA(8, svd_solver="full").fit(rows)
    np.testing.assert_allclose(ours.score_samples(rows), theirs.score_samples(rows), rtol=1e-8)
    assert cross_val_score(charta.PCA(8), rows, cv=2).shape == (2,)
    ours, theirs = charta.FactorAnalysis(3).fit(rows[:, 10:30]), FactorAnalysis(3, tol=1e-8, max_iter=3000, svd_method="lapack").fit(rows[:, 10:30])
    assert abs(ours.score(rows[:, 10:30]) / theirs.score(rows[:, 10:30]) - 1) < 1e-3


def test_parts_of_a_fit_add_up(digits):
    rows, _ = digits
    parts = charta.IncrementalPCA(5)
    for start in range(0, 600, 200):
        parts.partial_fit(rows[start : start + 200])
    whole = charta.PCA(5).fit(rows)
    np.testing.assert_allclose(parts.explained_variance_, whole.explained_variance_, rtol=1e-9)
    assert parts.n_samples_seen_ == 600
    with pytest.raises(ValueError, match="at least 2 samples"):
        charta.IncrementalPCA(1).partial_fit(rows[:1])
    begun = charta.IncrementalPCA(2).partial_fit(rows[:50])
    with pytest.raises(ValueError, match="NaN"):
        begun.partial_fit(np.full((3, 64), np.nan))
    assert begun.partial_fit(rows[50:60]).n_samples_seen_ == 60
    with pytest.raises(ValueError, match="call partial_fit of the object"):
        pickle.loads(pickle.dumps(begun)).partial_fit(rows)
    assert charta.IncrementalPCA(2).fit(rows[:40]).partial_fit(rows[40:]).n_samples_seen_ == 600
    again = charta.IncrementalPCA(2).fit(rows[:40]).fit(rows)
    np.testing.assert_allclose(again.fit_transform(rows), charta.PCA(2).fit_transform(rows), atol=1e-8)
    np.testing.assert_allclose(charta.PCA(8).fit(rows).get_covariance(), PCA(8, svd_solver="full").fit(rows).get_covariance(), atol=1e-8)


def test_views_have_components_of_their_own(iris):
    from sklearn.cross_decomposition import CCA

    rows = np.asarray(iris[0], dtype=np.float64)
    first, second = rows[:, :2], rows[:, 2:]
    ours, theirs = charta.CCA(2).fit(first, second), CCA(2, tol=1e-12, max_iter=20_000).fit(first, second)
    assert ours.x_rotations_.shape == theirs.x_rotations_.shape and ours.y_loadings_.shape == theirs.y_loadings_.shape
    for mine, his in zip(ours.transform(first, second), theirs.transform(first, second)):
        correlations = [abs(np.corrcoef(mine[:, place], his[:, place])[0, 1]) for place in range(2)]
        assert min(correlations) > 1 - 1e-6
    assert list(charta.CCA(1).set_output(transform="pandas").fit(first, second).transform(first).columns) == ["view1_1"]
    assert charta.CCA(1).fit(first, second[:, 0]).predict(first).shape == (150,)
    with pytest.raises(ValueError, match="inconsistent"):
        ours.transform(first, second[:3])
    views = charta.MultiviewCCA(n_components=1).fit([first, second, rows[:, 1:3]])
    assert views.transform([first, second, rows[:, 1:3]]).shape[0] == 150


def test_numbers_that_are_whole_can_be_targets():
    rows, targets = charta.diabetes() if hasattr(charta, "diabetes") else pytest.importorskip("sklearn.datasets").load_diabetes(return_X_y=True)
    targets = np.round(targets).astype(float)
    for estimator in ("linear", "ridge"):
        chosen = charta.SequentialFeatureSelector(estimator, n_features_to_select=3).fit(rows, targets)
        assert chosen.get_support().sum() == 3
    assert "R²" in charta.SequentialFeatureSelector(n_features_to_select=1).fit(rows, targets).measure_


def test_scores_take_columns_and_refuse_other_lengths(iris):
    rows, classes = iris
    model = charta.LDA().fit(rows, classes)
    with pytest.warns(UserWarning, match="column-vector"):
        assert model.score(rows, np.asarray(classes)[:, None]) == model.score(rows, classes)
    with pytest.raises(ValueError, match="inconsistent"):
        model.score(rows, classes[:3])


def test_users_may_have_classes_of_their_own(iris):
    from sklearn.base import clone

    class Mine(charta.PCA):
        def __init__(self, n_components=2, extra=1):
            super().__init__(n_components)
            self.extra = extra

    assert clone(Mine(3, extra=5)).get_params() == {"n_components": 3, "extra": 5}
    assert Mine(3).fit_transform(iris[0]).shape == (150, 3)


def test_what_is_given_back_is_the_caller_s_own(iris):
    model = charta.PCA(2)
    placed = model.fit_transform(iris[0])
    placed[:] = 7
    assert not (model.embedding_ == 7).any()


def test_meanings_are_those_of_scikit_learn(iris):
    from sklearn.random_projection import GaussianRandomProjection

    wide = np.random.default_rng(0).normal(size=(60, 3000))
    ours, theirs = charta.GaussianRandomProjection(eps=0.5).fit_transform(wide), GaussianRandomProjection(eps=0.5).fit_transform(wide)
    assert ours.shape == theirs.shape
    assert charta.TSNE(max_iter=40).fit(iris[0]).n_iter_ == 40
    assert charta.MDS(normalized_stress=True).fit(iris[0]).stress_ < 1
    with pytest.raises(ValueError, match="`dissimilarity` must be"):
        charta.MDS(dissimilarity="cosine").fit(iris[0])
    with pytest.raises(ValueError, match="`n_neighbors` must be .*, got None"):
        charta.UMAP(n_neighbors=None).fit(iris[0])
    assert charta.KernelPCA().fit_transform(iris[0]).shape == (150, 4)
    assert charta.Isomap(metric="cityblock").fit(iris[0]).metric == "cityblock"


def test_any_estimator_and_scorer_judges_columns(iris):
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import GaussianNB

    rows, classes = iris
    for direction in ("forward", "backward"):
        options = {"n_features_to_select": 2, "direction": direction, "scoring": "balanced_accuracy", "cv": StratifiedKFold(4)}
        ours = charta.SequentialFeatureSelector(GaussianNB(), **options).fit(rows, classes)
        theirs = SequentialFeatureSelector(GaussianNB(), **options).fit(rows, classes)
        np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
        np.testing.assert_array_equal(ours.transform(rows), theirs.transform(rows))

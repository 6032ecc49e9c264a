"""k-means and spectral clustering beside scikit-learn."""

import numpy as np
import pytest

import charta

sklearn = pytest.importorskip("sklearn")

from sklearn import cluster, metrics  # noqa: E402


def test_k_means_ends_where_scikit_learn_ends(digits):
    rows = digits[0]
    ours = charta.KMeans(10, n_init=20, random_state=0).fit(rows)
    theirs = cluster.KMeans(10, n_init=20, random_state=0).fit(rows)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=2e-3)
    assert ours.cluster_centers_.shape == (10, 64) and ours.n_iter_ >= 1
    assert ours.labels_.shape == (600,) and ours.labels_.dtype.kind == "i"
    apart = np.linalg.norm(rows[:, None] - ours.cluster_centers_[None], axis=2)
    np.testing.assert_allclose(ours.transform(rows), apart, atol=1e-9)
    np.testing.assert_array_equal(ours.labels_, apart.argmin(axis=1))
    np.testing.assert_array_equal(ours.predict(rows), ours.labels_)
    np.testing.assert_array_equal(charta.KMeans(10, n_init=20, random_state=0).fit_predict(rows), ours.labels_)
    assert ours.inertia_ == pytest.approx((apart.min(axis=1) ** 2).sum())


def test_k_means_takes_the_words_of_scikit_learn(iris):
    rows = iris[0]
    found = charta.KMeans(n_clusters=3, init="random", n_init="auto", max_iter=50, tol=1e-6, random_state=3, copy_x=True, algorithm="lloyd").fit(rows)
    theirs = cluster.KMeans(3, n_init=10, random_state=0).fit(rows)
    assert metrics.adjusted_rand_score(theirs.labels_, found.labels_) == 1
    with pytest.raises(ValueError, match="`init` must be"):
        charta.KMeans(3, init="best").fit(rows)
    with pytest.raises(ValueError, match="initial c"):
        charta.KMeans(3, init=rows[:2], n_init=1).fit(rows)
    with pytest.raises(ValueError, match="n_clusters"):
        charta.KMeans(151).fit(rows)


def test_given_centres_and_weights_end_where_scikit_learn_ends(digits):
    rows, weights = digits[0], np.random.RandomState(0).randint(0, 4, 600).astype(float)
    for given in (rows[:7], rows[:7].tolist(), lambda X, n_clusters, random_state: X[:n_clusters]):
        ours = charta.KMeans(7, init=given, n_init=1, tol=0).fit(rows, sample_weight=weights)
        theirs = cluster.KMeans(7, init=rows[:7], n_init=1, tol=0).fit(rows, sample_weight=weights)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-9)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        assert ours.inertia_ == pytest.approx(theirs.inertia_) and ours.n_iter_ == theirs.n_iter_
        assert ours.score(rows, sample_weight=weights) == pytest.approx(theirs.score(rows, sample_weight=weights))
    repeated = charta.KMeans(7, init=rows[:7], n_init=1, tol=0).fit(np.repeat(rows, weights.astype(int), axis=0))
    np.testing.assert_allclose(ours.cluster_centers_, repeated.cluster_centers_, atol=1e-9)
    with pytest.warns(RuntimeWarning, match="one initialization"):
        charta.KMeans(7, init=rows[:7], n_init=5).fit(rows)


def test_the_number_of_initializations_depends_on_the_initialization(digits):
    rows = digits[0]
    for init, count in (("k-means++", 1), ("random", 10), (rows[:5], 1)):
        assert len(charta.KMeans(5, init=init).fit(rows).inertias_) == count
    calls = []
    charta.KMeans(5, init=lambda X, n_clusters, random_state: calls.append(1) or X[random_state.choice(len(X), n_clusters)]).fit(rows)
    assert len(calls) == 10


def test_the_function_gives_what_the_class_finds(digits):
    rows = digits[0]
    found = charta.KMeans(5, random_state=0).fit(rows)
    centers, labels, inertia, n_iter = charta.k_means(rows, 5, random_state=0, sample_weight=None, return_n_iter=True)
    np.testing.assert_array_equal(centers, found.cluster_centers_)
    np.testing.assert_array_equal(labels, found.labels_)
    assert (inertia, n_iter) == (found.inertia_, found.n_iter_)
    with pytest.raises(TypeError, match="positional"):
        charta.k_means(rows, 5, "random")


def test_duplicates_are_warned_of(iris):
    with pytest.warns(charta.ConvergenceWarning, match="fewer clusters"):
        charta.KMeans(3).fit(np.repeat(iris[0][:2], 3, axis=0))


def test_moons_are_clusters_by_the_eigengap():
    rows, moon = charta.moons(400, noise=0.05, random_state=0)
    ours = charta.SpectralClustering("auto", affinity="nearest_neighbors").fit(rows)
    assert ours.n_clusters_ == 2 and metrics.adjusted_rand_score(moon, ours.labels_) > 0.98
    theirs = cluster.SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(rows)
    assert metrics.adjusted_rand_score(theirs.labels_, ours.labels_) > 0.98
    assert metrics.adjusted_rand_score(moon, charta.KMeans(2).fit_predict(rows)) < 0.5
    fresh, truth = charta.moons(200, noise=0.05, random_state=1)
    assert metrics.adjusted_rand_score(truth, ours.predict(fresh)) > 0.97


def test_digits_have_the_clusters_that_scikit_learn_finds():
    rows, classes = charta.digits()
    ours = charta.SpectralClustering(10, affinity="nearest_neighbors", n_neighbors=10, random_state=0).fit_predict(rows)
    theirs = cluster.SpectralClustering(10, affinity="nearest_neighbors", n_neighbors=10, random_state=0).fit_predict(rows)
    assert metrics.adjusted_rand_score(theirs, ours) > 0.95
    assert metrics.adjusted_rand_score(classes, ours) > 0.7
    with pytest.raises(ValueError, match="gamma"):
        charta.SpectralClustering(10, gamma=-2.0).fit(rows)


def test_clusters_come_back_from_a_file(tmp_path, iris):
    rows = iris[0]
    for made in (charta.KMeans(3), charta.SpectralClustering(2)):
        fitted = made.fit(rows)
        fitted.save(tmp_path / "clusters.charta")
        again = charta.load(tmp_path / "clusters.charta")
        assert type(again) is type(made)
        np.testing.assert_array_equal(again.labels_, fitted.labels_)
        np.testing.assert_array_equal(again.predict(rows), fitted.predict(rows))


def test_a_plot_has_the_colours_of_the_clusters(iris):
    svg = charta.plot(charta.KMeans(3).fit(iris[0])).to_bytes("svg").decode()
    assert ">cluster<" in svg and all(f">{number}<" in svg for number in range(3))

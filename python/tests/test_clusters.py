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
        charta.KMeans(3, init=rows[:3]).fit(rows)
    with pytest.raises(ValueError, match="n_clusters"):
        charta.KMeans(151).fit(rows)


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

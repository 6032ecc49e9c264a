"""Methods of neighbour graphs and distances, called as scikit-learn's: same words, same numbers."""

import warnings

import numpy as np
import pytest

import charta

sklearn = pytest.importorskip("sklearn")

from scipy import sparse  # noqa: E402
from scipy.spatial import distance  # noqa: E402
from sklearn import cluster, decomposition, manifold, metrics, neighbors  # noqa: E402


def same_axes(ours, theirs, atol=1e-6):
    """Whether two maps are the same, each axis up to its sign."""
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, atol=atol * np.abs(theirs).max())


@pytest.fixture(scope="module")
def some_digits(digits):
    # No two distances are equal, so that the nearest neighbours are the same everywhere.
    return np.asarray(digits[0], dtype=np.float64)[:400] + 1e-5 * np.random.default_rng(0).normal(size=(400, 64))


@pytest.mark.parametrize("n_neighbors", [10, 25, None])
def test_spectral_embedding_is_that_of_scikit_learn_for_the_same_number_of_neighbors(some_digits, n_neighbors):
    ours = charta.SpectralEmbedding(n_neighbors=n_neighbors).fit(some_digits)
    theirs = manifold.SpectralEmbedding(n_neighbors=n_neighbors, random_state=0).fit(some_digits)
    assert ours.n_connected_components_ == 1
    same_axes(ours.embedding_, theirs.embedding_)
    assert ours.n_neighbors_ == theirs.n_neighbors_
    np.testing.assert_array_equal(ours.affinity_matrix_.toarray(), theirs.affinity_matrix_.toarray())


@pytest.mark.parametrize("gamma", [None, 0.01, 2.0])
def test_an_rbf_affinity_is_that_of_scikit_learn(iris, gamma):
    rows = np.asarray(iris[0], dtype=np.float64)
    ours = charta.SpectralEmbedding(3, affinity="rbf", gamma=gamma).fit(rows)
    theirs = manifold.SpectralEmbedding(3, affinity="rbf", gamma=gamma, random_state=0).fit(rows)
    same_axes(ours.embedding_, theirs.embedding_)
    np.testing.assert_allclose(ours.affinity_matrix_, theirs.affinity_matrix_, atol=1e-12)
    assert ours.gamma_ == theirs.gamma_
    np.testing.assert_allclose(ours.transform(rows[:9]), ours.embedding_[:9], atol=1e-9)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_affinities_may_be_given(iris, container):
    rows = np.asarray(iris[0], dtype=np.float64)
    affinities = metrics.pairwise.rbf_kernel(rows, gamma=0.5)
    affinities[affinities < 0.05] = 0
    ours = charta.SpectralEmbedding(2, affinity="precomputed").fit(container(affinities))
    theirs = manifold.SpectralEmbedding(2, affinity="precomputed", random_state=0).fit(affinities)
    same_axes(ours.embedding_, theirs.embedding_)
    new = ours.transform(container(metrics.pairwise.rbf_kernel(rows[:7] + 1e-3, rows, gamma=0.5)))
    assert np.abs(new - ours.embedding_[:7]).max() < 0.2 * np.abs(ours.embedding_).max()
    again = charta.SpectralEmbedding(2, affinity=lambda given: container(affinities)).fit(rows)
    np.testing.assert_allclose(again.embedding_, ours.embedding_, atol=1e-12)


def test_affinities_that_cannot_be_are_refused(iris):
    rows = np.asarray(iris[0])[:30]
    with pytest.warns(UserWarning, match="not symmetric"):
        charta.SpectralEmbedding(1, affinity="precomputed").fit(np.array([[0.0, 1.0, 0.5], [2.0, 0.0, 1.0], [0.5, 1.0, 0.0]]))
    with pytest.raises(ValueError, match="at least 0"):
        charta.SpectralEmbedding(1, affinity="precomputed").fit(-np.ones((4, 4)))
    with pytest.raises(ValueError, match="as many columns"):
        charta.SpectralEmbedding(affinity="precomputed").fit(rows)
    with pytest.raises(ValueError, match="affinity"):
        charta.SpectralEmbedding(affinity="rbff").fit(rows)
    with pytest.raises(ValueError, match="counts the sample itself"):
        charta.SpectralEmbedding(n_neighbors=1).fit(rows)
    with pytest.raises(ValueError, match="gamma"):
        charta.SpectralEmbedding(affinity="rbf", gamma=-1.0).fit(rows)
    with pytest.warns(charta.ChartaWarning, match="connected component"):
        charta.SpectralEmbedding(affinity="precomputed").fit(np.kron(np.eye(2), np.ones((3, 3))))


def test_a_graph_of_neighbors_gives_the_map_of_its_samples(some_digits):
    graph = neighbors.NearestNeighbors(n_neighbors=20).fit(some_digits).kneighbors_graph(some_digits, mode="distance")
    ours = charta.SpectralEmbedding(n_neighbors=15, affinity="precomputed_nearest_neighbors").fit(graph)
    same_axes(ours.embedding_, charta.SpectralEmbedding(n_neighbors=15).fit(some_digits).embedding_)
    with pytest.raises(ValueError, match="only 20 neighbours"):
        charta.SpectralEmbedding(n_neighbors=30, affinity="precomputed_nearest_neighbors").fit(graph)


@pytest.mark.parametrize("assign_labels", ["kmeans", "discretize", "cluster_qr"])
def test_clusters_by_every_assignment(assign_labels):
    rows, truth = charta.moons(200)
    fitted = charta.SpectralClustering(2, gamma=20.0, assign_labels=assign_labels).fit(rows)
    assert metrics.adjusted_rand_score(truth, fitted.labels_) > 0.95
    np.testing.assert_array_equal(fitted.predict(rows), fitted.labels_)
    theirs = cluster.SpectralClustering(2, gamma=20.0, assign_labels=assign_labels, random_state=0).fit(rows)
    assert metrics.adjusted_rand_score(theirs.labels_, fitted.labels_) == 1
    np.testing.assert_allclose(fitted.affinity_matrix_, theirs.affinity_matrix_, atol=1e-6)


@pytest.mark.parametrize("affinity", ["linear", "poly", "sigmoid", "laplacian", "chi2", "cosine"])
def test_clusters_by_kernels_of_scikit_learn(affinity):
    rows = np.abs(np.random.default_rng(0).normal(size=(60, 3))) + np.repeat([[0, 0, 4], [4, 0, 0]], 30, axis=0)
    settings = {"n_clusters": 2, "affinity": affinity, "gamma": 0.1, "degree": 2, "coef0": 0.5}
    ours, theirs = charta.SpectralClustering(**settings).fit(rows), cluster.SpectralClustering(random_state=0, **settings).fit(rows)
    np.testing.assert_allclose(ours.affinity_matrix_, theirs.affinity_matrix_, rtol=1e-9)
    assert metrics.adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert ours.predict(rows[:5]).shape == (5,)


def test_isomap_has_what_scikit_learn_reports(some_digits):
    rows = some_digits[:200]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = charta.Isomap(n_neighbors=12).fit(rows), manifold.Isomap(n_neighbors=12).fit(rows)
    same_axes(ours.embedding_, theirs.embedding_)
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-9)
    assert ours.reconstruction_error() == pytest.approx(theirs.reconstruction_error(), rel=1e-6)
    same_axes(ours.kernel_pca_.embedding_, theirs.embedding_)
    assert ours.nbrs_.n_neighbors == 12
    assert charta.Isomap(n_neighbors=12).fit(rows.astype(np.float32)).dist_matrix_.dtype == np.float32


def test_isomap_takes_a_number_of_neighbors_or_a_radius(some_digits):
    rows = some_digits[:60]
    everything = charta.Isomap(n_neighbors=None, radius=np.inf).fit(rows)
    np.testing.assert_allclose(everything.dist_matrix_, distance.cdist(rows, rows), atol=1e-5)
    with pytest.raises(ValueError, match="cannot both be given"):
        charta.Isomap(n_neighbors=3, radius=2.0).fit(rows)
    with pytest.raises(ValueError, match="one of `n_neighbors` and `radius`"):
        charta.Isomap(n_neighbors=None).fit(rows)


def test_isomap_of_a_sparse_graph_is_that_of_its_samples(some_digits):
    rows, new = some_digits[:200], some_digits[200:230]
    graph = neighbors.KNeighborsTransformer(n_neighbors=15, mode="distance").fit(rows)
    chained = charta.Isomap(n_neighbors=12, metric="precomputed").fit(graph.transform(rows))
    plain = charta.Isomap(n_neighbors=12).fit(rows)
    np.testing.assert_allclose(chained.embedding_, plain.embedding_, atol=1e-6)
    np.testing.assert_allclose(chained.transform(graph.transform(new)), plain.transform(new), atol=1e-6)
    apart = sparse.csr_matrix(distance.squareform([1.0, 0, 0, 0, 0, 1.0]))
    with pytest.raises(RuntimeError, match="connected components"):
        charta.Isomap(n_neighbors=1, metric="precomputed").fit(apart)


@pytest.mark.parametrize("name", ["Isomap", "ClassicalMDS", "MDS"])
def test_metrics_of_scipy_and_their_arguments(name, iris):
    rows = np.asarray(iris[0], dtype=np.float64)[::5]
    made = getattr(charta, name)
    weights = {"w": np.array([1.0, 2.0, 3.0, 4.0])}
    for metric, arguments in (("canberra", {}), ("braycurtis", {}), ("minkowski", {"p": 3, **weights}), ("euclidean", weights)):
        table = distance.cdist(rows, rows, metric, **arguments)
        ours = made(metric=metric, metric_params=arguments or None).fit(rows)
        np.testing.assert_allclose(ours.embedding_, made(metric="precomputed").fit(table).embedding_, atol=1e-6)
        assert ours.n_features_in_ == 4
    assert made(metric="minkowski", metric_params={"p": 3}).fit(rows)._model.source == "features"
    with pytest.raises(ValueError, match="metric"):
        made(metric="no such").fit(rows)
    with pytest.raises(TypeError, match="metric_params"):
        made(metric_params=3).fit(rows)


def test_mds_starts_where_it_is_told(iris):
    rows = np.asarray(iris[0], dtype=np.float64)[::5]
    start = np.random.default_rng(0).normal(size=(30, 2))
    one = charta.MDS(max_iter=300).fit_transform(rows, init=start)
    np.testing.assert_array_equal(one, charta.MDS(max_iter=300, init="random").fit(rows, init=start).embedding_)
    np.testing.assert_allclose(charta.MDS().fit(rows).dissimilarity_matrix_, distance.cdist(rows, rows), atol=1e-5)
    with pytest.raises(ValueError, match="initial coordinates"):
        charta.MDS().fit(rows, init=start[:, :1])


def test_mds_says_what_deprecated_parameters_are_called_now(iris):
    rows = np.asarray(iris[0], dtype=np.float64)[::5]
    with pytest.warns(FutureWarning, match="metric_mds=False"):
        old = charta.MDS(metric=False).fit(rows)
    np.testing.assert_array_equal(old.embedding_, charta.MDS(metric_mds=False).fit(rows).embedding_)
    assert old.metric is False
    with pytest.warns(FutureWarning, match="metric='precomputed'"):
        charta.MDS(dissimilarity="precomputed").fit(distance.cdist(rows, rows))
    with pytest.raises(ValueError, match="both given"):
        charta.MDS(metric="cosine", dissimilarity="euclidean").fit(rows)


def test_kernel_pca_has_what_scikit_learn_reports(iris):
    rows = np.asarray(iris[0], dtype=np.float64)[::3]
    settings = {"n_components": 3, "kernel": "rbf", "gamma": 0.3, "fit_inverse_transform": True, "alpha": 0.1}
    ours, theirs = charta.KernelPCA(**settings).fit(rows), decomposition.KernelPCA(**settings).fit(rows)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    same_axes(ours.eigenvectors_, theirs.eigenvectors_)
    same_axes(ours.X_transformed_fit_, theirs.X_transformed_fit_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(ours.X_fit_, rows)
    assert ours.gamma_ == 0.3
    new = rows[:4] + 0.1
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(new)), theirs.inverse_transform(theirs.transform(new)), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["poly", "cosine", "sigmoid", "linear"])
def test_kernel_pca_knows_kernels_by_scikit_learns_names(iris, kernel):
    rows = np.asarray(iris[0], dtype=np.float64)[::3]
    settings = {"n_components": 2, "kernel": kernel, "gamma": 0.01}
    ours, theirs = charta.KernelPCA(**settings).fit(rows), decomposition.KernelPCA(**settings).fit(rows)
    same_axes(ours.embedding_, theirs.transform(rows))
    same_axes(ours.transform(rows[:9] + 0.1), theirs.transform(rows[:9] + 0.1))


def test_kernel_pca_refuses_what_a_kernel_cannot_give(iris):
    rows = np.asarray(iris[0], dtype=np.float64)[::3]
    indefinite = np.diag([3.0, 2.0, -4.0]) - np.diag([3.0, 2.0, -4.0]).mean()
    with pytest.raises(ValueError, match="positive semidefinite"):
        charta.KernelPCA(2, kernel="precomputed").fit(indefinite)
    with pytest.raises(charta.NotFittedError, match="fit_inverse_transform"):
        charta.KernelPCA(2).fit(rows).inverse_transform(rows[:, :2])
    flat = np.c_[rows[:, 0], 2 * rows[:, 0]]
    assert charta.KernelPCA(2).fit_transform(flat).shape == (50, 2)
    assert charta.KernelPCA(2, remove_zero_eig=True).fit_transform(flat).shape == (50, 1)
    power = charta.KernelPCA(2, kernel=lambda one, other, by: (one @ other) ** by, kernel_params={"by": 2}).fit(rows)
    np.testing.assert_allclose(power.embedding_, charta.KernelPCA(2, kernel="poly", gamma=1.0, coef0=0.0, degree=2).fit(rows).embedding_, atol=1e-6)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "chebyshev", "canberra", "sqeuclidean"])
def test_trustworthiness_is_that_of_scikit_learn_where_distances_differ(metric):
    generator = np.random.default_rng(0)
    # Positive, since features of opposite signs are all as far apart by some metrics.
    rows, placed = np.abs(generator.normal(size=(120, 5))), generator.normal(size=(120, 2))
    for k in (1, 5, 40):
        ours = charta.trustworthiness(rows, placed, n_neighbors=k, metric=metric)
        assert ours == pytest.approx(manifold.trustworthiness(rows, placed, n_neighbors=k, metric=metric), abs=1e-14)
        assert ours == charta.trustworthiness(metrics.pairwise_distances(rows, metric=metric), placed, n_neighbors=k, metric="precomputed")
    for wrong in (0, 60, 2.5, True):
        with pytest.raises(ValueError, match="n_neighbors"):
            charta.trustworthiness(rows, placed, n_neighbors=wrong)


@pytest.mark.parametrize("name", ["Isomap", "LocallyLinearEmbedding", "ModifiedLLE", "LTSA", "LPP", "NPE", "DiffusionMap", "SpectralClustering"])
def test_a_default_number_of_neighbors_is_lowered_and_one_that_was_given_is_not(name):
    rows = np.random.default_rng(0).normal(size=(5, 4))
    made = getattr(charta, name)
    settings = {"affinity": "nearest_neighbors", "n_clusters": 2} if name == "SpectralClustering" else {}
    if made().n_neighbors > 5 - (name != "SpectralClustering"):
        with pytest.warns(charta.ChartaWarning, match="`n_neighbors` is . in place of the default"):
            made(**settings).fit(rows)
    with pytest.raises(ValueError, match="n_neighbors"):
        made(n_neighbors=made().n_neighbors + 20, **settings).fit(rows)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("Isomap", {"max_iter": -5}),
        ("Isomap", {"path_method": "dijkstra"}),
        ("Isomap", {"eigen_solver": "lobpcg"}),
        ("LocallyLinearEmbedding", {"max_iter": 0}),
        ("LocallyLinearEmbedding", {"tol": -1.0}),
        ("SpectralEmbedding", {"eigen_solver": "dense"}),
        ("SpectralEmbedding", {"eigen_tol": -1e-3}),
        ("SpectralClustering", {"assign_labels": "best"}),
        ("SpectralClustering", {"eigen_tol": "small"}),
        ("KernelPCA", {"max_iter": -5}),
        ("KernelPCA", {"iterated_power": -1}),
        ("KernelPCA", {"remove_zero_eig": "yes"}),
        ("MDS", {"normalized_stress": "sometimes"}),
        ("MDS", {"max_iter": -5}),
    ],
)
def test_parameters_that_change_nothing_are_checked_all_the_same(name, wrong, iris):
    [parameter] = wrong
    with pytest.raises((ValueError, TypeError), match=f"`{parameter}`"):
        getattr(charta, name)(**wrong).fit(np.asarray(iris[0])[::5])


def test_a_tolerance_of_zero_is_that_of_the_machine(iris):
    rows = np.asarray(iris[0])[::5]
    for name in ("Isomap", "KernelPCA"):
        np.testing.assert_allclose(getattr(charta, name)(tol=0).fit(rows).embedding_, getattr(charta, name)().fit(rows).embedding_, atol=1e-7)
    with pytest.warns(charta.ChartaWarning, match="`n_components` is 29"):
        assert charta.KernelPCA(100, kernel="rbf").fit(rows).n_components_ == 29

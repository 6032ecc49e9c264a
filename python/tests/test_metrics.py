"""Metrics: the values of scipy and umap-learn, their parameters, and compiled functions."""

import ctypes

import numpy as np
import pytest

import charta

scipy_distance = pytest.importorskip("scipy.spatial.distance")

REAL = ["euclidean", "cityblock", "chebyshev", "canberra", "braycurtis", "cosine", "correlation", "seuclidean", "mahalanobis", "hamming"]
BINARY = ["dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]


@pytest.fixture(scope="module")
def rows():
    draw = np.random.default_rng(3)
    return np.abs(draw.normal(size=(60, 7))) * (draw.random((60, 7)) < 0.7) + 0.01 * (np.arange(7) == 3)


def found(X, metric, **options):
    """The distances to the 10 nearest samples, by the search of the engine."""
    return charta.nearest_neighbors(X, 10, metric=metric, **options)[1]


def nearest(matrix):
    matrix = matrix.copy()
    np.fill_diagonal(matrix, np.inf)
    return np.sort(matrix, axis=1)[:, :10]


@pytest.mark.parametrize("metric", REAL)
def test_values_of_scipy(rows, metric):
    expected = nearest(scipy_distance.squareform(scipy_distance.pdist(rows, metric)))
    np.testing.assert_allclose(found(rows, metric), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", BINARY)
def test_values_of_scipy_for_yes_and_no(rows, metric):
    X = (rows > 0.6).astype(float)
    X = X[X.any(axis=1)]
    matrix = scipy_distance.squareform(scipy_distance.pdist(X.astype(bool), metric))
    alike = (X[:, None] == X[None]).all(axis=2)
    np.testing.assert_allclose(found(X, metric), nearest(np.where(alike, 0, matrix)), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("metric", ["matching", "kulsinski", "sokalmichener", "hellinger", "ll_dirichlet", "haversine", *BINARY])
def test_values_of_umap_learn(rows, metric):
    distances = pytest.importorskip("umap.distances")
    X = {"hellinger": rows, "ll_dirichlet": np.round(4 * rows), "haversine": rows[:, :2]}.get(metric, (rows > 0.6).astype(float))
    X = X[X.any(axis=1)]
    theirs = distances.named_distances[metric]
    matrix = np.array([[theirs(one, other) for other in X] for one in X])
    # Their Gamma function is an approximation, and their roots of differences lose digits.
    np.testing.assert_allclose(found(X, metric), nearest(matrix), rtol=1e-3 if metric == "ll_dirichlet" else 1e-6, atol=2e-2 if metric == "ll_dirichlet" else 1e-7)


@pytest.mark.parametrize("metric", ["canberra", "braycurtis", "hellinger", "matching", "dice", "kulsinski", "russellrao", "seuclidean"])
def test_sparse_rows_have_the_same_distances(rows, metric):
    sparse = pytest.importorskip("scipy.sparse")
    np.testing.assert_allclose(found(sparse.csr_matrix(rows), metric), found(rows, metric), rtol=1e-12)


def test_rows_without_such_a_distance_are_refused(rows):
    with pytest.raises(ValueError, match="latitude and longitude"):
        found(rows, "haversine")
    with pytest.raises(ValueError, match="0 or more"):
        found(rows - 1, "hellinger")


def test_every_class_with_a_metric_takes_them(rows):
    for name in ("UMAP", "TSNE", "PaCMAP", "Isomap"):
        made = getattr(charta, name)
        parameter = "metric" if "metric" in made().get_params() else "distance"
        estimator = made(n_components=2, **{parameter: "canberra"}).fit(rows)
        assert estimator.transform(rows[:3]).shape == (3, 2)


def test_parameters_of_the_metric(rows):
    def umap(metric, **kwds):
        return charta.UMAP(metric=metric, metric_kwds=kwds or None, n_epochs=20).fit_transform(rows)

    np.testing.assert_array_equal(umap("minkowski", p=1), umap("manhattan"))
    variances = rows.var(axis=0, ddof=1)
    np.testing.assert_allclose(umap("seuclidean", V=variances), umap("seuclidean"), atol=1e-3)
    np.testing.assert_array_equal(umap("mahalanobis", V=np.diag(variances)), umap("seuclidean", V=variances))
    with pytest.raises(TypeError):
        umap("canberra", p=3)
    with pytest.raises(ValueError, match="shape"):
        umap("seuclidean", V=variances[:3])


def city_block(a, b, n):
    total = 0.0
    for i in range(n):
        total += abs(a[i] - b[i])
    return total


def test_a_function_compiled_by_numba(rows):
    numba = pytest.importorskip("numba")
    number = numba.types.float64
    pointer = numba.types.CPointer(number)
    compiled = numba.cfunc(number(pointer, pointer, numba.types.int64))(city_block)
    for n_jobs in (1, 2):
        by_function = charta.UMAP(metric=compiled, n_epochs=20, n_jobs=n_jobs).fit(rows)
        by_name = charta.UMAP(metric="manhattan", n_epochs=20).fit(rows)
        np.testing.assert_allclose(by_function.embedding_, by_name.embedding_, atol=1e-4)
        np.testing.assert_allclose(by_function.transform(rows[:4] + 0.1), by_name.transform(rows[:4] + 0.1), atol=1e-3)
    wrong = numba.cfunc(number(pointer, number))(lambda a, b: a[0] + b)
    with pytest.raises(ValueError, match="signature"):
        charta.UMAP(metric=wrong).fit(rows)


def test_a_function_pointer_of_ctypes(rows):
    pointer = ctypes.POINTER(ctypes.c_double)
    compiled = ctypes.CFUNCTYPE(ctypes.c_double, pointer, pointer, ctypes.c_int64)(city_block)
    by_function = charta.Isomap(metric=compiled, n_neighbors=20).fit_transform(rows)
    np.testing.assert_allclose(by_function, charta.Isomap(metric="manhattan", n_neighbors=20).fit_transform(rows), atol=1e-8)
    wrong = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda a: a)
    with pytest.raises(ValueError, match="signature"):
        charta.Isomap(metric=wrong).fit(rows)

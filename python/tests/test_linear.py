"""charta.linear, the matrices of fits and rows drawn from models, against numpy and scipy."""

import numpy as np
import pytest
from scipy import stats

import charta
from charta import linear


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(60, 4)) @ np.diag([3, 1, 0.5, 2]) + 5


def test_eigenvectors_are_those_of_numpy():
    for matrix in ([[3, 5], [2, 1]], [[3, 4], [4, 3]], [[0, -1], [1, 0]], np.random.default_rng(1).normal(size=(9, 9))):
        found = linear.eigen(matrix)
        theirs = np.linalg.eigvals(np.asarray(matrix, dtype=float))
        order = np.lexsort((-theirs.imag, -theirs.real))
        np.testing.assert_allclose(found.values, theirs[order], atol=1e-10)
        np.testing.assert_allclose(matrix @ found.vectors, found.vectors * found.values, atol=1e-10)
    assert linear.eigen("3 4; 4 3").symmetric
    with pytest.raises(ValueError, match="2 × 3"):
        linear.eigen(np.ones((2, 3)))


def test_decompositions_are_those_of_numpy(rows):
    found = linear.svd(rows, rank=2)
    u, values, vt = np.linalg.svd(rows, full_matrices=False)
    np.testing.assert_allclose(found.values, values, rtol=1e-12)
    np.testing.assert_allclose(np.abs(found.V), np.abs(vt.T), atol=1e-10)
    np.testing.assert_allclose(found.approximation, u[:, :2] * values[:2] @ vt[:2], atol=1e-10)
    assert found.condition_number == pytest.approx(np.linalg.cond(rows))
    np.testing.assert_allclose(linear.pseudo_inverse(rows), np.linalg.pinv(rows), atol=1e-12)
    deficient = np.c_[rows, rows[:, 0]]
    np.testing.assert_allclose(linear.pseudo_inverse(deficient), np.linalg.pinv(deficient), atol=1e-10)
    with pytest.raises(ValueError, match="rank"):
        linear.svd(rows, rank=5)


def test_least_squares_are_those_of_numpy(rows):
    y = np.sin(rows[:, 0])
    for x in (rows, np.c_[rows, rows[:, 1] * 2]):
        weights, _, rank, values = np.linalg.lstsq(x, y, rcond=None)
        found = linear.least_squares(x, y)
        np.testing.assert_allclose(found.weights, weights, atol=1e-10)
        np.testing.assert_allclose(found.residuals, y - x @ weights, atol=1e-10)
        assert found.rank == rank
    with_ones = np.linalg.lstsq(np.c_[rows, np.ones(60)], y, rcond=None)[0]
    found = linear.least_squares(rows, y, intercept=True)
    np.testing.assert_allclose([*found.weights, found.intercept], with_ones, atol=1e-10)
    several = linear.least_squares(rows, np.c_[y, y**2])
    assert several.weights.shape == (4, 2) and several.residual_squares.shape == (2,)


def test_covariances_are_those_of_numpy(rows):
    np.testing.assert_allclose(linear.covariance(rows), np.cov(rows.T), rtol=1e-10)
    np.testing.assert_allclose(linear.covariance(rows, population=True), np.cov(rows.T, bias=True), rtol=1e-10)
    np.testing.assert_allclose(linear.correlation(rows), np.corrcoef(rows.T), rtol=1e-10)
    y = np.arange(60) % 3
    within = sum((rows[y == c] - rows[y == c].mean(0)).T @ (rows[y == c] - rows[y == c].mean(0)) for c in range(3))
    np.testing.assert_allclose(linear.scatter(rows, y, part="within"), within, rtol=1e-9)
    np.testing.assert_allclose(linear.scatter(rows, y, part="between") + within, linear.scatter(rows), rtol=1e-9)
    with pytest.raises(ValueError, match="y"):
        linear.scatter(rows, part="within")


def test_a_line_is_measured_as_by_hand(rows):
    direction, through = np.array([1, 0.3, 0, 0]), np.array([5, 5, 5, 4.0])
    found = linear.line(rows, direction, through=through)
    v = direction / np.linalg.norm(direction)
    feet = through + np.outer((rows - through) @ v, v)
    np.testing.assert_allclose(found.chosen.feet, feet, atol=1e-12)
    assert found.chosen.error == pytest.approx(((rows - feet) ** 2).sum())
    values = np.linalg.svd(rows - rows.mean(0))[1]
    assert found.best.error == pytest.approx((values[1:] ** 2).sum())


def test_angle_sums_tell_a_sphere_from_a_plane_and_a_saddle():
    random = np.random.default_rng(3)
    sphere = random.normal(size=(1200, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    flat = random.uniform(-1, 1, size=(1200, 2))
    saddle = np.c_[flat, flat[:, 0] ** 2 - flat[:, 1] ** 2]
    assert linear.angles(sphere)["verdict"] == "positive"
    assert linear.angles(flat)["verdict"] == "flat"
    assert linear.angles(saddle)["verdict"] == "negative"


def mardia(x):
    """Mardia's statistics by their definitions."""
    n, d = x.shape
    z = (x - x.mean(0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(x.T, bias=True))).T
    g = z @ z.T
    skewness, kurtosis = (g**3).sum() / n**2, (np.diag(g) ** 2).mean()
    factor = (d + 1) * (n + 1) * (n + 3) / (n * ((n + 1) * (d + 1) - 6))
    skewness_p = stats.chi2.sf(factor * n * skewness / 6, d * (d + 1) * (d + 2) / 6)
    mean = d * (d + 2) * (n - 1) / (n + 1)
    variance = 8 * d * (d + 2) * (n - 3) * (n - d - 1) * (n - d + 1) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    return skewness, kurtosis, skewness_p, 2 * stats.norm.sf(abs(kurtosis - mean) / np.sqrt(variance))


def test_mardias_tests_are_those_of_the_definitions(rows):
    for x in (rows, rows**2, rows[:9], np.random.default_rng(5).exponential(size=(30, 8))):
        found = linear.normality(x)["all"]
        ours = [found[name] for name in ("skewness", "kurtosis", "skewness_p", "kurtosis_p")]
        np.testing.assert_allclose(ours, mardia(x), rtol=1e-7, atol=1e-12)


def test_normality_stays_under_a_linear_map_and_classes_are_warned_of(rows):
    x = np.random.default_rng(2).normal(size=(200, 3))
    mapped = x @ np.array([[2.0, 1, 0], [0, 1, 5], [1, 0, 1]]) + 3
    for name, value in linear.normality(x)["all"].items():
        assert linear.normality(mapped)["all"][name] == pytest.approx(value, rel=1e-6)
    x[100:, 0] = np.exp(2 * x[100:, 0])
    y = np.repeat(["bell", "skew"], 100)
    with pytest.warns(charta.ChartaWarning, match="skew"):
        assert linear.normality(x, y)["not_normal"] == ["skew"]


@pytest.mark.parametrize(
    "estimator",
    [charta.Isomap(n_neighbors=10), charta.LocallyLinearEmbedding(n_neighbors=12), charta.LaplacianEigenmaps(normalization="unnormalized")],
    ids=lambda estimator: type(estimator).__name__,
)
def test_manifold_methods_are_kernel_pca_with_the_kernel_of_their_steps(estimator):
    x, _ = charta.swiss_roll(300)
    layout = estimator.fit_transform(x)
    steps = estimator.steps(x)
    again = charta.KernelPCA(2, kernel="precomputed").fit_transform(steps["kernel"])
    for ours, theirs in zip(layout.T, again.T):
        ours, theirs = ours - ours.mean(), theirs - theirs.mean()
        cosine = ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs)
        assert 1 - abs(cosine) < 1e-6


def test_steps_are_what_their_formulas_say():
    x, y = charta.iris()
    x = np.unique(x, axis=0)
    lle = charta.LocallyLinearEmbedding(n_neighbors=10).steps(x)
    rest = np.eye(len(x)) - lle["W"]
    np.testing.assert_allclose(lle["W"].sum(1), 1, atol=1e-12)
    np.testing.assert_allclose(lle["M"], rest.T @ rest, atol=1e-12)
    assert set(lle.formulas) == set(lle)
    isomap = charta.Isomap(n_neighbors=10).steps(x)
    centre = np.eye(len(x)) - 1 / len(x)
    np.testing.assert_allclose(isomap["B"], -0.5 * centre @ isomap["D"] ** 2 @ centre, atol=1e-9)
    assert (isomap["D"] <= isomap["graph"] + np.where(isomap["graph"] == 0, np.inf, 1e-12)).all()
    laplacian = charta.LaplacianEigenmaps(n_neighbors=10).steps(x)
    np.testing.assert_allclose(laplacian["L"], laplacian["D"] - laplacian["W"], atol=1e-12)
    np.testing.assert_allclose(np.diag(laplacian["D"]), laplacian["W"].sum(1), atol=1e-12)
    kernel = charta.KernelPCA(2, kernel="rbf").steps(x)
    np.testing.assert_allclose(kernel["K_centred"], centre @ kernel["K"] @ centre, atol=1e-9)
    x, y = charta.iris()
    lda = charta.LinearDiscriminantAnalysis().steps(x, y)
    np.testing.assert_allclose(lda["S_within"] + lda["S_between"], linear.scatter(x), rtol=1e-9)
    np.testing.assert_allclose(charta.PCA().steps(x)["covariance"], np.cov(x.T), rtol=1e-9)
    with pytest.raises(ValueError, match="matrices"):
        charta.UMAP().steps(x)


@pytest.mark.parametrize("name", ["NeighborhoodPreservingEmbedding", "LocalityPreservingProjections"])
def test_forms_of_linear_maps_give_their_axes(name):
    x, _ = charta.iris()
    known = {"NeighborhoodPreservingEmbedding": ("NPE", "XtMX", "XtX", "M"), "LocalityPreservingProjections": ("LPP", "XtLX", "XtDX", "L")}[name]
    estimator = getattr(charta, known[0])(2).fit(x)
    steps = estimator.steps(x)
    centred = x - x.mean(0)
    np.testing.assert_allclose(steps[known[1]], centred.T @ steps[known[3]] @ centred, atol=1e-8)
    for axis in np.asarray(estimator.components_, dtype=float):
        left, right = steps[known[1]] @ axis, steps[known[2]] @ axis
        quotient = (axis @ left) / (axis @ right)
        np.testing.assert_allclose(left, quotient * right, atol=1e-6 * np.abs(right).max())


def test_rows_drawn_have_the_covariance_of_the_model():
    x, _ = charta.iris()
    for estimator in (charta.FactorAnalysis(2), charta.PCA(2), charta.PCA(4)):
        estimator.fit(x)
        drawn = estimator.sample(200_000, random_state=1)
        assert drawn.shape == (200_000, 4)
        np.testing.assert_allclose(drawn.mean(0), x.mean(0), atol=0.02)
        expected = estimator.get_covariance()
        error = 5 * np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / 200_000)
        assert (np.abs(np.cov(drawn.T) - expected) < error).all()
        np.testing.assert_array_equal(estimator.sample(5, random_state=1), drawn[:5])
    assert not hasattr(charta.Isomap(), "sample")
    with pytest.raises(ValueError, match="n_samples"):
        charta.PCA(2).fit(x).sample(0)

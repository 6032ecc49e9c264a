"""Linear methods as scikit-learn's users call them: weights of samples, initial factors, matrices of random projections."""

import numpy as np
import pytest

import charta

scipy_sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture(scope="module")
def amounts():
    """Samples without negative values."""
    return np.random.default_rng(3).random((30, 8))


def weighted(rows):
    weights = np.arange(len(rows)) % 3
    return weights, np.repeat(rows, weights, axis=0)


@pytest.mark.parametrize("given", [{}, {"whiten": True}, {"scale": True}, {"svd_solver": "randomized", "n_components": 2}])
def test_a_sample_of_weight_two_counts_as_two(iris, given):
    weights, repeated = weighted(iris[0])
    model = charta.PCA(**given).fit(iris[0], sample_weight=weights)
    expected = charta.PCA(**given).fit(repeated)
    for name in ("components_", "mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "noise_variance_"):
        np.testing.assert_allclose(getattr(model, name), getattr(expected, name), atol=1e-6)
    np.testing.assert_allclose(charta.PCA(**given).fit_transform(iris[0], sample_weight=weights), expected.transform(iris[0]), atol=1e-5)
    rows = scipy_sparse.csr_matrix(iris[0])
    np.testing.assert_allclose(charta.PCA(**given).fit(rows, sample_weight=list(weights)).mean_, expected.mean_)


def test_weights_that_do_not_fit_are_refused(iris):
    rows, classes = iris
    for wrong in (np.ones(3), -np.ones(150), np.ones((150, 2)), np.full(150, np.nan), np.zeros(150)):
        with pytest.raises(ValueError):
            charta.PCA().fit(rows, sample_weight=wrong)
    assert charta.PCA().fit(rows, sample_weight=np.arange(150) < 3).n_components_ == 3
    with pytest.raises(TypeError):
        charta.PCA().fit(rows, sample_weight=["many"] * 150)
    with pytest.raises(TypeError, match="sample_weight"):
        charta.FactorAnalysis().fit(rows, sample_weight=np.ones(150))
    np.testing.assert_allclose(charta.PCA().fit(rows, sample_weight=2.0).components_, charta.PCA().fit(rows).components_, atol=1e-9)


@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_nmf_starts_from_the_factors_given(amounts, solver):
    draw = np.random.default_rng(5)
    W, H = draw.random((30, 3)), draw.random((3, 8))
    model = charta.NMF(init="custom", solver=solver, max_iter=2000, tol=1e-6)
    weights = model.fit_transform(amounts, W=W, H=H)
    assert weights.shape == (30, 3) and model.initialization_ == "given" and (weights >= 0).all()
    other = charta.NMF(3, max_iter=2000, tol=1e-6).fit(amounts)
    assert model.reconstruction_err_ == pytest.approx(other.reconstruction_err_, rel=0.05)
    with pytest.raises(ValueError):
        model.fit(amounts)
    with pytest.raises(ValueError):
        model.fit(amounts, W=-W, H=H)
    with pytest.raises(ValueError):
        model.fit(amounts, W=W[:5], H=H)
    with pytest.warns(RuntimeWarning):
        charta.NMF(2).fit(amounts, H=H)


def test_components_that_stay_get_the_weights_of_transform(amounts):
    H = np.random.default_rng(5).random((3, 8))
    weights, components, _ = charta.non_negative_factorization(amounts, H=H, update_H=False)
    np.testing.assert_allclose(components, H)
    first, components, n_iter = charta.non_negative_factorization(amounts, n_components=3)
    assert n_iter > 1
    again, _, _ = charta.non_negative_factorization(amounts, H=components, update_H=False)
    np.testing.assert_allclose(again, first, rtol=1e-6, atol=1e-9)
    assert ((amounts - weights @ H) ** 2).sum() < 1.01 * min(((amounts - weights * f @ H) ** 2).sum() for f in (0.9, 1.1))


@pytest.mark.parametrize(("loss", "same"), [("frobenius", 2), ("kullback-leibler", 1.0), ("itakura-saito", 0)])
def test_losses_of_nmf_have_names_and_numbers(amounts, loss, same):
    named = charta.NMF(3, solver="mu", beta_loss=loss).fit(amounts)
    number = charta.NMF(3, solver="mu", beta_loss=same).fit(amounts)
    np.testing.assert_array_equal(named.components_, number.components_)
    between = charta.NMF(3, solver="mu", beta_loss=same + 1e-6).fit(amounts)
    assert between.reconstruction_err_ == pytest.approx(named.reconstruction_err_, rel=0.02)
    with pytest.raises(ValueError):
        charta.NMF(3, solver="mu", beta_loss=-0.5).fit(amounts * (amounts > 0.5))


def test_nmf_has_as_many_components_as_features_unless_it_is_told(amounts):
    assert charta.NMF().fit(amounts[:5]).n_components_ == 8
    assert charta.NMF(12).fit(amounts).components_.shape == (12, 8)
    with pytest.raises(ValueError):
        charta.NMF(12, init="nndsvd").fit(amounts)


@pytest.mark.parametrize("name", ["GaussianRandomProjection", "SparseRandomProjection"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_projections_have_their_matrix(name, dtype):
    rows = np.random.default_rng(0).random((20, 60)).astype(dtype)
    model = getattr(charta, name)(9, compute_inverse_components=True)
    placed = model.fit_transform(rows)
    matrix = model.components_.toarray() if name.startswith("Sparse") else model.components_
    assert model.components_.shape == (9, 60) and model.components_.dtype == dtype
    np.testing.assert_allclose(placed, rows @ matrix.T, atol=1e-5)
    assert model.inverse_components_.shape == (60, 9) and "inverse_components_" in dir(model)
    back = model.inverse_transform(placed)
    np.testing.assert_allclose(back, placed @ model.inverse_components_.T, atol=1e-5)
    np.testing.assert_allclose(model.transform(back), placed, atol=1e-5)
    assert not hasattr(getattr(charta, name)(9).fit(rows), "inverse_components_")


def test_sparse_projections_of_sparse_samples_are_sparse():
    rows = scipy_sparse.random(20, 60, 0.2, "csr", random_state=0)
    for given, kind in ((rows, scipy_sparse.csr_matrix), (scipy_sparse.csr_array(rows), scipy_sparse.csr_array)):
        model = charta.SparseRandomProjection(9)
        placed = model.fit_transform(given)
        assert isinstance(placed, kind)
        np.testing.assert_array_equal(placed.toarray(), model.transform(rows.toarray()))
        assert model.inverse_transform(placed).shape == (20, 60)
        assert isinstance(model.set_params(dense_output=True).transform(given), np.ndarray)


def test_more_components_than_features_are_a_warning():
    exceptions = pytest.importorskip("sklearn.exceptions")
    rows = np.random.default_rng(0).random((20, 6))
    with pytest.warns(exceptions.DataDimensionalityWarning) as caught:
        assert charta.GaussianRandomProjection(9).fit_transform(rows).shape == (20, 9)
    assert issubclass(caught[0].category, charta.DataDimensionalityWarning)
    with pytest.raises(ValueError):
        charta.GaussianRandomProjection().fit(rows[:1])


def test_a_parameter_changed_between_batches_is_an_error(iris):
    model = charta.IncrementalPCA(3).fit(iris[0])
    with pytest.raises(ValueError, match="n_components"):
        model.set_params(n_components=2).partial_fit(iris[0])
    model.set_params(n_components=3).partial_fit(iris[0])
    assert model.n_samples_seen_ == 300


def test_attributes_and_limits_of_latent_variables(iris):
    model = charta.FactorAnalysis(2).fit(iris[0])
    assert model.loglike_[-1] == pytest.approx(model.score_samples(iris[0]).sum())
    with pytest.warns(UserWarning, match="n_components"):
        ica = charta.FastICA(2, whiten=False, max_iter=1000).fit(iris[0] - iris[0].mean(axis=0))
    assert ica.mixing_.shape == (4, 4)
    with pytest.warns(charta.ConvergenceWarning):
        charta.FastICA(2, max_iter=2, tol=0.0).fit(iris[0])
    assert charta.TruncatedSVD(2, tol=0.0).fit(iris[0]).components_.shape == (2, 4)
    assert charta.PCA(svd_solver="arpack").fit(iris[0]).n_components_ == 3
    assert charta.PCA(n_components="mle").fit(np.outer(np.arange(9.0), np.ones(3))).n_components_ == 1


def test_ica_starts_from_the_matrix_given():
    draw = np.random.default_rng(2)
    mixed = draw.uniform(-1, 1, (400, 3)) @ draw.normal(size=(3, 3))
    first = charta.FastICA(3, tol=1e-10, max_iter=500).fit(mixed)
    start = first.components_ @ np.linalg.pinv(first.whitening_)
    again = charta.FastICA(3, w_init=start, tol=1e-6).fit(mixed)
    assert again.n_iter_ < 4
    np.testing.assert_allclose(np.abs(again.components_), np.abs(first.components_), atol=1e-4)
    with pytest.raises(ValueError):
        charta.FastICA(3, w_init=np.eye(2)).fit(mixed)

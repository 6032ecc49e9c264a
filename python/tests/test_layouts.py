"""Neighbour embeddings as the packages have them that made them known: scikit-learn, umap-learn, openTSNE and pacmap."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform

import charta
from support import quick


@pytest.fixture(scope="module")
def start(iris):
    return charta.PCA(2).fit_transform(iris[0])


@pytest.mark.parametrize("name", ["TSNE", "UMAP"])
def test_an_array_takes_the_place_of_an_initialization(name, iris, start):
    rows, _ = iris
    again = [quick(name, init=start).fit_transform(rows) for _ in range(2)]
    np.testing.assert_array_equal(*again)
    assert np.any(again[0] != quick(name).fit_transform(rows))
    # What was given stays as it is, as a list too.
    np.testing.assert_array_equal(again[0], quick(name, init=start.tolist()).fit_transform(rows))
    for bad in (start[:-1], start[:, :1]):
        with pytest.raises(ValueError, match="initial coordinates"):
            quick(name, init=bad).fit(rows)
    with pytest.raises(ValueError, match="`init` must be"):
        quick(name, init=3).fit(rows)


def test_a_map_that_starts_at_a_point_stays_there():
    # Without forces nothing moves: coordinates are used as they are.
    start = np.zeros((60, 2))
    np.testing.assert_array_equal(charta.TSNE(init=start, perplexity=5).fit_transform(np.ones((60, 3))), start)


def test_pacmap_starts_from_an_array_or_a_word(iris, start):
    rows, _ = iris
    given = quick("PaCMAP").fit_transform(rows, init=start)
    np.testing.assert_array_equal(given, quick("PaCMAP", init=start).fit_transform(rows))
    assert np.any(given != quick("PaCMAP").fit_transform(rows))
    drawn = quick("PaCMAP").fit_transform(rows, init="random")
    np.testing.assert_array_equal(drawn, quick("PaCMAP", init="random").fit_transform(rows))
    np.testing.assert_array_equal(quick("PaCMAP").fit_transform(rows, init="pca"), quick("PaCMAP").fit_transform(rows))
    model = charta.PaCMAP(num_iters=(10, 20, 30)).fit(rows, init=start)
    assert model.n_iter_ == 60 and isinstance(model.init, str)
    assert charta.PaCMAP(num_iters=30).fit(rows).n_iter_ == 230
    with pytest.raises(ValueError, match="`num_iters` must be"):
        charta.PaCMAP(num_iters=(1, 2)).fit(rows)
    assert model.transform(rows[:3], basis=rows).shape == (3, 2)


def test_tsne_keeps_the_rules_of_scikit_learn(iris):
    rows, _ = iris
    for perplexity in (150, 151.0):
        with pytest.raises(ValueError, match="must be less than n_samples"):
            charta.TSNE(perplexity=perplexity).fit(rows)
    model = quick("TSNE", angle=0, method="barnes_hut").fit(rows)
    assert model.embedding_.dtype == np.float32 == model.fit_transform(rows).dtype == model.transform(rows[:2]).dtype
    assert model.learning_rate_ == 150 / 12 / 4 and model.n_iter_ == 300
    given = quick("TSNE", learning_rate=80.0).fit(rows)
    assert given.learning_rate_ == 80.0
    assert charta._charta.resolve("tsne", "{}") and given._model.parameters.count("320") == 1


def test_parameters_of_a_metric_are_a_dictionary(iris):
    rows, _ = iris
    covariance = np.cov(rows.T)
    fitted = quick("TSNE", metric="mahalanobis", metric_params={"V": covariance}).fit(rows)
    apart = squareform(pdist(rows, "mahalanobis", VI=np.linalg.inv(covariance)))
    # The engine takes the covariance, and starts from the principal components of the samples.
    given = quick("TSNE", metric="precomputed").fit(apart)
    assert abs(fitted.kl_divergence_ - given.kl_divergence_) < 0.1
    assert fitted.transform(rows[:3] + 0.01).shape == (3, 2)
    by_power = quick("UMAP", metric="minkowski", metric_kwds={"p": 3}).fit_transform(rows)
    np.testing.assert_array_equal(by_power, quick("UMAP", metric="minkowski", p=3.0).fit_transform(rows))
    with pytest.raises(TypeError, match="`metric_params` must be dict or None"):
        quick("TSNE", metric_params=3.0).fit(rows)


@pytest.mark.parametrize("name", ["TSNE", "UMAP"])
def test_sparse_distances_are_neighbours(name, iris):
    rows, _ = iris
    apart = squareform(pdist(rows))
    listed = sparse.csr_matrix(apart)
    whole = quick(name, metric="precomputed", init="random").fit(apart)
    model = quick(name, metric="precomputed", init="random").fit(listed)
    if name == "TSNE":
        # Equal rows have no distance to list: it is another neighbour that they have.
        assert model.embedding_.shape == whole.embedding_.shape
    few = sparse.csr_matrix(np.where(apart < np.sort(apart, axis=1)[:, [40]], apart, 0))
    model = quick(name, metric="precomputed", init="random").fit(few)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(sparse.csr_matrix(cdist(rows[:5] + 0.01, rows)))).all()
    with pytest.raises(ValueError, match="no distance to any sample"):
        model.transform(sparse.csr_matrix((2, 150)))
    with pytest.raises(ValueError, match="square matrix"):
        quick(name, metric="precomputed").fit(listed[:20])


def test_equal_samples_share_their_place(iris):
    rows, classes = iris
    rows = np.vstack([rows, rows[:7], rows[:7]])
    for given in (rows, sparse.csr_matrix(rows)):
        model = quick("UMAP", unique=True).fit(given)
        assert model.embedding_.shape == (164, 2)
        np.testing.assert_array_equal(model.embedding_[:7], model.embedding_[150:157])
        np.testing.assert_array_equal(model.embedding_[:7], model.embedding_[157:])
        np.testing.assert_array_equal(model.transform(given[:7]), model.embedding_[:7])
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.embedding_, model.embedding_)
    labelled = quick("UMAP", unique=True, init=rows[:, :2]).fit_transform(rows, np.append(classes, [0] * 14))
    np.testing.assert_array_equal(labelled[:7], labelled[157:])
    with pytest.raises(ValueError, match="`unique` needs samples"):
        quick("UMAP", unique=True, metric="precomputed").fit(squareform(pdist(rows)))


def test_the_fuzzy_graph_is_symmetric_and_has_the_weights_of_umap_learn(iris):
    rows, classes = iris
    model = charta.UMAP(n_epochs=20).fit(rows)
    graph = model.graph_
    assert sparse.issparse(graph) and graph.shape == (150, 150)
    assert abs(graph - graph.T).max() == 0 and graph.max() == pytest.approx(1) and graph.min() >= 0
    theirs = pytest.importorskip("umap")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = theirs.UMAP(n_epochs=20).fit(rows).graph_
    assert abs(graph - other).sum() < 0.01 * other.sum()
    # The labels of the fit take part.
    assert abs(charta.UMAP(n_epochs=20).fit(rows, classes).graph_ - graph).max() > 0.1


def test_neighbours_found_elsewhere(iris):
    rows, _ = iris
    distances, indices = [], []
    for row in squareform(pdist(rows)):
        indices.append(np.argsort(row, kind="stable")[:20])
        distances.append(row[indices[-1]])
    knn = (np.array(indices), np.array(distances))
    own = charta.UMAP(n_epochs=20).fit(rows)
    for given in (knn, (*knn, None)):
        model = charta.UMAP(n_epochs=20, precomputed_knn=given).fit(rows)
        assert abs(model.graph_ - own.graph_).max() < 1e-5
    assert model.transform(rows[:3]).shape == (3, 2)
    with pytest.warns(UserWarning, match="fewer than `n_neighbors`"):
        charta.UMAP(30, n_epochs=20, precomputed_knn=knn).fit(rows)
    with pytest.warns(UserWarning, match="has 150 samples"):
        charta.UMAP(n_epochs=20, precomputed_knn=knn).fit(rows[:100])
    for bad, kind in (((knn[0], knn[1][:, :3]), ValueError), ((knn[0].tolist(), knn[1]), ValueError), (5, TypeError)):
        with pytest.raises(kind, match="precomputed_knn"):
            charta.UMAP(precomputed_knn=bad).fit(rows)


def test_the_curve_may_be_given(iris):
    rows, _ = iris
    model = quick("UMAP", a=1.5, b=0.8).fit(rows)
    assert (model.a_, model.b_, model._a, model._b) == (1.5, 0.8, 1.5, 0.8)
    assert np.any(model.embedding_ != quick("UMAP").fit_transform(rows))
    for one in ("a", "b"):
        with pytest.raises(ValueError, match="given together"):
            quick("UMAP", **{one: 1.0}).fit(rows)


def test_samples_without_a_neighbour_have_no_place(iris):
    rows = np.vstack([iris[0], [[100.0, 0, 0, 0]]])
    with pytest.warns(UserWarning, match="A few of your vertices"):
        places = quick("UMAP", disconnection_distance=50).fit_transform(rows)
    assert np.isnan(places[-1]).all() and np.isfinite(places[:-1]).all()
    assert np.isfinite(quick("UMAP").fit_transform(rows)).all()


def test_local_radii_are_reported(iris):
    rows, _ = iris
    places, own, embedded = quick("UMAP", densmap=True, output_dens=True).fit_transform(rows)
    assert places.shape == (150, 2) and own.shape == embedded.shape == (150,)
    plain = quick("UMAP", output_dens=True).fit(rows)
    np.testing.assert_allclose(plain.rad_orig_, own, rtol=1e-5)
    # The map of a fit that only reports them is the same.
    np.testing.assert_array_equal(plain.embedding_, quick("UMAP").fit_transform(rows))
    with pytest.raises(AttributeError, match="rad_emb_"):
        quick("UMAP").fit(rows).rad_emb_


def test_targets_of_every_kind(iris):
    rows, classes = iris
    names = np.array(["setosa", "versicolor", "virginica"])[classes]
    plain = quick("UMAP").fit_transform(rows)
    maps = [quick("UMAP", target_metric=word).fit_transform(rows, y) for word, y in (("categorical", classes), ("ordinal", classes), ("count", classes), ("string", names))]
    maps.append(quick("UMAP", target_metric="l1", target_n_neighbors=10).fit_transform(rows, classes.astype(float)))
    maps.append(quick("UMAP", target_metric="l1").fit_transform(rows, classes.astype(float)))
    for places in maps:
        assert np.isfinite(places).all() and np.any(places != plain)
    assert np.any(maps[-1] != maps[-2])
    with pytest.raises(ValueError, match="whole numbers"):
        quick("UMAP", target_metric="count").fit(rows, classes + 0.5)
    with pytest.raises(ValueError, match="target_n_neighbors"):
        quick("UMAP", target_n_neighbors=1).fit(rows)


def test_samples_can_be_added(iris):
    rows, classes = iris
    chosen = np.arange(150) % 4 > 0
    for given in (rows, sparse.csr_matrix(rows)):
        model = charta.UMAP(n_epochs=50).fit(given[chosen])
        before = model.embedding_
        model.update(given[~chosen])
        assert model.embedding_.shape == (150, 2)
        order = np.append(np.flatnonzero(chosen), np.flatnonzero(~chosen))
        whole = charta.UMAP(n_epochs=50).fit(given[order])
        assert abs(model.graph_ - whole.graph_).max() < 1e-6
    # The map is turned no more than it must be.
    assert np.corrcoef(before[:, 0], model.embedding_[: chosen.sum(), 0])[0, 1] > 0.9
    with pytest.raises(ValueError, match="labels of the new samples"):
        charta.UMAP(n_epochs=20).fit(rows, classes).update(rows)
    with pytest.raises(ValueError, match="needs samples"):
        charta.UMAP(n_epochs=20, metric="precomputed").fit(squareform(pdist(rows))).update(squareform(pdist(rows)))
    with pytest.raises(charta.NotFittedError):
        charta.UMAP().update(rows)


def test_the_signature_is_that_of_umap_learn():
    import inspect

    theirs = pytest.importorskip("umap")
    names = list(inspect.signature(theirs.UMAP).parameters)
    assert list(inspect.signature(charta.UMAP).parameters)[: len(names)] == names
    assert list(charta.UMAP(n_epochs=20).fit(charta.iris()[0]).get_feature_names_out()) == ["umap0", "umap1"]


def test_the_divergence_on_digits_is_that_of_the_others():
    """What default settings reach, by one formula, is at most 1 % above the best of scikit-learn (0.710) and openTSNE (0.704)."""
    rows = np.asarray(charta.digits()[0], dtype=float)
    affinities = _affinities(rows, 30.0)
    places = np.asarray(charta.TSNE().fit_transform(rows), dtype=float)
    near = 1 / (1 + cdist(places, places, "sqeuclidean"))
    np.fill_diagonal(near, 0)
    near /= near.sum()
    positive = affinities > 0
    assert np.sum(affinities[positive] * np.log(affinities[positive] / near[positive])) < 1.01 * 0.704


def _affinities(rows, perplexity):
    """Symmetric Gaussian affinities of one perplexity over all pairs, by bisection of all rows at once."""
    squares = squareform(pdist(rows, "sqeuclidean"))
    np.fill_diagonal(squares, np.inf)
    squares -= squares.min(axis=1, keepdims=True)
    low, high = np.full(len(rows), 1e-8), np.full(len(rows), 1e4)
    for _ in range(60):
        middle = np.sqrt(low * high)
        weights = np.exp(-squares * middle[:, None])
        weights /= weights.sum(axis=1, keepdims=True)
        entropy = -np.sum(weights * np.log(np.maximum(weights, 1e-300)), axis=1)
        low, high = np.where(entropy > np.log(perplexity), middle, low), np.where(entropy > np.log(perplexity), high, middle)
    return (weights + weights.T) / (2 * len(rows))

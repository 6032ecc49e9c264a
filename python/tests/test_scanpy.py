"""Annotated data beside scanpy: neighbour graphs that scanpy goes on from, maps of graphs that scanpy made, and new cells on the map of a reference."""

import numpy as np
import pytest

anndata = pytest.importorskip("anndata")
pytest.importorskip("scipy")

import charta  # noqa: E402
import charta.anndata as cells  # noqa: E402


@pytest.fixture
def data():
    X, y = charta.digits()
    made = anndata.AnnData(X[:500].astype(np.float32))
    made.obs["digit"] = y[:500].astype(int).astype(str)
    cells.pca(made, n_components=20)
    return made


def test_neighbours_are_written_as_scanpy_writes_them(data):
    assert cells.neighbors(data, 12, random_state=1) is None
    described = data.uns["neighbors"]
    assert described["distances_key"] == "distances" and described["connectivities_key"] == "connectivities"
    assert described["params"] == {"n_neighbors": 12, "method": "umap", "metric": "euclidean", "random_state": 1}
    distances, weights = data.obsp["distances"], data.obsp["connectivities"]
    assert distances.shape == weights.shape == (500, 500)
    assert (np.diff(distances.indptr) == 11).all() and distances.has_sorted_indices
    assert abs(weights - weights.T).max() == 0 and 0 < weights.data.min() and weights.data.max() <= 1
    cells.neighbors(data, 5, key_added="few", n_pcs=5)
    assert data.uns["few"]["params"]["n_pcs"] == 5 and "few_connectivities" in data.obsp
    with pytest.raises(ValueError, match="n_neighbors"):
        cells.neighbors(data, 501)
    assert "distances" in cells.neighbors(data, 7, copy=True).obsp


def test_umap_embeds_the_graph_that_is_there(data):
    plain = cells.umap(data.copy(), n_neighbors=12, n_epochs=50)
    cells.neighbors(data, 12)
    estimator = cells.umap(data, n_epochs=50)
    assert estimator.n_neighbors == 12
    # The same graph, found before instead of during the fit: a map as good, if not the same in the last digits.
    rows = data.obsm["X_pca"]
    assert abs(charta.trustworthiness(rows, estimator.embedding_) - charta.trustworthiness(rows, plain.embedding_)) < 0.01
    assert estimator.transform(data.obsm["X_pca"][:3]).shape == (3, 2)
    cells.neighbors(data, 5, key_added="few")
    assert cells.umap(data, neighbors_key="few", n_epochs=20).n_neighbors == 5
    assert cells.umap(data, n_neighbors=7, n_epochs=20).n_neighbors == 7
    with pytest.raises(ValueError, match="neighbors_key"):
        cells.umap(data, neighbors_key="none")


def test_new_cells_are_placed_on_the_map_of_a_reference(data):
    known, new = data[:400].copy(), data[400:].copy()
    cells.pca(known, n_components=20)
    cells.umap(known, n_epochs=100)
    before = known.obsm["X_umap"].copy()
    del new.obs["digit"]
    cells.ingest(new, known, obs="digit")
    np.testing.assert_array_equal(known.obsm["X_umap"], before)
    assert new.obsm["X_umap"].shape == (100, 2) and new.obsm["X_pca"].shape == (100, 20)
    assert (new.obs["digit"].astype(str) == data.obs["digit"][400:].astype(str)).mean() > 0.8
    # Each near the cells of its digit.
    classes = known.obs["digit"].astype(str).to_numpy()
    apart = ((new.obsm["X_umap"][:, None] - before[None]) ** 2).sum(axis=2)
    assert (classes[apart.argmin(axis=1)] == data.obs["digit"][400:].astype(str).to_numpy()).mean() > 0.8
    # Known cells get their places.
    again = cells.ingest(known, known, use_rep="X_pca", copy=True)
    np.testing.assert_allclose(again.obsm["X_umap"], before, atol=1e-3)
    with pytest.raises(ValueError, match="X_tsne"):
        cells.ingest(new, known, embedding="tsne")


def test_scanpy_goes_on_from_the_graph(data):
    scanpy = pytest.importorskip("scanpy")
    cells.neighbors(data, 15)
    charted = data.obsp["connectivities"].copy()
    scanpy.tl.umap(data, maxiter=20)
    assert data.obsm["X_umap"].shape == (500, 2)
    scanpy.tl.diffmap(data, n_comps=5)
    if pytest.importorskip("igraph"):
        scanpy.tl.leiden(data, flavor="igraph", n_iterations=2)
        assert 5 <= len(data.obs["leiden"].cat.categories) <= 30
    scanpy.pp.neighbors(data, n_neighbors=15)
    theirs = data.obsp["connectivities"]
    assert abs(theirs - charted).max() < 0.05
    assert cells.umap(data, n_epochs=20).n_neighbors == 15

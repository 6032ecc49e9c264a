"""Pictures of fits, of their input and of images; analyses with pictures; comparisons; explanations."""

import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import charta
from charta._plot import number


BINARY = os.environ.get("CHARTA_BINARY")


def svg(picture):
    return picture.to_bytes("svg").decode()


@pytest.fixture(scope="module")
def roll():
    return charta.swiss_roll(500, noise=0.0, random_state=0)


@pytest.fixture(scope="module")
def isomap(roll):
    return charta.Isomap(n_neighbors=8, n_components=3).fit(roll[0])


def test_the_graph_and_the_shortest_path_are_those_of_scipy(roll, isomap):
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    sparse = pytest.importorskip("scipy.sparse")
    pairs, lengths = isomap.neighbor_graph()
    assert pairs.shape == (len(lengths), 2)
    np.testing.assert_allclose(np.linalg.norm(roll[0][pairs[:, 0]] - roll[0][pairs[:, 1]], axis=1), lengths, atol=1e-9)
    graph = sparse.coo_matrix((lengths, pairs.T), shape=(500, 500))
    low, high = int(np.argmin(roll[1])), int(np.argmax(roll[1]))
    path = isomap.shortest_path(low, high)
    assert path.rows[0] == low and path.rows[-1] == high
    assert path.length == pytest.approx(csgraph.dijkstra(graph, directed=False, indices=low)[high])
    assert path.input_distance == pytest.approx(np.linalg.norm(roll[0][low] - roll[0][high]))
    assert path.map_distance == pytest.approx(np.linalg.norm(isomap.embedding_[low] - isomap.embedding_[high]))
    assert path.input_distance < path.map_distance < 1.2 * path.length
    with pytest.raises(ValueError, match="`b` must be a sample from 0 to 499, got 500"):
        isomap.shortest_path(0, 500)


def test_a_copy_needs_the_samples_for_its_graph(roll, isomap):
    copy = pickle.loads(pickle.dumps(isomap))
    with pytest.raises(ValueError, match="give them as `X`"):
        copy.shortest_path(0, 1)
    np.testing.assert_array_equal(copy.shortest_path(0, 40, roll[0]).rows, isomap.shortest_path(0, 40).rows)
    assert not hasattr(charta.PCA(2), "shortest_path")


def test_samples_of_different_components_have_no_path():
    rows = np.concatenate([np.random.default_rng(0).normal(size=(30, 2)), np.random.default_rng(1).normal(size=(30, 2)) + 100])
    fitted = charta.SpectralEmbedding(n_neighbors=5, disconnected="largest").fit(rows)
    with pytest.raises(ValueError, match="different connected components"):
        fitted.shortest_path(0, 59)


def test_plots_show_graphs_and_paths(roll, isomap):
    drawn = svg(charta.plot(isomap, labels=roll[1], edges=True, path=[3, 400]))
    path = isomap.shortest_path(3, 400)
    n_edges = len(isomap.neighbor_graph()[0])
    assert f"{n_edges:,} edges of the neighbour graph" in drawn and "red: shortest path, length" in drawn
    assert f"{number(path.length)} along the graph" in drawn and "blue:" in drawn
    assert svg(charta.plot(isomap, labels=roll[1], edges=True, path=path)) == drawn
    sparse = pytest.importorskip("scipy.sparse")
    pairs = isomap.neighbor_graph()[0]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    matrix = sparse.coo_matrix((np.ones(len(both)), both.T), shape=(500, 500))
    assert f"{n_edges:,} edges" in svg(charta.plot(isomap.embedding_, edges=matrix))
    own = svg(charta.plot(np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]]), path=[0, 1, 2]))
    assert "red: path, length 7.000 · blue: straight line, length 5.000" in own


def test_three_columns_are_drawn_in_space(roll, isomap):
    page = charta.plot(isomap, labels=roll[1], axes=(0, 1, 2), edges=True).to_bytes("html")
    assert b"<canvas" in page or b"<svg" in page
    drawn = svg(charta.plot(roll[0], axes=(0, 1, 2)))
    assert all(f"dimension {place}" in drawn for place in (1, 2, 3))


def test_views_are_drawn_against_each_other(iris):
    rows = np.asarray(iris[0], dtype=float)
    fitted = charta.CCA(2).fit(rows[:, :2], rows[:, 2:])
    first, second = fitted.transform(rows[:, :2], rows[:, 2:])
    assert f"correlation {number(np.corrcoef(first[:, 0], second[:, 0])[0, 1])}" in svg(charta.plot(fitted, iris[1]))
    with pytest.raises(charta.NotFittedError):
        charta.plot(charta.PCA(2))


def test_all_pairs_of_coordinates_are_drawn(iris):
    fitted = charta.PCA(4).fit(iris[0])
    drawn = svg(charta.plot_pairs(fitted, iris[1]))
    assert all(f"pc{place} (" in drawn for place in (1, 2, 3, 4)) and ">setosa<" in drawn
    assert "pc2 (" not in svg(charta.plot_pairs(fitted, axes=(0, 2, 3)))
    for wrong in [(0,), (0, 4), (1, 1)]:
        with pytest.raises(ValueError, match="two to eight different columns from 0 to 3"):
            charta.plot_pairs(fitted, axes=wrong)


def test_dates_are_colours_with_a_scale_of_dates():
    days = np.datetime64("2021-01-01") + np.arange(40) * np.timedelta64(30, "D")
    drawn = svg(charta.plot(np.random.default_rng(0).normal(size=(40, 2)), labels=days))
    assert "2022" in drawn and "2023" in drawn


def test_short_names_of_classes_are_drawn_as_glyphs(digits):
    layout = charta.LDA(n_components=2).fit(*digits)
    plain, glyphs = svg(charta.plot(layout, digits[1])), svg(charta.plot(layout, digits[1], glyphs=True))
    assert glyphs.count(">7<") > 40 and plain.count(">7<") < 5


def test_the_path_is_drawn_in_the_colours_of_matplotlib_too(roll):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    edges = np.column_stack([np.arange(39), np.arange(1, 40)])
    ax = charta.plot(roll[0][:40], edges=edges, path=[0, 1, 2], ax=pyplot.subplots()[1])
    assert len(ax.collections) == 2 and len(ax.lines) == 2
    space = charta.plot(roll[0][:40], axes=(0, 1, 2), edges=edges, ax=pyplot.figure().add_subplot(projection="3d"))
    assert len(space.collections) == 2
    with pytest.raises(ValueError, match="in the plane take 2 columns, got 3"):
        charta.plot(roll[0], axes=(0, 1, 2), ax=pyplot.subplots()[1])
    pyplot.close("all")


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"axes": (0, 0)}, "one to three different columns from 0 to 2"),
        ({"edges": [[0, 500]]}, "samples from 0 to 499, got 0 to 500"),
        ({"edges": [1, 2]}, "pairs of samples, a sparse matrix or True"),
        ({"edges": True}, "needs an estimator that embeds a neighbour graph"),
        ({"path": [4]}, "two or more samples"),
        ({"path": [0, 500]}, "samples from 0 to 499"),
    ],
)
def test_mistakes_of_graphs_are_named(roll, arguments, message):
    with pytest.raises(ValueError, match=message):
        charta.plot(roll[0], **arguments)


def test_the_input_has_the_line_and_the_feet():
    rows = np.random.default_rng(0).normal(size=(40, 2)) @ [[2.0, 0.6], [0.0, 0.3]]
    drawn = svg(charta.plot_input(charta.PCA(1).fit(rows), rows))
    assert "with the feet of the perpendiculars" in drawn and ">pc1<" in drawn
    both = svg(charta.plot_input(charta.PCA(2).fit(rows), rows))
    assert "axes: mean ± 2 standard deviations" in both and ">pc2<" in both


def test_the_input_has_contours_of_a_component():
    rows, ring = charta.circles(200, random_state=0)
    fitted = charta.KernelPCA(2, kernel="rbf", gamma=10.0).fit(rows)
    first, second = (svg(charta.plot_input(fitted, rows, ring, contours=place)) for place in (0, 1))
    assert "contour lines of" in first and first != second
    for wrong in (2, -1, True, 0.5):
        with pytest.raises(ValueError, match="`contours` must be a component from 0 to 1"):
            charta.plot_input(fitted, rows, contours=wrong)


def test_the_input_is_drawn_by_chosen_features(iris):
    fitted = charta.LDA().fit(*iris)
    drawn = svg(charta.plot_input(fitted, iris[0], iris[1], axes=(2, 3)))
    assert "150 samples × 4 features" in drawn and "2 of the features" in drawn and ">x2<" in drawn
    pandas = pytest.importorskip("pandas")
    named = pandas.DataFrame(np.asarray(iris[0], dtype=float), columns=["a", "b", "c", "d"])
    fitted = charta.PCA(2).fit(named)
    assert all(f">{name}<" in svg(charta.plot_input(fitted, named, axes=("a", "c", "d"))) for name in "acd")
    with pytest.raises(ValueError, match="there is no feature 'e'"):
        charta.plot_input(fitted, named, axes=("a", "e"))
    with pytest.raises(ValueError, match="there are 4: `axes` chooses them"):
        charta.plot_input(fitted, named)
    with pytest.raises(ValueError, match="draws a component over the plane of two features"):
        charta.plot_input(fitted, named, axes=("a", "c"), contours=0)


def test_scree_graphs_are_those_of_the_variances(iris):
    found = charta.scree(iris[0])
    theirs = np.linalg.eigvalsh(np.cov(np.asarray(iris[0], dtype=float).T))[::-1]
    np.testing.assert_allclose(found.variances, theirs, atol=1e-6)
    assert found.proportions.sum() == pytest.approx(1)
    assert set(found.rules) >= {"proportion 0.9", "elbow", "parallel", "mle"}
    assert found.rules["proportion 0.95"] == 2 and found.n_components >= 1 and found.reason
    assert "Recommended" in repr(found) and "recommended" in svg(found.plot())
    assert "separation of the classes" in svg(charta.plot_scree(charta.LDA().fit(*iris)))
    assert "variance of the components" in svg(charta.plot_scree(charta.PCA(2).fit(iris[0])))
    with pytest.raises(ValueError, match="nothing to draw"):
        charta.plot_scree(charta.UMAP(n_epochs=20).fit(iris[0]))


def test_the_residual_variance_has_an_elbow(roll, isomap):
    residual = isomap.residual_variance_
    assert residual[1] < 0.1 * residual[0]
    assert "elbow at 2 dimensions, marked" in svg(charta.plot_scree(isomap))


def test_dimensions_have_a_verdict_with_reasons(roll):
    found = charta.dimension(roll[0])
    assert found.dimension == int(found) == 2 and found.reasons and found.range[0] < 2.5
    assert found.estimates["two nn"] == pytest.approx(charta.intrinsic_dimension(roll[0])["two_nn"])
    assert found.of_rows["maximum_likelihood"].shape == (500,)
    assert "Intrinsic dimension: 2" in repr(found) and "Intrinsic dimension: 2" in svg(found.plot())
    distances = np.linalg.norm(roll[0][:, None] - roll[0][None], axis=2)
    by_distances = charta.dimension(distances, metric="precomputed")
    assert by_distances.dimension == 2 and by_distances.n_components is None and by_distances.rules == {}
    with pytest.raises(ValueError, match="`discard`"):
        charta.dimension(roll[0], discard=1.0)


def test_methods_are_compared(iris, tmp_path):
    rows, classes = iris
    found = charta.compare(rows, {"PCA": charta.PCA(2), "by hand": np.asarray(rows)[:, :2], "LDA": "lda", "NMF of negative": charta.NMF(2)}, labels=classes)
    assert found.table["PCA"]["seconds"] > 0 and found.table["by hand"]["seconds"] is None
    own = charta.quality_report(rows, charta.PCA(2).fit_transform(rows), labels=classes)
    assert found.table["PCA"]["trustworthiness"] == pytest.approx(own["trustworthiness"][0])
    assert found.table["PCA"]["nearest_accuracy"] == pytest.approx(own["nearest_accuracy"][0])
    assert found.embeddings["LDA"].shape == (150, 2) and found.estimators["LDA"].n_components == 2
    drawn = svg(found.plot())
    assert all(f">{name}<" in drawn for name in ("PCA", "by hand", "LDA")) and "k-NN accuracy" in drawn
    assert "k-NN accuracy" in repr(found)
    shifted = np.asarray(rows, dtype=float) - 10
    partly = charta.compare(shifted, [charta.PCA(2), charta.NMF(2)])
    assert partly.table["NMF"]["problem"] and "NMF" not in partly.embeddings
    assert charta.compare(rows, ["pca"], labels=np.linspace(0, 1, 150)).table["pca"]["nearest_accuracy"] is None
    with pytest.raises(ValueError, match="there is no method 'nothing'"):
        charta.compare(rows, ["nothing"])
    with pytest.raises(ValueError, match="nothing to compare"):
        charta.compare(rows, [])


def test_estimators_of_scikit_learn_are_compared_too(iris):
    decomposition = pytest.importorskip("sklearn.decomposition")
    found = charta.compare(iris[0], {"ours": charta.PCA(2), "theirs": decomposition.PCA(2)})
    assert found.table["ours"]["continuity"] == pytest.approx(found.table["theirs"]["continuity"], abs=1e-6)
    assert found.to_pandas().loc["theirs", "trustworthiness"] > 0.9


def test_samples_are_drawn_as_images(digits):
    rows, classes = digits
    layout = charta.PCA(3).fit(rows)
    drawn = svg(charta.plot_images(layout, rows, classes, axes=(1, 2)))
    assert "of 600 rows as images" in drawn and "coordinates 2 and 3 of 3" in drawn
    assert svg(charta.plot_images(layout, rows.reshape(-1, 8, 8), classes, axes=(1, 2))) == drawn
    with pytest.raises(ValueError, match="600 samples, 5 images"):
        charta.plot_images(layout, rows[:5])
    with pytest.raises(ValueError, match="`image_shape` .* has 70 numbers, and the images have 64"):
        charta.plot_images(layout, rows, image_shape=(7, 10))
    with pytest.raises(ValueError, match="`ink` must be one of"):
        charta.plot_images(layout, rows, ink="blue")


def test_rows_of_images_share_a_scale(digits):
    clean = digits[0][:6]
    noisy = clean + np.random.default_rng(0).normal(scale=4, size=clean.shape)
    fitted = charta.PCA(20).fit(digits[0])
    restored = fitted.inverse_transform(fitted.transform(noisy))
    drawn = svg(charta.image_grid([clean, noisy, restored], ["original", "noisy", "PCA"], title="Denoising"))
    assert all(f">{text}<" in drawn for text in ("original", "noisy", "PCA", "Denoising")) and drawn.count("<image") == 18
    assert "one scale, from 0 to 16" in drawn
    assert "from -4 to 20" in svg(charta.image_grid([noisy], value_range=(-4, 20))).replace("−", "-")
    with pytest.raises(ValueError, match="2 rows, 1 titles"):
        charta.image_grid([clean, noisy], ["one"])
    with pytest.raises(ValueError, match="one pixel at least"):
        charta.image_grid([np.zeros((0, 4, 4))])
    with pytest.raises(ValueError, match="one shape"):
        charta.image_grid([clean, np.zeros((2, 4, 4))])


def test_components_are_images(digits):
    fitted = charta.PCA(6).fit(digits[0])
    by_sign = svg(charta.plot_components(fitted))
    assert by_sign.count("<image") == 7 and ">mean<" in by_sign and "blue is negative" in by_sign
    grey = svg(charta.plot_components(fitted, (8, 8), color="grey", mean=False))
    assert grey.count("<image") == 6 and "lighter is more" in grey
    with pytest.raises(ValueError, match="`color` must be"):
        charta.plot_components(fitted, color="red")
    with pytest.raises(ValueError, match="no axes in feature space"):
        charta.plot_components(charta.KernelPCA(2).fit(digits[0]))


def test_loadings_and_biplots_name_the_features(iris):
    fitted = charta.PCA(2).fit(iris[0])
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    assert all(f">{name}<" in svg(charta.plot_loadings(fitted, names)) for name in names)
    assert all(f">{name}<" in svg(charta.plot_biplot(fitted, iris[1], feature_names=names)) for name in names[:1])
    with pytest.raises(ValueError, match="4 features, 1 names"):
        charta.plot_loadings(fitted, ["one"])
    with pytest.raises(ValueError, match="no loadings"):
        charta.plot_loadings(charta.UMAP(n_epochs=20).fit(iris[0]))


def test_models_have_pictures_of_themselves(digits):
    som = charta.SOM(4, 4, n_epochs=5).fit(digits[0])
    assert svg(charta.plot_model(som)).startswith("<svg")
    with pytest.raises(ValueError, match="has no picture 'nothing': it has"):
        charta.plot_model(som, "nothing")
    with pytest.raises(ValueError, match="no pictures besides its map"):
        charta.plot_model(charta.PCA(2).fit(digits[0]))


def test_methods_explain_themselves():
    text = charta.explain("isomap")
    assert "geodesic" in text and {"Idea", "Objective", "Cost", "New points"} <= set(text.sections)
    assert charta.explain(charta.Isomap) == text == charta.explain(charta.Isomap()) == charta.explain("Isomap")
    assert charta.explain("kernel-pca", "cost") == charta.explain("KernelPCA").sections["Cost"]
    table = charta.explain_table()
    assert set(table) >= {"PCA", "Isomap", "UMAP", "KMeans"} and all(text.strip() for text in table.values())
    assert "Manifolds: Objective" in repr(table)
    with pytest.raises(ValueError, match="did you mean 'Isomap'"):
        charta.explain("isomapp")
    with pytest.raises(ValueError, match="there is no section"):
        charta.explain("pca", "nothing")
    assert not any("::" in title for title in charta.explain("kmeans").sections)


def test_functions_are_kernels(iris):
    rows = np.asarray(iris[0], dtype=float)
    kernel = lambda one, other: float(np.exp(-0.5 * ((one - other) ** 2).sum()))
    own, named = charta.KernelPCA(2, kernel=kernel).fit(rows[:80]), charta.KernelPCA(2, kernel="rbf", gamma=0.5).fit(rows[:80])
    np.testing.assert_allclose(np.abs(own.embedding_), np.abs(named.embedding_), atol=1e-8)
    np.testing.assert_allclose(np.abs(own.transform(rows[80:])), np.abs(named.transform(rows[80:])), atol=1e-8)
    np.testing.assert_allclose(own.row_errors(rows[80:]), named.row_errors(rows[80:]), atol=1e-8)
    assert own.n_features_in_ == 4


@pytest.mark.parametrize("name", ["Isomap", "MDS", "TSNE", "UMAP", "LLE", "PaCMAP", "SpectralClustering"])
def test_functions_are_metrics(iris, name):
    rows = np.asarray(iris[0], dtype=float)[::3]
    metric = lambda one, other: np.abs(one - other).sum()
    made = getattr(charta, name)
    parameter = "distance" if name == "PaCMAP" else "metric"
    own = made(**{parameter: metric}).fit(rows)
    matrix = np.abs(rows[:, None] - rows[None]).sum(axis=2)
    given = made(**{parameter: "precomputed"}).fit(matrix)
    np.testing.assert_array_equal(own.embedding_, given.embedding_)
    if name == "LLE":
        with pytest.raises(ValueError, match="fitted to distances, and transforms new samples by their features only"):
            own.transform(rows[:5])
    else:
        np.testing.assert_allclose(own.transform(rows[:5]), given.transform(matrix[:5]), atol=1e-12)


def test_functions_are_refused_where_they_cannot_be(iris):
    rows = np.asarray(iris[0], dtype=float)
    with pytest.raises(ValueError, match="`metric` of LPP cannot be a function: the method needs features"):
        charta.LPP(metric=lambda one, other: 0.0).fit(rows)
    with pytest.raises(ValueError, match="must return a number for two samples, got 'far'"):
        charta.Isomap(metric=lambda one, other: "far").fit(rows)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="needs dense samples"):
        charta.Isomap(metric=lambda one, other: 0.0).fit(sparse.csr_matrix(rows))


def test_measures_take_functions(iris):
    rows = np.asarray(iris[0], dtype=float)[::2]
    metric = lambda one, other: np.abs(one - other).sum()
    fitted = charta.Isomap(metric=metric).fit(rows)
    own = fitted.quality(rows)
    named = charta.quality_report(rows, fitted.embedding_, metric="manhattan")
    assert own["trustworthiness"] == pytest.approx(named["trustworthiness"])
    assert charta.trustworthiness(rows, fitted.embedding_, metric=metric) == pytest.approx(charta.trustworthiness(rows, fitted.embedding_, metric="manhattan"))
    indices, _ = charta.nearest_neighbors(rows, 3, metric=metric)
    assert indices.shape == (75, 3)


@pytest.mark.skipif(BINARY is None, reason="CHARTA_BINARY names no command line")
def test_analyses_are_those_of_the_command_line(tmp_path):
    rows = np.ascontiguousarray(charta.swiss_roll(300, random_state=0)[0])
    np.save(tmp_path / "rows.npy", rows)

    def report(*words):
        return json.loads(subprocess.run([BINARY, *words, "--json"], check=True, cwd=tmp_path, capture_output=True).stdout)

    ours, theirs = charta.scree(rows), report("scree", "rows.npy")
    np.testing.assert_array_equal(ours.variances, theirs["variances"])
    assert ours.rules == {rule["rule"]: rule["n_components"] for rule in theirs["rules"]}
    assert (ours.n_components, ours.rule) == (theirs["recommendation"]["n_components"], theirs["recommendation"]["rule"])
    ours, theirs = charta.dimension(rows), report("dimension", "rows.npy")
    assert ours.dimension == theirs["verdict"]["dimension"] and ours.scales == theirs["verdict"]["scales"]
    assert ours.estimates == {of["estimator"]: of["dimension"] for of in theirs["estimates"]}
    ours, theirs = charta.compare(rows, ["pca", "isomap"]), report("compare", "rows.npy", "--methods", "pca,isomap:n_neighbors=5")
    for of in theirs["maps"]:
        of["name"] = of["name"].partition(":")[0].partition(" ")[0]
        assert ours.table[of["name"]]["trustworthiness"] == pytest.approx(of["trustworthiness"], abs=1e-12)
        assert ours.table[of["name"]]["continuity"] == pytest.approx(of["continuity"], abs=1e-12)
    theirs = report("isomap", "rows.npy", "-k", "5", "--path", "3,250", "-o", "map.npy")["path"]
    path = charta.Isomap().fit(rows).shortest_path(3, 250)
    assert path.rows.tolist() == theirs["rows"]
    assert (path.length, path.input_distance, path.map_distance) == pytest.approx((theirs["length"], theirs["input_distance"], theirs["map_distance"]))

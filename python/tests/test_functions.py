"""Measures, neighbours, data sets, pictures, annotated data, stubs."""

import doctest
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import charta


def test_measures_are_those_of_scikit_learn(digits):
    manifold = pytest.importorskip("sklearn.manifold")
    rows = digits[0]
    layout = charta.PCA(2).fit_transform(rows)
    for count in (5, 12):
        ours = charta.trustworthiness(rows, layout, n_neighbors=count)
        assert abs(ours - manifold.trustworthiness(rows, layout, n_neighbors=count)) < 1e-3
    cosine = charta.trustworthiness(rows, layout, metric="cosine")
    assert abs(cosine - manifold.trustworthiness(rows, layout, metric="cosine")) < 1e-3
    assert 0.5 < charta.continuity(rows, layout) <= 1


def test_a_report_tells_of_rows_and_classes(digits):
    rows, classes = digits
    report = charta.quality_report(rows, charta.PCA(2).fit_transform(rows), labels=classes, n_neighbors=[5, 15])
    assert report["trustworthiness"].shape == (2,)
    assert all(values.shape == (600,) for values in report["of_rows"].values())
    assert "trustworthiness" in repr(report)
    with pytest.raises(ValueError, match="expected 600, got 5"):
        charta.quality_report(rows, np.zeros((5, 2)))


def test_a_name_in_another_case_is_suggested():
    for name, meant in {"Umap": "UMAP", "tSNE": "TSNE", "PaCMap": "PaCMAP", "quality_reports": "quality_report"}.items():
        with pytest.raises(AttributeError, match=f"no attribute '{name}'. Did you mean: '{meant}'?"):
            getattr(charta, name)
    for name in ("xyzzy", "__wrapped__"):
        with pytest.raises(AttributeError) as found:
            getattr(charta, name)
        assert "mean" not in str(found.value)


def test_the_quality_of_a_fit_by_tangent_distance_knows_the_width_of_the_images():
    rows = charta.digits()[0][:120]
    fitted = charta.Isomap(n_neighbors=8, metric="tangent", image_width=8).fit(rows)
    report = fitted.quality(rows)
    assert report["metric"] == "tangent"
    same = charta.quality_report(rows, fitted.embedding_, metric="tangent", image_width=8)
    assert report["trustworthiness"] == pytest.approx(same["trustworthiness"])


def test_the_quality_of_a_fit_is_judged_by_its_metric(digits):
    rows = digits[0]
    fitted = charta.UMAP(metric="cosine", random_state=0).fit(rows)
    report = fitted.quality(rows)
    assert report["metric"] == "cosine"
    cosine = charta.quality_report(rows, fitted.embedding_, metric="cosine")
    assert np.array_equal(report["trustworthiness"], cosine["trustworthiness"])
    assert fitted.quality(rows, metric="euclidean")["metric"] == "euclidean"
    assert charta.PCA(2).fit(rows).quality(rows)["metric"] == "euclidean"


def test_neighbours_are_the_true_ones(digits):
    rows = digits[0]
    places, distances = charta.nearest_neighbors(rows, 7)
    apart = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(-1))
    np.fill_diagonal(apart, np.inf)
    np.testing.assert_allclose(distances, np.sort(apart, axis=1)[:, :7], atol=1e-9)
    np.testing.assert_allclose(np.take_along_axis(apart, places, 1), distances, atol=1e-9)
    with pytest.raises(ValueError, match="n_neighbors"):
        charta.nearest_neighbors(rows, 600)


def test_dimensions_of_a_sheet_are_two():
    rows, along = charta.swiss_roll(2000, random_state=3)
    assert rows.shape == (2000, 3) and along.shape == (2000,)
    assert abs(charta.intrinsic_dimension(rows)["two_nn"] - 2) < 0.2


def test_data_sets_have_rows_and_labels():
    assert charta.digits()[0].shape == (1797, 64)
    assert set(np.unique(charta.digits()[1])) == set(range(10))
    distances, cities = charta.eurodist()
    assert distances.shape == (21, 21) and cities[0] == "Athens" and distances[0, 1] == 3313
    places, names = charta.europe()
    assert places.shape == (21, 2) and list(names) == list(cities)
    assert charta.circles(10, factor=0.5)[0][5].tolist() == [0.5, 0.0]
    assert charta.head(5, side=8)[0].shape == (5, 64)
    with pytest.raises(TypeError, match="no parameter 'side'"):
        charta.circles(10, side=8)
    with pytest.raises(ValueError, match="`n_samples` must be"):
        charta.swiss_roll(-5)
    with pytest.raises(ValueError, match='did you mean "iris"'):
        charta.data_set("irsi")


def test_a_map_is_drawn_as_by_the_command_line(tmp_path, iris):
    pca = charta.PCA(3).fit(iris[0])
    picture = charta.plot(pca, labels=iris[1], label_title="class").save(tmp_path / "map.svg")
    svg = (tmp_path / "map.svg").read_text()
    classes = sorted({str(label) for label in iris[1]})
    assert len(classes) == 3 and all(f">{text}<" in svg for text in ("PCA", "150 samples · coordinates 1 and 2 of 3", "class", *classes))
    assert ">pc1 (92.5 %)<" in svg and ">pc2 (5.3 %)<" in svg
    assert picture._repr_png_().startswith(b"\x89PNG") and b"<script>" in picture.to_bytes("html")
    other = charta.plot(pca, iris[1], axes=(2, 0), palette="tab10", class_names=True).to_bytes("svg").decode()
    assert "#1f77b4" in other and ">pc3 (1.7 %)<" in other and ">pc2" not in other
    strips = charta.plot(pca.embedding_[:, 0], labels=[f"class {label}" for label in iris[1]]).to_bytes("svg")
    assert all(f">class {name}<" in strips.decode() for name in classes)
    png = charta.plot(pca, size=(400, 300), dpi=200).to_bytes()
    assert int.from_bytes(png[16:20]) == 400 and b"pHYs" in png


def test_classes_are_in_natural_order_and_missing_labels_are_grey():
    labels = [f"day {day}" for day in (10, 2, 1)] + [None]
    svg = charta.plot(np.arange(8.0).reshape(4, 2), labels=np.array(labels, dtype=object)).to_bytes("svg").decode()
    places = [svg.index(f">{name}<") for name in ("day 1", "day 2", "day 10", "missing")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"axes": (0, 7)}, "`axes` must be one to three different columns from 0 to 1"),
        ({"palette": "rainbow"}, "`palette` must be one of safe, tab10, dark2, grey"),
        ({"size": (10, 10)}, "200 to 8000 pixels"),
        ({"point_size": 0}, "point_size"),
        ({"labels": [1, 2]}, "a label for each sample was expected: 5 samples"),
        ({"names": ["a"]}, "a name for each sample was expected: 5 samples, 1 names"),
    ],
)
def test_mistakes_of_plots_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        charta.plot(np.random.default_rng(0).normal(size=(5, 2)), **arguments)


def test_a_file_of_another_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match="its name must end in .png, .svg or .html"):
        charta.plot(np.eye(2)).save(tmp_path / "map.pdf")


def test_characters_without_a_glyph_are_warned_of():
    with pytest.warns(charta.ChartaWarning, match="lacks 京東"):
        charta.plot(np.eye(2), labels=["東", "京"])


def test_a_map_is_drawn_into_axes_of_matplotlib(iris):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    ax = charta.plot(charta.PCA(2).fit(iris[0]), labels=iris[1], ax=pyplot.subplots()[1])
    assert len(ax.collections) == 3 and ax.get_title() == "PCA" and ax.get_xlabel() == "pc1 (92.5 %)"
    numbers = charta.plot(np.zeros((5, 2)), labels=np.linspace(0, 1, 5), ax=pyplot.subplots()[1])
    assert len(numbers.collections) > 0


def test_annotated_data_gets_its_map(digits):
    anndata = pytest.importorskip("anndata")
    import charta.anndata as cells

    data = anndata.AnnData(digits[0].astype(np.float32))
    cells.pca(data, n_components=20)
    assert data.obsm["X_pca"].shape == (600, 20) and data.varm["PCs"].shape == (64, 20)
    estimator = cells.umap(data, n_epochs=30)
    assert data.obsm["X_umap"].shape == (600, 2) and estimator.n_features_in_ == 20
    other = cells.tsne(data, copy=True, max_iter=260, use_rep="X")
    assert "X_tsne" in other.obsm and "X_tsne" not in data.obsm
    data.obs["kind"] = digits[1].astype(str)
    cells.embed(data, "LDA", labels="kind", use_rep="X")
    assert data.obsm["X_lda"].shape == (600, 9)
    with pytest.raises(ValueError, match="use_rep"):
        cells.umap(data, use_rep="X_nothing")


@pytest.mark.parametrize("name", ["charta", "charta._functions", "charta._datasets", "charta._advice", "charta._analysis", "charta._compare", "charta._explain"])
def test_examples_in_the_documentation_run(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_the_guide_runs(tmp_path):
    guide = Path(__file__).parent.parent.parent / "docs" / "python.md"
    if not guide.exists():
        pytest.skip("the guide is in the repository")
    pytest.importorskip("sklearn")
    failed, tried = doctest.testfile(str(guide), module_relative=False)
    assert failed == 0 and tried > 10


def test_stubs_are_fresh():
    folder = Path(__file__).parent.parent
    if not (folder / "stubs.py").exists():
        pytest.skip("the stubs are checked in the repository")
    sys.path.insert(0, str(folder))
    try:
        import stubs
    finally:
        sys.path.remove(str(folder))
    assert stubs.STUBS.read_text() == stubs.text(), "run python -P python/stubs.py"

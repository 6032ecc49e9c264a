"""What users give: every kind of array and frame, and every mistake."""

import numpy as np
import pytest

import charta
from support import NAMES, fitted, has_many_views, has_views, is_supervised, quick


def forms(rows):
    """The same numbers in other layouts."""
    wide = np.zeros((2 * len(rows), 2 * rows.shape[1]))
    wide[::2, ::2] = rows
    read_only = rows.copy()
    read_only.flags.writeable = False
    return {
        "Fortran order": np.asfortranarray(rows),
        "a view with steps": wide[::2, ::2],
        "backwards": rows[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": read_only,
        "big-endian": rows.astype(">f8"),
        "lists": rows.tolist(),
        "objects": rows.astype(object),
        "not aligned": np.frombuffer(b"x" + rows.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(rows.shape),
    }


@pytest.mark.parametrize("form", forms(np.zeros((2, 2))))
def test_every_layout_gives_the_same_bits(form, iris):
    rows = np.ascontiguousarray(iris[0], dtype=np.float64)
    expected = charta.PCA(2).fit_transform(rows)
    given = forms(rows)[form]
    got = charta.PCA(2).fit_transform(given)
    # Sums along columns may go in another order through another layout.
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_a_file_in_memory_is_read_in_place(tmp_path, iris):
    path = tmp_path / "rows.npy"
    np.save(path, np.asarray(iris[0], dtype=np.float32))
    rows = np.load(path, mmap_mode="r")
    assert charta.PCA(2).fit_transform(rows).dtype == np.float32


@pytest.mark.parametrize("name", NAMES)
def test_precision_is_kept(name, iris):
    rows, classes = iris
    for precision in (np.float32, np.float64):
        typed = np.asarray(rows, dtype=precision)
        model = fitted(name, typed, classes)
        assert model.embedding_.dtype == precision
        if not has_views(name):
            assert model.transform(typed[:5]).dtype == precision


def test_whole_numbers_and_truth_values_become_numbers():
    rows = np.arange(40).reshape(10, 4) % 7
    for kind in (np.int64, np.uint8, np.int32, np.float16):
        got = charta.PCA(2).fit_transform(rows.astype(kind))
        np.testing.assert_allclose(np.abs(got), np.abs(charta.PCA(2).fit_transform(rows.astype(float))), atol=1e-4)
    assert charta.PCA(1).fit_transform(rows > 3).shape == (10, 1)


def test_sparse_rows_are_taken(digits):
    sparse = pytest.importorskip("scipy.sparse")
    rows = digits[0][:200]
    expected = charta.TruncatedSVD(3).fit(rows).singular_values_
    for make in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array):
        given = make(rows)
        before = given.copy()
        np.testing.assert_allclose(charta.TruncatedSVD(3).fit(given).singular_values_, expected, rtol=1e-6)
        assert (given != before).nnz == 0
    with pytest.raises(ValueError, match="dense"):
        charta.CCA(1).fit(sparse.csr_matrix(rows), rows)


def test_frames_and_arrow_tables_are_taken(iris):
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    rows = np.asarray(iris[0], dtype=np.float64)
    expected = charta.PCA(2).fit_transform(rows)
    columns = {f"c{number}": rows[:, number] for number in range(4)}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns), arrow.table(columns), pandas.DataFrame(columns).convert_dtypes()):
        model = charta.PCA(2)
        np.testing.assert_allclose(model.fit_transform(frame), expected, atol=1e-12)
        assert list(model.feature_names_in_) == list(columns)
    words = pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(ValueError, match="column 1 \\('b'\\) holds words"):
        charta.PCA(1).fit(words)
    with pytest.raises(ValueError, match='"b".*Utf8'):
        charta.PCA(1).fit(arrow.table({"a": [1.0, 2.0], "b": ["x", "y"]}))
    with pytest.raises(ValueError, match="NaN"):
        charta.PCA(1).fit(arrow.table({"a": [1.0, None], "b": [3, 4]}))


MISTAKES = {
    "a value that is no number": (lambda rows: np.where(rows == rows[3, 1], np.nan, rows), ValueError, "NaN"),
    "infinity": (lambda rows: np.where(rows == rows[3, 1], np.inf, rows), ValueError, "inf"),
    "no rows": (lambda rows: rows[:0], ValueError, "0 sample"),
    "no columns": (lambda rows: rows[:, :0], ValueError, "0 feature"),
    "one dimension": (lambda rows: rows[0], ValueError, "Reshape your data"),
    "three dimensions": (lambda rows: rows[None], ValueError, "2D array"),
    "complex numbers": (lambda rows: rows * 1j, ValueError, "Complex data not supported"),
    "words": (lambda rows: np.full(rows.shape, "word"), ValueError, "could not convert"),
    "dates": (lambda rows: np.full(rows.shape, np.datetime64("2020-01-01")), ValueError, "dates"),
    "nothing": (lambda rows: None, ValueError, "None"),
    "a dictionary": (lambda rows: {"a": 1}, (ValueError, TypeError), "."),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("name", NAMES)
def test_mistakes_have_messages(name, mistake, iris):
    rows, classes = np.asarray(iris[0], dtype=np.float64), iris[1]
    spoil, kind, message = MISTAKES[mistake]
    bad = spoil(rows)
    estimator = quick(name)
    with pytest.raises(kind, match=message):
        if has_views(name):
            estimator.fit([bad, rows]) if has_many_views(name) else estimator.fit(bad, rows)
        else:
            estimator.fit(bad, classes[: len(bad)] if is_supervised(name) and hasattr(bad, "__len__") else None)
    with pytest.raises(charta.NotFittedError):
        quick(name).transform([rows, rows] if has_many_views(name) else rows)
    if not has_views(name):
        model = fitted(name, rows, classes)
        with pytest.raises(kind, match=message):
            model.transform(bad)
        with pytest.raises(ValueError, match="X has 3 features, but .* is expecting 4 features"):
            model.transform(rows[:, :3])


def test_values_out_of_range_are_told_in_the_names_of_the_class(iris):
    rows, classes = iris
    for estimator, message in [
        (charta.PCA(n_components=0), "`n_components` must be"),
        (charta.PCA(2, tol=-1.0), "`tol` must be"),
        (charta.UMAP(min_dist=-1.0), "`min_dist` must be"),
        (charta.TSNE(init="nowhere"), "`init` must be"),
        (charta.TSNE(init=np.zeros((150, 3))), "initial coordinates"),
        (charta.TSNE(init=np.zeros((149, 2))), "initial coordinates"),
        (charta.TSNE(init=np.zeros(150)), "`init` must be"),
        (charta.UMAP(metric=3.5), "`metric` must be .* 'precomputed'\\), got"),
        (charta.KernelPCA(kernel="rbff"), "`kernel` must be .* \\(also 'poly', 'precomputed'\\), got 'rbff'; did you mean 'rbf'"),
        (charta.TSNE(perplexity=np.nan), "`perplexity` must be"),
        (charta.UMAP(random_state=-3), "`random_state` must be"),
        (charta.UMAP(n_jobs=0), "`n_jobs` must be"),
        (charta.UMAP(a=1.0), "`b` must be"),
        (charta.UMAP(output_metric="haversine"), "UMAP does not take `output_metric`"),
        (charta.LocallyLinearEmbedding(method="best"), "`method` must be one of"),
        (charta.Isomap(n_neighbors=1000), "n_neighbors"),
        (charta.TSNE(memory_limit="much"), "`memory_limit` must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator.fit(rows)
    with pytest.raises(MemoryError, match="would need about"):
        charta.TSNE(memory_limit="1MB").fit(np.random.default_rng(0).normal(size=(20_000, 5)))
    with pytest.raises(ValueError, match="requires y"):
        charta.LDA().fit(rows)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        charta.LDA().fit(rows, classes[:20])


def test_labels_of_every_kind_are_taken(iris):
    pandas = pytest.importorskip("pandas")
    rows = np.asarray(iris[0], dtype=np.float64)
    words = np.array(["a", "b", "c"])[np.arange(150) // 50]
    expected = charta.LDA().fit(rows, words).transform(rows)
    numbers = np.arange(150) // 50
    for given in (list(words), pandas.Series(words), pandas.Series(words).astype("category"), pandas.Series(words, dtype="string"), numbers, numbers.astype(float), numbers.astype(object)):
        np.testing.assert_allclose(charta.LDA().fit(rows, given).transform(rows), expected, atol=1e-9)
    for missing in (None, np.nan, pandas.NA):
        some = words.astype(object)
        some[:5] = missing
        with pytest.warns(charta.ChartaWarning, match="no class"):
            model = charta.LDA().fit(rows, some)
        assert list(model.classes_) == ["a", "b", "c"]
    unknown = numbers.copy()
    unknown[::2] = -1
    assert charta.UMAP(n_epochs=20).fit(rows, unknown).embedding_.shape == (150, 2)


def test_warnings_point_to_the_caller(iris):
    pandas = pytest.importorskip("pandas")
    model = charta.LDA().fit(pandas.DataFrame(iris[0], columns=list("abcd")), iris[1])
    for call in (model.transform, model.predict, model.predict_proba):
        with pytest.warns(UserWarning, match="valid feature names") as caught:
            call(np.asarray(iris[0]))
        assert caught[0].filename == __file__


def test_distances_and_kernels_can_be_given(iris):
    rows = np.asarray(iris[0], dtype=np.float64)[::3]
    distances = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(-1))
    for name in ("MDS", "ClassicalMDS", "Isomap", "TSNE", "UMAP", "Sammon"):
        model = quick(name, metric="precomputed").fit(distances)
        assert np.isfinite(model.embedding_).all()
        assert model.transform(distances[:4]).shape == (4, 2)
    kernel = charta.KernelPCA(2, kernel="precomputed").fit(rows @ rows.T)
    plain = charta.KernelPCA(2, kernel="linear").fit(rows)
    np.testing.assert_allclose(np.abs(kernel.embedding_), np.abs(plain.embedding_), atol=1e-6)
    with pytest.raises(ValueError, match="square|rows and columns|expected"):
        charta.MDS(metric="precomputed").fit(distances[:, :7])

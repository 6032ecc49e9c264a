"""Model files and the command line."""

import os
import subprocess

import numpy as np
import pytest

import charta
from support import NAMES, fitted, has_views, quick

BINARY = os.environ.get("CHARTA_BINARY")


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_model_places_rows_as_before(name, iris, tmp_path):
    rows = np.asarray(iris[0], dtype=np.float64)
    model = fitted(name, rows, iris[1])
    path = tmp_path / "model.charta"
    model.save(path)
    loaded = charta.load(path)
    assert type(loaded) is type(model) or name in ("MultiviewCCA", "LocallyLinearEmbedding")
    if not has_views(name):
        np.testing.assert_array_equal(loaded.transform(rows), model.transform(rows))
    if "classes_" in vars(model):
        np.testing.assert_array_equal(loaded.classes_, model.classes_)


def test_a_loaded_model_knows_what_it_was_fitted_to(tmp_path, iris):
    rows = np.asarray(iris[0], dtype=np.float64)[::3]
    path = tmp_path / "model.charta"
    distances = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(-1))
    for name in ("MDS", "UMAP", "TSNE", "PaCMAP"):
        model = quick(name, **{"distance" if name == "PaCMAP" else "metric": "precomputed"}).fit(distances)
        model.save(path)
        np.testing.assert_array_equal(charta.load(path).transform(distances[:4]), model.transform(distances[:4]))
    model = charta.CCA(1).fit(rows[:, :2], rows[:, 2:])
    model.save(path)
    np.testing.assert_array_equal(charta.load(path).transform(rows[:, :2]), model.transform(rows[:, :2]))
    charta.MultiviewCCA(n_components=1).fit([rows[:, :2], rows[:, 1:3], rows[:, 2:]]).save(path)
    assert type(charta.load(path)) is charta.MultiviewCCA
    for classes in (["01", "1", "2"], [False, True], [3, 5, 10], ["a", "b"]):
        y = np.array(classes)[np.arange(len(rows)) % len(classes)]
        charta.LDA().fit(rows, y).save(path)
        np.testing.assert_array_equal(charta.load(path).classes_, np.unique(y))


def test_a_damaged_file_is_refused(tmp_path, iris):
    path = tmp_path / "model.charta"
    charta.PCA(2).fit(iris[0]).save(path)
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    with pytest.raises(ValueError, match="not a readable charta model"):
        charta.load(path)
    with pytest.raises(FileNotFoundError):
        charta.load(tmp_path / "nowhere.charta")
    with pytest.raises(OSError):
        charta.PCA(2).fit(iris[0]).save(tmp_path / "nowhere" / "model.charta")
    with pytest.raises(charta.NotFittedError):
        charta.PCA(2).save(path)


@pytest.mark.skipif(BINARY is None, reason="CHARTA_BINARY names no command line")
@pytest.mark.parametrize("name", ["PCA", "UMAP", "TSNE", "Isomap", "KernelPCA", "Autoencoder"])
def test_the_command_line_and_python_place_rows_alike(name, tmp_path):
    rows = np.ascontiguousarray(charta.digits()[0][:300], dtype=np.float64)
    new = np.ascontiguousarray(charta.digits()[0][300:360], dtype=np.float64)
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "new.npy", new)

    def command(*arguments):
        subprocess.run([BINARY, *map(str, arguments), "--quiet"], check=True, cwd=tmp_path, capture_output=True)
        return np.load(tmp_path / "placed.npy")

    model = fitted(name, rows, None)
    model.save(tmp_path / "model.charta")
    placed = command("transform", "model.charta", "new.npy", "-o", "placed.npy")
    np.testing.assert_array_equal(placed, model.transform(new))
    command(model._entry["name"].replace("_", "-"), "rows.npy", "--save", "own.charta", "-o", "placed.npy")
    own = charta.load(tmp_path / "own.charta")
    placed = command("transform", "own.charta", "new.npy", "-o", "placed.npy")
    np.testing.assert_array_equal(placed, own.transform(new))

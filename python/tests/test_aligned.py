"""Aligned maps: shared samples stay near their places, earlier maps stay as they are, and slices are added."""

import numpy as np
import pytest

import charta

QUICK = {
    "AlignedUMAP": {"n_epochs": 100},
    "AlignedTSNE": {"max_iter": 300, "early_exaggeration_iter": 100},
    "AlignedPaCMAP": {"num_iters": (50, 50, 100)},
}


@pytest.fixture(scope="module")
def slices():
    X, y = charta.digits()
    starts = range(0, 900, 150)
    parts = [slice(start, start + 300) for start in starts][:4]
    relations = [{number + 150: number for number in range(150)}] * 3
    return [X[part] for part in parts], [y[part] for part in parts], relations


def movement(aligned, relations):
    """Median movement of shared samples, in units of the maps' standard deviation."""
    moved, size = [], np.mean([embedding.std(axis=0).mean() for embedding in aligned])
    for before, after, relation in zip(aligned, aligned[1:], relations):
        pairs = np.array(list(relation.items()))
        moved.extend(np.linalg.norm(before[pairs[:, 0]] - after[pairs[:, 1]], axis=1) / size)
    return np.median(moved)


@pytest.mark.parametrize("name", QUICK)
def test_shared_samples_stay_near_their_places(name, slices):
    X, y, relations = slices
    aligned = getattr(charta, name)(**QUICK[name]).fit(X, relations=relations)
    assert [embedding.shape for embedding in aligned.embeddings_] == [(300, 2)] * 4
    alone = [getattr(charta, name[7:])(**QUICK[name]).fit_transform(part) for part in X]
    assert movement(aligned.embeddings_, relations) < 0.3
    assert movement(aligned.embeddings_, relations) < 0.5 * movement(alone, relations)
    # The first is the map of the first slice alone, and the others show their data about as well as maps of their own.
    np.testing.assert_array_equal(aligned.embeddings_[0], alone[0])
    for part, here, there in zip(X, aligned.embeddings_, alone):
        assert charta.trustworthiness(part, here) > charta.trustworthiness(part, there) - 0.03


@pytest.mark.parametrize("name", QUICK)
def test_a_slice_is_added_and_earlier_maps_stay(name, slices):
    X, _, relations = slices
    made = getattr(charta, name)
    whole = made(**QUICK[name], n_jobs=2).fit(X[:3], relations=relations[:2])
    grown = made(**QUICK[name], n_jobs=1).fit(X[:2], relations=relations[:1])
    before = [embedding.copy() for embedding in grown.embeddings_]
    assert grown.update(X[2], relations=relations[1]) is grown
    assert grown.n_models_ == 3 and grown.dict_relations_ == relations[:2]
    for one, other, third in zip(before, grown.embeddings_, whole.embeddings_):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, third)
    np.testing.assert_array_equal(grown.embeddings_[2], whole.embeddings_[2])
    assert grown.mappers_[2].transform(X[3][:5]).shape == (5, 2)


def test_regularisation_holds_samples(slices):
    X, _, relations = slices
    moved = []
    for strength in (1e-4, 0.01, 1.0):
        aligned = charta.Aligned(charta.UMAP(n_epochs=100), alignment_regularisation=strength).fit(X[:2], relations=relations[:1])
        moved.append(movement(aligned.embeddings_, relations))
    assert moved[0] > moved[1] > moved[2]


def test_frames_are_related_by_their_indices(slices):
    pandas = pytest.importorskip("pandas")
    X, y, relations = slices
    frames = [pandas.DataFrame(part, index=np.arange(len(part)) + 150 * number) for number, part in enumerate(X[:2])]
    frames = [frame.rename(columns=str) for frame in frames]
    aligned = charta.AlignedUMAP(n_epochs=50).fit(frames)
    assert aligned.dict_relations_ == relations[:1]


def test_labels_and_values_for_each_slice(slices):
    X, y, relations = slices
    aligned = charta.AlignedUMAP(n_neighbors=[10, 20], n_epochs=50).fit(X[:2], y[:2], relations=relations[:1])
    assert [mapper.n_neighbors for mapper in aligned.mappers_] == [10, 20]
    assert aligned.get_params()["n_neighbors"] == [10, 20]
    assert aligned.set_params(alignment_window_size=2, n_neighbors=7).n_neighbors == 7
    assert repr(aligned) == "AlignedUMAP(n_neighbors=7, n_epochs=50, alignment_window_size=2)"
    with pytest.raises(ValueError, match="one for each of the 3 slices"):
        charta.AlignedUMAP(n_neighbors=[10, 20]).fit(X[:3], relations=relations[:2])


def test_what_cannot_be_aligned_is_said(slices):
    X, _, relations = slices
    for given, error, words in [
        (dict(X=X[0]), TypeError, "a list of slices"),
        (dict(X=X[:2]), ValueError, "`relations` must be given"),
        (dict(X=X[:2], relations=[]), ValueError, "must have 1 dictionaries"),
        (dict(X=X[:2], relations=[{}]), ValueError, "shares no sample"),
        (dict(X=X[:2], relations=[{0: 300}]), ValueError, "got 300"),
        (dict(X=X[:2], relations=[{0: "a"}]), ValueError, "whole numbers"),
    ]:
        with pytest.raises(error, match=words):
            charta.AlignedUMAP(n_epochs=10).fit(**given)
    with pytest.raises(ValueError, match="PaCMAP, TSNE, UMAP"):
        charta.Aligned(charta.PCA(n_components=2)).fit(X[:2], relations=relations[:1])
    with pytest.raises(ValueError, match="alignment_regularisation"):
        charta.AlignedUMAP(alignment_regularisation=-1, n_epochs=10).fit(X[:2], relations=relations[:1])
    with pytest.raises(charta.NotFittedError):
        charta.AlignedUMAP().update(X[0])

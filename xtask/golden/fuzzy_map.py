"""Reference numbers of UMAP: umap-learn's fuzzy graphs, curves and quality on digits.

Writes `umap_digits.json`. Graphs are of the first 300 rows, with neighbours by (distance, index); quality is the mean of three seeds.
"""

import warnings

import numpy as np
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier
from umap import UMAP
from umap.umap_ import (
    discrete_metric_simplicial_set_intersection,
    find_ab_params,
    fuzzy_simplicial_set,
    general_simplicial_set_intersection,
    reset_local_connectivity,
)
from sklearn.datasets import load_digits

from support import clouds, command, neighbors, versions, writing

HOW = "umap.UMAP(), umap.umap_.fuzzy_simplicial_set with exact neighbours by (distance, index)"
ROWS = 300
SEEDS = (0, 1, 2)


def graph_of(rows, n_neighbors, local_connectivity=1.0, mix=1.0):
    """The fuzzy graph with the row itself first in its list."""
    others, lengths = neighbors.nearest(rows, rows, n_neighbors - 1, same=True)
    indices = np.column_stack([np.arange(len(rows)), others])
    distances = np.column_stack([np.zeros(len(rows)), lengths]).astype(np.float32)
    return fuzzy_simplicial_set(
        rows,
        n_neighbors,
        np.random.RandomState(0),
        "euclidean",
        knn_indices=indices,
        knn_dists=distances,
        local_connectivity=local_connectivity,
        set_op_mix_ratio=mix,
    )[0]


def edges(graph):
    """The upper half of a graph."""
    graph = graph.tocsr().tocoo()
    upper = (graph.row < graph.col) & (graph.data > 0)
    order = np.lexsort((graph.col[upper], graph.row[upper]))
    return {
        "rows": graph.row[upper][order],
        "columns": graph.col[upper][order],
        "weights": clouds.significant(graph.data[upper][order].astype(float)),
    }


def graph_records(rows, classes):
    """Graphs under several settings, and with labels taken in."""
    settings = [(15, 1.0, 1.0), (5, 1.0, 1.0), (15, 2.5, 1.0), (15, 1.0, 0.3)]
    records = []
    for n_neighbors, local_connectivity, mix in settings:
        graph = graph_of(rows, n_neighbors, local_connectivity, mix)
        records.append(
            {
                "n_neighbors": n_neighbors,
                "local_connectivity": local_connectivity,
                "set_operation_mix_ratio": mix,
                "edges": edges(graph),
            }
        )
    known = classes.copy()
    known[::4] = -1
    met = discrete_metric_simplicial_set_intersection(graph_of(rows, 15), known, far_dist=2.5 / (1 - 0.5))
    numbers = rows.sum(axis=1)
    target = graph_of(numbers[:, None], 15)
    mixed = general_simplicial_set_intersection(graph_of(rows, 15), target, 0.3)
    return records, edges(met), {"numbers": numbers, "edges": edges(reset_local_connectivity(mixed))}


def accuracy(places, classes):
    """Share of rows whose ten nearest others have their class."""
    found = neighbors.nearest(places, places, 10, same=True)[0]
    votes = [np.bincount(classes[near], minlength=10).argmax() for near in found]
    return float(np.mean(np.array(votes) == classes))


def density_correlation(rows, places):
    """How the logarithms of local radii in the data and in a map of the usual curve go together."""
    graph = graph_of(rows, 15).tocoo()
    a, b = find_ab_params(1.0, 0.1)
    apart = [np.square(x[graph.row] - x[graph.col]).sum(axis=1) for x in (rows, places)]
    weights = [graph.data, 1 / (1 + a * apart[1] ** b)]
    radii = [np.bincount(graph.row, w * d) / np.bincount(graph.row, w) for w, d in zip(weights, apart)]
    return float(np.corrcoef(*np.log(np.array(radii) + 1e-8))[0, 1])


def further(rows):
    """Maps that keep densities, and the way back of rows held out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = UMAP(densmap=True, random_state=0).fit_transform(rows).astype(float)
        model = UMAP(random_state=0).fit(rows[:1500])
        back = model.inverse_transform(model.transform(rows[1500:])[:100])
    return {
        "density_correlation": density_correlation(rows, kept),
        "inverse_error": float(np.square(back - rows[1500:1600]).mean()),
    }


def quality(rows, classes):
    """Trustworthiness and accuracy of whole maps, and accuracy of every fifth row held out."""
    held = np.arange(len(rows)) % 5 == 4
    records = []
    for seed in SEEDS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            places = UMAP(random_state=seed).fit_transform(rows).astype(float)
            model = UMAP(random_state=seed).fit(rows[~held])
            new = model.transform(rows[held])
        judge = KNeighborsClassifier(10).fit(model.embedding_, classes[~held])
        records.append(
            {
                "seed": seed,
                "trustworthiness": float(trustworthiness(rows, places, n_neighbors=15)),
                "accuracy": accuracy(places, classes),
                "held_out_accuracy": float(judge.score(new, classes[held])),
            }
        )
    return records


def main():
    """Writes the file of this topic."""
    output = command.parse(__doc__).output
    rows, description = clouds.rows_of("digits")
    classes = load_digits().target[: len(rows)]
    settings = [(1.0, 0.1), (1.0, 0.0), (1.0, 0.5), (1.0, 0.99), (2.0, 0.1), (0.5, 0.25), (3.0, 1.0)]
    graphs, by_classes, by_numbers = graph_records(rows[:ROWS], classes[:ROWS])
    document = {
        "reference": versions.reference("umap-learn", HOW),
        "data": description,
        "curves": [[spread, min_dist, *find_ab_params(spread, min_dist)] for spread, min_dist in settings],
        "graphs": graphs,
        "by_classes": by_classes,
        "by_numbers": by_numbers,
        "quality": quality(rows, classes),
        "further": further(rows),
    }
    writing.write(output, "umap_digits.json", document)


if __name__ == "__main__":
    main()

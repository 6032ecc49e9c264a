"""Reference numbers of Isomap: scikit-learn's `Isomap` on the three clouds, on digits, and on a cloud in two parts.

Writes `isomap_<data set>.json`. Signs of the columns are free. Neighbours are by (distance, index).
"""

import warnings

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import Isomap, _isomap

from support import clouds, command, neighbors, versions, writing

HOW = "sklearn.manifold.Isomap(eigen_solver='dense', path_method='D'), neighbours by (distance, index)"
MOST_COMPONENTS = 6


def fitted(rows, n_neighbors, n_components, path_method="D"):
    """A fit of scikit-learn with ordered neighbours; it warns where it joins parts of the graph."""
    model = Isomap(n_neighbors=n_neighbors, n_components=n_components, eigen_solver="dense", path_method=path_method)
    with neighbors.ordered(_isomap), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows)


def parts(rows, n_neighbors):
    """How many parts the graph has, an edge in either direction joining two points."""
    graph = np.zeros((len(rows), len(rows)), dtype=bool)
    np.put_along_axis(graph, neighbors.nearest(rows, rows, n_neighbors, same=True)[0], True, axis=1)
    return int(connected_components(graph, directed=False)[0])


def own_embedding(distances, n_components):
    """Classical scaling of a distance matrix, and all its eigenvalues in falling order."""
    centre = np.eye(len(distances)) - 1.0 / len(distances)
    values, vectors = eigh(-0.5 * centre @ np.square(distances) @ centre)
    values, vectors = values[::-1], vectors[:, ::-1][:, :n_components]
    return vectors * np.sqrt(values[:n_components]), values


def residual_variances(distances, embedding):
    """1 − r² of the geodesic and the embedded distances of all pairs, for the first 1, 2, … columns."""
    geodesic = squareform(distances, checks=False)
    spans = [pdist(embedding[:, :count]) for count in range(1, embedding.shape[1] + 1)]
    return [1.0 - np.corrcoef(geodesic, span)[0, 1] ** 2 for span in spans]


def held_out_record(rows, n_neighbors, n_components):
    """Rows held out, placed by their geodesics to the rows fitted."""
    inside, outside = clouds.split(rows)
    model = fitted(rows[inside], n_neighbors, n_components)
    return {
        "n_parts": parts(rows[inside], n_neighbors),
        "eigenvalues": model.kernel_pca_.eigenvalues_,
        "reconstruction_error": model.reconstruction_error(),
        "transform": clouds.significant(model.transform(rows[outside])),
    }


def fit_record(rows, n_neighbors, n_components):
    """One fit, checked against the other path algorithm and an own classical scaling."""
    model = fitted(rows, n_neighbors, n_components)
    distances = model.dist_matrix_
    embedding, values = own_embedding(distances, MOST_COMPONENTS)
    flipped = np.sign((embedding[:, :n_components] * model.embedding_).sum(axis=0))
    row = 0
    return {
        "n_neighbors": n_neighbors,
        "n_components": n_components,
        "n_rows_with_tied_last_neighbor": neighbors.ties(rows, n_neighbors),
        "n_parts": parts(rows, n_neighbors),
        "checks": {
            "floyd_warshall_apart": np.abs(fitted(rows, n_neighbors, n_components, "FW").dist_matrix_ - distances).max(),
            "own_scaling_apart": np.abs(embedding[:, :n_components] * flipped - model.embedding_).max(),
        },
        "geodesic": {
            "sum": distances.sum(),
            "sum_of_squares": np.square(distances).sum(),
            "largest": distances.max(),
            "row": row,
            "distances_of_row": clouds.significant(distances[row]),
        },
        "reconstruction_error": model.reconstruction_error(),
        "kernel_eigenvalues": model.kernel_pca_.eigenvalues_,
        "first_eigenvalues": values[:MOST_COMPONENTS],
        "last_eigenvalues": values[-3:],
        "residual_variances": residual_variances(distances, embedding),
        "embedding": clouds.significant(model.embedding_),
        "held_out": held_out_record(rows, n_neighbors, n_components),
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    plan = {
        "swiss_roll": ((7, 2), (10, 3)),
        "s_curve": ((7, 2), (10, 3)),
        "severed_sphere": ((7, 2), (10, 3)),
        "digits": ((7, 2), (10, 3)),
        "s_curve_in_two": ((7, 2),),
    }
    for name, settings in plan.items():
        rows, description = clouds.rows_of(name)
        document = {
            "reference": versions.reference("scikit-learn", HOW),
            "data": description,
            "fits": [fit_record(rows, *setting) for setting in settings],
        }
        writing.write(output, f"isomap_{name}.json", document)


if __name__ == "__main__":
    main()

"""Reference numbers of Laplacian eigenmaps: dense generalized eigenproblems by scipy, and scikit-learn's `SpectralEmbedding` of the same graph.

Writes `laplacian_eigenmaps_<data set>.json`. The graph joins two points where either is among the other's nearest (by distance, index);
weights are 1, or Belkin and Niyogi's exp(−d²/t).
"""

import numpy as np
from scipy.linalg import eig, eigh, subspace_angles
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.manifold import SpectralEmbedding

from support import clouds, command, neighbors, versions, writing

N_NEIGHBORS = 10
N_COMPONENTS = 2
N_EIGENVALUES = 5
BANDWIDTHS = {"swiss_roll": 5.0, "s_curve": 0.05, "severed_sphere": 0.03, "digits": 400.0}


def weights(squared, kind, bandwidth):
    """The weights of edges of these squared lengths."""
    return np.ones_like(squared) if kind == "binary" else np.exp(-squared / bandwidth)


def graph(rows, kind, bandwidth):
    """The symmetric weight matrix, dense, zero on its diagonal."""
    order, distances = neighbors.nearest(rows, rows, N_NEIGHBORS, same=True)
    matrix = np.zeros((len(rows), len(rows)))
    np.put_along_axis(matrix, order, weights(np.square(distances), kind, bandwidth), axis=1)
    return np.maximum(matrix, matrix.T)


def bottom(matrix, form):
    """The smallest eigenvalues, the trivial one included, and all their eigenvectors."""
    degrees = matrix.sum(axis=1)
    laplacian = np.diag(degrees) - matrix
    mass = np.diag(degrees) if form == "generalized" else None
    return eigh(laplacian, mass, subset_by_index=(0, N_EIGENVALUES - 1))


def extended(rows, new, kind, bandwidth, form, values, vectors):
    """New points by the equation that the eigenvectors satisfy, their weights to the nearest rows alone."""
    order, distances = neighbors.nearest(new, rows, N_NEIGHBORS)
    weight = weights(np.square(distances), kind, bandwidth)
    sums = np.einsum("ij,ijc->ic", weight, vectors[order])
    degrees = weight.sum(axis=1, keepdims=True)
    return sums / (degrees * (1 - values)) if form == "generalized" else sums / (degrees - values)


def held_out_record(rows, kind, bandwidth, form):
    """Rows held out, placed by the extension."""
    inside, outside = clouds.split(rows)
    values, vectors = bottom(graph(rows[inside], kind, bandwidth), form)
    kept = slice(1, N_COMPONENTS + 1)
    placed = extended(rows[inside], rows[outside], kind, bandwidth, form, values[kept], vectors[:, kept])
    return {"eigenvalues": values, "transform": clouds.significant(placed)}


def form_record(rows, matrix, kind, bandwidth, form):
    """One of the two eigenproblems of a graph, checked by scikit-learn's ARPACK."""
    values, vectors = bottom(matrix, form)
    found = vectors[:, 1 : N_COMPONENTS + 1]
    if form == "generalized":
        model = SpectralEmbedding(n_components=N_COMPONENTS, affinity="precomputed", eigen_solver="arpack", random_state=0)
        other = model.fit_transform(csr_array(matrix))
        check = {
            "angle_to_sklearn": subspace_angles(found, other).max(),
            "sklearn_lengths_with_degrees": np.sqrt(matrix.sum(axis=1) @ np.square(other)),
        }
    else:
        shifted = eigh(matrix - np.diag(matrix.sum(axis=1)))[1][:, ::-1][:, 1 : N_COMPONENTS + 1]
        check = {"angle_to_full_eigh": subspace_angles(found, shifted).max()}
    return {
        "form": form,
        "checks": check,
        "eigenvalues": values,
        "embedding": clouds.significant(found),
        "held_out": held_out_record(rows, kind, bandwidth, form),
    }


def graph_record(rows, kind, bandwidth):
    """One kind of weights: marks of the graph, and both eigenproblems."""
    matrix = graph(rows, kind, bandwidth)
    degrees = matrix.sum(axis=1)
    chosen = [0, 1, 100, len(rows) - 1]
    record = {
        "weights": kind,
        "bandwidth": None if kind == "binary" else bandwidth,
        "n_edges": int((matrix > 0).sum()) // 2,
        "n_parts": int(connected_components(csr_array(matrix))[0]),
        "sum_of_degrees": degrees.sum(),
        "sum_of_squared_degrees": np.square(degrees).sum(),
        "rows": chosen,
        "degrees": degrees[chosen],
        "forms": [form_record(rows, matrix, kind, bandwidth, form) for form in ("unnormalized", "generalized")],
    }
    if len(rows) <= 1000:
        walk = np.sort(eig(matrix / degrees[:, None], right=False).real)[::-1]
        record["random_walk_eigenvalues"] = walk[:N_EIGENVALUES]
    return record


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name, bandwidth in BANDWIDTHS.items():
        rows, description = clouds.rows_of(name)
        document = {
            "reference": versions.reference("scipy", "scipy.linalg.eigh, dense; checked by sklearn.manifold.SpectralEmbedding"),
            "data": description,
            "n_neighbors": N_NEIGHBORS,
            "n_components": N_COMPONENTS,
            "n_rows_with_tied_last_neighbor": neighbors.ties(rows, N_NEIGHBORS),
            "graphs": [graph_record(rows, kind, bandwidth) for kind in ("binary", "heat")],
        }
        writing.write(output, f"laplacian_eigenmaps_{name}.json", document)


if __name__ == "__main__":
    main()

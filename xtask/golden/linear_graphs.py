"""Reference numbers of locality preserving projections and neighbourhood preserving embedding: dense generalized eigenproblems by scipy.

Writes `lpp_<data set>.json` and `npe_<data set>.json`. Iris is in tenths, so that equal distances are equal; digits is solved among its
principal components, since it has constant columns.
"""

from importlib.metadata import version

import numpy as np
import tapkee
from scipy.linalg import eig, eigh, subspace_angles
from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

from support import command, data, neighbors, versions, writing

N_NEIGHBORS = 10
N_COMPONENTS = 2
BANDWIDTHS = {"iris": 50.0, "wine": 500.0, "digits": 400.0}
RIDGE = 1e-3


def table(name):
    """The rows of a data set and its description; iris as whole numbers."""
    rows = data.small(name)
    if name == "iris":
        rows = (rows * 10).round()
        return rows, data.describe(name, rows, "sklearn.datasets.load_iris, times 10 and rounded")
    return rows, data.describe(name, rows, f"sklearn.datasets.load_{name}")


def one_way(rows, kind, bandwidth):
    """Weights of each row's own nearest, 1 or exp(−d²/t), not yet symmetric."""
    order, distances = neighbors.nearest(rows, rows, N_NEIGHBORS, same=True)
    values = np.ones_like(distances) if kind == "binary" else np.exp(-np.square(distances) / bandwidth)
    matrix = np.zeros((len(rows), len(rows)))
    np.put_along_axis(matrix, order, values, axis=1)
    return matrix


def reconstruction_form(rows):
    """(I − W)ᵀ(I − W) with the weights of locally linear embedding."""
    order = neighbors.nearest(rows, rows, N_NEIGHBORS, same=True)[0]
    weights = np.zeros((len(rows), len(rows)))
    for i, places in enumerate(order):
        around = rows[places] - rows[i]
        gram = around @ around.T
        found = np.linalg.solve(gram + RIDGE * np.trace(gram) * np.eye(len(places)), np.ones(len(places)))
        weights[i, places] = found / found.sum()
    kept = np.eye(len(rows)) - weights
    return kept.T @ kept


def centre_of(rows, centring, degrees):
    """What is taken off the rows: nothing, their mean, or their mean weighted by the graph's degrees."""
    if centring == "none":
        return np.zeros(rows.shape[1])
    return rows.mean(axis=0) if centring == "mean" else degrees @ rows / degrees.sum()


def spanned(centred):
    """An orthonormal basis of the directions in which the rows vary, and the share of the largest singular value that the last one has."""
    _, sizes, right = np.linalg.svd(centred, full_matrices=False)
    kept = sizes > 1e-10 * sizes[0]
    return right[kept].T, sizes[kept][-1] / sizes[0]


def solved(centred, form, degrees):
    """Eigenvalues and axes of Xᵀ form X a = λ Xᵀ D X a among the directions in which the rows vary, smallest first."""
    basis, _ = spanned(centred)
    coordinates = centred @ basis
    values, vectors = eigh(coordinates.T @ form @ coordinates, coordinates.T @ (degrees[:, None] * coordinates))
    return values, basis @ vectors


def solution_record(rows, form, degrees, centring):
    """One eigenproblem with its axes, and the first rows along them."""
    centre = centre_of(rows, centring, degrees)
    centred = rows - centre
    values, axes = solved(centred, form, degrees)
    direct = data.without_constant_columns(centred)[0]
    kept = np.ptp(centred, axis=0) > 0
    other = eigh(direct.T @ form @ direct, direct.T @ (degrees[:, None] * direct), subset_by_index=(0, N_COMPONENTS - 1))[1]
    found = axes[:, :N_COMPONENTS]
    coordinates = centred @ spanned(centred)[0]
    general, vectors = eig(np.linalg.solve(coordinates.T @ (degrees[:, None] * coordinates), coordinates.T @ form @ coordinates))
    again = coordinates @ vectors[:, np.argsort(general.real)[:N_COMPONENTS]].real
    return {
        "centring": centring,
        "rank": axes.shape[1],
        "least_singular_share": spanned(centred)[1],
        "angle_without_constant_columns": subspace_angles(found[kept], other).max(),
        "angle_by_general_solver": subspace_angles(centred @ found, again).max(),
        "eigenvalues": values[:5],
        "largest_eigenvalue": values[-1],
        "axes": found,
        "first_rows": (centred @ found)[:5],
    }


def tapkee_record(method, rows, form, degrees, **settings):
    """Why tapkee is no reference: its map is that of the same eigenproblem with all entries beside the diagonals lost or halved."""
    theirs = tapkee.embed(
        np.asfortranarray(rows.T),
        method=method,
        num_neighbors=N_NEIGHBORS,
        target_dimension=N_COMPONENTS,
        neighbors_method="brute",
        eigen_method="dense",
        check_connectivity=False,
        **settings,
    )
    theirs = theirs - theirs.mean(axis=0)
    centred = rows - rows.mean(axis=0)
    left, right = rows.T @ form @ rows, rows.T @ (degrees[:, None] * rows)
    kept = np.diag(np.diag(right)) if method == "lpp" else (right + np.diag(np.diag(right))) / 2
    whole, lost = (eigh(a, b)[1][:, :N_COMPONENTS] for a, b in ((left, right), (np.diag(np.diag(left)), kept)))
    return {
        "version": version("tapkee"),
        "settings": settings,
        "angle_to_whole_eigenproblem": subspace_angles(theirs, centred @ whole).max(),
        "angle_with_entries_lost": subspace_angles(theirs, centred @ lost).max(),
    }


def heading(description, rows, how):
    """What both kinds of files begin with."""
    return {
        "reference": versions.reference("scipy", how),
        "data": description,
        "n_neighbors": N_NEIGHBORS,
        "n_rows_with_tied_last_neighbor": neighbors.ties(rows, N_NEIGHBORS),
    }


def lpp_document(name):
    """Locality preserving projections with both weightings and three centrings."""
    rows, description = table(name)
    graphs = []
    for kind in ("binary", "heat"):
        directed = one_way(rows, kind, BANDWIDTHS[name])
        weights = np.maximum(directed, directed.T)
        degrees = weights.sum(axis=1)
        laplacian = np.diag(degrees) - weights
        graphs.append({
            "weights": kind,
            "bandwidth": None if kind == "binary" else BANDWIDTHS[name],
            "sum_of_degrees": degrees.sum(),
            "solutions": [solution_record(rows, laplacian, degrees, centring) for centring in ("mean", "degree_mean", "none")],
        })
    found = {**heading(description, rows, "scipy.linalg.eigh of XᵀLX a = λ XᵀDX a"), "graphs": graphs}
    if name == "wine":
        both = directed + directed.T
        degrees = both.sum(axis=1)
        width = {"gaussian_kernel_width": BANDWIDTHS[name]}
        found["tapkee"] = tapkee_record("lpp", rows, np.diag(degrees) - both, degrees, **width)
    return found


def npe_document(name):
    """Neighbourhood preserving embedding, centred and not."""
    rows, description = table(name)
    form, ones = reconstruction_form(rows), np.ones(len(rows))
    found = {
        **heading(description, rows, "scipy.linalg.eigh of XᵀMX a = λ XᵀX a"),
        "regularization": RIDGE,
        "matrix": {"trace": np.trace(form), "sum_of_squares": np.square(form).sum(), "diagonal_of_first_rows": np.diag(form)[:5]},
        "solutions": [solution_record(rows, form, ones, centring) for centring in ("mean", "none")],
    }
    if name == "wine":
        graph = barycenter_kneighbors_graph(rows, N_NEIGHBORS, reg=RIDGE).toarray()
        kept = np.eye(len(rows)) - graph
        found["sklearn_matrix_apart"] = np.abs(kept.T @ kept - form).max()
        found["tapkee"] = tapkee_record("npe", rows, form + 1e-9 * np.eye(len(rows)), ones, klle_shift=RIDGE, nullspace_shift=1e-9)
    return found


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name in BANDWIDTHS:
        writing.write(output, f"lpp_{name}.json", lpp_document(name))
        writing.write(output, f"npe_{name}.json", npe_document(name))


if __name__ == "__main__":
    main()

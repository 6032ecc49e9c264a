"""Reference numbers of diffusion maps: a direct dense computation after Coifman and Lafon (2006), whole kernel and cut to nearest neighbours.

Writes `diffusion_maps_<data set>.json`. The eigenproblem is solved in its symmetric form and checked by a solver for unsymmetric matrices.
"""

import numpy as np
from scipy.linalg import eig, eigh
from scipy.spatial.distance import cdist

from support import clouds, command, data, neighbors, versions, writing

N_NEIGHBORS = 20
N_COMPONENTS = 2
N_EIGENVALUES = 6
ALPHAS = (0.0, 0.5, 1.0)
TIMES = (1, 2)
BANDWIDTHS = {"swiss_roll": 8.0, "s_curve": 0.1, "severed_sphere": 0.1, "digits": 600.0}
SUBSETS = {"digits": 600}


def kernel(squared, bandwidth, mask):
    """exp(−d²/ε), zero where the mask is; the diagonal is 1."""
    return np.where(mask, np.exp(-squared / bandwidth), 0.0)


def nearest_mask(rows):
    """Which pairs are kept: those where either is among the other's nearest, and every point with itself."""
    mask = np.eye(len(rows), dtype=bool)
    np.put_along_axis(mask, neighbors.nearest(rows, rows, N_NEIGHBORS, same=True)[0], True, axis=1)
    return mask | mask.T


def normalised(matrix, alpha):
    """The kernel divided by the powers of its densities, and its row sums."""
    densities = matrix.sum(axis=1)
    scaled = matrix / np.outer(densities**alpha, densities**alpha)
    return densities, scaled, scaled.sum(axis=1)


def walk(scaled, degrees):
    """Eigenvalues of the Markov matrix in falling order, and right eigenvectors of length 1 in the stationary distribution."""
    roots = np.sqrt(degrees)
    values, vectors = eigh(scaled / np.outer(roots, roots), subset_by_index=(len(scaled) - N_EIGENVALUES, len(scaled) - 1))
    return values[::-1], vectors[:, ::-1] / roots[:, None] * np.sqrt(degrees.sum())


def extended(new, rows, bandwidth, alpha, densities, values, vectors):
    """New points on the whole kernel: their own Markov row, times the eigenvectors, over the eigenvalue."""
    matrix = np.exp(-cdist(new, rows, "sqeuclidean") / bandwidth)
    scaled = matrix / np.outer(matrix.sum(axis=1) ** alpha, densities**alpha)
    return (scaled / scaled.sum(axis=1, keepdims=True)) @ vectors / values


def held_out_record(rows, bandwidth, alpha):
    """Rows held out, time 1, whole kernel."""
    inside, outside = clouds.split(rows)
    squared = cdist(rows[inside], rows[inside], "sqeuclidean")
    densities, scaled, degrees = normalised(kernel(squared, bandwidth, True), alpha)
    values, vectors = walk(scaled, degrees)
    kept = slice(1, N_COMPONENTS + 1)
    placed = extended(rows[outside], rows[inside], bandwidth, alpha, densities, values[kept], vectors[:, kept])
    return {"eigenvalues": values, "transform": clouds.significant(placed * values[kept])}


def fit_record(rows, bandwidth, alpha, cut):
    """One map: eigenvalues, eigenvectors, marks of the kernel."""
    squared = cdist(rows, rows, "sqeuclidean")
    densities, scaled, degrees = normalised(kernel(squared, bandwidth, nearest_mask(rows) if cut else True), alpha)
    values, vectors = walk(scaled, degrees)
    unsymmetric = np.sort(eig(scaled / degrees[:, None], right=False).real)[::-1][:N_EIGENVALUES]
    psi = vectors[:, 1 : N_COMPONENTS + 1]
    residual = scaled @ psi / degrees[:, None] - psi * values[1 : N_COMPONENTS + 1]
    record = {
        "alpha": alpha,
        "n_neighbors": N_NEIGHBORS if cut else None,
        "sum_of_densities": densities.sum(),
        "densities_of_first_rows": densities[:5],
        "sum_of_degrees": degrees.sum(),
        "degrees_of_first_rows": degrees[:5],
        "checks": {"eigenvalues_by_general_solver": np.abs(values - unsymmetric).max(), "residual": np.abs(residual).max()},
        "eigenvalues": values,
        "eigenvectors": clouds.significant(psi),
        "first_rows_by_time": {str(time): (psi * values[1 : N_COMPONENTS + 1] ** time)[:5] for time in TIMES},
    }
    if not cut:
        record["held_out"] = held_out_record(rows, bandwidth, alpha)
    return record


def document(name):
    """The record of one data set."""
    rows, description = clouds.rows_of(name)
    if name in SUBSETS:
        rows = rows[: SUBSETS[name]]
        description = data.describe(name, rows, f"the first {SUBSETS[name]} rows of sklearn.datasets.load_{name}")
    return {
        "reference": versions.own_reference("diffusion maps after Coifman and Lafon 2006, scipy.linalg.eigh, dense"),
        "data": description,
        "bandwidth": BANDWIDTHS[name],
        "n_rows_with_tied_last_neighbor": neighbors.ties(rows, N_NEIGHBORS),
        "fits": [fit_record(rows, BANDWIDTHS[name], alpha, cut) for cut in (False, True) for alpha in ALPHAS],
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name in BANDWIDTHS:
        writing.write(output, f"diffusion_maps_{name}.json", document(name))


if __name__ == "__main__":
    main()

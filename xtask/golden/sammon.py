"""Reference numbers of Sammon's map: the stress that scipy's minimiser reaches from the classical map and from random ones.

Writes `sammon_<data set>.json`. No Python package with this method is at hand; what R's `MASS::sammon` prints of the cities is kept beside them.
"""

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform

from support import command, tables, versions, writing

N_STARTS = 20
SETS = ("eurodist", "swiss", "iris", "digits")
# The trace of MASS::sammon(eurodist) in the tests of the R package ggfortify 0.4.5, as kept in tidyr's log of reverse dependencies
# (github.com/tidyverse/tidyr, revdep/problems.md). That the data are the cities is seen from the first figure, which the classical map gives here.
BY_R = {
    "how": "MASS::sammon(eurodist), R; trace in the tests of ggfortify 0.4.5, from tidyr's revdep/problems.md",
    "initial_stress": 0.01705,
    "stress_after_10": 0.00951,
    "stress_after_20": 0.00941,
}


def classical(distances, n_components=2):
    """The start of R's function: the leading eigenpairs of the doubly centred squares."""
    centre = np.eye(len(distances)) - 1.0 / len(distances)
    values, vectors = eigh(-0.5 * centre @ np.square(distances) @ centre)
    return vectors[:, ::-1][:, :n_components] * np.sqrt(values[::-1][:n_components])


def stress(wanted, points):
    """Σ (δ − d)² / δ over pairs, over Σ δ."""
    lower = squareform(wanted, checks=False)
    return (np.square(lower - pdist(points)) / lower).sum() / lower.sum()


def stress_and_slope(flat, wanted, scale):
    """The same and its gradient; `wanted` has ones in its diagonal."""
    points = flat.reshape(len(wanted), -1)
    found = squareform(pdist(points))
    rest = wanted - found
    np.fill_diagonal(rest, 0.0)
    np.fill_diagonal(found, 1.0)
    pull = rest / (wanted * np.maximum(found, 1e-12))
    slope = -2.0 / scale * (pull.sum(axis=1, keepdims=True) * points - pull @ points)
    return (np.square(rest) / wanted).sum() / 2.0 / scale, slope.ravel()


def converged(distances, start):
    """The minimum that L-BFGS finds from a start."""
    wanted = distances + np.eye(len(distances))
    scale = squareform(distances, checks=False).sum()
    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-12, "maxcor": 30}
    found = minimize(stress_and_slope, start.ravel(), args=(wanted, scale), jac=True, method="L-BFGS-B", options=options)
    return found.fun, found.x.reshape(start.shape), np.abs(found.jac).max() * np.abs(found.x).max()


def document(name):
    """The record of one data set."""
    distances, rows, description = tables.scaled_set(name)
    start = classical(distances)
    reached, points, slope = converged(distances, start)
    chance = np.random.default_rng(0)
    spread = start.std()
    random = [converged(distances, chance.normal(scale=spread, size=start.shape))[0] for _ in range(N_STARTS)]
    record = {
        "reference": versions.own_reference("Sammon's stress (1969), minimised by scipy.optimize.minimize(method='L-BFGS-B')"),
        "data": description,
        "classical": {"initial_stress": stress(distances, start), "stress": reached, "scaled_gradient": slope},
        "random": {"n_starts": N_STARTS, "best": min(random), "median": np.median(random), "worst": max(random), "stresses": np.sort(random)},
        "checks": {"stress_written_out": stress(distances, points) / reached - 1.0},
    }
    if name == "eurodist":
        record["by_r"] = BY_R
    if name == "swiss":
        record["rows"] = rows
    return record


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name in SETS:
        writing.write(output, f"sammon_{name}.json", document(name))


if __name__ == "__main__":
    main()

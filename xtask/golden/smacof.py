"""Reference numbers of scaling by majorization: scikit-learn's `smacof` from stored starts, metric and non-metric; a weighted form in numpy.

Writes `smacof_<data set>.json`. The starts are rounded before the reference sees them.
"""

import warnings

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.isotonic import isotonic_regression
from sklearn.manifold import smacof

from support import command, tables, versions, writing

N_STARTS = 3
ITERATIONS = (1, 5, 50, 300)
SETS = ("iris", "digits", "eurodist")
N_WEIGHTED = 40
# The trace of MASS::isoMDS(eurodist) from its default start, the classical map, in the tests of the R package ggfortify 0.4.5, as kept in tidyr's log of
# reverse dependencies (github.com/tidyverse/tidyr, revdep/problems.md): Kruskal's first stress in per cent, tied distances in the order of the table.
BY_R = {
    "how": "MASS::isoMDS(eurodist), R; trace in the tests of ggfortify 0.4.5, from tidyr's revdep/problems.md",
    "initial_stress_per_cent": 7.505733,
    "stress_per_cent": 7.505688,
}


def starts(count):
    """Random maps, as scikit-learn draws them: every coordinate between 0 and 1."""
    chance = np.random.default_rng(0)
    return [chance.uniform(size=(count, 2)).round(6) for _ in range(N_STARTS)]


def stress_1(dissimilarities, points, together):
    """Kruskal's first stress of a map with its own best monotone distances; equal dissimilarities get equal ones (`together`) or not."""
    wanted, found = squareform(dissimilarities, checks=False), pdist(points)
    if together:
        groups, place, sizes = np.unique(wanted, return_inverse=True, return_counts=True)
        means = np.bincount(place, found) / sizes
        best = isotonic_regression(means, sample_weight=sizes.astype(float))[place]
    else:
        order = np.lexsort((found, wanted))
        best = np.empty_like(found)
        best[order] = isotonic_regression(found[order])
    return np.sqrt(np.square(found - best).sum() / np.square(found).sum())


def run(dissimilarities, start, metric, count):
    """scikit-learn's iterations from one start; it may stop before the count, where its stress does not fall."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points, stress, done = smacof(
            dissimilarities, metric=metric, init=start.copy(), n_init=1, max_iter=count, eps=0.0, normalized_stress=not metric, return_n_iter=True
        )
    return points, stress, done


def metric_record(dissimilarities, start):
    """Raw stress, Σ (δ − d)² over pairs, after each count."""
    records = []
    for count in ITERATIONS:
        points, stress, done = run(dissimilarities, start, True, count)
        records.append({"n_iter": count, "done": done, "stress": stress, "sum_of_squared_distances": np.square(pdist(points)).sum()})
    return records


def nonmetric_record(dissimilarities, start):
    """The stress that scikit-learn reports, of the monotone distances before its last step, and Kruskal's of the map itself, ties both ways."""
    records = []
    for count in ITERATIONS:
        points, stress, done = run(dissimilarities, start, False, count)
        kruskal = {"together": stress_1(dissimilarities, points, True), "apart": stress_1(dissimilarities, points, False)}
        records.append({"n_iter": count, "done": done, "reported": stress, "stress_1": kruskal})
    return records


def given_weights(count):
    """Weights by a formula; 0 is a missing distance. For i < j: missing if 7 divides i + 2 j, else 1 + ((7 i + 3 j) mod 5) / 2."""
    weights = np.zeros((count, count))
    for i in range(count):
        for j in range(i + 1, count):
            weights[i, j] = weights[j, i] = 0.0 if (i + 2 * j) % 7 == 0 else 1.0 + ((7 * i + 3 * j) % 5) / 2.0
    return weights


def weighted_record(dissimilarities, start):
    """Guttman's transform with weights, X ← V⁺ B(X) X, after de Leeuw (1977), straight from the formulas."""
    count = N_WEIGHTED
    wanted, points = dissimilarities[:count, :count], start[:count].copy()
    weights = given_weights(count)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    stresses = []
    for step in range(1, max(ITERATIONS) + 1):
        found = squareform(pdist(points))
        ratio = weights * wanted / np.where(found > 0, found, 1.0)
        points = inverse @ ((np.diag(ratio.sum(axis=1)) - ratio) @ points)
        if step in ITERATIONS:
            stress = (weights * np.square(wanted - squareform(pdist(points)))).sum() / 2
            stresses.append({"n_iter": step, "stress": stress})
    return {"n_rows": count, "missing": int((weights == 0).sum() - count) // 2, "runs": stresses}


def document(name):
    """The record of one data set."""
    distances, _, description = tables.scaled_set(name)
    drawn = starts(len(distances))
    record = {
        "reference": versions.reference("scikit-learn", "sklearn.manifold.smacof(init=start, n_init=1, eps=0)"),
        "data": description,
        "sum_of_squared_dissimilarities": np.square(squareform(distances, checks=False)).sum(),
        "starts": drawn,
        "metric": [metric_record(distances, start) for start in drawn],
        "nonmetric": [nonmetric_record(distances, start) for start in drawn],
    }
    if len(distances) > N_WEIGHTED:
        record["weighted"] = [weighted_record(distances, start) for start in drawn]
    if name == "eurodist":
        record["by_r"] = BY_R
    return record


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name in SETS:
        writing.write(output, f"smacof_{name}.json", document(name))


if __name__ == "__main__":
    main()

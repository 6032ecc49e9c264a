"""Reference numbers of quality measures: scikit-learn's trustworthiness, scipy's correlations and Procrustes, and a direct co-ranking matrix.

Writes `quality_<data set>.json`, of the plane of the first two principal components, kept in the file and rounded before it is measured.
"""

import numpy as np
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist, pdist
from scipy.stats import pearsonr, spearmanr
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier

from support import clouds, command, data, neighbors, versions, writing

COUNTS = (1, 5, 7, 10, 20, 50, 100)
POINTS = (0, 1, 2, 100, 500)


def plane(rows):
    """The first two principal components, the entry largest in absolute value positive, rounded."""
    centred = rows - rows.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    scores = left[:, :2] * sizes[:2]
    return (scores * np.sign(scores[np.abs(scores).argmax(axis=0), [0, 1]])).round(clouds.DECIMALS)


def ranks(rows):
    """ranks[i, j]: the place of j among the others in the order of (distance to i, index), from 1; 0 on the diagonal."""
    squared = cdist(rows, rows, "sqeuclidean")
    np.fill_diagonal(squared, -1.0)
    order = np.argsort(squared, axis=1, kind="stable")
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.arange(len(rows)), axis=1)
    return places


def trust(truth, seen, count):
    """Venna and Kaski's measure of each point: 1 less the scaled sum of (rank in truth − k) over what only `seen` calls neighbours."""
    n = len(truth)
    intruders = (seen >= 1) & (seen <= count) & (truth > count)
    sums = np.where(intruders, truth - count, 0).sum(axis=1)
    return 1.0 - 2.0 * sums / (count * (2 * n - 3 * count - 1))


def overlap(high, low, count):
    """The share of each point's k nearest that are the same in both spaces."""
    return ((high >= 1) & (high <= count) & (low >= 1) & (low <= count)).sum(axis=1) / count


def co_ranking_curves(high, low):
    """Q_NX and R_NX for every count from 1 to n − 2 through the co-ranking matrix, the area with weights 1/k, and LCMC's maximum."""
    n = len(high)
    off = ~np.eye(n, dtype=bool)
    matrix = np.zeros((n, n), dtype=np.int64)
    np.add.at(matrix, (high[off], low[off]), 1)
    corner = matrix.cumsum(axis=0).cumsum(axis=1)
    counts = np.arange(1, n - 1)
    quality = corner[counts, counts] / (counts * n)
    gain = ((n - 1) * quality - counts) / (n - 1 - counts)
    lcmc = quality - counts / (n - 1)
    area = (gain / counts).sum() / (1.0 / counts).sum()
    return counts, quality, gain, lcmc, area


def hits(labels, low, count):
    """The share of each point's k nearest in the embedding that have its label."""
    near = (low >= 1) & (low <= count)
    return (near & (labels[:, None] == labels[None, :])).sum(axis=1) / count


def count_record(rows, embedding, high, low, labels, count):
    """All measures of one neighbourhood size, with a few points' own."""
    trusted, continuous, shared = trust(high, low, count), trust(low, high, count), overlap(high, low, count)
    chosen = list(POINTS)
    record = {
        "k": count,
        "trustworthiness": trusted.mean(),
        "sklearn_trustworthiness": trustworthiness(rows, embedding, n_neighbors=count),
        "continuity": continuous.mean(),
        "sklearn_trustworthiness_swapped": trustworthiness(embedding, rows, n_neighbors=count),
        "q_nx": shared.mean(),
        "trustworthiness_of_points": trusted[chosen],
        "continuity_of_points": continuous[chosen],
        "overlap_of_points": shared[chosen],
    }
    if labels is not None:
        found = hits(labels, low, count)
        record["neighborhood_hit"] = found.mean()
        record["neighborhood_hit_of_points"] = found[chosen]
        record["sklearn_neighborhood_hit"] = sklearn_hit(embedding, labels, count)
    return record


def sklearn_hit(embedding, labels, count):
    """The same share by scikit-learn's own neighbour search."""
    order = KNeighborsClassifier(count).fit(embedding, labels).kneighbors(return_distance=False)
    return (labels[order] == labels[:, None]).mean()


def distance_record(rows, embedding):
    """Shepard correlations and stresses of all pairs, and Procrustes with the first two columns that vary."""
    before, after = pdist(rows), pdist(embedding)
    scale = (before @ after) / (after @ after)
    varying = data.without_constant_columns(rows)[0][:, :2]
    return {
        "n_pairs": len(before),
        "pearson": pearsonr(before, after).statistic,
        "spearman": spearmanr(before, after).statistic,
        "residual_variance": 1.0 - pearsonr(before, after).statistic ** 2,
        "raw_stress": np.square(before - after).sum(),
        "stress_1_over_embedded": np.sqrt(np.square(before - after).sum() / np.square(after).sum()),
        "stress_1_over_given": np.sqrt(np.square(before - after).sum() / np.square(before).sum()),
        "best_scale": scale,
        "stress_1_over_given_at_best_scale": np.sqrt(np.square(before - scale * after).sum() / np.square(before).sum()),
        "sammon": (np.square(before - after) / before).sum() / before.sum(),
        "procrustes_with_first_two_varying_columns": procrustes(varying, embedding)[2],
    }


def document(name, labels):
    """The record of one data set."""
    rows, description = clouds.rows_of(name)
    embedding = plane(rows)
    high, low = ranks(rows), ranks(embedding)
    counts, quality, gain, lcmc, area = co_ranking_curves(high, low)
    chosen = np.array([*COUNTS, 200, 500]) - 1
    best = lcmc.argmax()
    return {
        "reference": versions.reference("scikit-learn", "sklearn.manifold.trustworthiness; scipy.stats, scipy.spatial; co-ranking in numpy"),
        "data": description,
        "n_rows_with_tied_neighbors": {str(count): neighbors.ties(rows, count) for count in COUNTS},
        "points": list(POINTS),
        "by_count": [count_record(rows, embedding, high, low, labels, count) for count in COUNTS],
        "co_ranking": {
            "counts": counts[chosen],
            "q_nx": quality[chosen],
            "r_nx": gain[chosen],
            "lcmc": lcmc[chosen],
            "r_nx_area": area,
            "lcmc_best_count": counts[best],
            "lcmc_best": lcmc[best],
            "q_local": quality[: best + 1].mean(),
            "q_global": np.append(quality[best:], 1.0).mean(),
        },
        "distances": distance_record(rows, embedding),
        "embedding": embedding,
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    writing.write(output, "quality_digits.json", document("digits", data.labelled("digits")[1]))
    writing.write(output, "quality_swiss_roll.json", document("swiss_roll", None))


if __name__ == "__main__":
    main()

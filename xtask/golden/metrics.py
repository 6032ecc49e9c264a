"""Reference numbers of distances between rows: scipy's `cdist`, and exact nearest neighbours under each metric.

Writes `metrics_digits.json`, `metrics_wine.json` and `metrics_counts.json`. The last holds its own small table of mostly zeros, with an empty
row, a constant one and a copy, where some distances are not defined.
"""

import warnings

import numpy as np
from scipy.spatial.distance import cdist

from support import command, data, versions, writing

N_SHOWN = 20
N_SEARCHED = 200
N_NEAREST = 5


def boolean(rows):
    """Which entries are not zero."""
    return rows != 0


def measures(covariance):
    """Every metric as a function of two tables."""
    inverse = np.linalg.inv(covariance)
    return {
        "euclidean": lambda a, b: cdist(a, b, "euclidean"),
        "manhattan": lambda a, b: cdist(a, b, "cityblock"),
        "chebyshev": lambda a, b: cdist(a, b, "chebyshev"),
        "minkowski_3": lambda a, b: cdist(a, b, "minkowski", p=3),
        "minkowski_1.5": lambda a, b: cdist(a, b, "minkowski", p=1.5),
        "cosine": lambda a, b: cdist(a, b, "cosine"),
        "correlation": lambda a, b: cdist(a, b, "correlation"),
        "hamming": lambda a, b: cdist(a, b, "hamming"),
        "jaccard": lambda a, b: cdist(boolean(a), boolean(b), "jaccard"),
        "mahalanobis": lambda a, b: cdist(a, b, "mahalanobis", VI=inverse),
    }


def written_out(name, a, b, inverse):
    """One distance straight from its definition, to check the package by."""
    either = (a != 0) | (b != 0)
    gap = a - b
    return {
        "euclidean": lambda: np.sqrt(np.square(gap).sum()),
        "manhattan": lambda: np.abs(gap).sum(),
        "chebyshev": lambda: np.abs(gap).max(),
        "minkowski_3": lambda: (np.abs(gap) ** 3).sum() ** (1 / 3),
        "minkowski_1.5": lambda: (np.abs(gap) ** 1.5).sum() ** (1 / 1.5),
        "cosine": lambda: 1 - a @ b / np.sqrt((a @ a) * (b @ b)),
        "correlation": lambda: 1 - np.corrcoef(a, b)[0, 1],
        "hamming": lambda: (gap != 0).mean(),
        "jaccard": lambda: ((a != 0) != (b != 0)).sum() / either.sum() if either.any() else 0.0,
        "mahalanobis": lambda: np.sqrt(gap @ inverse @ gap),
    }[name]()


def largest_gap(name, rows, table, inverse):
    """How far the package is from the definition, over the distances both give."""
    own = np.array([[written_out(name, a, b, inverse) for b in rows] for a in rows])
    return np.nanmax(np.abs(own - table))


def nearest_record(rows, measure):
    """The nearest of each row by (distance, index), and the rows where rounding may turn that order."""
    table = measure(rows, rows)
    np.fill_diagonal(table, np.inf)
    order = np.argsort(table, axis=1, kind="stable")[:, : N_NEAREST + 1]
    distances = np.take_along_axis(table, order, axis=1)
    steps = np.diff(distances, axis=1)
    doubtful = ((steps > 0) & (steps < 1e-12 * distances[:, 1:])).any(axis=1)
    return {
        "indices": order[:, :N_NEAREST],
        "sum_of_distances": distances[:, :N_NEAREST].sum(),
        "n_rows_with_ties": int((steps == 0).any(axis=1).sum()),
        "doubtful_rows": np.flatnonzero(doubtful),
    }


def document(name, rows, description, covariance, covariance_how, searched=None):
    """Distances between the first rows, and the neighbours among more of them where asked."""
    shown = rows[:N_SHOWN]
    inverse = np.linalg.inv(covariance)
    records = []
    for metric, measure in measures(covariance).items():
        table = measure(shown, shown)
        record = {"metric": metric, "definition_apart": largest_gap(metric, shown, table, inverse), "distances": table}
        if searched is not None:
            record["nearest"] = nearest_record(searched, measure)
        records.append(record)
    return {
        "reference": versions.reference("scipy", "scipy.spatial.distance.cdist"),
        "data": description,
        "n_shown": len(shown),
        "n_searched": None if searched is None else len(searched),
        "covariance": covariance_how,
        "jaccard_of_numbers_by_scipy": cdist(shown, shown, "jaccard")[0],
        "metrics": records,
    }


def counts():
    """A small table of whole numbers, four in five of them zero; row 3 is empty, row 7 is constant, row 12 is row 5 again."""
    random = np.random.RandomState(0)
    table = np.where(random.rand(N_SHOWN, 30) < 0.2, random.poisson(3.0, (N_SHOWN, 30)), 0).astype(np.float64)
    table[3], table[7], table[12] = 0.0, 2.0, table[5]
    return table


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    warnings.simplefilter("ignore")
    digits, wine, table = data.small("digits"), data.small("wine"), counts()
    own = "the sample covariance (n − 1) of all rows"
    described = data.describe("digits", digits, "sklearn.datasets.load_digits")
    covariance = np.cov(digits.T) + np.eye(64)
    searched = digits[:N_SEARCHED]
    writing.write(output, "metrics_digits.json", document("digits", digits, described, covariance, f"{own}, plus 1 on the diagonal", searched))
    described = data.describe("wine", wine, "sklearn.datasets.load_wine")
    writing.write(output, "metrics_wine.json", document("wine", wine, described, np.cov(wine.T), own, wine))
    described = data.describe("counts", table, "made in the script")
    found = document("counts", table, described, np.eye(30), "the identity")
    writing.write(output, "metrics_counts.json", {**found, "rows": table})


if __name__ == "__main__":
    main()

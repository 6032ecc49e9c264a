"""Reference numbers of random projection: the dimensions that Johnson and Lindenstrauss ask for, and the density of sparse matrices.

Writes `random_projection.json`. The matrices themselves are a package's own chance; what can be compared are these numbers, the
values that the entries take, and how far distances move.
"""

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection, johnson_lindenstrauss_min_dim

from support import command, data, versions, writing

COUNTS = (2, 10, 100, 1_000, 1_797, 10_000, 60_000, 70_000, 1_000_000, 1_000_000_000)
DISTORTIONS = (0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.9, 0.99)
WIDTHS = (1, 2, 4, 10, 64, 100, 784, 1_000, 2_000, 4_096, 10_000, 1_000_000)
SEEDS = 20


def dimensions():
    """Every count of rows with every distortion, also before rounding down."""
    records = []
    for n_rows in COUNTS:
        for eps in DISTORTIONS:
            bound = 4.0 * np.log(n_rows) / (eps**2 / 2.0 - eps**3 / 3.0)
            asked = johnson_lindenstrauss_min_dim(n_rows, eps=eps)
            records.append({"n_rows": n_rows, "eps": eps, "n_components": asked, "before_rounding": bound})
    return records


def densities():
    """The density that a sparse matrix gets for so many columns, and the size of its entries with 10 components."""
    records = []
    for n_columns in WIDTHS:
        model = SparseRandomProjection(10, random_state=0).fit(np.zeros((2, n_columns)))
        values = np.unique(np.abs(model.components_.data))
        expected = np.sqrt(1.0 / model.density_) / np.sqrt(10.0)
        records.append({"n_columns": n_columns, "density": model.density_, "entry": expected, "entries_seen": values})
    return records


def distortions(kind, rows, n_components):
    """Squared distances after over before, for all pairs of rows and several seeds: mean, deviation, extremes of each."""
    pairs = np.triu_indices(rows.shape[0], 1)
    before = pairwise_distances(rows, metric="sqeuclidean")[pairs]
    ratios = []
    for seed in range(SEEDS):
        projected = kind(n_components, random_state=seed).fit_transform(rows)
        ratios.append(pairwise_distances(projected, metric="sqeuclidean")[pairs] / before)
    ratios = np.array(ratios)
    return {
        "kind": kind.__name__,
        "n_components": n_components,
        "n_seeds": SEEDS,
        "mean_of_each_seed": ratios.mean(axis=1),
        "mean": ratios.mean(),
        "deviation": ratios.std(),
        "smallest": ratios.min(),
        "largest": ratios.max(),
        "expected_deviation_gaussian": np.sqrt(2.0 / n_components),
    }


def main():
    """Writes the one file of this topic."""
    output = command.parse(__doc__).output
    rows = data.small("digits")[:200]
    how = "sklearn.random_projection: johnson_lindenstrauss_min_dim, SparseRandomProjection, GaussianRandomProjection"
    kinds = (GaussianRandomProjection, SparseRandomProjection)
    document = {
        "reference": versions.reference("scikit-learn", how),
        "dimensions": dimensions(),
        "densities": densities(),
        "data": data.describe("digits_200", rows, "sklearn.datasets.load_digits, rows 0 to 199"),
        "distortions": [distortions(kind, rows, n_components) for kind in kinds for n_components in (5, 20, 50)],
    }
    writing.write(output, "random_projection.json", document)


if __name__ == "__main__":
    main()

"""Reference numbers of principal component analysis: every number that scikit-learn's `PCA` reports, for every solver and precision.

Writes `pca_<data set>.json`. Large arrays are kept as a stated subset (`subset`): chosen rows, chosen columns, the first components.
Components are determined only up to sign; `transform` flips with them.
"""

import warnings

import numpy as np
from sklearn.decomposition import PCA, IncrementalPCA
from sklearn.preprocessing import StandardScaler

from support import command, data, versions, writing

SOLVERS = ("full", "covariance_eigh", "arpack", "randomized")
SEED = 0
PROPORTIONS = (0.5, 0.8, 0.9, 0.95, 0.99)


def reconstruction(model, rows):
    """Squared error of decode(encode(rows)), per row and per value, accumulated in f64."""
    error = rows.astype(np.float64) - model.inverse_transform(model.transform(rows)).astype(np.float64)
    total = np.square(error).sum()
    return {"sum_of_squares": total, "mean_per_row": total / rows.shape[0], "mean_per_value": total / rows.size}


def likelihood(model, rows, chosen):
    """Mean log-likelihood and that of a few rows; null where the model's covariance has no inverse."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return {"score": model.score(rows), "score_samples": model.score_samples(rows[chosen])}
        except (np.linalg.LinAlgError, Warning) as refusal:
            return {"score": None, "score_samples": None, "score_refused": type(refusal).__name__}


def spectrum(model):
    """What a fit says of its variances."""
    return {
        "n_components_chosen": model.n_components_,
        "explained_variance": model.explained_variance_,
        "explained_variance_ratio": model.explained_variance_ratio_,
        "singular_values": model.singular_values_,
        "noise_variance": model.noise_variance_,
    }


def fit(rows, solver, n_components, subset, whiten=False):
    """All that one fit reports, cut to the subset."""
    model = PCA(n_components=n_components, svd_solver=solver, whiten=whiten, random_state=SEED).fit(rows)
    columns, few = subset["columns"], subset["rows"]
    record = {
        "solver": solver,
        "dtype": str(rows.dtype),
        "n_components": n_components,
        "whiten": whiten,
        "seed": SEED if solver in ("arpack", "randomized") else None,
        **spectrum(model),
        "mean": model.mean_[columns],
        "components": model.components_[: subset["components"]][:, columns],
        "transform": model.transform(rows[few])[:, : subset["components"]],
        "inverse_transform": model.inverse_transform(model.transform(rows[few]))[:, columns],
        "reconstruction": reconstruction(model, rows),
    }
    if not whiten:
        # scikit-learn scales the components twice in `get_covariance` of a whitened model, so its score there is no reference.
        corner = np.ix_(subset["corner"], subset["corner"])
        record |= {"covariance_corner": model.get_covariance()[corner], **likelihood(model, rows, few)}
    return record


def fits(rows, n_components, subset):
    """One record for each solver and precision."""
    records = []
    for dtype in (np.float64, np.float32):
        typed = rows.astype(dtype)
        for solver in SOLVERS:
            if solver == "arpack" and n_components == min(rows.shape):
                continue
            records.append(fit(typed, solver, n_components, subset))
    return records


def by_rank(rows, ranks):
    """The numbers that depend on how many components are kept, for several counts."""
    records = []
    for rank in ranks:
        model = PCA(n_components=rank, svd_solver="full").fit(rows)
        records.append(
            {
                "n_components": rank,
                "dtype": str(rows.dtype),
                "explained_variance_ratio_sum": model.explained_variance_ratio_.sum(),
                "noise_variance": model.noise_variance_,
                "reconstruction": reconstruction(model, rows),
                **likelihood(model, rows, [0, 1, 2]),
            }
        )
    return records


def choices(rows):
    """How many components a proportion of variance, and Minka's estimate, ask for."""
    records = []
    for wanted in (*PROPORTIONS, "mle"):
        if wanted == "mle" and (rows.shape[0] < rows.shape[1] or rows.shape[1] > 100):
            continue
        model = PCA(n_components=wanted, svd_solver="full").fit(rows)
        records.append({"n_components": wanted, "chosen": model.n_components_, "noise_variance": model.noise_variance_})
    return records


def correlation(rows, n_components, subset):
    """PCA of standardised columns. The scaler divides by the standard deviation with 1/n, the variances are with 1/(n-1): each
    explained variance is n/(n-1) times the correlation matrix's eigenvalue. Constant columns are divided by 1."""
    scaler = StandardScaler().fit(rows)
    standard = scaler.transform(rows)
    return {
        "scale": scaler.scale_[subset["columns"]],
        "scaling": "standard deviation with 1/n, 1 for constant columns",
        "fit": fit(standard, "full", n_components, subset),
        "choices": choices(standard),
    }


def incremental(rows, n_components, batch_size):
    """For information only: an approximation, whose error against the full solver is the interesting number."""
    model = IncrementalPCA(n_components=n_components, batch_size=batch_size).fit(rows)
    return {"batch_size": batch_size, **spectrum(model)}


def subset_of(rows, columns, n_components, corner):
    """Which rows, columns and components the file keeps."""
    return {"rows": rows, "columns": columns, "components": n_components, "corner": corner}


def small_document(name, rows, n_components, ranks, subset):
    """The whole record of a data set that fits a file."""
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition.PCA"),
        "data": data.describe(name, rows, f"sklearn.datasets.load_{name.split('_')[0]}"),
        "subset": subset,
        "full_spectrum": PCA(svd_solver="full").fit(rows).explained_variance_,
        "fits": fits(rows, n_components, subset),
        "whitened": [fit(rows, solver, n_components, subset, whiten=True) for solver in ("full", "covariance_eigh")],
        "by_rank": by_rank(rows, ranks),
        "choices": choices(rows),
        "correlation": correlation(rows, n_components, subset),
        "incremental": incremental(rows, n_components, max(n_components, rows.shape[0] // 5)),
    }


def write_small(output):
    """digits, wine, iris, and the first 40 rows of digits, where rows are fewer than columns."""
    digits, wine, iris = data.small("digits"), data.small("wine"), data.small("iris")
    every_fifth, corner = list(range(2, 64, 5)), [10, 20, 21, 28, 43]
    subset = subset_of([0, 1, 2, 1796], every_fifth, 10, corner)
    writing.write(output, "pca_digits.json", small_document("digits", digits, 10, [1, 2, 5, 10, 20, 40, 60, 64], subset))
    subset = subset_of([0, 1, 39], every_fifth, 5, corner)
    writing.write(output, "pca_digits_40.json", small_document("digits_40", digits[:40], 10, [1, 2, 5, 10, 20, 38, 39, 40], subset))
    subset = subset_of([0, 70, 177], list(range(13)), 3, [0, 6, 12])
    writing.write(output, "pca_wine.json", small_document("wine", wine, 3, [1, 2, 3, 6, 12, 13], subset))
    subset = subset_of([0, 75, 149], list(range(4)), 2, [0, 1, 2, 3])
    writing.write(output, "pca_iris.json", small_document("iris", iris, 2, [1, 2, 3, 4], subset))


def large_document(name, rows):
    """The record of a big data set: the four solvers in both precisions, 50 components, a thin subset of the arrays."""
    subset = subset_of([0, 1, rows.shape[0] - 1], [211, 238, 322, 350, 378, 406, 434, 462, 500, 602], 5, [238, 406, 602])
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition.PCA"),
        "data": data.describe(name, rows, "fashion_mnist.npz of the optional shared data, X in its stored order"),
        "subset": subset,
        "fits": fits(rows, 50, subset),
        "whitened": [fit(rows, "full", 50, subset, whiten=True)],
        "by_rank": by_rank(rows.astype(np.float64), [2, 10]),
        "choices": choices(rows.astype(np.float64)),
    }


def main():
    """Writes all files of this topic."""
    arguments = command.parse(__doc__)
    write_small(arguments.output)
    fashion = arguments.shared_set("fashion_mnist.npz")
    if fashion is not None:
        rows = fashion["X"].astype(np.float32)
        writing.write(arguments.output, "pca_fashion_10k.json", large_document("fashion_10k", rows[:10_000]))
        writing.write(arguments.output, "pca_fashion_70k.json", large_document("fashion_70k", rows))


if __name__ == "__main__":
    main()

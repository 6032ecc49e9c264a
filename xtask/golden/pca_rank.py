"""Reference numbers for choosing how many principal components to keep: Minka's evidence and Horn's parallel analysis.

Writes `pca_minka.json` and `pca_horn.json`.
"""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.decomposition._pca import _assess_dimension

from support import command, data, versions, writing

REPETITIONS = 1000
SEED = 0


def data_sets():
    """The three small sets, and digits without its constant columns, whose zero eigenvalues make a logarithm infinite."""
    digits = data.small("digits")
    return {
        "digits": digits,
        "digits_without_constant_columns": data.without_constant_columns(digits)[0],
        "wine": data.small("wine"),
        "iris": data.small("iris"),
    }


def minka(rows):
    """Log-evidence of every rank from 1 to d-1 (Minka 2000, equation 77, as scikit-learn has it)."""
    model = PCA(svd_solver="full").fit(rows)
    eigenvalues = model.explained_variance_
    ranks = range(1, rows.shape[1])
    evidence = [float(_assess_dimension(eigenvalues, rank, rows.shape[0])) for rank in ranks]
    return {
        "spectrum": eigenvalues,
        "ranks": list(ranks),
        "log_evidence": evidence,
        "chosen": PCA(n_components="mle", svd_solver="full").fit(rows).n_components_,
    }


def null_eigenvalues(rows, kind, null, generator):
    """Eigenvalues, largest first, of the matrix of one data set with the same shape and column variances but no correlation."""
    if null == "normal":
        drawn = generator.standard_normal(rows.shape) * rows.std(axis=0, ddof=1)
    else:
        drawn = generator.permuted(rows, axis=0)
    return observed_eigenvalues(drawn, kind)


def observed_eigenvalues(rows, kind):
    """Eigenvalues, largest first, of the correlation or covariance matrix."""
    matrix = np.corrcoef(rows, rowvar=False) if kind == "correlation" else np.cov(rows, rowvar=False)
    return np.linalg.eigvalsh(matrix)[::-1]


def leading_above(observed, threshold):
    """How many eigenvalues stand above the threshold before the first that does not."""
    above = observed > threshold
    return int(above.size if above.all() else np.argmin(above))


def horn(rows, kind, null):
    """Horn's parallel analysis with its two usual thresholds."""
    generator = np.random.default_rng(SEED)
    observed = observed_eigenvalues(rows, kind)
    drawn = np.array([null_eigenvalues(rows, kind, null, generator) for _ in range(REPETITIONS)])
    mean, high = drawn.mean(axis=0), np.quantile(drawn, 0.95, axis=0)
    return {
        "matrix": kind,
        "null": null,
        "observed": observed,
        "null_mean": mean,
        "null_mean_standard_error": drawn.std(axis=0, ddof=1) / np.sqrt(REPETITIONS),
        "null_quantile_95": high,
        "chosen_by_mean": leading_above(observed, mean),
        "chosen_by_quantile_95": leading_above(observed, high),
    }


def horn_document():
    """Both matrices and both null models; correlation needs columns that vary."""
    document = {
        "reference": versions.own_reference(
            "own computation after Horn (1965), Psychometrika 30, 179-185; 95 % threshold after Glorfeld (1995). "
            "No package: the one found on PyPI, horns 0.6.0, compares eigenvalues without sorting them."
        ),
        "repetitions": REPETITIONS,
        "seed": SEED,
        "rule": "count the leading observed eigenvalues strictly above the threshold of the same rank, stop at the first that is not",
        "normal": "independent normal columns with the observed standard deviations (1/(n-1))",
        "permutation": "every column shuffled by itself",
        "data_sets": {},
    }
    for name, rows in data_sets().items():
        if name == "digits":
            continue
        cases = [horn(rows, kind, null) for kind in ("correlation", "covariance") for null in ("normal", "permutation")]
        document["data_sets"][name] = {"n_rows": rows.shape[0], "n_columns": rows.shape[1], "cases": cases}
    return document


def minka_document():
    """The evidence curves; minus infinity, where an eigenvalue is zero, becomes null."""
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition._pca._assess_dimension, svd_solver='full'"),
        "log_evidence": "of ranks 1 to d-1; null is minus infinity; scikit-learn chooses the largest",
        "data_sets": {name: {"n_rows": rows.shape[0], **minka(rows)} for name, rows in data_sets().items()},
    }


def main():
    """Writes both files."""
    arguments = command.parse(__doc__)
    writing.write(arguments.output, "pca_minka.json", minka_document())
    writing.write(arguments.output, "pca_horn.json", horn_document())


if __name__ == "__main__":
    main()

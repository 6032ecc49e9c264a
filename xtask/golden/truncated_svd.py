"""Reference numbers of the truncated singular value decomposition: scikit-learn's `TruncatedSVD`, which does not centre, and numpy's full one.

Writes `truncated_svd_<data set>.json`. Large arrays are kept as a stated subset (`subset`). Components are determined only up to sign;
`transform` flips with them.
"""

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from support import command, data, versions, writing

SEED = 0


def fit(rows, algorithm, n_components, subset, n_iter=5):
    """All that one fit reports, cut to the subset; the same for dense and sparse rows."""
    model = TruncatedSVD(n_components, algorithm=algorithm, n_iter=n_iter, random_state=SEED)
    projected = model.fit_transform(rows)
    dense = rows.toarray() if sparse.issparse(rows) else rows
    error = dense - model.inverse_transform(projected)
    return {
        "algorithm": algorithm,
        "input": "csr" if sparse.issparse(rows) else "dense",
        "n_components": n_components,
        "n_iter": n_iter if algorithm == "randomized" else None,
        "seed": SEED,
        "singular_values": model.singular_values_,
        "explained_variance": model.explained_variance_,
        "explained_variance_ratio": model.explained_variance_ratio_,
        "components": model.components_[: subset["components"]][:, subset["columns"]],
        "transform": model.transform(rows[subset["rows"]])[:, : subset["components"]],
        "fit_transform": projected[subset["rows"], : subset["components"]],
        "error_sum_of_squares": np.square(error).sum(),
    }


def document(name, n_components, subset):
    """The record of one data set."""
    rows = data.small(name)
    compressed = sparse.csr_array(rows)
    fits = [fit(rows, algorithm, n_components, subset) for algorithm in ("arpack", "randomized")]
    fits += [fit(compressed, algorithm, n_components, subset) for algorithm in ("arpack", "randomized")]
    fits.append(fit(rows, "randomized", n_components, subset, n_iter=20))
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition.TruncatedSVD"),
        "data": data.describe(name, rows, f"sklearn.datasets.load_{name}"),
        "n_stored_entries": compressed.nnz,
        "subset": subset,
        "all_singular_values": np.linalg.svd(rows, compute_uv=False),
        "total_variance": rows.var(axis=0).sum(),
        "fits": fits,
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    plan = {
        "digits": (10, {"rows": [0, 1, 1796], "columns": list(range(2, 64, 5)), "components": 5}),
        "wine": (3, {"rows": [0, 70, 177], "columns": list(range(13)), "components": 3}),
        "breast_cancer": (5, {"rows": [0, 19, 568], "columns": list(range(30)), "components": 5}),
        "diabetes": (4, {"rows": [0, 200, 441], "columns": list(range(10)), "components": 4}),
    }
    for name, (n_components, subset) in plan.items():
        writing.write(output, f"truncated_svd_{name}.json", document(name, n_components, subset))


if __name__ == "__main__":
    main()

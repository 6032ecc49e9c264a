"""Reference numbers of sparse principal component analysis: scikit-learn's `SparsePCA`, and its objective carried to the end.

Writes `sparse_pca_<data set>.json`. The objective ½‖X − U·V‖² + α‖V‖₁ with columns of U of norm at most 1 has local optima; every run
starts at the singular value decomposition. Components are determined only up to sign.
"""

import warnings

import numpy as np
from sklearn.decomposition import SparsePCA, dict_learning
from sklearn.preprocessing import StandardScaler

from support import command, data, versions, writing

SEED = 0
RIDGE = 0.01
TOLERANCE, MAX_ITER = 1e-8, 20_000
OWN_ROUNDS = 200_000


def objective(centred, scores, parts, alpha):
    """What is minimised."""
    return 0.5 * np.square(centred - scores @ parts).sum() + alpha * np.abs(parts).sum()


def own_alternation(centred, n_components, alpha):
    """Block coordinate descent from the singular value decomposition, one component of V and of U at a time, until the objective stands still."""
    left, values, right = np.linalg.svd(centred, full_matrices=False)
    scores, parts = left[:, :n_components].copy(), values[:n_components, None] * right[:n_components]
    residual, last = centred - scores @ parts, np.inf
    for rounds in range(1, OWN_ROUNDS + 1):
        for which in range(n_components):
            residual += np.outer(scores[:, which], parts[which])
            pull, length = scores[:, which] @ residual, np.square(scores[:, which]).sum()
            parts[which] = np.sign(pull) * np.maximum(np.abs(pull) - alpha, 0.0) / length
            mass = np.square(parts[which]).sum()
            if mass > 0.0:
                best = residual @ parts[which] / mass
                scores[:, which] = best / max(np.linalg.norm(best), 1.0)
            residual -= np.outer(scores[:, which], parts[which])
        value = 0.5 * np.square(residual).sum() + alpha * np.abs(parts).sum()
        if last - value <= 1e-15 * value:
            break
        last = value
    lengths = np.linalg.norm(parts, axis=1, keepdims=True)
    return {
        "n_iter": rounds,
        "objective": objective(centred, scores, parts, alpha),
        "components": parts / np.where(lengths > 0.0, lengths, 1.0),
        "n_nonzero": (parts != 0.0).sum(axis=1),
    }


def unscaled(centred, n_components, alpha, method):
    """scikit-learn's own U and V before it divides the components by their norms: `SparsePCA` is this call on the transposed table."""
    code, dictionary, _ = dict_learning(
        centred.T, n_components, alpha=alpha, tol=TOLERANCE, max_iter=MAX_ITER, method=method, random_state=SEED
    )
    return dictionary.T, code.T


def fit(rows, n_components, alpha, method, subset):
    """All that one fit reports, cut to the subset."""
    model = SparsePCA(
        n_components, alpha=alpha, ridge_alpha=RIDGE, tol=TOLERANCE, max_iter=MAX_ITER, method=method, random_state=SEED
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(rows)
    centred = rows - rows.mean(axis=0)
    scores, parts = unscaled(centred, n_components, alpha, method)
    projected = model.transform(rows)
    return {
        "method": method,
        "alpha": alpha,
        "ridge_alpha": RIDGE,
        "n_components": n_components,
        "n_iter": model.n_iter_,
        "warnings": sorted({str(warning.message) for warning in said}),
        "error_first": model.error_[0],
        "error_last": model.error_[-1],
        "objective": objective(centred, scores, parts, alpha),
        "norms_of_v": np.linalg.norm(parts, axis=1),
        "norms_of_u": np.linalg.norm(scores, axis=0),
        "n_nonzero": (model.components_ != 0.0).sum(axis=1),
        "components": model.components_[:, subset["columns"]],
        "transform": projected[subset["rows"]],
        "reconstruction_sum_of_squares": np.square(rows - model.inverse_transform(projected)).sum(),
    }


def case(rows, counts, alphas, subset):
    """Fits for several counts and penalties with both methods, and the same problem by the script's own alternation."""
    centred = rows - rows.mean(axis=0)
    pairs = [(count, alpha) for count in counts for alpha in alphas]
    own = []
    for count, alpha in pairs:
        record = own_alternation(centred, count, alpha)
        record["components"] = record["components"][:, subset["columns"]]
        own.append({"n_components": count, "alpha": alpha, **record})
    return {
        "total_sum_of_squares": np.square(centred).sum(),
        "fits": [fit(rows, count, alpha, method, subset) for count, alpha in pairs for method in ("cd", "lars")],
        "own_alternation": own,
    }


def document(name, rows, cases, subset):
    """The record of one data set: columns as they are, and standardised."""
    standard = StandardScaler().fit_transform(rows)
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition.SparsePCA"),
        "data": data.describe(name, rows, f"sklearn.datasets.load_{name}"),
        "scaling": "standard deviation with 1/n, 1 for constant columns",
        "subset": subset,
        "tol": TOLERANCE,
        "raw": case(rows, cases["counts"], cases["raw"], subset),
        "standardised": case(standard, cases["counts"], cases["standardised"], subset),
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    subset = {"rows": [0, 70, 177], "columns": list(range(13))}
    cases = {"counts": (3, 5), "raw": (0.5, 1.0, 2.0), "standardised": (0.5, 1.0, 2.0)}
    writing.write(output, "sparse_pca_wine.json", document("wine", data.small("wine"), cases, subset))
    subset = {"rows": [0, 1, 1796], "columns": list(range(2, 64, 4))}
    cases = {"counts": (3, 5), "raw": (1.0, 50.0), "standardised": (0.5, 1.0, 2.0, 10.0)}
    writing.write(output, "sparse_pca_digits.json", document("digits", data.small("digits"), cases, subset))


if __name__ == "__main__":
    main()

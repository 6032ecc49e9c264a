"""Reference numbers of canonical correlation analysis: scikit-learn's `CCA`, the direct solution, and several views at once.

Writes `cca_<data set>.json`. scikit-learn iterates; the direct solution (QR of each view, singular values of the product) in the same
file is exact to rounding. Directions are determined only up to a common sign of both views.
"""

import warnings

import numpy as np
from scipy import linalg
from sklearn.cross_decomposition import CCA

from support import command, data, versions, writing

TOLERANCE, MAX_ITER = 1e-24, 200_000
RIDGES = (0.0, 0.1)


def correlations(left, right):
    """The correlation of each pair of score columns."""
    return np.array([np.corrcoef(left[:, which], right[:, which])[0, 1] for which in range(left.shape[1])])


def iterated(left, right, n_components, scale, chosen):
    """All that scikit-learn's fit reports; weights and rotations are in the units of the scaled columns."""
    model = CCA(n_components, scale=scale, max_iter=MAX_ITER, tol=TOLERANCE)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(left, right)
    scores = model.transform(left, right)
    return {
        "scale": scale,
        "tol": TOLERANCE,
        "n_components": n_components,
        "n_iter": model.n_iter_,
        "warnings": sorted({str(warning.message) for warning in said}),
        "canonical_correlations": correlations(*scores),
        "x_weights": model.x_weights_,
        "y_weights": model.y_weights_,
        "x_loadings": model.x_loadings_,
        "y_loadings": model.y_loadings_,
        "x_rotations": model.x_rotations_,
        "y_rotations": model.y_rotations_,
        "coef": model.coef_[:, :10],
        "intercept": model.intercept_,
        "x_scores": scores[0][chosen],
        "y_scores": scores[1][chosen],
        "predict": model.predict(left[chosen]),
    }


def direct(left, right, n_components, chosen):
    """The exact solution: scores with variance 1 (divisor n−1), directions that apply to centred columns in their own units."""
    centred = [view - view.mean(axis=0) for view in (left, right)]
    (left_basis, left_root), (right_basis, right_root) = (np.linalg.qr(view) for view in centred)
    left_turn, values, right_turn = np.linalg.svd(left_basis.T @ right_basis, full_matrices=False)
    unit = np.sqrt(left.shape[0] - 1)
    x_directions = linalg.solve_triangular(left_root, left_turn)[:, :n_components] * unit
    y_directions = linalg.solve_triangular(right_root, right_turn.T)[:, :n_components] * unit
    return {
        "canonical_correlations": values,
        "x_directions": x_directions,
        "y_directions": y_directions,
        "x_scores": centred[0][chosen] @ x_directions,
        "y_scores": centred[1][chosen] @ y_directions,
        "condition_numbers": [np.linalg.cond(view) for view in centred],
    }


def regularised(left, right, ridge, n_components):
    """The two views with ridge·I added to the covariance of each: singular values of the whitened cross-covariance."""
    n_left = left.shape[1]
    covariance = np.cov(np.hstack([left, right]).T)
    roots = [
        linalg.cholesky(block + ridge * np.eye(block.shape[0]), lower=True)
        for block in (covariance[:n_left, :n_left], covariance[n_left:, n_left:])
    ]
    half = linalg.solve_triangular(roots[0], covariance[:n_left, n_left:], lower=True)
    whitened = linalg.solve_triangular(roots[1], half.T, lower=True).T
    turn, values, other = np.linalg.svd(whitened, full_matrices=False)
    return {
        "ridge": ridge,
        "singular_values": values,
        "x_directions": linalg.solve_triangular(roots[0].T, turn)[:, :n_components],
        "y_directions": linalg.solve_triangular(roots[1].T, other.T)[:, :n_components],
    }


def several_views(views, ridge, n_components, chosen):
    """Maximises Σ wᵢᵀCᵢⱼwⱼ over all pairs of views, i = j too, with Σ wᵢᵀ(Cᵢᵢ + ridge·I)wᵢ = 1; covariances with 1/(n−1)."""
    covariance = np.cov(np.hstack(views).T)
    blocks, first = [], 0
    for view in views:
        last = first + view.shape[1]
        blocks.append(covariance[first:last, first:last] + ridge * np.eye(view.shape[1]))
        first = last
    values, vectors = linalg.eigh(covariance, linalg.block_diag(*blocks))
    leading = vectors[:, ::-1][:, :n_components]
    parts = np.split(leading, np.cumsum([view.shape[1] for view in views])[:-1])
    scores = [(view - view.mean(axis=0))[chosen] @ part for view, part in zip(views, parts)]
    return {"ridge": ridge, "eigenvalues": values[::-1], "directions": parts, "scores": scores}


def standardised(rows):
    """Columns less their mean, divided by their standard deviation with 1/(n−1)."""
    deviation = rows.std(axis=0, ddof=1)
    return (rows - rows.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)


def document(views, n_components, chosen, source):
    """The record of two views."""
    left, right = views
    return {
        "reference": versions.reference("scikit-learn", "sklearn.cross_decomposition.CCA"),
        "x": data.describe("x", left, source),
        "y": data.describe("y", right, source),
        "rows": chosen,
        "fits": [iterated(left, right, n_components, scale, chosen) for scale in (True, False)],
        "direct": direct(left, right, n_components, chosen),
        "regularised_standardised": regularised(standardised(left), standardised(right), 0.1, n_components),
    }


def several_document(rows, views, n_components, chosen):
    """The record of three views, of the columns as they are and standardised."""
    scaled = standardised(rows)
    return {
        "columns": views,
        "raw": [several_views([rows[:, view] for view in views], ridge, n_components, chosen) for ridge in RIDGES],
        "standardised": [several_views([scaled[:, view] for view in views], ridge, n_components, chosen) for ridge in RIDGES],
    }


def pixels(rows, wanted):
    """Indices of digits' columns whose place across the image is wanted, without constant columns."""
    varies = rows.max(axis=0) > rows.min(axis=0)
    return np.array([column for column in range(64) if column % 8 in wanted and varies[column]])


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    exercise, body = data.labelled("linnerud")
    body = body.astype(np.float64)
    source = "sklearn.datasets.load_linnerud: x exercise, y physiology"
    writing.write(output, "cca_linnerud.json", document((exercise, body), 3, [0, 9, 19], source))
    cancer = data.small("breast_cancer")
    source = "sklearn.datasets.load_breast_cancer: x columns 0 to 9, y columns 10 to 19"
    record = document((cancer[:, :10], cancer[:, 10:20]), 4, [0, 19, 568], source)
    thirds = [np.arange(first, first + 10) for first in (0, 10, 20)]
    record["three_views"] = several_document(cancer, thirds, 3, [0, 19, 568])
    writing.write(output, "cca_breast_cancer.json", record)
    digits = data.small("digits")
    left, right = pixels(digits, (0, 1, 2, 3)), pixels(digits, (4, 5, 6, 7))
    source = "sklearn.datasets.load_digits: x the left half of the image, y the right half, without constant columns"
    record = document((digits[:, left], digits[:, right]), 4, [0, 1, 1796], source)
    record |= {"x_columns": left, "y_columns": right}
    thirds = [pixels(digits, wanted) for wanted in ((0, 1, 2), (3, 4), (5, 6, 7))]
    record["three_views"] = several_document(digits, thirds, 3, [0, 1, 1796])
    writing.write(output, "cca_digits.json", record)


if __name__ == "__main__":
    main()

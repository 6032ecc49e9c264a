"""Reference numbers of kernel principal components: scikit-learn's `KernelPCA` for every kernel, and own sums for what it does not give.

Writes `kernel_pca_<data set>.json`. Signs of the columns are free. Errors in feature space and the distances kept there are computed from their
definitions; so is the case of an indefinite kernel, which scikit-learn's dense solver refuses or does not report.
"""

import numpy as np
from scipy.linalg import eigh, solve
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA, KernelPCA
from sklearn.metrics import pairwise

from support import clouds, command, data, versions, writing

HOW = "sklearn.decomposition.KernelPCA(eigen_solver='dense'; 'arpack' for the sigmoid kernel, which is not definite)"
ALPHAS = (1.0, 0.01)
N_SHOWN = 12
DIGITS = 13
# Rows taken, components, columns shown of pre-images, and each kernel's parameters.
PLAN = {
    "digits": {
        "n_rows": 300,
        "n_components": 4,
        "columns": [2, 10, 20, 28, 36, 43, 60],
        "kernels": {
            "linear": {},
            "polynomial": {"degree": 3, "gamma": 1e-3, "coef0": 1.0},
            "rbf": {"gamma": 1e-3},
            "laplacian": {"gamma": 5e-3},
            "sigmoid": {"gamma": 1e-5, "coef0": 0.1},
            "cosine": {},
            "precomputed": {},
        },
        "indefinite": {"gamma": 1e-3, "coef0": -1.0},
    },
    "iris": {
        "n_rows": 150,
        "n_components": 3,
        "columns": [0, 1, 2, 3],
        "kernels": {
            "linear": {},
            "polynomial": {"degree": 3, "gamma": 0.25, "coef0": 1.0},
            "rbf": {"gamma": 0.5},
            "laplacian": {"gamma": 0.5},
            "sigmoid": {"gamma": 1e-3, "coef0": 0.1},
            "cosine": {},
            "precomputed": {},
        },
        "indefinite": {"gamma": 0.05, "coef0": -1.0},
    },
    "wine": {
        "n_rows": 178,
        "n_components": 3,
        "columns": [0, 3, 4, 9, 12],
        "kernels": {
            "linear": {},
            "polynomial": {"degree": 3, "gamma": 1e-5, "coef0": 1.0},
            "rbf": {"gamma": 1e-4},
            "laplacian": {"gamma": 1e-2},
            "sigmoid": {"gamma": 1e-7, "coef0": 0.1},
            "cosine": {},
            "precomputed": {},
        },
        "indefinite": {"gamma": 1e-6, "coef0": -0.5},
    },
}


def intersection(left, right):
    """The kernel given as a matrix: the sum over the columns of the smaller of both numbers, definite for numbers that are not negative."""
    return np.minimum(left[:, None, :], right[None, :, :]).sum(axis=2)


def kernel(name, parameters, left, right):
    """The kernel between two sets of rows."""
    functions = {
        "linear": pairwise.linear_kernel,
        "polynomial": pairwise.polynomial_kernel,
        "rbf": pairwise.rbf_kernel,
        "laplacian": pairwise.laplacian_kernel,
        "sigmoid": pairwise.sigmoid_kernel,
        "cosine": pairwise.cosine_similarity,
        "precomputed": intersection,
    }
    return functions[name](left, right, **parameters)


def own_values(name, parameters, rows):
    """The kernel of every row with itself."""
    return np.array([kernel(name, parameters, row[None], row[None])[0, 0] for row in rows])


def centred(matrix):
    """The kernel of the centred features of the rows fitted."""
    return matrix - matrix.mean(axis=0) - matrix.mean(axis=1, keepdims=True) + matrix.mean()


def centred_to(new, matrix):
    """The kernel of the centred features of new rows with those of the rows fitted."""
    return new - matrix.mean(axis=0) - new.mean(axis=1, keepdims=True) + matrix.mean()


def feature_errors(placed, own, across, matrix, coefficients):
    """‖φ(x) − Πφ(x)‖² of centred features, its three inner products written out: φ·φ − 2 φ·Πφ + Πφ·Πφ."""
    length = own - 2.0 * across.mean(axis=1) + matrix.mean()
    inner = ((centred_to(across, matrix) @ coefficients) * placed).sum(axis=1)
    projected = np.einsum("ij,jk,ik->i", placed, coefficients.T @ centred(matrix) @ coefficients, placed)
    return length - 2.0 * inner + projected


def kept_distances(matrix, embedding):
    """Means over all pairs of the distance in feature space less that of the projections, and the same of the squares."""
    diagonal = np.diag(matrix)
    apart, kept = [], []
    for i in range(len(matrix)):
        for j in range(i):
            apart.append(diagonal[i] + diagonal[j] - 2.0 * matrix[i, j])
            kept.append(np.square(embedding[i] - embedding[j]).sum())
    apart, kept = np.maximum(apart, 0.0), np.array(kept)
    return {
        "mean_difference": np.mean(np.sqrt(apart) - np.sqrt(kept)),
        "mean_difference_of_squares": np.mean(apart - kept),
        "mean_distance": np.mean(np.sqrt(apart)),
    }


def model(name, parameters, n_components, alpha=None):
    """scikit-learn's estimator; the Laplacian kernel goes in as a matrix."""
    given = {"polynomial": "poly", "laplacian": "precomputed"}.get(name, name)
    return KernelPCA(
        n_components,
        kernel=given,
        eigen_solver="arpack" if name == "sigmoid" else "dense",
        fit_inverse_transform=alpha is not None,
        alpha=1.0 if alpha is None else alpha,
        random_state=0,
        **({} if given == "precomputed" else parameters),
    )


def own_inverse(name, parameters, alpha, embedding, rows, placed):
    """Ridge regression of the rows on the coordinates, under the same kernel as the fit's, without centring."""
    matrix = kernel(name, parameters, embedding, embedding) + alpha * np.eye(len(embedding))
    return kernel(name, parameters, placed, embedding) @ solve(matrix, rows, assume_a="sym")


def inverse_records(name, parameters, known, new, n_components, columns):
    """Pre-images of the rows held out, by ridge regression."""
    records = []
    for alpha in ALPHAS if name not in ("precomputed", "sigmoid") else ():
        plain = model(name, parameters, n_components)
        matrix = kernel(name, parameters, known, known)
        across = kernel(name, parameters, new, known)
        if name == "laplacian":
            embedding = plain.fit_transform(matrix)
            found = own_inverse(name, parameters, alpha, embedding, known, plain.transform(across))
            apart = None
        else:
            fitted = model(name, parameters, n_components, alpha).fit(known)
            placed = fitted.transform(new)
            found = fitted.inverse_transform(placed)
            own = own_inverse(name, parameters, alpha, fitted.transform(known), known, placed)
            apart = np.abs(found - own).max() / np.abs(found).max()
        records.append(
            {
                "alpha": alpha,
                "own_sum_apart": apart,
                "mean_squared_error": np.square(found - new).mean(),
                "rows": clouds.significant(found[:N_SHOWN][:, columns], DIGITS),
            }
        )
    return records


def fit_record(name, parameters, rows, n_components, columns):
    """One kernel: the fit of the rows that are not held out, and the others placed."""
    inside, outside = clouds.split(rows)
    known, new = rows[inside], rows[outside]
    matrix, across = kernel(name, parameters, known, known), kernel(name, parameters, new, known)
    by_matrix = name in ("laplacian", "precomputed")
    fitted = model(name, parameters, n_components).fit(matrix if by_matrix else known)
    values = fitted.eigenvalues_
    coefficients = fitted.eigenvectors_ / np.sqrt(values)
    embedding = fitted.transform(matrix if by_matrix else known)
    placed = fitted.transform(across if by_matrix else new)
    spectrum = eigh(centred(matrix), eigvals_only=True)[::-1]
    known_errors = feature_errors(embedding, np.diag(matrix), matrix, matrix, coefficients)
    new_errors = feature_errors(placed, own_values(name, parameters, new), across, matrix, coefficients)
    record = {
        "kernel": name,
        "parameters": parameters,
        "eigenvalues": values,
        "spectrum": {"trace": spectrum.sum(), "least": spectrum[-1], "negative": -spectrum[spectrum < 0].sum()},
        "embedding": clouds.significant(embedding[:N_SHOWN], DIGITS),
        "embedding_sum_of_squares": np.square(embedding).sum(axis=0),
        "transform": clouds.significant(placed[:N_SHOWN], DIGITS),
        "transform_sum_of_squares": np.square(placed).sum(axis=0),
        "feature_errors": {
            "training": clouds.significant(known_errors[:N_SHOWN], DIGITS),
            "training_mean": known_errors.mean(),
            "held_out": clouds.significant(new_errors[:N_SHOWN], DIGITS),
            "held_out_mean": new_errors.mean(),
        },
        "distances": kept_distances(matrix, embedding),
        "checks": {
            "eigenvalues_by_scipy": np.abs(values / spectrum[:n_components] - 1.0).max(),
            "training_errors_are_the_rest_of_the_trace": known_errors.sum() / (spectrum.sum() - values.sum()) - 1.0,
        },
        "inverse": inverse_records(name, parameters, known, new, n_components, columns),
    }
    if name == "linear":
        plain = PCA(n_components).fit(known)
        rest = new - plain.inverse_transform(plain.transform(new))
        record["checks"]["errors_of_plain_pca"] = np.abs(np.square(rest).sum(axis=1) / new_errors - 1.0).max()
    return record


def indefinite_record(parameters, rows, n_components):
    """A sigmoid kernel with large negative eigenvalues: leading pairs, and how much is negative."""
    matrix = kernel("sigmoid", parameters, rows, rows)
    values, vectors = eigh(centred(matrix))
    values, vectors = values[::-1], vectors[:, ::-1]
    try:
        KernelPCA(kernel="sigmoid", eigen_solver="dense", **parameters).fit(rows)
        refusal = None
    except ValueError as error:
        refusal = str(error)[:60]
    return {
        "kernel": "sigmoid",
        "parameters": parameters,
        "scikit_learn_says_of_the_whole_spectrum": refusal,
        "eigenvalues": values[:n_components],
        "least_eigenvalues": values[-3:],
        "n_negative": int((values < -1e-10 * values[0]).sum()),
        "sum_of_negative": -values[values < 0].sum(),
        "sum_of_positive": values[values > 0].sum(),
        "sum_of_absolute": np.abs(values).sum(),
        "embedding": clouds.significant((vectors[:, :n_components] * np.sqrt(values[:n_components]))[:N_SHOWN], DIGITS),
    }


def document(name, plan):
    """The record of one data set."""
    rows = data.small(name)[: plan["n_rows"]]
    fits = [fit_record(kind, parameters, rows, plan["n_components"], plan["columns"]) for kind, parameters in plan["kernels"].items()]
    return {
        "reference": versions.reference("scikit-learn", HOW),
        "data": data.describe(name, rows, f"the first {len(rows)} rows of sklearn.datasets.load_{name}"),
        "n_components": plan["n_components"],
        "n_shown": N_SHOWN,
        "columns": plan["columns"],
        "median_distance": np.median(pdist(rows[clouds.split(rows)[0]])),
        "fits": fits,
        "indefinite": indefinite_record(plan["indefinite"], rows, plan["n_components"]),
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name, plan in PLAN.items():
        writing.write(output, f"kernel_pca_{name}.json", document(name, plan))


if __name__ == "__main__":
    main()

"""Reference numbers of kernel discriminant analysis: the generalized eigenproblem in explicit features, by numpy and scipy.

Writes `kernel_lda_<data set>.json`. No package at hand has the method. The features are those of the kernel matrix's eigenvectors, so that their
inner products are the kernel, and everything is then plain discriminant analysis with a ridge. Signs of the columns are free.
"""

import numpy as np
from scipy.linalg import eigh
from sklearn.metrics import pairwise

from support import clouds, command, data, versions, writing

N_SHOWN = 12
DIGITS = 13
KERNELS = {"rbf": pairwise.rbf_kernel, "polynomial": pairwise.polynomial_kernel, "linear": pairwise.linear_kernel}
# Rows taken, and for every fit the kernel, its parameters and the ridge as a share of the trace.
PLAN = {
    "iris": (
        150,
        [
            ("rbf", {"gamma": 0.5}, 1e-3),
            ("rbf", {"gamma": 0.5}, 0.1),
            ("polynomial", {"degree": 3, "gamma": 0.25, "coef0": 1.0}, 1e-2),
            ("linear", {}, 1e-6),
        ],
    ),
    "wine": (178, [("rbf", {"gamma": 1e-4}, 1e-3), ("rbf", {"gamma": 1e-4}, 0.1)]),
    "digits": (300, [("rbf", {"gamma": 1e-3}, 1e-3)]),
}


def explicit(function, parameters, known, new):
    """Features of the rows fitted and of new ones, whose inner products are the kernel."""
    values, vectors = eigh(function(known, known, **parameters))
    kept = values > 1e-13 * values[-1]
    roots = np.sqrt(values[kept])
    return vectors[:, kept] * roots, function(new, known, **parameters) @ (vectors[:, kept] / roots)


def axes(features, labels, share):
    """Directions that maximise wᵀBw / wᵀ(S + λI)w, of length 1 in the latter, with λ a share of the trace of S; priors are the classes' shares."""
    mean = features.mean(axis=0)
    within, between = (np.zeros((features.shape[1],) * 2) for _ in range(2))
    for label in np.unique(labels):
        rows = features[labels == label]
        prior = len(rows) / len(features)
        within += prior * np.cov(rows.T, bias=True)
        between += prior * np.outer(rows.mean(axis=0) - mean, rows.mean(axis=0) - mean)
    ridge = share * np.trace(within)
    values, vectors = eigh(between, within + ridge * np.eye(len(within)))
    count = len(np.unique(labels)) - 1
    return values[::-1][:count], vectors[:, ::-1][:, :count], mean, ridge


def predicted(placed, embedding, labels):
    """The class whose mean is nearest, with log priors."""
    classes = np.unique(labels)
    scores = [
        np.log(np.mean(labels == label)) - 0.5 * np.square(placed - embedding[labels == label].mean(axis=0)).sum(axis=1) for label in classes
    ]
    return classes[np.argmax(scores, axis=0)]


def fit_record(name, parameters, share, rows, labels):
    """One fit of the rows that are not held out."""
    inside, outside = clouds.split(rows)
    known, new = explicit(KERNELS[name], parameters, rows[inside], rows[outside])
    values, directions, mean, ridge = axes(known, labels[inside], share)
    embedding, placed = (known - mean) @ directions, (new - mean) @ directions
    return {
        "kernel": name,
        "parameters": parameters,
        "regularization": share,
        "n_features": known.shape[1],
        "ridge": ridge,
        "separation": values,
        "embedding": clouds.significant(embedding[:N_SHOWN], DIGITS),
        "transform": clouds.significant(placed[:N_SHOWN], DIGITS),
        "n_right_training": int((predicted(embedding, embedding, labels[inside]) == labels[inside]).sum()),
        "n_right_held_out": int((predicted(placed, embedding, labels[inside]) == labels[outside]).sum()),
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name, (n_rows, fits) in PLAN.items():
        rows, labels = data.labelled(name)
        rows, labels = rows[:n_rows], labels[:n_rows]
        document = {
            "reference": versions.own_reference("discriminant analysis with a ridge in explicit features, scipy.linalg.eigh"),
            "data": data.describe(name, rows, f"the first {n_rows} rows of sklearn.datasets.load_{name}"),
            "fits": [fit_record(*fit, rows, labels) for fit in fits],
        }
        writing.write(output, f"kernel_lda_{name}.json", document)


if __name__ == "__main__":
    main()

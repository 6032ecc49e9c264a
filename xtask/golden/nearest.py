"""Reference accuracies of the nearest neighbour on the optical digits, among all columns and among a few coordinates.

Writes `nearest_optdigits.json`: fits on the 3,823 training rows, tested on the 1,797 others. Independent components are a rotation of whitened principal
components, so the latter's distances are the reference of both; the Karhunen–Loève axes are computed here by their definition.
"""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

from support import command, data, versions, writing

N_TRAINING = 3823
COUNTS = (2, 9, 20)


def accuracy(train, test, labels, n_neighbors=1):
    """The share of test rows whose class their nearest training rows tell."""
    known, asked = labels
    return KNeighborsClassifier(n_neighbors, algorithm="brute").fit(train, known).score(test, asked)


def placed(model, train, test, labels):
    """The accuracy among a model's coordinates."""
    model.fit(train, labels[0])
    return accuracy(model.transform(train), model.transform(test), labels)


def within_axes(train, known, count):
    """Eigenvectors of the average of the classes' covariances, weighted with their shares."""
    average = sum(np.cov(train[known == label].T) * np.mean(known == label) for label in np.unique(known))
    return np.linalg.eigh(average)[1][:, ::-1][:, :count]


def record(train, test, labels, count):
    """The accuracies among so many coordinates."""
    axes = within_axes(train, labels[0], count)
    return {
        "n_components": count,
        "pca": placed(PCA(count), train, test, labels),
        "ica": placed(PCA(count, whiten=True), train, test, labels),
        "karhunen_loeve": accuracy(train @ axes, test @ axes, labels),
        "lda": placed(LinearDiscriminantAnalysis(n_components=count), train, test, labels) if count < 10 else None,
    }


def main():
    """Writes the document where the data is there."""
    arguments = command.parse(__doc__)
    found = arguments.shared_set("optdigits.npz")
    if found is None:
        return
    rows, classes = found["X"].astype(np.float64), found["y"].astype(np.int64)
    train, test = rows[:N_TRAINING], rows[N_TRAINING:]
    labels = (classes[:N_TRAINING], classes[N_TRAINING:])
    document = {
        "reference": versions.reference("scikit-learn", "sklearn.neighbors.KNeighborsClassifier"),
        "data": data.describe("optdigits", rows, "optdigits.npz of the optional shared data: rows 0 to 3822 train, the others test"),
        "all_columns": [{"n_neighbors": k, "accuracy": accuracy(train, test, labels, k)} for k in (1, 3, 5, 7, 11)],
        "coordinates": [record(train, test, labels, count) for count in COUNTS],
    }
    writing.write(arguments.output, "nearest_optdigits.json", document)


if __name__ == "__main__":
    main()

"""Reference clusters: scikit-learn's `KMeans` and `SpectralClustering`.

Writes `cluster.json`. Every start of k-means ends in a local optimum; `inertias` holds the ends of ten starts, `best` the least of them. Spectral clustering is stored by its labels, whose names are free: compare them by the adjusted Rand index.
"""

import numpy as np
from sklearn import datasets
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score

from support import clouds, command, data, versions, writing

SETS = (("iris", 3), ("iris", 8), ("wine", 3), ("digits", 10), ("digits", 30))


def means(name, n_clusters):
    """Ten starts, each by itself."""
    rows = data.small(name)
    ends = [KMeans(n_clusters, n_init=1, random_state=seed, tol=1e-4).fit(rows).inertia_ for seed in range(10)]
    together = KMeans(n_clusters, n_init=10, random_state=0).fit(rows).inertia_
    return {
        "data": data.describe(name, rows, f"sklearn.datasets.load_{name}"),
        "n_clusters": n_clusters,
        "inertias": np.array(ends),
        "best": min(min(ends), together),
    }


def shapes(name, rows):
    """Labels of a cloud of two curves, which is stored with them."""
    rows = rows.round(clouds.DECIMALS)
    model = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=10, n_init=10, random_state=0).fit(rows)
    return {"name": name, "rows": rows, "labels": model.labels_}


def spectral(name, n_clusters, n_neighbors):
    """Labels by the graph of nearest neighbours."""
    rows, truth = data.labelled(name)
    model = SpectralClustering(n_clusters, affinity="nearest_neighbors", n_neighbors=n_neighbors, n_init=10, random_state=0).fit(rows)
    return {
        "data": data.describe(name, rows, f"sklearn.datasets.load_{name}"),
        "n_clusters": n_clusters,
        "n_neighbors": n_neighbors,
        "labels": model.labels_,
        "adjusted_rand_of_classes": adjusted_rand_score(truth, model.labels_),
    }


def main():
    """Writes the document."""
    arguments = command.parse(__doc__)
    document = {
        "reference": versions.reference("scikit-learn", "sklearn.cluster.KMeans, sklearn.cluster.SpectralClustering"),
        "k_means": [means(*which) for which in SETS],
        "spectral": [spectral("digits", 10, 10)],
        "shapes": [
            shapes("moons", datasets.make_moons(300, noise=0.05, random_state=0)[0]),
            shapes("circles", datasets.make_circles(300, noise=0.03, factor=0.5, random_state=0)[0]),
        ],
    }
    writing.write(arguments.output, "cluster.json", document)


if __name__ == "__main__":
    main()

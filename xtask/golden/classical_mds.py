"""Reference numbers of classical scaling: scikit-learn's `ClassicalMDS` of road distances, and of digits under two metrics.

Writes `classical_mds_<data set>.json`. Signs of the columns are free. Rows held out and landmarks are placed by the formula of de Silva and
Tenenbaum (2004), the additive constant is Cailliez's (1983), both in numpy. What R's documentation shows of the cities is kept beside them.
"""

import numpy as np
from scipy.linalg import eig, eigh
from scipy.spatial.distance import cdist
from sklearn.manifold import ClassicalMDS

from support import clouds, command, data, tables, versions, writing

N_SHOWN = 20
N_COMPONENTS = 3
DIGITS = 13
LANDMARKS = 8
# What R prints: coordinates of cmdscale(eurodist), the two measures of fit of cmdscale(eurodist, eig = TRUE)$GOF.
BY_R = {
    "how": "cmdscale(eurodist, eig = TRUE), R, package stats; figures as printed in its example",
    "points_of_first_cities": [[2290.27468, 1798.80293], [-825.38279, 546.81148], [59.183341, -367.08135], [-82.845973, -429.91466]],
    "goodness_of_fit": [0.7537543, 0.8679134],
}


def spectrum(distances):
    """All eigenpairs of the doubly centred squares, in falling order."""
    centre = np.eye(len(distances)) - 1.0 / len(distances)
    values, vectors = eigh(-0.5 * centre @ np.square(distances) @ centre)
    return values[::-1], vectors[:, ::-1]


def placed(distances, across, n_components):
    """New points by their distances to known ones: ½ Λ^(−½) Vᵀ (mean of the known squares − new squares)."""
    values, vectors = spectrum(distances)
    kept = vectors[:, :n_components] / np.sqrt(values[:n_components])
    return 0.5 * (np.square(distances).mean(axis=0) - np.square(across)) @ kept


def by_landmarks(distances):
    """All points placed by every eighth one; all of them, landmarks too, by the formula of new points. Not turned to principal axes."""
    chosen = np.arange(0, len(distances), LANDMARKS)
    whole = placed(distances[np.ix_(chosen, chosen)], distances[:, chosen], N_COMPONENTS)
    return {
        "every": LANDMARKS,
        "eigenvalues": spectrum(distances[np.ix_(chosen, chosen)])[0][:N_COMPONENTS],
        "points": clouds.significant(whole[:N_SHOWN], DIGITS),
        "sum_of_squared_distances": np.square(cdist(whole, whole)).sum() / 2,
    }


def additive(distances):
    """The least constant that makes the distances those of points, the largest eigenvalue of Cailliez's matrix (1983), and what then comes out."""
    count = len(distances)
    centre = np.eye(count) - 1.0 / count
    squares, plain = (-0.5 * centre @ matrix @ centre for matrix in (np.square(distances), distances))
    whole = np.block([[np.zeros((count, count)), 2.0 * squares], [-np.eye(count), -4.0 * plain]])
    values = eig(whole, right=False)
    constant = values.real[np.abs(values.imag) <= 1e-9 * np.abs(values).max()].max()
    raised, _ = spectrum(distances + constant * (1.0 - np.eye(count)))
    return {"constant": constant, "eigenvalues": raised[:N_COMPONENTS], "least_eigenvalue": raised[-1]}


def fit_record(metric, distances, given):
    """scikit-learn's map, and the whole spectrum by scipy."""
    values, _ = spectrum(distances)
    fitted = ClassicalMDS(N_COMPONENTS, metric=metric).fit(given)
    positive, leading = values[values > 0].sum(), values[:N_COMPONENTS].sum()
    inside, outside = clouds.split(distances)
    new = placed(distances[np.ix_(inside, inside)], distances[np.ix_(outside, inside)], N_COMPONENTS)
    return {
        "metric": metric,
        "eigenvalues": fitted.eigenvalues_,
        "eigenvalues_by_scipy_apart": np.abs(fitted.eigenvalues_ / values[:N_COMPONENTS] - 1.0).max(),
        "first_eigenvalues": values[:12],
        "last_eigenvalues": values[-6:],
        "sum_of_negative": -values[values < 0].sum(),
        "sum_of_positive": positive,
        "sum_of_absolute": np.abs(values).sum(),
        "goodness_of_fit": [leading / np.abs(values).sum(), leading / positive],
        "goodness_of_fit_in_two": [values[:2].sum() / np.abs(values).sum(), values[:2].sum() / positive],
        "embedding": clouds.significant(fitted.embedding_[:N_SHOWN], DIGITS),
        "held_out": clouds.significant(new[:N_SHOWN], DIGITS),
        "landmarks": by_landmarks(distances) if len(distances) > 100 else None,
        "additive": additive(distances) if values[-1] < -1e-6 * values[0] else None,
    }


def cities():
    """The road distances, with R's figures."""
    distances, _, description = tables.scaled_set("eurodist")
    return {
        "reference": versions.reference("scikit-learn", "sklearn.manifold.ClassicalMDS(metric='precomputed')"),
        "data": description,
        "n_components": N_COMPONENTS,
        "cities": tables.CITIES,
        "distances": distances.astype(int),
        "by_r": BY_R,
        "fits": [fit_record("precomputed", distances, distances)],
    }


def digits():
    """200 rows under two metrics."""
    rows = data.small("digits")[:200]
    names = {"euclidean": "euclidean", "manhattan": "cityblock"}
    return {
        "reference": versions.reference("scikit-learn", "sklearn.manifold.ClassicalMDS"),
        "data": data.describe("digits", rows, "the first 200 rows of sklearn.datasets.load_digits"),
        "n_components": N_COMPONENTS,
        "fits": [fit_record(name, cdist(rows, rows, short), rows) for name, short in names.items()],
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    writing.write(output, "classical_mds_eurodist.json", cities())
    writing.write(output, "classical_mds_digits.json", digits())


if __name__ == "__main__":
    main()

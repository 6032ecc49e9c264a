"""Reference numbers of intrinsic dimension: scikit-dimension's estimators, each checked by the formula in a few lines of numpy.

Writes `intrinsic_dimension_<data set>.json`, of the three clouds, of digits, and, where the optional shared data exists, of the first 5,000
rows of Fashion-MNIST and of a swiss roll of 5,000 points.
"""

import warnings

import numpy as np
import skdim
from scipy.spatial.distance import cdist

from support import clouds, command, data, neighbors, versions, writing

COUNTS = (5, 10, 20)
POINTS = (0, 1, 2, 100, 500)
RULES = ("FO", "Fan", "maxgap", "ratio", "participation_ratio", "Kaiser", "broken_stick")
LOCAL_NEIGHBORS = 50


def own_likelihood(distances):
    """Levina and Bickel's estimate of each row from its sorted neighbour distances: (k − 1) / Σ log(r_k / r_j)."""
    return (distances.shape[1] - 1) / np.log(distances[:, -1:] / distances).sum(axis=1)


def likelihood_record(rows, distances, count):
    """The maximum-likelihood estimate of one neighbourhood size, with the three ways to combine the points'."""
    near = distances[:, :count]
    fits = {comb: skdim.id.MLE().fit(rows, n_neighbors=count, comb=comb) for comb in ("mle", "mean", "median")}
    each = fits["mle"].dimension_pw_
    return {
        "n_neighbors": count,
        "harmonic_mean": fits["mle"].dimension_,
        "mean": fits["mean"].dimension_,
        "median": fits["median"].dimension_,
        "unbiased_harmonic_mean": skdim.id.MLE(unbiased=True).fit(rows, n_neighbors=count).dimension_,
        "unbiased_mean": skdim.id.MLE(unbiased=True).fit(rows, n_neighbors=count, comb="mean").dimension_,
        "of_points": each[list(POINTS)],
        "own_formula_apart": np.abs(own_likelihood(near) / each - 1).max(),
    }


def own_two_nn(distances, share):
    """The slope through the origin of −log(1 − i/N) against log μ_(i), the largest share of ratios left out."""
    ratios = np.sort(distances[:, 1] / distances[:, 0])
    kept = int(len(ratios) * (1 - share))
    x, y = np.log(ratios[:kept]), -np.log(1 - np.arange(1, kept + 1) / len(ratios))
    return (x @ y) / (x @ x)


def two_nn_record(rows, distances, share):
    """TwoNN by the line, which needs the largest ratios left out, and by maximum likelihood."""
    record = {
        "discard_fraction": share,
        "n_kept": int(len(rows) * (1 - share)),
        "likelihood": skdim.id.TwoNN(discard_fraction=share, method="mle").fit(rows).dimension_,
    }
    if share > 0:
        record["linear"] = skdim.id.TwoNN(discard_fraction=share).fit(rows).dimension_
        record["own_formula_apart"] = abs(own_two_nn(distances, share) / record["linear"] - 1)
    return record


def correlation_record(rows, distances, first, second):
    """The correlation integral between two radii, with the radii and the counts of ordered pairs within them."""
    radii = [np.median(distances[:, count - 1]) for count in (first, second)]
    pairs = [sum(int((cdist(rows[i : i + 500], rows) < radius).sum()) for i in range(0, len(rows), 500)) - len(rows) for radius in radii]
    found = skdim.id.CorrInt(k1=first, k2=second).fit(rows).dimension_
    own = np.log(pairs[1] / pairs[0]) / np.log(radii[1] / radii[0])
    return {
        "k1": first,
        "k2": second,
        "dimension": found,
        "radii": radii,
        "ordered_pairs": pairs,
        "own_dimension": own,
        "own_formula_apart": abs(own / found - 1),
    }


def local_record(rows, rule):
    """Principal components of each point's neighbours, the point itself left out."""
    order = neighbors.nearest(rows, rows, LOCAL_NEIGHBORS, same=True)[0]
    each = skdim.id.lPCA(ver=rule).fit_pw(rows, precomputed_knn=order).dimension_pw_
    return {
        "rule": rule,
        "n_neighbors": LOCAL_NEIGHBORS,
        "mean": each.mean(),
        "median": np.median(each),
        "of_points": each[list(POINTS)],
    }


def document(rows, description, local):
    """The record of one data set; `local` asks for the slow estimates of each point."""
    distances = neighbors.nearest(rows, rows, max(COUNTS), same=True)[1]
    record = {
        "reference": versions.reference("scikit-dimension", "skdim.id.MLE, TwoNN, CorrInt, lPCA"),
        "data": description,
        "n_zero_nearest_distances": int((distances[:, 0] == 0).sum()),
        "points": list(POINTS),
        "maximum_likelihood": [likelihood_record(rows, distances, count) for count in COUNTS],
        "two_nn": [two_nn_record(rows, distances, share) for share in (0.0, 0.1)],
        "correlation": [correlation_record(rows, distances, *pair) for pair in ((5, 10), (10, 20))],
        "principal_components": {rule: skdim.id.lPCA(ver=rule).fit(rows).dimension_ for rule in RULES},
        "principal_components_ratio_95": skdim.id.lPCA(ver="ratio", alphaRatio=0.95).fit(rows).dimension_,
    }
    if local:
        record["local_principal_components"] = [local_record(rows, rule) for rule in ("FO", "participation_ratio")]
    return record


def main():
    """Writes all files of this topic."""
    arguments = command.parse(__doc__)
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "divide by zero")
    for name in (*clouds.MAKERS, "digits"):
        rows, description = clouds.rows_of(name)
        writing.write(arguments.output, f"intrinsic_dimension_{name}.json", document(rows, description, local=True))
    for name, file_name, count in (("fashion_5k", "fashion_mnist.npz", 5000), ("swiss_roll_5k", "swiss_roll_5k.npz", 5000)):
        held = arguments.shared_set(file_name)
        if held is not None:
            rows = held["X"][:count].astype(np.float64)
            description = data.describe(name, rows, f"the first {count} rows of {file_name} of the optional shared data")
            writing.write(arguments.output, f"intrinsic_dimension_{name}.json", document(rows, description, local=False))


if __name__ == "__main__":
    main()

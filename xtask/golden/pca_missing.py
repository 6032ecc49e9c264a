"""Reference numbers of principal component analysis with missing values, on iris with a tenth of its entries taken out.

Three fits that people call by the same name and that differ:

- `iterative`: fill with the column means, then repeat PCA and replace the missing entries by their reconstruction until nothing
  moves; the mean is estimated anew in each round, nothing is shrunk. It minimises the squared error over the observed entries.
- `iterative_fixed_mean`: the same with the mean of the observed entries kept, as statsmodels' `missing="fill-em"` does.
- `probabilistic`: maximum likelihood of the probabilistic model (Tipping and Bishop 1999) given the observed entries.

Writes `pca_missing.json`.
"""

import numpy as np
from scipy.optimize import minimize
from sklearn.decomposition import PCA
from statsmodels.multivariate.pca import PCA as StatsmodelsPCA

from support import command, data, versions, writing

SEED = 0
RANKS = (1, 2)


def holed_iris():
    """Iris with 60 of its 600 entries as NaN; every row keeps at least two."""
    complete = data.small("iris")
    generator = np.random.default_rng(SEED)
    while True:
        holes = np.zeros(complete.size, dtype=bool)
        holes[generator.choice(complete.size, size=complete.size // 10, replace=False)] = True
        holes = holes.reshape(complete.shape)
        if holes.sum(axis=1).max() <= 2:
            return complete, holes, np.where(holes, np.nan, complete)


def iterative(holed, rank):
    """PCA and refilling in turn until the filled values stand still to the last digits."""
    holes = np.isnan(holed)
    filled = np.where(holes, np.nanmean(holed, axis=0), holed)
    for rounds in range(1, 100_000):
        model = PCA(n_components=rank, svd_solver="full").fit(filled)
        renewed = np.where(holes, model.inverse_transform(model.transform(filled)), holed)
        change = np.abs(renewed - filled).max()
        filled = renewed
        if change < 1e-13:
            break
    model = PCA(n_components=rank, svd_solver="full").fit(filled)
    restored = model.inverse_transform(model.transform(filled))
    return {
        "rounds": rounds,
        "mean": model.mean_,
        "explained_variance": model.explained_variance_,
        "explained_variance_note": "of the filled data, 1/(n-1)",
        "components": model.components_,
        "eigenvalues_of_filled": np.linalg.eigvalsh(np.cov(filled, rowvar=False))[::-1],
        "imputed": filled[holes],
        "observed_sum_of_squares": np.square((holed - restored)[~holes]).sum(),
    }


def iterative_fixed_mean(holed, rank):
    """statsmodels' own filling, run until it stands still."""
    model = StatsmodelsPCA(holed, ncomp=rank, standardize=False, demean=True, normalize=False, missing="fill-em", tol_em=1e-14, max_em_iter=100_000)
    filled = np.asarray(model._adjusted_data)
    return {
        "mean": np.nanmean(holed, axis=0),
        "imputed": filled[np.isnan(holed)],
        "eigenvalues_of_filled": np.linalg.eigvalsh(np.cov(filled, rowvar=False))[::-1],
    }


def log_likelihood_terms(holed, mean, covariance):
    """Gaussian log-density of every row's observed entries."""
    terms = np.empty(holed.shape[0])
    for i, row in enumerate(holed):
        seen = ~np.isnan(row)
        part, offset = covariance[np.ix_(seen, seen)], row[seen] - mean[seen]
        sign, logarithm = np.linalg.slogdet(part)
        terms[i] = -0.5 * (seen.sum() * np.log(2 * np.pi) + logarithm + offset @ np.linalg.solve(part, offset))
    return terms


def expected(holed, mean, covariance):
    """Expectation step: rows filled with their conditional means, and the sum of the conditional covariances."""
    filled, spread = holed.copy(), np.zeros_like(covariance)
    for i, row in enumerate(holed):
        seen = ~np.isnan(row)
        if seen.all():
            continue
        gain = covariance[np.ix_(~seen, seen)] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
        filled[i, ~seen] = mean[~seen] + gain @ (row[seen] - mean[seen])
        spread[np.ix_(~seen, ~seen)] += covariance[np.ix_(~seen, ~seen)] - gain @ covariance[np.ix_(seen, ~seen)]
    return filled, spread


def maximised(second_moment, rank):
    """Maximisation step: the closed form of Tipping and Bishop, section 3.2, for the expected covariance (1/n)."""
    values, vectors = np.linalg.eigh(second_moment)
    values, vectors = values[::-1], vectors[:, ::-1]
    noise = values[rank:].mean()
    loadings = vectors[:, :rank] * np.sqrt(values[:rank] - noise)
    return loadings @ loadings.T + noise * np.eye(len(values)), values, vectors, noise


def probabilistic(holed, rank):
    """Expectation and maximisation in turn until the likelihood stands still."""
    mean, covariance = np.nanmean(holed, axis=0), np.diag(np.nanvar(holed, axis=0))
    for rounds in range(1, 100_000):
        filled, spread = expected(holed, mean, covariance)
        mean = filled.mean(axis=0)
        moment = (np.cov(filled, rowvar=False, bias=True) * len(holed) + spread) / len(holed)
        renewed, values, vectors, noise = maximised(moment, rank)
        change, covariance = np.abs(renewed - covariance).max(), renewed
        if change < 1e-14:
            break
    filled, _ = expected(holed, mean, covariance)
    return {
        "rounds": rounds,
        "mean": mean,
        "model_eigenvalues": values[:rank],
        "model_eigenvalues_note": "of the model covariance: loadings plus noise, maximum likelihood (1/n)",
        "noise_variance": noise,
        "components": vectors[:, :rank].T,
        "covariance": covariance,
        "mean_log_likelihood": log_likelihood_terms(holed, mean, covariance).mean(),
        "imputed": filled[np.isnan(holed)],
    }


def climb(holed, rank, found):
    """How much further scipy's minimiser gets from the solution found: nothing, if it is the maximum."""
    d = holed.shape[1]
    vectors = np.array(found["components"]).T
    loadings = vectors * np.sqrt(np.array(found["model_eigenvalues"]) - found["noise_variance"])
    start = np.concatenate([found["mean"], loadings.ravel(), [np.log(found["noise_variance"])]])

    def loss(point):
        factors = point[d : d + d * rank].reshape(d, rank)
        covariance = factors @ factors.T + np.exp(point[-1]) * np.eye(d)
        return -log_likelihood_terms(holed, point[:d], covariance).mean()

    # A start a little off the solution makes the check one that can fail.
    shifted = start + 0.02 * np.random.default_rng(SEED).standard_normal(start.size)
    best = minimize(loss, shifted, method="BFGS", options={"gtol": 1e-7, "maxiter": 2000})
    return {"optimizer": "scipy.optimize.minimize, BFGS", "mean_log_likelihood": -best.fun}


def main():
    """Writes the file."""
    arguments = command.parse(__doc__)
    complete, holes, holed = holed_iris()
    cases = []
    for rank in RANKS:
        model = probabilistic(holed, rank)
        model["maximum_found_independently"] = climb(holed, rank, model)
        cases.append(
            {
                "n_components": rank,
                "iterative": iterative(holed, rank),
                "iterative_fixed_mean": iterative_fixed_mean(holed, rank),
                "probabilistic": model,
            }
        )
    document = {
        "reference": {
            "iterative": versions.reference("scikit-learn", "own loop around sklearn.decomposition.PCA, unregularised, mean renewed"),
            "iterative_fixed_mean": versions.reference("statsmodels", "statsmodels.multivariate.pca.PCA(missing='fill-em'), unregularised"),
            "probabilistic": versions.own_reference("own EM after Tipping and Bishop (1999); its maximum checked with scipy's BFGS"),
        },
        "data": data.describe("iris", complete, "sklearn.datasets.load_iris"),
        "missing": np.argwhere(holes),
        "missing_note": "row, column of each entry taken out; `imputed` and `truth` follow this order",
        "truth": complete[holes],
        "cases": cases,
    }
    writing.write(arguments.output, "pca_missing.json", document)


if __name__ == "__main__":
    main()

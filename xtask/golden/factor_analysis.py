"""Reference numbers of factor analysis: scikit-learn's `FactorAnalysis`, a maximum found by another road, and rotations of the loadings.

Writes `factor_analysis_<data set>.json`. Loadings are determined up to a rotation; scikit-learn gives the one in which
loadings·noise⁻¹·loadingsᵀ is diagonal, so up to signs. Covariance, precision and likelihood are free of that.
"""

import warnings

import numpy as np
from scipy import linalg, optimize
from sklearn.decomposition import FactorAnalysis
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from support import command, data, versions, writing

SEED = 0
LEAST_NOISE = 1e-12
SCALING = "standard deviation with 1/n, 1 for constant columns"
TIGHT = {"svd_method": "lapack", "tol": 1e-8, "max_iter": 40_000}
SETTINGS = (
    {"svd_method": "lapack", "tol": 1e-2, "max_iter": 1000},
    {"svd_method": "randomized", "tol": 1e-2, "max_iter": 1000},
    TIGHT,
)


def fitted(rows, n_components, settings, rotation=None):
    """A fit, and whether it stood still before its limit of iterations."""
    model = FactorAnalysis(n_components, rotation=rotation, random_state=SEED, **settings)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(rows)
    return model, not said


def fit(rows, n_components, settings, subset):
    """All that one fit reports, cut to the subset."""
    model, converged = fitted(rows, n_components, settings)
    corner, few = np.ix_(subset["corner"], subset["corner"]), rows[subset["rows"]]
    return {
        **settings,
        "n_components": n_components,
        "seed": SEED if settings["svd_method"] == "randomized" else None,
        "converged": converged,
        "n_iter": model.n_iter_,
        "loglike_first": model.loglike_[:5],
        "loglike_last": model.loglike_[-1],
        "mean": model.mean_[subset["columns"]],
        "noise_variance": model.noise_variance_[subset["columns"]],
        "noise_variance_sum": model.noise_variance_.sum(),
        "n_columns_at_least_noise": int((model.noise_variance_ <= LEAST_NOISE).sum()),
        "components": model.components_[:, subset["columns"]],
        "score": model.score(rows),
        "score_samples": model.score_samples(few),
        "transform": model.transform(few),
        "covariance_corner": model.get_covariance()[corner],
        "precision_corner": model.get_precision()[corner],
    }


def criterion(loadings, method):
    """What the rotation makes large: the fourth powers, for varimax less the square of the second powers of each factor."""
    fourth = np.power(loadings, 4).sum()
    if method == "quartimax":
        return fourth
    return fourth - np.square(np.square(loadings).sum(axis=0)).sum() / loadings.shape[0]


def orthogonal_rotation(loadings, method):
    """Rotates loadings (columns of the data × factors) until the rotation stands still to rounding, by the usual singular value iteration."""
    rotation = np.eye(loadings.shape[1])
    for _ in range(100_000):
        rotated = loadings @ rotation
        pull = np.power(rotated, 3)
        if method == "varimax":
            pull -= rotated * (np.square(rotated).sum(axis=0) / loadings.shape[0])
        left, _, right = np.linalg.svd(loadings.T @ pull)
        moved = np.abs(left @ right - rotation).max()
        rotation = left @ right
        if moved < 1e-14:
            break
    return rotation


def rotated_tightly(loadings, method, kaiser):
    """One rotation with its matrix; with Kaiser's normalisation each column of the data counts the same while rotating."""
    weights = np.sqrt(np.square(loadings).sum(axis=1, keepdims=True)) if kaiser else 1.0
    rotation = orthogonal_rotation(loadings / weights, method)
    return loadings @ rotation, rotation


def promax(loadings, kaiser, power=4):
    """Promax (Hendrickson and White 1964) with the scaling that the manual of R's `stats::promax` documents: varimax, a least-squares fit of
    the loadings to their signed powers, columns scaled so that the factors have variance 1."""
    orthogonal, rotation = rotated_tightly(loadings, "varimax", kaiser)
    target = np.sign(orthogonal) * np.abs(orthogonal) ** power
    fit_to_target = np.linalg.lstsq(orthogonal, target, rcond=None)[0]
    fit_to_target = fit_to_target * np.sqrt(np.diag(np.linalg.inv(fit_to_target.T @ fit_to_target)))
    whole = rotation @ fit_to_target
    return {
        "kaiser_normalisation": kaiser,
        "power": power,
        "components": (orthogonal @ fit_to_target).T,
        "rotation": whole,
        "factor_correlation": np.linalg.inv(whole.T @ whole),
    }


def rotations(rows, n_components, subset):
    """The loadings of the tight fit, rotated by scikit-learn and, to the end, by the formulas above; all columns are kept."""
    plain, _ = fitted(rows, n_components, TIGHT)
    loadings, few = plain.components_.T, rows[subset["rows"]]
    record = {"none": {"components": plain.components_, "noise_variance": plain.noise_variance_}}
    for method in ("varimax", "quartimax"):
        model, _ = fitted(rows, n_components, TIGHT, method)
        record[method] = {
            "components": model.components_,
            "transform": model.transform(few),
            "criterion": criterion(model.components_.T, method),
            "tight": [],
        }
        for kaiser in (False, True):
            rotated, rotation = rotated_tightly(loadings, method, kaiser)
            value = criterion(rotated, method)
            tight = {"kaiser_normalisation": kaiser, "components": rotated.T, "rotation": rotation, "criterion": value}
            record[method]["tight"].append(tight)
    record["promax"] = [promax(loadings, kaiser) for kaiser in (False, True)]
    return record


def profile(log_noise, covariance, n_components):
    """Minus the mean log-likelihood less its constant, with the best loadings for the noise put in, and its gradient (Jöreskog 1967)."""
    noise = np.exp(log_noise)
    root = np.sqrt(noise)
    values, vectors = linalg.eigh(covariance / np.outer(root, root))
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = np.maximum(values[:n_components], 1.0)
    rest = values.sum() - values[:n_components].sum() + (values[:n_components] / kept).sum()
    minus = 0.5 * (np.log(kept).sum() + rest + log_noise.sum())
    loadings = vectors[:, :n_components] * np.sqrt(kept - 1.0) * root[:, None]
    gradient = 0.5 * (np.square(loadings).sum(axis=1) + noise - np.diag(covariance)) / noise
    return minus, gradient


def independent_maximum(standard, n_components):
    """The largest likelihood that scipy's L-BFGS finds over the noise variances from several starts."""
    n_columns = standard.shape[1]
    covariance = standard.T @ standard / standard.shape[0]
    generator = np.random.default_rng(SEED)
    starts = [np.full(n_columns, np.log(0.5)), *np.log(generator.uniform(0.05, 1.0, (9, n_columns)))]
    options = {"maxiter": 50_000, "maxfun": 200_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 30}
    found = [
        optimize.minimize(
            profile, start, (covariance, n_components), "L-BFGS-B", True, bounds=[(np.log(LEAST_NOISE), np.log(2.0))] * n_columns, options=options
        )
        for start in starts
    ]
    likelihoods = np.sort([-one.fun - 0.5 * n_columns * np.log(2.0 * np.pi) for one in found])[::-1]
    best = min(found, key=lambda one: one.fun)
    return {"mean_log_likelihood": likelihoods[0], "of_all_starts": likelihoods, "noise_variance": np.exp(best.x)}


def document(name, rows, n_components, subset):
    """The record of one data set without constant columns: raw columns, standardised columns, rotations, the other road."""
    scaler = StandardScaler().fit(rows)
    standard = scaler.transform(rows)
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition.FactorAnalysis"),
        "data": data.describe(name, rows, f"sklearn.datasets.load_{name}, without constant columns"),
        "subset": subset,
        "raw": [fit(rows, n_components, settings, subset) for settings in SETTINGS],
        "standardised": {"scaling": SCALING, "fits": [fit(standard, n_components, settings, subset) for settings in SETTINGS]},
        "score_of_raw_less_standardised": -np.log(scaler.scale_).sum(),
        "rotations_of_standardised": rotations(standard, n_components, subset),
        "promax_source": "Hendrickson and White 1964, scaled as the manual of R's stats::promax says; computed in the script",
        "independent_maximum_of_standardised": independent_maximum(standard, n_components),
    }


def with_constant_columns(rows, n_components, subset):
    """Digits with its constant columns: their noise variance is the floor, which enters the likelihood."""
    standard = StandardScaler().fit_transform(rows)
    return {
        "data": data.describe("digits", rows, "sklearn.datasets.load_digits"),
        "raw": fit(rows, n_components, SETTINGS[0], subset),
        "standardised": fit(standard, n_components, SETTINGS[0], subset),
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    # Tens of thousands of small decompositions: on a busy machine waiting for a second thread takes ten times as long as the work.
    threadpool_limits(1)
    subset = {"rows": [0, 70, 177], "columns": list(range(13)), "corner": [0, 6, 12]}
    writing.write(output, "factor_analysis_wine.json", document("wine", data.small("wine"), 3, subset))
    digits = data.small("digits")
    kept_rows, kept = data.without_constant_columns(digits)
    subset = {"rows": [0, 1, 2, 1796], "columns": list(range(1, 61, 5)), "corner": [9, 19, 20, 27, 41]}
    record = document("digits", kept_rows, 5, subset)
    record |= {"kept_columns": kept, "with_constant_columns": with_constant_columns(digits, 5, subset)}
    writing.write(output, "factor_analysis_digits.json", record)
    subset = {"rows": [0, 19, 568], "columns": list(range(30)), "corner": [0, 3, 12, 29]}
    writing.write(output, "factor_analysis_breast_cancer.json", document("breast_cancer", data.small("breast_cancer"), 4, subset))


if __name__ == "__main__":
    main()

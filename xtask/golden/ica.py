"""Reference numbers of independent component analysis: scikit-learn's `FastICA` on the classic mixed signals and on digits.

Writes `ica_<data set>.json`. Sources are determined only up to order and sign; the signals' file holds its own data, rounded, and every
fit is of the rounded numbers.
"""

import itertools
import warnings

import numpy as np
from scipy import signal, stats
from sklearn.decomposition import FastICA

from support import command, data, versions, writing

SEED = 0
NOISE = 0.2
MIXING = np.array([[1.0, 1.0, 1.0], [0.5, 2.0, 1.0], [1.5, 1.0, 2.0]])
NORMAL_LOGCOSH = 0.37456720749143
FUNCTIONS = ("logcosh", "exp", "cube")


def signals():
    """Three noisy sources of variance 1 and their mixtures, both rounded: 2,000 rows over 8 seconds."""
    time = np.linspace(0.0, 8.0, 2000)
    sources = np.column_stack([np.sin(2 * time), np.sign(np.sin(3 * time)), signal.sawtooth(2 * np.pi * time)])
    sources += NOISE * np.random.default_rng(SEED).normal(size=sources.shape)
    sources /= sources.std(axis=0)
    return sources.round(4), (sources @ MIXING.T).round(6)


def fitted(rows, **settings):
    """A fit, and whether it stood still before its limit of iterations (the deflation says nothing, so its count tells)."""
    model = FastICA(random_state=SEED, **settings)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(rows)
    return model, not said and model.n_iter_ < settings["max_iter"]


def best_matches(found, truth):
    """For each true source: which found one is most correlated with it, and that correlation."""
    count = truth.shape[1]
    table = np.corrcoef(truth.T, found.T)[:count, count:]
    places = np.abs(table).argmax(axis=1)
    return places, table[np.arange(count), places]


def contrast(sources):
    """Hyvärinen's approximate negentropy of each source of variance 1: (E log cosh s − E log cosh of a normal)²."""
    scaled = (sources - sources.mean(axis=0)) / sources.std(axis=0)
    return np.square(np.log(np.cosh(scaled)).mean(axis=0) - NORMAL_LOGCOSH)


def signal_fit(rows, sources, settings, chosen):
    """One fit of the mixed signals."""
    model, converged = fitted(rows, n_components=3, tol=1e-10, max_iter=2000, **settings)
    found = model.transform(rows)
    places, alike = best_matches(found, sources)
    return {
        **settings,
        "seed": SEED,
        "converged": converged,
        "n_iter": model.n_iter_,
        "components": model.components_,
        "mixing": model.mixing_,
        "mean": model.mean_,
        "whitening": model.whitening_,
        "transform": found[chosen],
        "source_deviation": found.std(axis=0),
        "kurtosis": stats.kurtosis(found),
        "match_of_source": places,
        "correlation_with_source": alike,
    }


def signals_document():
    """The mixed signals with every combination of algorithm, function and whitening."""
    sources, rows = signals()
    chosen = [0, 777, 1999]
    names = ("algorithm", "fun", "whiten", "whiten_solver")
    choices = (("parallel", "deflation"), FUNCTIONS, ("unit-variance", "arbitrary-variance"), ("eigh", "svd"))
    fits = [signal_fit(rows, sources, dict(zip(names, settings)), chosen) for settings in itertools.product(*choices)]
    source = "made in the script: sin 2t, sign(sin 3t), sawtooth, normal noise 0.2, variance 1, times the mixing matrix"
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition.FastICA"),
        "data": data.describe("signals", rows, source),
        "true_mixing": MIXING,
        "rows": chosen,
        "tol": 1e-10,
        "max_iter": 2000,
        "fits": fits,
        "x_by_column": rows.T,
        "true_sources_by_column": sources.T,
    }


def digits_fit(rows, function, seed, subset):
    """One fit of digits: sources in falling order of kurtosis, each with the sign that makes its third moment positive."""
    settings = {"n_components": 10, "algorithm": "parallel", "fun": function, "whiten": "unit-variance"}
    model = FastICA(random_state=seed, tol=1e-8, max_iter=5000, **settings)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sources = model.fit_transform(rows)
    kurtosis = stats.kurtosis(sources)
    order = np.argsort(kurtosis)[::-1]
    sign = np.sign(stats.skew(sources))[order]
    return {
        **settings,
        "seed": seed,
        "converged": not said,
        "n_iter": model.n_iter_,
        "kurtosis": kurtosis[order],
        "skewness": np.abs(stats.skew(sources)[order]),
        "contrast": contrast(sources)[order],
        "contrast_sum": contrast(sources).sum(),
        "components": (model.components_[order] * sign[:, None])[:, subset["columns"]],
        "mixing": (model.mixing_[:, order] * sign)[subset["columns"]],
        "transform": (sources[:, order] * sign)[subset["rows"]],
    }


def digits_document():
    """Ten components of digits without its constant columns, from three starts, which need not end in the same place."""
    rows, kept = data.without_constant_columns(data.small("digits"))
    subset = {"rows": [0, 1, 1796], "columns": list(range(1, 61, 5))}
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition.FastICA"),
        "data": data.describe("digits", rows, "sklearn.datasets.load_digits, without constant columns"),
        "kept_columns": kept,
        "subset": subset,
        "fits": [digits_fit(rows, function, seed, subset) for function in FUNCTIONS for seed in (0, 1, 2)],
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    writing.write(output, "ica_signals.json", signals_document())
    writing.write(output, "ica_digits.json", digits_document())


if __name__ == "__main__":
    main()

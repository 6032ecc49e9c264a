"""Reference numbers of non-negative matrix factorisation: scikit-learn's `NMF`, from its own starts and from one that needs no chance.

Writes `nmf_<data set>.json`. The problem has many local optima: errors and optimality of a part are the numbers to compare. The start
`nndsvd_exact` is made in the script from numpy's singular value decomposition, so that any package can begin at the same place.
"""

import warnings

import numpy as np
from scipy import optimize
from sklearn.decomposition import NMF

from support import command, data, versions, writing

SEED = 0
LOOSE = {"max_iter": 200, "tol": 1e-4}
TIGHT = {"max_iter": 2000, "tol": 1e-8}
REGULARISED = {"alpha_W": 0.01, "alpha_H": 0.01, "l1_ratio": 0.5}


def exact_nndsvd(rows, n_components, fill):
    """Boutsidis and Gallopoulos (2008) with exact singular vectors: of each pair the heavier of its positive and negative parts; zeros become
    `fill`."""
    left, values, right = np.linalg.svd(rows, full_matrices=False)
    weights, parts = np.zeros((rows.shape[0], n_components)), np.zeros((n_components, rows.shape[1]))
    for which in range(n_components):
        halves = [(np.maximum(sign * left[:, which], 0.0), np.maximum(sign * right[which], 0.0)) for sign in (1.0, -1.0)]
        masses = [np.linalg.norm(tall) * np.linalg.norm(wide) for tall, wide in halves]
        heavier = int(masses[1] > masses[0])
        tall, wide = halves[heavier]
        scale = np.sqrt(values[which] * masses[heavier])
        weights[:, which] = scale * tall / np.linalg.norm(tall)
        parts[which] = scale * wide / np.linalg.norm(wide)
    for table in (weights, parts):
        table[table < 1e-6] = 0.0
        table[table == 0.0] = fill
    return weights, parts


def divergence(rows, product):
    """The generalised Kullback–Leibler divergence, Σ x log(x/y) − x + y, where 0 log 0 is 0."""
    known = rows > 0.0
    return (rows[known] * np.log(rows[known] / np.maximum(product[known], np.finfo(np.float64).eps))).sum() - rows.sum() + product.sum()


def objective(rows, weights, parts, settings):
    """What is minimised, Frobenius loss: half the squared error plus the penalties as scikit-learn scales them."""
    value = 0.5 * np.square(rows - weights @ parts).sum()
    alphas = (rows.shape[1] * settings.get("alpha_W", 0.0), rows.shape[0] * settings.get("alpha_H", 0.0))
    share = settings.get("l1_ratio", 0.0)
    for alpha, table in zip(alphas, (weights, parts)):
        value += alpha * (share * np.abs(table).sum() + 0.5 * (1.0 - share) * np.square(table).sum())
    return value


def start(rows, n_components, init):
    """What scikit-learn is told of the start: its own word, or the tables of the exact one."""
    if not init.endswith("_exact"):
        return init, {}
    weights, parts = exact_nndsvd(rows, n_components, rows.mean() if init == "nndsvda_exact" else 0.0)
    return "custom", {"W": weights, "H": parts}


def held_out(model, rows, subset):
    """New rows with the parts fixed, where the problem is convex: scikit-learn's answer, and the exact one by active sets (Frobenius loss)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights = model.transform(rows)
    product = weights @ model.components_
    record = {"error": np.linalg.norm(rows - product), "transform": weights[subset["held_out_rows"]]}
    if model.beta_loss != "frobenius":
        return {**record, "divergence": divergence(rows, product)}
    if model.alpha_W == 0.0:
        exact = np.array([optimize.nnls(model.components_.T, row)[0] for row in rows])
        record |= {"exact_error": np.linalg.norm(rows - exact @ model.components_), "exact": exact[subset["held_out_rows"]]}
    return record


def fit(parts, n_components, init, settings, subset):
    """All that one fit reports, cut to the subset."""
    train, test = parts
    word, tables = start(train, n_components, init)
    model = NMF(n_components, init=word, random_state=SEED, **settings)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        weights = model.fit_transform(train, **{name: table.copy() for name, table in tables.items()})
    product = weights @ model.components_
    record = {
        "init": init,
        "seed": SEED,
        "solver": model.solver,
        "beta_loss": model.beta_loss,
        **settings,
        "n_components": n_components,
        "converged": not said,
        "n_iter": model.n_iter_,
        "reconstruction_err": model.reconstruction_err_,
        "error": np.linalg.norm(train - product),
        "objective": objective(train, weights, model.components_, settings),
        "zeros_of_components": int((model.components_ == 0.0).sum()),
        "zeros_of_transform": int((weights == 0.0).sum()),
        "components": model.components_[:, subset["columns"]],
        "fit_transform": weights[subset["rows"]],
        "held_out": held_out(model, test, subset),
    }
    if model.beta_loss == "kullback-leibler":
        record["divergence"] = divergence(train, product)
    return record


def exact_start(train, n_components, subset):
    """The start that needs no chance, cut to the subset, with its error before the first step."""
    weights, parts = exact_nndsvd(train, n_components, 0.0)
    error = np.linalg.norm(train - weights @ parts)
    return {"weights": weights[subset["rows"]], "components": parts[:, subset["columns"]], "error": error}


def document(parts, n_components, plan, subset, source):
    """The record of one data set, its rows fitted and held out; the plan names each fit's start and settings."""
    train, test = parts
    values = np.linalg.svd(train, compute_uv=False)
    return {
        "reference": versions.reference("scikit-learn", "sklearn.decomposition.NMF"),
        "data": data.describe("fitted", train, source),
        "held_out_data": data.describe("held_out", test, source),
        "subset": subset,
        "best_error_without_sign": np.sqrt(np.square(values[n_components:]).sum()),
        "norm": np.linalg.norm(train),
        "exact_start": exact_start(train, n_components, subset),
        "fits": [fit(parts, n_components, init, settings, subset) for init, settings in plan],
    }


def write_digits(output):
    """Digits: the first 1,500 rows fit, the others held out."""
    digits = data.small("digits")
    subset = {"rows": [0, 1, 1499], "held_out_rows": [0, 1, 296], "columns": list(range(2, 64, 5))}
    mu = {"solver": "mu", "beta_loss": "kullback-leibler"}
    starts = ("nndsvd", "nndsvda", "random", "nndsvd_exact", "nndsvda_exact")
    plan = [(init, settings) for settings in (LOOSE, TIGHT) for init in starts]
    plan += [("nndsvd_exact", {**TIGHT, **REGULARISED}), ("random", {**TIGHT, **REGULARISED})]
    plan += [(init, {**mu, **settings}) for settings in (LOOSE, TIGHT) for init in ("nndsvda", "random", "nndsvda_exact")]
    plan += [("nndsvda_exact", {"solver": "mu", **TIGHT})]
    source = "sklearn.datasets.load_digits: rows 0 to 1499 fit, the others held out"
    writing.write(output, "nmf_digits.json", document((digits[:1500], digits[1500:]), 10, plan, subset, source))


def write_olivetti(output, found):
    """Olivetti faces divided by 255: the first 9 images of each person fit, the last held out."""
    faces = found["X"].astype(np.float64) / 255.0
    is_test = np.arange(400) % 10 == 9
    subset = {"rows": [0, 205, 359], "held_out_rows": [0, 39], "columns": [0, 1000, 2080, 3000, 4095]}
    mu = {"solver": "mu", "beta_loss": "kullback-leibler"}
    plan = [(init, LOOSE) for init in ("nndsvd", "nndsvda", "random", "nndsvd_exact")]
    plan += [("nndsvd_exact", TIGHT), ("random", TIGHT), ("nndsvda_exact", {**mu, **LOOSE})]
    source = "olivetti.npz of the optional shared data, divided by 255; fit: row % 10 < 9, held out: the others, in their order"
    writing.write(output, "nmf_olivetti.json", document((faces[~is_test], faces[is_test]), 16, plan, subset, source))


def main():
    """Writes all files of this topic."""
    arguments = command.parse(__doc__)
    write_digits(arguments.output)
    olivetti = arguments.shared_set("olivetti.npz")
    if olivetti is not None:
        write_olivetti(arguments.output, olivetti)


if __name__ == "__main__":
    main()

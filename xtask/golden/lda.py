"""Reference numbers of linear discriminant analysis: scikit-learn's `LinearDiscriminantAnalysis` for its solvers, shrinkages and priors.

Writes `lda_<data set>.json`. Large arrays are kept as a stated subset (`subset`). Discriminant directions are determined only up to
sign; `transform` flips with them. Decisions, probabilities and classes are free of that.
"""

import warnings

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from support import command, data, versions, writing

CASES = (
    ("svd", None),
    ("eigen", None),
    ("eigen", 0.3),
    ("eigen", "auto"),
    ("lsqr", None),
    ("lsqr", 0.3),
    ("lsqr", "auto"),
)
HELD_OUT_IMAGES = 3


def classify(model, rows, chosen):
    """What a fit says of the classes of the chosen rows."""
    few = rows[chosen]
    return {
        "decision_function": model.decision_function(few),
        "predict_proba": model.predict_proba(few),
        "predict": model.predict(few),
    }


def directions(model, rows, subset):
    """What a fit says of its discriminant directions; scikit-learn keeps further columns in `scalings_` that `transform` does not use."""
    count = model.transform(rows[:1]).shape[1]
    scalings = model.scalings_[:, :count]
    projected = model.transform(rows[subset["rows"]])
    return {
        "explained_variance_ratio": model.explained_variance_ratio_,
        "n_scalings": model.scalings_.shape[1],
        "scalings": scalings[subset["columns"]],
        "transform": projected,
    }


def fit(rows, labels, case, subset, priors=None):
    """All that one fit reports, cut to the subset; only the refusal where the solver refuses."""
    solver, shrinkage = case
    record = {"solver": solver, "shrinkage": shrinkage, "dtype": str(rows.dtype), "given_priors": priors}
    model = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage, priors=priors)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            model.fit(rows, labels)
        except np.linalg.LinAlgError as refusal:
            return {**record, "refused": f"{type(refusal).__name__}: {refusal}"}
    record |= {"refused": None, "warnings": sorted({str(warning.message) for warning in said}), "priors": model.priors_}
    if solver == "svd":
        record["xbar"] = model.xbar_[subset["columns"]]
    record |= {
        "coef": model.coef_[:, subset["columns"]],
        "intercept": model.intercept_,
        **classify(model, rows, subset["rows"]),
        "score": model.score(rows, labels),
        "n_correct": int((model.predict(rows) == labels).sum()),
    }
    if solver != "lsqr":
        record |= directions(model, rows, subset)
    return record


def class_summary(rows, labels, subset):
    """The labels' counts and the class means, which no solver or shrinkage changes."""
    classes, counts = np.unique(labels, return_counts=True)
    means = np.array([rows[labels == which].mean(axis=0) for which in classes])
    return {"classes": classes, "counts": counts, "means": means[:, subset["columns"]]}


def uneven_priors(labels):
    """Priors that no data has: proportional to 1, 2, 3, ... in the order of the classes."""
    weights = np.arange(1, np.unique(labels).size + 1, dtype=np.float64)
    return weights / weights.sum()


def document(name, rows, labels, subset, source):
    """The whole record of a small data set."""
    priors = uneven_priors(labels)
    return {
        "reference": versions.reference("scikit-learn", "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
        "data": data.describe(name, rows, source),
        "subset": subset,
        "class_summary": class_summary(rows, labels, subset),
        "fits": [fit(rows, labels, case, subset) for case in CASES],
        "fits_with_given_priors": [fit(rows, labels, case, subset, priors) for case in CASES[:3]],
    }


def digits_document():
    """Digits with its constant columns, and again without them, where the solver `eigen` needs no shrinkage."""
    rows, labels = data.labelled("digits")
    whole = {"rows": [0, 1, 2, 8, 1796], "columns": list(range(2, 64, 5))}
    record = document("digits", rows, labels, whole, "sklearn.datasets.load_digits")
    kept_rows, kept = data.without_constant_columns(rows)
    kept_subset = {"rows": whole["rows"], "columns": np.flatnonzero(np.isin(kept, whole["columns"]))}
    record["without_constant_columns"] = {
        "kept_columns": kept,
        "subset": kept_subset,
        "fits": [fit(kept_rows, labels, (solver, None), kept_subset) for solver in ("svd", "eigen", "lsqr")],
    }
    return record


def held_out(train, test, subset, case):
    """A fit on the training part and how it does on the test part."""
    solver, shrinkage = case
    (rows, labels), (test_rows, test_labels) = train, test
    model = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(rows, labels)
    record = {
        "solver": solver,
        "shrinkage": shrinkage,
        "train_score": model.score(rows, labels),
        "test_score": model.score(test_rows, test_labels),
        "n_correct_train": int((model.predict(rows) == labels).sum()),
        "n_correct_test": int((model.predict(test_rows) == test_labels).sum()),
        "test": classify(model, test_rows, subset["test_rows"]),
    }
    if solver != "lsqr":
        columns = model.transform(test_rows[subset["test_rows"]])[:, : subset["components"]]
        ratio = model.explained_variance_ratio_
        record |= {"n_scalings": model.scalings_.shape[1], "explained_variance_ratio": ratio, "test_transform": columns}
    return record


def optdigits_document(found):
    """Fit on the 3,823 training rows, tested on the 1,797 others."""
    rows, labels = found["X"].astype(np.float64), found["y"].astype(np.int64)
    subset = {"test_rows": [0, 1, 2, 8, 1796], "components": 9}
    train, test = (rows[:3823], labels[:3823]), (rows[3823:], labels[3823:])
    cases = (("svd", None), ("eigen", 0.3), ("eigen", "auto"), ("lsqr", None), ("lsqr", "auto"))
    return {
        "reference": versions.reference("scikit-learn", "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
        "data": data.describe("optdigits", rows, "optdigits.npz of the optional shared data: rows 0 to 3822 train, the others test"),
        "subset": subset,
        "held_out": [held_out(train, test, subset, case) for case in cases],
    }


def olivetti_document(found):
    """Fewer rows than columns: 40 people, the first 7 images of each train, the last 3 test; and a fit on all rows."""
    rows, labels = found["X"].astype(np.float64), found["y"].astype(np.int64)
    if not np.array_equal(labels, np.repeat(np.arange(40), 10)):
        raise ValueError("olivetti.npz: the rows of a person are not consecutive")
    is_test = np.arange(400) % 10 >= 10 - HELD_OUT_IMAGES
    train, test = (rows[~is_test], labels[~is_test]), (rows[is_test], labels[is_test])
    subset = {"rows": [0, 205, 399], "test_rows": [0, 61, 119], "columns": [0, 1000, 2080, 3000, 4095], "components": 5}
    return {
        "reference": versions.reference("scikit-learn", "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
        "data": data.describe("olivetti", rows, "olivetti.npz of the optional shared data; train: row % 10 < 7, test: the others, in their order"),
        "subset": subset,
        "held_out": [held_out(train, test, subset, CASES[0])],
        "whole": fit(rows, labels, CASES[0], subset),
    }


def write_small(output):
    """The data sets that scikit-learn ships."""
    subsets = {
        "wine": {"rows": [0, 70, 177], "columns": list(range(13))},
        "breast_cancer": {"rows": [0, 19, 73, 568], "columns": list(range(30))},
        "iris": {"rows": [0, 70, 75, 133, 149], "columns": list(range(4))},
    }
    for name, subset in subsets.items():
        rows, labels = data.labelled(name)
        record = document(name, rows, labels, subset, f"sklearn.datasets.load_{name}")
        writing.write(output, f"lda_{name}.json", record)
    writing.write(output, "lda_digits.json", digits_document())


def main():
    """Writes all files of this topic."""
    arguments = command.parse(__doc__)
    write_small(arguments.output)
    optdigits, olivetti = arguments.shared_set("optdigits.npz"), arguments.shared_set("olivetti.npz")
    if optdigits is not None:
        writing.write(arguments.output, "lda_optdigits.json", optdigits_document(optdigits))
    if olivetti is not None:
        writing.write(arguments.output, "lda_olivetti.json", olivetti_document(olivetti))


if __name__ == "__main__":
    main()

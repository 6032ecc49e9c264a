"""Reference choices of sequential feature selection: scikit-learn's `SequentialFeatureSelector` and, for the floating directions, mlxtend's.

Writes `sequential_selection.json`. Folds are those of `cv=5`, not shuffled. For neighbours every value is moved by up to 1e-4 of its column's
width (`moved`), the same on both sides: scikit-learn does not say which of equally distant rows it takes, and values with few digits have
many. Its trees measure distances directly, without the rounding of a product. For mlxtend, measures are taken that have no ties: of equal sets it removes the
last, scikit-learn the first.
"""

import warnings

import numpy as np
from mlxtend.feature_selection import SequentialFeatureSelector as Floating
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from support import command, data, versions, writing

ESTIMATORS = {
    "k_nearest_classes": lambda: KNeighborsClassifier(algorithm="kd_tree"),
    "k_nearest_numbers": lambda: KNeighborsRegressor(algorithm="kd_tree"),
    "linear": LinearRegression,
    "lda": LinearDiscriminantAnalysis,
}

# Data set, scorer, direction, features kept.
CHOICES = (
    ("digits", "k_nearest_classes", "forward", 8),
    ("digits", "k_nearest_classes", "backward", 61),
    ("digits", "linear", "forward", 12),
    ("digits", "linear", "backward", 52),
    ("digits", "lda", "forward", 8),
    ("digits", "lda", "backward", 40),
    ("wine", "k_nearest_classes", "forward", 6),
    ("wine", "k_nearest_classes", "backward", 6),
    ("wine", "linear", "forward", 6),
    ("wine", "linear", "backward", 6),
    ("wine", "lda", "forward", 6),
    ("wine", "lda", "backward", 6),
    ("breast_cancer", "k_nearest_classes", "forward", 10),
    ("breast_cancer", "k_nearest_classes", "backward", 15),
    ("breast_cancer", "linear", "forward", 15),
    ("breast_cancer", "linear", "backward", 15),
    ("breast_cancer", "lda", "forward", 10),
    ("breast_cancer", "lda", "backward", 15),
    ("diabetes", "k_nearest_numbers", "forward", 5),
    ("diabetes", "k_nearest_numbers", "backward", 5),
    ("diabetes", "linear", "forward", 5),
    ("diabetes", "linear", "backward", 5),
)

# Data set, scorer, direction, features kept, scikit-learn's name of the measure.
FLOATING = (
    ("diabetes", "linear", "forward", 8, "r2"),
    ("diabetes", "linear", "backward", 2, "r2"),
    ("diabetes", "k_nearest_numbers", "forward", 8, "neg_mean_squared_error"),
    ("diabetes", "k_nearest_numbers", "backward", 2, "neg_mean_absolute_error"),
    ("wine", "lda", "forward", 11, "neg_log_loss"),
    ("wine", "lda", "backward", 2, "neg_log_loss"),
    ("wine", "linear", "forward", 11, "neg_mean_absolute_error"),
    ("breast_cancer", "lda", "forward", 14, "neg_log_loss"),
    ("breast_cancer", "linear", "forward", 20, "r2"),
    ("breast_cancer", "linear", "backward", 6, "neg_mean_squared_error"),
)


def moved(rows):
    """Every value moved by up to 1e-4 of its column's width, by a rule that needs no random numbers."""
    places = np.arange(rows.size, dtype=np.uint64).reshape(rows.shape)
    shares = ((places * np.uint64(2654435761)) % np.uint64(2**32)).astype(np.float64) / 2.0**32
    width = rows.max(axis=0) - rows.min(axis=0)
    return rows + (width * 1e-4) * shares


def columns(name, scorer):
    """The columns of a case: all, but for LDA on digits only those that a tenth of the rows fill, because it refuses a single constant column."""
    rows = data.small(name)
    if (name, scorer) == ("digits", "lda"):
        return np.flatnonzero((rows != 0).mean(axis=0) >= 0.1)
    return np.arange(rows.shape[1])


def prepared(name, scorer):
    """The rows and labels of a case."""
    rows, labels = data.labelled(name)
    rows = moved(rows) if scorer.startswith("k_nearest") else rows
    return rows[:, columns(name, scorer)], labels


def choose(name, scorer, direction, count):
    """What scikit-learn keeps, and how well that does on each fold."""
    rows, labels = prepared(name, scorer)
    estimator = ESTIMATORS[scorer]()
    selector = SequentialFeatureSelector(estimator, n_features_to_select=count, direction=direction, cv=5, n_jobs=-1).fit(rows, labels)
    kept = np.flatnonzero(selector.get_support())
    scores = cross_val_score(estimator, rows[:, kept], labels, cv=5)
    print(f"    {name}, {scorer}, {direction}: {kept}", flush=True)
    return {"data": name, "scorer": scorer, "direction": direction, "n_features": count, "columns": columns(name, scorer), "kept": kept, "scores": scores}


def float_along(name, scorer, direction, count, measure):
    """The best set of every size that mlxtend met."""
    rows, labels = prepared(name, scorer)
    forward = direction == "forward"
    selector = Floating(ESTIMATORS[scorer](), k_features=count, forward=forward, floating=True, scoring=measure, cv=5, n_jobs=-1).fit(rows, labels)
    sizes = sorted(selector.subsets_)
    print(f"    {name}, {scorer}, floating {direction}: {selector.k_feature_idx_}", flush=True)
    return {
        "data": name,
        "scorer": scorer,
        "direction": f"floating_{direction}",
        "n_features": count,
        "measure": measure,
        "kept": list(selector.k_feature_idx_),
        "sizes": sizes,
        "sets": [list(selector.subsets_[size]["feature_idx"]) for size in sizes],
        "scores": [selector.subsets_[size]["cv_scores"] for size in sizes],
    }


def main():
    """Writes the file of this topic."""
    arguments = command.parse(__doc__)
    warnings.filterwarnings("ignore", message="R.2 score is not well-defined")
    names = ("digits", "wine", "breast_cancer", "diabetes")
    document = {
        "reference": versions.reference("scikit-learn", "sklearn.feature_selection.SequentialFeatureSelector"),
        "floating_reference": versions.reference("mlxtend", "mlxtend.feature_selection.SequentialFeatureSelector"),
        "data": [data.describe(name, data.small(name), f"sklearn.datasets.load_{name}") for name in names],
        "moved": [data.describe(name, moved(data.small(name)), "moved by up to 1e-4 of the columns' widths") for name in names],
        "choices": [choose(*case) for case in CHOICES],
        "floating": [float_along(*case) for case in FLOATING],
    }
    writing.write(arguments.output, "sequential_selection.json", document)


if __name__ == "__main__":
    main()

"""What tests of all classes need: one of each, quick to fit, and rows that suit it."""

import charta
from charta._classes import CLASSES

#: Settings that make fits quick; results of such fits are not judged.
QUICK = {
    "TSNE": {"max_iter": 300, "perplexity": 5.0},
    "UMAP": {"n_epochs": 30, "n_neighbors": 5},
    "PaCMAP": {"first_phase": 20, "second_phase": 20, "third_phase": 30, "n_neighbors": 5},
    "Autoencoder": {"hidden": (8,), "n_epochs": 5},
    "ParametricSammon": {"hidden": (8,), "n_epochs": 5},
    "SOM": {"width": 3, "height": 3, "n_epochs": 5},
    "GaussianRandomProjection": {"n_components": 2},
    "SparseRandomProjection": {"n_components": 2},
    "NMF": {"n_components": 2},
    "CCA": {"n_components": 1},
    "PLSCanonical": {"n_components": 1},
    "KMeans": {"n_clusters": 3, "n_init": 2},
    "SparsePCA": {"alpha": 0.05},
    "SequentialFeatureSelector": {"n_features_to_select": 1, "cv": 2},
}

#: Every class once, by its first name.
NAMES = sorted({made.__name__ for made in CLASSES.values()})


def quick(name, **given):
    """An estimator of the class of that name."""
    return getattr(charta, name)(**{**QUICK.get(name, {}), **given})


def is_supervised(name):
    """True if a fit needs labels."""
    return CLASSES[name]._entry["labels"] in ("required", "target")


def has_views(name):
    """True if a fit needs several views."""
    return "views" in CLASSES[name]._entry["takes"]


def has_many_views(name):
    """True if the views are a list of any length."""
    return CLASSES[name]._class["many_views"]


def fitted(name, rows, classes, **given):
    """An estimator fitted to rows with classes, or to both halves of the columns as views."""
    estimator = quick(name, **given)
    if has_views(name):
        half = rows.shape[1] // 2
        first, second = rows[:, :half], rows[:, half:]
        return estimator.fit([first, second]) if has_many_views(name) else estimator.fit(first, second)
    return estimator.fit(rows, classes if is_supervised(name) else None)

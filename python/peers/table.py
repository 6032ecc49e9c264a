"""Writes docs/peers.md: parameters, defaults and fitted attributes of the classes of charta beside those of the packages that have them too.

    python python/peers/table.py            # writes the file
    python python/peers/table.py --check    # says whether it is up to date

Needs the packages below in these versions; `python/tests/test_peers.py` checks the sections of those that are there.
"""

import importlib
import importlib.metadata
import inspect
import io
import logging
import pathlib
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np

import charta
from charta import _names
from charta._classes import CLASSES
from charta._estimator import COMMON

FILE = pathlib.Path(__file__).parents[2] / "docs" / "peers.md"

#: Packages by the name of their distribution: module, version.
PACKAGES = {"scikit-learn": ("sklearn", "1.9.1"), "umap-learn": ("umap", "0.5.12"), "openTSNE": ("openTSNE", "1.0.4"), "pacmap": ("pacmap", "0.9.1")}

#: Classes that have the name of another package's than the one they are named after.
FURTHER = {"openTSNE": {"TSNE": "openTSNE"}}

#: Parameters of another package that are not there, with the reason.
MISSING = {
    ("TSNE", "openTSNE", "initial_momentum"): "that of the reference implementation",
    ("TSNE", "openTSNE", "final_momentum"): "that of the reference implementation",
    ("TSNE", "openTSNE", "initialization"): "called `init`, as in scikit-learn",
    ("TSNE", "openTSNE", "negative_gradient_method"): "called `method`, as in scikit-learn",
    ("TSNE", "openTSNE", "neighbors"): "called `search`",
    ("TSNE", "openTSNE", "n_iter"): "called `max_iter`, as in scikit-learn, which counts the early iterations too",
    ("TSNE", "openTSNE", "theta"): "called `angle`, as in scikit-learn",
    ("TSNE", "openTSNE", "n_interpolation_points"): "of the interpolation of openTSNE",
    ("TSNE", "openTSNE", "min_num_intervals"): "of the interpolation of openTSNE",
    ("TSNE", "openTSNE", "ints_in_interval"): "of the interpolation of openTSNE",
    ("TSNE", "openTSNE", "max_grad_norm"): "gradients are not clipped",
    ("TSNE", "openTSNE", "max_step_norm"): "steps are not clipped",
    ("PaCMAP", "pacmap", "intermediate"): "`callback` is given the embedding while it is optimized",
    ("PaCMAP", "pacmap", "intermediate_snapshots"): "`callback` is given the embedding while it is optimized",
    ("PaCMAP", "pacmap", "save_tree"): "`transform` finds neighbours without it",
    ("PaCMAP", "pacmap", "knn_backend"): "called `search`",
    ("TSNE", "openTSNE", "knn_kwargs"): "called `search` and `recall`",
    ("TSNE", "openTSNE", "callbacks"): "called `callback`",
    ("TSNE", "openTSNE", "callbacks_every_iters"): "`callback` is called in every iteration",
}

#: Fits that show which attributes there are: parameters beside the defaults.
QUICK = {
    "FactorAnalysis": {"n_components": 2},
    "FastICA": {"n_components": 2},
    "GaussianRandomProjection": {"n_components": 2},
    "NMF": {"n_components": 2, "init": "random", "random_state": 0},
    "PaCMAP": {"num_iters": (20, 20, 20), "n_neighbors": 5},
    "SparseRandomProjection": {"n_components": 2},
    "SpectralClustering": {"affinity": "nearest_neighbors", "n_clusters": 3},
    "TSNE": {"perplexity": 10.0},
    "UMAP": {"n_epochs": 20, "random_state": 0},
    "KMeans": {"n_clusters": 3},
    "CCA": {"n_components": 1},
    "PLSCanonical": {"n_components": 1},
}
#: Parameters of the quick fits that a package calls otherwise.
OURS_ALONE = {"PaCMAP": {"first_phase": 20, "second_phase": 20, "third_phase": 20, "n_neighbors": 5}}


def package_of(module):
    """The distribution that has a module."""
    top = module.partition(".")[0]
    return next(name for name, (import_name, _) in PACKAGES.items() if import_name == top)


def pairs():
    """(class of charta, distribution, module) for everything that another package has too, in order."""
    found = [(name, package_of(stated["package"]), stated["package"]) for name, stated in _names.CLASSES.items() if stated.get("package")]
    found += [(name, package, module) for package, classes in FURTHER.items() for name, module in classes.items()]
    return sorted(found, key=lambda pair: (list(PACKAGES).index(pair[1]), pair[0]))


def is_there(package):
    """True if the package is installed in the version that the table is about."""
    try:
        return importlib.metadata.version(package) == PACKAGES[package][1]
    except importlib.metadata.PackageNotFoundError:
        return False


def defaults_of(made):
    """Parameters of a constructor with their defaults."""
    parameters = list(inspect.signature(made.__init__).parameters.values())[1:]
    return {of.name: of.default for of in parameters if of.kind not in (of.VAR_KEYWORD, of.VAR_POSITIONAL)}


def fitted(made, name, given):
    """An estimator fitted to flowers, silently."""
    rows, classes = (np.asarray(values) for values in charta.iris())
    classes = np.unique(classes, return_inverse=True)[1]
    known = {key: value for key, value in given.items() if key in defaults_of(made)}
    if name == "SequentialFeatureSelector":
        from sklearn.neighbors import KNeighborsClassifier

        known = {"estimator": KNeighborsClassifier(), "n_features_to_select": 2}
    views = name in ("CCA", "PLSCanonical", "PLSRegression")
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            if name == "PaCMAP":
                # Its second argument is an initialization.
                return made(**known).fit(rows)
            return made(**known).fit(rows[:, :2] if views else rows, rows[:, 2:] if views else classes)
        finally:
            logging.disable(logging.NOTSET)


def attributes_of(estimator):
    """Public fitted attributes."""
    return {name for name in dir(estimator) if name.endswith("_") and not name.startswith("_") and hasattr(estimator, name)}


class Comparison:
    """One class beside that of another package."""

    def __init__(self, name, package, module):
        self.name, self.package, self.module = name, package, module
        ours, theirs = CLASSES[name], getattr(importlib.import_module(module), name)
        own, other = ours._defaults, defaults_of(theirs)
        ignored, refused = ours._class["ignored"], ours._class["refused"]
        self.same = [parameter for parameter in other if parameter in own and parameter not in ignored and parameter not in refused]
        self.ignored = [parameter for parameter in other if parameter in ignored]
        self.refused = [parameter for parameter in other if parameter in refused]
        self.missing = [parameter for parameter in other if parameter not in own]
        self.further = [parameter for parameter in own if parameter not in other and parameter not in COMMON]
        differ = [parameter for parameter in other if parameter in own and other[parameter] is not inspect.Parameter.empty and not same(own[parameter], other[parameter])]
        self.defaults = [f"`{parameter}`: {word(own[parameter])} here, {word(other[parameter])} there" for parameter in differ]
        if package == "openTSNE":
            # A fit there returns coordinates with attributes of their own.
            self.attributes = None
            return
        here = attributes_of(fitted(ours, name, OURS_ALONE.get(name, QUICK.get(name, {}))))
        there = attributes_of(fitted(theirs, name, QUICK.get(name, {})))
        self.attributes = sorted(here & there), sorted(there - here), sorted(here - there)

    def reason(self, parameter):
        """Why a parameter is missing; none if that is not stated."""
        return MISSING.get((self.name, self.package, parameter))

    def section(self):
        """The lines of the table."""
        missing = [f"`{parameter}` ({self.reason(parameter)})" for parameter in self.missing]
        lines = [
            ("the same", codes(self.same)),
            ("accepted, without effect", codes(self.ignored)),
            ("refused if not the default", codes(self.refused)),
            ("missing", ", ".join(missing)),
            ("only here", codes(self.further)),
            ("other defaults", "; ".join(self.defaults)),
        ]
        if self.attributes is not None:
            same, missing, further = self.attributes
            lines += [("fitted attributes: the same", codes(same)), ("missing", codes(missing)), ("only here", codes(further))]
        title = [f"### `{self.name}` and `{self.module}.{self.name}`", "", "| parameters | |", "|---|---|"]
        return "\n".join([*title, *(f"| {what} | {text} |" for what, text in lines if text), ""])


def same(own, other):
    if isinstance(own, bool) or isinstance(other, bool) or own is None or other is None:
        return own is other
    return bool(own == other)


def word(value):
    return f"`{value!r}`" if not isinstance(value, type) else f"`{value.__name__}`"


def codes(names):
    return ", ".join(f"`{name}`" for name in names)


INTRODUCTION = """# Beside other packages

What the classes of charta have in common with those of the same name in {packages}, and what not: written by `python python/peers/table.py`. Names of parameters,
defaults and attributes say what can be given and read; what results is compared by their own tests, which run with the classes of charta in place of theirs (`python/peers`). Every
class also has {common}.
"""


def page(comparisons):
    """The whole page."""
    packages = ", ".join(f"{name} {version}" for name, (_, version) in PACKAGES.items())
    parts = [INTRODUCTION.format(packages=packages, common=codes(COMMON))]
    for package in PACKAGES:
        parts += [f"## {package}\n", *(found.section() for found in comparisons if found.package == package)]
    return "\n".join(parts)


def compared(package):
    """All classes of a package beside ours."""
    return [Comparison(*pair) for pair in pairs() if pair[1] == package]


if __name__ == "__main__":
    absent = [name for name in PACKAGES if not is_there(name)]
    if absent:
        raise SystemExit(f"the table needs {', '.join(f'{name} {PACKAGES[name][1]}' for name in absent)}")
    text = page([found for package in PACKAGES for found in compared(package)])
    if "--check" in sys.argv:
        raise SystemExit(0 if FILE.read_text() == text else f"{FILE.name} is not up to date: run python python/peers/table.py")
    FILE.write_text(text)

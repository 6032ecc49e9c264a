"""charta: dimensionality reduction with PCA, UMAP, t-SNE and 30 more methods, and measures of the quality of an embedding.

Every method is an estimator with scikit-learn's interface::

    import charta

    X, y = charta.digits()
    umap = charta.UMAP(n_neighbors=15)
    embedding = umap.fit_transform(X)
    print(charta.quality_report(X, embedding, labels=y))
    umap.save("digits.charta")

The same data, parameters and ``random_state`` give the same bits, for any number of threads.
"""

from . import _charta, linear
from ._advice import advise
from ._classes import CLASSES as _CLASSES
from ._errors import ChartaWarning, ConvergenceWarning, NotFittedError
from ._functions import FUNCTIONS as _FUNCTIONS
from ._functions import (
    continuity,
    intrinsic_dimension,
    nearest_neighbors,
    quality_report,
    trustworthiness,
)
from ._datasets import DATA_SETS as _DATA_SETS
from ._datasets import data_set
from ._files import load
from ._names import ALIGNED as _ALIGNED_CLASSES

__version__ = _charta.__version__

#: Functions by the module that has them, which is imported on first use, so that importing the package is quick.
_LATER = {
    "compare": "_compare",
    "dimension": "_analysis",
    "explain": "_explain",
    "explain_table": "_explain",
    "image_grid": "_figures",
    "plot": "_plot",
    "plot_biplot": "_figures",
    "plot_components": "_figures",
    "plot_images": "_figures",
    "plot_input": "_plot",
    "plot_loadings": "_figures",
    "plot_model": "_figures",
    "plot_pairs": "_plot",
    "plot_scree": "_figures",
    "scree": "_analysis",
}

#: Classes of aligned maps.
_ALIGNED = ["Aligned", *(f"Aligned{name}" for name in _ALIGNED_CLASSES)]

globals().update(_DATA_SETS)
globals().update(_FUNCTIONS)

__all__ = [
    "ChartaWarning",
    "ConvergenceWarning",
    "NotFittedError",
    "advise",
    "continuity",
    "data_set",
    "intrinsic_dimension",
    "linear",
    "load",
    "nearest_neighbors",
    "quality_report",
    "trustworthiness",
    *_ALIGNED,
    *_CLASSES,
    *_DATA_SETS,
    *_FUNCTIONS,
    *_LATER,
]


def __getattr__(name):
    # Created on first use, so that importing is quick.
    if name in _CLASSES:
        globals()[name] = _CLASSES[name]
        return globals()[name]
    if name in _ALIGNED:
        from ._aligned import made

        globals()[name] = made(name)
        return globals()[name]
    if name in _LATER:
        import importlib

        globals()[name] = getattr(importlib.import_module(f"charta.{_LATER[name]}"), name)
        return globals()[name]
    if name == "anndata":
        import importlib

        return importlib.import_module("charta.anndata")
    raise AttributeError(f"module 'charta' has no attribute {name!r}{_nearest(name)}")


def _nearest(name):
    # Others probe for names that begin with an underscore.
    if name.startswith("_"):
        return ""
    import difflib

    known = {other.lower(): other for other in __all__}
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.75)
    return f". Did you mean: {known[close[0]]!r}?" if close else ""


def __dir__():
    return sorted({*globals(), *__all__, "anndata"})

"""Annotated data, as scanpy's users have it: maps of cells written to ``obsm``.

>>> import charta.anndata
>>> charta.anndata.umap(adata)                                    # doctest: +SKIP
>>> adata.obsm["X_umap"].shape                                    # doctest: +SKIP
(2700, 2)

Every function takes the rows of ``adata.obsm["X_pca"]`` if they are there, else ``adata.X``, or what `use_rep` or `layer` names. Parameters
of the class are passed on; labels are taken from the column of ``obs`` that `labels` names.
"""

import numpy as np

from ._classes import CLASSES
from ._names import ANNOTATED

__all__ = ["embed", *ANNOTATED]


def embed(adata, method, *, key_added=None, use_rep=None, n_pcs=None, layer=None, labels=None, copy=False, **params):
    """Fits the class of the name `method` to annotated data and writes the map to ``obsm``.

    The map is ``adata.obsm["X_<key>"]``, its parameters and figures ``adata.uns["<key>"]``. Returns the fitted estimator, or with `copy`
    a copy of the data that has the map.
    """
    if not hasattr(adata, "obsm"):
        raise TypeError(f"annotated data was expected, got {type(adata).__name__}")
    if method not in CLASSES:
        raise ValueError(f"there is no class {method!r}: one of {', '.join(sorted(CLASSES))}")
    adata = adata.copy() if copy else adata
    estimator = CLASSES[method](**params)
    key = key_added or method.lower()
    stated = next((of for of in ANNOTATED.values() if CLASSES[of["class"]] is type(estimator)), {})
    rows = _rows(adata, use_rep, n_pcs, layer, plain=stated.get("from_x", False))
    y = None if labels is None else adata.obs[labels].to_numpy()
    adata.obsm[key if key.startswith("X_") else f"X_{key}"] = np.asarray(estimator.fit_transform(rows, y))
    adata.uns[key] = {"params": {name: value for name, value in estimator.get_params().items() if _is_plain(value)}}
    adata.uns[key].update({name: getattr(estimator, attribute) for name, attribute in stated.get("uns", {}).items()})
    if layer is None and use_rep is None and rows.shape[1] == adata.n_vars:
        adata.varm.update({name: getattr(estimator, attribute).T for name, attribute in stated.get("varm", {}).items()})
    return adata if copy else estimator


def _rows(adata, use_rep, n_pcs, layer, plain):
    if use_rep is not None and use_rep != "X":
        if use_rep not in adata.obsm:
            raise ValueError(f"`use_rep` must be one of {sorted(adata.obsm)} or 'X', got {use_rep!r}")
        rows = adata.obsm[use_rep]
    elif layer is not None:
        rows = adata.layers[layer]
    elif use_rep is None and not plain and "X_pca" in adata.obsm:
        rows = adata.obsm["X_pca"]
    else:
        rows = adata.X
    return rows if n_pcs is None else rows[:, :n_pcs]


def _is_plain(value):
    return isinstance(value, (bool, int, float, str))


def _function(name, method):
    def made(adata, **options):
        return embed(adata, method, **{"key_added": name, **options})

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"Writes the map of :class:`charta.{method}` to ``adata.obsm['X_{name}']``; options are those of :func:`embed`."
    return made


globals().update({name: _function(name, of["class"]) for name, of in ANNOTATED.items()})

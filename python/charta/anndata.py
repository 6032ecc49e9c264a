"""Annotated data, as scanpy's users have it: maps of cells written to ``obsm``.

>>> import charta.anndata
>>> charta.anndata.umap(adata)                                    # doctest: +SKIP
>>> adata.obsm["X_umap"].shape                                    # doctest: +SKIP
(2700, 2)

Every function takes the rows of ``adata.obsm["X_pca"]`` if they are there, else ``adata.X``, or what `use_rep` or `layer` names. Parameters
of the class are passed on; labels are taken from the column of ``obs`` that `labels` names.

``neighbors`` writes the neighbour graph as ``scanpy.pp.neighbors`` does, so that ``scanpy.tl.leiden`` and others go on from it, and ``umap`` embeds the graph that is
there, whoever made it. ``ingest`` places new cells on the map of a reference.
"""

import json

import numpy as np

from . import _charta
from ._classes import CLASSES
from ._engine import plain_session
from ._functions import nearest_neighbors
from ._names import ANNOTATED, SCANPY, VALUES

__all__ = ["embed", "ingest", "neighbors", *ANNOTATED]

#: How strongly rows are held where a map already is: after every epoch they are at their places.
_FIXED = 1e9
#: Epochs of a fit that only takes over a map; new rows take a third of them.
_EPOCHS = 100
#: Cells that are compared with a reference at once.
_BLOCK = 1000


def embed(adata, method, *, key_added=None, use_rep=None, n_pcs=None, layer=None, labels=None, neighbors_key=None, copy=False, **params):
    """Fits the class of the name `method` to annotated data and writes the map to ``obsm``.

    The map is ``adata.obsm["X_<key>"]``, its parameters and figures ``adata.uns["<key>"]``. UMAP embeds the neighbour graph that ``adata.uns[neighbors_key]`` describes
    (``"neighbors"`` unless it is said), if there is one and the call names no rows, number of neighbours or metric of its own. Returns the fitted estimator, or with `copy`
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
    graph = _graph(adata, neighbors_key, stated, own=[use_rep, n_pcs, layer, params.get("n_neighbors"), params.get("metric")])
    if graph is not None:
        estimator.set_params(n_neighbors=graph["n_neighbors"], metric=graph["metric"])
        estimator._also_given = {"neighbors": graph["table"]}
        use_rep, n_pcs = graph["use_rep"], graph["n_pcs"]
    rows = _rows(adata, use_rep, n_pcs, layer, plain=stated.get("from_x", False))
    y = None if labels is None else adata.obs[labels].to_numpy()
    adata.obsm[key if key.startswith("X_") else f"X_{key}"] = np.asarray(estimator.fit_transform(rows, y))
    adata.uns[key] = {"params": {name: value for name, value in estimator.get_params().items() if _is_plain(value)}}
    adata.uns[key].update({name: getattr(estimator, attribute) for name, attribute in stated.get("uns", {}).items()})
    if layer is None and use_rep is None and rows.shape[1] == adata.n_vars:
        adata.varm.update({name: getattr(estimator, attribute).T for name, attribute in stated.get("varm", {}).items()})
    return adata if copy else estimator


def neighbors(
    adata, n_neighbors=15, n_pcs=None, *, use_rep=None, metric="euclidean", metric_kwds=None, random_state=0, key_added=None, copy=False, n_jobs=None
):
    """Finds the nearest neighbours of every cell and their fuzzy graph, as ``scanpy.pp.neighbors`` does.

    The cell itself is one of its `n_neighbors`. Writes ``adata.obsp["distances"]``, ``adata.obsp["connectivities"]`` and ``adata.uns["neighbors"]``, or with `key_added`
    ``adata.obsp["<key_added>_distances"]``, ``adata.obsp["<key_added>_connectivities"]`` and ``adata.uns[key_added]``.
    """
    from scipy.sparse import csr_matrix

    adata = adata.copy() if copy else adata
    count = len(adata)
    if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, (int, np.integer)) or not 2 <= n_neighbors <= count:
        raise ValueError(f"`n_neighbors` must be a whole number from 2 to the number of cells, {count}, got {n_neighbors!r}")
    rows = _rows(adata, use_rep, n_pcs, None, plain=False)
    p = (metric_kwds or {}).get("p", 2.0)
    if set(metric_kwds or {}) - {"p"}:
        raise ValueError(f"`metric_kwds` may have 'p', the power of 'minkowski', got {metric_kwds!r}")
    indices, distances = nearest_neighbors(rows, int(n_neighbors) - 1, metric=metric, p=p, random_state=random_state, n_jobs=n_jobs)
    starts = np.arange(count + 1) * (n_neighbors - 1)
    order = np.argsort(indices, axis=1)
    sorted_by_column = [np.take_along_axis(values, order, axis=1).ravel() for values in (distances, indices)]
    # Distances of 0 between equal cells stay stored, or their neighbours would be lost.
    of_distances = csr_matrix((sorted_by_column[0], sorted_by_column[1], starts), shape=(count, count))
    settings = json.dumps({"n_neighbors": int(n_neighbors)})
    given = {"table": np.zeros((count, 1)), "kind": "neighbors", "neighbors": (indices.astype(np.int64), distances.astype(np.float64))}
    first, columns, weights = _charta.fuzzy_graph(settings, given, plain_session(n_jobs))
    connectivities = csr_matrix((weights, columns.astype(np.int32), first.astype(np.int32)), shape=(count, count))
    prefix = "" if key_added is None else f"{key_added}_"
    adata.obsp[f"{prefix}distances"], adata.obsp[f"{prefix}connectivities"] = of_distances, connectivities
    params = {"n_neighbors": int(n_neighbors), "method": SCANPY["graph"], "metric": metric if isinstance(metric, str) else getattr(metric, "__name__", "function")}
    params["random_state"] = random_state
    params.update({name: value for name, value in (("use_rep", use_rep), ("n_pcs", n_pcs), ("metric_kwds", metric_kwds)) if value is not None})
    described = {"connectivities_key": f"{prefix}connectivities", "distances_key": f"{prefix}distances", "params": params}
    adata.uns["neighbors" if key_added is None else key_added] = described
    return adata if copy else None


def _graph(adata, key, stated, own):
    """The neighbour graph that the data has, if it is to be embedded: its table of neighbours, and what it was made of."""
    described = adata.uns.get(key or "neighbors")
    if not stated.get("from_neighbors") or (key is None and (described is None or any(value is not None for value in own))):
        return None
    if described is None:
        raise ValueError(f"`neighbors_key` must name a neighbour graph in `uns`, got {key!r}: call neighbors first")
    params = described.get("params", {})
    distances = adata.obsp[described.get("distances_key", "distances")].tocsr()
    counts = np.diff(distances.indptr)
    width = int(counts.max(initial=0))
    if width == 0:
        return None
    table = np.full((len(adata), width), -1, np.int64), np.zeros((len(adata), width))
    place = np.arange(width) < counts[:, None]
    table[0][place], table[1][place] = distances.indices, distances.data
    metric = params.get("metric", "euclidean")
    known = VALUES["metric"].get(metric, metric)
    kind = next(parameter for parameter in CLASSES[stated["class"]]._parameters if parameter["ours"] == "metric")["kind"]
    named = known in [alternative.get("word") for alternative in kind["alternatives"]]
    return {
        "table": table,
        "n_neighbors": int(params.get("n_neighbors", width + 1)),
        # Only new cells are compared by it.
        "metric": known if named else "euclidean",
        "use_rep": params.get("use_rep"),
        "n_pcs": params.get("n_pcs"),
    }


def ingest(adata, adata_ref, obs=None, *, embedding=SCANPY["map"], use_rep=None, n_neighbors=15, copy=False, n_jobs=None):
    """Places new cells on the map of a reference, and gives them its labels, as ``scanpy.tl.ingest`` does.

    The reference has principal components in ``varm["PCs"]`` and ``obsm["X_pca"]``, or the same representation `use_rep` as the new cells, and the map
    ``obsm["X_<embedding>"]``, whoever made it: it stays as it is. Writes ``adata.obsm["X_pca"]`` and ``adata.obsm["X_<embedding>"]``, and for each column of
    ``adata_ref.obs`` that `obs` names the most frequent value among the nearest reference cells.
    """
    adata = adata.copy() if copy else adata
    place = f"X_{embedding}"
    if place not in adata_ref.obsm:
        raise ValueError(f"`adata_ref.obsm` must have the map {place!r}: it has {sorted(adata_ref.obsm)}")
    columns = [obs] if isinstance(obs, str) else list(obs or [])
    for column in columns:
        if column not in adata_ref.obs:
            raise ValueError(f"`obs` must name columns of `adata_ref.obs`, got {column!r}")
    if use_rep is None:
        adata.obsm["X_pca"] = _projected(adata, adata_ref)
        use_rep = "X_pca"
    known, new = _plain(_rows(adata_ref, use_rep, None, None, False)), _plain(_rows(adata, use_rep, None, None, False))
    if known.shape[1] != new.shape[1]:
        raise ValueError(f"both must have the same columns in {use_rep!r}, got {known.shape[1]} and {new.shape[1]}")
    n_neighbors = min(n_neighbors, len(known))
    target = np.asarray(adata_ref.obsm[place], dtype=np.float64)
    estimator = CLASSES[SCANPY["class"]](n_neighbors=n_neighbors, n_components=target.shape[1], n_epochs=_EPOCHS, n_jobs=n_jobs)
    estimator._also_given = {"anchors": (np.ascontiguousarray(target), np.full(len(target), _FIXED))}
    adata.obsm[place] = np.asarray(estimator.fit(known).transform(new))
    if columns:
        near = _nearest(new, known, n_neighbors)
        for column in columns:
            adata.obs[column] = _votes(adata_ref.obs[column], near)
    return adata if copy else None


def _projected(adata, adata_ref):
    """The new cells' coordinates along the principal components of the reference."""
    if "PCs" not in adata_ref.varm:
        raise ValueError("`adata_ref.varm` must have the principal components 'PCs', or `use_rep` must name a representation that both have")
    if list(adata.var_names) != list(adata_ref.var_names):
        raise ValueError("both must have the same variables in the same order: adata_ref[:, adata.var_names] puts them in order")
    mean = np.asarray(adata_ref.X.mean(axis=0), dtype=np.float64).ravel()
    axes = np.asarray(adata_ref.varm["PCs"], dtype=np.float64)
    return np.asarray(adata.X @ axes) - mean @ axes


def _plain(rows):
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)


def _nearest(new, known, count):
    """The nearest reference cells of each new one."""
    squares = (known**2).sum(axis=1)
    found = []
    for start in range(0, len(new), _BLOCK):
        apart = squares - 2 * (new[start : start + _BLOCK] @ known.T)
        found.append(np.argpartition(apart, count - 1, axis=1)[:, :count])
    return np.concatenate(found)


def _votes(values, near):
    """The most frequent value among the nearest, of the same categories; the first of those that are as frequent."""
    import pandas

    values = values.astype("category")
    codes = values.cat.codes.to_numpy()[near]
    counts = np.stack([(codes == code).sum(axis=1) for code in range(len(values.cat.categories))], axis=1)
    return pandas.Categorical.from_codes(counts.argmax(axis=1), categories=values.cat.categories)


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

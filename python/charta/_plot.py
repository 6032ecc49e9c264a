"""Scatter plots of embeddings with matplotlib."""

import numpy as np

#: Beyond so many samples, points are small and faint.
MANY = 2_000


def plot(layout, labels=None, *, ax=None, title=None, size=None, cmap=None, legend=True, axes=(0, 1), edges=None, path=None):
    """Scatter plot of an embedding, coloured by classes or numbers. Needs matplotlib; returns the axes.

    `layout` is an array of at least two columns, or a fitted estimator, whose embedding is drawn. `axes` are the columns
    to draw: two, or three for a plot in space. `edges` are joined by thin grey lines: pairs of samples as an array of two
    columns, or a sparse matrix such as scikit-learn's `kneighbors_graph`. `path` is a list of samples, drawn as a red line
    with the straight line between its ends in blue.
    """
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("charta.plot needs matplotlib: pip install matplotlib") from None
    title = title or (type(layout).__name__ if hasattr(layout, "embedding_") else None)
    points = np.asarray(layout.embedding_ if hasattr(layout, "embedding_") else layout)
    if points.ndim != 2 or points.shape[1] < 2:
        raise ValueError(f"an embedding to plot needs at least two columns, got an array of shape {points.shape}")
    axes = tuple(axes)
    if len(axes) not in (2, 3) or not all(-points.shape[1] <= axis < points.shape[1] for axis in axes):
        raise ValueError(f"`axes` must be two or three of the {points.shape[1]} columns, got {axes}")
    points = points[:, axes]
    if ax is None:
        projection = "3d" if len(axes) == 3 else None
        _, ax = pyplot.subplots(figsize=(6, 6), layout="constrained", subplot_kw={"projection": projection})
    _edges(ax, points, edges)
    size = size or float(np.clip(20_000 / max(len(points), 1), 1, 24))
    style = {"s": size, "linewidths": 0, "alpha": 0.9 if len(points) <= MANY else 0.6}
    if labels is None:
        ax.scatter(*points.T, **style)
    else:
        _colored(ax, points, np.asarray(labels), style, cmap, legend)
    _path(ax, points, path)
    ax.set_aspect("equal", adjustable="datalim" if len(axes) == 2 else "box")
    ax.set_xticks([])
    ax.set_yticks([])
    if len(axes) == 3:
        ax.set_zticks([])
    if title:
        ax.set_title(title)
    return ax


def _edges(ax, points, edges):
    if edges is None:
        return
    if hasattr(edges, "tocoo"):
        matrix = edges.tocoo()
        edges = np.column_stack([matrix.row, matrix.col])
    edges = np.asarray(edges)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise ValueError(f"edges must be pairs of samples, got an array of shape {edges.shape}")
    if points.shape[1] == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection as Lines
    else:
        from matplotlib.collections import LineCollection as Lines
    ax.add_collection(Lines(points[edges], colors="0.75", linewidths=0.5, zorder=0), **({} if points.shape[1] == 3 else {"autolim": False}))


def _path(ax, points, path):
    if path is None:
        return
    path = np.asarray(path)
    ax.plot(*points[path[[0, -1]]].T, color="tab:blue", linestyle="--", zorder=3)
    ax.plot(*points[path].T, color="tab:red", linewidth=2, zorder=4)


def _colored(ax, points, labels, style, cmap, legend):
    if len(labels) != len(points):
        raise ValueError(f"a label for each sample was expected: {len(points)} samples, {len(labels)} labels")
    classes = np.unique(labels)
    if labels.dtype.kind == "f" and len(classes) > 20:
        drawn = ax.scatter(*points.T, c=labels, cmap=cmap or "viridis", **style)
        if legend:
            ax.figure.colorbar(drawn, ax=ax, shrink=0.8)
        return
    import matplotlib

    colors = matplotlib.colormaps[cmap or ("tab10" if len(classes) <= 10 else "tab20")]
    for number, name in enumerate(classes):
        of_class = labels == name
        ax.scatter(*points[of_class].T, color=colors(number % colors.N), label=str(name), **style)
    if legend:
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, markerscale=max(1, 6 / np.sqrt(style["s"])))

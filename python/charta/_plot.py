"""Scatter plots of embeddings with matplotlib."""

import numpy as np

#: Beyond so many samples, points are small and faint.
MANY = 2_000


def plot(layout, labels=None, *, ax=None, title=None, size=None, cmap=None, legend=True):
    """Scatter plot of an embedding, coloured by classes or numbers. Needs matplotlib; returns the axes.

    `layout` is an array of at least two columns, or a fitted estimator, whose embedding is drawn.
    """
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("charta.plot needs matplotlib: pip install matplotlib") from None
    title = title or (type(layout).__name__ if hasattr(layout, "embedding_") else None)
    points = np.asarray(layout.embedding_ if hasattr(layout, "embedding_") else layout)
    if points.ndim != 2 or points.shape[1] < 2:
        raise ValueError(f"an embedding to plot needs at least two columns, got an array of shape {points.shape}")
    if ax is None:
        _, ax = pyplot.subplots(figsize=(6, 6), layout="constrained")
    size = size or float(np.clip(20_000 / max(len(points), 1), 1, 24))
    style = {"s": size, "linewidths": 0, "alpha": 0.9 if len(points) <= MANY else 0.6}
    if labels is None:
        ax.scatter(points[:, 0], points[:, 1], **style)
    else:
        _colored(ax, points, np.asarray(labels), style, cmap, legend)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    if title:
        ax.set_title(title)
    return ax


def _colored(ax, points, labels, style, cmap, legend):
    if len(labels) != len(points):
        raise ValueError(f"a label for each sample was expected: {len(points)} samples, {len(labels)} labels")
    classes = np.unique(labels)
    if labels.dtype.kind == "f" and len(classes) > 20:
        drawn = ax.scatter(points[:, 0], points[:, 1], c=labels, cmap=cmap or "viridis", **style)
        if legend:
            ax.figure.colorbar(drawn, ax=ax, shrink=0.8)
        return
    import matplotlib

    colors = matplotlib.colormaps[cmap or ("tab10" if len(classes) <= 10 else "tab20")]
    for number, name in enumerate(classes):
        of_class = labels == name
        ax.scatter(points[of_class, 0], points[of_class, 1], color=colors(number % colors.N), label=str(name), **style)
    if legend:
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, markerscale=max(1, 6 / np.sqrt(style["s"])))

"""Scatter plots of embeddings: the pictures of the command line, or matplotlib's axes."""

import os
import re
import warnings

import numpy as np

from . import _charta
from ._errors import ChartaWarning

#: Labels of floating point with more values than this are numbers, not classes.
MOST_CLASSES = 20
#: Up to so many samples, all their names are written.
FEW_NAMES = 60
#: Axes of matplotlib: beyond so many samples, points are small and faint.
MANY = 2_000


class Plot:
    """A picture: shown by notebooks, written by `save`."""

    def __init__(self, draw):
        self._draw = draw
        self._drawn = {}

    def to_bytes(self, format="png"):
        """The picture as the bytes of a file: png, svg or html."""
        if format not in ("png", "svg", "html"):
            raise ValueError(f"`format` must be one of png, svg, html, got {format!r}")
        if format not in self._drawn:
            self._drawn[format] = self._draw(format)
        return self._drawn[format]

    def save(self, path):
        """Writes the picture; the name must end in .png, .svg or .html. Returns the picture."""
        ending = os.path.splitext(os.fspath(path))[1].lower().lstrip(".")
        ending = "html" if ending == "htm" else ending
        if ending not in ("png", "svg", "html"):
            raise ValueError(f"cannot tell the picture format of {os.fspath(path)!r}: its name must end in .png, .svg or .html")
        _charta.write_file(os.fspath(path), self.to_bytes(ending))
        return self

    def _repr_png_(self):
        return self.to_bytes("png")

    def __repr__(self):
        return "Plot(…): show it in a notebook, or write it with save('map.png'), .svg or .html"


def plot(
    layout,
    labels=None,
    *,
    path=None,
    axes=None,
    title=None,
    label_title="",
    names=None,
    label_points=False,
    class_names=False,
    palette="safe",
    point_size=1.0,
    size=(1200, 900),
    dpi=None,
    ax=None,
):
    """Scatter plot of an embedding, coloured by classes or numbers, as the command line draws it.

    Parameters
    ----------
    layout : array of one or more columns, or a fitted estimator, whose embedding is drawn.
    labels : a class or a number for each sample, for the colours.
    path : a file to write the picture to: .png, .svg or .html (an interactive page).
    axes : the two columns to draw, counted from 0; the first two by default. One column is drawn as strips of points.
    title : title of the picture.
    label_title : title of the legend.
    names : a name for each sample.
    label_points : write the names beside the points; those of 60 samples at most are written anyway.
    class_names : write the name of each class at its median; done anyway where the legend has no room for all.
    palette : colours of the classes: safe (for colour-blind readers), tab10, dark2 or grey.
    point_size : factor of the markers' size.
    size : width and height in pixels.
    dpi : pixels per inch that a PNG file states.
    ax : axes of matplotlib to draw into; they are returned.

    Returns
    -------
    Plot : shown by notebooks; `save(path)` writes it, `to_bytes(format)` gives its bytes. With `ax`, the axes.
    """
    points, axis_names, title = _points(layout, title)
    points, axis_names = _chosen(points, axis_names, axes)
    colors = None if labels is None else _colors(labels, len(points), label_title)
    if ax is not None:
        return _on_axes(ax, points, axis_names, colors, title, point_size)
    names = None if names is None else [str(name) for name in names]
    if names is not None and len(names) != len(points):
        raise ValueError(f"a name for each sample was expected: {len(points)} samples, {len(names)} names")
    look = {
        "title": title or "",
        "subtitle": f"{len(points):,} samples",
        "axes": axis_names,
        "row_names": names,
        "label_points": bool(label_points) or (names is not None and len(names) <= FEW_NAMES),
        "class_names": bool(class_names),
        "palette": palette,
        "point_size": float(point_size),
        "size": [int(side) for side in size],
        "dpi": dpi,
    }

    def draw(format):
        if format == "png":
            _warn_of_characters(title, names, colors)
        return _charta.scatter(points, colors, look, format)

    picture = Plot(draw)
    if path is not None:
        picture.save(path)
    else:
        # Mistakes are reported by this call, not by the notebook that shows the picture.
        picture.to_bytes("png")
    return picture


def _points(layout, title):
    if not hasattr(layout, "embedding_"):
        points = np.asarray(layout, dtype=np.float64)
        if points.ndim == 1:
            points = points[:, None]
        names = list(getattr(layout, "columns", ()))
        return points, [str(name) for name in names], title
    points = np.asarray(layout.embedding_, dtype=np.float64)
    names = [str(name) for name in layout.get_feature_names_out()]
    shares = getattr(layout, "explained_variance_ratio_", None)
    if shares is not None and len(shares) == len(names) and np.all(np.diff(shares) <= 0):
        names = [f"{name} ({100 * share:.1f} %)" for name, share in zip(names, shares)]
    return points, names, type(layout).__name__ if title is None else title


def _chosen(points, names, axes):
    if points.ndim != 2 or points.shape[1] < 1:
        raise ValueError(f"an embedding to plot needs a row for each sample, got an array of shape {points.shape}")
    width = points.shape[1]
    axes = list(range(min(width, 2))) if axes is None else [int(axis) for axis in np.atleast_1d(axes)]
    if not 1 <= len(axes) <= 2 or any(not 0 <= axis < width for axis in axes):
        raise ValueError(f"`axes` must be one or two columns from 0 to {width - 1}, got {axes}")
    if len(names) != width:
        names = [f"dimension {number + 1}" for number in range(width)]
    shown = [names[axis] for axis in axes]
    return np.ascontiguousarray(points[:, axes]), shown if len(shown) == 2 else [*shown, ""]


def _natural(name):
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def _is_missing(label):
    return label is None or label != label


def _colors(labels, n_samples, title):
    title = title or str(getattr(labels, "name", None) or "")
    labels = np.asarray(labels)
    if labels.shape != (n_samples,):
        raise ValueError(f"a label for each sample was expected: {n_samples} samples, labels of shape {labels.shape}")
    if labels.dtype.kind == "f":
        known = labels[np.isfinite(labels)]
        if len(np.unique(known)) > MOST_CLASSES or np.any(known != np.floor(known)):
            return title, labels.astype(np.float64).tolist()
        labels = [None if _is_missing(label) else int(label) if np.isfinite(label) else label for label in labels.tolist()]
    else:
        labels = labels.tolist()
    words = [None if _is_missing(label) else str(label) for label in labels]
    names = sorted({word for word in words if word is not None}, key=_natural)
    number = {name: place for place, name in enumerate(names)}
    return title, names, [None if word is None else number[word] for word in words]


def _warn_of_characters(title, names, colors):
    texts = [title or "", *(names or ())]
    if colors is not None and len(colors) == 3:
        texts += colors[1]
    missing = _charta.missing_characters(texts)
    if missing:
        shown = "".join(missing[:8]) + ("…" if len(missing) > 8 else "")
        warnings.warn(
            f"the font of PNG pictures lacks {shown}: boxes are drawn in their place; .svg and .html use the fonts of the reader",
            ChartaWarning,
            stacklevel=4,
        )


def _on_axes(ax, points, axis_names, colors, title, point_size):
    if points.shape[1] < 2:
        raise ValueError("axes of matplotlib take two columns, and there is one: leave `ax` out to draw strips of points")
    size = point_size * float(np.clip(20_000 / max(len(points), 1), 1, 24))
    style = {"s": size, "linewidths": 0, "alpha": 0.9 if len(points) <= MANY else 0.6}
    if colors is None:
        ax.scatter(points[:, 0], points[:, 1], **style)
    elif len(colors) == 2:
        drawn = ax.scatter(points[:, 0], points[:, 1], c=colors[1], cmap="viridis", **style)
        ax.figure.colorbar(drawn, ax=ax, shrink=0.8, label=colors[0])
    else:
        legend_title, names, of_sample = colors
        of_sample = np.array([-1 if place is None else place for place in of_sample])
        for place, name in enumerate(names):
            of_class = of_sample == place
            ax.scatter(points[of_class, 0], points[of_class, 1], label=name, **style)
        scale = max(1, 6 / np.sqrt(size))
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, markerscale=scale, title=legend_title or None)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(axis_names[0])
    ax.set_ylabel(axis_names[1])
    if title:
        ax.set_title(title)
    return ax

"""Scatter plots of embeddings and of their input: the pictures of the command line, or matplotlib's axes."""

import os
import re
import warnings

import numpy as np

from . import _charta
from ._engine import plain_session, session
from ._errors import ChartaWarning

#: Labels of floating point with more values than this are numbers, not classes.
MOST_CLASSES = 20
#: Up to so many samples, all their names are written.
FEW_NAMES = 60
#: Axes of matplotlib: beyond so many samples, points are small and faint.
MANY = 2_000
#: Further coordinates by which points in space are filtered, at most.
MOST_FURTHER = 20


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


def made(draw):
    """The picture. Mistakes are reported by this call, not by the notebook that shows the picture."""
    picture = Plot(draw)
    picture.to_bytes("png")
    return picture


def page(title, subtitle, size, format):
    """Title, subtitle and size of a picture for the engine."""
    return {"title": title or "", "subtitle": subtitle, "size": None if size is None else [int(side) for side in size], "format": format}


def number(value):
    """A number with four digits that matter, as the command line writes it."""
    value = float(value)
    if value == 0 or not np.isfinite(value):
        return "0" if value == 0 else str(value)
    magnitude = int(np.floor(np.log10(abs(value))))
    return f"{value:.{max(3 - magnitude, 0)}f}" if -4 <= magnitude < 7 else f"{value:.3e}"


def plot(
    layout,
    labels=None,
    *,
    axes=None,
    edges=None,
    path=None,
    X=None,
    glyphs=False,
    title=None,
    label_title="",
    names=None,
    label_points=False,
    class_names=False,
    palette="safe",
    point_size=1.0,
    size=None,
    dpi=None,
    ax=None,
):
    """Scatter plot of an embedding, coloured by classes or numbers, as the command line draws it.

    Parameters
    ----------
    layout : array of one or more columns, or a fitted estimator, whose embedding is drawn.
    labels : a class or a number for each sample, for the colours. Without them, the samples of an estimator that finds clusters have the colours of these.
    axes : the columns to draw, counted from 0; the first two by default. One column is drawn as strips of points, three in space (an
        HTML page turns them by hand, and filters by the other columns).
    edges : lines between samples: pairs of samples, a sparse matrix, or True for the neighbour graph that the estimator embeds.
    path : samples to be joined by a red line, with the straight line between its ends dashed and blue; the lengths are in the subtitle. Two
        samples of an estimator with a neighbour graph are the ends of the shortest path along it; so is a result of `shortest_path`.
    X : the samples of the fit, for `edges=True` and `path` of an estimator that was loaded from a file or copied.
    glyphs : draw classes with names of one or two letters as these names in place of markers.
    title : title of the picture.
    label_title : title of the legend.
    names : a name for each sample.
    label_points : write the names beside the points; those of 60 samples at most are written anyway.
    class_names : write the name of each class at its median; done anyway where the legend has no room for all.
    palette : colours of the classes: safe (for colour-blind readers), tab10, dark2 or grey.
    point_size : factor of the markers' size.
    size : width and height in pixels; by default 1200 and 900, less canvas that stays empty.
    dpi : pixels per inch that a PNG file states.
    ax : axes of matplotlib to draw into; they are returned.

    Returns
    -------
    Plot : shown by notebooks; `save(path)` writes it, `to_bytes(format)` gives its bytes. With `ax`, the axes.
    """
    all_points, all_names, title = coordinates(layout, title)
    views = _views(layout)
    if axes is None and views:
        # The first coordinates of two views.
        axes = (0, all_points.shape[1] // views)
    places, shown = chosen(all_points.shape[1], all_names, axes)
    points = np.ascontiguousarray(all_points[:, places])
    if labels is None:
        labels, label_title = clusters(layout, label_title)
    colors = None if labels is None else colors_of(labels, len(points), label_title)
    pairs = edges_of(layout, edges, X, len(points))
    strokes, notes = path_of(layout, path, X, all_points, points)
    if ax is not None:
        return _on_axes(ax, points, shown, colors, title, point_size, pairs, strokes)
    if pairs:
        notes.insert(0, f"{len(pairs):,} edges" + (" of the neighbour graph" if edges is True else ""))
    if views:
        notes.append(f"correlation {number(np.corrcoef(points[:, :2].T)[0, 1])}")
    look = look_of(
        points,
        shown,
        [f"{len(points):,} samples", *([] if views else not_drawn(places, all_points.shape[1])), *notes],
        title=title,
        names=names,
        label_points=label_points,
        class_names=class_names,
        glyphs=glyphs,
        palette=palette,
        point_size=point_size,
        size=size,
        dpi=dpi,
    )
    others = [place for place in range(all_points.shape[1]) if place not in places][:MOST_FURTHER] if len(places) == 3 else []
    further = [(all_names[place], all_points[:, place].tolist()) for place in others]
    overlay = overlay_of(edges=pairs, strokes=strokes, marks=marks_of(layout, places, colors), further=further)
    return drawn(points, colors, look, overlay)


def drawn(points, colors, look, overlay, images=None):
    """The scatter plot of points with a look and what lies over it."""

    def draw(format):
        if format == "png":
            _warn_of_characters(look["title"], look["row_names"], colors)
        return _charta.scatter(points, images, colors, look, overlay, format)

    return made(draw)


def look_of(points, axis_names, notes, *, title, names, label_points, class_names=False, glyphs=False, palette="safe", point_size=1.0, size=None, dpi=None):
    """The look of a scatter plot for the engine."""
    names = None if names is None else [str(name) for name in names]
    if names is not None and len(names) != len(points):
        raise ValueError(f"a name for each sample was expected: {len(points)} samples, {len(names)} names")
    return {
        "title": title or "",
        "subtitle": " · ".join(note for note in notes if note),
        "axes": axis_names,
        "row_names": names,
        "label_points": bool(label_points) or (names is not None and len(names) <= FEW_NAMES),
        "class_names": bool(class_names),
        "glyphs": bool(glyphs),
        "palette": palette,
        "point_size": float(point_size),
        "size": None if size is None else [int(side) for side in size],
        "dpi": dpi,
    }


def overlay_of(*, edges=(), strokes=(), marks=(), arrows=(), contours=None, further=(), images=None):
    """What is drawn besides the points, for the engine."""
    return {
        "edges": [[int(one), int(other)] for one, other in edges],
        "strokes": [(name, np.asarray(places, dtype=np.float64).tolist(), kind) for name, places, kind in strokes],
        "marks": list(marks),
        "arrows": list(arrows),
        "contours": contours,
        "further": list(further),
        "images": images,
    }


def coordinates(layout, title):
    """All coordinates with their names, and the title."""
    if hasattr(layout, "_check_fitted"):
        layout._check_fitted()
    if not hasattr(layout, "embedding_"):
        points = np.asarray(layout, dtype=np.float64)
        points = points[:, None] if points.ndim == 1 else points
        names = [str(name) for name in getattr(layout, "columns", ())]
    else:
        points = np.asarray(layout.embedding_, dtype=np.float64)
        names = list(layout._model.component_names) if _views(layout) else titles(layout)
        title = type(layout).__name__ if title is None else title
    if points.ndim != 2 or points.shape[1] < 1:
        raise ValueError(f"an embedding to plot needs a row for each sample, got an array of shape {points.shape}")
    if len(names) != points.shape[1]:
        names = [f"dimension {place + 1}" for place in range(points.shape[1])]
    return points, names, title


def _views(layout):
    """The number of views of an estimator; none for one without."""
    widths = getattr(getattr(layout, "_model", None), "widths", None)
    return len(widths) if widths else 0


def titles(estimator):
    """Names of the coordinates, with the proportion of the variance where it is known and falls from one to the next."""
    # The names that the command line draws, which say more than a class and a number; selected features have names of their own.
    own = getattr(estimator, "_model", None)
    names = estimator.get_feature_names_out() if own is None or hasattr(estimator, "get_support") else own.component_names
    names = [str(name) for name in names]
    shares = getattr(estimator, "explained_variance_ratio_", None)
    if np.ndim(shares) == 1 and len(shares) == len(names) and np.all(np.diff(shares) <= 0):
        names = [f"{name} ({100 * share:.1f} %)" for name, share in zip(names, shares)]
    return names


def chosen(width, names, axes):
    """The columns that are drawn, and their names."""
    axes = list(range(min(width, 2))) if axes is None else [int(axis) for axis in np.atleast_1d(axes)]
    if not 1 <= len(axes) <= 3 or any(not 0 <= axis < width for axis in axes) or len(set(axes)) < len(axes):
        raise ValueError(f"`axes` must be one to three different columns from 0 to {width - 1}, got {axes}")
    shown = [names[axis] for axis in axes]
    return axes, shown if len(shown) > 1 else [*shown, ""]


def not_drawn(places, width):
    """Which coordinates are drawn, where there are others."""
    if len(places) in (1, width):
        return []
    numbers = [str(place + 1) for place in places]
    return [f"coordinates {', '.join(numbers[:-1])} and {numbers[-1]} of {width}"]


def clusters(layout, title):
    """The clusters of an estimator that finds some, and what they are called."""
    found = getattr(layout, "labels_", None)
    if found is None or not hasattr(layout, "embedding_"):
        return None, title
    return np.array([None if cluster < 0 else int(cluster) for cluster in found], dtype=object), title or "cluster"


def edges_of(layout, edges, X, n_samples):
    """Pairs of samples that are joined."""
    if edges is None or edges is False:
        return []
    if edges is True:
        return _graph_of(layout, "edges=True").neighbor_graph(X)[0].tolist()
    if hasattr(edges, "tocoo"):
        matrix = edges.tocoo()
        pairs = np.column_stack([matrix.row, matrix.col])
        # An edge that is there both ways is drawn once.
        pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
        shape = matrix.shape
        if shape != (n_samples, n_samples):
            raise ValueError(f"a sparse matrix of edges must have a row and a column for each sample: expected {(n_samples, n_samples)}, got {shape}")
    else:
        pairs = np.asarray(edges)
        if pairs.size == 0:
            return []
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            raise ValueError(f"`edges` must be pairs of samples, a sparse matrix or True, got an array of shape {pairs.shape} of {pairs.dtype}")
    if pairs.size and not (0 <= pairs.min() and pairs.max() < n_samples):
        raise ValueError(f"`edges` must join samples from 0 to {n_samples - 1}, got {pairs.min()} to {pairs.max()}")
    return pairs.tolist()


def _graph_of(layout, what):
    if not hasattr(layout, "neighbor_graph"):
        raise ValueError(f"`{what}` needs an estimator that embeds a neighbour graph, got {type(layout).__name__}")
    return layout


def path_of(layout, path, X, all_points, points, of_map=True):
    """The path and the straight line between its ends, and what they are in words. `of_map` says whether the points are a map or its input."""
    if path is None:
        return [], []
    rows, along, straight = np.asarray(getattr(path, "rows", path)), getattr(path, "length", None), getattr(path, "map_distance", None)
    if not of_map:
        straight = getattr(path, "input_distance", None)
    if rows.ndim != 1 or len(rows) < 2 or rows.dtype.kind not in "iu":
        raise ValueError(f"`path` must be two or more samples, got {path!r}")
    if not (0 <= rows.min() and rows.max() < len(points)):
        raise ValueError(f"`path` must visit samples from 0 to {len(points) - 1}, got {rows.tolist()}")
    if along is None and len(rows) == 2 and hasattr(layout, "shortest_path"):
        found = layout.shortest_path(int(rows[0]), int(rows[1]), X)
        rows, along = found.rows, found.length
        straight = found.map_distance if of_map else found.input_distance
    if straight is None:
        straight = np.linalg.norm(all_points[rows[-1]] - all_points[rows[0]])
    if along is None:
        steps = np.linalg.norm(np.diff(all_points[rows], axis=0), axis=1).sum()
        told = f"red: path, length {number(steps)}"
    else:
        told = f"red: shortest path, length {number(along)} along the graph"
    strokes = [("", points[[rows[0], rows[-1]]], "chord"), ("", points[rows], "path")]
    return strokes, [f"{told} · blue: straight line, length {number(straight)}"]


def marks_of(layout, places, colors):
    """Named points of a model in the plane of two coordinates, with the classes that they name."""
    model = getattr(layout, "_model", None)
    if model is None or len(places) != 2:
        return []
    title, names = (colors[0], colors[1]) if are_classes(colors) else ("", [])
    marks = []
    for name, place in model.marks():
        # Classes that are numbers are named with their title: "cluster 3".
        own = name.removeprefix(title).lstrip()
        known = next((number for number, other in enumerate(names) if other in (name, own)), None)
        if max(places) < len(place):
            marks.append((name, [place[axis] for axis in places], known))
    return marks


def plot_pairs(layout, labels=None, *, axes=None, title=None, label_title="", palette="safe", point_size=1.0, size=None, dpi=None):
    """Scatter plots of all pairs of up to eight coordinates with their histograms, as ``--pairs`` of the command line: PNG or SVG.

    `axes` are the columns of the layout or the components of a fitted estimator, counted from 0; the first four by default. The other parameters are those of :func:`charta.plot`.
    """
    all_points, all_names, title = coordinates(layout, title)
    width = all_points.shape[1]
    places = list(range(min(width, 4))) if axes is None else [int(axis) for axis in np.atleast_1d(axes)]
    if not 2 <= len(places) <= 8 or any(not 0 <= place < width for place in places) or len(set(places)) < len(places):
        raise ValueError(f"`axes` must be two to eight different columns from 0 to {width - 1}, got {places}")
    if labels is None:
        labels, label_title = clusters(layout, label_title)
    points = np.ascontiguousarray(all_points[:, places])
    colors = None if labels is None else colors_of(labels, len(points), label_title)
    notes = [f"{len(points):,} samples", *not_drawn(places, width)]
    names = [all_names[place] for place in places]
    look = look_of(points, names, notes, title=title, names=None, label_points=False, palette=palette, point_size=point_size, size=size, dpi=dpi)
    return made(lambda format: _charta.pairs(points, colors, look, format))


def plot_input(
    estimator,
    X,
    labels=None,
    *,
    axes=None,
    contours=None,
    edges=None,
    path=None,
    title=None,
    label_title="",
    names=None,
    label_points=False,
    class_names=False,
    glyphs=False,
    palette="safe",
    point_size=1.0,
    size=None,
    dpi=None,
):
    """Scatter plot of the input of a fit: two or three of its features, with the axes of a linear method through the mean.

    With a single component of two features the picture shows the line that it runs along, and the foot of the perpendicular from each sample to it.

    Parameters
    ----------
    estimator : a fitted estimator.
    X : the samples that it was fitted to.
    labels : a class or a number for each sample, for the colours.
    axes : the two or three features to draw, by number from 0 or by name; all of two or three features by default.
    contours : a component, counted from 0, whose contour lines are drawn: for fits to two features.
    edges, path : lines between samples, as in :func:`charta.plot`; True for the neighbour graph that the estimator embeds.

    The other parameters are those of :func:`charta.plot`.
    """
    from ._input import table

    estimator._check_fitted()
    rows = table(X, "plot_input")
    has_function = estimator._function() is not None
    if estimator._input_is_square():
        raise ValueError("`plot_input` draws features, and the estimator was fitted to distances or a kernel")
    if rows.n_columns != estimator.n_features_in_:
        raise ValueError(f"X has {rows.n_columns} features, but {type(estimator).__name__} was fitted to {estimator.n_features_in_}")
    places, shown = _features(rows, estimator, axes)
    values = rows.given.tocsc()[:, places].toarray() if rows.is_sparse else np.asarray(rows.values)[:, places]
    points = np.ascontiguousarray(values, dtype=np.float64)
    if labels is None:
        labels, label_title = clusters(estimator, label_title)
    colors = None if labels is None else colors_of(labels, len(points), label_title)
    notes = [f"{rows.n_rows:,} samples × {rows.n_columns:,} features"]
    if len(places) < rows.n_columns:
        notes.append(f"{len(places)} of the features")
    lines, note = [], None
    if not has_function:
        lines, note = estimator._model.feature_lines({"table": rows.values}, session(estimator))
    strokes = [(name, line[:, places], "perpendicular" if is_foot else "axis") for name, line, is_foot in lines]
    pairs = edges_of(estimator, edges, X, len(points))
    along, told = path_of(estimator, path, X, points, points, of_map=False)
    notes += [note] if note else []
    notes += [f"{len(pairs):,} edges" + (" of the neighbour graph" if edges is True else "")] if pairs else []
    notes += told
    if contours is not None:
        names_of = titles(estimator)
        if isinstance(contours, bool) or not isinstance(contours, (int, np.integer)) or not 0 <= contours < len(names_of):
            raise ValueError(f"`contours` must be a component from 0 to {len(names_of) - 1}, got {contours!r}")
        if rows.n_columns != 2 or len(places) != 2:
            raise ValueError(f"`contours` draws a component over the plane of two features, and the estimator was fitted to {rows.n_columns}")
        notes.append(f"contour lines of {names_of[contours]}")
    look = look_of(
        points,
        shown,
        notes,
        title=f"Input of {type(estimator).__name__}" if title is None else title,
        names=names,
        label_points=label_points,
        class_names=class_names,
        glyphs=glyphs,
        palette=palette,
        point_size=point_size,
        size=size,
        dpi=dpi,
    )
    lines = {"edges": pairs, "strokes": [*strokes, *along]}
    overlay = overlay_of(**lines)
    if contours is not None:
        overlay = overlay_of(**lines, contours=_contours(estimator, contours, places, points, colors, look, overlay))
    return drawn(points, colors, look, overlay)


def _features(rows, estimator, axes):
    """The features that are drawn, and their names."""
    names = rows.names or [str(name) for name in getattr(estimator, "feature_names_in_", ())]
    names = names or [f"x{place}" for place in range(rows.n_columns)]
    if axes is None:
        if not 2 <= rows.n_columns <= 3:
            raise ValueError(f"`plot_input` draws two or three features, and there are {rows.n_columns}: `axes` chooses them")
        axes = range(rows.n_columns)
    places = []
    for axis in axes:
        if isinstance(axis, str) and axis not in names:
            raise ValueError(f"`axes`: there is no feature {axis!r}")
        places.append(names.index(axis) if isinstance(axis, str) else int(axis))
    if not 2 <= len(places) <= 3 or len(set(places)) < len(places) or any(not 0 <= place < rows.n_columns for place in places):
        raise ValueError(f"`axes` must be two or three different features from 0 to {rows.n_columns - 1}, got {list(axes)}")
    return places, [names[place] for place in places]


def _contours(estimator, component, places, points, colors, look, overlay):
    """The component on a grid over all that the picture shows."""
    ranges = _charta.shown(points, colors, look, overlay)
    if estimator._function() is not None:
        across, up = (np.linspace(*ends, count) for ends, count in zip(ranges, (48, 36)))
        grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        rows = grid[:, np.argsort(places)]
        return ranges, len(across), np.asarray(estimator.transform(rows), dtype=np.float64)[:, component].tolist()
    with estimator._speaking():
        return estimator._model.over_plane(ranges, places, int(component), plain_session(estimator.n_jobs))


def are_classes(colors):
    """True if colours mean classes, not numbers or times."""
    return colors is not None and len(colors) == 3 and colors[2] is not True


def _natural(name):
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def _is_missing(label):
    return label is None or label != label


def colors_of(labels, n_samples, title):
    """What the colours of the points mean, for the engine: classes, or numbers."""
    title = title or str(getattr(labels, "name", None) or "")
    labels = np.asarray(labels)
    if labels.shape != (n_samples,):
        raise ValueError(f"a label for each sample was expected: {n_samples} samples, labels of shape {labels.shape}")
    if labels.dtype.kind == "M":
        seconds = labels.astype("datetime64[ms]").astype(np.int64) / 1000
        return title, np.where(np.isnat(labels), np.nan, seconds).tolist(), True
    if labels.dtype.kind == "f":
        known = labels[np.isfinite(labels)]
        if len(np.unique(known)) > MOST_CLASSES or np.any(known != np.floor(known)):
            return title, labels.astype(np.float64).tolist()
        labels = [None if _is_missing(label) else int(label) if np.isfinite(label) else label for label in labels.tolist()]
    else:
        labels = labels.tolist()
    words = [None if _is_missing(label) else str(label) for label in labels]
    names = sorted({word for word in words if word is not None}, key=_natural)
    place_of = {name: place for place, name in enumerate(names)}
    return title, names, [None if word is None else place_of[word] for word in words]


def _warn_of_characters(title, names, colors):
    texts = [title or "", *(names or ())]
    if are_classes(colors):
        texts += colors[1]
    missing = _charta.missing_characters(texts)
    if missing:
        shown = "".join(missing[:8]) + ("…" if len(missing) > 8 else "")
        warnings.warn(
            f"the font of PNG pictures lacks {shown}: boxes are drawn in their place; .svg and .html use the fonts of the reader",
            ChartaWarning,
            stacklevel=6,
        )


def _on_axes(ax, points, axis_names, colors, title, point_size, edges=(), strokes=()):
    width = points.shape[1]
    in_space = hasattr(ax, "get_zlim")
    if width < 2:
        raise ValueError("axes of matplotlib take two columns, and there is one: leave `ax` out to draw strips of points")
    if in_space != (width == 3):
        raise ValueError(f"axes of matplotlib {'in space' if in_space else 'in the plane'} take {3 if in_space else 2} columns, got {width}")
    size = point_size * float(np.clip(20_000 / max(len(points), 1), 1, 24))
    style = {"s": size, "linewidths": 0, "alpha": 0.9 if len(points) <= MANY else 0.6}
    if len(edges):
        if in_space:
            from mpl_toolkits.mplot3d.art3d import Line3DCollection as Lines
        else:
            from matplotlib.collections import LineCollection as Lines
        ax.add_collection(Lines(points[np.asarray(edges)], colors="#bec4cd", linewidths=0.6, zorder=0))
    for _, places, kind in strokes:
        ax.plot(*np.asarray(places).T, color="#ce1226" if kind == "path" else "#1c54c8", linestyle="-" if kind == "path" else "--")
    if colors is None:
        ax.scatter(*points.T, **style)
    elif not are_classes(colors):
        shown = ax.scatter(*points.T, c=colors[1], cmap="viridis", **style)
        ax.figure.colorbar(shown, ax=ax, shrink=0.8, label=colors[0])
    else:
        legend_title, names, of_sample = colors
        of_sample = np.array([-1 if place is None else place for place in of_sample])
        for place, name in enumerate(names):
            ax.scatter(*points[of_sample == place].T, label=name, **style)
        scale = max(1, 6 / np.sqrt(size))
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, markerscale=scale, title=legend_title or None)
    ax.set_xlabel(axis_names[0])
    ax.set_ylabel(axis_names[1])
    if in_space:
        ax.set_zlabel(axis_names[2])
    else:
        ax.set_aspect("equal", adjustable="datalim")
    if title:
        ax.set_title(title)
    return ax

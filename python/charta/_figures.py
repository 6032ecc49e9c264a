"""Pictures of fitted estimators and of images: variances, loadings, components, maps of images."""

import json

import numpy as np

from . import _charta
from ._input import table
from ._plot import (
    chosen,
    clusters,
    colors_of,
    coordinates,
    drawn,
    look_of,
    made,
    marks_of,
    not_drawn,
    overlay_of,
    page,
    titles,
)


def _title(estimator, what, title):
    return f"{type(estimator).__name__}: {what}" if title is None else title


def plot_scree(estimator, *, title=None, size=None):
    """How much each component of a fitted estimator carries, as ``--scree-plot`` of the command line: variances with their sum, correlations, or the residual
    variance by the number of dimensions with its elbow marked (Isomap, classical scaling)."""
    estimator._check_fitted()
    found = estimator._model.spectrum()
    if found is None:
        raise ValueError(f"{type(estimator).__name__} reports no variances, correlations or residual variances: `plot_scree` has nothing to draw")
    kind, values = found[:2]
    if kind == "variances":
        total, n_kept = found[2:]
        title = _title(estimator, "variance of the components", title)
        return made(lambda format: _charta.scree_picture(values, total, n_kept, "chosen", [], None, page(title, "", size, format)))
    if kind == "residuals":
        advised = _charta.residual_elbow(values)
        note = "" if advised is None else f"elbow at {advised} dimension{'s' if advised != 1 else ''}, marked"
        title, axes = _title(estimator, "residual variance", title), ["number of dimensions", "residual variance"]
        lines = [("residual variance", values, [])]
        return made(lambda format: _charta.curve(lines, axes, 1, advised, False, page(title, note, size, format)))
    names, what, axis = found[2:]
    title, ends = _title(estimator, what, title), [-1.0 if min(values) < 0 else 0.0, 1.0]
    size = size or (1200, min(900, 230 + 56 * min(len(values), 40)))
    return made(lambda format: _charta.bars(names, values, axis, ends, page(title, "", size, format)))


def _feature_names(estimator, count, feature_names):
    names = getattr(estimator, "feature_names_in_", None) if feature_names is None else feature_names
    names = [] if names is None else [str(name) for name in names]
    if feature_names is not None and len(names) != count:
        raise ValueError(f"a name for each feature was expected: {count} features, {len(names)} names")
    return names[:count] + [f"x{place}" for place in range(len(names), count)]


def _loadings(estimator, what):
    estimator._check_fitted()
    found = estimator._model.feature_loadings()
    if found is None:
        raise ValueError(f"{type(estimator).__name__} gives the features no loadings: `{what}` has nothing to draw")
    return found


def plot_loadings(estimator, feature_names=None, *, title=None, size=None):
    """The weight of each feature in each component as a table of colours, as ``--loadings-plot`` of the command line."""
    weights = _loadings(estimator, "plot_loadings")
    names, components = _feature_names(estimator, weights.shape[1], feature_names), titles(estimator)
    components = components if len(components) == len(weights) else []
    title = _title(estimator, "loadings", title)
    return made(lambda format: _charta.loadings(weights, names, components, page(title, "", size, format)))


def plot_biplot(estimator, labels=None, *, feature_names=None, title=None, label_title="", names=None, label_points=False, palette="safe", size=None):
    """The first two coordinates with an arrow for each feature, as ``--biplot`` of the command line; `labels` are the colours."""
    weights = _loadings(estimator, "plot_biplot")
    if len(weights) < 2 or estimator._model.n_components < 2:
        raise ValueError("`plot_biplot` needs two components at least, and the estimator has one")
    points = np.asarray(estimator._model.embedding() if estimator._model.widths else estimator.embedding_, dtype=np.float64)
    points = np.ascontiguousarray(points[:, :2])
    widths = estimator._model.widths
    count = widths[0] if widths else weights.shape[1]
    if widths and estimator._model.n_components // len(widths) < 2:
        raise ValueError("`plot_biplot` draws two coordinates of the first view, and each view has one")
    features = _feature_names(estimator, count, feature_names)
    arrows = [(name, [float(weights[0, place]), float(weights[1, place])]) for place, name in enumerate(features)]
    colors = None if labels is None else colors_of(labels, len(points), label_title)
    notes = [f"{len(points):,} samples", *([] if widths else not_drawn([0, 1], estimator._model.n_components))]
    notes += ["coordinates and features of view 1"] if widths else []
    shown = (titles(estimator) if not widths else list(estimator._model.component_names))[:2]
    look = look_of(points, shown, notes, title=type(estimator).__name__ if title is None else title, names=names, label_points=label_points, palette=palette, size=size)
    marks = [] if widths else marks_of(estimator, [0, 1], colors)
    return drawn(points, colors, look, overlay_of(arrows=arrows, marks=marks))


def plot_model(estimator, name=None, *, title=None, size=None):
    """A picture that a fitted estimator has besides its map, as ``--picture`` of the command line: the units of a self-organizing map, the loss of a training, the errors of feature
    sets. `name` says which; the first by default."""
    estimator._check_fitted()
    pictures = {picture["name"]: picture for picture in json.loads(estimator._model.pictures())}
    if not pictures:
        raise ValueError(f"{type(estimator).__name__} has no pictures besides its map: `plot_model` has nothing to draw")
    name = next(iter(pictures)) if name is None else name
    if name not in pictures:
        raise ValueError(f"{type(estimator).__name__} has no picture {name!r}: it has {', '.join(pictures)}")
    found = pictures[name]
    title = _title(estimator, found["title"], title)
    if found["kind"] == "curves":
        lines = [(line["name"], _numbers(line["values"]), _numbers(line["spread"])) for line in found["lines"]]
        shape = (found["axes"], found["first"], found["chosen"], found["logarithmic"])
        return made(lambda format: _charta.curve(lines, *shape, page(title, found["note"], size, format)))
    panels = [(panel["title"], _numbers(panel["values"]), panel["words"]) for panel in found["panels"]]
    return made(lambda format: _charta.cells(found["centers"], found["hexagonal"], panels, page(title, found["note"], size, format)))


def _numbers(values):
    """Numbers of JSON, which has none that are not finite."""
    return [float("nan") if value is None else value for value in values]


def _images(images, image_shape, what):
    """Images as rows of pixels, with height, width and channels."""
    given = np.asarray(images, dtype=np.float64) if not hasattr(images, "iloc") else np.asarray(table(images, what).values, dtype=np.float64)
    if given.ndim == 2:
        shape = _shape(image_shape, what, given.shape[1])
    elif given.ndim == 3 or (given.ndim == 4 and given.shape[3] in (1, 3)):
        shape = [*given.shape[1:3], given.shape[3] if given.ndim == 4 else 1]
        if image_shape is not None and list(image_shape)[:2] != shape[:2]:
            raise ValueError(f"`image_shape` is {tuple(image_shape)}, and the images are {shape[0]} × {shape[1]}")
    else:
        raise ValueError(f"`{what}` needs images: (n, height, width), (n, height, width, 3), or rows of pixels with `image_shape`, got an array of shape {given.shape}")
    if len(given) == 0 or min(shape) == 0:
        raise ValueError(f"`{what}` needs images of one pixel at least, got an array of shape {given.shape}")
    return np.ascontiguousarray(given.reshape(len(given), -1)), [int(side) for side in shape]


def _shape(image_shape, what, n_pixels):
    """Height, width and channels of rows of pixels."""
    if image_shape is None:
        side = int(round(n_pixels**0.5))
        if side * side != n_pixels:
            raise ValueError(f"`{what}` cannot tell the shape of images of {n_pixels} pixels: give `image_shape=(height, width)`")
        return [side, side, 1]
    shape = [int(side) for side in image_shape]
    if not 2 <= len(shape) <= 3 or min(shape) < 1:
        raise ValueError(f"`image_shape` must be (height, width) or (height, width, 3), got {tuple(image_shape)}")
    shape = [*shape, 1] if len(shape) == 2 else shape
    if int(np.prod(shape)) != n_pixels or shape[2] not in (1, 3):
        raise ValueError(f"`image_shape` {tuple(image_shape)} has {int(np.prod(shape))} numbers, and the images have {n_pixels}")
    return shape


def plot_images(
    layout, images, labels=None, *, image_shape=None, ink="auto", axes=None, title=None, label_title="", names=None, label_points=False, palette="safe", size=None, dpi=None
):
    """A map with the samples as images at their points, as many as find room, as ``--images-plot`` of the command line: PNG or SVG.

    Parameters
    ----------
    layout : array of two or more columns, or a fitted estimator.
    images : an image for each sample: (n, height, width), (n, height, width, 3), or rows of pixels.
    labels : a class or a number for each sample, for the frames.
    image_shape : height and width (and 3) of rows of pixels; square images need none.
    ink : "dark" if high numbers are dark, as ink on paper is, "light" if they are light; "auto" decides by the images.
    axes : the two columns to draw, counted from 0.
    """
    all_points, all_names, title = coordinates(layout, title)
    places, shown = chosen(all_points.shape[1], all_names, axes)
    if len(places) != 2:
        raise ValueError(f"`plot_images` draws two coordinates, got {len(places)}")
    points = np.ascontiguousarray(all_points[:, places])
    pixels, shape = _images(images, image_shape, "plot_images")
    if len(pixels) != len(points):
        raise ValueError(f"an image for each sample was expected: {len(points)} samples, {len(pixels)} images")
    if labels is None:
        labels, label_title = clusters(layout, label_title)
    colors = None if labels is None else colors_of(labels, len(points), label_title)
    notes = [f"{len(points):,} samples", *not_drawn(places, all_points.shape[1])]
    look = look_of(points, shown, notes, title=title, names=names, label_points=label_points, palette=palette, size=size, dpi=dpi)
    # Names would lie across the images: they are written only if requested.
    look["label_points"] = bool(label_points)
    return drawn(points, colors, look, overlay_of(images=(*shape, ink)), pixels)


def image_grid(rows_of_images, titles=None, *, image_shape=None, ink="auto", value_range=None, title="", width=1200):
    """Rows of images below each other on one scale, such as originals, noisy images, and what PCA and kernel PCA make of them: PNG or SVG.

    Parameters
    ----------
    rows_of_images : list of arrays: (n, height, width), (n, height, width, 3), or rows of pixels.
    titles : a title for each row.
    image_shape : height and width (and 3) of rows of pixels; square images need none.
    ink : "dark" if high numbers are dark, "light" if they are light; "auto" decides by the first row.
    value_range : the numbers at the ends of the scale; by default the lowest and the highest of the first row. Numbers beyond have the colours of the ends.
    title : title of the picture.
    width : width of the picture in pixels.
    """
    found = [_images(row, image_shape, "image_grid") for row in rows_of_images]
    if not found:
        raise ValueError("`image_grid` needs one row of images at least")
    if len({tuple(shape) for _, shape in found}) > 1:
        raise ValueError(f"all images must have one shape, got {[tuple(shape) for _, shape in found]}")
    names = [""] * len(found) if titles is None else [str(name) for name in titles]
    if len(names) != len(found):
        raise ValueError(f"a title for each row was expected: {len(found)} rows, {len(names)} titles")
    ends = None if value_range is None else [float(end) for end in value_range]
    rows = [(name, pixels) for name, (pixels, _) in zip(names, found)]
    return made(lambda format: _charta.image_rows(rows, found[0][1], ink, ends, int(width), page(title, "", None, format)))


def plot_components(estimator, image_shape=None, *, color=None, mean=True, ink="auto", title=None, size=None):
    """The components of a linear estimator as images, such as eigenfaces, as ``--components-plot`` of the command line: PNG or SVG.

    Parameters
    ----------
    estimator : a fitted estimator with axes in the space of the features.
    image_shape : height and width (and 3) of the samples; square images need none.
    color : "grey", or "diverging" for blue, white and red about zero; by default grey where no number is negative.
    mean : show the mean of the samples first, if the estimator has it.
    ink : "dark" if high numbers are dark, "light" if they are light.
    """
    estimator._check_fitted()
    axes = estimator._model.axes()
    if axes is None:
        raise ValueError(f"{type(estimator).__name__} has no axes in feature space: `plot_components` has nothing to draw")
    if color not in (None, "grey", "gray", "diverging"):
        raise ValueError(f"`color` must be 'grey', 'diverging' or None, got {color!r}")
    axes = np.ascontiguousarray(axes, dtype=np.float64)
    pixels, shape = _images(axes, image_shape, "plot_components")
    is_signed = bool((pixels < 0).any())
    is_grey = not is_signed if color is None else color != "diverging"
    if ink == "auto" and is_grey:
        # Parts that are added are ink on paper; the mean of samples is as they are.
        ink = "light" if is_signed else "dark"
    centre = estimator._model.mean_of_rows() if mean else None
    centre = centre if centre is not None and len(centre) == pixels.shape[1] else None
    names, title = titles(estimator), _title(estimator, "components", title)
    names = names if len(names) == len(pixels) else []
    return made(lambda format: _charta.image_grid(pixels, shape, names, not is_grey, ink, centre, page(title, "", size, format)))

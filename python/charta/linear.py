"""The linear algebra around the methods: eigenvectors, singular values, least squares, covariances, lines, angle sums, normality."""

import json
from typing import Any, NamedTuple

import numpy as np

from . import _charta
from ._engine import plain_session
from ._input import labels as _labels
from ._input import random_seed, table

__all__ = [
    "angles",
    "correlation",
    "covariance",
    "eigen",
    "least_squares",
    "line",
    "normality",
    "pseudo_inverse",
    "scatter",
    "svd",
]


class Eigen(NamedTuple):
    """Eigenvalues, the largest real part first, and eigenvectors, one a column."""

    values: np.ndarray
    vectors: np.ndarray
    symmetric: bool
    residual: float
    vectors_condition: float


class SVD(NamedTuple):
    """X = U diag(values) Vᵀ; `approximation` is the sum of the first `rank` terms, if that was requested."""

    U: np.ndarray
    values: np.ndarray
    V: np.ndarray
    rank: int
    condition_number: float
    approximation: Any


class LeastSquares(NamedTuple):
    """Weights with the smallest ‖X w − y‖², the shortest if there are several."""

    weights: np.ndarray
    intercept: Any
    residuals: np.ndarray
    residual_squares: Any
    r_squared: Any
    rank: int
    condition_number: float


class Line(NamedTuple):
    """A line b + α v with the feet of the perpendiculars from the samples."""

    through: np.ndarray
    direction: np.ndarray
    positions: np.ndarray
    squared_distances: np.ndarray
    error: float
    feet: np.ndarray


class LineFit(NamedTuple):
    """A chosen line beside the best; `total` is the squared error of the mean, `angle` that between the lines in degrees."""

    chosen: Line
    best: Line
    total: float
    angle: float


def _matrix(values, who):
    if isinstance(values, str):
        values = [[float(word) for word in row.replace(",", " ").split()] for row in values.strip("[] ").split(";") if row.strip()]
    found = table(values, who)
    if found.is_sparse:
        raise ValueError(f"{who} needs a dense matrix, got a sparse one")
    return np.ascontiguousarray(found.values, dtype=np.float64)


def eigen(A, *, n_jobs=None):
    """Eigenvalues and eigenvectors of a square matrix, complex ones too: A v = λ v.

    >>> from charta.linear import eigen
    >>> eigen([[3, 5], [2, 1]]).values.round(1).tolist()
    [5.3, -1.3]
    """
    found = _charta.eigen(_matrix(A, "eigen"), plain_session(n_jobs))
    values, vectors = found["real"], found["vectors_real"]
    if not found["is_real"]:
        values, vectors = values + 1j * found["imaginary"], vectors + 1j * found["vectors_imaginary"]
    return Eigen(values, vectors, found["symmetric"], found["residual"], found["vectors_condition"])


def svd(X, *, rank=None, n_jobs=None):
    """Thin singular value decomposition; with `rank`, also the closest matrix of that rank.

    >>> from charta.linear import svd
    >>> svd([[3, 0], [0, 2], [0, 0]]).values.tolist()
    [3.0, 2.0]
    """
    found = _charta.svd(_matrix(X, "svd"), None if rank is None else int(rank), plain_session(n_jobs))
    return SVD(found["left"], found["values"], found["right"], found["rank"], found["condition_number"], found["approximation"])


def pseudo_inverse(X, *, n_jobs=None):
    """Moore–Penrose inverse."""
    return _charta.pseudo_inverse(_matrix(X, "pseudo_inverse"), plain_session(n_jobs))


def least_squares(X, y, *, intercept=False, n_jobs=None):
    """Weights w = X⁺ y, by the singular value decomposition, for one target or a column for each of several.

    >>> from charta.linear import least_squares
    >>> least_squares([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0], intercept=True).weights.round(6).tolist()
    [2.0]
    """
    x = _matrix(X, "least_squares")
    single = np.ndim(y) == 1
    targets = _matrix(np.reshape(y, (-1, 1)) if single else y, "least_squares")
    found = _charta.least_squares(x, targets, bool(intercept), plain_session(n_jobs))
    names = ("weights", "intercepts", "residuals", "residual_squares", "r_squared")
    values = [found[name] for name in names]
    if single:
        values = [None if value is None else value[..., 0] for value in values]
    return LeastSquares(*values, found["rank"], found["condition_number"])


def _data(X, y, who):
    rows = table(X, who)
    given = {"table": rows.values, "kind": "features"}
    if rows.names is not None:
        given["names"] = rows.names
    if y is not None:
        given.update(_labels(y, rows.n_rows, who, numbers=False)[0])
    return rows, given


def _scatter(X, y, part, n_jobs):
    if part not in ("total", "within", "between"):
        raise ValueError(f"`part` must be 'total', 'within' or 'between', got {part!r}")
    if part != "total" and y is None:
        raise ValueError(f"`part={part!r}` needs the classes of the samples: give `y`")
    rows, given = _data(X, y, "scatter")
    found = _charta.scatter_matrices(given, plain_session(n_jobs))
    return rows.n_rows, found["scatter"] if part == "total" else found["parts"][part]


def scatter(X, y=None, *, part="total", n_jobs=None):
    """Scatter matrix Σ (x − m)(x − m)ᵀ of the features; with classes `y`, also ``part="within"`` or ``"between"`` them."""
    return _scatter(X, y, part, n_jobs)[1]


def covariance(X, y=None, *, part="total", population=False, n_jobs=None):
    """Covariance matrix of the features: the scatter matrix by n − 1, or by n for a whole population.

    >>> from charta.linear import covariance
    >>> covariance([[1.0, 2.0], [3.0, 2.0], [5.0, 8.0]]).tolist()
    [[4.0, 6.0], [6.0, 12.0]]
    """
    n_samples, matrix = _scatter(X, y, part, n_jobs)
    return matrix / (n_samples if population else n_samples - 1)


def correlation(X, y=None, *, part="total", n_jobs=None):
    """Correlation matrix of the features. Those of a constant feature are NaN."""
    matrix = _scatter(X, y, part, n_jobs)[1]
    lengths = np.sqrt(np.diag(matrix))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.clip(matrix / lengths[:, None] / lengths, -1, 1)


def line(X, direction, *, through=None, n_jobs=None):
    """Squared reconstruction error of a line of your choice, beside that of the best line, which goes through the mean in the direction of the
    first principal component.

    >>> import charta
    >>> from charta.linear import line
    >>> X, _ = charta.iris()
    >>> fit = line(X[:, :2], (1, 0.3))
    >>> fit.best.error < fit.chosen.error
    True
    """
    _, given = _data(X, None, "line")
    through = None if through is None else [float(value) for value in through]
    found = _charta.line(given, [float(value) for value in direction], through, plain_session(n_jobs))
    return LineFit(Line(**found["chosen"]), Line(**found["best"]), found["total"], found["angle"])


def angles(X, *, n_triangles=200, triangle_size=0.5, dimension=2, n_neighbors=15, random_state=None, n_jobs=None):
    """Angle sums of geodesic triangles along the neighbour graph, by which curvature is estimated: above 180° on a sphere, below on a saddle.

    >>> import charta
    >>> from charta.linear import angles
    >>> X, _ = charta.swiss_roll(1500)
    >>> angles(X)["verdict"]
    'flat'
    """
    _, given = _data(X, None, "angles")
    options = {
        "n_triangles": n_triangles,
        "triangle_size": float(triangle_size),
        "dimension": dimension,
        "n_neighbors": n_neighbors,
        "seed": random_seed(random_state),
    }
    return _charta.angles(given, json.dumps(options), plain_session(n_jobs))


def normality(X, y=None, *, n_jobs=None):
    """Mardia's tests of multivariate normality: of all samples, and of each class if `y` is given. Discriminant analysis assumes that each class
    is normal; a warning names those that are not.

    >>> import charta
    >>> from charta.linear import normality
    >>> X, y = charta.iris()
    >>> normality(X)["all"]["p"] < 0.01
    True
    """
    _, given = _data(X, y, "normality")
    return _charta.normality(given, plain_session(n_jobs))

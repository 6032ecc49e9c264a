"""Conversion of inputs to arrays that the engine reads in place."""

import sys

import numpy as np

from ._errors import warn_caller

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class Table:
    """Values, feature names if there are any, and the original object, whose container is used for results."""

    def __init__(self, values, shape, names, given):
        self.values, self.names, self.given = values, names, given
        self.n_rows, self.n_columns = shape

    @property
    def is_sparse(self):
        """True for sparse rows."""
        return isinstance(self.values, tuple)

    @property
    def single(self):
        """True for single precision."""
        return (self.values[2] if self.is_sparse else self.values).dtype == np.float32


def table(X, who):
    """The rows of `X`, without copying them where that is possible; `who` is named in messages."""
    if X is None:
        raise ValueError(f"{who} needs rows, got None")
    if hasattr(X, "tocsr") and hasattr(X, "nnz"):
        return _sparse(X, who)
    names = None
    if isinstance(X, np.ndarray):
        values = X
    elif hasattr(X, "iloc") and hasattr(X, "columns"):
        names, values = _names(X.columns, who), _of_pandas(X)
    elif hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise TypeError(f"{who} needs the rows of a lazy frame: call collect() first")
    elif hasattr(X, "get_column") and hasattr(X, "columns"):
        names, values = _names(X.columns, who), _of_polars(X)
    elif hasattr(X, "__arrow_c_stream__"):
        names, values = _of_arrow(X)
    else:
        values = np.asarray(X)
    values = _numbers(values, names)
    _check_shape(values, who)
    return Table(values, values.shape, names, X)


def _check_shape(values, who):
    if values.ndim != 2:
        advice = ""
        if values.ndim < 2:
            advice = " Reshape your data either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
        raise ValueError(f"{who} expected a 2D array, got a {values.ndim}D array instead of shape {values.shape}.{advice}")
    for axis, what in enumerate(("sample", "feature")):
        if values.shape[axis] == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={values.shape}) while a minimum of 1 is required by {who}.")


def _numbers(values, names=None):
    """The same numbers as float32 or float64 that the engine can read."""
    if np.iscomplexobj(values):
        raise ValueError("Complex data not supported: give the real and imaginary parts as columns of their own")
    dtype = values.dtype
    if dtype not in FLOATS:
        if dtype.kind in "USO":
            return _of_words(values, names)
        if dtype.kind in "mM":
            raise ValueError(f"dates and times are not numbers ({dtype}): convert them first")
        if dtype.kind not in "biuf":
            raise TypeError(f"values of type {dtype} are not numbers")
        # Whole numbers of up to 16 bits are exact in single precision, in half the memory.
        small = dtype.kind in "biuf" and dtype.itemsize <= 2
        return values.astype(np.float32 if small else np.float64)
    if not dtype.isnative or not values.flags.aligned:
        return np.require(values, dtype=dtype.newbyteorder("="), requirements="A")
    if any(stride % dtype.itemsize for stride in values.strides):
        return values.copy()
    return values


def _of_words(values, names):
    """Numbers that are kept as objects or written as words."""
    try:
        return values.astype(np.float64)
    except ValueError as error:
        place = ""
        if values.ndim == 2:
            for column in range(values.shape[1]):
                try:
                    values[:, column].astype(np.float64)
                except ValueError:
                    title = f" ({names[column]!r})" if names else ""
                    place = f": column {column}{title} holds words; encode or drop it"
                    break
        raise ValueError(f"could not convert string to float{place}" if place else str(error)) from None


def _names(columns, who):
    """Names of columns, if all are words."""
    names = list(columns)
    words = sum(isinstance(name, str) for name in names)
    if words == len(names) and names:
        return names
    if words:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{sorted({type(name).__name__ for name in names})} as feature name / column name types. If you want feature names to be stored "
            f"and validated by {who}, you must convert them all to strings, by using X.columns = X.columns.astype(str) for example."
        )
    return None


def _of_pandas(frame):
    dtypes = list(frame.dtypes)
    for name, dtype in zip(frame.columns, dtypes):
        if getattr(dtype, "kind", "") in "mM":
            raise ValueError(f"dates and times are not numbers: convert column {name!r} ({dtype}) first")
    if all(isinstance(dtype, np.dtype) for dtype in dtypes):
        return frame.to_numpy()
    kinds = {getattr(dtype, "kind", "O") for dtype in dtypes}
    if kinds <= set("biuf"):
        single = all(getattr(dtype, "itemsize", 8) <= 4 and getattr(dtype, "kind", "") == "f" for dtype in dtypes)
        return frame.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)
    return frame.to_numpy(dtype=object)


def _of_polars(frame):
    for name, dtype in frame.schema.items():
        if dtype.is_temporal():
            raise ValueError(f"dates and times are not numbers: convert column {name!r} ({dtype}) first")
    return frame.to_numpy()


def _of_arrow(source):
    """A table with Arrow's PyCapsule interface, column by column."""
    from ._charta import arrow_table

    return arrow_table(source)


def _sparse(X, who):
    if X.ndim != 2:
        raise ValueError(f"{who} expected a 2D array, got a {X.ndim}D sparse array")
    rows = X.tocsr()
    if np.iscomplexobj(rows.data):
        raise ValueError("Complex data not supported: give the real and imaginary parts as columns of their own")
    if not rows.has_canonical_format:
        # The user's own arrays stay as they are.
        rows = rows.copy()
        rows.sum_duplicates()
    _check_shape(rows, who)
    values = rows.data if rows.data.dtype in FLOATS else rows.data.astype(np.float64)
    if rows.shape[1] >= 2**31:
        raise ValueError(f"{who} takes at most {2**31 - 1} columns, got {rows.shape[1]}")
    columns = rows.indices
    columns = columns.view(np.uint32) if columns.dtype == np.int32 else columns.astype(np.uint32)
    starts = rows.indptr.astype(np.uint64)
    values, columns = np.ascontiguousarray(values), np.ascontiguousarray(columns)
    return Table((starts, columns, values, rows.shape[1]), rows.shape, None, X)


def listed(rows, who):
    """The distances that a sparse matrix lists, as a table of neighbours: those that are not listed are no neighbours."""
    starts, columns, distances, n_columns = rows.values
    if rows.n_rows != n_columns:
        raise ValueError(f"{who} needs a square matrix of distances, got {rows.n_rows} rows and {n_columns} columns")
    counts = np.diff(starts.astype(np.int64))
    indices = np.full((rows.n_rows, max(1, counts.max(initial=0))), -1, dtype=np.int64)
    lengths = np.zeros(indices.shape)
    filled = np.arange(indices.shape[1]) < counts[:, None]
    indices[filled], lengths[filled] = columns, distances
    return {"table": np.zeros((rows.n_rows, 1)), "neighbors": (indices, lengths)}


def unlisted_far(rows):
    """The distances of a sparse matrix from new rows to those of a fit: those that are not listed are further than all that are."""
    starts, columns, distances, n_columns = rows.values
    counts = np.diff(starts.astype(np.int64))
    if len(counts) and counts.min() == 0:
        raise ValueError(f"sample {int(counts.argmin())} has no distance to any sample of the fit")
    square = np.full((rows.n_rows, n_columns), 2.0 * distances.max(initial=0.0) + 1.0)
    square[np.repeat(np.arange(rows.n_rows), counts), columns] = distances
    return square


def labels(y, n_rows, who, numbers):
    """Labels as the engine takes them: (what to pass on, classes or None).

    `numbers` says what numeric labels are: numbers, or classes unless they have fractions.
    """
    if hasattr(y, "tocsr"):
        raise TypeError("labels must be dense, got sparse rows")
    y = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if np.iscomplexobj(y):
        raise ValueError("Complex data not supported: labels are classes or real numbers")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
        if not numbers:
            warn_of_column()
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != n_rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n_rows}, {len(y)}]")
    if y.dtype.kind == "f" or (numbers and y.dtype.kind in "biu"):
        infinite = np.isinf(y) if y.dtype.kind == "f" else False
        if np.any(infinite):
            raise ValueError("Input y contains infinity: labels must be finite, or NaN where they are missing")
        fractions = y.dtype.kind == "f" and np.any(y[~np.isnan(y)] % 1 != 0)
        if numbers or fractions:
            return {"numbers": np.ascontiguousarray(y, dtype=np.float64)}, None
    return _classes(y)


def warn_of_column():
    """Warns that labels were given as a table of one column."""
    theirs = sys.modules.get("sklearn.exceptions")
    category = theirs.DataConversionWarning if theirs else UserWarning
    warn_caller("A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for example using ravel().", category)


def _is_missing(value):
    """True for None, NaN, NaT and the like, whose comparison with themselves is not true."""
    if value is None:
        return True
    same = value == value
    return same is not True and not (isinstance(same, np.bool_) and same)


def _classes(y):
    missing = np.zeros(len(y), bool)
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind in "mM":
        missing = np.isnat(y)
    elif y.dtype.kind == "O":
        missing = np.array([_is_missing(value) for value in y], bool)
        if any(isinstance(value, str) for value in y):
            # Words and numbers side by side have no order.
            y = np.array([str(value) for value in y])
    known = y[~missing]
    classes, inverse = np.unique(known, return_inverse=True)
    of_row = np.full(len(y), -1, np.int64)
    of_row[~missing] = inverse
    return {"classes": ([_title(value) for value in classes], of_row)}, classes


def _title(value):
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def random_seed(random_state):
    """Seed from a scikit-learn `random_state`; None means 0, so that fits are reproducible."""
    if random_state is None:
        return 0
    if isinstance(random_state, (bool, np.bool_)):
        raise ValueError(f"`random_state` must be a whole number of at least 0, a generator or None, got {random_state}")
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise ValueError(f"`random_state` must be at least 0, got {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    raise ValueError(f"`random_state` must be a whole number of at least 0, a generator or None, got {random_state!r}")

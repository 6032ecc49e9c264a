"""Metrics beyond their names: parameters of them, and compiled functions that the engine calls without Python."""

import ctypes

import numpy as np

#: Parameters of classes that hold those of the metric.
OPTIONS = ("metric_kwds", "metric_params")

#: The signature of a compiled metric.
SIGNATURE = "double f(const double *a, const double *b, int64_t n)"


def given_options(estimator):
    """The parameters of the metric that the user gave: a dictionary, which may be empty."""
    for name in OPTIONS:
        if name in estimator._class["refused"]:
            given = getattr(estimator, name)
            if given is not None and not isinstance(given, dict):
                raise ValueError(f"`{name}` must be a dictionary or None, got {given!r}")
            return name, given or {}
    return None, {}


def settings_of(estimator, metric):
    """The engine's parameters that parameters of the metric stand for."""
    name, given = given_options(estimator)
    if callable(metric) and address_of(metric) is None:
        return {}
    known = {"minkowski": ("p",), "seuclidean": ("V",), "mahalanobis": ("V", "VI", "vinv")}.get(metric if isinstance(metric, str) else "", ())
    for key in given:
        if key not in known:
            takes = f"takes {' or '.join(known)}" if known else "takes no parameters"
            raise ValueError(f"`{name}` has {key!r}, but the metric {metric!r} {takes}")
    return {"power": float(given["p"])} if "p" in given else {}


def covariance_of(estimator, metric, n_columns):
    """The covariance that parameters of the metric say, if they do."""
    name, given = given_options(estimator)
    if not isinstance(metric, str) or metric not in ("seuclidean", "mahalanobis"):
        return {}
    for key in ("V", "VI", "vinv"):
        if given.get(key) is None:
            continue
        values = np.array(given[key], dtype=np.float64)
        shape = (n_columns,) if metric == "seuclidean" else (n_columns, n_columns)
        if values.shape != shape:
            raise ValueError(f"`{name}[{key!r}]` must have the shape {shape} for {n_columns} features, got {values.shape}")
        if metric == "seuclidean":
            if not (np.isfinite(values) & (values > 0)).all():
                raise ValueError(f"`{name}['V']` must be variances above 0")
            return {"covariance": np.diag(values)}
        if key != "V":
            try:
                values = np.linalg.inv(values)
            except np.linalg.LinAlgError:
                raise ValueError(f"`{name}[{key!r}]` must be the inverse of a covariance, and is singular") from None
            # What rounding leaves between both directions.
            values = (values + values.T) / 2
        return {"covariance": values}
    return {}


def address_of(function):
    """The address of a compiled metric: of numba's `cfunc` or a function pointer of ctypes; None for anything else."""
    if hasattr(function, "native_name") and hasattr(function, "address"):
        signature = str(getattr(function, "_sig", ""))
        if signature.replace(" ", "") != "(float64*,float64*,int64)->float64":
            raise ValueError(f"a compiled metric must have the signature {SIGNATURE}, in numba float64(CPointer(float64), CPointer(float64), int64), got {signature}")
        return int(function.address)
    if isinstance(function, ctypes._CFuncPtr):
        rows = ctypes.POINTER(ctypes.c_double)
        if function.restype is not ctypes.c_double or list(function.argtypes or ()) != [rows, rows, ctypes.c_int64]:
            raise ValueError(
                f"a compiled metric must have the signature {SIGNATURE}: set restype to c_double and argtypes to [POINTER(c_double), POINTER(c_double), c_int64]"
            )
        return ctypes.cast(function, ctypes.c_void_p).value
    return None

"""Metrics beyond their names: parameters of them, and compiled functions that the engine calls without Python."""

import ctypes

import numpy as np

#: The signature of a compiled metric.
SIGNATURE = "double f(const double *a, const double *b, int64_t n)"


def by_covariance(metric, params):
    """True for parameters that are a covariance, which the engine takes: the variances of the features, the covariance or its inverse."""
    known = {"seuclidean": ("V",), "mahalanobis": ("V", "VI", "vinv")}.get(metric if isinstance(metric, str) else "", ())
    return len(params) == 1 and next(iter(params)) in known


def covariance(metric, params, n_columns):
    """The covariance that such parameters say."""
    ((key, given),) = params.items()
    values = np.array(given, dtype=np.float64)
    shape = (n_columns,) if metric == "seuclidean" else (n_columns, n_columns)
    if values.shape != shape:
        raise ValueError(f"the parameter {key!r} of the metric {metric!r} must have the shape {shape} for {n_columns} features, got {values.shape}")
    if metric == "seuclidean":
        if not (np.isfinite(values) & (values > 0)).all():
            raise ValueError("the parameter 'V' of the metric 'seuclidean' must be variances above 0")
        return np.diag(values)
    if key == "V":
        return values
    try:
        values = np.linalg.inv(values)
    except np.linalg.LinAlgError:
        raise ValueError(f"the parameter {key!r} of the metric 'mahalanobis' must be the inverse of a covariance, and is singular") from None
    # What rounding leaves between both directions.
    return (values + values.T) / 2


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

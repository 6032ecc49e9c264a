"""Containers of results: arrays, or data frames if configured."""

import sys

import numpy as np


def container(estimator):
    """Output container by `set_output` or scikit-learn's configuration: "default", "pandas" or "polars"."""
    own = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    if own is not None:
        return own
    sklearn = sys.modules.get("sklearn")
    return sklearn.get_config().get("transform_output", "default") if sklearn else "default"


def wrapped(estimator, values, rows):
    """The values in the configured container, with the index of the samples."""
    wanted = container(estimator)
    if wanted == "default":
        return values
    names = estimator.get_feature_names_out()
    if wanted == "pandas":
        import pandas

        index = getattr(rows, "index", None) if hasattr(rows, "iloc") else None
        return pandas.DataFrame(values, columns=names, index=index, copy=False)
    if wanted == "polars":
        import polars

        return polars.DataFrame(np.asarray(values), schema=list(names), orient="row")
    raise ValueError(f"output must be 'default', 'pandas' or 'polars', got {wanted!r}")

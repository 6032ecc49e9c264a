"""Exceptions and warnings, recognized by scikit-learn where it is loaded."""

import sys
import warnings


#: Characters of a value that a message shows.
SHOWN = 100


def shown(value):
    """A value as messages show it: of arrays and tables the shape, of long lists the beginning."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{type(value).__name__} of shape {shape}"
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


class NotFittedError(ValueError, AttributeError):
    """An estimator was used before it was fitted."""


class DisconnectedError(ValueError, RuntimeError):
    """A neighbour graph has several connected components, and may not be joined."""


class ChartaWarning(UserWarning):
    """There is a result, but it may be unreliable."""


class ConvergenceWarning(ChartaWarning):
    """An optimization reached its maximum number of iterations before it converged."""


class DataDimensionalityWarning(ChartaWarning):
    """The number of dimensions is not reduced."""


def _joined(ours, name):
    """Our class, which is scikit-learn's too if that is loaded."""
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return ours
    return type(ours.__name__, (ours, getattr(theirs, name)), {"__module__": "charta"})


def not_fitted(estimator, why=None):
    """The exception for an estimator that is not fitted, or not fitted in a way that something needs."""
    name = type(estimator).__name__
    kind = _joined(NotFittedError, "NotFittedError")
    if why is not None:
        return kind(f"This {name} instance is not fitted for it: {why}.")
    return kind(f"This {name} instance is not fitted yet: call 'fit' with appropriate arguments before using this estimator.")


#: Categories of warnings that scikit-learn has too, by the engine's word.
CATEGORIES = {"convergence": ConvergenceWarning, "dimensionality": DataDimensionalityWarning}


def warn(kind, message):
    """Passes on a warning of the engine."""
    category = CATEGORIES.get(kind)
    warn_caller(message, ChartaWarning if category is None else _joined(category, category.__name__))


def warn_caller(message, category):
    """Warns at the line of the caller that is not of this package."""
    depth, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "charta":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth - 1 if frame is None else depth)

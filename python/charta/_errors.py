"""Exceptions and warnings, recognised by scikit-learn where it is loaded."""

import sys
import warnings


class NotFittedError(ValueError, AttributeError):
    """An estimator was asked for what only a fit gives."""


class ChartaWarning(UserWarning):
    """The result is there, but the user should know this."""


class ConvergenceWarning(ChartaWarning):
    """An iteration stopped at its limit; the result is the best that it reached."""


def _joined(ours, name):
    """Our class, which is scikit-learn's too if that is loaded."""
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return ours
    return type(ours.__name__, (ours, getattr(theirs, name)), {"__module__": "charta"})


def not_fitted(estimator):
    """The exception for an estimator that is not fitted."""
    name = type(estimator).__name__
    kind = _joined(NotFittedError, "NotFittedError")
    return kind(f"This {name} instance is not fitted yet: call 'fit' with appropriate arguments before using this estimator.")


def warn(kind, message):
    """Passes on a warning of the engine."""
    category = _joined(ConvergenceWarning, "ConvergenceWarning") if kind == "convergence" else ChartaWarning
    # The frames between the caller and this one: _errors, _engine, the estimator's own.
    warnings.warn(message, category, stacklevel=5)

"""Calls of the engine: threads, progress, warnings, and messages in the words of the class."""

import numbers
import os
import re

from . import _charta
from ._accepted import check
from ._errors import shown, warn


def threads(n_jobs):
    """Number of threads for `n_jobs`; none for all cores."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"`n_jobs` must be a whole number other than 0, or None for all cores, got {shown(n_jobs)}")
    if n_jobs == -1:
        return None
    cores = os.cpu_count() or 1
    if n_jobs < 0:
        return max(1, cores + 1 + int(n_jobs))
    # More threads than these only wait for each other.
    return min(int(n_jobs), max(64, 2 * cores))


def session(estimator):
    """Threads, memory limit, observers and warnings of a run, for the engine."""
    listeners = []
    check("verbose", estimator.verbose, "bool or int >= 0")
    if estimator.verbose:
        from ._progress import Bar

        listeners.append(Bar(type(estimator).__name__))
    if estimator.callback is not None:
        if not callable(estimator.callback):
            raise TypeError(f"`callback` must be a function of (step, loss, layout) or None, got {shown(estimator.callback)}")
        listeners.append(_iterations(estimator.callback))
    return {"threads": threads(estimator.n_jobs), "memory": _bytes(estimator.memory_limit), "listener": _all(listeners), "warn": _translated(estimator._words())}


def _translated(words):
    """Warnings with the names that the class has."""
    return lambda kind, message: warn(kind, message.worded(words, []))


def plain_session(n_jobs=None):
    """The same for functions."""
    return {"threads": threads(n_jobs), "warn": _translated({})}


def _iterations(callback):
    """Calls a callback for iterations only: (step, loss, layout)."""

    def listener(stage, done, total, step, loss, layout):
        return step is not None and callback(step, loss, layout)

    return listener


def _all(listeners):
    if len(listeners) < 2:
        return listeners[0] if listeners else None
    return lambda *event: any([listener(*event) for listener in listeners])


def _bytes(limit):
    """Bytes of a limit: a number, or words such as `"2GB"`."""
    if limit is None:
        return None
    if isinstance(limit, numbers.Real) and limit > 0:
        return int(limit)
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([kmgt]?)(i?)b?\s*", str(limit).lower())
    if not found or isinstance(limit, numbers.Real):
        raise ValueError(f"`memory_limit` must be a number of bytes or a size such as '2GB', got {shown(limit)}")
    power = " kmgt".index(found[2] or " ")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** power)


class speaking:
    """Messages of the engine with the names that the class has: as a context."""

    def __init__(self, words, values=()):
        self.words, self.values = words, values

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        message = getattr(error, "message", None)
        if message is None:
            return False
        further = [(name, repr(theirs)) for name, theirs, _ in self.values if isinstance(theirs, str)]
        raise kind(message.worded(self.words, further)).with_traceback(trace) from None


Model = _charta.Model

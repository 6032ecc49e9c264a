"""Calls of the engine: threads, progress, warnings, and messages in the words of the class."""

import os
import re
import sys

from . import _charta
from ._errors import warn


def threads(n_jobs):
    """Threads that `n_jobs` asks for; none for all cores."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0:
        raise ValueError(f"`n_jobs` must be a whole number other than 0, or None for all cores, got {n_jobs!r}")
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    return int(n_jobs)


def session(estimator):
    """What the engine is told of a run."""
    listeners = []
    if estimator.verbose:
        from ._progress import Bar

        listeners.append(Bar(type(estimator).__name__))
    if estimator.callback is not None:
        listeners.append(_told(estimator.callback))
    return {"threads": threads(estimator.n_jobs), "memory": _bytes(estimator.memory_limit), "listener": _all(listeners), "warn": warn}


def plain_session(n_jobs=None):
    """The same for functions."""
    return {"threads": threads(n_jobs), "warn": warn}


def _told(callback):
    """Tells a callback of iterations alone: (step, loss, layout)."""

    def listener(stage, done, total, step, loss, layout):
        return step is not None and callback(step, loss, layout)

    return listener


def _all(listeners):
    if len(listeners) < 2:
        return listeners[0] if listeners else None
    return lambda *event: any([listener(*event) for listener in listeners])


def _bytes(limit):
    """Bytes of a limit: a number, or words such as `"2GB"`."""
    if limit is None or isinstance(limit, (int, float)):
        return None if limit is None else int(limit)
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kmgt]?)(i?)b?\s*", str(limit).lower())
    if not found:
        raise ValueError(f"`memory_limit` must be a number of bytes or a size such as '2GB', got {limit!r}")
    power = " kmgt".index(found[2] or " ")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** power)


#: Phrases of the engine, and how scikit-learn's users know them.
PHRASES = [
    (r"the data has (\d+)$", r"the data has \1 (n_samples=\1)"),
    (r"^(.*needs values of 0 or more)", r"Negative values in data: \1"),
]


class speaking:
    """Messages of the engine with the names that the class has: as a context."""

    def __init__(self, words):
        self.words = words

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind not in (ValueError, TypeError, MemoryError) or not error.args or not isinstance(error.args[0], str):
            return False
        told = re.sub(r"`([a-z_0-9]+)`", lambda found: f"`{self.words.get(found[1], found[1])}`", error.args[0])
        for pattern, replaced in PHRASES:
            told = re.sub(pattern, replaced, told)
        if told == error.args[0]:
            return False
        raise kind(told).with_traceback(trace) from None


Model = _charta.Model
is_terminal = getattr(sys.stderr, "isatty", lambda: False)

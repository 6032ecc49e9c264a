"""Checks of parameters that other packages have and that change nothing here: a wrong value is as much a mistake as there."""

import numbers
import re

import numpy as np

from ._errors import shown

#: Types by the words of a rule.
TYPES = {
    "bool": (bool, np.bool_),
    "int": numbers.Integral,
    "float": numbers.Real,
    "str": str,
    "dict": dict,
    "list": (list, tuple),
    "array": (list, tuple, np.ndarray),
}
LIMIT = re.compile(r"(int|float) (>=|>) (-?[0-9.]+)")


def check(name, value, rule):
    """Fails if a value is none of what the rule of a parameter lists, such as ``"int >= 0 or 'auto' or None"``."""
    if not any(_fits(value, alternative) for alternative in rule.split(" or ")):
        kind = TypeError if _is_of_no_type(value, rule) else ValueError
        raise kind(f"`{name}` must be {rule}, got {shown(value)}")


def _fits(value, alternative):
    if alternative == "any":
        return True
    if alternative == "None":
        return value is None
    if alternative == "estimator":
        return callable(getattr(value, "fit", None)) and not isinstance(value, type)
    if alternative == "callable":
        return callable(value)
    if alternative.startswith("'"):
        return isinstance(value, str) and value == alternative.strip("'")
    limit = LIMIT.fullmatch(alternative)
    if limit is None:
        is_number = alternative in ("int", "float")
        return isinstance(value, TYPES[alternative]) and not (is_number and (isinstance(value, (bool, np.bool_)) or not np.isfinite(value)))
    kind, comparison, least = limit.groups()
    if not isinstance(value, TYPES[kind]) or isinstance(value, (bool, np.bool_)):
        return False
    # Not a number, or infinite: neither is within a limit.
    return (value > float(least) if comparison == ">" else value >= float(least)) and value < float("inf")


def _is_of_no_type(value, rule):
    """True if no alternative is of the type of the value, so that the type is the mistake."""
    if value is None or isinstance(value, (bool, np.bool_, str)):
        return False
    kinds = [TYPES[word] for word in re.findall("|".join(TYPES), rule)]
    return bool(kinds) and not any(isinstance(value, kind) for kind in kinds)

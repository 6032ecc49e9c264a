"""Writes golden files: JSON that a person can read in a diff and that loses no bit of any number.

Every number is the shortest text that reads back as the same value in its own precision: up to 17 significant digits for f64,
up to 9 for f32. JSON knows no infinity and no NaN: both become null.
"""

import json
import math

import numpy as np


def number(value):
    """The text of one number, exact in the number's own precision."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if not math.isfinite(value):
        return "null"
    if isinstance(value, np.float32):
        return repr(float(str(value)))
    return repr(float(value))


def text_of(value, depth=0):
    """JSON with one key a line, flat lists on one line and matrices a row a line."""
    inner, outer = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, np.ndarray):
        value = list(value)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {text_of(item, depth + 1)}" for key, item in value.items()]
        return "{" + inner + ("," + inner).join(parts) + outer + "}"
    if isinstance(value, (list, tuple)):
        parts = [text_of(item, depth + 1) for item in value]
        nested = any(isinstance(item, (dict, list, tuple, np.ndarray)) for item in value)
        return "[" + inner + ("," + inner).join(parts) + outer + "]" if nested else "[" + ", ".join(parts) + "]"
    if value is None:
        return "null"
    if isinstance(value, str):
        return json.dumps(value)
    return number(value)


def write(folder, name, document):
    """Writes one golden file and says how large it came out."""
    path = folder / name
    text = text_of(document) + "\n"
    json.loads(text)
    path.write_text(text)
    print(f"  {name}: {len(text) / 1024:.0f} kB", flush=True)

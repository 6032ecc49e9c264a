"""Estimator classes, made from the registry of the engine when they are asked for."""

import inspect
import json
from collections.abc import Mapping
from functools import cache

from . import _charta
from ._estimator import COMMON, Estimator
from ._roles import Continued, Inverse, Likelihood, ManyViews, Partial, Predicting, RowErrors, Selecting, Targets, TwoViews


@cache
def method(name):
    """A method as the engine describes it."""
    return json.loads(_charta.describe(name))


def _roles(entry, described):
    """What the class can do besides placing rows."""
    if entry["family"] == "Selecting features":
        yield Selecting
    if entry["views"]:
        yield ManyViews if described["name"].startswith("Multi") else TwoViews
    elif entry["predicts"]:
        yield Targets if entry["labels"] == "target" else Predicting
    if entry["partial"]:
        yield Partial
    if entry["inverse"]:
        yield Inverse
    if entry["row_errors"]:
        yield RowErrors
    if entry["likelihood"]:
        yield Likelihood
    if entry["continues"]:
        yield Continued


def _defaults(described):
    """Defaults of all parameters, the one that needs no name first."""
    defaults = {}
    variants = described["variants"]
    for parameter in described["parameters"]:
        default = parameter["default"]
        defaults[parameter["name"]] = tuple(default) if isinstance(default, list) else default
    if described["total"]:
        name, _, other = described["total"]
        theirs = {parameter["ours"]: parameter["name"] for parameter in described["parameters"]}
        defaults[name] += defaults[theirs[other]]
    if variants:
        defaults[variants["name"]] = variants["methods"][0][0]
    defaults.update(dict.fromkeys(described["harmless"]))
    defaults.update(dict(described["absent"]))
    defaults.update({name: default for name, (default, _, _) in COMMON.items() if name not in defaults})
    first = described["first"]
    if first in defaults:
        defaults = {first: defaults.pop(first), **defaults}
    return defaults


def _init(title, first, defaults):
    """The constructor: values by name, the first one also without."""

    def __init__(self, *args, **given):
        if len(args) > 1:
            raise TypeError(f"{title}() takes one value without a name, `{first}`; {len(args)} were given")
        if args:
            if first in given:
                raise TypeError(f"{title}() got multiple values for argument '{first}'")
            given[first] = args[0]
        for name in given:
            if name not in defaults:
                import difflib

                near = difflib.get_close_matches(name, defaults, 1)
                hint = f"; did you mean `{near[0]}`?" if near else ""
                raise TypeError(f"{title}() got an unexpected keyword argument '{name}'{hint}")
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    kind = inspect.Parameter
    parameters = [kind("self", kind.POSITIONAL_OR_KEYWORD)]
    for name, default in defaults.items():
        parameters.append(kind(name, kind.POSITIONAL_OR_KEYWORD if name == first else kind.KEYWORD_ONLY, default=default))
    __init__.__signature__ = inspect.Signature(parameters)
    return __init__


#: What None means for parameters of the engine that must have a value.
NOTHING = {
    "n_components": "as many as the data allows",
    "supervised": "if labels are given",
    "seed": "0, so that fits repeat",
}


def _document(entry, described, defaults):
    """The text of help()."""
    lines = [f"{entry['summary']}.", "", f"{entry['title']} ({entry['reference']}).", "", "Parameters", "----------"]
    told = {parameter["name"]: (parameter["values"], parameter["doc"]) for parameter in described["parameters"]}
    if described["variants"]:
        words = ", ".join(f"`{word}`" for word, _ in described["variants"]["methods"])
        told[described["variants"]["name"]] = (words, "Which of the methods of this family.")
    if described["total"]:
        name, _, other = described["total"]
        told[name] = (told[name][0], "How many steps there are in all, those of the first phase included.")
    for parameter in described["parameters"]:
        name, (kind, text) = parameter["name"], told[parameter["name"]]
        words = [f"`{theirs}` for `{ours}`" for of, theirs, ours in described["values"] if of == name and None not in (theirs, ours)]
        if words:
            text += f" Also {', '.join(words)}."
        if name in ("metric", "distance", "kernel") and (entry["distances"] or entry["kernel"]):
            text += " Or `precomputed`, for rows that are given so."
        if parameter["ours"] in NOTHING and defaults[name] is None:
            text += f" None: {NOTHING[parameter['ours']]}."
        told[name] = (kind, text)
    told.update({name: (kind, text) for name, (_, kind, text) in COMMON.items() if name not in told})
    for name, default in defaults.items():
        if name in told:
            lines.append(f"{name} : {told[name][0]}, default {default!r}")
            lines += [f"    {line}".rstrip() for line in told[name][1].splitlines()]
    variants = described["variants"]["methods"] if described["variants"] else []
    known = {parameter["name"] for _, of in variants for parameter in method(of)["parameters"]}
    special = [name for name in described["harmless"] if name in known]
    for name in special:
        lines += [f"{name} : a number or None, default None", "    Of the method that has it; None for its own default."]
    ignored = [name for name in described["harmless"] if name not in told and name not in special and name != "dissimilarity"]
    if ignored:
        lines.append(f"{', '.join(ignored)} : accepted")
        lines.append("    Taken for the sake of other packages' calls; they change nothing here.")
    refused = [name for name, _ in described["absent"]]
    if refused:
        lines.append(f"{', '.join(refused)} : refused")
        lines.append("    Parameters of other packages that this class does not have: anything but their default is an error.")
    attributes = "All that the method reports: see `dir(estimator)` after a fit."
    return "\n".join([*lines, "", "Attributes", "----------", "embedding_, n_features_in_, ...", f"    {attributes}", ""])


def _made(entry, described):
    defaults = _defaults(described)
    name = described["name"]
    content = {
        "__module__": "charta",
        "__doc__": _document(entry, described, defaults),
        "__init__": _init(name, described["first"], defaults),
        "_entry": entry,
        "_class": described,
        "_defaults": defaults,
        "_parameters": described["parameters"],
    }
    return type(name, (*_roles(entry, described), Estimator), content)


class Classes(Mapping):
    """Classes by name, some of which have two; made when they are first asked for."""

    def __init__(self):
        self.names = {name: (method, first) for name, method, first in _charta.classes()}
        self.made = {}

    def __getitem__(self, name):
        of_method, first = self.names[name]
        if first not in self.made:
            entry = method(of_method)
            described = next(of for of in entry["classes"] if of["name"] == first)
            self.made[first] = _made(entry, described)
        return self.made[first]

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)


CLASSES = Classes()

"""Estimator classes, made from the registry of the engine and the table of names on first use."""

import importlib
import inspect
import json
import textwrap
from collections.abc import Mapping
from functools import cache

from . import _charta, _names
from ._estimator import COMMON, Estimator
from ._roles import Clustering, Continued, Graphed, Inverse, Likelihood, ManyViews, Partial, Predicting, RowErrors, Sampling, Selecting, Targets, TwoViews


@cache
def method(name):
    """A method as the engine describes it."""
    return json.loads(_charta.describe(name))


def _roles(entry, described):
    """Mixins for what the class offers besides `transform`."""
    offers = entry["offers"]
    if entry["family"] == "selection":
        yield Selecting
    if "views" in entry["takes"]:
        yield ManyViews if described["many_views"] else TwoViews
    elif "clusters" in offers:
        yield Clustering
    elif "predicts" in offers:
        yield Targets if entry["labels"] == "target" else Predicting
    for capability, role in (
        ("partial", Partial),
        ("inverse", Inverse),
        ("row_errors", RowErrors),
        ("likelihood", Likelihood),
        ("samples", Sampling),
        ("continues", Continued),
        ("graph", Graphed),
    ):
        if capability in offers:
            yield role


def default_name(method):
    """The class of a method that the table of names does not have."""
    return "".join(word.capitalize() for word in method.split("_"))


def describe(name, stated, entry):
    """A class with all that its entry of the table leaves out: its parameters are those of the engine, under the names of the class."""
    own = stated.get("parameters", {})
    theirs = {ours: name for name, ours in [*_names.PARAMETERS.items(), *own.items()]}
    defaults = {**_names.DEFAULTS, **stated.get("defaults", {})}
    fixed = stated.get("fixed", {})
    parameters = []
    for spec in entry["parameters"]:
        if spec["name"] in fixed:
            continue
        called = theirs.get(spec["name"], spec["name"])
        text = stated.get("documents", {}).get(called, spec["doc"])
        parameter = {**spec, "name": called, "doc": text, "ours": spec["name"], "default": defaults.get(called, spec["default"])}
        if spec["name"] == "seed":
            # A seed may be left out.
            parameter.update(kind={"type": "optional", "of": spec["kind"]}, values=f"{spec['values']} or none")
        parameters.append(parameter)
    words = {theirs.get(ours, ours): words for ours, words in _names.VALUES.items() if any(spec["name"] == ours for spec in entry["parameters"])}
    words = [*stated.get("values", {}).items(), *words.items()]
    known = [parameter["name"] for parameter in parameters]
    return {
        "name": name,
        "positional": stated.get("positional", ["n_components"] if "n_components" in known else known[:1]),
        "many_views": stated.get("many_views", False),
        "parameters": parameters,
        "values": [(of, word, ours) for of, values in words for word, ours in values.items()],
        "fixed": fixed,
        "variants": stated.get("variants"),
        "mixin": stated.get("mixin"),
        "ignored": stated.get("ignored", {}),
        "taken": stated.get("taken", {}),
        "refused": stated.get("refused", {}),
        "attributes": {**_names.ATTRIBUTES, **stated.get("attributes", {})},
        "attributes_if": stated.get("attributes_if", []),
    }


def _defaults(described):
    """Defaults of all parameters, those that need no name first."""
    defaults = {}
    variants = described["variants"]
    for parameter in described["parameters"]:
        default = parameter["default"]
        defaults[parameter["name"]] = tuple(default) if isinstance(default, list) else default
    if variants:
        defaults[variants["name"]] = next(iter(variants["methods"]))
    defaults.update({name: default for name, (default, _) in described["ignored"].items()})
    defaults.update({name: default for name, (default, _, _) in described["taken"].items()})
    defaults.update(described["refused"])
    defaults.update({name: default for name, (default, _, _) in COMMON.items() if name not in defaults})
    return {**{name: defaults[name] for name in described["positional"]}, **defaults}


def _init(title, positional, defaults):
    """The constructor: values by name, some also without."""

    def __init__(self, *args, **given):
        if len(args) > len(positional):
            first = f", {', '.join(f'`{name}`' for name in positional)}" if positional else ""
            plural = "" if len(positional) == 1 else "s"
            raise TypeError(f"{title}() takes {len(positional)} positional argument{plural}{first}; {len(args)} were given")
        for name, value in zip(positional, args):
            if name in given:
                raise TypeError(f"{title}() got multiple values for argument '{name}'")
            given[name] = value
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
        parameters.append(kind(name, kind.POSITIONAL_OR_KEYWORD if name in positional else kind.KEYWORD_ONLY, default=default))
    __init__.__signature__ = inspect.Signature(parameters)
    return __init__


#: What None means for parameters of the engine that must have a value.
NOTHING = {
    "n_components": "as many as the data allows",
    "supervised": "true if labels are given",
    "seed": "0, so that fits are reproducible",
}


def _document(entry, described, defaults):
    """The text of help()."""
    lines = [f"{entry['summary']}.", "", f"{entry['title']} ({entry['reference']}).", "", "Parameters", "----------"]
    texts = {parameter["name"]: (parameter["values"], parameter["doc"]) for parameter in described["parameters"]}
    if described["variants"]:
        words = ", ".join(f"`{word}`" for word in described["variants"]["methods"])
        texts[described["variants"]["name"]] = (words, "Variant of the method.")
    for parameter in described["parameters"]:
        name, (kind, text) = parameter["name"], texts[parameter["name"]]
        words = [f"`{theirs}` for `{ours}`" for of, theirs, ours in described["values"] if of == name and isinstance(ours, str) and theirs is not None]
        if words:
            text += f" Also {', '.join(words)}."
        if name in ("metric", "distance", "kernel") and {"distances", "kernel"} & set(entry["takes"]):
            text += " Or `precomputed`, if `X` is a matrix of these; or a function of two samples, which is slow: it is called for every pair."
        if parameter["ours"] in NOTHING and defaults[name] is None:
            text += f" None: {NOTHING[parameter['ours']]}."
        texts[name] = (kind, text)
    texts.update({name: (kind, text) for name, (_, kind, text) in described["taken"].items()})
    texts.update({name: (kind, text) for name, (_, kind, text) in COMMON.items() if name not in texts})
    for name, default in defaults.items():
        if name in texts:
            lines.append(f"{name} : {texts[name][0]}, default {default!r}")
            lines += [f"    {line}".rstrip() for line in texts[name][1].splitlines()]
    variants = described["variants"]["methods"] if described["variants"] else {}
    known = {parameter["name"] for of in variants.values() for parameter in method(of)["parameters"]}
    for name, (default, rule) in described["ignored"].items():
        effect = "Of the variant of the method that has it." if name in known else "Accepted for compatibility with other packages; it has no effect."
        lines += [f"{name} : {rule}, default {default!r}", f"    {effect}"]
    if described["refused"]:
        lines.append(f"{', '.join(described['refused'])} : refused")
        lines.append("    Parameters of other packages that are not supported: any value but the default is an error.")
    attributes = "Everything that the method reports: see `dir(estimator)` after a fit."
    lines += ["", "Attributes", "----------", "embedding_, n_features_in_, ...", f"    {attributes}", ""]
    return "\n".join(lines + _notes(entry["explanation"]))


def _notes(explanation):
    """The explanation of the method: what it optimizes, what it costs, how parameters are chosen."""
    lines = ["Notes", "-----"]
    for section in explanation["sections"]:
        if section["title"] not in ("Steps", "Differences"):
            lines += [f"**{section['title']}.**", *(line for text in section["text"].splitlines() for line in textwrap.wrap(text, 100)), ""]
    return lines


def _made(entry, described):
    defaults = _defaults(described)
    name = described["name"]
    content = {
        "__module__": "charta",
        "__doc__": _document(entry, described, defaults),
        "__init__": _init(name, described["positional"], defaults),
        "_entry": entry,
        "_class": described,
        "_defaults": defaults,
        "_parameters": described["parameters"],
    }
    return type(name, (*_own(described["mixin"]), *_roles(entry, described), Estimator), content)


def _own(place):
    """What only this class has: a mixin below `_peers`, as module and class."""
    if place is not None:
        module, _, name = place.partition(":")
        yield getattr(importlib.import_module(f"._peers.{module}", __package__), name)


class Classes(Mapping):
    """Classes by name, some of which have two; created on first use."""

    def __init__(self):
        self.stated = dict(_names.CLASSES)
        named = {stated["method"] for stated in self.stated.values()}
        self.stated.update({default_name(method): {"method": method} for method in _charta.methods() if method not in named})
        self.names = {name: name for name in self.stated}
        self.names.update({alias: name for name, stated in self.stated.items() for alias in stated.get("aliases", [])})
        self.made = {}

    def of_method(self, method):
        """The classes of a method."""
        return [self[name] for name, stated in self.stated.items() if stated["method"] == method]

    def __getitem__(self, name):
        first = self.names[name]
        if first not in self.made:
            stated = self.stated[first]
            entry = method(stated["method"])
            self.made[first] = _made(entry, describe(first, stated, entry))
        return self.made[first]

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)


CLASSES = Classes()

"""Writes the type stubs of the package: ``python -P python/stubs.py``; a test tells when they are out of date."""

import inspect
from pathlib import Path

import charta
from charta._classes import CLASSES
from charta._datasets import DATA_SETS
from charta._estimator import COMMON, Estimator

STUBS = Path(__file__).parent / "charta" / "__init__.pyi"

HEAD = '''# Made by python/stubs.py from the registry of the engine. Do not edit.
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from . import linear as linear

__version__: str

class NotFittedError(ValueError, AttributeError): ...
class ChartaWarning(UserWarning): ...
class ConvergenceWarning(ChartaWarning): ...
class QualityReport(dict[str, Any]): ...

class Explanation(str):
    sections: dict[str, str]

class ExplanationTable(dict[str, str]): ...

class Plot:
    def to_bytes(self, format: str = "png") -> bytes: ...
    def save(self, path: str | PathLike[str]) -> Self: ...

class ShortestPath(NamedTuple):
    rows: NDArray[np.int64]
    length: float
    input_distance: float
    map_distance: float

class Scree:
    variances: NDArray[np.float64]
    proportions: NDArray[np.float64]
    total_variance: float
    rules: dict[str, int | None]
    problems: dict[str, str]
    n_components: int
    rule: str
    reason: str
    agreement: tuple[int, int] | None
    parallel_analysis: dict[str, Any]
    def plot(self, *, title: str = ..., size: tuple[int, int] | None = None) -> Plot: ...

class Dimension:
    dimension: int
    reasons: list[str]
    agreed: bool
    range: tuple[float, float] | None
    estimates: dict[str, float | None]
    notes: dict[str, str]
    scales: list[dict[str, Any]]
    chosen_scale: int | None
    n_linear: int | None
    linear_share: float | None
    rules: dict[str, int | None]
    n_components: int | None
    n_duplicates: int
    of_rows: dict[str, NDArray[np.float64]]
    def plot(self, *, title: str | None = None, size: tuple[int, int] | None = None) -> Plot: ...
    def __int__(self) -> int: ...

class Comparison:
    table: dict[str, dict[str, Any]]
    embeddings: dict[str, NDArray[Any]]
    estimators: dict[str, Any]
    n_neighbors: int | None
    def plot(self, labels: Any = None, *, glyphs: bool = False, title: str = "", label_title: str = "", size: tuple[int, int] | None = None) -> Plot: ...
    def to_pandas(self) -> Any: ...

class Steps(dict[str, NDArray[np.float64]]):
    formulas: dict[str, str]
    rows: NDArray[np.int64] | None

class Recommendation:
    purpose: str
    reasons: list[str]
    scaling: str | None
    title: str
    estimator: Estimator

class Advice:
    facts: dict[str, Any]
    recommendations: list[Recommendation]
    cautions: list[str]
'''

COMMON_TYPES = {
    "n_jobs": "int | None",
    "verbose": "bool | int",
    "callback": "Callable[[int, float | None, NDArray[np.float64] | None], object] | None",
    "memory_limit": "int | str | None",
}


def of_kind(kind):
    """The type of a parameter."""
    match kind["type"]:
        case "boolean":
            return "bool"
        case "text":
            return "str"
        case "whole":
            return "int"
        case "number":
            return "float"
        case "optional":
            return f"{of_kind(kind['of'])} | None"
        case "list":
            return f"Sequence[{of_kind(kind['of'])}]"
    words = [f'"{option["word"]}"' for option in kind["alternatives"] if option["type"] == "word"]
    types = {"whole": "int", "number": "float", "numbers": "Sequence[float]"}
    others = [types[option["type"]] for option in kind["alternatives"] if option["type"] != "word"]
    return " | ".join([*dict.fromkeys(others), *([f"Literal[{', '.join(words)}]"] if words else [])])


def parameter_types(made):
    """Types of the parameters of a class by name: the engine's, and values that are called otherwise there."""
    described, types = made._class, dict(COMMON_TYPES)
    for parameter in described["parameters"]:
        kind = "int | np.random.RandomState | np.random.Generator | None" if parameter["ours"] == "seed" else of_kind(parameter["kind"])
        theirs = [theirs for name, theirs, _ in described["values"] if name == parameter["name"] and kind != "bool"]
        if parameter["default"] is None and "None" not in kind:
            theirs.append(None)
        if parameter["name"] in ("metric", "distance", "kernel"):
            theirs.append("precomputed")
        if parameter["name"] == "estimator":
            kind = "Any"
        takes = made._entry["takes"]
        if parameter["name"] == "kernel" and "kernel" in takes or parameter["name"] in ("metric", "distance") and "distances" in takes:
            kind += " | Callable[[NDArray[np.float64], NDArray[np.float64]], float]"
        words = ", ".join(repr(value).replace("'", '"') for value in dict.fromkeys(theirs) if value is not None)
        kind += f" | Literal[{words}]" if words else ""
        kind += " | None" if None in theirs and "None" not in kind else ""
        types[parameter["name"]] = kind
    if described["variants"]:
        words = ", ".join(f'"{word}"' for word in described["variants"]["methods"])
        types[described["variants"]["name"]] = f"Literal[{words}]"
    return types


def of_class(name, made):
    """The stub of a class, or that it is another one's second name."""
    if made.__name__ != name:
        return f"{name} = {made.__name__}\n"
    types = parameter_types(made)
    lines = [f"class {name}({', '.join(base.__name__ for base in made.__bases__)}):", "    def __init__(", "        self,"]
    named = False
    for parameter in list(inspect.signature(made.__init__).parameters.values())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not named:
            lines.append("        *,")
            named = True
        lines.append(f"        {parameter.name}: {types.get(parameter.name, 'Any')} = {shown(parameter.default)},")
    return "\n".join([*lines, "    ) -> None: ...", ""])


def shown(value):
    """A default as code."""
    return repr(value).replace("'", '"') if isinstance(value, (str, bool, int, float, type(None))) else "..."


RESULTS = {
    "fit": "Self",
    "fit_transform": "Any",
    "transform": "Any",
    "inverse_transform": "NDArray[Any]",
    "row_errors": "NDArray[np.float64]",
    "continue_fit": "Self",
    "partial_fit": "Self",
    "predict": "NDArray[Any]",
    "predict_proba": "NDArray[Any]",
    "predict_log_proba": "NDArray[Any]",
    "decision_function": "NDArray[Any]",
    "score": "float",
    "get_params": "dict[str, Any]",
    "set_params": "Self",
    "set_output": "Self",
    "get_feature_names_out": "NDArray[Any]",
    "plan": "dict[str, Any]",
    "quality": "QualityReport",
    "steps": "Steps",
    "sample": "NDArray[Any]",
    "save": "None",
    "get_support": "NDArray[Any]",
    "trustworthiness": "float",
    "continuity": "float",
    "quality_report": "QualityReport",
    "advise": "Advice",
    "compare": "Comparison",
    "dimension": "Dimension",
    "explain": "Explanation",
    "explain_table": "ExplanationTable",
    "fit_predict": "NDArray[np.int64]",
    "image_grid": "Plot",
    "neighbor_graph": "tuple[NDArray[np.int64], NDArray[np.float64]]",
    "plot": "Any",
    "plot_biplot": "Plot",
    "plot_components": "Plot",
    "plot_images": "Plot",
    "plot_input": "Plot",
    "plot_loadings": "Plot",
    "plot_model": "Plot",
    "plot_pairs": "Plot",
    "plot_scree": "Plot",
    "scree": "Scree",
    "shortest_path": "ShortestPath",
    "intrinsic_dimension": "dict[str, float]",
    "nearest_neighbors": "tuple[NDArray[np.int64], NDArray[Any]]",
    "locally_linear_embedding": "tuple[NDArray[Any], float]",
    "load": "Estimator",
    "data_set": "tuple[NDArray[Any], NDArray[Any] | None]",
}
ARGUMENTS = {
    "X": "Any",
    "y": "Any",
    "path": "str | PathLike[str]",
    "name": "str",
    "n_jobs": "int | None",
    "metric": "str | Callable[[NDArray[np.float64], NDArray[np.float64]], float]",
    "random_state": "int | np.random.RandomState | np.random.Generator | None",
}


def of_function(name, function, indent=""):
    """The stub of a function."""
    arguments, named = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not named:
            arguments.append("*")
            named = True
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            arguments.append(f"{'**' if parameter.kind is parameter.VAR_KEYWORD else '*'}{parameter.name}: Any")
            continue
        kind = "" if parameter.name == "self" else f": {ARGUMENTS.get(parameter.name, 'Any')}"
        default = "" if parameter.default is parameter.empty else f" = {shown(parameter.default)}"
        arguments.append(f"{parameter.name}{kind}{default}")
    result = "tuple[NDArray[Any], NDArray[Any]]" if name in DATA_SETS else RESULTS.get(name, "Any")
    return f"{indent}def {name}({', '.join(arguments)}) -> {result}: ...\n"


def of_base(made):
    """The stub of a class that others are made of."""
    lines = [f"class {made.__name__}:\n"]
    if made is Estimator:
        lines += [f"    {name}: {COMMON_TYPES[name]}\n" for name in COMMON]
        lines += ["    n_features_in_: int\n", "    embedding_: NDArray[Any]\n", "    def __getattr__(self, name: str) -> Any: ...\n"]
    found = {name: getattr(value, "function", value) for name, value in vars(made).items() if not name.startswith("_")}
    own = {name: value for name, value in found.items() if inspect.isfunction(value)}
    lines += [of_function(name, function, "    ") for name, function in own.items()]
    return "".join(lines) if len(lines) > 1 else f"class {made.__name__}: ...\n"


def of_aligned(name):
    """The stub of a class of aligned maps."""
    made = getattr(charta, name)
    if name != "Aligned":
        return f"class {name}(Aligned):\n    def __init__(self, *args: Any, alignment_regularisation: float = 0.01, alignment_window_size: int = 3, **params: Any) -> None: ...\n"
    lines = [f"class {name}:\n", "    estimator: Any\n", "    embeddings_: list[NDArray[Any]]\n", "    mappers_: list[Any]\n"]
    lines += ["    dict_relations_: list[dict[int, int]]\n", "    n_models_: int\n"]
    own = {key: value for key, value in vars(made).items() if inspect.isfunction(value) and (not key.startswith("_") or key == "__init__")}
    return "".join(lines + [of_function(key, value, "    ") for key, value in own.items()])


def text():
    """The whole of the stubs."""
    bases = {base.__name__: base for made in CLASSES.values() for base in made.__mro__[1:-1]}
    parts = [HEAD, *(of_base(base) for _, base in sorted(bases.items()))]
    parts += [of_class(name, made) for name, made in sorted(CLASSES.items(), key=lambda item: (item[1].__name__, item[0] != item[1].__name__))]
    parts += [of_aligned(name) for name in charta.__all__ if name.startswith("Aligned")]
    functions = [name for name in charta.__all__ if inspect.isfunction(getattr(charta, name))]
    parts += [of_function(name, getattr(charta, name)) for name in functions]
    return "\n".join(parts)


if __name__ == "__main__":
    STUBS.write_text(text())
    print(f"wrote {STUBS}")

"""How many components and dimensions data has: all rules and estimators side by side, with one answer and its reasons."""

import json

import numpy as np

from . import _charta
from ._engine import plain_session
from ._functions import _given, _options
from ._input import random_seed
from ._plot import made, number, page


def _table(rows):
    """Lines of text in columns: the first to the left, others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    line = lambda row: "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip()
    return "\n".join(line(row) for row in rows)


class Scree:
    """The variances of all principal components, and the number of components by all rules.

    Attributes
    ----------
    variances, proportions, total_variance : the variance of each component, its proportion of the whole, and the whole.
    rules : the number of components by each rule; None where a rule does not apply, which `problems` explains.
    n_components, rule, reason : the number recommended, the rule that it follows, and why.
    agreement : the smallest and the largest number of the rules.
    parallel_analysis : how far the answer of parallel analysis is certain.
    """

    def __init__(self, found):
        self.variances = np.array(found["variances"])
        self.total_variance = found["total_variance"]
        self.proportions = self.variances / self.total_variance
        self.rules = {rule["rule"]: rule["n_components"] for rule in found["rules"]}
        self.problems = {rule["rule"]: rule["problem"] for rule in found["rules"] if rule["problem"] is not None}
        self.n_components, self.rule, self.reason = (found["recommendation"][name] for name in ("n_components", "rule", "reason"))
        self.agreement = None if found["agreement"] is None else tuple(found["agreement"])
        self.parallel_analysis = found["parallel_analysis"]
        self._n_shown = found["n_shown"]

    def plot(self, *, title="Variance of the components", size=None):
        """The scree graph with the proportion of the variance, the rules and the number recommended, as ``charta scree --plot`` draws it."""
        rules = [(rule, kept) for rule, kept in self.rules.items() if kept is not None]
        values = self.variances.tolist()
        return made(
            lambda format: _charta.scree_picture(
                values, self.total_variance, self.n_components, "recommended", rules, self._n_shown, page(title, "", size, format)
            )
        )

    def __repr__(self):
        so_far = np.concatenate([[0.0], np.cumsum(self.proportions)])
        rows = [["rule", "components", "proportion of variance"]]
        rows += [[rule, "–", ""] if kept is None else [rule, str(kept), f"{100 * so_far[min(kept, len(so_far) - 1)]:.1f} %"] for rule, kept in self.rules.items()]
        plural = "component" if self.n_components == 1 else "components"
        return f"{_table(rows)}\n\nRecommended: {self.n_components} {plural} (rule {self.rule}): {self.reason}."


def scree(X, *, standardize=False, repetitions=None, random_state=None, n_jobs=None):
    """Variances of all principal components, and how many to keep by all rules side by side, as ``charta scree`` of the command line.

    `standardize` divides the features by their standard deviations first; `repetitions` is the number of random data sets of parallel analysis.

    >>> import charta
    >>> X, _ = charta.iris()
    >>> found = charta.scree(X)
    >>> found.rules["proportion 0.9"], [round(float(part), 3) for part in found.proportions[:2]]
    (1, [0.925, 0.053])
    """
    _, given = _given(X, "euclidean")
    repetitions = None if repetitions is None else int(repetitions)
    return Scree(json.loads(_charta.scree(given, bool(standardize), repetitions, random_seed(random_state), plain_session(n_jobs))))


class Dimension:
    """The intrinsic dimension of data, with its reasons and the estimates behind it.

    Attributes
    ----------
    dimension, reasons : the dimension, and why.
    agreed, range : whether all estimates round to it, and the smallest and the largest of them.
    estimates : the dimension by each estimator; None where it does not apply, which `notes` explains.
    scales : the number of directions around samples by the size of the neighbourhood.
    n_linear, linear_share : principal components that hold more than 95 % of the variance, and the proportion that as many as the dimension hold.
    rules, n_components : the number of principal components by each rule, and the one recommended; empty and None for distances.
    of_rows : for estimators with a number for each sample, these numbers.
    """

    def __init__(self, found, of_rows):
        verdict = found["verdict"]
        self.dimension, self.reasons, self.agreed = verdict["dimension"], verdict["reasons"], verdict["agreed"]
        self.range = None if verdict["range"] is None else tuple(verdict["range"])
        self.n_linear, self.linear_share = verdict["n_linear"], verdict["linear_share"]
        self.scales, self.chosen_scale = verdict["scales"], verdict["chosen_scale"]
        self.estimates = {of["estimator"]: of["dimension"] for of in found["estimates"]}
        self.notes = {of["estimator"]: of["note"] for of in found["estimates"] if of["note"]}
        self.rules = {rule["rule"]: rule["n_components"] for rule in found["rules"]}
        self.n_components = None if found["recommendation"] is None else found["recommendation"]["n_components"]
        self.n_duplicates, self.of_rows = found["n_duplicates"], of_rows

    def plot(self, *, title=None, size=None):
        """The estimates as bars, as ``charta dimension --plot`` draws them."""
        known = {name: dimension for name, dimension in self.estimates.items() if dimension is not None}
        title = f"Intrinsic dimension: {self.dimension}" if title is None else title
        return made(
            lambda format: _charta.bars(list(known), list(known.values()), "dimension", None, page(title, "estimates of each estimator", size, format))
        )

    def __int__(self):
        return self.dimension

    def __repr__(self):
        reasons = "".join(f"  - {reason}\n" for reason in self.reasons)
        rows = [["estimator", "dimension"]]
        rows += [[name, "–" if dimension is None else number(dimension)] for name, dimension in self.estimates.items()]
        return f"Intrinsic dimension: {self.dimension}\n{reasons}\n{_table(rows)}"


def dimension(X, *, n_neighbors=(10, 20), local_neighbors=50, discard=0.1, metric="euclidean", p=2.0, random_state=None, n_jobs=None):
    """One intrinsic dimension of the data, its reasons, and the estimates behind it, as ``charta dimension`` of the command line.

    `n_neighbors` are the neighbourhoods of the estimators, `local_neighbors` those whose principal variances are counted; `discard` is the fraction of the largest
    ratios that TwoNN leaves out.

    >>> import charta
    >>> X, _ = charta.swiss_roll(1000)
    >>> charta.dimension(X).dimension
    2
    """
    _, given = _given(X, metric)
    first, last = (n_neighbors, n_neighbors) if np.ndim(n_neighbors) == 0 else n_neighbors
    if not 0 <= discard < 1:
        raise ValueError(f"`discard` must be at least 0 and below 1, got {discard!r}")
    seed = random_seed(random_state)
    around = (int(first), int(last), int(local_neighbors))
    found, of_rows = _charta.dimension(given, around, float(discard), _options(metric, p), seed, plain_session(n_jobs))
    return Dimension(json.loads(found), of_rows)

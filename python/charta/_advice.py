"""Which methods suit the data: recommendations of the engine as estimators."""

import json

from . import _charta
from ._engine import plain_session
from ._functions import _given
from ._input import labels as _labels


class Recommendation:
    """An estimator that suits the data: `estimator` with its parameters, `purpose`, `reasons`, and how to scale the features before (`scaling`)."""

    def __init__(self, found):
        self.purpose = found["purpose"]
        self.reasons = [reason["text"] for reason in found["reasons"]]
        self.scaling = None if found["scaling"] == "none" else found["scaling"]
        self.title = f"{found['title']}, for {found['purpose_title']}"
        self.estimator = _estimator(found["method"], found["parameters"])

    def __repr__(self):
        scaled = "" if self.scaling is None else f"   features scaled first: {self.scaling}\n"
        reasons = "".join(f"   - {reason}\n" for reason in self.reasons)
        return f"{self.title}\n{reasons}{scaled}   charta.{self.estimator!r}\n"


class Advice:
    """What was found of the data (`facts`), what to do with it (`recommendations`), and what to look out for (`cautions`)."""

    def __init__(self, found):
        self.facts = found["facts"]
        self.recommendations = [Recommendation(one) for one in found["recommendations"]]
        self.cautions = [caution["text"] for caution in found["cautions"]]

    def __repr__(self):
        text = "".join(f"{place}. {one!r}\n" for place, one in enumerate(self.recommendations, 1))
        text = text or "No method is recommended.\n\n"
        if self.cautions:
            text += "Look out\n" + "".join(f"   - {caution}\n" for caution in self.cautions)
        return text.rstrip()


def _estimator(method, parameters):
    """An estimator of a method of the engine, with its parameters under the names of the class."""
    from ._classes import CLASSES

    classes = CLASSES.of_method(method)
    fits = (made for made in classes if all(parameters.get(name) == value for name, value in made._class["fixed"].items()))
    made = next(fits, classes[0])
    names = {parameter["ours"]: parameter["name"] for parameter in made._class["parameters"]}
    return made(**{names[name]: value for name, value in parameters.items() if name in names})


def advise(X, y=None, *, metric="euclidean", images=False, n_jobs=None):
    """Recommend methods for the data: two or three estimators, with reasons and cautions.

    `y` holds classes or numbers. ``metric="precomputed"`` says that `X` holds distances, `images` that the samples are images.

    >>> import charta
    >>> X, _ = charta.swiss_roll(1000)
    >>> advice = charta.advise(X)
    >>> type(advice.recommendations[0].estimator).__name__
    'Isomap'
    """
    rows, given = _given(X, metric)
    if y is not None:
        given.update(_labels(y, rows.n_rows, "advise", numbers=False)[0])
    return Advice(json.loads(_charta.advise(given, bool(images), plain_session(n_jobs))))

"""Cross-validation of feature sets with a scikit-learn estimator and scorer."""

import threading

import numpy as np

from ._input import Table


class CrossValidator:
    """Fits an estimator to some columns of each split, and scores it on the rows held out."""

    def __init__(self, selector, rows, y, params):
        from sklearn.base import clone, is_classifier
        from sklearn.metrics import check_scoring
        from sklearn.model_selection import check_cv

        self.clone, self.estimator = clone, selector.estimator
        self.rows, self.y = _table(rows), None if y is None else np.asarray(y)
        self.takes_missing = selector._takes_missing()
        self.params = _routed(selector, params)
        self.scorer = check_scoring(selector.estimator, scoring=None if selector.scoring == "auto" else selector.scoring)
        splits = check_cv(selector.cv, self.y, classifier=is_classifier(selector.estimator))
        splits = splits.split(self.rows, self.y, **self.params["splitter"])
        self.splits = [(np.asarray(train).tolist(), np.asarray(test).tolist()) for train, test in splits]
        # Estimators need not be thread-safe.
        self.lock = threading.Lock()

    def score(self, columns, split):
        """Score of the columns on the held-out samples: higher is better."""
        with self.lock:
            train, test = self.splits[split]
            columns = sorted(columns)
            fitted = self.clone(self.estimator).fit(*self._part(train, columns), **self._of(train, "estimator"))
            return float(self.scorer(fitted, *self._part(test, columns), **self._of(test, "scorer")))

    def _part(self, rows, columns):
        part = self.rows[rows][:, columns]
        return (part,) if self.y is None else (part, self.y[rows])

    def _of(self, rows, whose):
        """Metadata of some rows."""
        per_row = self.rows.shape[0]
        return {name: np.asarray(value)[rows] if np.ndim(value) > 0 and len(value) == per_row else value for name, value in self.params[whose].items()}

    def complete(self, rows):
        """The rows as the engine takes them: missing values are its estimators' business, and their columns' means stand for them."""
        values = rows.values
        if not self.takes_missing or rows.is_sparse or not np.isnan(values).any():
            return rows
        missing = np.isnan(values)
        means = np.nan_to_num(np.sum(np.where(missing, 0, values), axis=0) / np.maximum(1, np.sum(~missing, axis=0)))
        return Table(np.where(missing, means, values).astype(values.dtype), values.shape, rows.names, rows.given)


def _table(rows):
    """Rows as an estimator of scikit-learn takes them."""
    if not rows.is_sparse:
        return np.asarray(rows.values)
    return rows.given.tocsr()


def _routed(selector, params):
    """What of the metadata the estimator, the scorer and the splits get."""
    nothing = {"estimator": {}, "scorer": {}, "splitter": {}}
    if not params:
        return nothing
    from sklearn import get_config

    if not get_config().get("enable_metadata_routing"):
        names = ", ".join(f"`{name}`" for name in params)
        raise ValueError(f"{names} of {type(selector).__name__}.fit needs metadata routing: call sklearn.set_config(enable_metadata_routing=True) first")
    from sklearn.utils.metadata_routing import process_routing

    routed = process_routing(selector, "fit", **params)
    return {"estimator": routed.estimator.fit, "scorer": routed.scorer.score, "splitter": routed.splitter.split}


def router(selector):
    """Whom the metadata of a fit is for, as scikit-learn keeps it."""
    from sklearn.base import is_classifier
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import check_cv
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    found = MetadataRouter(owner=type(selector).__name__)
    found.add(estimator=selector.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
    scorer = check_scoring(selector.estimator, scoring=None if selector.scoring == "auto" else selector.scoring)
    found.add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
    splitter = check_cv(selector.cv, classifier=is_classifier(selector.estimator))
    return found.add(splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split"))

"""Cross-validation of feature sets with a scikit-learn estimator and scorer."""

import threading

import numpy as np


class CrossValidator:
    """Fits an estimator to some columns of each split, and scores it on the rows held out."""

    def __init__(self, selector, rows, y):
        from sklearn.base import clone, is_classifier
        from sklearn.metrics import check_scoring
        from sklearn.model_selection import check_cv

        if rows.is_sparse:
            raise ValueError("feature selection with an estimator needs dense features, got sparse rows")
        self.clone, self.estimator = clone, selector.estimator
        self.rows, self.y = np.asarray(rows.values), np.asarray(y)
        self.scorer = check_scoring(selector.estimator, scoring=None if selector.scoring == "auto" else selector.scoring)
        splits = check_cv(selector.cv, self.y, classifier=is_classifier(selector.estimator)).split(self.rows, self.y)
        self.splits = [(train.tolist(), test.tolist()) for train, test in splits]
        # Estimators need not be thread-safe.
        self.lock = threading.Lock()

    def score(self, columns, split):
        """Score of the columns on the held-out samples: higher is better."""
        with self.lock:
            train, test = self.splits[split]
            columns = sorted(columns)
            fitted = self.clone(self.estimator).fit(self.rows[np.ix_(train, columns)], self.y[train])
            return float(self.scorer(fitted, self.rows[np.ix_(test, columns)], self.y[test]))

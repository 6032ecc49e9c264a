"""What only t-SNE has: scikit-learn's rules for its parameters, and its scale of the learning rate."""

import numbers

import numpy as np

from .._output import wrapped
from .metric_params import MetricParams

#: scikit-learn's gradient has the factor 4 of the paper, which the engine's leaves out.
_FACTOR = 4.0


class Tsne(MetricParams):
    """t-SNE with the conventions of scikit-learn."""

    def _settings(self, rows, labelled):
        perplexities = [self.perplexity, *(self.perplexities or ())][1 if self.perplexities else 0 :]
        if self.affinity == "perplexity" and any(isinstance(value, numbers.Real) and value >= rows.n_rows for value in perplexities):
            raise ValueError(f"perplexity ({max(perplexities)}) must be less than n_samples ({rows.n_rows})")
        return super()._settings(rows, labelled)

    def _value(self, parameter, given, rows, labelled):
        if parameter["name"] == "learning_rate" and isinstance(given, numbers.Real) and not isinstance(given, bool):
            given = _FACTOR * given
        return super()._value(parameter, given, rows, labelled)

    def _rows(self, rows, new):
        if rows.is_sparse and self.metric == "precomputed" and self.method == "exact":
            raise TypeError("TSNE with method='exact' needs all distances, got sparse ones: use method='barnes_hut', or give a dense matrix")
        if rows.is_sparse and self.metric == "precomputed" and not new and isinstance(self.perplexity, numbers.Real):
            fewest = int(np.diff(rows.values[0].astype(np.int64)).min(initial=0))
            needed = min(rows.n_rows - 1, int(3 * self.perplexity))
            if fewest < needed:
                raise ValueError(f"{needed} neighbors per sample are needed for a perplexity of {self.perplexity}, but some samples have distances to only {fewest}")
        return super()._rows(rows, new)

    def _fit_to(self, given, rows, labelled):
        if self.verbose is True or not self.verbose or self.verbose < 2:
            return super()._fit_to(given, rows, labelled)
        # The iterations one by one, on standard output as scikit-learn writes them.
        own = self.callback

        def told(step, loss, layout):
            if loss is not None:
                print(f"[t-SNE] Iteration {step}: error = {loss:.7f}")
            return own is not None and own(step, loss, layout)

        self.callback = told
        try:
            super()._fit_to(given, rows, labelled)
        finally:
            self.callback = own
        print(f"[t-SNE] Iteration {self.n_iter_}: error = {self.kl_divergence_:.7f}, after the last step")

    def fit_transform(self, X, y=None):
        """Fits the model to `X` and returns the embedding, in single precision, in which it is optimized."""
        rows = self._fit(X, y)
        # Not the array that is kept: the caller may change his own.
        return wrapped(self, self._embedding().copy(), rows.given)

    def transform(self, X):
        """Embeds the samples of `X`, new ones (out-of-sample) or those of the fit."""
        placed = super().transform(X)
        return placed.astype(np.float32) if isinstance(placed, np.ndarray) else placed

    def _embedding(self):
        embedding = super()._embedding()
        if embedding.dtype != np.float32:
            self._kept.values["embedding"] = embedding = embedding.astype(np.float32)
        return embedding

    @property
    def learning_rate_(self):
        """The learning rate of the early exaggeration, on scikit-learn's scale."""
        if "_model" not in self.__dict__:
            raise AttributeError("learning_rate_")
        if isinstance(self.learning_rate, numbers.Real):
            return self.learning_rate
        return len(self._embedding()) / self.early_exaggeration / _FACTOR

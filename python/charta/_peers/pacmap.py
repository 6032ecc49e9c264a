"""What only PaCMAP has: the arguments of pacmap's calls."""

import numbers


class Pacmap:
    """PaCMAP with the conventions of pacmap."""

    def fit(self, X, y=None, init=None, save_pairs=True):
        """Fits the model to `X`. `init` takes the place of the parameter for this fit: `pca`, `random`, or an array of coordinates. `y` and `save_pairs` have
        no effect. Returns self."""
        with _Starting(self, init):
            return super().fit(X, y)

    def fit_transform(self, X, y=None, init=None, save_pairs=True):
        """Fits the model to `X` as `fit` does, and returns the embedding."""
        with _Starting(self, init):
            return super().fit_transform(X, y)

    def transform(self, X, basis=None, init=None, save_pairs=True):
        """Embeds the samples of `X`, new ones (out-of-sample) or those of the fit. `basis`, the samples of the fit, is not needed; `init` and `save_pairs`
        have no effect."""
        return super().transform(X)

    def _instead(self):
        return super()._instead() | ({"first_phase", "second_phase", "third_phase"} if self.num_iters is not None else set())

    def _settings(self, rows, labelled):
        import json

        method, settings = super()._settings(rows, labelled)
        if self.num_iters is None:
            return method, settings
        phases = (100, 100, self.num_iters) if isinstance(self.num_iters, numbers.Integral) else tuple(self.num_iters)
        if len(phases) != 3:
            raise ValueError(f"`num_iters` must be a number of iterations or those of the three phases, got {self.num_iters!r}")
        # Checked by the engine like the parameters whose place they take.
        named = zip(("first_phase", "second_phase", "third_phase"), phases)
        return method, json.dumps({**json.loads(settings), **{name: int(count) for name, count in named}})


class _Starting:
    """An estimator with another initialization for one fit."""

    def __init__(self, estimator, init):
        self.estimator, self.given, self.own = estimator, init, estimator.init

    def __enter__(self):
        if self.given is not None:
            self.estimator.init = self.given

    def __exit__(self, *error):
        self.estimator.init = self.own

"""What NMF has besides the engine's method: initial factors of the caller's, and the factorization as a function."""

import warnings

import numpy as np

from .._errors import warn_caller
from .._input import table


class Factorization:
    """Initial factors `W` and `H`, and the number of components that follows from them or from the features."""

    def fit(self, X, y=None, W=None, H=None):
        """Fits the model to `X`, with `init='custom'` from the weights `W` and the components `H`. Returns self."""
        self._fit(X, y, **self._factors(W, H))
        return self

    def fit_transform(self, X, y=None, W=None, H=None):
        """Fits the model to `X` as `fit` does, and returns the weights of the samples."""
        return self._embedding_of(self._fit(X, y, **self._factors(W, H)))

    def _factors(self, W, H):
        """What the engine is given besides `X`."""
        if not isinstance(self.init, str) or self.init != "custom":
            if W is not None or H is not None:
                warn_caller("`W` and `H` are not used: they are with `init='custom'`", RuntimeWarning)
            return {}
        if W is None and H is None:
            raise ValueError("`init='custom'` needs initial factors: give `W`, `H` or both to the fit")
        factors = {"initial_embedding": W, "initial_components": H}
        return {name: _factor(given) for name, given in factors.items() if given is not None}

    def _fit(self, X, y, **beside):
        counts = [beside[name].shape[axis] for name, axis in (("initial_components", 0), ("initial_embedding", 1)) if name in beside]
        self._n_components = counts[0] if counts else None
        return super()._fit(X, y, **beside)

    def _fit_weights(self, X, H):
        """Fits weights alone, for components that stay as they are."""
        self._components_stay = True
        try:
            self._fit(X, None, initial_components=_factor(H))
        finally:
            del self._components_stay

    def _value(self, parameter, given, rows, labelled):
        if parameter["ours"] == "n_components" and (given is None or isinstance(given, str) and given == "auto"):
            known = self.__dict__.get("_n_components")
            return rows.n_columns if known is None else known
        if parameter["ours"] == "max_iterations":
            if self.__dict__.get("_components_stay"):
                return 0
            if isinstance(given, (int, np.integer)) and given < 1:
                raise ValueError(f"`{parameter['name']}` must be at least 1, got {given}")
        return super()._value(parameter, given, rows, labelled)


def _factor(given):
    """A factor as the engine takes it."""
    factor = table(given, "NMF")
    if factor.is_sparse:
        raise ValueError("initial factors must be dense, got a sparse one")
    return np.ascontiguousarray(factor.values, dtype=np.float64)


def non_negative_factorization(
    X,
    W=None,
    H=None,
    n_components="auto",
    *,
    init=None,
    update_H=True,
    solver="cd",
    beta_loss="frobenius",
    tol=1e-4,
    max_iter=200,
    alpha_W=0.0,
    alpha_H="same",
    l1_ratio=0.0,
    random_state=None,
    verbose=0,
    shuffle=False,
):
    """Weights and components whose product is about `X`, and the number of iterations: (W, H, n_iter).

    Parameters are those of :class:`charta.NMF`. With `update_H=False` the components `H` stay as they are, and only weights are found.
    """
    from .._classes import CLASSES

    model = CLASSES["NMF"](
        n_components=n_components,
        init=init,
        solver=solver,
        beta_loss=beta_loss,
        tol=tol,
        max_iter=max_iter,
        alpha_W=alpha_W,
        alpha_H=alpha_H,
        l1_ratio=l1_ratio,
        random_state=random_state,
        verbose=verbose,
        shuffle=shuffle,
    )
    if update_H:
        weights = model.fit_transform(X, W=W, H=H)
    else:
        if H is None:
            raise ValueError("`update_H=False` needs the components: give `H`")
        if W is not None:
            warnings.warn("`W` is not used: with `update_H=False` the weights are the best for `H`", RuntimeWarning, stacklevel=2)
        model._fit_weights(X, H)
        weights = model.embedding_.copy()
    return weights, model.components_, model.n_iter_

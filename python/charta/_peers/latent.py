"""What the classes of latent variables have besides the engine's methods."""

import numpy as np

from .._errors import warn_caller
from .._input import table


class OfAllSamples:
    """The log-likelihood in the course of the iterations, of all samples together."""

    def _attribute(self, name):
        value = super()._attribute(name)
        return value * self._model.figure("n_rows") if name == "loglike" and value is not None else value


class AllSources:
    """An initial unmixing matrix, and as many sources as features where these are not whitened."""

    def _input(self, rows, new=False):
        given = super()._input(rows, new)
        if self.w_init is not None and not new:
            given["initial_components"] = np.asarray(table(self.w_init, "`w_init`").values, dtype=np.float64)
        return given

    def _value(self, parameter, given, rows, labelled):
        unwhitened = isinstance(self.whiten, (bool, np.bool_)) and not self.whiten
        if parameter["ours"] == "n_components" and unwhitened and given is not None:
            warn_caller("`n_components` is not used: without whitening there are as many sources as features", UserWarning)
            return rows.n_columns
        return super()._value(parameter, given, rows, labelled)

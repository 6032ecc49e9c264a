"""What kernel PCA has in scikit-learn besides parameters and figures."""

import functools

import numpy as np

from .._errors import ChartaWarning, not_fitted, warn_caller
from .._functions_of_pairs import Matrix
from .kernels import KERNELS, kernel

#: The kernels that scikit-learn names here.
THEIRS = ("linear", "poly", "rbf", "sigmoid", "cosine")
#: Negative eigenvalues, as a fraction of all, above which a kernel is not positive semidefinite: in double and in single precision.
SIGNIFICANT = (1e-5, 5e-3)


class KernelPCA:
    """Kernel PCA: kernels by scikit-learn's names and with parameters, and its fitted attributes."""

    def _function(self):
        if callable(self.kernel):
            return functools.partial(self.kernel, **self.kernel_params) if self.kernel_params else self.kernel
        if self._is_theirs_alone():
            parameters = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            return Matrix(self.kernel, lambda one, other: kernel(self.kernel, one, other, **parameters))
        return None

    def _is_theirs_alone(self):
        """True for a kernel that the engine does not have."""
        kind = next(parameter["kind"] for parameter in self._parameters if parameter["name"] == "kernel")
        words = [word for name, word, _ in self._class["values"] if name == "kernel"]
        return self.kernel in THEIRS and self.kernel not in words and not any(alternative.get("word") == self.kernel for alternative in kind["alternatives"])

    def _instead(self):
        return super()._instead() | ({"kernel"} if isinstance(self.kernel, str) and self._is_theirs_alone() else set())

    def _value(self, parameter, given, rows, labelled):
        if parameter["name"] == "n_components" and "_kept_components" in self.__dict__:
            return self._kept_components
        if parameter["name"] == "n_components" and isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= rows.n_rows > 1:
            warn_caller(f"`n_components` is {rows.n_rows - 1} in place of {given}: {rows.n_rows} samples have no more components", ChartaWarning)
            given = rows.n_rows - 1
        return super()._value(parameter, given, rows, labelled)

    def _input(self, rows, new=False):
        given = super()._input(rows, new)
        if given["kind"] != "kernel":
            return given
        matrix = given["table"]
        if matrix.shape[0] == matrix.shape[1] and not np.allclose(matrix, matrix.T, rtol=1e-5, atol=1e-5 * np.abs(matrix).max(initial=0)):
            warn_caller("the kernel matrix is not symmetric: the mean of both directions is used", UserWarning)
            given["table"] = (matrix + matrix.T) / 2
        return given

    def _fit_to(self, given, rows, labelled):
        self.__dict__.pop("_kept_components", None)
        super()._fit_to(given, rows, labelled)
        rank, negative = self._model.figure("rank"), self._model.figure("negative_fraction")
        is_count = isinstance(self.n_components, (int, np.integer))
        if is_count and rank is not None and rank < self._model.n_components:
            if negative is not None and negative > SIGNIFICANT[rows.single]:
                raise ValueError(
                    f"the kernel is not positive semidefinite: it has significant negative eigenvalues, and only {rank} of the {self.n_components} "
                    f"components belong to positive ones; set `n_components` to at most {rank}, or choose another kernel"
                )
            if self.remove_zero_eig:
                self._kept_components = int(rank)
                try:
                    super()._fit_to(given, rows, labelled)
                finally:
                    del self._kept_components
        self._samples = rows.values if given["kind"] == "features" else None

    def inverse_transform(self, X):
        """Reconstructs features from the coordinates `X`: pre-images. `fit_inverse_transform` must not be False."""
        if self.fit_inverse_transform is False and "_model" in self.__dict__:
            raise not_fitted(self, "`fit_inverse_transform` is False: set it to True or 'auto', and fit again")
        return super().inverse_transform(X)

    def _attribute(self, name):
        if name == "gamma":
            found = super()._attribute(name)
            return (1 / self.n_features_in_ if self.gamma is None else self.gamma) if found is None else found
        if name == "eigenvectors":
            lengths = np.sqrt(np.asarray(self.eigenvalues_))
            return self._embedding() / np.where(lengths > 0, lengths, 1)
        if name in ("X_fit", "X_transformed_fit", "dual_coef"):
            return self._of_samples(name)
        return super()._attribute(name)

    def _of_samples(self, name):
        samples = self.__dict__.get("_samples")
        if samples is None:
            return None
        if name == "X_fit":
            return samples
        if self.fit_inverse_transform is False:
            return None
        placed = self._embedding()
        if name == "X_transformed_fit":
            return placed
        if isinstance(samples, tuple) or self.kernel not in KERNELS:
            return None
        # The ridge regression of the samples on the kernel of their coordinates.
        between = kernel(self.kernel, placed, placed, gamma=self.gamma_, degree=self.degree, coef0=self.coef0)
        between[np.diag_indices_from(between)] += self.alpha
        return np.linalg.solve(between, samples)

    def _attributes(self):
        return sorted({*super()._attributes(), "gamma_", "eigenvectors_"})

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("_samples", None)
        return state

"""What classes of neighbour graphs have in scikit-learn besides parameters and figures."""

import numpy as np

from .._estimator import LEFT
from .measured import Measured, NeighborGraphs, quiet_steps, searched


class Isomap(NeighborGraphs):
    """Isomap: neighbours by number or by radius, geodesic distances, and the kernel PCA that it is."""

    def _value(self, parameter, given, rows, labelled):
        if parameter["name"] == "n_neighbors":
            if given is None and self.radius is None:
                raise ValueError("one of `n_neighbors` and `radius` must be given, got None for both")
            if given is not None and self.radius is not None and given != self._defaults["n_neighbors"]:
                raise ValueError(f"`n_neighbors` and `radius` cannot both be given, got {given!r} and {self.radius!r}: set one of them to None")
            if self.radius is not None:
                return LEFT
        return super()._value(parameter, given, rows, labelled)

    def _restored(self):
        super()._restored()
        if self.radius is not None:
            self.n_neighbors = None

    def reconstruction_error(self):
        """The reconstruction error of the embedding: the Frobenius norm of what the centred inner products of the map miss, divided by the number of samples."""
        self._check_fitted()
        return float(self.reconstruction_error_)

    def _attribute(self, name):
        if name == "dist_matrix":
            distances = quiet_steps(self, self._graph_input(None))["D"]
            return distances.astype(np.float32) if self._model.single else distances
        if name == "kernel_pca":
            from .._classes import CLASSES

            kernel = quiet_steps(self, self._graph_input(None))["B"]
            return CLASSES["KernelPCA"](self.n_components, kernel="precomputed").fit(kernel)
        if name == "nbrs":
            return searched(self, samples_of(self._graph_input(None)))
        return super()._attribute(name)

    def _attributes(self):
        return sorted({*super()._attributes(), "dist_matrix_"})


class LocallyLinearEmbedding(Measured):
    """Locally linear embedding: the search for neighbours as scikit-learn has it."""

    def _attribute(self, name):
        if name == "nbrs":
            return searched(self, samples_of(self._graph_input(None)))
        return super()._attribute(name)


def samples_of(given):
    """The samples that the engine was given, as an array or a sparse matrix."""
    samples = given["table"]
    if not isinstance(samples, tuple):
        return samples
    from scipy import sparse

    starts, columns, values, n_columns = samples
    return sparse.csr_matrix((values, columns.astype(np.int32), starts.astype(np.int64)), shape=(len(starts) - 1, n_columns))

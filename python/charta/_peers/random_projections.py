"""What the classes of random projections have besides the engine's methods: their matrix, sparse for one of them, and sparse results."""

import numpy as np


class Projection:
    """The matrix of a random projection and its pseudo-inverse."""

    def inverse_transform(self, X):
        """Reconstructs features from the coordinates `X`: the shortest samples that have them."""
        # Coordinates of sparse samples may be sparse too.
        return super().inverse_transform(X.toarray() if hasattr(X, "toarray") else X)

    def _attribute(self, name):
        if name == "components":
            return self._matrix()
        if name == "inverse_components":
            if not self.compute_inverse_components:
                return None
            # What leads each coordinate back to features.
            inverse = self._model.inverse_transform(np.eye(self._model.n_components), self._model.single, _quiet())
            return inverse.T
        return super()._attribute(name)

    def _attributes(self):
        own = ["components_", *["inverse_components_"] * self.compute_inverse_components]
        return sorted({*super()._attributes(), *own})

    def _matrix(self):
        matrix = self._model.projection_matrix()
        if isinstance(matrix, np.ndarray):
            return matrix
        starts, columns, values = matrix
        shape = self._model.n_components, self._model.n_columns
        dtype = np.float32 if self._model.single else np.float64
        return _csr()((values.astype(dtype), columns, starts), shape=shape)


class SparseProjection(Projection):
    """A random projection whose results for sparse samples are sparse, unless dense ones are asked for."""

    def fit_transform(self, X, y=None):
        """Fits the model to `X` and returns the embedding: sparse if `X` is, unless `dense_output` is true."""
        return self._like(super().fit_transform(X, y), X)

    def transform(self, X):
        """Embeds the samples of `X`, new ones (out-of-sample) or those of the fit: sparse if `X` is, unless `dense_output` is true."""
        return self._like(super().transform(X), X)

    def _like(self, embedding, X):
        if self.dense_output or not hasattr(X, "tocsr") or not isinstance(embedding, np.ndarray):
            return embedding
        return _csr(X)(embedding)


def _csr(X=None):
    """The class of sparse rows: of the kind of `X`, or a matrix."""
    import scipy.sparse

    arrays = X is not None and isinstance(X, scipy.sparse.sparray)
    return scipy.sparse.csr_array if arrays else scipy.sparse.csr_matrix


def _quiet():
    """A session of the engine that nobody listens to."""
    from .._engine import plain_session

    return plain_session()

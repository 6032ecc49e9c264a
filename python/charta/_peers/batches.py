"""What incremental PCA has besides the engine's method."""


class Batches:
    """Batches that scikit-learn's users may call checked already."""

    def partial_fit(self, X, y=None, check_input=True):
        """Updates the model with further samples; it is then that of all samples so far. They are checked whatever `check_input` says. Returns self."""
        return super().partial_fit(X, y)

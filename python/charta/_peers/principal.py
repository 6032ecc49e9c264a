"""What PCA has besides the engine's method."""


class OfSolver:
    """As many components as the solver of that name gives where no number is given."""

    def _value(self, parameter, given, rows, labelled):
        value = super()._value(parameter, given, rows, labelled)
        if parameter["ours"] == "n_components" and given is None and self.svd_solver == "arpack":
            # ARPACK gives all but the last.
            return max(1, value - 1)
        return value

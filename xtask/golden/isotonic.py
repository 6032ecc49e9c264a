"""Reference numbers of isotonic regression: scikit-learn's, with weights and with ties.

Writes `isotonic.json`. Numbers are rounded before the reference sees them.
"""

import numpy as np
from sklearn.isotonic import IsotonicRegression, isotonic_regression

from support import command, versions, writing


def series(chance, count, slope):
    """Numbers that rise, more or less."""
    return (slope * np.arange(count) / count + chance.normal(size=count)).round(4)


def ordered_case(name, values, weights):
    """Values in their order."""
    return {"name": name, "values": values, "weights": weights, "fitted": isotonic_regression(values, sample_weight=weights)}


def tied_case(name, order, values, weights):
    """Values over an order with ties: `together`, equal places get equal values (the secondary way); `apart`, each may have its own (the primary)."""
    together = IsotonicRegression().fit(order, values, sample_weight=weights).predict(order)
    places = np.lexsort((values, order))
    apart = np.empty_like(values)
    apart[places] = isotonic_regression(values[places], sample_weight=weights[places])
    return {"name": name, "order": order, "values": values, "weights": weights, "together": together, "apart": apart}


def main():
    """Writes the file."""
    output = command.parse(__doc__).output
    chance = np.random.default_rng(0)
    ones = np.ones(30)
    weights = chance.uniform(0.1, 5.0, size=30).round(3)
    order = chance.integers(0, 8, size=40).astype(np.float64)
    tied = (0.3 * order + chance.normal(size=40)).round(4)
    document = {
        "reference": versions.reference("scikit-learn", "sklearn.isotonic.isotonic_regression, IsotonicRegression"),
        "ordered": [
            ordered_case("rising", np.arange(10.0), np.ones(10)),
            ordered_case("falling", -np.arange(10.0), np.ones(10)),
            ordered_case("falling, weighted", -np.arange(10.0), np.arange(1.0, 11.0)),
            ordered_case("one", np.array([2.5]), np.ones(1)),
            ordered_case("level", np.full(6, 3.25), np.ones(6)),
            ordered_case("noise", series(chance, 30, 0.0), ones),
            ordered_case("noise that rises", series(chance, 30, 4.0), ones),
            ordered_case("noise that rises, weighted", series(chance, 30, 4.0), weights),
        ],
        "tied": [
            tied_case("ties", order, tied, np.ones(40)),
            tied_case("ties, weighted", order, tied, chance.uniform(0.1, 5.0, size=40).round(3)),
            tied_case("all tied", np.zeros(6), np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.0]), np.ones(6)),
        ],
    }
    writing.write(output, "isotonic.json", document)


if __name__ == "__main__":
    main()

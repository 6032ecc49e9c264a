"""Reference numbers of partial least squares: scikit-learn's `PLSRegression` and `PLSCanonical`.

Writes `pls_<data set>.json`. Components are determined only up to a common sign of weights, loadings, rotations and scores; coefficients
and predictions are free of that.
"""

import warnings

import numpy as np
from sklearn.cross_decomposition import PLSCanonical, PLSRegression

from support import command, data, versions, writing

TOLERANCE, MAX_ITER = 1e-26, 100_000


def fit(model, rows, targets, chosen):
    """All that one fit reports; `x_scores` and `y_scores` are those of the fit, `transform` those of new rows."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(rows, targets)
    few, few_targets = rows[chosen], targets[chosen]
    x_transform, y_transform = model.transform(few, few_targets)
    return {
        "kind": type(model).__name__,
        "n_components": model.n_components,
        "scale": model.scale,
        "tol": TOLERANCE,
        "n_iter": model.n_iter_,
        "warnings": sorted({str(warning.message) for warning in said}),
        "x_weights": model.x_weights_,
        "y_weights": model.y_weights_,
        "x_loadings": model.x_loadings_,
        "y_loadings": model.y_loadings_,
        "x_rotations": model.x_rotations_,
        "y_rotations": model.y_rotations_,
        "x_scores": model._x_scores[chosen],
        "y_scores": model._y_scores[chosen],
        "x_transform": x_transform,
        "y_transform": y_transform,
        "coef": model.coef_,
        "intercept": model.intercept_,
        "predict": model.predict(few),
        "inverse_transform": model.inverse_transform(x_transform),
        "score": model.score(rows, targets),
    }


def case(name, rows, targets, plan, chosen):
    """The fits of one pair of tables; the plan names which kind with how many components."""
    settings = {"max_iter": MAX_ITER, "tol": TOLERANCE}
    models = [kind(count, scale=scale, **settings) for kind, count in plan for scale in (True, False)]
    return {
        "x": data.describe(f"{name}_x", rows, f"sklearn.datasets.load_{name}"),
        "y": data.describe(f"{name}_y", targets, f"sklearn.datasets.load_{name}"),
        "rows": chosen,
        "fits": [fit(model, rows, targets, chosen) for model in models],
    }


def document(cases):
    """The record of one file."""
    how = "sklearn.cross_decomposition.PLSRegression and PLSCanonical"
    return {"reference": versions.reference("scikit-learn", how), "cases": cases}


def one_hot(labels):
    """A column for each class, 1 where the row is of it."""
    return (labels[:, None] == np.unique(labels)).astype(np.float64)


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    exercise, body = data.labelled("linnerud")
    plan = [(PLSRegression, 1), (PLSRegression, 2), (PLSRegression, 3), (PLSCanonical, 2), (PLSCanonical, 3)]
    record = case("linnerud", exercise, body.astype(np.float64), plan, [0, 9, 19])
    writing.write(output, "pls_linnerud.json", document({"exercise_to_physiology": record}))
    rows, progress = data.labelled("diabetes")
    chosen = [0, 200, 441]
    plan = [(PLSRegression, 1), (PLSRegression, 3), (PLSRegression, 10), (PLSCanonical, 1)]
    cases = {"columns_to_progression": case("diabetes", rows, progress.astype(np.float64)[:, None], plan, chosen)}
    plan = [(PLSRegression, 3), (PLSCanonical, 3)]
    cases["columns_0_to_4_to_columns_5_to_9"] = case("diabetes", rows[:, :5], rows[:, 5:], plan, chosen)
    writing.write(output, "pls_diabetes.json", document(cases))
    for name, count, chosen in (("wine", 3, [0, 70, 177]), ("iris", 2, [0, 75, 149])):
        rows, labels = data.labelled(name)
        record = case(name, rows, one_hot(labels), [(PLSRegression, 1), (PLSRegression, count), (PLSCanonical, 2)], chosen)
        writing.write(output, f"pls_{name}.json", document({"columns_to_one_hot_classes": record}))


if __name__ == "__main__":
    main()

"""Several embeddings of the same samples: one table, one picture."""

import time

import numpy as np

from . import _charta
from ._explain import class_of
from ._functions import quality_report
from ._plot import are_classes, colors_of, made, page

#: Columns of the table.
FIGURES = ("seconds", "trustworthiness", "continuity", "nearest_accuracy")


class Comparison:
    """Embeddings of the same samples with their quality.

    Attributes
    ----------
    table : for each name, `seconds`, `trustworthiness`, `continuity`, `nearest_accuracy` (of k nearest neighbours; with labels) and `problem`: None where there is no figure.
    embeddings, estimators : the embedding of each name, and the fitted estimator if there is one.
    n_neighbors : the number of neighbours that the figures are for.
    """

    def __init__(self, table, embeddings, estimators, n_neighbors, labels):
        self.table, self.embeddings, self.estimators, self.n_neighbors = table, embeddings, estimators, n_neighbors
        self._labels = labels

    def plot(self, labels=None, *, glyphs=False, title="", label_title="", size=None):
        """All embeddings side by side with one legend, as ``charta compare --plot`` draws them. `labels` are the colours; those of the comparison by default.

        `glyphs` draws classes with names of one or two letters as these names.
        """
        labels = self._labels if labels is None else labels
        maps = {name: np.ascontiguousarray(found[:, :2], dtype=np.float64) for name, found in self.embeddings.items()}
        n_samples = len(next(iter(maps.values())))
        colors = None if labels is None else colors_of(labels, n_samples, label_title)
        panels = [(points, name, self._notes(name, points.shape[1])) for name, points in maps.items()]
        return made(lambda format: _charta.panels(panels, colors, bool(glyphs), page(title, f"{n_samples:,} samples", size, format)))

    def _notes(self, name, width):
        """What stands below a panel."""
        row = self.table[name]
        first = [f"{what} {row[what]:.3f}" for what in ("trustworthiness", "continuity") if row[what] is not None]
        second = [] if row["nearest_accuracy"] is None else [f"k-NN accuracy {row['nearest_accuracy']:.3f}"]
        second += [] if row["seconds"] is None else [_seconds(row["seconds"])]
        second += [] if width > 1 else ["one coordinate, spread by class"]
        return [" · ".join(line) for line in (first, second) if line]

    def to_pandas(self):
        """The table as a data frame of pandas: a row for each embedding."""
        import pandas

        return pandas.DataFrame.from_dict(self.table, orient="index")

    def __repr__(self):
        from ._analysis import _table

        with_classes = any(row["nearest_accuracy"] is not None for row in self.table.values())
        k = "" if self.n_neighbors is None else f" ({self.n_neighbors} neighbours)"
        heading = ["embedding", "time", f"trustworthiness{k}", "continuity", "k-NN accuracy"]
        rows = [heading[: 5 if with_classes else 4]]
        for name, row in self.table.items():
            figures = ["–" if row[what] is None else f"{row[what]:.4f}" for what in FIGURES[1:]]
            spent = "–" if row["seconds"] is None else _seconds(row["seconds"])
            rows.append([name, spent, *figures][: len(rows[0])])
        problems = [f"{name}: {row['problem']}" for name, row in self.table.items() if row["problem"]]
        return "\n".join([_table(rows), *problems])


def _seconds(value):
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def compare(X, maps, *, labels=None, n_neighbors=None, metric="euclidean", random_state=None, n_jobs=None):
    """Embed the same samples by several methods, or take embeddings made elsewhere, and judge them side by side, as ``charta compare`` of the command line.

    Parameters
    ----------
    X : the samples.
    maps : a list of methods, by the names of classes or of the command line's methods, or a dictionary of estimators and embeddings (arrays) by name. Estimators are
        fitted anew, and theirs that are fitted already to as many samples are taken as they are. Estimators of scikit-learn's kind are taken too.
    labels : a class for each sample: for the accuracy, the colours, and methods that need classes. Numbers are colours only.
    n_neighbors : neighbours of the measures; chosen by the number of samples if none is given.
    metric : the metric of the measures; "precomputed" if `X` holds distances.

    Methods that fail are in the table with the reason.

    >>> import charta
    >>> X, y = charta.iris()
    >>> found = charta.compare(X, ["pca", "isomap"], labels=y)
    >>> sorted(found.table), found.table["pca"]["trustworthiness"] > 0.97
    (['isomap', 'pca'], True)
    """
    if not isinstance(maps, dict):
        maps = [maps] if isinstance(maps, str) else list(maps)
        maps = {_name(one): one for one in maps}
    if not maps:
        raise ValueError("nothing to compare: name methods, or give estimators or embeddings by name")
    # Numbers are colours only.
    classes = labels if labels is not None and are_classes(colors_of(labels, len(labels), "")) else None
    table, embeddings, estimators, k = {}, {}, {}, None
    for name, given in maps.items():
        row = dict.fromkeys((*FIGURES, "problem"))
        table[name] = row
        try:
            found, fitted, row["seconds"] = _embedded(given, X, labels, metric, random_state, n_jobs)
        except ValueError as error:
            row["problem"] = str(error)
            continue
        embeddings[name] = found
        if fitted is not None:
            estimators[name] = fitted
        report = quality_report(X, found, labels=classes, n_neighbors=n_neighbors, metric=metric, random_state=random_state, n_jobs=n_jobs)
        for what in FIGURES[1:]:
            if what in report:
                row[what] = float(np.ravel(report[what])[0])
        k = int(np.ravel(report["n_neighbors"])[0]) if "n_neighbors" in report else k
    if not embeddings:
        raise ValueError(f"no embedding was made: {next(iter(table.values()))['problem']}")
    return Comparison(table, embeddings, estimators, k, labels)


def _name(given):
    """What an entry of a list is called."""
    return given if isinstance(given, str) else type(given).__name__


def _embedded(given, X, labels, metric, random_state, n_jobs):
    """The embedding, the fitted estimator if there is one, and the time of its fit if there was one."""
    if isinstance(given, (str, type)):
        made = class_of(given)
        given = made(random_state=random_state) if "random_state" in made._defaults else made()
        if "n_components" in given.get_params() and given.n_components is None:
            # Pictures show two.
            given.set_params(n_components=2)
        for name in ("metric", "distance"):
            if metric == "precomputed" and name in given.get_params():
                given.set_params(**{name: "precomputed"})
        given.n_jobs = n_jobs
    if not hasattr(given, "fit_transform"):
        points = np.asarray(given, dtype=np.float64)
        points = points[:, None] if points.ndim == 1 else points
        if points.ndim != 2 or len(points) != len(X):
            raise ValueError(f"an embedding of {len(X)} samples was expected, got an array of shape {points.shape}")
        return points, None, None
    if hasattr(given, "embedding_") and len(given.embedding_) == len(X):
        return np.asarray(given.embedding_), given, None
    if hasattr(given, "_entry"):
        fresh = type(given)(**given.get_params(deep=False))
        needs = given._entry["labels"] in ("required", "target")
    else:
        from sklearn.base import clone

        fresh, needs = clone(given), False
    begun = time.perf_counter()
    found = fresh.fit_transform(X, labels) if needs else fresh.fit_transform(X)
    spent = time.perf_counter() - begun
    return np.asarray(found[0] if isinstance(found, tuple) else found, dtype=np.float64), fresh, spent

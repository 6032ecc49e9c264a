"""Reference numbers of t-SNE on digits: openTSNE's affinities, the divergence its maps reach, and where it places rows held out.

Writes `tsne_digits.json`. Neighbours are exact, everything else is openTSNE's default. The divergence of a map is computed here from
all pairs, because openTSNE's own is that of its approximation.
"""

import numpy as np
from openTSNE import TSNE
from openTSNE.affinity import Multiscale, PerplexityBasedNN, Uniform
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier

from support import command, data, versions, writing

SEEDS = (0, 1, 2)
# Every so many rows, whose affinities are kept.
STRIDE = 97
# Every so many rows are held out.
HELD_OUT = 6


def divergence(affinities, points):
    """KL(P ‖ Q) of a map, over all pairs."""
    kernel = 1.0 / (1.0 + cdist(points, points, "sqeuclidean"))
    np.fill_diagonal(kernel, 0.0)
    entries = affinities.tocoo()
    q = kernel[entries.row, entries.col] / kernel.sum()
    return float((entries.data * np.log(entries.data / q)).sum())


def rows_of(affinities, rows):
    """Columns and values of some rows."""
    kept = []
    for row in rows:
        line = affinities[row].tocoo()
        order = np.argsort(line.col)
        kept.append({"row": int(row), "columns": line.col[order], "values": line.data[order]})
    return kept


def held_out(x, classes, seed):
    """Accuracy of the ten nearest in the map for rows that were placed into it."""
    new = np.arange(len(x)) % HELD_OUT == 0
    model = TSNE(neighbors="exact", random_state=seed, n_jobs=2).fit(x[~new])
    placed = model.transform(x[new])
    judge = KNeighborsClassifier(10).fit(np.asarray(model), classes[~new])
    return judge.score(np.asarray(placed), classes[new])


def document():
    """The record of digits."""
    x, classes = data.labelled("digits")
    rows = np.arange(0, len(x), STRIDE)
    how = {"method": "exact", "n_jobs": 2}
    affinities = PerplexityBasedNN(x, perplexity=30, **how)
    several = Multiscale(x, perplexities=[10, 50], **how)
    uniform = Uniform(x, k_neighbors=15, **how)
    maps = [TSNE(neighbors="exact", random_state=seed, n_jobs=2).fit(x) for seed in SEEDS]
    return {
        "reference": versions.reference("openTSNE", "PerplexityBasedNN, Multiscale, Uniform, TSNE with exact neighbours"),
        "data": data.describe("digits", x, "sklearn.datasets.load_digits"),
        "perplexity_30": rows_of(affinities.P, rows),
        "perplexities_10_50": rows_of(several.P, rows),
        "uniform_15": rows_of(uniform.P, rows),
        "kl_divergences": [divergence(affinities.P, np.asarray(found)) for found in maps],
        "held_out_every": HELD_OUT,
        "held_out_accuracies": [held_out(x, classes, seed) for seed in SEEDS],
    }


def main():
    """Writes all files of this topic."""
    writing.write(command.parse(__doc__).output, "tsne_digits.json", document())


if __name__ == "__main__":
    main()

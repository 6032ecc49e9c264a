"""Reference errors of self-organising maps: MiniSom's quantization and topographic error after the same grid, epochs and radii.

Writes `som_<data set>.json`: for every setting the errors of several seeds and their mean. MiniSom's sigma falls to a third of its first value.
"""

import warnings

import numpy as np
from minisom import MiniSom

from support import command, data, versions, writing

N_SEEDS = 10
# The grid, and how often all rows are gone through.
SETS = {"iris": (8, 8, 100), "digits": (15, 14, 20)}
# MiniSom's own default sigma, and that of its examples.
SIGMAS = (1.0, 1.5)


def trained(rows, setting, seed):
    """The errors of one map."""
    som = MiniSom(
        setting["width"], setting["height"], rows.shape[1], sigma=setting["sigma"], learning_rate=0.5, topology=setting["topology"], random_seed=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        som.pca_weights_init(rows)
        som.train_random(rows, setting["n_epochs"] * len(rows))
    weights = som.get_weights().reshape(-1, rows.shape[1])
    nearest = np.sqrt(np.square(rows[:, None, :] - weights[None]).sum(axis=2).min(axis=1)).mean() if len(rows) < 500 else None
    return som.quantization_error(rows), som.topographic_error(rows), nearest


def document(name):
    """The record of one data set."""
    rows = data.small(name)
    width, height, n_epochs = SETS[name]
    records = []
    for topology in ("rectangular", "hexagonal"):
        for sigma in SIGMAS:
            setting = {"topology": topology, "width": width, "height": height, "n_epochs": n_epochs, "sigma": sigma}
            found = [trained(rows, setting, seed) for seed in range(N_SEEDS)]
            quantization, topographic, written_out = (np.array(values, dtype=float) for values in zip(*found))
            record = {
                **setting,
                "quantization_error": quantization.mean(),
                "topographic_error": topographic.mean(),
                "quantization_errors": quantization,
                "topographic_errors": topographic,
            }
            if np.isfinite(written_out).all():
                record["checks"] = {"quantization_written_out": np.abs(written_out - quantization).max()}
            records.append(record)
    return {
        "reference": versions.reference("minisom", "MiniSom(…, learning_rate=0.5), pca_weights_init, train_random; the mean over seeds"),
        "data": data.describe(name, rows, f"sklearn.datasets.load_{name}"),
        "n_seeds": N_SEEDS,
        "settings": records,
    }


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name in SETS:
        writing.write(output, f"som_{name}.json", document(name))


if __name__ == "__main__":
    main()

"""Sequential feature selection beside scikit-learn and mlxtend, in turns.

Run by `cargo xtask bench selection`. Both sides get all cores, the same folds (5, in the rows' order, by class for classes) and the same estimator. Every run is
a process of its own that loads the same file; the whole selection is timed. The columns kept on both sides are compared: where values have few digits, neighbours
equally far may be taken differently, and the choices part.
Name parts to run only those: `python bench/selection.py … k_nearest linear`.
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn import datasets

from support import arguments, machine, results
from support.contest import Contender, in_turns

WORKER = Path(__file__).parent / "support" / "method_worker.py"
KEPT_FOLDS = {"shuffle": False, "validation": 5}


def sequential(estimator, count, rounds, direction="forward"):
    """scikit-learn's selection by one of its estimators."""
    module, name = estimator
    parameters = {
        "estimator": {"module": module, "name": name, "parameters": {}},
        "n_features_to_select": count,
        "direction": direction,
        "cv": 5,
        "n_jobs": -1,
    }
    setting = {"module": "sklearn.feature_selection", "name": "SequentialFeatureSelector", "parameters": parameters, "mode": "fit_then_transform", "figures": {}}
    return {"name": f"scikit-learn, {name}", "setting": setting, "rounds": rounds}


def floating(estimator, count, measure, rounds):
    """mlxtend's floating selection."""
    module, name = estimator
    parameters = {
        "estimator": {"module": module, "name": name, "parameters": {}},
        "k_features": count,
        "forward": True,
        "floating": True,
        "scoring": measure,
        "cv": 5,
        "n_jobs": -1,
    }
    setting = {"module": "mlxtend.feature_selection", "name": "SequentialFeatureSelector", "parameters": parameters, "mode": "fit_then_transform", "figures": {}}
    return {"name": f"mlxtend, {name}", "setting": setting, "rounds": rounds}


NEIGHBORS = ("sklearn.neighbors", "KNeighborsClassifier")
LINEAR = ("sklearn.linear_model", "LinearRegression")
DISCRIMINANT = ("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis")

# For every part: data, what is done, charta's parameters, peers.
CASES = {
    "k_nearest": {
        "data": "digits",
        "says": "forward, 64 to 20, 5 neighbours",
        "charta": {"scorer": "k_nearest", "n_components": 20},
        "peers": [sequential(NEIGHBORS, 20, 1)],
    },
    "k_nearest_backward": {
        "data": "digits",
        "says": "backward, 64 to 60, 5 neighbours",
        "charta": {"scorer": "k_nearest", "n_components": 60, "direction": "backward"},
        "peers": [sequential(NEIGHBORS, 60, 1, "backward")],
    },
    "linear": {
        "data": "wide",
        "says": "forward, 500 to 10, least squares",
        "charta": {"scorer": "linear", "n_components": 10},
        "peers": [sequential(LINEAR, 10, 1)],
    },
    "lda": {
        "data": "filled_digits",
        "says": "forward, to 10, discriminant analysis",
        "charta": {"scorer": "lda", "n_components": 10},
        "peers": [sequential(DISCRIMINANT, 10, 1)],
    },
    "floating": {
        "data": "breast_cancer",
        "says": "floating forward, 30 to 15, least squares, R²",
        "charta": {"scorer": "linear", "n_components": 15, "direction": "floating_forward"},
        "peers": [floating(LINEAR, 15, "r2", 1)],
    },
}


def wide():
    """2,000 rows of 500 columns of which 20 make the target, rounded to whole numbers so that both sides read the same."""
    generator = np.random.default_rng(7)
    rows = generator.standard_normal((2_000, 500))
    weights = np.zeros(500)
    weights[::25] = generator.uniform(0.5, 2.0, 20)
    target = rows @ weights + generator.standard_normal(2_000)
    return rows, np.round(1_000 * target)


def prepared(scratch):
    """The data as .npy files: rows and labels."""
    digits, cancer = datasets.load_digits(), datasets.load_breast_cancer()
    filled = (digits.data != 0).mean(axis=0) >= 0.1
    sets = {
        "digits": (digits.data, digits.target),
        "filled_digits": (digits.data[:, filled], digits.target),
        "breast_cancer": (cancer.data, cancer.target),
        "wide": wide(),
    }
    files = {}
    for name, (rows, labels) in sets.items():
        files[name] = scratch / f"selection_{name}.npy", scratch / f"selection_{name}_labels.npy"
        np.save(files[name][0], np.ascontiguousarray(rows, dtype=np.float64))
        np.save(files[name][1], labels.astype(np.int64).reshape(-1, 1))
    return files


def kept_columns(rows, selected):
    """Which columns of the rows these are, by their values."""
    places = {rows[:, column].tobytes(): column for column in reversed(range(rows.shape[1]))}
    return [places[np.ascontiguousarray(selected[:, column], dtype=np.float64).tobytes()] for column in range(selected.shape[1])]


def contest(case, program, files, folder):
    """charta and its peers in turns; charta's record first."""
    rows, labels = files
    parameters = json.dumps({**KEPT_FOLDS, **case["charta"]})
    contenders = [Contender("charta", [program, "sequential_selection", parameters, rows, 1, labels], 3, folder)]
    for peer in case["peers"]:
        contenders.append(Contender(peer["name"], [sys.executable, WORKER, json.dumps(peer["setting"]), rows, 1, labels], peer["rounds"], folder))
    in_turns(contenders)
    data = np.load(rows)
    return [contender.summary(lambda selected: kept_columns(data, selected)) for contender in contenders]


def lines(part, case, records, shape):
    """Lines of the table: how many times as fast charta is, best against best, and how many of its columns the peer kept as well."""
    ours = records[0]
    for record in records:
        if "failed" in record:
            yield [part, shape, case["says"], record["name"], "failed", "", "", "", record["failed"]]
            continue
        is_peer = record is not ours and "failed" not in ours
        times = f"{record['wall']['best'] / ours['wall']['best']:.0f}×" if is_peer else ""
        same = f"{len(set(record['quality']) & set(ours['quality']))} of {len(record['quality'])}" if is_peer else ""
        figures = [f"{record['wall']['best']:.3f}", f"{record['cpu']['best']:.3f}", f"{record['extra_mib']:.0f}"]
        yield [part, shape, case["says"], record["name"], *figures, times, same]


def main():
    """Measures and keeps."""
    given = arguments.with_parts(arguments.parser(__doc__, shared="not used: all data is scikit-learn's or generated"), CASES)
    described = machine.describe()
    files = prepared(given.scratch)
    kept, table = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for part in given.parts or CASES:
            print(f"{part} …", flush=True)
            case = CASES[part]
            kept[part] = contest(case, given.charta.resolve(), files[case["data"]], folder)
            n_rows, n_columns = np.load(files[case["data"]][0]).shape
            table += lines(part, case, kept[part], f"{case['data']}, {n_rows:,}×{n_columns} f64")
    header = ["part", "data", "", "", "wall s, best", "CPU s, best", "extra MiB", "charta is faster", "same columns"]
    note = f"scikit-learn {version('scikit-learn')}, mlxtend {version('mlxtend')}, all cores on both sides (`n_jobs=-1`), 5 folds in the rows' order."
    results.append(given.results, "selection", "sequential feature selection", {"machine": described, "records": kept}, results.markdown_table(header, table), note)


if __name__ == "__main__":
    main()

"""Self-organizing maps beside MiniSom, in turns: iris, digits and, where it is there, Fashion-MNIST.

Run by `cargo xtask bench som`. Both sides get all cores, the same grid and as many epochs. Every run is a process of its own that loads the same file.
charta's time is the whole fit with the places of all rows and the errors after every epoch; MiniSom's its start and its training alone. The radius
falls to a third of MiniSom's sigma on both sides, but on iris, where batch training ends a little lower and the smaller sigma is met online.
Name parts to run only those: `python bench/som.py … iris`.
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

WORKER = Path(__file__).parent / "support" / "som_worker.py"
TOPOLOGIES = ("rectangular", "hexagonal")
SEEDS = 3


def batch(end_radius):
    """charta's parameters of batch training."""
    return {"end_radius": end_radius}


# Online training as MiniSom's: radius and rate fall to a third.
ONLINE = {"learning": "online", "radius": 1.0, "end_radius": 0.32, "learning_rate": 0.5, "end_learning_rate": 1 / 6}

# For every part: the grid, epochs, MiniSom's sigma, charta's parameters.
CASES = {
    "iris": {"side": (8, 8), "n_epochs": 100, "settings": [(1.5, batch(0.43)), (1.0, ONLINE)], "trains": ["train_random", "train_batch"]},
    "digits": {"side": (15, 14), "n_epochs": 20, "settings": [(1.5, batch(0.5)), (1.0, batch(1 / 3))], "trains": ["train_random", "train_batch"]},
    "fashion_10k": {"side": (22, 22), "n_epochs": 3, "settings": [(1.5, batch(0.5))], "trains": ["train_random"]},
}


def prepared(name, shared, scratch):
    """The rows as a .npy file; None where they are absent."""
    path = scratch / f"som_{name}.npy"
    if name != "fashion_10k":
        np.save(path, getattr(datasets, f"load_{name}")().data.astype(np.float64))
        return path
    if shared is None or not (shared / "fashion_mnist.npz").exists():
        print("skipped: ../shared/data/fashion_mnist.npz is absent")
        return None
    np.save(path, np.load(shared / "fashion_mnist.npz")["X"][:10_000].astype(np.float32) / np.float32(255))
    return path


def contest(case, setting, program, path, folder):
    """charta and MiniSom with one topology and sigma, every seed once; records with means of errors."""
    topology, sigma, ours = setting
    width, height = case["side"]
    contenders = []
    for seed in range(SEEDS if case["side"] != (22, 22) else 1):
        parameters = {"width": width, "height": height, "grid": topology, "n_epochs": case["n_epochs"], "seed": seed, **ours}
        contenders.append(Contender("charta", [program, "som", json.dumps(parameters), path, 1], 1, folder))
        for train in case["trains"]:
            theirs = {"width": width, "height": height, "topology": topology, "sigma": sigma, "n_epochs": case["n_epochs"], "train": train, "seed": seed}
            contenders.append(Contender(f"MiniSom {train}", [sys.executable, WORKER, json.dumps(theirs), path, 1], 1, folder))
    in_turns(contenders)
    return [record(name, [c for c in contenders if c.name == name]) for name in dict.fromkeys(c.name for c in contenders)]


def record(name, contenders):
    """What is kept of one side."""
    failed = [contender.failure for contender in contenders if contender.record is None]
    if failed:
        return {"name": name, "failed": failed[0]}
    means = {key: float(np.mean([c.record["figures"][key] for c in contenders])) for key in ("quantization_error", "topographic_error")}
    return {
        "name": name,
        "wall": results.seconds([wall for c in contenders for wall in c.wall]),
        "cpu": results.seconds([cpu for c in contenders for cpu in c.cpu]),
        **means,
    }


def lines(part, case, setting, records):
    """Lines of the table; charta's wall time and quantization error as shares of MiniSom's."""
    ours = records[0]
    grid = f"{case['side'][0]}×{case['side'][1]} {setting[0]}, {case['n_epochs']} epochs"
    for one in records:
        if "failed" in one:
            yield [part, grid, setting[1], one["name"], "failed", one["failed"], "", "", "", ""]
            continue
        shares = ["", ""]
        if one is not ours and "failed" not in ours:
            shares = [f"{ours['wall']['best'] / one['wall']['best']:.3f}", f"{ours['quantization_error'] / one['quantization_error']:.3f}"]
        times = [f"{one['wall']['best']:.4f}", f"{one['cpu']['best']:.4f}"]
        yield [part, grid, setting[1], one["name"], *times, f"{one['quantization_error']:.4f}", f"{one['topographic_error']:.4f}", *shares]


def main():
    """Measures and keeps."""
    given = arguments.with_parts(arguments.parser(__doc__), CASES)
    described = machine.describe()
    kept, table = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for part in given.parts or CASES:
            path = prepared(part, given.shared_data, given.scratch)
            if path is None:
                continue
            print(f"{part} …", flush=True)
            case = CASES[part]
            for topology in TOPOLOGIES[: 1 if part == "fashion_10k" else 2]:
                for sigma, ours in case["settings"]:
                    setting = (topology, sigma, ours)
                    records = contest(case, setting, given.charta.resolve(), path, folder)
                    kept[f"{part}, {topology}, sigma {sigma}"] = records
                    table += lines(part, case, setting, records)
    header = ["data", "grid", "sigma", "", "wall s, best", "CPU s, best", "quantization error", "topographic error", "charta's wall / this", "charta's error / this"]
    note = (
        f"MiniSom {version('minisom')}, all cores on both sides, errors as means over seeds. charta's wall time is the whole fit, MiniSom's its start and training."
    )
    results.append(given.results, "som", "self-organizing maps", {"machine": described, "records": kept}, results.markdown_table(header, table), note)


if __name__ == "__main__":
    main()

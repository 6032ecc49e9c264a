"""The Python package beside the Rust call and beside scikit-learn: PCA of Fashion-MNIST, 70,000×784 in f32, 50 components; and the import.

Run by `cargo xtask bench python`. Every run is a process of its own that loads the same file, sides in turns; only the fit with the embedding is
timed. Memory is the high-water mark of a single fit less what was resident before it. The import is timed in fresh processes, numpy loaded
before.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from pca import N_COMPONENTS, WORKER, charta_command, prepared
from support import arguments, machine, results
from support.contest import record_of

ROUNDS, FITS, IMPORTS = 8, 4, 15
PACKAGE = Path(__file__).parent.parent / "python" / "charta"
IMPORTED = "import {before}, time; start = time.perf_counter(); import {what}; print(time.perf_counter() - start)"


def installed(library, scratch):
    """A folder that holds the package with its extension, as a wheel would."""
    folder = scratch / "python"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PACKAGE, folder / "charta", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(library, folder / "charta" / "_charta.abi3.so")
    return folder


def case(module, **parameters):
    """One estimator's PCA."""
    return {"module": module, "name": "PCA", "parameters": {"n_components": N_COMPONENTS, **parameters}, "mode": "fit_transform", "figures": {}}


def importing(what):
    """Seconds that an import takes after numpy's, the median of fresh processes."""
    program = IMPORTED.format(before="numpy", what=what)
    times = [float(subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True).stdout) for _ in range(IMPORTS)]
    return statistics.median(times)


def main():
    """Measures and keeps."""
    given = arguments.parser(__doc__, program="the built program bench_method, beside which the extension is").parse_args()
    if not arguments.has_fashion_mnist(given.shared_data):
        return
    described = machine.describe()
    library = given.charta.resolve().parent / "lib_charta.so"
    os.environ["PYTHONPATH"] = str(installed(library, given.scratch))
    path = prepared(given.shared_data, given.scratch)
    size = np.load(path, mmap_mode="r").nbytes / 2**20
    sides = {
        "Rust": lambda fits: charta_command(given.charta.resolve(), path, fits),
        "Python": lambda fits: [sys.executable, WORKER, json.dumps(case("charta")), path, fits],
        "scikit-learn covariance_eigh": lambda fits: [sys.executable, WORKER, json.dumps(case("sklearn.decomposition", svd_solver="covariance_eigh")), path, fits],
    }
    wall = {name: [] for name in sides}
    for turn in range(ROUNDS):
        for name, command in sides.items():
            wall[name] += record_of(command(FITS))["wall"][1:]
        print(f"  round {turn + 1}: " + ", ".join(f"{name} {min(times):.3f} s" for name, times in wall.items()), flush=True)
    records = []
    for name, command in sides.items():
        single = record_of(command(1))
        extra = (single["peak_rss"] - single["baseline_rss"]) / 2**20
        records.append({"name": name, "wall": results.seconds(wall[name]), "extra_mib": extra})
    imports = {name: importing(name) for name in ("charta", "sklearn.decomposition")}
    rust = records[0]["wall"]
    rows = [
        [of["name"], f"{of['wall']['best']:.3f}", f"{of['wall']['median']:.3f}", f"{of['wall']['best'] / rust['best']:.3f}", f"{of['wall']['median'] / rust['median']:.3f}", f"{of['extra_mib']:.0f}"]
        for of in records
    ]
    table = results.markdown_table(["", "wall s, best", "median", "best / Rust's", "median / Rust's", "extra MiB"], rows)
    notes = f"The data is {size:.0f} MiB. Importing after numpy: " + ", ".join(f"{name} {1000 * time:.1f} ms" for name, time in imports.items()) + f". scikit-learn {version('scikit-learn')}."
    title = f"Python: PCA({N_COMPONENTS}), Fashion-MNIST 70,000×784 f32"
    results.append(given.results, "python", title, {"machine": described, "records": records, "imports": imports}, table, notes)


if __name__ == "__main__":
    main()

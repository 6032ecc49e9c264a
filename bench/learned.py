"""Learned maps: the autoencoder beside PyTorch, in turns; its reconstruction beside PCA's; parametric UMAP beside UMAP.

Run by `cargo xtask bench learned`. PyTorch trains the same network on the same rows: 784-256-32-2 and back, batches of 256, single precision, Adam, as
many threads as charta has, in the best of its own ways on a CPU (rows gathered by index, gradients set to none, the fused Adam). What is compared is the
time of an epoch: both sides train twice, for few and for more epochs, and the difference is divided by the epochs between, so that neither the start of a
process nor the making of the model counts. Where PyTorch is not installed, that part says so and charta's times stand alone: it is not in requirements.txt,
because its wheels are several gigabytes. Name parts to run only those: `python bench/learned.py … epoch`.
"""

import importlib.util
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from support import arguments, machine, results
from support.contest import run

WORKER = Path(__file__).parent / "support" / "torch_worker.py"
HIDDEN = [256, 32]
BATCH = 256
# Epochs of the shorter and of the longer training.
EPOCHS = (2, 6)
ROUNDS = 3
ACTIVATIONS = ["gelu", "relu", "tanh"]


def autoencoder(**more):
    """charta's parameters of the network that both sides train."""
    return {"hidden": HIDDEN, "batch_size": BATCH, "learning_rate": 1e-3, "validation_share": 0.0, "schedule": "constant", **more}


def prepared(shared, scratch):
    """All images and the first 10,000, as .npy files in single precision; None where they are absent."""
    if not arguments.has_fashion_mnist(shared, "learned maps are measured on it"):
        return None
    images = np.load(shared / "fashion_mnist.npz")["X"]
    files = {}
    for name, n_rows in {"all": len(images), "some": 10_000, "few": 20_000}.items():
        files[name] = scratch / f"fashion_learned_{n_rows}.npy"
        if not files[name].exists():
            np.save(files[name], images[:n_rows].astype(np.float32) / 255.0)
    return files


def seconds(command):
    """Wall time of the training of one process; None if it failed."""
    record, failure = run(command)
    if record is None:
        print(f"    failed: {failure}")
        return None
    stages = dict(record.get("stages") or [])
    return stages.get("training", record["wall"][0])


def epoch_seconds(command_for):
    """The time of an epoch: the least over rounds of each length, and their difference."""
    least = []
    for n_epochs in EPOCHS:
        times = [seconds(command_for(n_epochs)) for _ in range(ROUNDS)]
        if None in times:
            return None
        least.append(min(times))
    return (least[1] - least[0]) / (EPOCHS[1] - EPOCHS[0])


def epochs(program, files, python):
    """Time of an epoch on both sides, for every function of the hidden units."""
    for activation in ACTIVATIONS:
        print(f"  {activation} …", flush=True)
        ours = epoch_seconds(
            lambda n: [program, "autoencoder", json.dumps(autoencoder(n_epochs=n, activation=activation)), files["few"], 1]
        )
        theirs = None
        if python is not None:
            theirs = epoch_seconds(
                lambda n: [python, WORKER, json.dumps({"hidden": HIDDEN, "batch": BATCH, "epochs": n, "activation": activation}), files["few"]]
            )
        yield {"activation": activation, "charta": ours, "torch": theirs}


def reconstruction(program, path):
    """What 784-256-32-2 loses of all images after 30 epochs, and what PCA with two components does."""
    rows = np.load(path).astype(np.float64)
    centred = rows - rows.mean(axis=0)
    values = np.linalg.eigvalsh(centred.T @ centred / len(rows))
    variance, pca = float(values.sum()), float(values[:-2].sum())
    parameters = autoencoder(n_epochs=30, schedule="cosine", validation_share=0.1)
    record, failure = run([program, "autoencoder", json.dumps(parameters), path, 1])
    if record is None:
        return {"failed": failure}
    figures = record["figures"]
    error = figures["reconstruction_error"]
    return {
        "variance": variance,
        "pca": pca,
        "charta": error,
        "of_pca": error / pca,
        "wall": record["wall"][0],
        "best_epoch": figures["best_epoch"],
        "validation_loss": figures["validation_loss"][int(figures["best_epoch"]) - 1],
    }


def umap(program, path):
    """UMAP by a layout and by a network: seconds of the fit and of placing the same rows again."""
    for name, parameters in [("layout", {}), ("parametric", {"parametric": True})]:
        print(f"  {name} …", flush=True)
        record, failure = run([program, "umap", json.dumps(parameters), path, 1, "--new", path])
        if record is None:
            yield {"name": name, "failed": failure}
            continue
        yield {"name": name, "wall": record["wall"][0], "transform": record["transform"], "loss": record["figures"]["loss"]}


def torch_python(named):
    """A Python that has PyTorch: the one named, or this one; None if there is none."""
    if named is not None:
        return named
    return sys.executable if importlib.util.find_spec("torch") else None


def number(value, digits=3):
    """A number for the table, or nothing."""
    return "" if value is None else f"{value:.{digits}f}"


def main():
    """Measures and keeps."""
    parser = arguments.parser(__doc__)
    parser.add_argument("--torch-python", type=Path, help="a Python that has PyTorch, where this one has not")
    known = ["epoch", "reconstruction", "umap"]
    given = arguments.with_parts(parser, known)
    files = prepared(given.shared_data, given.scratch)
    if files is None:
        return
    program, described = given.charta.resolve(), machine.describe()
    python = torch_python(given.torch_python)
    if python is None:
        print("PyTorch is not installed: charta's times stand alone (--torch-python names a Python that has it)")
    kept, table = {}, []
    for part in given.parts or known:
        print(f"{part} …", flush=True)
        if part == "epoch":
            kept[part] = list(epochs(program, files, python))
            for record in kept[part]:
                ours, theirs = record["charta"], record["torch"]
                ratio = number(ours / theirs) if ours and theirs else ""
                what = f"an epoch of 20,000×784 f32, 784-256-32-2 and back, {record['activation']}"
                table.append([part, what, "s", number(ours), number(theirs), ratio])
        elif part == "reconstruction":
            record = kept[part] = reconstruction(program, files["all"])
            if "failed" in record:
                table.append([part, record["failed"], "", "", "", ""])
                continue
            what = f"mean squared error of 70,000 images, 30 epochs ({record['wall']:.0f} s), beside PCA with two components"
            table.append([part, what, "", number(record["charta"]), number(record["pca"]), number(record["of_pca"])])
        else:
            kept[part] = list(umap(program, files["some"]))
            for record in kept[part]:
                what = f"UMAP of 10,000 images by {record['name']}: fit, placing 10,000 rows"
                table.append([part, what, "s", number(record.get("wall")), number(record.get("transform")), ""])
    header = ["part", "what", "unit", "charta (or fit)", "beside it", "ratio"]
    said = f"PyTorch {torch_version(python)}" if python else "PyTorch was not there"
    note = f"{said}, all cores on both sides, Fashion-MNIST in [0, 1]. Epochs: the longer training minus the shorter, best of {ROUNDS} each."
    results.append(given.results, "learned", "learned maps", {"machine": described, "records": kept}, results.markdown_table(header, table), note)


def torch_version(python):
    """The version of the PyTorch that was measured."""
    if Path(python) == Path(sys.executable):
        return version("torch")
    import subprocess

    done = subprocess.run([str(python), "-W", "ignore", "-c", "import torch; print(torch.__version__)"], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()

"""One run of a scikit-learn estimator, or of tapkee, in a process of its own; prints a JSON line like charta's `bench_method` program.

Arguments: a JSON object with `module`, `name`, `parameters`, `mode` (`fit`, `fit_transform`, `fit_then_transform`), `figures` (an expression
for each figure over `model`, `rows`, `labels`, `embedding`), then the .npy file, repetitions and, if labels are wanted, their .npy file. With
`--embedding FILE` at the end the embedding is written there. The module `tapkee` stands for its function `embed`, with `name` as the method. Where
`steps` is given, a list of such objects, the estimators are fitted one after the other as a pipeline; a parameter that is such an object is an estimator itself.
"""

import importlib
import json
import sys
import time
import warnings

import numpy as np

from memory import peak, reset_peak, resident


def evaluated(figures, names):
    """The figures that the case asks for, as plain numbers."""
    values = {name: eval(expression, {"np": np}, names) for name, expression in figures.items()}
    return {name: np.asarray(value, dtype=float).tolist() for name, value in values.items()}


def embedded(model, mode, rows, labels):
    """Fits and, but for the mode `fit`, places the training rows, as charta does in one call."""
    if mode == "fit_transform":
        return model.fit_transform(rows, labels)
    model.fit(rows, labels)
    return model.transform(rows) if mode == "fit_then_transform" else None


class Tapkee:
    """tapkee's function with scikit-learn's manners. It takes columns of numbers in Fortran order: made before the clock runs."""

    def __init__(self, method, parameters, rows):
        self.method, self.parameters, self.columns = method, parameters, np.asfortranarray(rows.T)

    def fit_transform(self, rows, labels):
        """The embedding of the rows that it was made with."""
        import tapkee

        return tapkee.embed(self.columns, method=self.method, **self.parameters)


def made(case, rows):
    """The peer, ready to be fitted."""
    if "steps" in case:
        from sklearn.pipeline import make_pipeline

        return make_pipeline(*(made(step, rows) for step in case["steps"]))
    if case["module"] == "tapkee":
        return Tapkee(case["name"], case["parameters"], rows)
    nested = {key: made(value, rows) if isinstance(value, dict) and "module" in value else value for key, value in case["parameters"].items()}
    return getattr(importlib.import_module(case["module"]), case["name"])(**nested)


def main():
    """Loads, repeats, prints."""
    case, path, repetitions, *rest = sys.argv[1:]
    target = rest.pop() if "--embedding" in rest else None
    rest = [word for word in rest if word != "--embedding"]
    case = json.loads(case)
    rows = np.load(path)
    labels = np.load(rest[0]).ravel().astype(int) if rest else None
    made(case, rows)
    reset_peak()
    baseline = resident()
    wall, cpu, said = [], [], set()
    for _ in range(int(repetitions)):
        model = made(case, rows)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            wall_start, cpu_start = time.perf_counter(), time.process_time()
            embedding = embedded(model, case["mode"], rows, labels)
            wall.append(time.perf_counter() - wall_start)
            cpu.append(time.process_time() - cpu_start)
        said |= {str(warning.message).split("\n")[0][:120] for warning in caught}
    top = peak()
    if target is not None:
        np.save(target, np.asarray(embedding, dtype=np.float64))
    figures = evaluated(case["figures"], {"model": model, "rows": rows, "labels": labels, "embedding": embedding})
    print(json.dumps({"wall": wall, "cpu": cpu, "peak_rss": top, "baseline_rss": baseline, "figures": figures, "warnings": sorted(said)}))


if __name__ == "__main__":
    main()

"""The answers of `charta advise` beside every method that could have been recommended.

    python bench/advice.py PROGRAM [NAME…]

For each data set every recommended command is run. Maps are judged by trustworthiness, and commands for classes and groups by k-NN accuracy, beside the same figure of all
candidate methods (`charta compare`, with the same scaling); the line says what the best recommendation reaches of the best method tried. Other purposes (prediction, sources, views,
parts, features) are run and not judged. Needs nothing but Python; exits with 1 where a command fails or a recommendation stays more than 2 % below.
"""

import json
import math
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

CANDIDATES = ("pca", "kernel-pca", "classical-mds", "isomap", "lle", "ltsa", "laplacian-eigenmaps", "umap", "tsne", "pacmap")
OF_CLASSES = (*CANDIDATES, "lda", "kernel-lda")
OF_DISTANCES = ("classical-mds", "mds", "isomap", "sammon", "umap", "tsne", "laplacian-eigenmaps")
OF_MANY = ("pca", "umap", "tsne", "pacmap")
TOLERANCE = 0.02


def table(rows, header, path):
    """Writes a CSV file."""
    lines = [",".join(header), *(",".join(str(value) for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def files(folder):
    """The data sets that are files: name, words of the call, methods beside which it is judged."""
    random.seed(0)
    labelled = [[random.gauss(3 * kind, 1), random.gauss(-2 * kind, 1), random.gauss(0, 50), "abc"[kind]] for kind in (0, 1, 2) for _ in range(80)]
    table(labelled, ["height", "width", "noise", "kind"], folder / "labelled.csv")
    gaps = [["" if random.random() < 0.05 else row[0], row[1], row[0] + row[1] + random.gauss(0, 0.1), row[1] - row[0]] for row in labelled]
    table(gaps, ["a", "b", "c", "d"], folder / "gaps.csv")
    table([[1, 2, 3], [2, 3, 5], [3, 1, 4]], "abc", folder / "three.csv")
    table([[random.gauss(0, 1)] for _ in range(50)], "a", folder / "column.csv")
    constant = [[1, random.gauss(0, 1), random.gauss(0, 1), 7] for _ in range(60)]
    table(constant, "abcd", folder / "constant.csv")
    counts = [[int(random.expovariate(1 / 3)) if random.random() < 0.3 else 0 for _ in range(40)] for _ in range(300)]
    table(counts, [f"word{place}" for place in range(40)], folder / "counts.csv")
    return [
        (["labelled.csv", "--label", "kind"], OF_CLASSES),
        (["gaps.csv"], ()),
        (["three.csv"], ()),
        (["column.csv"], ()),
        (["constant.csv"], CANDIDATES),
        (["counts.csv"], CANDIDATES),
    ]


SETS = [
    (["iris"], OF_CLASSES),
    (["wine"], OF_CLASSES),
    (["breast-cancer"], OF_CLASSES),
    (["digits"], OF_CLASSES),
    (["diabetes"], CANDIDATES),
    (["linnerud"], CANDIDATES),
    (["eurodist"], OF_DISTANCES),
    (["swiss-roll"], CANDIDATES),
    (["swiss-roll:500"], CANDIDATES),
    (["swiss-roll:100000"], OF_MANY),
    (["s-curve"], CANDIDATES),
    (["severed-sphere"], CANDIDATES),
    (["concentric-spheres"], OF_CLASSES),
    (["circles"], OF_CLASSES),
    (["moons"], OF_CLASSES),
    (["blobs"], OF_CLASSES),
    (["line"], CANDIDATES),
    (["ring"], CANDIDATES),
    (["square"], CANDIDATES),
    (["bars"], OF_CLASSES),
    (["moved-face"], CANDIDATES),
    (["head"], CANDIDATES),
    (["signals"], CANDIDATES),
]


class Program:
    """charta's command line in a folder."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, words):
        """The finished process."""
        return subprocess.run([self.path, *words], cwd=self.folder, capture_output=True, text=True, timeout=600)

    def json(self, words):
        """What a call reports."""
        done = self.run([*words, "--json"])
        if done.returncode:
            raise RuntimeError(f"charta {shlex.join(words)}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def scaling(words):
    """The scaling that a command asks for."""
    return words[words.index("--scale") : words.index("--scale") + 2] if "--scale" in words else []


def judged(program, source, methods, advised):
    """For the purposes that are judged: the figure of the best recommendation and of the best method."""
    maps = []
    for place, (_, words) in enumerate(advised):
        maps.append(f"map{place}.csv")
        done = program.run([*words, "-o", maps[-1]])
        if done.returncode:
            raise RuntimeError(f"charta {shlex.join(words)}: {done.stderr.strip()}")
    figures = {}
    for purposes, figure in ((("map",), "trustworthiness"), (("classes", "groups"), "nearest_accuracy")):
        places = [place for place, (purpose, _) in enumerate(advised) if purpose in purposes]
        if not places or not methods:
            continue
        scaled = scaling(advised[places[0]][1])
        report = program.json(["compare", source[0], *(maps[place] for place in places), *source[1:], *scaled, "--methods", ",".join(methods)])
        values = [entry[figure] if entry["problem"] is None and entry[figure] is not None else math.nan for entry in report["maps"]]
        names = [entry["name"] for entry in report["maps"]]
        of_files = {name: value for name, value in zip(names, values) if name.endswith(".csv")}
        tried = {name: value for name, value in zip(names, values) if not math.isnan(value)}
        best = max(tried, key=tried.get)
        figures[figure] = (max(of_files.values()), best, tried[best])
    return figures


def main():
    """Prints a table, and fails where a recommendation is not among the best."""
    path, wanted = Path(sys.argv[1]).resolve(), sys.argv[2:]
    worst, n_sets = 1.0, 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(path, Path(folder))
        cases = [*SETS, *files(Path(folder))]
        for source, methods in cases:
            if wanted and source[0] not in wanted:
                continue
            n_sets += 1
            report = program.json(["advise", *source])
            advised = [(entry["purpose"], shlex.split(entry["command"])[1:]) for entry in report["recommendations"]]
            commands = "; ".join(f"{purpose}: {shlex.join(words)}" for purpose, words in advised) or "nothing recommended"
            print(f"{source[0]}: {commands}", flush=True)
            for caution in report["cautions"]:
                print(f"    caution: {caution['text']}")
            for figure, (ours, best, value) in judged(program, source, methods, advised).items():
                worst = min(worst, ours / value)
                print(f"    {figure} {ours:.4f}, best {best} {value:.4f}, ratio {ours / value:.3f}", flush=True)
    print(f"{n_sets} data sets; the lowest ratio is {worst:.3f}")
    sys.exit(worst < 1 - TOLERANCE)


if __name__ == "__main__":
    main()

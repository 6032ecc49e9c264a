"""Whether two builds of the command line give the same numbers: every method with its defaults on small data, bit for bit.

Usage: python bench/same_results.py OLD NEW [--keep FOLDER] [--only METHOD …]

Each method of either program is fitted on digits, iris, wine and a swiss roll, on the road distances between European cities and on two views of the
same rows, where it accepts them. What both programs refuse is left out, and counted. Compared are the coordinates of the fit, the same rows
placed by the saved model, and their inverse transform. A difference is told by its largest absolute value, as a share of the largest entry, and by the
Procrustes disparity (0: the same up to shift, rotation and scale). Exit code 1 if anything differs.

What a program gave is kept in FOLDER under the hash of the program, and not computed again; a program compared with itself runs twice.
Needs nothing but Python.
"""

import argparse
import array
import ast
import hashlib
import math
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = ["digits", "iris", "wine", "swiss-roll", "eurodist"]
VIEWS = ["linnerud", "wine"]
RESULTS = ["coordinates", "transform", "inverse"]


def call(program, *arguments, timeout=None):
    """Runs the program: its exit code, 0 for done, and its last line on standard error."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)
    lines = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
    return done.returncode, lines[-1], done.stdout


def methods(program):
    """Names of the program's methods, as its list shows them."""
    code, message, listing = call(program, "methods")
    if code:
        sys.exit(f"{program} methods: {message}")
    lines = [line for line in listing.splitlines() if line.startswith("  ") and line[2] != " "]
    return [line.split()[0] for line in lines]


def write_views(program, name, folder):
    """The columns of a data set in two halves, each a table of its own."""
    whole = folder / f"{name}.csv"
    code, message, _ = call(program, "data", name, "-o", whole)
    if code:
        sys.exit(f"{program} data {name}: {message}")
    rows = [line.split(",") for line in whole.read_text().splitlines()]
    numbers = [place for place, value in enumerate(rows[1]) if is_number(value)]
    halves = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
    paths = [folder / f"{name}-{side}.csv" for side in ("left", "right")]
    for path, half in zip(paths, halves):
        path.write_text("".join(",".join(row[place] for place in half) + "\n" for row in rows))
    return paths


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def compute(program, method, inputs, folder):
    """Fits, places the same rows and leads them back; what cannot be done leaves a file with the reason."""
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "model.charta"
    calls = {
        "coordinates": [method, *inputs, "-o", folder / "coordinates.npy", "--save", model],
        "transform": ["transform", model, *inputs, "-o", folder / "transform.npy"],
        "inverse": ["inverse", model, folder / "coordinates.npy", "-o", folder / "inverse.npy"],
    }
    for result, arguments in calls.items():
        code, message, _ = call(program, *arguments)
        if code:
            (folder / f"{result}.npy").unlink(missing_ok=True)
            (folder / f"{result}.refused").write_text(message)
            if result == "coordinates":
                break
    model.unlink(missing_ok=True)
    (folder / "done").touch()


def read(path):
    """Rows of a `.npy` file of floating-point numbers as bytes, shape and numbers; None where there is no file."""
    if not path.exists():
        return None
    content = path.read_bytes()
    size = struct.calcsize("<H") if content[6] == 1 else struct.calcsize("<I")
    length = int.from_bytes(content[8 : 8 + size], "little")
    header = ast.literal_eval(content[8 + size : 8 + size + length].decode())
    numbers = array.array({"<f8": "d", "<f4": "f"}[header["descr"]])
    numbers.frombytes(content[8 + size + length :])
    n_rows, n_columns = (*header["shape"], 1)[:2]
    step = (1, n_rows) if header["fortran_order"] else (n_columns, 1)
    rows = [[numbers[i * step[0] + j * step[1]] for j in range(n_columns)] for i in range(n_rows)]
    return content, rows


def centred(rows):
    """Columns less their means, divided by the length of the whole."""
    means = [sum(column) / len(rows) for column in zip(*rows)]
    rows = [[value - mean for value, mean in zip(row, means)] for row in rows]
    length = math.sqrt(sum(value * value for row in rows for value in row)) or 1.0
    return [[value / length for value in row] for row in rows]


def eigenvalues(matrix):
    """Of a small symmetric matrix, by Jacobi rotations."""
    size, matrix = len(matrix), [row[:] for row in matrix]
    for _ in range(60):
        for p in range(size):
            for q in range(p + 1, size):
                if matrix[p][q] == 0.0:
                    continue
                angle = 0.5 * math.atan2(2 * matrix[p][q], matrix[q][q] - matrix[p][p])
                c, s = math.cos(angle), math.sin(angle)
                for row in matrix:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                for k in range(size):
                    matrix[p][k], matrix[q][k] = c * matrix[p][k] - s * matrix[q][k], s * matrix[p][k] + c * matrix[q][k]
    return [matrix[i][i] for i in range(size)]


def disparity(old, new):
    """What is left of one map laid over the other by shift, rotation and scale, as a share of its size."""
    a, b = centred(old), centred(new)
    cross = [[sum(x * y for x, y in zip(left, right)) for right in zip(*b)] for left in zip(*a)]
    square = [[sum(row[i] * row[j] for row in cross) for j in range(len(cross[0]))] for i in range(len(cross[0]))]
    kept = sum(math.sqrt(max(value, 0.0)) for value in eigenvalues(square))
    return max(0.0, 1.0 - kept * kept)


def difference(old, new):
    """None for the same bits, else what differs."""
    if (old is None) != (new is None):
        return "refused by the new program" if new is None else "refused by the old program"
    if old is None or old[0] == new[0]:
        return None
    a, b = old[1], new[1]
    if (len(a), len(a[0])) != (len(b), len(b[0])):
        return f"shape {len(a)} × {len(a[0])} became {len(b)} × {len(b[0])}"
    largest = max(abs(value) for row in a for value in row) or 1.0
    apart = max(abs(x - y) for old_row, new_row in zip(a, b) for x, y in zip(old_row, new_row)) / largest
    if apart == 0.0:
        return None
    shown = f"largest difference {apart:.1e}"
    return shown if len(a[0]) > 20 else f"{shown}, Procrustes {disparity(a, b):.1e}"


def identity(program):
    return hashlib.sha256(Path(program).read_bytes()).hexdigest()[:12]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="a built command line")
    parser.add_argument("new", type=Path, help="another")
    parser.add_argument("--keep", type=Path, help="where results are kept, for the next comparison")
    parser.add_argument("--only", nargs="+", help="methods to compare, all unless named")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        keep = arguments.keep or Path(scratch)
        sys.exit(compare([arguments.old.resolve(), arguments.new.resolve()], keep, arguments.only, Path(scratch)))


def compare(programs, keep, only, scratch):
    folders = [keep / identity(program) for program in programs]
    if folders[0] == folders[1]:
        folders[1] = Path(scratch) / "again"
    known = [methods(program) for program in programs]
    names = [name for name in dict.fromkeys(known[0] + known[1]) if not only or name in only]
    inputs = {name: [name] for name in DATA}
    inputs |= {f"{name}-views": write_views(programs[0], name, scratch) for name in VIEWS}
    counts = {"same": 0, "differs": 0, "refused by both": 0}
    for method in names:
        for data, files in inputs.items():
            pairs = [folder / method / data for folder in folders]
            for program, folder in zip(programs, pairs):
                if not (folder / "done").exists():
                    compute(program, method, files, folder)
            for result in RESULTS:
                old, new = (read(folder / f"{result}.npy") for folder in pairs)
                found = difference(old, new)
                outcome = "differs" if found else "refused by both" if old is None else "same"
                counts[outcome] += 1
                if found:
                    print(f"{method} {data} {result}: {found}", flush=True)
    print(f"{len(names)} methods: " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if counts["differs"] or not counts["same"] else 0


if __name__ == "__main__":
    main()

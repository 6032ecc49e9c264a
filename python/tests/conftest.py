"""Data that the tests share."""

import numpy as np
import pytest

import charta


@pytest.fixture(scope="session")
def iris():
    """Rows and classes."""
    return charta.iris()


@pytest.fixture(scope="session")
def digits():
    """Rows and classes, 600 of them."""
    rows, classes = charta.digits()
    return np.asarray(rows, dtype=np.float64)[:600], classes[:600]

"""docs/peers.md, the classes beside those of other packages, is up to date; and every parameter that is missing has a reason."""

import importlib.util
import pathlib

import pytest

SCRIPT = pathlib.Path(__file__).parents[1] / "peers" / "table.py"


@pytest.fixture(scope="module")
def table():
    specification = importlib.util.spec_from_file_location("table", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("package", ["scikit-learn", "umap-learn", "openTSNE", "pacmap"])
def test_the_page_is_up_to_date_and_what_is_missing_has_a_reason(table, package):
    if not table.is_there(package):
        pytest.skip(f"{package} {table.PACKAGES[package][1]} is not installed: its sections are not checked")
    stored = table.FILE.read_text()
    found = table.compared(package)
    for comparison in found:
        unexplained = [parameter for parameter in comparison.missing if comparison.reason(parameter) is None]
        assert not unexplained, f"{comparison.name} lacks {unexplained} of {package}: add them, or the reason to MISSING of python/peers/table.py"
        assert comparison.section() in stored, f"docs/peers.md is not up to date for {comparison.name}: run python python/peers/table.py"
    missing = {(of.name, of.package, parameter) for of in found for parameter in of.missing}
    stale = {key for key in table.MISSING if key[1] == package} - missing
    assert not stale, f"no longer missing, remove from MISSING of python/peers/table.py: {stale}"


def test_every_class_of_the_page_is_one_of_ours(table):
    titles = [line for line in table.FILE.read_text().splitlines() if line.startswith("### ")]
    assert len(titles) == len(table.pairs())

"""The lectures: all commands of every item run, its numbers agree with the slides, and its Python lines run."""

import json
import os
import subprocess

import pytest

PROGRAM = os.environ.get("CHARTA_BINARY")


def report(*words):
    """What `charta lecture` reports."""
    done = subprocess.run([PROGRAM, "lecture", *words, "--json"], capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def items():
    """The number of the lecture and of the item, for all."""
    if PROGRAM is None:
        return []
    decks = report("all")
    return [pytest.param(str(deck["lecture"]), str(place), id=f"{deck['lecture']}-{place}") for deck in decks for place, _ in enumerate(deck["items"], 1)]


@pytest.mark.skipif(PROGRAM is None, reason="CHARTA_BINARY names no command line")
@pytest.mark.parametrize(("lecture", "item"), items())
def test_an_item_agrees_with_its_slide_and_its_python_lines_run(lecture, item, tmp_path, monkeypatch):
    """One item: commands, numbers, figures, Python."""
    [deck] = report(lecture, "--item", item, "-o", str(tmp_path))
    [found] = deck["items"]
    assert found["failure"] is None
    differing = [f"{number['what']}: slide {number['slide']}, here {number['found']}" for number in found["numbers"] if not number["agrees"]]
    assert not differing
    assert found["numbers"] or found["figures"]
    page = (tmp_path / f"lecture-{lecture}.html").read_text()
    assert page.count("<figure>") == len(found["figures"])
    # The page needs no other file and no network.
    assert 'src="http' not in page and "<link" not in page and "<script src" not in page
    monkeypatch.chdir(found["folder"])
    exec(compile(found["python"], f"lecture {lecture}, item {item}", "exec"), {"__name__": "lecture"})

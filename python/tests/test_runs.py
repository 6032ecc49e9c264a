"""Runs: threads, progress, warnings, being stopped, other processes."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import charta
from support import NAMES, fitted


@pytest.mark.parametrize("name", NAMES)
def test_threads_do_not_change_a_bit(name, iris):
    alone, many = (fitted(name, *iris, n_jobs=count).embedding_ for count in (1, 3))
    np.testing.assert_array_equal(alone, many)


def test_seeds_are_numbers_or_generators(iris):
    rows, _ = iris
    first = charta.UMAP(n_epochs=20).fit_transform(rows)
    np.testing.assert_array_equal(first, charta.UMAP(n_epochs=20, random_state=0).fit_transform(rows))
    for make in (np.random.RandomState, np.random.default_rng):
        drawn = [charta.UMAP(n_epochs=20, random_state=make(seed)).fit_transform(rows) for seed in (1, 1, 2)]
        np.testing.assert_array_equal(drawn[0], drawn[1])
        assert np.abs(drawn[0] - drawn[2]).max() > 1e-3


def test_the_callback_sees_the_layout_and_can_end_it(digits):
    seen = []

    def watch(step, loss, layout):
        seen.append((step, layout.shape))
        return step >= 100

    with pytest.warns(charta.ChartaWarning, match="stopped on request after"):
        model = charta.TSNE(max_iter=2000, callback=watch).fit(digits[0])
    assert seen and seen[-1][1] == (600, 2)
    assert model.n_iter_ < 2000


def test_an_exception_of_the_callback_comes_out(digits):
    def fail(step, loss, layout):
        raise KeyError("of mine")

    with pytest.raises(KeyError, match="of mine"):
        charta.TSNE(callback=fail).fit(digits[0])


def test_progress_is_shown(digits, capfd):
    charta.UMAP(n_epochs=30, verbose=True).fit(digits[0])
    shown = capfd.readouterr().err
    assert "UMAP: layout" in shown and "100%" in shown


def test_warnings_are_python_warnings():
    rows = np.ones((30, 3))
    rows[:, 0] = np.arange(30)
    with pytest.warns(charta.ChartaWarning):
        charta.PCA(2).fit(rows)
    with pytest.warns(charta.ConvergenceWarning):
        charta.FastICA(2, max_iter=1).fit(np.random.default_rng(0).normal(size=(200, 5)))


STOPPED = """
import sys, time, numpy as np, charta
rows = np.random.default_rng(0).normal(size=(6000, 20))
def tell(step, loss, layout):
    print("begun", flush=True)
try:
    charta.TSNE(max_iter=100_000, callback=tell).fit(rows)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_an_interrupt_stops_a_long_fit_within_a_second():
    process = subprocess.Popen([sys.executable, "-c", STOPPED], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=20)
    assert rest.endswith("stopped\n") and process.returncode == 0
    assert time.monotonic() - sent < 1.5


def test_other_threads_go_on_during_a_fit(digits):
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    charta.TSNE(max_iter=400).fit(digits[0])
    done.set()
    other.join()
    assert counted[0] > 20


def test_several_threads_fit_at_once(iris):
    expected = charta.PCA(2).fit_transform(iris[0])
    results = [None] * 6

    def work(place):
        results[place] = charta.PCA(2).fit_transform(iris[0])

    workers = [threading.Thread(target=work, args=(place,)) for place in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for result in results:
        np.testing.assert_array_equal(result, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork there")
def test_a_fork_after_a_fit_can_fit_again():
    program = """
import os, sys, charta
X, _ = charta.iris()
charta.PCA(2).fit(X)
child = os.fork()
if child == 0:
    charta.UMAP(n_epochs=20).fit(X)
    os._exit(7)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", program], timeout=60).returncode == 7


def test_a_plan_predicts_memory(digits):
    plan = charta.UMAP().plan(digits[0])
    assert plan["bytes"] > 10_000 and plan["algorithm"] and plan["advice"]

"""A pytest plugin that runs the tests of another package with the classes of charta in the place of its own.

    python -m pytest -p in_place --peer scikit_learn

Which tests, which classes and which known failures with their reasons is stated in `<peer>.toml`. Tests that a package does not install are files in a copy of its
source: `source` is the environment variable that names the folder. A test counts if it *touches* charta: it makes an estimator, is
given one as a parameter, or calls a function that stands for one of theirs. The wording of messages is not compared, their types are. A test that fails and is not
listed is a failure of the run, and so is one that is listed and passes.
"""

import functools
import importlib
import json
import os
import pathlib
import tomllib

import pytest

import charta
from charta._classes import CLASSES
from charta._estimator import Estimator

HERE = pathlib.Path(__file__).parent


def pytest_addoption(parser):
    group = parser.getgroup("tests of another package")
    group.addoption("--peer", required=True, help="name of the file that says what to run, without its ending")
    group.addoption("--outcomes", help="JSON file to write: the outcome of every test that touches charta")
    group.addoption("--unlisted", action="store_true", help="run as if no failure were listed")


class Peer:
    """What the file of a peer says: modules with tests, what to replace, known failures; and what came out."""

    def __init__(self, name, unlisted):
        stated = tomllib.loads((HERE / f"{name}.toml").read_text())
        self.name, self.share, self.tests = name, stated["share"], stated["tests"]
        self.source = stated.get("source")
        if self.source is not None:
            self.tests = self.in_source(stated["tests"])
        self.reasons = {}
        for group in [] if unlisted else stated.get("failures", []):
            for test in group["tests"]:
                if test in self.reasons:
                    raise pytest.UsageError(f"{name}.toml lists {test} twice")
                self.reasons[test] = group["reason"]
        self.current, self.touching, self.outcomes = None, set(), {}
        for place, names in stated["replaces"].items():
            package = importlib.import_module(place)
            for theirs, ours in names.items():
                setattr(package, theirs, self.standing_in(ours))

    def in_source(self, tests):
        """The files with tests in a copy of the package's source, of which they are modules."""
        folder = os.environ.get(self.source)
        if folder is None:
            raise pytest.UsageError(f"{self.name}: the tests are not installed with the package; name a copy of its source in {self.source}")
        for top in {test.partition("/")[0] for test in tests}:
            importlib.import_module(top).__path__.append(os.path.join(folder, top))
        return [os.path.join(folder, test) for test in tests]

    def standing_in(self, name):
        """What charta has under a name: a class, or a function that says when it is called."""
        if name in CLASSES:
            return CLASSES[name]
        function = getattr(charta, name)

        @functools.wraps(function)
        def called(*args, **given):
            self.touch()
            return function(*args, **given)

        return called

    def touch(self):
        if self.current is not None:
            self.touching.add(self.current)

    def is_known(self, name):
        """True if the failure is listed: the test, or all tests of a function."""
        return name in self.reasons or name.partition("[")[0] in self.reasons


def _title(item):
    """The name of a test without the place where its package is installed."""
    return item.nodeid.rpartition("/")[2]


def _of_any_wording(check):
    """`pytest.raises` or `pytest.warns` without the comparison of messages."""

    @functools.wraps(check)
    def without_wording(*args, match=None, **given):
        return check(*args, **given)

    return without_wording


def pytest_configure(config):
    pytest.raises, pytest.warns = _of_any_wording(pytest.raises), _of_any_wording(pytest.warns)
    config.peer = peer = Peer(config.getoption("peer"), config.getoption("unlisted"))

    def made(cls, *args, **given):
        peer.touch()
        return object.__new__(cls)

    Estimator.__new__ = made
    if not config.args or config.args == [str(config.invocation_params.dir)]:
        config.args[:] = peer.tests
        config.option.pyargs = peer.source is None


def _is_ours(value):
    return isinstance(value, Estimator) or (isinstance(value, type) and issubclass(value, Estimator))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    peer = item.config.peer
    peer.current = _title(item)
    callspec = getattr(item, "callspec", None)
    if callspec is not None and any(_is_ours(value) for value in callspec.params.values()):
        peer.touch()
    yield
    peer.current = None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    peer, name = item.config.peer, _title(item)
    if name not in peer.touching or report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        return
    if report.when == "call" or report.failed:
        peer.outcomes[name] = "passed" if report.passed else f"{report.outcome}: {call.excinfo.typename if call.excinfo else ''}: {call.excinfo.value if call.excinfo else ''}"[:600]
        if peer.is_known(name):
            if report.failed:
                report.outcome, report.wasxfail = "skipped", peer.reasons.get(name) or peer.reasons[name.partition("[")[0]]
            elif name in peer.reasons:
                report.outcome, report.longrepr = "failed", f"{peer.name}.toml lists this test as a failure, and it passes"


def pytest_terminal_summary(terminalreporter, config):
    peer = config.peer
    passed = sum(outcome == "passed" for outcome in peer.outcomes.values())
    share = passed / max(1, len(peer.outcomes))
    terminalreporter.write_line(f"{peer.name}: {passed} of {len(peer.outcomes)} tests that touch a class of charta pass ({share:.1%}, at least {peer.share:.0%} asked)")
    if config.getoption("outcomes"):
        pathlib.Path(config.getoption("outcomes")).write_text(json.dumps(peer.outcomes, indent=1))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    peer = session.config.peer
    passed = sum(outcome == "passed" for outcome in peer.outcomes.values())
    if exitstatus == 0 and (not peer.outcomes or passed < peer.share * len(peer.outcomes)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

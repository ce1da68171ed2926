"""The last lines of a run: tests that needed a rerun, flaky tests, and what `make test` leaves to `make test-all`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import settings
from xdist.workermanage import WorkerController

from tests.scheduling import QUICK

CLEAN_RUNS = 10  # after so many runs without a rerun a test is no longer called flaky
_RERUNS = "tests/reruns"  # the file in pytest's cache: each flaky test's reruns, and its clean runs since the last one

_left_out: Counter[str] = Counter()


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count the deselected tests of each marker."""
    for marker in ("long", "thorough"):
        _left_out[marker] += sum(item.get_closest_marker(marker) is not None for item in items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Count the properties that run with few examples."""
    if settings.get_current_profile_name() == "quick":
        _left_out["hypothesis"] = sum(item.get_closest_marker("hypothesis") is not None for item in session.items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send a worker's counts to the controller, which collects no tests itself."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(_left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    """Take the counts of a worker; all workers collect the same tests."""
    _left_out.update(Counter(getattr(node, "workeroutput", {}).get("left_out", {})) - _left_out)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> Generator[None]:
    """Print the lines after all other summaries; only pytest's own last line follows."""
    yield
    if hasattr(config, "workerinput"):
        return  # a worker's summary is not shown, and the controller counts its reports
    ran, reran, passed = (
        {report.nodeid for kind in kinds for report in terminalreporter.stats.get(kind, [])}
        for kinds in (("passed", "failed", "rerun"), ("rerun",), ("passed",))
    )
    if reran:
        terminalreporter.write_line(f"{len(reran)} tests needed a rerun: {', '.join(sorted(reran))}")
    flaky = {name: count for name, count in _count_reruns(config, reran, passed - reran).items() if name in ran}
    if flaky:
        listed = ", ".join(f"{name} ({reruns})" for name, (reruns, _) in sorted(flaky.items()))
        terminalreporter.write_line(f"To be mended, with their reruns in the latest runs: {listed}")
    if QUICK in config.option.markexpr and _left_out.total():
        terminalreporter.write_line(
            f"Left to `make test-all`: {_left_out['thorough']} thorough and {_left_out['long']} long tests,"
            f" and more examples of {_left_out['hypothesis']} properties"
        )


def _count_reruns(config: pytest.Config, reran: set[str], clean: set[str]) -> dict[str, list[int]]:
    """Update and return the stored counts; without pytest's cache, return nothing."""
    cache: pytest.Cache | None = getattr(config, "cache", None)
    if cache is None:
        return {}
    stored: dict[str, list[int]] = cache.get(_RERUNS, {})
    counts = {name: [reruns, runs + (name in clean)] for name, (reruns, runs) in stored.items()}
    counts |= {name: [stored.get(name, [0])[0] + 1, 0] for name in reran}
    counts = {name: count for name, count in counts.items() if count[1] < CLEAN_RUNS}
    if counts != stored:
        cache.set(_RERUNS, counts)
    return counts

"""A scheduler of test files for workers: ``--dist loadfile``, but a run goes on after a worker crashed.

For a crashed worker, xdist 3.8 queues every file again, and finished files as work without tests. A worker that gets
such a file waits for its tests for ever, and so does the run.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

BROWSER = "tests/browser/"
QUICK = "not thorough"  # what `make test` asks for

_crashed: set[str] = set()


class FilesOfWorkers(LoadFileScheduling):
    """Whole files for each worker; what a crashed worker has not done, the crashed test too, is done by others.

    Where only a few of the browser's tests run, one worker does them all: the app and the browser that each worker
    would start for them are more work than its share of those tests.
    """

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return BROWSER if file.startswith(BROWSER) and QUICK in self.config.option.markexpr else file

    def remove_node(self, node: WorkerController) -> str | None:
        """Queue of a worker that is gone only the files with tests to do; the test at which it crashed, if any."""
        work = self.assigned_work[node]
        for file in [file for file, done in work.items() if all(done.values())]:
            del work[file]
        crashed: str | None = super().remove_node(node)
        return crashed

    def schedule(self) -> None:
        """Give files to who has few; twice, since a worker keeps its last test until it knows what comes after it."""
        super().schedule()
        for node in self.nodes:
            self._reschedule(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FilesOfWorkers | None:
    """Take the place of xdist's own ``loadfile``."""
    return FilesOfWorkers(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(trylast=True)
def pytest_handlecrashitem(crashitem: str, report: pytest.TestReport) -> None:
    """Let a test at which a worker crashed come again, once: it is in the summary as a rerun, and fails at the second.

    A library's native code has crashed once in many runs of the suite.
    """
    if crashitem not in _crashed:
        _crashed.add(crashitem)
        report.outcome = "rerun"  # type: ignore[assignment]

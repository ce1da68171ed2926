"""Apps that start at once: one process has imported what ``app.py`` imports, and forks each app that is asked for.

The imports are most of a start. They read nothing of ``FMP_*``, so an app that has other settings is forked; whatever
reads the environment while it is imported needs a start of its own. The process has one thread of Python's, and those
of libraries that are made to be forked.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
POSSIBLE = sys.platform.startswith("linux")
_IMPORTED = (
    "app",
    "demo.gradio_parts.app_blocks",
    "demo.gradio_parts.zero_gpu",
    "demo.shell",
    "demo.tabs.annotate",
    "fmp_models.estimators.pose_models",
    "fmp_models.hub.models",
    "fmp_models.inference.neural_captioner",
    "fmp_models.inference.target_finder",
)
_LONGEST = 1_000_000  # bytes that are asked with


@dataclass
class ForkedApp:
    """A forked app, by what the tests need of ``subprocess.Popen``."""

    pid: int
    _ends: int  # where its exit status comes when it has ended
    returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit status; TimeoutExpired where it takes longer."""
        if self.returncode is None:
            with socket.socket(fileno=os.dup(self._ends)) as ends:
                ends.settimeout(timeout or (None if timeout is None else 0.001))
                try:
                    status = ends.recv(64)
                except TimeoutError as error:
                    raise subprocess.TimeoutExpired("app.py", timeout or 0) from error
            os.close(self._ends)
            self.returncode = int(status)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the app has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def fork(program: tuple[str, ...], environment: dict[str, str], output: int, faults: int) -> ForkedApp:
    """Run a program of Python in ROOT that begins with the imports of ``app.py``: its name, or ``-c`` and its text.

    ``output`` and ``faults`` are the files that it writes to.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # a number at a time
    with theirs:
        asked = json.dumps({"program": program, "environment": environment}).encode()
        socket.send_fds(_parent(), [asked], [output, faults, theirs.fileno()])
    pid = int(ours.recv(64))
    return ForkedApp(pid, ours.detach())


@cache
def _parent() -> socket.socket:
    """Return the connection to the process that forks; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * _LONGEST)
    with theirs:
        parent = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.forked_apps", str(theirs.fileno())],
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )

    def end() -> None:
        ours.close()
        parent.wait()

    atexit.register(end)
    return ours


def _run(program: list[str]) -> NoReturn:
    if program[0] == "-c":
        exec(program[1], {"__name__": "__main__"})  # noqa: S102  a program of the tests
    import app  # noqa: PLC0415

    app.run()


def _serve(asked: socket.socket) -> list[str] | None:
    """Fork whenever that is asked; in an app that was forked give its program, and at the end None."""
    while True:
        message, files, _, _ = socket.recv_fds(asked, _LONGEST, 3)
        if not message:
            return None
        _reap()
        if os.fork() == 0:
            asked.close()
            return _keep(json.loads(message), *files)
        for file in files:
            os.close(file)


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _keep(request: dict[str, Any], output: int, faults: int, ends: int) -> list[str]:
    """Fork the app, in which this returns; wait for its end, tell of it and be gone.

    An app that is still there when nobody listens any more is ended.
    """
    pid = os.fork()
    if pid:
        for file in (output, faults):
            os.close(file)
        with socket.socket(fileno=ends) as listener, suppress(OSError):
            listener.send(str(pid).encode())
            ended = os.pidfd_open(pid)
            if ended not in select.select([ended, listener], [], [])[0]:
                os.kill(pid, signal.SIGTERM)
            _, status = os.waitpid(pid, 0)
            listener.send(str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    os.close(ends)
    os.dup2(output, 1)
    os.dup2(faults, 2)
    for file in {output, faults}:
        os.close(file)
    program, environment = request["program"], request["environment"]
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # TMPDIR is another
    sys.argv = list(program)
    return sys.argv


def main() -> int:
    """Import the app, and fork until no test is connected."""
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        gc.disable()  # what is imported stays: no app need look through it for what can go, least of all at its end
        for name in _IMPORTED:
            __import__(name)
        gc.freeze()
        gc.enable()
        program = _serve(asked)
    return 0 if program is None else _run(program)


if __name__ == "__main__":
    sys.exit(main())

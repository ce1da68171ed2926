"""What a browser test speaks of: the running app, the pictures, and what a visitor does with them."""

from __future__ import annotations

import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page

from tests.browser.forked_apps import POSSIBLE, ROOT, ForkedApp, fork

START_SECONDS = 300  # of a machine that does other work; who waits in vain is told all the same
STOP_SECONDS = 90


@dataclass
class App:
    """The app under test: a process of its own with every folder in a temporary place."""

    url: str
    temporary: Path
    process: subprocess.Popen[bytes] | ForkedApp
    output: list[str] = field(default_factory=list)

    @property
    def owner_url(self) -> str:
        """Return the address that the app printed; opening it on this machine makes a visitor the owner."""
        return next(line for line in self.output if self.url in line).removeprefix("FixMyPose is ready: ").strip()

    def stored_uploads(self) -> set[Path]:
        """Return every file in the app's temporary folder; folders may disappear during the search."""
        return {Path(folder, name) for folder, _, names in os.walk(self.temporary) for name in names}

    def memory_mb(self) -> float:
        """Resident memory of the process."""
        return self._megabytes("VmRSS")

    def peak_mb(self) -> float:
        """Return the highest resident memory of the process since :meth:`forget_peak`."""
        return self._megabytes("VmHWM")

    def forget_peak(self) -> None:
        """Let the most resident memory be what it is now."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5", encoding="ascii")

    def wait_until(self, true: Callable[[], bool], seconds: float = 60) -> None:
        """Wait for a condition that is met sooner or later; AssertionError where it is not in time."""
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, "the condition was not met in time"
            time.sleep(0.05)

    def _megabytes(self, name: str) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(name))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def started(  # noqa: PLR0913  where it lies, and where it writes
    program: tuple[str, ...],
    environment: dict[str, str],
    output: int,
    faults: int,
    *,
    cold: bool = False,
    project: Path = ROOT,
) -> subprocess.Popen[bytes] | ForkedApp:
    """Start a program of the project that is as ``app.py`` and writes to these files."""
    if POSSIBLE and not cold:
        return fork(program, environment, output, faults)
    return subprocess.Popen([sys.executable, *program], cwd=project, env=environment, stdout=output, stderr=faults)


def _reads_late(setting: str) -> bool:
    """Return whether the setting is read when the app starts, and not during an import."""
    return setting.startswith("FMP_") or setting.upper() == "HTTPS_PROXY"


@contextmanager
def running_app(  # noqa: PLR0913  where its parts lie, and how it is started
    pose_model: Path | str,
    data: Path,
    temporary: Path,
    program: tuple[str, ...] = ("app.py",),
    url: str = "",
    *,
    cold: bool = False,
    project: Path = ROOT,
    **settings: str,
) -> Iterator[App]:
    """Start ``app.py`` as its README says, wait for its one line, and stop it as a Space would.

    ``url`` is where the settings make it listen, if not at a free port of 127.0.0.1. A ``cold`` start is one of a new
    Python, which imports everything itself; settings that are read meanwhile need one, and so does another ``project``.
    """
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if name != "GRADIO_TEMP_DIR"} | {
        "FMP_POSE_MODEL": str(pose_model),
        "FMP_DATA_DIR": str(data),
        "FMP_PORT": str(port),
        "TMPDIR": str(temporary),
        **settings,
    }
    lines, end = os.pipe()
    try:
        cold = cold or not all(map(_reads_late, settings))
        process = started(program, environment, end, end, cold=cold, project=project)
    finally:
        os.close(end)
    running = App(url or f"http://127.0.0.1:{port}", temporary, process)
    output_lines: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        with os.fdopen(lines, encoding="utf-8") as read:
            for line in read:
                running.output.append(line)
                output_lines.put(line)
        output_lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    try:
        while (line := output_lines.get(timeout=START_SECONDS)) is not None and running.url not in line:
            pass
        assert line is not None, "the app ended before it was ready:\n" + "".join(running.output)
        yield running
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=STOP_SECONDS)


@dataclass(frozen=True)
class Pictures:
    """Photographs to give."""

    standing: Path
    warrior: Path
    two_people: Path


def described(path: Path, name: str = "") -> str:
    """Return the page's description of an uploaded picture, under its own ``name`` or another."""
    with Image.open(path) as picture:
        return f"{name or path.name}, {picture.width} by {picture.height} pixels"


def give(page: Page, current: Path, target: Path) -> None:
    """Put two files into the form, one when the other is in its place."""
    for which, path in (("current", current), ("target", target)):
        page.locator(f"[data-which={which}] input[type=file]").set_input_files(path)
        page.locator(f"[data-which={which}] .fmp-filled").wait_for()


def ask(page: Page, current: Path, target: Path, outcome: str = "correction") -> Locator:
    """Give two files, press the button and wait for what comes of it."""
    give(page, current, target)
    page.locator("[data-action=submit]").click()
    answer = page.locator(f".fmp-answer[data-outcome={outcome}]")
    answer.wait_for()
    return answer


def agree_and_vote(page: Page) -> None:
    """Agree to the terms of the annotation tab, and give the vote that it is opened at."""
    box = page.locator("#panel-annotate input[name=fmp-agree]")
    box.wait_for()
    box.check()
    page.locator("[data-action=agree]").click()
    page.locator("form.fmp-task").wait_for()
    for question in ("relevant", "fluent"):
        page.locator(f"input[name={question}][value='1']").check(force=True)
    page.locator("[data-action=give]").click()


PICTURES_HELD = """() => {
    const make = window.createImageBitmap, held = new Promise((go) => { window.go = go; });
    Object.assign(window, { now: 0, most: 0 });
    window.createImageBitmap = async (...given) => {
        window.most = Math.max(window.most, window.now += 1);
        await held;
        try { return await make(...given); } finally { window.now -= 1; }
    };
}"""  # no picture is read before `go`; `most` is how many are read at once


SOUNDS_NOTED = """() => {
    let inPress = false;
    for (const kind of ['click', 'keydown']) {
        window.addEventListener(kind, () => { inPress = true; }, true);
        window.addEventListener(kind, () => { inPress = false; });
    }
    window.sounds = [];
    speechSynthesis.speak = ({ text }) => window.sounds.push(['speak', text.trim(), inPress]);
    Object.defineProperty(AudioContext.prototype, 'state', { get: () => 'suspended' }); // as on a phone
    AudioContext.prototype.resume = async () => { window.sounds.push(['resume', '', inPress]); };
}"""  # notes what is spoken and when tones are let sound, and whether within a press

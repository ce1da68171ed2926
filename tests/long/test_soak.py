"""The app at work for half an hour: what it holds of memory, open files and temporary bytes does not grow.

``TESTS_SOAK_MINUTES`` makes it shorter or longer, or leaves it out where it is 0. Everything comes at once, over and
over: corrections by the geometry and by the captioner, searches, people who answer, files that are no pictures, uploads
broken off half-way, and uploads that nobody asks about.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from demo.examples.catalogue import FOLDER as EXAMPLES
from tests.benchmarks.annotators import Crowd, Waits, answer_at, app_with_a_campaign
from tests.browser.visits import App
from tests.hostile_uploads import sound_pictures
from tests.retrievers import TEXTS, save_retriever

MINUTES = float(os.environ.get("TESTS_SOAK_MINUTES", "30"))
PEOPLE = 20
PAUSE = 4.0  # seconds before an answer: what one person may ask for without a pause
BREATH = 0.5  # seconds between two requests of one kind
EVERY = 2.0  # seconds between two looks at the process
SWEPT_WITHIN = 240.0  # seconds in which the last upload that nobody asked about is gone
PATIENCE = 120.0  # seconds that a request may take; how long it takes is another test's
CUT = 1_000_000  # bytes of an upload that is broken off

MORE_MEMORY = 40.0  # MB, with the caches and pages that a process keeps for later
MORE_FILES = 12  # connections that come and go
MORE_BYTES = 30_000_000  # of uploads that wait for the sweep, which comes twice a minute


@dataclass(frozen=True)
class AttentionMap:
    """What the app held at a moment."""

    memory: float
    files: int
    temporary: int


def look(app: App) -> AttentionMap:
    files = len(list(Path(f"/proc/{app.process.pid}/fd").iterdir()))
    return AttentionMap(app.memory_mb(), files, temporary_bytes(app))


def temporary_bytes(app: App) -> int:
    """Return the size of the temporary folder in bytes; a file may disappear while it is measured."""
    size = 0
    for path in app.stored_uploads():
        try:
            size += path.stat().st_size
        except FileNotFoundError:
            continue
    return size


def over_and_over(do: Callable[[int], object], end: threading.Event) -> int:
    """Do something until the end, and count how often."""
    for number in itertools.count():
        if end.wait(BREATH):
            return number
        do(number)
    raise AssertionError


def works(app: App, folder: Path) -> Iterator[Callable[[int], object]]:
    """Yield the steps of a visitor, each with its own connection."""
    pictures = [handle_file(str(path)) for path in sorted(EXAMPLES.glob("*.jpg"))]
    broken = folder / "broken.jpg"
    broken.write_bytes(sound_pictures()["plain.jpg"][:2000])
    correcting, searching, spoiling = (
        Client(app.url, verbose=False, httpx_kwargs={"timeout": PATIENCE}) for _ in range(3)
    )

    def correct(number: int) -> None:
        model = ("geometry", None)[number % 2]
        two = pictures[number % len(pictures)], pictures[(number + 1) % len(pictures)]
        answer = correcting.predict(
            *two, ("en", "hi")[number // 2 % 2], *([model] if model else []), api_name="/correct"
        )
        assert answer["text"]

    def search(number: int) -> None:
        language = ("en", "hi")[number % 2]
        answer = searching.predict(pictures[0], TEXTS[language], pictures[:3], language, api_name="/retrieve")
        assert len(answer["ranking"]) == 3

    def spoil(_: int) -> None:
        with pytest.raises(AppError):
            spoiling.predict(handle_file(str(broken)), pictures[0], "en", api_name="/correct")

    def break_off(number: int) -> None:
        address = urlsplit(app.url)
        part = b'--cut\r\nContent-Disposition: form-data; name="files"; filename="%d.jpg"\r\n\r\n' % number
        head = (
            f"POST /gradio_api/upload HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: {4 * CUT}\r\n"
            "Content-Type: multipart/form-data; boundary=cut\r\n\r\n"
        )
        with socket.create_connection((str(address.hostname), int(address.port or 80)), timeout=PATIENCE) as connection:
            connection.sendall(head.encode() + part + bytes([number % 256]) * CUT)

    def leave(number: int) -> None:
        file = (f"{number}.jpg", sound_pictures()["plain.jpg"] + str(number).encode())
        httpx.post(f"{app.url}/gradio_api/upload", files={"files": file}, timeout=PATIENCE).raise_for_status()

    yield from (correct, search, spoil, break_off, leave)


def looked_at(app: App, done: Future[Waits]) -> list[AttentionMap]:
    looks = [look(app)]
    while not done.done():
        time.sleep(EVERY)
        looks.append(look(app))
    return looks


def between(looks: list[AttentionMap], start: float, end: float) -> list[AttentionMap]:
    """Those of a part of the time, told by its shares."""
    return looks[round(start * len(looks)) : round(end * len(looks))]


@pytest.mark.long
@pytest.mark.skipif(MINUTES == 0, reason="TESTS_SOAK_MINUTES is 0")
def test_the_app_holds_no_more_after_half_an_hour_of_everything(pose_model: Path, tmp_path: Path) -> None:
    crowd = Crowd(PEOPLE, 60 * MINUTES, PAUSE)
    retriever = save_retriever(tmp_path / "retriever", "en", "hi", missing=True)
    with (
        app_with_a_campaign(pose_model, crowd, FMP_RETRIEVER=str(retriever)) as app,
        ThreadPoolExecutor(8) as pool,
    ):
        at_first, end = look(app), threading.Event()
        try:
            rounds = [pool.submit(over_and_over, do, end) for do in works(app, tmp_path)]
            answering = pool.submit(asyncio.run, answer_at(app, crowd))
            looks = looked_at(app, answering)
        finally:
            end.set()
        times = [one.result() for one in rounds]
        waits = answering.result()
        deadline = time.monotonic() + SWEPT_WITHIN
        while temporary_bytes(app) > at_first.temporary and time.monotonic() < deadline:
            time.sleep(1)
        left = temporary_bytes(app)
        log_text = "".join(app.output)

    assert not waits.faults, waits.faults[:5]
    assert waits.answers
    assert all(times)
    assert "Traceback" not in log_text, log_text[-4000:]
    # The first two fifths are for what is loaded once and for the first sweeps.
    early, late = between(looks, 0.4, 0.65), between(looks, 0.75, 1)
    memory = [statistics.median(one.memory for one in part) for part in (early, late)]
    files = [max(one.files for one in part) for part in (early, late)]
    temporary = [max(one.temporary for one in part) for part in (early, late)]
    tenths = [f"{looks[round(n * (len(looks) - 1) / 10)].memory:.0f}" for n in range(11)]
    print(  # noqa: T201 - the figures are the result
        f"corrections, searches, broken files, broken uploads, uploads left: {times}; {len(waits.answers)} answers; "
        f"memory {memory[0]:.0f} to {memory[1]:.0f} MB, files {files[0]} to {files[1]}, "
        f"temporary {temporary[0] / 1e6:.1f} to {temporary[1] / 1e6:.1f} MB, {left} bytes left; "
        f"MB at each tenth of the time: {', '.join(tenths)}"
    )
    assert memory[1] < memory[0] + MORE_MEMORY
    assert files[1] <= files[0] + MORE_FILES
    assert temporary[1] < temporary[0] + MORE_BYTES
    assert left <= at_first.temporary

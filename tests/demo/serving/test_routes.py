"""Loops over HTTP: pictures in, one animated file out; what is no row of small pictures is refused in one sentence."""

from __future__ import annotations

import asyncio
import io
import struct
import tracemalloc
from collections.abc import AsyncIterator, MutableMapping
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import ExifTags, Image, ImageSequence
from starlette.applications import Starlette
from starlette.middleware import Middleware

from demo.i18n import interface_texts
from demo.serving.request_bodies import LOOP_PATH, MAX_LOOP_BYTES, BoundBodies
from demo.serving.routes import MAX_LOOPS, MAX_MILLISECONDS, MAX_PICTURES, LoopRoute, animated
from demo.serving.uploads import UploadFolder, UploadLedger
from fmp_models.errors import BadInputError
from tests.demo.live.test_routes import nothing_written
from tests.loops import run_aside

SECONDS = 30  # in which all is answered, or the test fails


def picture(colour: str = "teal", size: tuple[int, int] = (64, 80), kind: str = "JPEG", **more: object) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", size, colour).save(written, kind, **more)
    return written.getvalue()


def row(*pictures: tuple[int, bytes]) -> bytes:
    """Pictures with their milliseconds, as the page sends them."""
    return b"".join(struct.pack(">HI", milliseconds, len(file)) + file for milliseconds, file in pictures)


TURNED = Image.Exif()
TURNED[ExifTags.Base.Orientation] = 6  # a quarter
THREE = row((600, picture("red")), (68, picture("green")), (1068, picture("blue")))


class Visitors:
    """Visitors from several networks before one app, whose uploads would lie in a folder."""

    def __init__(self, folder: Path) -> None:
        bounds = Middleware(BoundBodies, folder=UploadFolder(folder, UploadLedger()))
        self._app = Starlette(routes=LoopRoute().routes(), middleware=[bounds])

    async def post(self, body: bytes | AsyncIterator[bytes], network: str = "8.8.8.8") -> httpx.Response:
        transport = httpx.ASGITransport(self._app, client=(network, 50000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await asyncio.wait_for(client.post(LOOP_PATH, content=body), SECONDS)

    async def give_up(self) -> int:
        """Leave while the body is on its way; the status of the answer that nobody sees."""
        messages: list[MutableMapping[str, Any]] = [
            {"type": "http.request", "body": THREE[:100], "more_body": True},
            {"type": "http.disconnect"},
        ]
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return messages.pop(0)

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": LOOP_PATH, "client": ("8.8.8.8", 50000), "query_string": b""}
        length = (b"content-length", str(len(THREE)).encode())
        await self._app({**scope, "headers": [length]}, receive, send)
        return int(sent[0]["status"])


class SlowBody:
    """A sound body whose last bytes come when they are let."""

    def __init__(self) -> None:
        self.begun, self.end = asyncio.Event(), asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give both pieces."""
        self.begun.set()
        yield THREE[:100]
        await self.end.wait()
        yield THREE[100:]


@pytest.fixture
def visitors(tmp_path: Path) -> Visitors:
    return Visitors(tmp_path)


def test_pictures_become_one_file_that_loops_for_ever_and_nothing_is_kept(visitors: Visitors, tmp_path: Path) -> None:
    with nothing_written(tmp_path):
        answer = run_aside(visitors.post(THREE))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
    assert answer.headers["cache-control"] == "no-store"
    with Image.open(io.BytesIO(answer.content)) as loop:
        shown = []
        for frame in ImageSequence.Iterator(loop):
            frame.load()
            shown.append((frame.info["duration"], np.asarray(frame.convert("RGB")).mean(axis=(0, 1)).argmax()))
        assert (loop.format, loop.size, loop.info["loop"]) == ("WEBP", (64, 80), 0)
    assert shown == [(600, 0), (68, 1), (1068, 2)]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no pictures at all",
        picture(),
        THREE[:-1],
        THREE + b"\x00",
        row((100, picture())),
        row((100, picture()), (0, picture())),
        row((100, picture()), (MAX_MILLISECONDS + 1, picture())),
        row((100, picture()), (100, b"")),
        row((100, picture()), (100, b"no picture")),
        row((100, picture()), (100, picture()[:300])),
        row((100, picture()), (100, picture(size=(80, 64)))),
        row((100, picture()), (100, picture(exif=TURNED))),
        row((100, picture(size=(1, 1))), (100, picture(size=(1, 1)))),
        row((100, picture(kind="PNG")), (100, picture(kind="PNG"))),
        row((100, picture(kind="WEBP")), (100, picture(kind="WEBP"))),
        row((100, picture(size=(4000, 3000))), (100, picture(size=(4000, 3000)))),
        row(*[(68, picture())] * (MAX_PICTURES + 1)),
        row(*[(1, b"")] * 100_000),
        row(*[(1, picture())] * 5000),
    ],
    ids=lambda body: f"{len(body)} bytes",
)  # fmt: skip
def test_what_is_no_row_of_small_pictures_is_refused(visitors: Visitors, body: bytes) -> None:
    answer = run_aside(visitors.post(body))
    assert (answer.status_code, answer.json()["code"]) == (422, "loop_pictures")
    assert set(answer.json()["text"]) == {"en", "hi"}


def test_a_body_of_a_million_empty_pictures_takes_no_memory() -> None:
    body = bytes(MAX_LOOP_BYTES)
    tracemalloc.start()
    try:
        with pytest.raises(BadInputError) as refused:
            animated(body)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert refused.value.code == "loop_pictures"
    assert most < 1_000_000


def test_a_huge_body_is_refused_in_our_words_whether_its_length_is_told_or_not(visitors: Visitors) -> None:
    async def untold() -> AsyncIterator[bytes]:
        for _ in range(MAX_LOOP_BYTES // 100_000 + 2):
            yield bytes(100_000)

    for body in (bytes(MAX_LOOP_BYTES + 1), untold()):
        answer = run_aside(visitors.post(body))
        sentence = interface_texts()["en"]["sent.loop_too_large"].format(limit_mb=MAX_LOOP_BYTES // 1_000_000)
        assert (answer.status_code, answer.json()) == (413, {"detail": sentence})


def test_a_network_has_one_loop_made_at_a_time_and_the_server_few(visitors: Visitors) -> None:
    async def act() -> list[tuple[int, str]]:
        networks = [f"8.8.{number}.8" for number in range(MAX_LOOPS)]
        bodies = [SlowBody() for _ in networks]
        making = [
            asyncio.create_task(visitors.post(aiter(body), network))
            for body, network in zip(bodies, networks, strict=True)
        ]
        for body in bodies:
            await body.begun.wait()
        refused = [await visitors.post(THREE, networks[0]), await visitors.post(THREE, "1.1.1.1")]
        for body in bodies:
            body.end.set()
        assert [(await one).status_code for one in making] == [200] * MAX_LOOPS
        assert (await visitors.post(THREE, networks[0])).status_code == 200
        return [(answer.status_code, answer.json()["code"]) for answer in refused]

    assert run_aside(act()) == [(429, "loop_busy"), (503, "loop_full")]


def test_a_loop_that_its_visitor_gave_up_leaves_room_for_the_next(visitors: Visitors) -> None:
    assert run_aside(visitors.give_up()) == 400
    assert run_aside(visitors.post(THREE)).status_code == 200

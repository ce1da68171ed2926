"""Bodies that come more slowly than the least speed are cut, whatever they are for; others are read whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from demo.serving import request_bodies
from demo.serving.request_bodies import BoundBodies
from demo.serving.uploads import UploadFolder, UploadLedger
from tests.loops import run_aside

KINDS = ["/live/goal", "/live/frame", "/live/stay", "/gradio_api/upload", "/gradio_api/mcp/", "/gradio_api/queue/join"]
PERIOD = 0.05  # seconds between two pieces
PIECES = 20


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_bodies, "GRACE_SECONDS", 0.3)


async def pieces(piece: bytes, sent: list[bytes]) -> AsyncIterator[bytes]:
    """Yield the body of a JSON text, piece by piece, and note the pieces."""
    yield b'"'
    for _ in range(PIECES):
        sent.append(piece)
        yield piece
        await asyncio.sleep(PERIOD)
    yield b'"'


def post(path: str, piece: bytes, folder: Path, server_pause: float = 0) -> tuple[httpx.Response, int]:
    """Return the response to a body by an app that reads it whole and returns its length, and how many pieces went."""
    sent: list[bytes] = []

    async def read(request: Request) -> Response:
        length = 0
        async for part in request.stream():
            length += len(part)
            await asyncio.sleep(server_pause)
        return PlainTextResponse(str(length))

    async def send() -> httpx.Response:
        bounds = Middleware(BoundBodies, folder=UploadFolder(folder, UploadLedger()))
        app = Starlette(routes=[Route(path, read, methods=["POST"])], middleware=[bounds])
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.post(path, content=pieces(piece, sent))

    return run_aside(send()), len(sent)


@pytest.mark.parametrize("path", KINDS)
def test_a_body_that_comes_byte_by_byte_is_cut(path: str, tmp_path: Path) -> None:
    answer, sent = post(path, b"x", tmp_path)
    assert sent < PIECES
    assert answer.status_code == 408
    assert "too slowly" in answer.json()["detail"]
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("path", ["/live/goal", "/gradio_api/mcp/"])
def test_a_body_above_the_least_speed_is_read_whole(path: str, tmp_path: Path) -> None:
    piece = b"x" * round(20 * PERIOD * request_bodies.MIN_BYTES_PER_SECOND)
    answer, _ = post(path, piece, tmp_path)
    assert (answer.status_code, answer.text) == (200, str(PIECES * len(piece) + 2))


def test_nothing_is_late_while_the_server_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.demo.serving.test_slow_bodies.PERIOD", 0)
    answer, _ = post("/live/goal", b"x", tmp_path, server_pause=0.02)
    assert (answer.status_code, answer.text) == (200, str(PIECES + 2))

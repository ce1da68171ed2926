from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator

import brotli
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from demo.serving.documents import compression
from demo.serving.documents.compression import Compress
from tests.loops import run_aside

PAGE = "<p>pose</p>" * 500


async def page(_: Request) -> Response:
    return Response(PAGE, media_type="text/html")


async def script(_: Request) -> Response:
    return StreamingResponse((part for part in ("let a = 1;" * 400, "let b = 2;" * 400)), media_type="text/javascript")


async def events(_: Request) -> Response:
    return StreamingResponse((f"data: {number}\n\n" for number in range(400)), media_type="text/event-stream")


async def photograph(_: Request) -> Response:
    return Response(b"\xff\xd8" * 4000, media_type="image/jpeg")


async def answer(_: Request) -> Response:
    return JSONResponse({"text": "Raise your arms. " * 200})


async def large(_: Request) -> Response:
    return StreamingResponse((b" " * 500_000 for _ in range(10)), media_type="text/css")


async def missing(_: Request) -> Response:
    return PlainTextResponse("Not found", 404)


@pytest.fixture
def client() -> Iterator[TestClient]:
    paths = {
        "/": page,
        "/assets/index-DphvyggB.js": script,
        "/assets/missing-DphvyggB.js": missing,
        "/gradio_api/queue/data": events,
        "/gradio_api/call": answer,
        "/live/frame": answer,
        "/examples/picture": photograph,
        "/large.css": large,
    }
    app = Starlette(
        routes=[Route(path, handler, methods=["GET", "POST"]) for path, handler in paths.items()],
        middleware=[Middleware(Compress)],
    )
    with TestClient(app) as opened:
        yield opened


@pytest.mark.parametrize(
    ("accepted", "undo"), [("gzip, deflate, br, zstd", brotli.decompress), ("gzip", gzip.decompress)]
)
def test_a_document_comes_in_the_encoding_that_the_browser_accepts(
    client: TestClient, accepted: str, undo: Callable[[bytes], bytes]
) -> None:
    with client.stream("GET", "/", headers={"Accept-Encoding": accepted}) as got:
        raw = b"".join(got.iter_raw())
    assert undo(raw).decode() == PAGE
    assert int(got.headers["content-length"]) == len(raw) < len(PAGE) / 5
    assert "accept-encoding" in got.headers["vary"].lower()


@pytest.mark.parametrize("accepted", ["identity", "br;q=0, gzip; q=0.0", "broken"])
def test_who_accepts_no_encoding_gets_the_document_as_it_is(client: TestClient, accepted: str) -> None:
    got = client.get("/", headers={"Accept-Encoding": accepted})
    assert "content-encoding" not in got.headers
    assert got.text == PAGE


def test_a_hashed_script_lasts_and_one_that_is_missing_does_not(client: TestClient) -> None:
    got = client.get("/assets/index-DphvyggB.js", headers={"Accept-Encoding": "br"})
    assert got.headers["content-encoding"] == "br"
    assert got.text == "let a = 1;" * 400 + "let b = 2;" * 400
    assert "immutable" in got.headers["cache-control"]
    assert "cache-control" not in client.get("/assets/missing-DphvyggB.js").headers


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/gradio_api/queue/data"),
        ("GET", "/gradio_api/call"),
        ("GET", "/live/frame"),
        ("GET", "/examples/picture"),
        ("POST", "/"),
        ("GET", "/large.css"),
    ],
)
def test_streams_photographs_and_answers_are_left_as_they_are(client: TestClient, method: str, path: str) -> None:
    got = client.request(method, path, headers={"Accept-Encoding": "br, gzip"})
    assert got.status_code == 200
    assert got.content
    assert "content-encoding" not in got.headers


def test_a_body_is_compressed_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def noted(body: bytes, encoding: str, lasting: bool) -> bytes:  # noqa: FBT001  as it is called
        sizes.append(len(body))
        return compressed(body, encoding, lasting)

    compressed = compression._compressed
    monkeypatch.setattr(compression, "_compressed", noted)
    for _ in range(3):
        assert client.get("/", headers={"Accept-Encoding": "br"}).text == PAGE
    assert sizes == [len(PAGE)]


def test_what_is_kept_takes_so_many_bytes_and_what_was_asked_for_last_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bodies = [bytes([number]) * 4 + PAGE.encode() for number in range(6)]
    one = len(gzip.compress(bodies[0], 6, mtime=0))
    monkeypatch.setattr(compression, "_MAX_KEPT_BYTES", 3 * one + 10)
    compress = Compress(page)

    async def ask() -> list[bytes]:
        asked = [asked for body in bodies for asked in (body, bodies[0])]
        return [gzip.decompress(await compress.body(body, "gzip", lasting=False)) for body in asked]

    assert run_aside(ask())[::2] == bodies
    assert sum(map(len, compress._kept.values())) <= 3 * one + 10
    assert [gzip.decompress(kept) for kept in compress._kept.values()] == [bodies[4], bodies[5], bodies[0]]

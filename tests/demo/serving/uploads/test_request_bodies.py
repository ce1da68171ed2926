from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from urllib.parse import unquote

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from demo.gradio_parts.uploads import CountUploads, UploadLedger
from demo.i18n import interface_texts, text
from demo.serving.uploads.request_bodies import MAX_CALL_BYTES, MAX_JSON_BYTES, MAX_PHOTOGRAPHS, BoundBodies
from demo.serving.uploads.upload_folder import UploadFolder
from tests.loops import run_aside


@pytest.fixture
def folder(tmp_path: Path) -> UploadFolder:
    return UploadFolder(tmp_path, UploadLedger())


async def keep(request: Request) -> JSONResponse:
    """Keep an upload as Gradio does, and say where."""
    await anyio.Path(request.headers["at"]).write_bytes(await request.body())
    return JSONResponse([request.headers["at"]])


async def repeat(request: Request) -> Response:
    """Answer with what has come."""
    return Response(await request.body())


def post(
    folder: UploadFolder, route: str, content: bytes, network: str = "127.0.0.1", **headers: str
) -> httpx.Response:
    """Send a body from a network."""
    app = Starlette(
        routes=[
            Route("/gradio_api/upload", keep, methods=["POST"]),
            Route("/gradio_api/mcp/", repeat, methods=["POST"]),
        ],
        middleware=[Middleware(BoundBodies, folder=folder), Middleware(CountUploads, ledger=folder.ledger)],
    )

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, client=(network, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post(f"/gradio_api/{route}", content=content, headers=headers)

    return run_aside(send())


@pytest.mark.parametrize("language", ["en", "hi"])
@pytest.mark.parametrize(
    ("route", "content", "headers", "key"),
    [
        ("call/correct", bytes(MAX_JSON_BYTES + 1), {}, "too_large"),
        ("mcp/", b"", {"content-length": str(MAX_CALL_BYTES + 1)}, "call_too_large"),
        ("upload", b"", {"content-length": str(MAX_CALL_BYTES + 1)}, "upload_too_large"),
        ("call/correct", b'{"data": "\\ud800"}', {}, "half_character"),
        ("call/correct", b"[" * 40, {}, "too_deep"),
        ("call/correct", b"[" + b"1," * 30_000, {}, "many_values"),
        ("call/correct", b"\xff", {}, "no_utf8"),
    ],
)
def test_a_body_is_refused_in_the_language_that_its_headers_prefer(  # noqa: PLR0913, PLR0917  what is sent, and how
    folder: UploadFolder, route: str, content: bytes, headers: dict[str, str], key: str, language: str
) -> None:
    answer = post(folder, route, content, **{"accept-language": f"{language}-IN,fr;q=0.5", **headers})

    places = {"limit_mb", "most", "route"}
    beginning = interface_texts()[language][f"sent.{key}"].split("{")[0]
    assert answer.json()["detail"].startswith(beginning)
    assert not places & set(answer.json()["detail"].split())
    assert 400 <= answer.status_code < 500


def test_a_full_folder_is_told_in_the_language_that_is_preferred(folder: UploadFolder) -> None:
    folder.most_bytes = 10

    answer = post(folder, "upload", bytes(100), **{"accept-language": "hi"})

    assert (answer.status_code, answer.json()["detail"]) == (507, text("sent.full").by_language["hi"])


@pytest.mark.parametrize("size", [100, 11_900, 12_100, 36_000, 47_900, 48_100, 300_000])
def test_a_call_may_hold_twenty_one_photographs_of_any_size(folder: UploadFolder, size: int) -> None:
    photographs = [random.Random(number).randbytes(size) for number in range(MAX_PHOTOGRAPHS)]
    uris = [f"data:image/jpeg;base64,{base64.b64encode(one).decode()}" for one in photographs]
    call = {"current": uris[0], "candidates": uris[1:], "description": "x" * 1000}

    answer = post(folder, "mcp/", json.dumps(call).encode(), "8.8.8.8")

    assert answer.status_code == 200, answer.text
    assert len(answer.content) < MAX_JSON_BYTES
    given = [answer.json()["current"], *answer.json()["candidates"]]
    stored = [unquote(one.partition("file=")[2]) for one in given]
    read = [
        Path(path).read_bytes() if path else base64.b64decode(uri.partition(",")[2])
        for path, uri in zip(stored, given, strict=True)
    ]
    assert read == photographs
    assert {folder.ledger.giver(path) for path in stored if path} <= {"8.8.8.8"}


def test_an_upload_is_known_by_the_network_that_it_comes_from(folder: UploadFolder) -> None:
    path = folder.path / "photograph"

    post(folder, "upload", bytes(10), "8.8.8.8", at=str(path))

    assert folder.ledger.giver(str(path)) == "8.8.8.8"

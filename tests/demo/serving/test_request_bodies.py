"""Limits of request bodies and of JSON, and the photographs in the text of a tool call."""

from __future__ import annotations

import base64
import io
import json
import random
from pathlib import Path
from urllib.parse import unquote

import anyio
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as some
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from demo.i18n import interface_texts, text
from demo.serving.request_bodies import (
    MAX_CALL_BYTES,
    MAX_DEPTH,
    MAX_JSON_BYTES,
    MAX_PHOTOGRAPHS,
    MAX_VALUES,
    MIN_URI_CHARS,
    BoundBodies,
    DataUriReader,
    fault,
)
from demo.serving.uploads import CountUploads, UploadFolder, UploadLedger
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


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, some.booleans())
def test_whatever_is_written_of_whole_characters_may_be_parsed(value: object, escaped: bool) -> None:  # noqa: FBT001
    assert fault(json.dumps(value, ensure_ascii=escaped).encode()) is None


@given(some.text(some.characters(categories=["Cs", "L"]), max_size=8))
def test_half_a_character_is_found_exactly_where_the_parser_makes_one(text: str) -> None:
    data = json.dumps([text, "\\ud800"]).encode()
    parsed = json.loads(data)[0]

    assert (fault(data) is not None) == any("\ud800" <= sign <= "\udfff" for sign in parsed)


@pytest.mark.parametrize(
    ("data", "good"),
    [
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, True),
        (b"[" * (MAX_DEPTH + 1), False),
        (b'"' + b"[{," * MAX_VALUES + b'"', True),
        (b"[" + b"0," * (MAX_VALUES - 1) + b"0]", True),
        (b"[" + b"0," * MAX_VALUES + b"0]", False),
        (b"[" + b"[]," * MAX_VALUES, False),
        (b'"' + b"x" * 900_000, True),  # what is no JSON at all, the parser finds out
        (b'"\xed\xa0\x80"', False),
        ('"x"'.encode("utf-16-le"), False),
        (b"", True),
    ],
)
def test_depth_and_number_of_values_are_bounded_outside_of_texts(data: bytes, good: bool) -> None:  # noqa: FBT001
    assert (fault(data) is None) == good


class Kept(io.BytesIO):
    """A file whose bytes can be read after it was closed."""

    content = b""

    def close(self) -> None:
        self.content = self.content or self.getvalue()
        super().close()


def taken(data: bytes, sizes: list[int], most: int = 10**7) -> tuple[object, list[bytes]]:
    """Return the rest of a text that arrives in pieces of these sizes, and the photographs that it held."""
    files: list[Kept] = []

    def new_file() -> tuple[Kept, str]:
        files.append(Kept())
        return files[-1], f"address {len(files) - 1}"

    photographs = DataUriReader(new_file, most)
    at = number = 0
    while at < len(data):
        size = sizes[number % len(sizes)]
        photographs.feed(data[at : at + size])
        at, number = at + size, number + 1
    photographs.close()
    assert all(file.closed for file in files)
    return json.loads(photographs.rest), [file.content for file in files]


def uri(picture: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}"


@pytest.mark.parametrize("sizes", [[1 << 18], [4096], [1000, 7, 1], [65_536, 3, 100]])
@pytest.mark.parametrize("slashes", [False, True])
def test_long_data_uris_become_files_wherever_the_text_is_cut(
    sizes: list[int],
    slashes: bool,  # noqa: FBT001  a case
) -> None:
    dice = random.Random(7)
    long, short = dice.randbytes(200_001), dice.randbytes(1000)
    values = {"a": uri(long), 'quoted "\\ data:': 'data:image/jpeg;base64,"', "c": [uri(short), uri(long[::-1])]}
    values["words"] = 'z"😀' * MIN_URI_CHARS
    text = json.dumps({**values, "last": 1})

    rest, files = taken((text.replace("/", "\\/") if slashes else text).encode(), sizes)

    assert rest == {**values, "a": "address 0", "c": [uri(short), "address 1"], "last": 1}
    assert files == [long, long[::-1]]


def test_of_a_photograph_that_is_too_large_one_byte_more_than_allowed_is_kept() -> None:
    _, (file,) = taken(json.dumps(uri(bytes(300_000))).encode(), [65_536], most=100_000)

    assert len(file) == 100_001


def test_what_is_no_base64_is_called_damaged() -> None:
    rest, _ = taken(json.dumps([f"data:image/png;base64,{'A=' * MIN_URI_CHARS}B"]).encode(), [65_536])

    assert rest == ["data:,x"]


def test_what_is_left_of_a_text_that_ends_too_early_is_known() -> None:
    photographs = DataUriReader(lambda: (Kept(), "address"), 100)
    photographs.feed(b'{"a": "data:image')

    assert photographs.size == len(b'{"a": "data:image')

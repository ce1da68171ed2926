"""The HTML document with its metadata and first paint, and the compression of responses."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator

import brotli
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from demo.i18n import interface_texts
from demo.serving import documents
from demo.serving.documents import Compress, Document, early_assets, language_of, rewritten
from tests.loops import run_aside

ROOT = "https://poses.example.org"


def request(query: str = "", accepted: str = "") -> Request:
    return Request(
        {"type": "http", "query_string": query.encode(), "headers": [(b"accept-language", accepted.encode("latin-1"))]}
    )


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "", "en"),
        ("lang=hi", "en-GB,en;q=0.9", "hi"),
        ("", "hi-IN,hi;q=0.9,en;q=0.8", "hi"),
        ("lang=en", "hi-IN", "en"),
        ("lang=xx", "hi-IN", "hi"),
        ("lang=%00&lang=", "fr-FR", "en"),
        ("lang=" + "h" * 5000, "\xff" * 5000, "en"),
    ],
)
def test_the_address_goes_before_what_the_browser_accepts(query: str, accepted: str, language: str) -> None:
    assert language_of(request(query, accepted)) == language


@pytest.mark.parametrize("language", ["en", "hi"])
def test_the_tags_name_the_page_in_the_language_that_is_asked_for(language: str) -> None:
    head = Document(["correct"], opening="squat").head(request(f"lang={language}"), f"{ROOT}/")
    told = interface_texts()[language]
    content = dict(re.findall(r'<meta (?:property|name)="([\w:-]+)" content="([^"]*)"', head))
    assert told["page.title"] in head.partition("</title>")[0]
    assert content["og:title"] == told["page.title"]
    assert content["og:description"] == content["description"] == told["page.description"]
    assert content["og:url"] == f"{ROOT}/"
    assert content["og:image"] == f"{ROOT}/examples/share.jpg"
    assert content["twitter:card"] == "summary_large_image"
    assert f'hreflang="hi" href="{ROOT}/?lang=hi"' in head


def test_nothing_of_gradios_own_name_is_left_and_its_configuration_stands_last() -> None:
    source = (documents._FOLDER / "index.html").read_text(encoding="utf-8")
    assert 'content="Gradio"' in source
    written = rewritten(source)
    assert not re.findall(r"og:|twitter:|\{url\}|header-image", written)
    places = [
        written.index(one)
        for one in ("document.head(", "first_paint(", "<gradio-app", "own_scripts", "gradio_config =")
    ]
    assert places == sorted(places)
    assert "if (parent !== window)" in written


def test_what_every_page_needs_is_asked_for_early_and_is_there() -> None:
    names = [asset.rpartition("/")[2] for asset in early_assets()]
    assert {name.partition("-")[0] for name in names} >= {"index", "Index", "Blocks", "HTML"}
    assert all((documents._FOLDER / asset).is_file() for asset in early_assets())
    assert 10 < len(names) < 40


def test_what_is_served_under_another_name_is_escaped() -> None:
    head = Document(["correct"], opening="squat").head(request(), 'https://x/"><script>alert(1)</script>')
    assert "<script>" not in head


def test_the_first_paint_names_the_example_that_the_page_opens_with() -> None:
    heading = interface_texts()["hi"]["captions.squat"]
    assert heading in Document(["correct"], opening="squat").first_paint(request("lang=hi"))
    assert heading not in Document(["correct"], opening="").first_paint(request("lang=hi"))


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

    compressed = documents._compressed
    monkeypatch.setattr(documents, "_compressed", noted)
    for _ in range(3):
        assert client.get("/", headers={"Accept-Encoding": "br"}).text == PAGE
    assert sizes == [len(PAGE)]


def test_what_is_kept_takes_so_many_bytes_and_what_was_asked_for_last_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bodies = [bytes([number]) * 4 + PAGE.encode() for number in range(6)]
    one = len(gzip.compress(bodies[0], 6, mtime=0))
    monkeypatch.setattr(documents, "_MAX_KEPT_BYTES", 3 * one + 10)
    compress = Compress(page)

    async def ask() -> list[bytes]:
        asked = [asked for body in bodies for asked in (body, bodies[0])]
        return [gzip.decompress(await compress.body(body, "gzip", lasting=False)) for body in asked]

    assert run_aside(ask())[::2] == bodies
    assert sum(map(len, compress._kept.values())) <= 3 * one + 10
    assert [gzip.decompress(kept) for kept in compress._kept.values()] == [bodies[4], bodies[5], bodies[0]]

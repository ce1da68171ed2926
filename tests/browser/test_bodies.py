"""Bodies of requests that mean harm: refused before they are parsed, in one sentence, at nearly no cost."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from PIL import Image

from demo.serving.connections import HEAD_SECONDS
from demo.serving.request_bodies import MAX_CALL_BYTES, MAX_DEPTH, MAX_JSON_BYTES, MAX_UPLOAD_BYTES, MAX_VALUES
from tests.browser.tools import call_tool, data_uri
from tests.browser.visits import App, Pictures
from tests.thoroughness import one_of, some, thorough

HUGE = 300_000_000  # bytes
CHEAP_MB = 60
ROUTES = ("queue/join", "call/correct", "call/v2/correct", "run/predict", "api/correct", "cancel", "reset", "no/such")
PIECE = b"[],{}," * 20_000


def pieces(total: int) -> Iterator[bytes]:
    """Yield the beginning of a list, and then endless items."""
    yield b'{"data": ['
    for _ in range(total // len(PIECE)):
        yield PIECE


def post(app: App, route: str, content: bytes | str, kind: str = "application/json") -> httpx.Response:
    return httpx.post(f"{app.url}/gradio_api/{route}", content=content, headers={"Content-Type": kind}, timeout=60)


def only_headers(app: App, route: str, length: int, kind: str = "application/json") -> tuple[int, str]:
    """Return the response to a request whose body never arrives."""
    connection = http.client.HTTPConnection(str(urlsplit(app.url).netloc), timeout=20)
    connection.putrequest("POST", f"/gradio_api/{route}")
    connection.putheader("Content-Type", kind)
    connection.putheader("Content-Length", str(length))
    connection.endheaders()
    answer = connection.getresponse()
    status_and_text = answer.status, answer.read().decode()
    connection.close()
    return status_and_text


@pytest.mark.parametrize("route", some(ROUTES, 4))
def test_json_over_a_megabyte_is_refused_before_it_is_read(app: App, route: str) -> None:
    status, refusal = only_headers(app, route, MAX_JSON_BYTES + 1)

    assert status == 413
    assert "larger than 1 MB" in refusal


@pytest.mark.parametrize(
    ("route", "length", "kind"),
    [
        ("mcp/", MAX_CALL_BYTES + 1, "application/json"),
        ("upload", MAX_UPLOAD_BYTES + 1, "multipart/form-data; boundary=x"),
    ],
)
def test_a_tool_call_and_an_upload_have_limits_of_their_own(app: App, route: str, length: int, kind: str) -> None:
    status, refusal = only_headers(app, route, length, kind)

    assert status == 413
    assert "20 MB each" in refusal


@pytest.mark.parametrize("route", one_of(["queue/join", "call/correct", "mcp/"], 2))
@pytest.mark.parametrize("chunked", [False, True])
def test_three_hundred_megabytes_of_json_cost_nearly_no_memory(
    app: App,
    route: str,
    chunked: bool,  # noqa: FBT001  a case
) -> None:
    before = app.memory_mb()
    app.forget_peak()
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers |= {} if chunked else {"Content-Length": str(sum(map(len, pieces(HUGE))))}

    answer = httpx.post(f"{app.url}/gradio_api/{route}", content=pieces(HUGE), headers=headers, timeout=120)

    assert answer.status_code == 413
    assert app.peak_mb() - before < CHEAP_MB


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nests more than"),
        ("[" * 400_000, "nests more than"),
        (json.dumps([0] * (MAX_VALUES + 1)), "contains more than"),
        ('{"data": ["\\ud800"], "session_hash": "x", "fn_index": 0}', "an incomplete character"),
        (b'{"data": ["\xed\xa0\x80"], "session_hash": "x", "fn_index": 0}', "not valid UTF-8"),
        ('{"data": [], "session_hash": "x", "fn_index": 0}'.encode("utf-16"), "not valid UTF-8"),
    ],
)
@pytest.mark.parametrize("route", some(["queue/join", "call/retrieve", "run/predict", "mcp/"], 2))
def test_json_that_no_parser_should_meet_is_refused_in_one_sentence(
    app: App, route: str, body: str | bytes, sentence: str
) -> None:
    printed = len(app.output)

    answer = post(app, route, body)

    assert answer.status_code == 400
    assert sentence in answer.json()["detail"]
    assert not [line for line in app.output[printed:] if "Traceback" in line]


def test_a_press_with_whole_characters_is_answered(app: App) -> None:
    config = httpx.get(f"{app.url}/config").json()
    press = next(one for one in config["dependencies"] if any(target[1] == "act" for target in one["targets"]))
    body = {
        "data": [],
        "fn_index": press["id"],
        "trigger_id": press["targets"][0][0],
        "session_hash": "x",
        "event_data": {"action": "start", "number": 1, "guest": {"name": "😀"}},
    }

    answer = post(app, "run/predict", json.dumps(body))  # which writes 😀 as two halves

    assert answer.status_code == 200


def test_two_photographs_of_a_telephone_go_through_the_tool_as_data_uris(
    app: App, pictures: Pictures, tmp_path: Path
) -> None:
    large = []
    for number, path in enumerate((pictures.standing, pictures.warrior)):
        with Image.open(path) as opened:
            scale = 4032 / max(opened.size)
            grown = opened.convert("RGB").resize((round(opened.width * scale), round(opened.height * scale)))
        file = tmp_path / f"{number}.jpg"
        grown.save(file, quality=97, subsampling=0)
        file.write_bytes(file.read_bytes().ljust(3_500_000, b"\0"))
        large.append(file)
    before, stored = app.memory_mb(), app.stored_uploads()
    app.forget_peak()

    answer = call_tool(app, "correct", {"current": data_uri(large[0]), "target": data_uri(large[1]), "language": "en"})

    assert not answer.isError, answer.content
    assert json.loads(answer.content[0].text)["text"]
    assert app.peak_mb() - before < 400
    assert app.stored_uploads() <= stored


def test_a_photograph_over_the_limit_is_refused_by_the_tool_as_by_the_page(
    app: App, pictures: Pictures, tmp_path: Path
) -> None:
    big = tmp_path / "big.jpg"
    big.write_bytes(pictures.standing.read_bytes().ljust(25_000_000, b"\0"))

    answer = call_tool(app, "correct", {"current": data_uri(big), "target": data_uri(pictures.warrior)})

    assert answer.isError
    assert answer.content[0].text.startswith("Current photograph: This file is larger than 20 MB")


def test_the_tools_say_how_large_a_photograph_may_be(app: App) -> None:
    tools = {tool["name"]: tool["description"] for tool in httpx.get(f"{app.url}/gradio_api/mcp/schema").json()}
    about = {
        name: description for name, description in tools.items() if not name.endswith("demonstrate")
    }  # which takes no photograph
    assert len(about) == len(tools) - 1
    assert all("up to 20 MB" in description for description in about.values())


@pytest.mark.parametrize("size", some(["512", "1", "x", "99999999"], 2))
def test_an_icon_of_some_size_is_not_there(app: App, size: str) -> None:
    printed = len(app.output)

    assert httpx.get(f"{app.url}/pwa_icon/{size}").status_code == 404
    assert not [line for line in app.output[printed:] if "Traceback" in line]


def part(name: str, content: bytes, field: str = "files") -> bytes:
    """Return a hand-written upload of one part."""
    heading = f'Content-Disposition: form-data; name="{field}"{name}\r\n\r\n'.encode("utf-8", "surrogateescape")
    return b"--x\r\n" + heading + content + b"\r\n--x--\r\n"


@pytest.mark.parametrize(
    "name",
    [
        '; filename="."',
        '; filename=".."',
        '; filename="/"',
        '; filename=""',
        '; filename="a\0b"',
        '; filename="' + "n" * 300 + '"',
        '; filename="' + "न" * 300 + '.jpg"',
        '; filename="\udcff\udcfe"',
        '; filename="..\\\\..\\\\x"',
        '; filename="CON:"',
        "; filename*=utf-8''%ED%A0%80.jpg",
        "; filename*=utf-8''a%00b",
        "",
    ],
)
@pytest.mark.parametrize("query", one_of(["", "?upload_id=1"]))
def test_an_upload_of_an_odd_name_is_taken_or_refused_in_words(app: App, name: str, query: str) -> None:
    printed, stored = len(app.output), app.stored_uploads()

    answer = post(app, f"upload{query}", part(name, b"picture"), "multipart/form-data; boundary=x")

    assert answer.status_code in {200, 400}, answer.text
    assert answer.text
    taken = [Path(path) for path in answer.json()] if answer.status_code == 200 else []
    assert [path.is_file() for path in taken] == [True] * (answer.status_code == 200)
    for path in taken:
        path.unlink()
        path.parent.rmdir()
    assert app.stored_uploads() <= stored
    assert not [line for line in app.output[printed:] if "Traceback" in line]


def test_a_text_in_an_upload_is_short(app: App) -> None:
    app.forget_peak()
    before = app.memory_mb()

    answer = post(app, "upload", part("", bytes(100_000_000)), "multipart/form-data; boundary=x")

    assert answer.status_code == 413
    assert app.peak_mb() - before < CHEAP_MB


def test_an_upload_that_breaks_off_leaves_nothing_and_no_traceback(app: App) -> None:
    stored, printed = app.stored_uploads(), len(app.output)
    address = urlsplit(app.url)
    for _ in range(5):
        with socket.create_connection((str(address.hostname), int(address.port or 0))) as connection:
            head = (
                "POST /gradio_api/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000000\r\n"
                "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
            )
            connection.sendall(head.encode() + part('; filename="a.jpg"', bytes(1_000_000))[:-20])
            app.wait_until(lambda: bool(app.stored_uploads() - stored))

        app.wait_until(lambda: app.stored_uploads() <= stored)

    assert not [line for line in app.output[printed:] if "Traceback" in line]


@thorough
def test_the_app_cuts_a_half_sent_head_and_answers_others_meanwhile(app: App) -> None:
    parts = urlsplit(app.url)
    with socket.create_connection((parts.hostname, parts.port), HEAD_SECONDS + 20) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half:")
        assert httpx.get(f"{app.url}/robots.txt", timeout=HEAD_SECONDS).status_code < 500
        assert client.recv(1) == b""

"""What becomes of uploads that no answer asks for, and of more than there is room for."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, expect

from demo.i18n import interface_texts
from tests.browser.conftest import visitors
from tests.browser.tools import data_uri
from tests.browser.visits import App, Pictures, give, running_app
from tests.thoroughness import thorough

KEPT_SECONDS, PATIENCE = 6, 1  # seconds in the place of minutes
SOON = (
    "import sys, app; from demo.serving import request_bodies, uploads; "
    f"uploads.KEPT_SECONDS, request_bodies.STALL_SECONDS = {KEPT_SECONDS}, {PATIENCE}; sys.exit(app.main())"
)


@pytest.fixture(scope="module")
def small(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app that has room for two megabytes of photographs, and keeps them for seconds."""
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, ("-c", SOON), FMP_UPLOADS_MB="2") as running:
        yield running


def send(app: App, size: int) -> httpx.Response:
    """Send a file whose content nobody else sends."""
    return httpx.post(f"{app.url}/gradio_api/upload", files={"files": ("a.jpg", os.urandom(size))}, timeout=60)


def emptied(app: App) -> bool:
    return not app.stored_uploads()


@thorough
def test_an_upload_that_nobody_asks_about_goes(small: App) -> None:
    stored = Path(send(small, 1000).json()[0])
    assert stored.is_file()

    small.wait_until(lambda: not stored.parent.exists(), 10 * KEPT_SECONDS)


def test_the_same_file_sent_twice_lies_under_two_paths_so_that_no_answer_takes_anothers_away(app: App) -> None:
    file = {"files": ("a.jpg", os.urandom(1000))}
    paths = {Path(httpx.post(f"{app.url}/gradio_api/upload", files=file, timeout=60).json()[0]) for _ in range(2)}
    assert len(paths) == 2
    assert all(path.is_file() for path in paths)
    for path in paths:
        path.unlink()
        path.parent.rmdir()


@thorough
def test_more_than_there_is_room_for_is_refused_in_words_until_there_is_room_again(
    small: App, browser: Browser, pictures: Pictures, tmp_path: Path
) -> None:
    small.wait_until(lambda: emptied(small), 10 * KEPT_SECONDS)
    assert send(small, 1_500_000).status_code == 200

    refused = send(small, 800_000)

    assert refused.status_code == 507
    assert "try again in three minutes" in refused.text
    assert "Traceback" not in "".join(small.output)
    small.wait_until(lambda: emptied(small), 10 * KEPT_SECONDS)
    assert send(small, 800_000).status_code == 200

    with visitors(small, browser) as open_page:
        page = open_page(language="hi")
        large = tmp_path / "large.heic"  # which the browser cannot make smaller
        large.write_bytes(bytes(2_500_000))
        give(page, large, pictures.warrior)
        page.locator("[data-action=submit]").click()
        expect(page.locator("[role=alert]:visible").first).to_contain_text(interface_texts()["hi"]["faults.full"])


@thorough
def test_an_upload_that_does_not_say_how_long_it_is_ends_where_there_is_no_room(small: App) -> None:
    def endless() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n'
        for _ in range(18):
            yield os.urandom(1_000_000)

    kind = {"Content-Type": "multipart/form-data; boundary=x"}

    answer = httpx.post(f"{small.url}/gradio_api/upload", content=endless(), headers=kind, timeout=60)

    assert answer.status_code == 507
    small.wait_until(lambda: emptied(small), 10 * KEPT_SECONDS)


@thorough
def test_an_upload_that_stands_still_is_ended_and_leaves_nothing(small: App) -> None:
    connection = http.client.HTTPConnection(str(urlsplit(small.url).netloc), timeout=30)
    connection.putrequest("POST", "/gradio_api/upload")
    connection.putheader("Content-Type", "multipart/form-data; boundary=x")
    connection.putheader("Content-Length", "1000000")
    connection.endheaders()
    heading = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n'
    connection.send(heading + bytes(300_000))

    answer = connection.getresponse()

    assert answer.status == 408
    assert "too slowly" in answer.read().decode()
    small.wait_until(lambda: emptied(small), 10 * KEPT_SECONDS)


@thorough
def test_photographs_in_the_call_of_a_tool_need_room_as_well(small: App, pictures: Pictures, tmp_path: Path) -> None:
    small.wait_until(lambda: emptied(small), 10 * KEPT_SECONDS)
    large = tmp_path / "large.jpg"
    large.write_bytes(pictures.standing.read_bytes().ljust(2_100_000, b"\0"))

    values = {"current": data_uri(large), "target": data_uri(large)}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "correct", "arguments": values}}

    for content in (json.dumps(call).encode(), iter([json.dumps(call).encode()])):  # told how long it is, and not told
        answer = httpx.post(f"{small.url}/gradio_api/mcp/", content=content, timeout=60)
        assert answer.status_code == 507
        assert "try again in three minutes" in answer.json()["detail"]

    assert emptied(small)

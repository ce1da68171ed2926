from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from demo.gradio_parts.uploads import CountUploads, UploadLedger


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "hash" / "photo.jpg"
    path.parent.mkdir()
    path.write_bytes(b"picture")
    return path


def test_a_file_goes_with_its_answer_and_takes_its_folder_along(stored: Path) -> None:
    ledger = UploadLedger()
    ledger.received(str(stored))

    ledger.used(str(stored))

    assert not stored.exists()
    assert not stored.parent.exists()


def test_a_file_two_visitors_sent_waits_for_both_answers(stored: Path) -> None:
    ledger = UploadLedger()
    ledger.received(str(stored))
    ledger.received(str(stored))

    ledger.used(str(stored))
    assert stored.exists()

    ledger.used(str(stored))
    assert not stored.exists()


def test_a_neighbour_of_the_same_content_is_left_alone(stored: Path) -> None:
    neighbour = stored.with_name("other.jpg")
    neighbour.write_bytes(b"picture")

    UploadLedger().used(str(stored))

    assert not stored.exists()
    assert neighbour.exists()


def test_the_same_file_for_both_photographs_goes_only_once(stored: Path) -> None:
    ledger = UploadLedger()
    ledger.received(str(stored))

    ledger.used(str(stored))
    ledger.used(str(stored))

    assert not stored.exists()


def test_forgotten_paths_do_not_pile_up(tmp_path: Path) -> None:
    ledger = UploadLedger()

    for number in range(5000):
        ledger.received(str(tmp_path / str(number)))

    assert len(ledger._needed) < 1100


@pytest.mark.parametrize(("status", "counted"), [(200, True), (413, False)])
def test_middleware_counts_what_the_upload_route_hands_out(stored: Path, status: int, counted: bool) -> None:  # noqa: FBT001
    async def route(scope: object, receive: object, send: object) -> None:  # noqa: ARG001
        await send({"type": "http.response.start", "status": status, "headers": []})  # type: ignore[operator]
        body = json.dumps([str(stored)]).encode()
        await send({"type": "http.response.body", "body": body[:5], "more_body": True})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": body[5:]})  # type: ignore[operator]

    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    ledger = UploadLedger()
    scope = {"type": "http", "method": "POST", "path": "/gradio_api/upload"}
    with ThreadPoolExecutor(1) as pool:  # a browser test of the same process may own this thread's loop
        pool.submit(asyncio.run, CountUploads(route, ledger)(scope, None, send)).result()  # type: ignore[arg-type]

    assert len(sent) == 3
    assert (str(stored) in ledger._needed) == counted


@pytest.mark.parametrize("name", [".", "gone/photo.jpg", "nul\0"])
def test_what_is_no_file_is_forgotten_without_a_fault(stored: Path, name: str) -> None:
    UploadLedger().used(str(stored.parent / name))

    assert stored.exists()

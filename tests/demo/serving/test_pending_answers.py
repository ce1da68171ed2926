"""What is left of a question without a listener: nothing, soon, and never more than there is room for."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from gradio.routes import file_upload_statuses
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from demo.i18n import text
from demo.serving import pending_answers
from demo.serving.connections import BoundedProtocol
from demo.serving.fair_queue import FairQueue
from demo.serving.pending_answers import AnswerStreams
from demo.serving.uploads import upload_folder
from tests.loops import run_aside
from tests.served_pages import SLOW, ServedPage, served_page, until
from tests.thoroughness import thorough

KEPT_SECONDS = 1.0  # seconds in the place of minutes


@pytest.fixture(scope="module")
def module_page() -> Iterator[ServedPage]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FairQueue, "kept", KEPT_SECONDS, raising=False)
        patch.setattr(pending_answers, "STALLED_SECONDS", KEPT_SECONDS)
        patch.setattr(upload_folder, "KEPT_SECONDS", KEPT_SECONDS)
        with served_page() as served:
            yield served


@pytest.fixture
def page(module_page: ServedPage) -> Iterator[ServedPage]:
    yield module_page
    module_page.let.clear()


def listen_and_leave(page: ServedPage, session: str, receive_buffer: int | None = None) -> socket.socket:
    """Begin to listen as a browser does, and take nothing."""
    place = urlsplit(page.url)
    connection = socket.socket()
    if receive_buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.connect((place.hostname, place.port))
    connection.sendall(
        f"GET /gradio_api/queue/data?session_hash={session} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode()
    )
    return connection


def nothing_is_left(page: ServedPage, *names: str) -> bool:
    held = page.held()
    return "data:image" not in held and not any(name in held for name in names) and not page.stored()


def test_of_a_question_without_a_listener_nothing_is_left_or_handed_out(page: ServedPage) -> None:
    event = page.ask("silent").json()["event_id"]
    until(lambda: "data:image" in repr(list(page.queue.pending_messages_per_session["silent"]._queue)))

    until(lambda: nothing_is_left(page, "silent", event))

    answer = page.hear("silent")
    assert answer.status_code == 404
    assert "No answer waits" in answer.text
    assert "data:image" not in answer.text


@thorough
def test_a_session_that_asks_on_keeps_no_answer_that_it_does_not_fetch(page: ServedPage) -> None:
    first = page.ask("asking").json()["event_id"]
    asked = time.monotonic()
    while time.monotonic() < asked + 2 * KEPT_SECONDS:
        page.ask("asking")

    assert first not in page.held()
    until(lambda: nothing_is_left(page, "asking"))


def test_of_a_call_without_a_listener_nothing_is_left_or_handed_out(page: ServedPage) -> None:
    event = page.post("call/correct", data=[page.upload(), "en"]).json()["event_id"]
    until(lambda: "data:image" in page.held())

    until(lambda: nothing_is_left(page, event))

    answer = httpx.get(f"{page.url}/gradio_api/call/correct/{event}", timeout=30)
    assert answer.status_code == 404
    assert "data:image" not in answer.text
    assert event not in page.blocks.app.state_holder.session_data


def test_an_answer_that_was_heard_stays_nowhere(page: ServedPage) -> None:
    page.ask("heard")
    assert "data:image" in page.hear("heard").text
    assert "data:image" not in page.held()

    event = page.post("call/correct", data=[page.upload(), "en"]).json()["event_id"]
    assert "data:image" in httpx.get(f"{page.url}/gradio_api/call/correct/{event}", timeout=30).text
    assert "data:image" not in page.held()


def test_of_the_progress_of_an_upload_nothing_is_kept(page: ServedPage) -> None:
    address = f"{page.url}/gradio_api/upload"
    sent = httpx.post(f"{address}?upload_id=progress", files={"files": ("a.jpg", b"a photograph")}, timeout=30)
    assert sent.status_code == 200
    assert httpx.get(f"{address}_progress?upload_id=asked", timeout=30).status_code == 404

    assert not {"progress", "asked"} & {*file_upload_statuses._statuses, *file_upload_statuses._signals}
    until(lambda: not page.stored())


def test_a_listener_who_waits_longer_than_answers_are_kept_gets_its_own(page: ServedPage) -> None:
    heard: list[str] = []
    page.ask("patient", SLOW)
    listening = threading.Thread(target=lambda: heard.append(page.hear("patient").text))
    listening.start()
    page.ask("silent", SLOW)
    until(lambda: "silent" not in page.queue.pending_messages_per_session)

    page.let.set()

    listening.join(30)
    assert "data:image" in heard[0]


@thorough
def test_a_question_that_waits_without_a_listener_is_not_answered(page: ServedPage) -> None:
    asked = [page.ask(f"silent {number}", SLOW).json()["event_id"] for number in range(3)]
    until(lambda: not any(f"silent {number}" in page.queue.pending_messages_per_session for number in range(3)))

    page.let.set()

    until(lambda: not page.queue.event_ids_to_events)
    held = page.held()
    assert not any(event in held for event in asked)
    assert "data:image" not in held


def test_of_a_listener_who_left_while_it_waited_nothing_is_left(page: ServedPage) -> None:
    event = page.ask("left", SLOW).json()["event_id"]
    connection = listen_and_leave(page, "left")
    assert b"estimation" in connection.recv(4000) + connection.recv(4000)
    connection.close()
    until(lambda: "left" not in page.queue.pending_messages_per_session)

    page.let.set()

    until(lambda: nothing_is_left(page, "left", event))


@thorough
def test_of_a_listener_who_takes_nothing_no_message_is_left(page: ServedPage, monkeypatch: pytest.MonkeyPatch) -> None:
    faults: list[logging.LogRecord] = []
    monkeypatch.setattr(logging.getLogger("asyncio"), "handle", faults.append)
    monkeypatch.setattr(page, "answer", "data:image/jpeg;base64," + "A" * 12_000_000)
    page.ask("stuck", SLOW)
    with listen_and_leave(page, "stuck", 4096):
        until(lambda: page.queue.pending_messages_per_session["stuck"].rank()[0])
        page.let.set()
        until(lambda: nothing_is_left(page, "stuck"))
    assert not faults, [record.getMessage() for record in faults]


def test_answers_of_all_sessions_have_a_bounded_room_and_a_listener_is_answered(
    page: ServedPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FairQueue, "kept", 60.0, raising=False)
    monkeypatch.setattr(FairQueue, "most_bytes", 2 * len(page.answer) + 20_000, raising=False)
    for number in range(5):
        page.ask(f"full {number}")
        until(lambda: not page.queue.event_ids_to_events)

    assert page.held().count("data:image") == 2
    assert sum(one.size for one in page.queue.pending_messages_per_session.values()) <= page.queue.most_bytes
    assert page.hear("full 0").status_code == 404
    page.ask("heard")
    assert "data:image" in page.hear("heard").text
    assert "data:image" in page.hear("full 4").text


@thorough
def test_answers_on_their_way_have_a_bounded_room(page: ServedPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_answers, "MAX_MESSAGE_BYTES", len(page.answer) // 2)
    page.ask("large")

    with pytest.raises(httpx.RemoteProtocolError):
        page.hear("large")

    until(lambda: nothing_is_left(page, "large"))


@thorough
def test_a_flood_of_sessions_forgets_none_that_is_listened_to(
    page: ServedPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page.queue.pending_messages_per_session, "max_size", 3)
    monkeypatch.setattr(FairQueue, "kept", 60.0, raising=False)
    heard: list[str] = []
    page.ask("patient", SLOW)
    listening = threading.Thread(target=lambda: heard.append(page.hear("patient").text))
    listening.start()
    until(lambda: page.queue.pending_messages_per_session["patient"].rank()[0])
    for number in range(6):
        page.ask(f"flood {number}")

    page.let.set()

    listening.join(30)
    assert "data:image" in heard[0]


@pytest.mark.parametrize("room", [pending_answers.MAX_MESSAGE_BYTES, 3])
def test_the_stream_of_a_listener_who_takes_nothing_ends_by_itself(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    monkeypatch.setattr(pending_answers, "STALLED_SECONDS", 0.05)
    monkeypatch.setattr(pending_answers, "MAX_MESSAGE_BYTES", room)
    ended: list[bool] = []

    async def pieces(request: Request) -> AsyncIterator[bytes]:
        while not await request.is_disconnected():
            yield b"piece"
        ended.append(True)

    async def answer(request: Request) -> StreamingResponse:
        return StreamingResponse(pieces(request))

    async def never(*_: Message) -> Message:
        await asyncio.Event().wait()
        return {}

    app: Any = Starlette(routes=[Route("/gradio_api/queue/data", answer)])
    queue: Any = SimpleNamespace(pending_messages_per_session={"deaf": None})
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "method": "GET",
        "path": "/gradio_api/queue/data",
        "query_string": b"session_hash=deaf",
        "headers": [],
    }

    run_aside(asyncio.wait_for(AnswerStreams(app, lambda: queue)(scope, never, never), 10))  # type: ignore[arg-type]

    assert ended == [True]


def test_a_network_behind_a_proxy_has_its_share_of_requests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "max_connections", 16)  # two of a network

    async def act() -> None:
        end = asyncio.Event()

        async def endless(_: Scope, __: Receive, send: Send) -> None:
            await end.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        transport = httpx.ASGITransport(AnswerStreams(endless, lambda: None), client=("10.0.0.7", 50000))  # type: ignore[arg-type, return-value]
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

            def ask(address: str) -> asyncio.Task[httpx.Response]:
                headers = {"X-Forwarded-For": address} if address else {}
                return asyncio.create_task(client.get("/gradio_api/heartbeat/x", headers=headers))

            held = [ask(address) for address in ("8.8.8.8", "8.8.8.8", "1.1.1.1", "", "", "")]
            await asyncio.sleep(0)
            refused = await asyncio.wait_for(ask("8.8.8.8"), 10)
            assert (refused.status_code, refused.text) == (
                503,
                "\n".join(text("faults.many_open").by_language.values()),
            )
            assert not any(task.done() for task in held)
            end.set()
            assert [(await task).status_code for task in [*held, ask("8.8.8.8")]] == [200] * 7

    run_aside(asyncio.wait_for(act(), 20))

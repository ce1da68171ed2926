"""The queue over HTTP: visitors take turns, and an answer without a listener is dropped soon."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
import httpx
import pytest
from gradio.routes import file_upload_statuses
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from demo.gradio_parts.app_blocks import install_function_lookup
from demo.gradio_parts.components import MODEL_QUEUE, WORKERS
from demo.gradio_parts.gradio_internals import REPLACEABLE
from demo.i18n import text
from demo.serving import call_queue, uploads
from demo.serving.call_queue import MAX_WAITING_PER_ADDRESS, MAX_WAITING_PER_VISIT, AnswerStreams, FairQueue
from demo.serving.connections import BoundedProtocol
from tests.browser.visits import free_port
from tests.loops import run_aside
from tests.served_pages import SLOW, ServedPage, served_page, until
from tests.thoroughness import thorough

KEPT_SECONDS = 1.0  # seconds in the place of minutes


@pytest.fixture(scope="module")
def module_page() -> Iterator[ServedPage]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FairQueue, "kept", KEPT_SECONDS, raising=False)
        patch.setattr(call_queue, "STALLED_SECONDS", KEPT_SECONDS)
        patch.setattr(uploads, "KEPT_SECONDS", KEPT_SECONDS)
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
    monkeypatch.setattr(call_queue, "MAX_MESSAGE_BYTES", len(page.answer) // 2)
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


@pytest.mark.parametrize("room", [call_queue.MAX_MESSAGE_BYTES, 3])
def test_the_stream_of_a_listener_who_takes_nothing_ends_by_itself(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    monkeypatch.setattr(call_queue, "STALLED_SECONDS", 0.05)
    monkeypatch.setattr(call_queue, "MAX_MESSAGE_BYTES", room)
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


@dataclass
class Served:
    """A page whose model answers only when it is let."""

    url: str = ""
    blocks: gr.Blocks = field(default_factory=gr.Blocks)
    begun: list[str] = field(default_factory=list)
    doors: dict[str, threading.Event] = field(default_factory=dict)

    def answer(self, name: str) -> str:
        self.begun.append(name)
        assert self.doors.setdefault(name, threading.Event()).wait(60)
        return name

    def let(self, *names: str) -> None:
        for name in names:
            self.doors.setdefault(name, threading.Event()).set()

    def ask(self, name: str, visit: str | None = None, **headers: str) -> httpx.Response:
        route, body = ("queue/join", {"fn_index": 0, "session_hash": visit}) if visit else ("call/answer", {})
        return httpx.post(f"{self.url}/gradio_api/{route}", json={"data": [name], **body}, headers=headers, timeout=60)

    def fill(self, *addresses: str) -> list[httpx.Response]:
        """Let each address ask as much as it may."""
        return [
            self.ask(f"{address} {number}", f"{address} {number % 3}", **{"X-Forwarded-For": address})
            for number in range(MAX_WAITING_PER_ADDRESS + 2)
            for address in addresses
        ]

    def waiting(self, session: str) -> int:
        """Return how many questions of a session wait."""
        queue = self.blocks._queue.event_queue_per_concurrency_id[MODEL_QUEUE].queue
        return sum(event.session_hash == session for event in queue)

    def until_begun(self, *names: str) -> None:
        deadline = time.monotonic() + 60
        while not set(names) <= set(self.begun):
            assert time.monotonic() < deadline, self.begun
            time.sleep(0.01)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    for place, name in REPLACEABLE.values():
        monkeypatch.setattr(place, name, getattr(place, name))  # put back afterwards
    monkeypatch.setattr(FairQueue, "kept", call_queue.KEPT_SECONDS, raising=False)  # nobody listens while it is filled
    call_queue.install_call_queue()
    page = Served()
    with gr.Blocks(analytics_enabled=False) as blocks:
        box = gr.Textbox()
        gr.Button().click(
            page.answer, box, box, api_name="answer", concurrency_id=MODEL_QUEUE, concurrency_limit=WORKERS
        )
    page.blocks = blocks
    blocks.queue(max_size=32, api_open=False)
    _, url, _ = blocks.launch(
        prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", server_port=free_port(), ssr_mode=False
    )
    page.url = url.rstrip("/")
    yield page
    page.doors = Doors()
    blocks.close(verbose=False)


class Doors(dict[str, threading.Event]):
    """All open."""

    def setdefault(self, *_: Any) -> threading.Event:  # noqa: ANN401
        open_door = threading.Event()
        open_door.set()
        return open_door


def test_one_visitor_never_holds_all_workers(served: Served) -> None:
    for number in range(4):
        served.ask(f"greedy {number}", "greedy")
    served.until_begun("greedy 0")

    served.ask("modest", "modest")

    served.until_begun("modest")
    assert set(served.begun) == {"greedy 0", "modest"}
    served.let("greedy 0", "modest", *(f"greedy {number}" for number in range(4)))
    served.until_begun("greedy 3")


def test_visitors_take_turns_in_any_order_of_arrival(served: Served) -> None:
    for visit in ("a", "b"):
        served.ask(f"{visit} 0", visit)
    served.until_begun("a 0", "b 0")
    for number in range(1, 4):
        served.ask(f"a {number}", "a")
    served.ask("b 1", "b")
    served.ask("c 0", "c")

    served.let("b 0")
    served.until_begun("c 0")  # who was never served comes before those who were
    served.let("c 0")
    served.until_begun("b 1")
    assert "a 1" not in served.begun
    served.let("b 1", "a 0", "a 1", "a 2", "a 3")
    served.until_begun("a 3")
    assert [name for name in served.begun if name.startswith("a")] == ["a 0", "a 1", "a 2", "a 3"]


def test_programs_of_one_machine_that_open_no_visit_are_one_visitor(served: Served) -> None:
    for number in range(3):
        served.ask(f"program {number}")
    served.until_begun("program 0")

    served.ask("page", "visit")

    served.until_begun("page")
    assert set(served.begun) == {"program 0", "page"}


def test_an_address_is_one_visitor_however_many_visits_it_opens(served: Served) -> None:
    # Who asks over this machine's own proxy, which Gradio's server believes.
    for number in range(3):
        served.ask(f"greedy {number}", f"visit {number}", **{"X-Forwarded-For": "8.8.8.8"})
    served.until_begun("greedy 0")

    served.ask("modest", "modest", **{"X-Forwarded-For": "1.1.1.1"})

    served.until_begun("modest")
    assert set(served.begun) == {"greedy 0", "modest"}


@thorough
def test_nobody_fills_the_queue_for_others(served: Served) -> None:
    of_one = [served.ask(f"one {number}", "one").status_code for number in range(MAX_WAITING_PER_VISIT + 2)]
    assert of_one == [200] * (MAX_WAITING_PER_VISIT + 1) + [503]
    forwarded = {"X-Forwarded-For": "8.8.8.8"}
    of_many = [
        served.ask(f"many {number}", f"visit {number}", **forwarded) for number in range(MAX_WAITING_PER_ADDRESS + 2)
    ]
    assert [one.status_code for one in of_many] == [200] * (MAX_WAITING_PER_ADDRESS + 1) + [503]
    assert "your requests" not in of_many[-1].text  # none of this visit waits
    in_hindi = served.ask("many", "another", **forwarded, **{"Accept-Language": "hi"})
    assert text("faults.queue_full").by_language["hi"] in in_hindi.json()["detail"]

    assert served.ask("somebody else", "else").status_code == 200


@thorough
def test_at_a_full_queue_anybody_who_has_none_waiting_gets_in(served: Served) -> None:
    for address in ("8.8.8.8", "1.1.1.1"):
        served.ask(f"first of {address}", f"first of {address}", **forwarded(address))
    served.until_begun("first of 8.8.8.8", "first of 1.1.1.1")  # both workers are busy: nothing else begins
    assert [answer.status_code for answer in served.fill("8.8.8.8", "1.1.1.1")].count(200) >= 32
    others = [
        served.ask(f"other {number}", f"other {number}", **forwarded(f"9.9.9.{number + 1}")) for number in range(20)
    ]

    assert [answer.status_code for answer in others] == [200] * 20
    assert all(served.waiting(f"other {number}") == 1 for number in range(20))
    again = served.ask("other", "other 0", **forwarded("9.9.9.1"))
    assert again.status_code == 503
    assert "try again in a minute" in again.text


def test_a_person_who_makes_room_is_told_in_words(served: Served) -> None:
    served.blocks._queue.max_size = 4
    for number in range(5):
        served.ask(f"greedy {number}", "greedy", **forwarded("8.8.8.8"))
    served.until_begun("greedy 0")

    assert served.ask("modest", "modest", **forwarded("1.1.1.1")).status_code == 200
    served.until_begun("modest")
    assert (served.waiting("greedy"), len(served.blocks._queue)) == (3, 3)  # a worker is for the other
    assert served.ask("second", "second", **forwarded("1.1.1.2")).status_code == 200
    assert served.ask("third", "third", **forwarded("1.1.1.3")).status_code == 200

    with httpx.stream(
        "GET", f"{served.url}/gradio_api/queue/data", params={"session_hash": "greedy"}, timeout=60
    ) as heard:
        refusal = next(line for line in heard.iter_lines() if "process_completed" in line)
    assert "make room" in refusal
    assert served.waiting("greedy") < 4


@pytest.mark.parametrize("function", [999, None])
def test_a_question_for_no_function_makes_no_room(served: Served, function: int | None) -> None:
    install_function_lookup()
    served.blocks._queue.max_size = 3
    for number in range(4):
        served.ask(f"greedy {number}", "greedy", **forwarded("8.8.8.8"))
    served.until_begun("greedy 0")

    body = {"data": ["none"], "session_hash": "none", "fn_index": function}
    answer = httpx.post(f"{served.url}/gradio_api/queue/join", json=body, headers=forwarded("1.1.1.1"), timeout=60)

    assert answer.status_code == (404 if function else 400)
    assert served.waiting("greedy") == 3


def test_a_form_that_is_refused_is_told_so_in_its_language(served: Served) -> None:
    served.blocks._queue.max_size = 1
    body = {"data": [{"language": "hi"}], "fn_index": 0, "session_hash": "full"}

    asked = [httpx.post(f"{served.url}/gradio_api/queue/join", json=body, timeout=60) for _ in range(4)]

    assert text("faults.queue_full").by_language["hi"] in asked[-1].json()["detail"]


def test_visits_without_a_known_address_share_one_bound(served: Served) -> None:
    asked = [served.ask(f"{number}", f"visit {number % 4}") for number in range(MAX_WAITING_PER_ADDRESS + 4)]

    assert [answer.status_code for answer in asked].count(200) == MAX_WAITING_PER_ADDRESS + WORKERS
    assert "your requests" not in asked[-1].text  # most are those of other visits
    assert served.ask("nobody yet", "new").status_code == 200
    assert served.waiting("new") == 1
    assert len(served.blocks._queue) == MAX_WAITING_PER_ADDRESS


def forwarded(address: str) -> dict[str, str]:
    """Return what a proxy says of whom it serves."""
    return {"X-Forwarded-For": address}

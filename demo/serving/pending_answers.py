"""Pending answers: messages that Gradio holds until a client fetches them, limited in time and in bytes.

Gradio keeps the messages of 2,000 sessions, including photographs, until a browser fetches them, and each answer as
long as it keeps the session.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING, Any

import orjson
from fastapi import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from demo.gradio_parts.gradio_internals import (
    Event,
    EventMessage,
    LRUCache,
    ProcessCompletedMessage,
    Queue,
    UnexpectedErrorMessage,
    event_id,
    forget_session,
    replace,
    run_coro_in_background,
)
from demo.i18n import text
from demo.serving.closed_routes import PREFIX
from demo.serving.connections import NETWORK_SHARE, BoundedProtocol
from demo.serving.visitors import address_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEPT_SECONDS = (
    120.0  # seconds that a session stays without a listener; with the sweep interval it is gone within three minutes
)
SWEEP_SECONDS = 10.0  # maximum seconds between sweeps
MAX_MESSAGE_BYTES = 64_000_000  # of all held messages, and again of all messages being sent
MAX_SESSIONS = 2000
STALLED_SECONDS = 120.0  # seconds for a listener to receive one piece of an answer
_PIECE = 1 << 16  # bytes sent at once
_CALL = re.compile(r"call/(?:v2/)?[^/]+/([^/]+)")  # where a program fetches its answer by event id
_GONE = (
    "No answer waits here under this name; one without a listener is forgotten within three minutes. Please ask again."
)


class PendingMessages(asyncio.Queue[EventMessage]):
    """The messages of one session; ``size`` counts their bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0
        self._sizes = deque[int]()
        self.heard_at = time.monotonic()  # time of the last listener or request
        self._listeners = 0

    async def get(self) -> EventMessage:
        """Return the next message; Gradio awaits it while a browser listens."""
        self._listeners += 1
        try:
            return await super().get()
        finally:
            self._listeners -= 1
            self.heard_at = time.monotonic()

    def rank(self) -> tuple[bool, float]:
        """Return a sort key, smallest for the session to drop first: one without a listener, for the longest time."""
        return self._listeners > 0, self.heard_at

    def _put(self, item: EventMessage) -> None:
        self._sizes.append(len(orjson.dumps(item.model_dump(), default=str)))
        self.size += self._sizes[-1]
        super()._put(item)

    def _get(self) -> EventMessage:
        self.size -= self._sizes.popleft()
        return super()._get()


class ExpiringQueue(Queue):
    """Gradio's queue, which drops each session that has no listener for ``kept`` seconds."""

    kept = KEPT_SECONDS
    most_bytes = MAX_MESSAGE_BYTES

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as Gradio has them
        super().__init__(*arguments, **options)
        self.pending_messages_per_session: LRUCache[str, PendingMessages] = LRUCache(MAX_SESSIONS)  # type: ignore[assignment]  # see install
        self.pending_event_ids_session = defaultdict(set)  # Gradio reads it after a session is dropped
        self.ANALYTICS_MAX_EVENTS = 0  # Gradio's unused statistics would record each session

    def start(self) -> None:
        """Start serving and sweeping."""
        super().start()  # type: ignore[no-untyped-call]  # Gradio's
        run_coro_in_background(self._sweep_on)

    def touch(self, session: str | None) -> None:
        """Restart the time limit of a session that sends a request; make room for a new session."""
        held = self.pending_messages_per_session
        if session is not None and session in held:
            if held[session].empty():  # else old messages would stay as long as the session sends requests
                held[session].heard_at = time.monotonic()
        elif len(held) >= held.max_size:
            self.forget(self._first_to_forget(held))

    def send_message(self, event: Event, event_message: EventMessage) -> None:
        """Send a message to the session of ``event``, unless it was dropped."""
        held = self.pending_messages_per_session
        if event.session_hash not in held:
            return
        super().send_message(event, event_message)
        if isinstance(event_message, ProcessCompletedMessage):
            while self._bytes() > self.most_bytes:
                self.forget(self._first_to_forget([session for session, one in held.items() if one.size]))

    def forget(self, session: str) -> None:
        """Drop everything held for a session: its messages, and its waiting and running requests."""
        for queue in self.event_queue_per_concurrency_id.values():
            for event in [event for event in queue.queue if event.session_hash == session]:
                queue.queue.remove(event)
                self.event_ids_to_events.pop(event_id(event), None)
        for job in self.active_jobs:
            for event in job or ():
                event.alive &= event.session_hash != session
        self.pending_messages_per_session.pop(session, None)
        self.pending_event_ids_session.pop(session, None)

    def session_of(self, event_id: str) -> str | None:
        """Return the session that waits for this event; None if there is none."""
        return next((session for session, ids in self.pending_event_ids_session.items() if event_id in ids), None)

    async def process_events(self, events: list[Event], *arguments: Any) -> None:  # noqa: ANN401  as Gradio has them
        """Answer requests; keep no session state for a call that named no session."""
        try:
            await super().process_events(events, *arguments)
        finally:
            for event in events:
                if event.session_hash == event_id(event):
                    forget_session(self, event.session_hash)

    async def _sweep_on(self) -> None:
        while not self.stopped:
            await asyncio.sleep(min(SWEEP_SECONDS, self.kept / 4))
            held, now = self.pending_messages_per_session, time.monotonic()
            for session in [one for one, messages in held.items() if messages.rank() < (False, now - self.kept)]:
                self.forget(session)
            for session in [one for one in self.pending_event_ids_session if one not in held]:
                del self.pending_event_ids_session[session]

    def _bytes(self) -> int:
        return sum(messages.size for messages in self.pending_messages_per_session.values())

    def _first_to_forget(self, sessions: Iterable[str]) -> str:
        return min(sessions, key=lambda session: self.pending_messages_per_session[session].rank())


class AnswerStreams:
    """ASGI middleware that answers 404 if no answer is pending, and ends streams that the listener does not receive.

    Each known network has a limited number of concurrent requests, since connections through a proxy are not limited
    per network.
    """

    def __init__(self, app: ASGIApp, queue: Callable[[], Queue]) -> None:
        self._app = app
        self._queue = queue
        self._sending = 0  # bytes
        self._requests = Counter[str]()  # open requests by network

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all other requests on."""
        address = address_of(Request(scope)) if scope["type"] == "http" else ""
        if not address:
            await self._answer(scope, receive, send)
            return
        if self._requests[address] >= int(BoundedProtocol.max_connections * NETWORK_SHARE):
            told = "\n".join(text("faults.many_open").by_language.values())
            await PlainTextResponse(told, 503)(scope, receive, send)
            return
        self._requests[address] += 1
        try:
            await self._answer(scope, receive, send)
        finally:
            self._requests[address] -= 1
            if not self._requests[address]:
                del self._requests[address]

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, _, route = str(scope.get("path", "")).partition(PREFIX)
        call = _CALL.fullmatch(route)
        if scope["type"] != "http" or scope["method"] != "GET" or not (call or route == "queue/data"):
            await self._app(scope, receive, send)
            return
        queue = self._queue()
        if call is None:
            session = Request(scope).query_params.get("session_hash")
        else:
            session = queue.session_of(call[1]) if isinstance(queue, ExpiringQueue) else None
        if session is not None and session in queue.pending_messages_per_session:
            await self._stream(scope, receive, send)
            return
        gone = UnexpectedErrorMessage(message=_GONE, session_not_found=True).model_dump()
        told = f"data: {json.dumps(gone)}" if call is None else f"event: error\ndata: {json.dumps(_GONE)}"
        await Response(f"{told}\n\n", 404, media_type="text/event-stream")(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream an answer; report a stalled listener to Gradio as disconnected, so that Gradio ends the stream."""
        stalled = False

        async def heard() -> Message:
            return {"type": "http.disconnect"} if stalled else await receive()

        async def in_pieces(message: Message) -> None:
            nonlocal stalled
            body = memoryview(message.get("body", b""))
            stalled = stalled or self._sending + len(body) > MAX_MESSAGE_BYTES
            if stalled:
                return
            self._sending += len(body)
            try:
                for start in range(0, max(1, len(body)), _PIECE):
                    more = message.get("more_body", False) or start + _PIECE < len(body)
                    piece = {**message, "body": bytes(body[start : start + _PIECE]), "more_body": more}
                    async with asyncio.timeout(STALLED_SECONDS):
                        await send(piece)
            except TimeoutError:
                stalled = True
            finally:
                self._sending -= len(body)

        try:
            await self._app(scope, heard, in_pieces)
        except RuntimeError as error:  # raised by Gradio for a session dropped in between; the client has its message
            if not isinstance(error.__cause__, HTTPException):
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def install() -> None:
    """Make every page launched from now on hold messages this way, and no values with its sessions."""
    replace("message queue", PendingMessages)
    # The values serve URLs that restore a state; these routes are closed.
    replace("session values", lambda *_: None)

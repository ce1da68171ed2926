"""Queue of the calls: the order in which visitors are served, and the answers that wait to be fetched.

The visitor served least recently is next, so that no visitor waits for all requests of another. Gradio serves in order
of arrival, and lets one visitor fill the queue and every worker.

Pending answers, the messages held until a client fetches them, are limited in time and in bytes. Gradio keeps the
messages of 2,000 sessions, including photographs, until a browser fetches them, and each answer as long as it keeps the
session.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING, Any, Literal

import gradio as gr
import orjson
from fastapi import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from demo.gradio_parts import (
    GRADIO_PREFIX,
    MODEL_QUEUE,
    WORKERS,
    Event,
    EventMessage,
    EventQueue,
    LRUCache,
    ProcessCompletedMessage,
    Queue,
    UnexpectedErrorMessage,
    error_payload,
    event_id,
    forget_session,
    replace,
    route_utils,
    run_coro_in_background,
)
from demo.i18n import asked_language, text
from demo.serving.connections import NETWORK_SHARE, BoundedProtocol, Visitor, address_of, visitor_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import fastapi
    from gradio.data_classes import PredictBodyInternal
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEPT_SECONDS = (
    120.0  # seconds that a session stays without a listener; with the sweep interval it is gone within three minutes
)
SWEEP_SECONDS = 10.0  # maximum seconds between sweeps
MAX_MESSAGE_BYTES = 64_000_000  # of all held messages, and again of all messages being sent
MAX_SESSIONS = 2000
STALLED_SECONDS = 120.0  # seconds for a listener to receive one piece of an answer
MAX_WAITING_PER_VISIT = 8  # requests of one visit
MAX_WAITING_PER_ADDRESS = 16  # requests of one address; unknown addresses count as one
_REMEMBERED = 1000  # visits and addresses in the record of served ones
_PIECE = 1 << 16  # bytes sent at once
_CALL = re.compile(r"call/(?:v2/)?[^/]+/([^/]+)")  # where a program fetches its answer by event id
_GONE = (
    "No answer waits here under this name; one without a listener is forgotten within three minutes. Please ask again."
)

_Pushed = tuple[bool, "str | list[dict[str, Any]]", Literal["success", "error", "queue_full", "validator_error"]]


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
        self.pending_messages_per_session: LRUCache[str, PendingMessages] = LRUCache(MAX_SESSIONS)  # type: ignore[assignment]  # see install_call_queue
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
        _, _, route = str(scope.get("path", "")).partition(GRADIO_PREFIX)
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


class FairQueue(ExpiringQueue):
    """Gradio's queue in which visitors take turns: first the addresses, then the visits from one address."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as Gradio has them
        super().__init__(*arguments, **options)
        self._served: dict[Visitor | str, int] = {}  # turn of the last request served
        self._turn = 0

    async def push(self, body: PredictBodyInternal, request: fastapi.Request, username: str | None) -> _Pushed:
        """Queue a request, unless its visitor has too many waiting."""
        if body.fn_index is None:  # Gradio rejects it
            return await super().push(body, request, username)
        # Raises on an unknown function, before a waiting request is dropped; without a session, so that none is kept.
        route_utils.get_fn(self.blocks, None, body.model_copy(update={"session_hash": None}))
        refusal = self._make_room(visitor_of(request, body.session_hash or ""))
        if refusal is not None:
            return False, _told(refusal, body, request), "queue_full"
        self.touch(body.session_hash)
        pushed = await super().push(body, request, username)
        self._order()
        for name in self.event_queue_per_concurrency_id:
            self.broadcast_estimations(name)
        return pushed

    def _make_room(self, asking: Visitor) -> str | None:
        """Return the key of the reason to reject a request, or None after making room for it if needed.

        The newest request of the visitor with the most waiting is dropped if the queue is full, or if another visit
        shares the address, in favour of a visitor with none waiting.
        """
        waiting = [event for queue in self.event_queue_per_concurrency_id.values() for event in queue.queue]
        of_visit = Counter(map(_visitor, waiting))
        of_address = Counter(visitor.address for visitor in of_visit.elements())
        is_many = of_address[asking.address] >= MAX_WAITING_PER_ADDRESS
        if (
            not is_many
            and of_visit[asking] < MAX_WAITING_PER_VISIT
            and (not self.max_size or len(waiting) < self.max_size)
        ):
            return None

        def weight(event: Event) -> tuple[int, int, float]:
            visitor = _visitor(event)
            return of_address[visitor.address], of_visit[visitor], event.enqueue_time

        least = max(
            (event for event in waiting if not is_many or _visitor(event).address == asking.address), key=weight
        )
        has_most = _visitor(least)
        is_fair = of_visit[has_most] > 1 or of_address[has_most.address] > of_address[asking.address] + 1
        if of_visit[asking] or not is_fair:
            return "faults.yours_wait" if of_visit[asking] >= MAX_WAITING_PER_VISIT else "faults.queue_full"
        told = _told("faults.made_room", least.data, least.request)
        output = error_payload(gr.Error(told), show_error=False)
        self.send_message(least, ProcessCompletedMessage(output=output, success=False))
        self.event_queue_per_concurrency_id[least.concurrency_id].queue.remove(least)
        self.event_ids_to_events.pop(event_id(least), None)
        return None

    def get_events(self) -> tuple[list[Event], bool, str] | None:
        """Return the events to serve next, if any; called a thousand times a second while requests wait."""
        queue = self.event_queue_per_concurrency_id.get(MODEL_QUEUE)
        held = [] if queue is None else self._held_back(queue)
        if queue is not None and held:
            queue.queue = [event for event in queue.queue if event not in held]
        try:
            batch = super().get_events()
        finally:
            if queue is not None:
                queue.queue.extend(held)
        for event in batch[0] if batch is not None else ():
            visitor = _visitor(event)
            self._turn += 1
            for key in (visitor, visitor.address):
                self._served.pop(key, None)  # move the last one served to the end
                self._served[key] = self._turn
        while len(self._served) > _REMEMBERED:
            del self._served[next(iter(self._served))]
        if batch is not None:
            self._order()
        return batch

    def _held_back(self, queue: EventQueue) -> list[Event]:
        """Return the requests of visitors that use all workers but one, so that one worker stays free for others."""
        running = Counter[Visitor | str]()
        for job in self.active_jobs:
            for event in job or ():
                if event.concurrency_id == MODEL_QUEUE:
                    running.update(_names(event))
        full = {visitor for visitor, count in running.items() if count >= WORKERS - 1}
        return [event for event in queue.queue if _names(event) & full]

    def _order(self) -> None:
        """Sort the waiting requests into the order in which they will be served if no more arrive."""
        for queue in self.event_queue_per_concurrency_id.values():
            if len(queue.queue) > 1:
                queue.queue = self._in_turn(queue.queue)

    def _in_turn(self, events: list[Event]) -> list[Event]:
        waiting = sorted(events, key=lambda event: event.enqueue_time)
        served = dict(self._served)
        ordered = []
        turn = self._turn
        while waiting:
            ranks = [(served.get(asker.address, 0), served.get(asker, 0)) for asker in map(_visitor, waiting)]
            place = ranks.index(min(ranks))
            turn += 1
            ordered.append(waiting.pop(place))
            visitor = _visitor(ordered[-1])
            served[visitor] = served[visitor.address] = turn
        return ordered


def _told(key: str, body: PredictBodyInternal | None, request: fastapi.Request) -> str:
    """Return a text in the language of a request."""
    values = body.data if body is not None else []
    return text(key).by_language[asked_language(*values, accepted=request.headers.get("accept-language", ""))]


def _names(event: Event) -> set[Visitor | str]:
    """Return the keys that a worker counts for: the visit, and its address if there is one."""
    visitor = _visitor(event)
    return {visitor, visitor.address} if visitor.address else {visitor}


def _visitor(event: Event) -> Visitor:
    """Return the visitor of an event, cached on the event."""
    known: Visitor | None = getattr(event, "visitor", None)
    if known is None:
        known = visitor_of(event.request, event.session_hash if event.session_hash != event_id(event) else "")
        event.visitor = known  # type: ignore[attr-defined]
    return known


def install_call_queue() -> None:
    """Make every page whose queue is created from now on use this one, and hold messages but no session values."""
    replace("message queue", PendingMessages)
    # The values serve URLs that restore a state; these routes are closed.
    replace("session values", lambda *_: None)
    replace("queue", FairQueue)

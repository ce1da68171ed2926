"""Fair queue: the visitor served least recently is next, so that no visitor waits for all requests of another.

Gradio serves in order of arrival, and lets one visitor fill the queue and every worker.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import gradio as gr

from demo.gradio_parts.components import MODEL_QUEUE, WORKERS
from demo.gradio_parts.gradio_internals import (
    Event,
    EventQueue,
    ProcessCompletedMessage,
    error_payload,
    event_id,
    replace,
    route_utils,
)
from demo.i18n import asked_language, text
from demo.serving import pending_answers
from demo.serving.pending_answers import ExpiringQueue
from demo.serving.visitors import Visitor, visitor_of

if TYPE_CHECKING:
    import fastapi
    from gradio.data_classes import PredictBodyInternal

MAX_WAITING_PER_VISIT = 8  # requests of one visit
MAX_WAITING_PER_ADDRESS = 16  # requests of one address; unknown addresses count as one
_REMEMBERED = 1000  # visits and addresses in the record of served ones

_Pushed = tuple[bool, "str | list[dict[str, Any]]", Literal["success", "error", "queue_full", "validator_error"]]


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


def install() -> None:
    """Make every page whose queue is created from now on use this one."""
    pending_answers.install()
    replace("queue", FairQueue)

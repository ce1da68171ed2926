"""Undo: withdraws an answer together with its flags, once however often it is requested.

A withdrawn answer stays a record, with a withdrawal that names it. Its task is given to the same annotator
again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from annotate.errors import RefusedError
from annotate.kinds.registry import BY_RECORD
from annotate.kinds.task_kind import Answer, QuestionView
from annotate.records.api import FLAGS
from annotate.records.events import Event, is_event_id, new_event
from annotate.records.kinds import Flag, Withdrawal
from annotate.storage.queries import read_last
from annotate.storage.store import Store
from annotate.tasks.policy import TaskScope
from annotate.tasks.scheduler import ClaimedTask, TaskScheduler


@dataclass(frozen=True)
class UndoService:
    """The undo service over one store; ``time`` returns the time of new records."""

    store: Store
    scheduler: TaskScheduler
    time: Callable[[], datetime]
    app_version: str = ""

    def last(self, scope: TaskScope) -> str | None:
        """Return the id of the event that an undo would withdraw now; None if there is none."""
        with self.store.reading() as connection:
            return read_last(connection, self.scheduler.claim_scope(scope))

    def undo(self, scope: TaskScope, event_id: str) -> ClaimedTask | None:
        """Withdraw an answer or skip and return the claim on its task.

        Return None if the question is no longer asked or was answered again. Raise :class:`RefusedError`
        ``task_unknown`` if the annotator has no such event in this scope.
        """
        event = self.store.event(event_id) if is_event_id(event_id) else None
        if event is None or self.scheduler.answered(event) != scope:
            raise RefusedError("task_unknown")
        self._end(event)
        for held in self.scheduler.held(scope):
            if held.undone == event.id:
                return held
        question = self.scheduler.question(event)
        return None if question is None else self.scheduler.take_one(scope, question, undone=event.id)

    def answer(self, undone: str, view: QuestionView) -> Answer | None:
        """Return a withdrawn answer in the format of the page; None if it was deleted or no longer fits."""
        event = self.store.event(undone)
        kind = None if event is None else BY_RECORD.get(event.kind)
        if event is None or kind is None:
            return None
        reasons = [flag.payload.reason for flag in self._along(event) if isinstance(flag.payload, Flag)]
        return kind.show(event.payload, view, [reason for reason in reasons if reason in FLAGS])

    def _end(self, event: Event) -> None:
        """Withdraw an answer and its flags together; do nothing if that was done before."""
        if not self._stands(event):
            return
        ending = [
            new_event(
                Withdrawal(of=answer.id, reason="undo"),
                annotator=event.annotator,
                app_version=self.app_version,
                time=self.time(),
            )
            for answer in (event, *self._along(event, live=True))
        ]
        try:
            self.store.add_all(ending)
        except RefusedError as error:
            if error.code != "answer_changed_elsewhere" or self._stands(event):
                raise

    def _stands(self, event: Event) -> bool:
        filters = {"kind": event.kind, "item": event.item, "annotator": event.annotator, "campaign": event.campaign}
        return any(answer.id == event.id for answer in self.store.live(**filters))

    def _along(self, event: Event, *, live: bool = False) -> list[Event]:
        """Return the flags that were given with an answer."""
        flags = self.store.events(
            campaign=event.campaign, kind=Flag.kind, item=event.item, annotator=event.annotator, live=live
        )
        return [flag for flag in flags if isinstance(flag.payload, Flag) and flag.payload.of == event.id]

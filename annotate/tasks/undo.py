"""Undo: the answer that the page names is taken back, with what was given along with it, once however often asked.

What was taken back stays a record, with a withdrawal that says so; its task is given to the same person again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from annotate.campaigns.questions import RECORDS
from annotate.errors import RefusedError
from annotate.records.api import FLAGS
from annotate.records.events import Event, is_event_id, new_event
from annotate.records.kinds import Flag, Withdrawal
from annotate.storage.claims import ClaimScope
from annotate.storage.queries import read_last
from annotate.storage.store import Store
from annotate.tasks.answers import Answer, as_answer
from annotate.tasks.policy import QuestionView, TaskScope
from annotate.tasks.scheduler import ClaimedTask, TaskScheduler


@dataclass(frozen=True)
class UndoService:
    """The undo over one store; ``time`` tells the time of records."""

    store: Store
    scheduler: TaskScheduler
    time: Callable[[], datetime]
    app_version: str = ""

    def last(self, scope: TaskScope) -> str | None:
        """The id of what an undo would take back now; None where there is nothing."""
        asking = ClaimScope(self.scheduler.campaign.name, RECORDS[scope.kind], scope.language, scope.annotator)
        with self.store.reading() as connection:
            return read_last(connection, asking)

    def undo(self, scope: TaskScope, event_id: str) -> ClaimedTask | None:
        """Take this answer or skip back; the claim on its task, None where that is asked no longer or answered anew.

        Raise :class:`RefusedError` ``task_unknown`` where this person gave nothing of that id here.
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
        """An answer that was taken back, in the page's words."""
        event = self.store.event(undone)
        if event is None:
            return None
        reasons = [flag.payload.reason for flag in self._along(event) if isinstance(flag.payload, Flag)]
        return as_answer(event.payload, view, [reason for reason in reasons if reason in FLAGS])

    def _end(self, event: Event) -> None:
        """Withdraw an answer with all that was given along with it, or nothing; nothing where that was done before."""
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
        """The flags that were given along with an answer."""
        flags = self.store.events(
            campaign=event.campaign, kind=Flag.kind, item=event.item, annotator=event.annotator, live=live
        )
        return [flag for flag in flags if isinstance(flag.payload, Flag) and flag.payload.of == event.id]

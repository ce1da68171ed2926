"""Insertion of events: once by id and once by key, in one transaction, ending the event that it supersedes.

A deleting withdrawal erases at once, and is stored with the ids of what it erased; see ``erasing``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select, update

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS
from annotate.records.deletions import with_next
from annotate.records.events import Event
from annotate.records.kinds import Withdrawal
from annotate.storage import schema
from annotate.storage.erasing import await_unseen, chain_of, erase, everything_of, forget, known_marks, learn_marks
from annotate.storage.event_rows import insert_event, key_hash, key_of, read_events
from annotate.storage.reconcile import mark_live

# Built once, since they run for every answer.
_BY_ID = select(schema.events).where(schema.events.c.id == bindparam("id"))
_BY_KEY = select(schema.events.c.id).where(schema.events.c.live_key == bindparam("live_key"))


@dataclass(frozen=True)
class Saved:
    """The live event; ``is_new`` is False if it was saved before, under this id or another."""

    event: Event
    is_new: bool


def save(connection: Connection, event: Event, writer: str) -> Saved:
    """Save an event unless it is stored already; ``writer`` names the store in the marks of deletions.

    Raise :class:`RefusedError`: ``answer_twice``, ``answer_of_another``, ``answer_changed_elsewhere``, or
    ``answer_malformed`` if it supersedes an answer to another question.
    """
    known = _row(connection, event.id)
    if known is not None:
        return _again(connection, known, event)
    superseded = None
    if event.supersedes is not None:
        superseded = _row(connection, event.supersedes)
        _check_superseded(superseded, event)
        _end(connection, [event.supersedes])
    if event.key is not None:
        same_key = connection.execute(_BY_KEY, {"live_key": key_hash(event.key)}).first()
        if same_key is not None:
            return Saved(read_events(connection, schema.events.c.id == same_key.id)[0], is_new=False)
    marks = known_marks(connection, event.annotator)
    event = replace(event, after=marks) if marks else event
    if isinstance(event.payload, Withdrawal) and event.payload.deletes:
        return Saved(_delete(connection, event, event.payload, writer), is_new=True)
    insert_event(connection, event, live=True)
    if superseded is not None and event.key is None:
        mark_live(connection, [key_of(superseded)])  # another writer may have an answer to the same question
    return Saved(event, is_new=True)


def _delete(connection: Connection, event: Event, withdrawal: Withdrawal, writer: str) -> Event:
    """Erase what a withdrawal asks for, and store the withdrawal with the ids of the erased events."""
    unseen: list[str] = []
    if event.withdraws_everything:
        event = replace(event, after=with_next(event.after, writer))
        learn_marks(connection, event.annotator, event.after)
        forget(connection, event.annotator)
        ids = [] if event.deletion is None else everything_of(connection, event.deletion)
    else:
        ids, unseen = chain_of(connection, [withdrawal.of], event.annotator)
        await_unseen(connection, unseen, event.annotator)
    event = replace(event, payload=replace(withdrawal, erases=(*ids, *unseen)))
    insert_event(connection, event, live=False)
    mark_live(connection, erase(connection, ids))
    return event


def _row(connection: Connection, id_: str) -> Row[Any] | None:
    return connection.execute(_BY_ID, {"id": id_}).first()


def _again(connection: Connection, known: Row[Any], event: Event) -> Saved:
    """Return the stored event for a repeated request, after a lost response; its time and duration are kept."""
    if known.erased:
        raise RefusedError("answer_changed_elsewhere")
    (earlier,) = read_events(connection, schema.events.c.id == known.id)
    if (_as_sent(earlier), earlier.key, earlier.annotator) != (_as_sent(event), event.key, event.annotator):
        raise RefusedError("answer_twice")
    return Saved(earlier, is_new=False)


def _as_sent(event: Event) -> tuple[str, dict[str, Any]]:
    """Return the answer as the page sent it, without its duration and without the ids that the store adds."""
    return event.kind, {name: value for name, value in vars(event.payload).items() if name not in {"seconds", "erases"}}


def _check_superseded(superseded: Row[Any] | None, event: Event) -> None:
    if superseded is None or (superseded.annotator != event.annotator and not superseded.erased):
        raise RefusedError("answer_of_another")
    if superseded.erased or (superseded.live_key is None and not _may_delete(superseded, event)):
        raise RefusedError("answer_changed_elsewhere")
    if event.key is not None and key_hash(event.key) != superseded.live_key:
        raise RefusedError("answer_malformed", field="supersedes")


def _may_delete(superseded: Row[Any], event: Event) -> bool:
    """Return whether an event deletes an answer that was undone or replaced but is still stored."""
    return isinstance(event.payload, Withdrawal) and event.payload.deletes and superseded.kind != Withdrawal.kind


def _end(connection: Connection, ids: Collection[str]) -> None:
    """Mark events as no longer live."""
    connection.execute(update(schema.events).where(schema.events.c.id.in_(ids)).values(live_key=None))


def count_by_kind(connection: Connection, annotator: str) -> dict[str, int]:
    """Return the number of a person's stored records by kind, without withdrawals, which have no content."""
    events = schema.events.c
    rows = connection.execute(
        select(events.kind).where(events.annotator == annotator, events.erased.is_(False))
    ).scalars()
    kinds = list(rows)
    return {kind: kinds.count(kind) for kind in RECORDS if kind in kinds and kind != Withdrawal.kind}

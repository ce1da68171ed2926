"""Erasure in the store: the row of an erased event stays, without content, item and person.

Shards that hold such an event are marked as leaving; their other events go into new shards. ``deletions``
defines which events a deletion erases. Named events that are not here yet are recorded as awaited, and erased
when they come.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from annotate.records.deletions import Deletion, Marks, merged
from annotate.records.events import Key
from annotate.records.kinds import Withdrawal
from annotate.storage import schema
from annotate.storage.event_rows import chunks, key_of

LEAVING = "leaving"
ERASED_NAME = ""  # replaces person, item and the other fields

_events = schema.events.c


@dataclass(frozen=True)
class _EventSummary:
    """The part of an event that decides whether a deletion erases it."""

    id: str
    time: datetime
    annotator: str
    after: Marks


def known_marks(connection: Connection, annotator: str) -> Marks:
    """Return the marks of a person's deletions of everything, as far as they are known here."""
    known = schema.deletions.c
    rows = connection.execute(select(known.writer, known.number).where(known.annotator == annotator)).all()
    return merged(tuple(f"{row.writer}:{row.number}" for row in rows)) if rows else ()


def learn_marks(connection: Connection, annotator: str, marks: Marks) -> None:
    """Merge marks of a person's deletions into the known ones."""
    known = schema.deletions.c
    old_marks = known_marks(connection, annotator)
    for mark in set(merged(old_marks, marks)) - set(old_marks):
        writer, _, number = mark.partition(":")
        connection.execute(delete(schema.deletions).where(known.annotator == annotator, known.writer == writer))
        connection.execute(insert(schema.deletions).values(annotator=annotator, writer=writer, number=int(number)))


def everything_of(connection: Connection, deletion: Deletion) -> list[str]:
    """Return the ids of the stored events that a deletion of everything erases."""
    query = select(_events.id, _events.time, _events.annotator, _events.after).where(
        _events.annotator == deletion.annotator, _events.kind != Withdrawal.kind, _events.erased.is_(False)
    )
    records = (
        _EventSummary(row.id, datetime.fromisoformat(row.time), row.annotator, tuple(row.after.split()))
        for row in connection.execute(query)
    )
    return [record.id for record in records if deletion.erases(record)]


def chain_of(connection: Connection, ids: Iterable[str], annotator: str) -> tuple[list[str], list[str]]:
    """Return the ids of a person's stored events: ``ids`` and all that they replaced; and the ids not stored here."""
    ids_here, unseen, looked_at = [], [], set[str]()
    waiting = list(ids)
    while waiting:
        looked_at.update(waiting)
        query = select(_events.id, _events.annotator, _events.erased, _events.supersedes, _events.kind)
        rows = [row for chunk in chunks(waiting) for row in connection.execute(query.where(_events.id.in_(chunk)))]
        links = [row for row in rows if row.erased or (row.annotator == annotator and row.kind != Withdrawal.kind)]
        ids_here += [row.id for row in links if not row.erased]
        unseen += sorted(set(waiting) - {row.id for row in rows})
        waiting = sorted({row.supersedes for row in links} - looked_at - {None})
    return ids_here, unseen


def erase_named(connection: Connection, ids: Iterable[str], annotator: str) -> set[Key]:
    """Erase these events of a person and all that they replaced, now or when they come; return the erased keys."""
    ids_here, unseen = chain_of(connection, ids, annotator)
    await_unseen(connection, unseen, annotator)
    return erase(connection, ids_here)


def await_unseen(connection: Connection, ids: Collection[str], annotator: str) -> None:
    """Record events to be erased when they come."""
    awaited = schema.awaited.c
    for chunk in chunks(ids):
        own_events = select(awaited.event).where(awaited.annotator == annotator, awaited.event.in_(chunk))
        known = set(connection.execute(own_events).scalars())
        rows = [{"event": id_, "annotator": annotator} for id_ in chunk if id_ not in known]
        if rows:
            connection.execute(insert(schema.awaited), rows)


def erase_awaited(connection: Connection, sequence: int) -> set[Key]:
    """Erase the awaited events that came after a sequence number; return their keys."""
    awaited = schema.awaited.c
    came = (
        select(_events.id, _events.annotator)
        .join(schema.awaited, (awaited.event == _events.id) & (awaited.annotator == _events.annotator))
        .where(_events.sequence > sequence, _events.erased.is_(False))
    )
    keys: set[Key] = set()
    for row in connection.execute(came).all():
        keys |= erase_named(connection, [row.id], row.annotator)
    return keys


def erase(connection: Connection, ids: Collection[str]) -> set[Key]:
    """Erase the content of these events, and mark the shards that hold them as leaving; return the events' keys."""
    shards, keys = set[str](), set[Key]()
    for chunk in chunks(ids):
        rows = connection.execute(select(schema.events).where(_events.id.in_(chunk), _events.erased.is_(False))).all()
        shards |= {row.shard for row in rows} - {None}
        keys |= {key_of(row) for row in rows}
        connection.execute(delete(schema.pictures).where(schema.pictures.c.event.in_(chunk)))
        blank = dict.fromkeys(("campaign", "item", "annotator", "language", "aspect", "after"), ERASED_NAME)
        connection.execute(
            update(schema.events)
            .where(_events.id.in_(chunk))
            .values(payload="{}", live_key=None, erased=True, shard=None, **blank)
        )
    let_leave(connection, shards)
    return keys


def forget(connection: Connection, annotator: str) -> None:
    """Delete a person's data besides events: claims, shown questions, and the id at the payment service."""
    for table in (schema.claims, schema.shown, schema.participants):
        connection.execute(delete(table).where(table.c.annotator == annotator))


def let_leave(connection: Connection, paths: Collection[str]) -> None:
    """Mark shards as leaving; the events they hold wait to be published again."""
    for chunk in chunks(paths):
        in_chunk = schema.shards.c.path.in_(chunk)
        connection.execute(update(schema.shards).where(in_chunk).values(state=LEAVING))
        connection.execute(update(schema.events).where(schema.events.c.shard.in_(chunk)).values(shard=None))

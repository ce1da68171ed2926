"""Erasure in the store: of every event that a deletion erases a row stays, without content, item and person.

Shards that hold such an event are marked as leaving; what else they hold goes into new ones. Which events a deletion
erases is said in ``deletions``; what it names and is not here yet is awaited, and erased as soon as it comes.
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
ERASED_NAME = ""  # in place of who and what

_events = schema.events.c


@dataclass(frozen=True)
class _EventSummary:
    """The part of an event that tells whether a deletion erases it."""

    id: str
    time: datetime
    annotator: str
    after: Marks


def known_marks(connection: Connection, annotator: str) -> Marks:
    """The marks of the deletions of everything that a person is known here to have made."""
    known = schema.deletions.c
    rows = connection.execute(select(known.writer, known.number).where(known.annotator == annotator)).all()
    return merged(tuple(f"{row.writer}:{row.number}" for row in rows)) if rows else ()


def learn_marks(connection: Connection, annotator: str, marks: Marks) -> None:
    """Keep marks of a person's deletions beside those that are known."""
    known = schema.deletions.c
    old_marks = known_marks(connection, annotator)
    for mark in set(merged(old_marks, marks)) - set(old_marks):
        writer, _, number = mark.partition(":")
        connection.execute(delete(schema.deletions).where(known.annotator == annotator, known.writer == writer))
        connection.execute(insert(schema.deletions).values(annotator=annotator, writer=writer, number=int(number)))


def everything_of(connection: Connection, deletion: Deletion) -> list[str]:
    """The ids of what a deletion of everything erases here."""
    query = select(_events.id, _events.time, _events.annotator, _events.after).where(
        _events.annotator == deletion.annotator, _events.kind != Withdrawal.kind, _events.erased.is_(False)
    )
    records = (
        _EventSummary(row.id, datetime.fromisoformat(row.time), row.annotator, tuple(row.after.split()))
        for row in connection.execute(query)
    )
    return [record.id for record in records if deletion.erases(record)]


def chain_of(connection: Connection, ids: Iterable[str], annotator: str) -> tuple[list[str], list[str]]:
    """Ids of a person's events that are here, of those ``ids`` and all that these replaced; ids that are not here."""
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
    """Erase these events of a person and all that they replaced, now or when they come; the keys of what went."""
    ids_here, unseen = chain_of(connection, ids, annotator)
    await_unseen(connection, unseen, annotator)
    return erase(connection, ids_here)


def await_unseen(connection: Connection, ids: Collection[str], annotator: str) -> None:
    """Erase these as soon as they come."""
    awaited = schema.awaited.c
    for chunk in chunks(ids):
        own_events = select(awaited.event).where(awaited.annotator == annotator, awaited.event.in_(chunk))
        known = set(connection.execute(own_events).scalars())
        rows = [{"event": id_, "annotator": annotator} for id_ in chunk if id_ not in known]
        if rows:
            connection.execute(insert(schema.awaited), rows)


def erase_awaited(connection: Connection, sequence: int) -> set[Key]:
    """Erase what was awaited, of what came after a sequence number; the keys of what went."""
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
    """Take the content out of these events, and let the shards that hold them leave; the keys that they had."""
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
    """Take away what is kept of a person beside events: what they hold, what they were shown, who pays them as whom."""
    for table in (schema.claims, schema.shown, schema.participants):
        connection.execute(delete(table).where(table.c.annotator == annotator))


def let_leave(connection: Connection, paths: Collection[str]) -> None:
    """Mark shards as leaving; the events they hold wait to be published again."""
    for chunk in chunks(paths):
        in_chunk = schema.shards.c.path.in_(chunk)
        connection.execute(update(schema.shards).where(in_chunk).values(state=LEAVING))
        connection.execute(update(schema.events).where(schema.events.c.shard.in_(chunk)).values(shard=None))

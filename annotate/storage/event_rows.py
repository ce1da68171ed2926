"""Event rows: conversion between events and rows, erasure of rows, and which rows are live after an import."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, delete, insert, select, tuple_, update

from annotate.errors import RefusedError
from annotate.kinds import RECORDS, columns_of, read_payload
from annotate.records import Deletion, Event, Key, Marks, Withdrawal, live, merged
from annotate.storage import database
from fmp_models.common import one_line

# Event rows: conversion between events and database rows; pictures are in a table of their own.

_INSERT = insert(database.events_table)  # built once, since it runs for every answer
_INSERT_PICTURE = insert(database.pictures_table)
_MAX_IDS = 500  # ids in one query; SQLite allows some thousand
LEFT_OUT = b"\xff\xd8\xff"  # the first bytes of every JPEG; replaces a picture that was not read


def time_text(time: datetime) -> str:
    """Return a time as stored: in UTC with microseconds, so that text order is time order."""
    return time.isoformat(timespec="microseconds")


def key_hash(key: Key) -> str:
    """Return the hash of a key for the unique column ``live_key``; short enough for any index."""
    return hashlib.sha256(json.dumps(key, ensure_ascii=False).encode()).hexdigest()


def key_of(row: Row[Any]) -> Key:
    """Return the key of the event in a row; see ``Event.key``."""
    return (row.campaign, row.item, row.annotator, row.kind, row.language, row.aspect)


def picture_fields(kind: str) -> tuple[str, ...]:
    """Return the fields of a kind that are pictures; empty for an unknown kind."""
    if kind not in RECORDS:
        return ()
    return tuple(name for name, column in columns_of(kind).items() if column is bytes)


def insert_event(connection: Connection, event: Event, *, live: bool, shard: str | None = None) -> None:
    """Insert the rows of an event; ``shard`` is the file in which it is published already."""
    values = vars(event.payload)
    files = picture_fields(event.kind)
    row = {
        "id": event.id,
        "kind": event.kind,
        "version": event.version,
        "time": time_text(event.time),
        "campaign": event.campaign,
        "item": event.item,
        "annotator": event.annotator,
        "language": event.language,
        "app_version": event.app_version,
        "aspect": event.payload.aspect,
        "payload": json.dumps({name: values[name] for name in values if name not in files}, ensure_ascii=False),
        "supersedes": event.supersedes,
        "after": " ".join(event.after),
        "live_key": key_hash(event.key) if live and event.key is not None else None,
        "erased": False,
        "shard": shard,
    }
    connection.execute(_INSERT, row)
    for name in files:
        picture = {"event": event.id, "name": name, "data": getattr(event.payload, name)}
        connection.execute(_INSERT_PICTURE, picture)


def read_events(connection: Connection, *conditions: ColumnElement[bool], pictures: bool = True) -> list[Event]:
    """Return the matching unerased events, oldest first; without ``pictures`` each picture is ``LEFT_OUT``."""
    events = database.events_table.c
    query = select(database.events_table).where(events.erased.is_(False), *conditions).order_by(events.time, events.id)
    rows = connection.execute(query).all()
    ids = [row.id for row in rows if picture_fields(row.kind)]
    files = _pictures(connection, ids) if pictures else {}
    return [
        _event(row, files.get(row.id, {}) if pictures else dict.fromkeys(picture_fields(row.kind), LEFT_OUT))
        for row in rows
    ]


def _pictures(connection: Connection, ids: list[str]) -> dict[str, dict[str, bytes]]:
    files: dict[str, dict[str, bytes]] = {}
    for chunk in chunks(ids):
        query: Select[Any] = select(database.pictures_table).where(database.pictures_table.c.event.in_(chunk))
        for row in connection.execute(query):
            files.setdefault(row.event, {})[row.name] = bytes(row.data)
    return files


def chunks(ids: Iterable[str]) -> Iterable[list[str]]:
    """Return the ids in lists that are short enough for one query."""
    all_ids = list(ids)
    return (all_ids[start : start + _MAX_IDS] for start in range(0, len(all_ids), _MAX_IDS))


def _event(row: Row[Any], pictures: dict[str, bytes]) -> Event:
    try:
        payload = read_payload(row.kind, row.version, {**json.loads(row.payload), **pictures})
        return Event(
            id=row.id,
            time=datetime.fromisoformat(row.time),
            campaign=row.campaign,
            item=row.item,
            annotator=row.annotator,
            language=row.language,
            app_version=row.app_version,
            payload=payload,
            supersedes=row.supersedes,
            after=tuple(row.after.split()),
        )
    except RefusedError as error:
        if error.code == "event_version":
            raise
        raise RefusedError("event_malformed", field=f"{row.kind} {row.id}: {error}") from error
    except (ValueError, TypeError, RecursionError) as error:  # invalid JSON, not an object, or an invalid time
        raise RefusedError("event_malformed", field=f"{row.kind} {row.id}: {one_line(error)}") from error


# Erasure in the store: the row of an erased event stays, without content, item and person.
#
# Shards that hold such an event are marked as leaving; their other events go into new shards. ``Deletion``
# tells which events it erases. Named events that are not here yet are recorded as awaited, and erased
# when they come.

LEAVING = "leaving"
ERASED_NAME = ""  # replaces person, item and the other fields

# Reconciliation: which events are live after an import, which may bring older events or replacements.
#
# Only events after a sequence number are examined, with those that have the same key or replace them; see
# ``annotate.records.live``.

_events = database.events_table.c


@dataclass(frozen=True)
class _EventSummary:
    """The part of an event that decides whether a deletion erases it."""

    id: str
    time: datetime
    annotator: str
    after: Marks


def known_marks(connection: Connection, annotator: str) -> Marks:
    """Return the marks of a person's deletions of everything, as far as they are known here."""
    known = database.deletions_table.c
    rows = connection.execute(select(known.writer, known.number).where(known.annotator == annotator)).all()
    return merged(tuple(f"{row.writer}:{row.number}" for row in rows)) if rows else ()


def learn_marks(connection: Connection, annotator: str, marks: Marks) -> None:
    """Merge marks of a person's deletions into the known ones."""
    known = database.deletions_table.c
    old_marks = known_marks(connection, annotator)
    for mark in set(merged(old_marks, marks)) - set(old_marks):
        writer, _, number = mark.partition(":")
        connection.execute(delete(database.deletions_table).where(known.annotator == annotator, known.writer == writer))
        connection.execute(
            insert(database.deletions_table).values(annotator=annotator, writer=writer, number=int(number))
        )


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
    awaited = database.awaited_table.c
    for chunk in chunks(ids):
        own_events = select(awaited.event).where(awaited.annotator == annotator, awaited.event.in_(chunk))
        known = set(connection.execute(own_events).scalars())
        rows = [{"event": id_, "annotator": annotator} for id_ in chunk if id_ not in known]
        if rows:
            connection.execute(insert(database.awaited_table), rows)


def erase_awaited(connection: Connection, sequence: int) -> set[Key]:
    """Erase the awaited events that came after a sequence number; return their keys."""
    awaited = database.awaited_table.c
    came = (
        select(_events.id, _events.annotator)
        .join(database.awaited_table, (awaited.event == _events.id) & (awaited.annotator == _events.annotator))
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
        rows = connection.execute(
            select(database.events_table).where(_events.id.in_(chunk), _events.erased.is_(False))
        ).all()
        shards |= {row.shard for row in rows} - {None}
        keys |= {key_of(row) for row in rows}
        connection.execute(delete(database.pictures_table).where(database.pictures_table.c.event.in_(chunk)))
        blank = dict.fromkeys(("campaign", "item", "annotator", "language", "aspect", "after"), ERASED_NAME)
        connection.execute(
            update(database.events_table)
            .where(_events.id.in_(chunk))
            .values(payload="{}", live_key=None, erased=True, shard=None, **blank)
        )
    let_leave(connection, shards)
    return keys


def forget(connection: Connection, annotator: str) -> None:
    """Delete a person's data besides events: claims, shown questions, and the id at the payment service."""
    for table in (database.claims_table, database.shown_table, database.participants_table):
        connection.execute(delete(table).where(table.c.annotator == annotator))


def let_leave(connection: Connection, paths: Collection[str]) -> None:
    """Mark shards as leaving; the events they hold wait to be published again."""
    for chunk in chunks(paths):
        in_chunk = database.shards_table.c.path.in_(chunk)
        connection.execute(update(database.shards_table).where(in_chunk).values(state=LEAVING))
        connection.execute(
            update(database.events_table).where(database.events_table.c.shard.in_(chunk)).values(shard=None)
        )


_KEY = (
    _events.campaign,
    _events.item,
    _events.annotator,
    _events.kind,
    _events.language,
    _events.aspect,
)
_SUMMARIES: Select[Any] = select(_events.id, _events.time, _events.supersedes, _events.live_key, *_KEY).where(
    _events.erased.is_(False)
)
_MARK = update(database.events_table).where(_events.id == bindparam("marked")).values(live_key=bindparam("key"))
_MAX_KEYS = 200  # in one query; each is six values


@dataclass(frozen=True)
class _LiveSummary:
    """The part of an event that decides whether it is live."""

    id: str
    time: datetime
    annotator: str
    supersedes: str | None
    key: Key | None
    live_key: str | None
    after: Marks = ()
    deletion: Deletion | None = None  # None: what deletions concern is erased before events are marked


def keys_since(connection: Connection, sequence: int) -> set[Key]:
    """Return the keys of the events after a sequence number, and of those that they replace or take back."""
    came = [_summary(row) for row in connection.execute(_SUMMARIES.where(_events.sequence > sequence))]
    replaced = {event.supersedes for event in came} - {None}
    return {event.key for event in (*came, *_where_in(connection, _events.id, replaced)) if event.key is not None}


def mark_live(connection: Connection, keys: Collection[Key]) -> None:
    """Mark the live events among those with these keys, and unmark the others."""
    all_keys = sorted(keys)
    for start in range(0, len(all_keys), _MAX_KEYS):
        chunk = all_keys[start : start + _MAX_KEYS]
        same_key = [_summary(row) for row in connection.execute(_SUMMARIES.where(tuple_(*_KEY).in_(chunk)))]
        replacing = _where_in(connection, _events.supersedes, {event.id for event in same_key})
        live_keys = {event.id: key_hash(event.key) for event in live([*same_key, *replacing]) if event.key is not None}
        ended = [
            event.id for event in same_key if event.live_key is not None and live_keys.get(event.id) != event.live_key
        ]
        begun = [event.id for event in same_key if event.id in live_keys and live_keys[event.id] != event.live_key]
        for ids in chunks(ended):
            connection.execute(update(database.events_table).where(_events.id.in_(ids)).values(live_key=None))
        if begun:
            connection.execute(_MARK, [{"marked": id_, "key": live_keys[id_]} for id_ in begun])


def _where_in(connection: Connection, column: Any, values: Collection[str | None]) -> Iterator[_LiveSummary]:  # noqa: ANN401
    for chunk in chunks(value for value in values if value is not None):
        yield from (_summary(row) for row in connection.execute(_SUMMARIES.where(column.in_(chunk))))


def _summary(row: Row[Any]) -> _LiveSummary:
    key = None if row.kind == Withdrawal.kind else key_of(row)
    return _LiveSummary(row.id, datetime.fromisoformat(row.time), row.annotator, row.supersedes, key, row.live_key)

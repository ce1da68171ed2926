"""How an event enters the store, within one write: once by its id, once by its key, and what it replaces is dead then.

A withdrawal that deletes leaves of every event it concerns an erased row: no content, no item, no person. Shards that
hold such an event are marked as leaving; what else they hold goes into new ones.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, select, update

from annotate import tables
from annotate.errors import RefusedError
from annotate.events import Event
from annotate.payloads import KINDS, Withdrawal
from annotate.rows import chunks, insert_event, key_hash, read_events, time_text

LEAVING = "leaving"
ERASED_NAME = ""  # in place of who and what

# Made once: they are asked for every answer.
_BY_ID = select(tables.events).where(tables.events.c.id == bindparam("id"))
_BY_KEY = select(tables.events.c.id).where(tables.events.c.live_key == bindparam("live_key"))


@dataclass(frozen=True)
class Saved:
    """The event that holds; ``is_new`` is false where it had been saved before, under this id or another."""

    event: Event
    is_new: bool


def save(connection: Connection, event: Event) -> Saved:
    """Save an event unless it is there.

    Raise :class:`RefusedError`: ``answer_twice``, ``answer_of_another``, ``answer_changed_elsewhere``,
    ``answer_malformed`` where it supersedes an answer to another question.
    """
    known = _row(connection, event.id)
    if known is not None:
        return _again(connection, known, event)
    if event.supersedes is not None:
        _check_superseded(_row(connection, event.supersedes), event)
        _end(connection, [event.supersedes])
    if event.key is not None:
        same = connection.execute(_BY_KEY, {"live_key": key_hash(event.key)}).first()
        if same is not None:
            return Saved(read_events(connection, tables.events.c.id == same.id)[0], is_new=False)
    insert_event(connection, event, live=True)
    if event.withdraws_everything:
        forget(connection, event.annotator)
    if isinstance(event.payload, Withdrawal) and event.payload.deletes:
        erase(connection, concerned(connection, event))
    return Saved(event, is_new=True)


def _row(connection: Connection, id_: str) -> Row[Any] | None:
    return connection.execute(_BY_ID, {"id": id_}).first()


def _again(connection: Connection, known: Row[Any], event: Event) -> Saved:
    """The same answer once more, after a lost thanks; the time, and how long it took, are those of the first."""
    if known.erased:
        raise RefusedError("answer_changed_elsewhere")
    (kept,) = read_events(connection, tables.events.c.id == known.id)
    if (_but_seconds(kept), kept.key, kept.annotator) != (_but_seconds(event), event.key, event.annotator):
        raise RefusedError("answer_twice")
    return Saved(kept, is_new=False)


def _but_seconds(event: Event) -> tuple[str, dict[str, Any]]:
    """What was answered, whenever the page sent it."""
    return event.kind, {name: value for name, value in event.payload.to_json().items() if name != "seconds"}


def _check_superseded(old: Row[Any] | None, event: Event) -> None:
    if old is None or (old.annotator != event.annotator and not old.erased):
        raise RefusedError("answer_of_another")
    if old.erased or (old.live_key is None and not _may_delete(old, event)):
        raise RefusedError("answer_changed_elsewhere")
    if event.key is not None and key_hash(event.key) != old.live_key:
        raise RefusedError("answer_malformed", field="supersedes")


def _may_delete(old: Row[Any], event: Event) -> bool:
    """What was undone or replaced is still there, and may still be deleted."""
    return isinstance(event.payload, Withdrawal) and event.payload.deletes and old.kind != Withdrawal.kind


def concerned(connection: Connection, withdrawal: Event, *, until: datetime | None = None) -> list[str]:
    """The ids that a withdrawal erases: all of the person's answers, or one with all that it replaced.

    ``until`` leaves out what the person gave later, having come back.
    """
    said = tables.events.c
    if withdrawal.withdraws_everything:
        asked = select(said.id).where(
            said.annotator == withdrawal.annotator, said.kind != Withdrawal.kind, said.erased.is_(False)
        )
        if until is not None:
            asked = asked.where(said.time <= time_text(until))
        return list(connection.execute(asked).scalars())
    ids: list[str] = []
    next_id = withdrawal.supersedes
    while next_id is not None:
        asked_one = select(said.supersedes).where(
            said.id == next_id, said.annotator == withdrawal.annotator, said.id.not_in(ids)
        )
        row = connection.execute(asked_one).first()
        if row is None:
            break
        ids.append(next_id)
        next_id = row.supersedes
    return ids


def erase(connection: Connection, ids: Collection[str]) -> None:
    """Take the content out of these events, and let the shards that hold them leave."""
    said = tables.events.c
    shards: set[str] = set()
    for some in chunks(ids):
        shards |= set(connection.execute(select(said.shard).where(said.id.in_(some))).scalars()) - {None}
        connection.execute(delete(tables.pictures).where(tables.pictures.c.event.in_(some)))
        blank = dict.fromkeys(("campaign", "item", "annotator", "language", "aspect"), ERASED_NAME)
        connection.execute(
            update(tables.events)
            .where(said.id.in_(some))
            .values(payload="{}", live_key=None, erased=True, shard=None, **blank)
        )
    let_leave(connection, shards)


def forget(connection: Connection, annotator: str) -> None:
    """Take away what is kept of a person beside events: what they hold, and what they were shown."""
    for table in (tables.claims, tables.shown):
        connection.execute(delete(table).where(table.c.annotator == annotator))


def let_leave(connection: Connection, paths: Collection[str]) -> None:
    """Mark shards as leaving; the events they hold wait to be published again."""
    for some in chunks(paths):
        there = tables.shards.c.path.in_(some)
        connection.execute(update(tables.shards).where(there).values(state=LEAVING))
        connection.execute(update(tables.events).where(tables.events.c.shard.in_(some)).values(shard=None))


def _end(connection: Connection, ids: Collection[str]) -> None:
    """Let events be live no longer."""
    connection.execute(update(tables.events).where(tables.events.c.id.in_(ids)).values(live_key=None))


def count_by_kind(connection: Connection, annotator: str) -> dict[str, int]:
    """How many records of each kind a person has in the store; withdrawals hold nothing and do not count."""
    said = tables.events.c
    rows = connection.execute(select(said.kind).where(said.annotator == annotator, said.erased.is_(False))).scalars()
    found = list(rows)
    return {kind: found.count(kind) for kind in KINDS if kind in found and kind != Withdrawal.kind}

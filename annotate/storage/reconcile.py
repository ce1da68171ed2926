"""Reconciliation: which events are live after an import, which may bring older events or replacements.

Only events after a sequence number are examined, with those that have the same key or replace them; see
``events.live``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, select, tuple_, update

from annotate.records.deletions import Deletion, Marks
from annotate.records.events import Key, live
from annotate.records.kinds import Withdrawal
from annotate.storage import schema
from annotate.storage.event_rows import chunks, key_hash, key_of

_events = schema.events.c
_KEY = (_events.campaign, _events.item, _events.annotator, _events.kind, _events.language, _events.aspect)
_SUMMARIES: Select[Any] = select(_events.id, _events.time, _events.supersedes, _events.live_key, *_KEY).where(
    _events.erased.is_(False)
)
_MARK = update(schema.events).where(_events.id == bindparam("marked")).values(live_key=bindparam("key"))
_MAX_KEYS = 200  # in one query; each is six values


@dataclass(frozen=True)
class _EventSummary:
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
            connection.execute(update(schema.events).where(_events.id.in_(ids)).values(live_key=None))
        if begun:
            connection.execute(_MARK, [{"marked": id_, "key": live_keys[id_]} for id_ in begun])


def _where_in(connection: Connection, column: Any, values: Collection[str | None]) -> Iterator[_EventSummary]:  # noqa: ANN401
    for chunk in chunks(value for value in values if value is not None):
        yield from (_summary(row) for row in connection.execute(_SUMMARIES.where(column.in_(chunk))))


def _summary(row: Row[Any]) -> _EventSummary:
    key = None if row.kind == Withdrawal.kind else key_of(row)
    return _EventSummary(row.id, datetime.fromisoformat(row.time), row.annotator, row.supersedes, key, row.live_key)

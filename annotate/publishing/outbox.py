"""Outbox: which events are published and which still have to be; shards are named in the store before they are sent.

An event waits until a shard that holds it is known to be at the destination. A shard is ``planned``, with its
events, before the first attempt. After a crash or a lost response the same shard is looked up by its name,
and sent again only if it is missing. So an event is never in two shards. A shard that holds a deleted event
is ``leaving``: its other events wait again, and one commit adds them and deletes the old file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from annotate.kinds.registry import RECORDS
from annotate.publishing.shards import new_path
from annotate.records.events import Event
from annotate.storage import schema
from annotate.storage.erasing import LEAVING
from annotate.storage.event_rows import chunks, picture_fields, read_events

PLANNED = "planned"
PUBLISHED = "published"
MAX_ROWS = 1000  # of one shard
MAX_ROWS_WITH_PICTURES = 20
MAX_SHARDS = 12  # of one commit


@dataclass(frozen=True)
class CommitPlan:
    """The next commit: the paths of shards to send and to delete; ``more`` says that further events wait."""

    planned: tuple[str, ...]
    leaving: tuple[str, ...]
    more: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.planned or self.leaving)


@dataclass(frozen=True)
class OutboxCounts:
    """Counts of stored events, of published ones, and of files to delete; ``kinds`` counts waiting events by kind."""

    saved: int
    published: int
    leaving: int
    kinds: Mapping[str, int]

    @property
    def waiting(self) -> int:
        """The number of events that are not published yet."""
        return self.saved - self.published


def plan(connection: Connection, writer: str, now: datetime | None = None) -> CommitPlan:
    """Return the planned and unconfirmed commit, filled up with waiting events."""
    shards, events = schema.shards.c, schema.events.c
    used = select(events.shard).where(events.shard.is_not(None))  # its events may be in other shards by now
    connection.execute(delete(schema.shards).where(shards.state == PLANNED, shards.path.not_in(used)))
    query = select(shards.path).where(shards.state == PLANNED).order_by(shards.path)
    planned = list(connection.execute(query).scalars())
    if len(planned) > MAX_SHARDS:
        return CommitPlan(tuple(planned[:MAX_SHARDS]), (), more=True)
    for kind in RECORDS:
        most = MAX_ROWS_WITH_PICTURES if picture_fields(kind) else MAX_ROWS
        waiting = events.shard.is_(None) & events.erased.is_(False) & (events.kind == kind)
        while len(planned) < MAX_SHARDS:
            oldest = select(events.id).where(waiting).order_by(events.sequence).limit(most)
            ids = list(connection.execute(oldest).scalars())
            if not ids:
                break
            path = new_path(kind, writer, now or datetime.now(UTC))
            connection.execute(insert(schema.shards).values(path=path, kind=kind, state=PLANNED))
            for chunk in chunks(ids):
                connection.execute(update(schema.events).where(events.id.in_(chunk)).values(shard=path))
            planned.append(path)
    waits = select(events.id).where(events.shard.is_(None), events.erased.is_(False)).limit(1)
    if connection.execute(waits).first() is not None:  # leaving shards go last
        return CommitPlan(tuple(planned), (), more=True)
    leaving = connection.execute(select(shards.path).where(shards.state == LEAVING).order_by(shards.path)).scalars()
    return CommitPlan(tuple(planned), tuple(leaving))


def events_of(connection: Connection, path: str) -> list[Event]:
    """Return the events of a planned shard; empty if it is no longer planned, for example after a deletion."""
    shards = schema.shards.c
    planned = select(shards.path).where(shards.path == path, shards.state == PLANNED)
    if connection.execute(planned).first() is None:
        return []
    return read_events(connection, schema.events.c.shard == path)


def confirm(connection: Connection, paths: Collection[str]) -> None:
    """Mark planned shards as published."""
    shards = schema.shards.c
    for chunk in chunks(paths):
        planned = shards.path.in_(chunk) & (shards.state == PLANNED)
        connection.execute(update(schema.shards).where(planned).values(state=PUBLISHED))


def forget(connection: Connection, paths: Collection[str]) -> None:
    """Remove leaving shards that are deleted.

    A shard that was never seen at the destination may still arrive until a later commit succeeds.
    """
    shards = schema.shards.c
    for chunk in chunks(paths):
        connection.execute(delete(schema.shards).where(shards.path.in_(chunk), shards.state == LEAVING))


def has_leaving(connection: Connection) -> bool:
    """Return whether a shard has to be deleted."""
    shards = schema.shards.c
    return connection.execute(select(shards.path).where(shards.state == LEAVING)).first() is not None


def numbers(connection: Connection) -> OutboxCounts:
    """Return the current counts."""
    events, shards = schema.events.c, schema.shards.c
    stored = select(func.count()).select_from(schema.events).where(events.erased.is_(False))
    published_paths = select(shards.path).where(shards.state == PUBLISHED)
    in_shards = stored.where(events.shard.in_(published_paths))
    waits = or_(events.shard.is_(None), events.shard.not_in(published_paths))
    by_kind = select(events.kind, func.count()).where(events.erased.is_(False), waits).group_by(events.kind)
    waiting = {row[0]: row[1] for row in connection.execute(by_kind)}
    leaving = select(func.count()).select_from(schema.shards).where(shards.state == LEAVING)
    saved, published, leaving_count = (connection.execute(query).scalar_one() for query in (stored, in_shards, leaving))
    return OutboxCounts(saved, published, leaving_count, {kind: waiting[kind] for kind in RECORDS if kind in waiting})


def note(connection: Connection, **values: str) -> None:
    """Store notes by name for all processes that share the store."""
    for name, value in values.items():
        connection.execute(delete(schema.notes).where(schema.notes.c.name == name))
        connection.execute(insert(schema.notes).values(name=name, value=value))


def notes(connection: Connection) -> dict[str, str]:
    """Return the stored notes by name."""
    return {row.name: row.value for row in connection.execute(select(schema.notes))}

"""What was published comes back into the store: after a restart on an empty disk, or from another writer.

Importing twice does no harm: an event is known by its id, and the list of files at the destination says which of them
hold it. What was deleted does not come back; a file that still holds it is marked as leaving.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from annotate import tables
from annotate.destinations import Destination
from annotate.events import Event, Key, live
from annotate.outbox import PLANNED, PUBLISHED, note, notes
from annotate.payloads import KINDS, Withdrawal
from annotate.rows import chunks, insert_event, key_hash, read_events
from annotate.saving import concerned, erase, let_leave
from annotate.shards import kind_of, read_shard
from annotate.store import Store

# Written with every file and wiped when its withdrawals are done: a crash in between is made up for the next time.
_UNSETTLED = "unsettled"


@dataclass(frozen=True)
class Imported:
    """How many files were read, and how many events among theirs were new here."""

    files: int
    events: int


def import_published(store: Store, destination: Destination) -> Imported:
    """Make the store know all that the destination has; raise :class:`RefusedError` where it cannot be read."""
    listed = destination.contents().shards
    unknown = store.write(lambda connection: _compare(connection, listed))
    order = {kind: place for place, kind in enumerate(KINDS)}
    events = 0
    for path in sorted(unknown, key=lambda path: (order[str(kind_of(path))], path)):
        held = read_shard(path, destination.read(path))
        events += store.write(partial(_take, path=path, held=held, listed=listed))
    store.write(_settle)
    return Imported(len(unknown), events)


def _compare(connection: Connection, listed: Collection[str]) -> set[str]:
    """Bring the marks in line with what is there, and tell which files the store does not know.

    What is there was published, whatever became of the answer. What is not there waits again: somebody rewrote it, and
    then its events come with another file, or the store publishes to another place than before. What leaves is known
    until a commit without it has landed: it may be missing because it is still under way.
    """
    shards, said = tables.shards.c, tables.events.c
    known = {row.path: row.state for row in connection.execute(select(tables.shards))}
    landed = [path for path, state in known.items() if path in listed and state == PLANNED]
    missing = [path for path, state in known.items() if path not in listed and state == PUBLISHED]
    for some in chunks(landed):
        connection.execute(update(tables.shards).where(shards.path.in_(some)).values(state=PUBLISHED))
    for some in chunks(missing):
        connection.execute(update(tables.events).where(said.shard.in_(some)).values(shard=None))
        connection.execute(delete(tables.shards).where(shards.path.in_(some)))
    return set(listed) - known.keys()


def _take(connection: Connection, path: str, held: list[Event], listed: Collection[str]) -> int:
    """Add the events of one file that are new, and note where those are that are not."""
    note(connection, **{_UNSETTLED: path})
    connection.execute(insert(tables.shards).values(path=path, kind=kind_of(path), state=PUBLISHED))
    known = _known(connection, [event.id for event in held])
    here, new, deleted = [], 0, False
    for event in held:
        row = known.get(event.id)
        if row is None:
            insert_event(connection, event, live=False, shard=path)
            new += 1
        elif row.erased:
            deleted = True
        elif row.shard not in listed:
            here.append(event.id)
    for some in chunks(here):
        connection.execute(update(tables.events).where(tables.events.c.id.in_(some)).values(shard=path))
    if deleted:
        let_leave(connection, [path])
    return new


def _known(connection: Connection, ids: list[str]) -> dict[str, Row[Any]]:
    said = tables.events.c
    asked = (select(said.id, said.erased, said.shard).where(said.id.in_(some)) for some in chunks(ids))
    found: dict[str, Row[Any]] = {}
    for rows in asked:
        found |= {row.id: row for row in connection.execute(rows).all()}
    return found


def _settle(connection: Connection) -> None:
    """Do what withdrawals among the imported events ask, and mark as live what is; nothing where none came since."""
    if not notes(connection).get(_UNSETTLED):
        return
    for event in read_events(connection, tables.events.c.kind == Withdrawal.kind):
        if isinstance(event.payload, Withdrawal) and event.payload.deletes:
            erase(connection, concerned(connection, event, until=event.time))
    _mark_live(connection)
    note(connection, **{_UNSETTLED: ""})


@dataclass(frozen=True)
class _Light:
    """As much of an event as tells whether it is live."""

    id: str
    time: datetime
    annotator: str
    supersedes: str | None
    key: Key | None

    @property
    def withdraws_everything(self) -> bool:
        return self.key is None and self.supersedes is None


def _mark_live(connection: Connection) -> None:
    said = tables.events.c
    light = [_light(row) for row in connection.execute(select(tables.events).where(said.erased.is_(False)))]
    wanted = {event.id: key_hash(event.key) for event in live(light) if event.key is not None}
    asked = select(said.id, said.live_key).where(said.live_key.is_not(None))
    marked = {row.id: row.live_key for row in connection.execute(asked)}
    for some in chunks(id_ for id_ in marked if wanted.get(id_) != marked[id_]):
        connection.execute(update(tables.events).where(said.id.in_(some)).values(live_key=None))
    for id_, key in wanted.items():
        if marked.get(id_) != key:
            connection.execute(update(tables.events).where(said.id == id_).values(live_key=key))


def _light(row: Row[Any]) -> _Light:
    key = (row.campaign, row.item, row.annotator, row.kind, row.language, row.aspect)
    time = datetime.fromisoformat(row.time)
    return _Light(row.id, time, row.annotator, row.supersedes, None if row.kind == Withdrawal.kind else key)

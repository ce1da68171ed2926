"""What was published comes back into the store: after a restart on an empty disk, or from another writer.

Importing twice does no harm: an event is known by its id, and the list of files at the destination says which of them
hold it. What was deleted does not come back; a file that still holds it is marked as leaving.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, insert, select, union, update

from annotate import tables
from annotate.destinations import Destination
from annotate.errors import RefusedError
from annotate.events import Event
from annotate.marking import keys_since, mark_live
from annotate.outbox import PLANNED, PUBLISHED, note, notes
from annotate.payloads import KINDS, Withdrawal
from annotate.rows import chunks, insert_event, read_events, time_text
from annotate.saving import concerned, erase, forget, let_leave
from annotate.shards import UNREADABLE, kind_of, read_shard
from annotate.store import Store

# Written with every file and wiped when its withdrawals are done: a crash in between is made up for the next time.
_UNSETTLED = "unsettled"
SETTLED = "settled"  # the note of the sequence number up to which that was done


@dataclass(frozen=True)
class Imported:
    """How many files were read, and how many events among theirs were new here."""

    files: int
    events: int


def import_published(store: Store, destination: Destination) -> Imported:
    """Make the store know all that the destination has.

    Raise :class:`RefusedError` where it cannot be read; of a file that is ``shards.UNREADABLE``, after all others are.
    """
    listed = destination.contents().shards
    unknown = store.write(lambda connection: _compare(connection, listed))
    order = {kind: place for place, kind in enumerate(KINDS)}
    events, unreadable = 0, None
    for path in sorted(unknown, key=lambda path: (order[str(kind_of(path))], path)):
        data = destination.read(path)
        try:
            held = read_shard(path, data)
        except RefusedError as error:
            if error.code not in UNREADABLE:
                raise
            unreadable = error
            continue
        events += store.write(partial(_take, path=path, held=held, listed=listed))
    store.write(_settle)
    if unreadable is not None:
        raise unreadable
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
    """Do what withdrawals ask, and mark as live what is; nothing where nothing was imported since.

    All that came since the last time is looked at, imported or given here, so that nothing depends on what a crash
    has left undone.
    """
    noted = notes(connection)
    if not noted.get(_UNSETTLED):
        return
    since = int(noted.get(SETTLED, 0))
    keys = keys_since(connection, since)
    for event in _withdrawals(connection, since):
        if isinstance(event.payload, Withdrawal) and event.payload.deletes:
            erase(connection, concerned(connection, event, until=event.time))
            if event.withdraws_everything and not _came_back(connection, event):
                forget(connection, event.annotator)
    mark_live(connection, keys)
    last = connection.execute(select(func.max(tables.events.c.sequence))).scalar()
    note(connection, **{_UNSETTLED: "", SETTLED: str(last or 0)})


def _withdrawals(connection: Connection, since: int) -> list[Event]:
    """Those that came since, and those from before that may concern what came."""
    said, came = tables.events.c, tables.events.alias("came").c
    is_one, is_new = said.kind == Withdrawal.kind, came.sequence > since
    asked = union(
        select(said.id).where(is_one, said.sequence > since),
        select(said.id).where(is_one, said.supersedes.in_(select(came.id).where(is_new))),
        select(said.id).where(
            is_one, said.supersedes.is_(None), said.annotator.in_(select(came.annotator).where(is_new))
        ),
    )
    ids = connection.execute(asked).scalars().all()
    return [event for some in chunks(ids) for event in read_events(connection, said.id.in_(some))]


def _came_back(connection: Connection, withdrawal: Event) -> bool:
    """Whether this person gave or was asked anything here after having deleted everything."""
    said, held = tables.events.c, tables.claims.c
    later = select(said.id).where(said.annotator == withdrawal.annotator, said.time > time_text(withdrawal.time))
    if connection.execute(later.limit(1)).first() is not None:
        return True
    claims: Select[Any] = select(held.context, held.expires).where(held.annotator == withdrawal.annotator)
    return any(_taken(row) > withdrawal.time.timestamp() for row in connection.execute(claims))


def _taken(claim: Row[Any]) -> float:
    """When a claim was taken, as far as it says so; in any case before it ran out."""
    said = json.loads(claim.context or "{}")
    return float(said.get("since", claim.expires))

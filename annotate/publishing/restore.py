"""Import of published events into the store, after a restart on an empty disk or from another writer.

Importing twice is safe: an event is identified by its id, and the files listed at the destination tell which
of them holds it. Deleted events do not come back; a file that still holds one is marked as leaving.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, union, update

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS
from annotate.publishing.destinations import Destination
from annotate.publishing.outbox import PLANNED, PUBLISHED, note, notes
from annotate.publishing.shards import UNREADABLE, kind_of, read_shard
from annotate.records.deletions import Deletion, Marks, merged, together
from annotate.records.events import Event, new_event
from annotate.records.kinds import Withdrawal
from annotate.storage import schema
from annotate.storage.erasing import erase, erase_awaited, erase_named, everything_of, forget, learn_marks, let_leave
from annotate.storage.event_rows import chunks, insert_event, read_events
from annotate.storage.reconcile import keys_since, mark_live
from annotate.storage.store import Store

# Set with every file and cleared when its withdrawals are applied, so that the next import completes a crashed one.
_UNSETTLED = "unsettled"
SETTLED = "settled"  # the note with the sequence number up to which withdrawals are applied


@dataclass(frozen=True)
class Imported:
    """Counts of the files that were read, and of their events that were new."""

    files: int
    events: int


def import_published(store: Store, destination: Destination) -> Imported:
    """Import all events of the destination into the store.

    Raise :class:`RefusedError` if the destination cannot be read. The error of a file that is
    ``shards.UNREADABLE`` is raised after all other files are imported.
    """
    listed = destination.contents().shards
    unknown = store.write(lambda connection: _compare(connection, listed))
    order = {kind: place for place, kind in enumerate(RECORDS)}
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
    """Update the shards' states from the listed files, and return the files that the store does not know.

    A listed shard was published, whatever the response was. The events of a published shard that is missing wait
    again: another writer rewrote it, and its events come with another file, or the store publishes to a new
    destination. A leaving shard is kept until a commit without it has succeeded: it may be missing because its
    upload is still under way.
    """
    shards, events = schema.shards.c, schema.events.c
    known = {row.path: row.state for row in connection.execute(select(schema.shards))}
    landed = [path for path, state in known.items() if path in listed and state == PLANNED]
    missing = [path for path, state in known.items() if path not in listed and state == PUBLISHED]
    for chunk in chunks(landed):
        connection.execute(update(schema.shards).where(shards.path.in_(chunk)).values(state=PUBLISHED))
    for chunk in chunks(missing):
        connection.execute(update(schema.events).where(events.shard.in_(chunk)).values(shard=None))
        connection.execute(delete(schema.shards).where(shards.path.in_(chunk)))
    return set(listed) - known.keys()


def _take(connection: Connection, path: str, held: list[Event], listed: Collection[str]) -> int:
    """Insert the new events of one file, and set the shard of those whose shard is not listed."""
    note(connection, **{_UNSETTLED: path})
    connection.execute(insert(schema.shards).values(path=path, kind=kind_of(path), state=PUBLISHED))
    known = _known(connection, [event.id for event in held])
    unlisted_ids, new_count, deleted = [], 0, []
    learnt: dict[str, Marks] = {}
    for event in held:
        row = known.get(event.id)
        if row is None:
            insert_event(connection, event, live=False, shard=path)
            new_count += 1
            if event.withdraws_everything:  # the same as for a deletion made here; a person who returns does so later
                forget(connection, event.annotator)
            marks = (event.deletion and event.deletion.marks) or event.after
            if marks:
                learnt[event.annotator] = merged(learnt.get(event.annotator, ()), marks)
        elif row.erased:
            deleted.append(event)
        elif row.shard not in listed:
            unlisted_ids.append(event.id)
    for chunk in chunks(unlisted_ids):
        connection.execute(update(schema.events).where(schema.events.c.id.in_(chunk)).values(shard=path))
    for annotator, marks in learnt.items():
        learn_marks(connection, annotator, marks)
    if deleted:
        let_leave(connection, [path])
        _name(connection, deleted)
    return new_count


def _name(connection: Connection, deleted: Collection[Event]) -> None:
    """Add withdrawals that name events erased by an old deletion without names, so that other writers erase them."""
    events = schema.events.c
    people = sorted({event.annotator for event in deleted})
    deletions: dict[str, list[Deletion]] = {}
    for chunk in chunks(people):
        for withdrawal_event in read_events(connection, events.kind == Withdrawal.kind, events.annotator.in_(chunk)):
            if withdrawal_event.deletion is not None:
                deletions.setdefault(withdrawal_event.annotator, []).append(withdrawal_event.deletion)
    for event in deleted:
        if not any(deletion.erases(event) for deletion in deletions.get(event.annotator, ())):
            withdrawal = Withdrawal(of=event.id, reason="withdrawn", erases=(event.id,))
            insert_event(connection, new_event(withdrawal, annotator=event.annotator), live=False)


def _known(connection: Connection, ids: list[str]) -> dict[str, Row[Any]]:
    events = schema.events.c
    queries = (select(events.id, events.erased, events.shard).where(events.id.in_(chunk)) for chunk in chunks(ids))
    known: dict[str, Row[Any]] = {}
    for rows in queries:
        known |= {row.id: row for row in connection.execute(rows).all()}
    return known


def _settle(connection: Connection) -> None:
    """Apply withdrawals and mark live events; do nothing if nothing was imported since.

    This covers all events since the last time, imported or given here, so that nothing depends on what a crash
    left undone.
    """
    noted = notes(connection)
    if not noted.get(_UNSETTLED):
        return
    since = int(noted.get(SETTLED, 0))
    keys = keys_since(connection, since)
    everything: dict[str, list[Deletion]] = {}
    for event in _withdrawals(connection, since):
        if (deletion := event.deletion) is not None:
            if event.withdraws_everything:
                everything.setdefault(event.annotator, []).append(deletion)
            else:
                keys |= erase_named(connection, sorted(deletion.named), event.annotator)
    for deletions in everything.values():
        for deletion in together(deletions):
            keys |= erase(connection, everything_of(connection, deletion))
    keys |= erase_awaited(connection, since)
    mark_live(connection, keys)
    last = connection.execute(select(func.max(schema.events.c.sequence))).scalar()
    note(connection, **{_UNSETTLED: "", SETTLED: str(last or 0)})


def _withdrawals(connection: Connection, since: int) -> list[Event]:
    """Return withdrawals that came since, and older ones that may concern events that came."""
    events, came = schema.events.c, schema.events.alias("came").c
    is_one, is_new = events.kind == Withdrawal.kind, came.sequence > since
    query = union(
        select(events.id).where(is_one, events.sequence > since),
        select(events.id).where(is_one, events.supersedes.in_(select(came.id).where(is_new))),
        select(events.id).where(
            is_one, events.supersedes.is_(None), events.annotator.in_(select(came.annotator).where(is_new))
        ),
    )
    ids = connection.execute(query).scalars().all()
    return [event for chunk in chunks(ids) for event in read_events(connection, events.id.in_(chunk))]

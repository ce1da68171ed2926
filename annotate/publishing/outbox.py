"""Outbox: which events are published and which still have to be, and the import of published events.

An event waits until a shard that holds it is known to be at the destination. A shard is ``planned``, with its
events, before the first attempt. After a crash or a lost response the same shard is looked up by its name,
and sent again only if it is missing. So an event is never in two shards. A shard that holds a deleted event
is ``leaving``: its other events wait again, and one commit adds them and deletes the old file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, union, update

from annotate.errors import RefusedError
from annotate.kinds import RECORDS
from annotate.publishing.destinations import Destination
from annotate.publishing.tables import UNREADABLE, kind_of, new_path, read_shard
from annotate.records import Deletion, Event, Marks, Withdrawal, merged, new_event, together
from annotate.storage import (
    LEAVING,
    Store,
    chunks,
    erase,
    erase_awaited,
    erase_named,
    events_table,
    everything_of,
    forget,
    insert_event,
    keys_since,
    learn_marks,
    let_leave,
    mark_live,
    notes_table,
    picture_fields,
    read_events,
    shards_table,
)

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


def plan(connection: Connection, writer: str, now: datetime | None = None, held: Collection[str] = ()) -> CommitPlan:
    """Return the planned and unconfirmed commit, filled up with waiting events; those of ``held`` kinds stay here."""
    shards, events = shards_table.c, events_table.c
    let_leave(connection, connection.execute(select(shards.path).where(shards.kind.in_(held))).scalars().all())
    used = select(events.shard).where(events.shard.is_not(None))  # its events may be in other shards by now
    connection.execute(delete(shards_table).where(shards.state == PLANNED, shards.path.not_in(used)))
    query = select(shards.path).where(shards.state == PLANNED).order_by(shards.path)
    planned = list(connection.execute(query).scalars())
    if len(planned) > MAX_SHARDS:
        return CommitPlan(tuple(planned[:MAX_SHARDS]), (), more=True)
    for kind in [kind for kind in RECORDS if kind not in held]:
        most = MAX_ROWS_WITH_PICTURES if picture_fields(kind) else MAX_ROWS
        waiting = events.shard.is_(None) & events.erased.is_(False) & (events.kind == kind)
        while len(planned) < MAX_SHARDS:
            oldest = select(events.id).where(waiting).order_by(events.sequence).limit(most)
            ids = list(connection.execute(oldest).scalars())
            if not ids:
                break
            path = new_path(kind, writer, now or datetime.now(UTC))
            connection.execute(insert(shards_table).values(path=path, kind=kind, state=PLANNED))
            for chunk in chunks(ids):
                connection.execute(update(events_table).where(events.id.in_(chunk)).values(shard=path))
            planned.append(path)
    waits = select(events.id).where(events.shard.is_(None), events.erased.is_(False), events.kind.not_in(held)).limit(1)
    if connection.execute(waits).first() is not None:  # leaving shards go last
        return CommitPlan(tuple(planned), (), more=True)
    leaving = connection.execute(select(shards.path).where(shards.state == LEAVING).order_by(shards.path)).scalars()
    return CommitPlan(tuple(planned), tuple(leaving))


def events_of(connection: Connection, path: str) -> list[Event]:
    """Return the events of a planned shard; empty if it is no longer planned, for example after a deletion."""
    shards = shards_table.c
    planned = select(shards.path).where(shards.path == path, shards.state == PLANNED)
    if connection.execute(planned).first() is None:
        return []
    return read_events(connection, events_table.c.shard == path)


def confirm(connection: Connection, paths: Collection[str]) -> None:
    """Mark planned shards as published."""
    shards = shards_table.c
    for chunk in chunks(paths):
        planned = shards.path.in_(chunk) & (shards.state == PLANNED)
        connection.execute(update(shards_table).where(planned).values(state=PUBLISHED))


def forget_shards(connection: Connection, paths: Collection[str]) -> None:
    """Remove leaving shards that are deleted.

    A shard that was never seen at the destination may still arrive until a later commit succeeds.
    """
    shards = shards_table.c
    for chunk in chunks(paths):
        connection.execute(delete(shards_table).where(shards.path.in_(chunk), shards.state == LEAVING))


def has_leaving(connection: Connection) -> bool:
    """Return whether a shard has to be deleted."""
    shards = shards_table.c
    return connection.execute(select(shards.path).where(shards.state == LEAVING)).first() is not None


def numbers(connection: Connection, held: Collection[str] = ()) -> OutboxCounts:
    """Return the current counts, without events of ``held`` kinds."""
    events, shards = events_table.c, shards_table.c
    counted = events.erased.is_(False) & events.kind.not_in(held)
    stored = select(func.count()).select_from(events_table).where(counted)
    published_paths = select(shards.path).where(shards.state == PUBLISHED)
    in_shards = stored.where(events.shard.in_(published_paths))
    waits = or_(events.shard.is_(None), events.shard.not_in(published_paths))
    by_kind = select(events.kind, func.count()).where(counted, waits).group_by(events.kind)
    waiting = {row[0]: row[1] for row in connection.execute(by_kind)}
    leaving = select(func.count()).select_from(shards_table).where(shards.state == LEAVING)
    saved, published, leaving_count = (connection.execute(query).scalar_one() for query in (stored, in_shards, leaving))
    return OutboxCounts(saved, published, leaving_count, {kind: waiting[kind] for kind in RECORDS if kind in waiting})


def write_notes(connection: Connection, **values: str) -> None:
    """Store notes by name for all processes that share the store."""
    for name, value in values.items():
        connection.execute(delete(notes_table).where(notes_table.c.name == name))
        connection.execute(insert(notes_table).values(name=name, value=value))


def read_notes(connection: Connection) -> dict[str, str]:
    """Return the stored notes by name."""
    return {row.name: row.value for row in connection.execute(select(notes_table))}


# Import of published events into the store, after a restart on an empty disk or from another writer.
#
# Importing twice is safe: an event is identified by its id, and the files listed at the destination tell which
# of them holds it. Deleted events do not come back; a file that still holds one is marked as leaving.

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
    ``tables.UNREADABLE`` is raised after all other files are imported.
    """
    listed = {path for path in destination.contents().shards if kind_of(path) in RECORDS}
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
    shards, events = shards_table.c, events_table.c
    known = {row.path: row.state for row in connection.execute(select(shards_table))}
    landed = [path for path, state in known.items() if path in listed and state == PLANNED]
    missing = [path for path, state in known.items() if path not in listed and state == PUBLISHED]
    for chunk in chunks(landed):
        connection.execute(update(shards_table).where(shards.path.in_(chunk)).values(state=PUBLISHED))
    for chunk in chunks(missing):
        connection.execute(update(events_table).where(events.shard.in_(chunk)).values(shard=None))
        connection.execute(delete(shards_table).where(shards.path.in_(chunk)))
    return set(listed) - known.keys()


def _take(connection: Connection, path: str, held: list[Event], listed: Collection[str]) -> int:
    """Insert the new events of one file, and set the shard of those whose shard is not listed."""
    write_notes(connection, **{_UNSETTLED: path})
    connection.execute(insert(shards_table).values(path=path, kind=kind_of(path), state=PUBLISHED))
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
        connection.execute(update(events_table).where(events_table.c.id.in_(chunk)).values(shard=path))
    for annotator, marks in learnt.items():
        learn_marks(connection, annotator, marks)
    if deleted:
        let_leave(connection, [path])
        _name(connection, deleted)
    return new_count


def _name(connection: Connection, deleted: Collection[Event]) -> None:
    """Add withdrawals that name events erased by an old deletion without names, so that other writers erase them."""
    events = events_table.c
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
    events = events_table.c
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
    noted = read_notes(connection)
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
    last = connection.execute(select(func.max(events_table.c.sequence))).scalar()
    write_notes(connection, **{_UNSETTLED: "", SETTLED: str(last or 0)})


def _withdrawals(connection: Connection, since: int) -> list[Event]:
    """Return withdrawals that came since, and older ones that may concern events that came."""
    events, came = events_table.c, events_table.alias("came").c
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

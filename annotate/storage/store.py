"""Store of all events in a database, which commits an event before it is confirmed.

The database is SQLite in the user's data folder, or PostgreSQL by its address if several processes share one
store. Both behave the same. ``add`` returns only after the commit is on disk. An event is saved once by its
id and once by its key (see ``Event.key``), so that a lost response, a double click or a second tab does no
harm.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from sqlalchemy import Connection, Row, bindparam, insert, inspect, literal, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from annotate.errors import RefusedError
from annotate.kinds import RECORDS
from annotate.records import EVERYTHING, Event, Withdrawal, new_event, with_next
from annotate.storage import database, queries
from annotate.storage.database import (
    BUSY_SECONDS,
    FILE_NAME,
    is_disconnect,
    only_one,
    open_engine,
    opening,
    place_of,
    reading,
    refusals_of,
    writing,
)
from annotate.storage.event_rows import (
    await_unseen,
    chain_of,
    erase,
    everything_of,
    forget,
    insert_event,
    key_hash,
    key_of,
    known_marks,
    learn_marks,
    mark_live,
    read_events,
)
from annotate.storage.queries import Claim, ClaimScope, Wanted

# Insertion of events: once by id and once by key, in one transaction, ending the event that it supersedes.
#
# A deleting withdrawal erases at once, and is stored with the ids of what it erased; see ``event_rows``.

# Built once, since they run for every answer.
_BY_ID = select(database.events_table).where(database.events_table.c.id == bindparam("id"))
_BY_KEY = select(database.events_table.c.id).where(database.events_table.c.live_key == bindparam("live_key"))


@dataclass(frozen=True)
class Saved:
    """The live event; ``is_new`` is False if it was saved before, under this id or another."""

    event: Event
    is_new: bool


def save(connection: Connection, event: Event, writer: str) -> Saved:
    """Save an event unless it is stored already; ``writer`` names the store in the marks of deletions.

    Raise :class:`RefusedError`: ``answer_twice``, ``answer_of_another``, ``answer_changed_elsewhere``, or
    ``answer_malformed`` if it supersedes an answer to another question.
    """
    known = _row(connection, event.id)
    if known is not None:
        return _again(connection, known, event)
    superseded = None
    if event.supersedes is not None:
        superseded = _row(connection, event.supersedes)
        _check_superseded(superseded, event)
        _end(connection, [event.supersedes])
    if event.key is not None:
        same_key = connection.execute(_BY_KEY, {"live_key": key_hash(event.key)}).first()
        if same_key is not None:
            return Saved(read_events(connection, database.events_table.c.id == same_key.id)[0], is_new=False)
    marks = known_marks(connection, event.annotator)
    event = replace(event, after=marks) if marks else event
    if isinstance(event.payload, Withdrawal) and event.payload.deletes:
        return Saved(_delete(connection, event, event.payload, writer), is_new=True)
    insert_event(connection, event, live=True)
    if superseded is not None and event.key is None:
        mark_live(connection, [key_of(superseded)])  # another writer may have an answer to the same question
    return Saved(event, is_new=True)


def _delete(connection: Connection, event: Event, withdrawal: Withdrawal, writer: str) -> Event:
    """Erase what a withdrawal asks for, and store the withdrawal with the ids of the erased events."""
    unseen: list[str] = []
    if event.withdraws_everything:
        event = replace(event, after=with_next(event.after, writer))
        learn_marks(connection, event.annotator, event.after)
        forget(connection, event.annotator)
        ids = [] if event.deletion is None else everything_of(connection, event.deletion)
    else:
        ids, unseen = chain_of(connection, [withdrawal.of], event.annotator)
        await_unseen(connection, unseen, event.annotator)
    event = replace(event, payload=replace(withdrawal, erases=(*ids, *unseen)))
    insert_event(connection, event, live=False)
    mark_live(connection, erase(connection, ids))
    return event


def _row(connection: Connection, id_: str) -> Row[Any] | None:
    return connection.execute(_BY_ID, {"id": id_}).first()


def _again(connection: Connection, known: Row[Any], event: Event) -> Saved:
    """Return the stored event for a repeated request, after a lost response; its time and duration are kept."""
    if known.erased:
        raise RefusedError("answer_changed_elsewhere")
    (earlier,) = read_events(connection, database.events_table.c.id == known.id)
    if (_as_sent(earlier), earlier.key, earlier.annotator) != (_as_sent(event), event.key, event.annotator):
        raise RefusedError("answer_twice")
    return Saved(earlier, is_new=False)


def _as_sent(event: Event) -> tuple[str, dict[str, Any]]:
    """Return the answer as the page sent it, without its duration and without the ids that the store adds."""
    return event.kind, {name: value for name, value in vars(event.payload).items() if name not in {"seconds", "erases"}}


def _check_superseded(superseded: Row[Any] | None, event: Event) -> None:
    if superseded is None or (superseded.annotator != event.annotator and not superseded.erased):
        raise RefusedError("answer_of_another")
    if superseded.erased or (superseded.live_key is None and not _may_delete(superseded, event)):
        raise RefusedError("answer_changed_elsewhere")
    if event.key is not None and key_hash(event.key) != superseded.live_key:
        raise RefusedError("answer_malformed", field="supersedes")


def _may_delete(superseded: Row[Any], event: Event) -> bool:
    """Return whether an event deletes an answer that was undone or replaced but is still stored."""
    return isinstance(event.payload, Withdrawal) and event.payload.deletes and superseded.kind != Withdrawal.kind


def _end(connection: Connection, ids: Collection[str]) -> None:
    """Mark events as no longer live."""
    connection.execute(update(database.events_table).where(database.events_table.c.id.in_(ids)).values(live_key=None))


def count_by_kind(connection: Connection, annotator: str) -> dict[str, int]:
    """Return the number of a person's stored records by kind, without withdrawals, which have no content."""
    events = database.events_table.c
    rows = connection.execute(
        select(events.kind).where(events.annotator == annotator, events.erased.is_(False))
    ).scalars()
    kinds = list(rows)
    return {kind: kinds.count(kind) for kind in RECORDS if kind in kinds and kind != Withdrawal.kind}


# The store, and where it is.

Result = TypeVar("Result")


def store_path(data_dir: Path) -> Path:
    """Return the path of the store in a data folder, used if no database is named."""
    return data_dir / FILE_NAME


def open_store(where: str | Path, *, now: Callable[[], float] = time.time) -> Store:
    """Open the store at a path or a PostgreSQL address; create it if it does not exist.

    ``now`` returns the time for claims, in seconds since 1970. Raise :class:`RefusedError` if the place cannot be
    used.
    """
    return Store(where, now)


class Store:
    """Events and claims; every method is thread-safe.

    ``read_only`` is the reason why events cannot be saved, or None; claims and reading still work.
    """

    def __init__(self, where: str | Path, now: Callable[[], float] = time.time) -> None:
        self.engine = open_engine(where)
        self.read_only: RefusedError | None = None
        self._now = now
        self._name = uuid4().hex[:16]  # new each time, so that copies of a file do not share it
        try:
            self._make_tables()
        except RefusedError:
            self.engine.dispose()
            raise
        self._one_writes = threading.Lock()
        self._closed = False

    def _make_tables(self) -> None:
        with opening(self.engine), writing(self.engine) as connection:
            self._refuse_others(connection)
            database.metadata.create_all(connection)
            _add_marks(connection)
            version = connection.execute(
                select(database.notes_table.c.value).where(database.notes_table.c.name == "schema")
            ).scalar()
            if version is None:
                connection.execute(insert(database.notes_table).values(name="schema", value=database.SCHEMA))
            elif version != database.SCHEMA:
                raise RefusedError("store_other_version", found=version, known=database.SCHEMA)
            for index in database.events_table.indexes:  # an older store lacks newer indexes
                index.create(connection, checkfirst=True)

    def _refuse_others(self, connection: Connection) -> None:
        """Raise if the database has a table with one of our names but other columns."""
        inspector = inspect(connection)
        for table in database.metadata.tables.values():
            columns = {column.name for column in table.columns if column.name != database.events_table.c.after.name}
            if inspector.has_table(table.name) and not columns <= {
                column["name"] for column in inspector.get_columns(table.name)
            }:
                raise RefusedError("store_foreign", path=place_of(self.engine), table=table.name)

    def reading(self) -> AbstractContextManager[Connection]:
        """Open a connection with one consistent snapshot; raise :class:`RefusedError` for errors of the store."""
        return reading(self.engine)

    def only_one(self, job: str) -> AbstractContextManager[bool]:
        """Acquire the lock for a job of one process at a time; see ``database.only_one``."""
        return only_one(self.engine, job)

    def write(self, do: Callable[[Connection], Result]) -> Result:
        """Run a function in a transaction, and return its result once the commit is on disk.

        Raise what the function raises, or :class:`RefusedError` for errors of the store: ``store_busy`` if others
        write for too long, ``store_full``, ``store_unwritable``, ``store_closed``; then nothing was written. Only for
        ``store_unreachable`` this is unknown, since the server may have gone away during the commit.
        """
        with self._turn_to_write(), refusals_of(self.engine):
            try:
                return self._write_once(do)
            except SQLAlchemyError as error:
                if not is_disconnect(error):
                    raise
                # A retry is safe even if the commit succeeded before the connection broke: events have ids.
                return self._write_once(do)

    def _write_once(self, do: Callable[[Connection], Result]) -> Result:
        with writing(self.engine) as connection:
            return do(connection)

    @contextmanager
    def _turn_to_write(self) -> Iterator[None]:
        """Hold the write lock of this process, so that waiting threads hold no connection and do not poll."""
        if not self._one_writes.acquire(timeout=BUSY_SECONDS):
            raise RefusedError("store_busy")
        try:
            if self._closed:
                raise RefusedError("store_closed")
            yield
        finally:
            self._one_writes.release()

    def add(self, event: Event, *, claim: str | None = None) -> Saved:
        """Save an event, and return once it is on disk; with ``claim`` that claim ends with it.

        Raise :class:`RefusedError`: ``store_read_only`` and other ``store_…`` if it is not saved, ``answer_twice``,
        ``answer_of_another``, ``answer_changed_elsewhere``, ``answer_malformed``.
        """
        return self.add_all([event], claim=claim)[0]

    def add_all(self, events: Sequence[Event], *, claim: str | None = None) -> list[Saved]:
        """Save several events, all or none; as :meth:`add`."""
        if self.read_only is not None:
            raise RefusedError("store_read_only", reason=self.read_only.sentence)

        def save_all(connection: Connection) -> list[Saved]:
            saved = [save(connection, event, self._name) for event in events]
            if claim is not None:
                queries.release(connection, claim)
            return saved

        return self.write(save_all)

    def withdraw(self, *, annotator: str, of: str = EVERYTHING, app_version: str = "") -> Saved:
        """Delete all data of a person, or one answer with all that it replaced; as :meth:`add`."""
        return self.add(new_event(Withdrawal(of=of, reason="withdrawn"), annotator=annotator, app_version=app_version))

    def event(self, event_id: str) -> Event | None:
        """Return an event by its id; None if it does not exist or was deleted."""
        with reading(self.engine) as connection:
            events = read_events(connection, database.events_table.c.id == event_id)
        return events[0] if events else None

    def events(  # noqa: PLR0913  each narrows the answer
        self,
        *,
        campaign: str | None = None,
        kind: str | None = None,
        item: str | None = None,
        annotator: str | None = None,
        language: str | None = None,
        live: bool = False,
        pictures: bool = True,
    ) -> list[Event]:
        """Return the matching events, oldest first; with ``live`` only those (see ``annotate.records.live``).

        Without ``pictures``, ``event_rows.LEFT_OUT`` replaces each picture.
        """
        events = database.events_table.c
        filters = {"campaign": campaign, "kind": kind, "item": item, "annotator": annotator, "language": language}
        conditions = [events[name] == value for name, value in filters.items() if value is not None]
        if live:
            conditions.append(events.live_key.is_not(None))
        with reading(self.engine) as connection:
            return read_events(connection, *conditions, pictures=pictures)

    def live(self, **filters: str | None) -> list[Event]:
        """Return the live events; as :meth:`events`."""
        return self.events(**filters, live=True, pictures=True)

    def counts(self, annotator: str) -> dict[str, int]:
        """Return the number of a person's stored records by kind."""
        with reading(self.engine) as connection:
            return count_by_kind(connection, annotator)

    def claim(
        self,
        asking: ClaimScope,
        wanted: Iterable[Wanted],
        *,
        seconds: float,
        knowing: Collection[str] | None = None,
    ) -> Claim | None:
        """Claim the first wanted item with room that this person neither answered nor holds, or return None.

        Two processes never claim the same room, and no person gets more claims than were known in ``knowing``; see
        ``queries.take``.
        """
        wanted = list(wanted)
        return self.write(
            lambda on: queries.take(on, asking, wanted, now=self._now(), seconds=seconds, knowing=knowing)
        )

    def claims_of(self, annotator: str) -> list[Claim]:
        """Return the claims that a person holds, oldest first."""
        with reading(self.engine) as connection:
            return queries.open_claims(connection, annotator=annotator, now=self._now())

    def find_claim(self, token: str, *, annotator: str) -> Claim | None:
        """Return the claim of a token, expired or not; None if it is another person's, answered or unknown."""
        with reading(self.engine) as connection:
            return queries.find(connection, token, annotator)

    def close(self) -> None:
        """Finish the current write and close the database; waiting writes are refused."""
        self._closed = True
        finished = self._one_writes.acquire(timeout=BUSY_SECONDS)
        if finished:
            self._one_writes.release()
        self.engine.dispose()


def _add_marks(connection: Connection) -> None:
    """Add marks to an older store without them; known deletions are marked by the id of the deletion."""
    events = database.events_table.c
    if events.after.name in {column["name"] for column in inspect(connection).get_columns(database.events_table.name)}:
        return
    connection.execute(text("ALTER TABLE events ADD COLUMN after TEXT NOT NULL DEFAULT ''"))
    everything = select(events.annotator, events.id, literal(1)).where(
        events.kind == Withdrawal.kind, events.supersedes.is_(None)
    )
    known = database.deletions_table
    connection.execute(insert(known).from_select([known.c.annotator, known.c.writer, known.c.number], everything))

"""The store: every event in a database, saved before anybody is thanked.

SQLite in the user's data folder, or PostgreSQL by its address where several processes share one store; both behave the
same. ``add`` returns only after the commit is on the disk. An event is saved once by its id and once by its key (see
``Event.key``), so that a lost thanks, a double click or a second tab does no harm.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from sqlalchemy import Connection, insert, inspect, literal, select, text
from sqlalchemy.exc import SQLAlchemyError

from annotate.errors import RefusedError
from annotate.records.events import Event, new_event
from annotate.records.kinds import EVERYTHING, Withdrawal
from annotate.storage import append, claims, schema
from annotate.storage.append import Saved
from annotate.storage.claims import Claim, ClaimScope, Wanted
from annotate.storage.engine import (
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
from annotate.storage.event_rows import read_events

__all__ = ["Claim", "ClaimScope", "Saved", "Store", "Wanted", "open_store", "store_path"]

Result = TypeVar("Result")


def store_path(data_dir: Path) -> Path:
    """The path of the store in a data folder, for where no database is named."""
    return data_dir / FILE_NAME


def open_store(where: str | Path, *, now: Callable[[], float] = time.time) -> Store:
    """Open the store at a path or a PostgreSQL address, and make it where there is none.

    ``now`` tells the time of claims, in seconds since 1970. Raise :class:`RefusedError` for a place that cannot serve.
    """
    return Store(where, now)


class Store:
    """Events and claims; every method may be called from any thread.

    ``read_only`` is the reason why nothing may be saved, or None; claims and what is read go on.
    """

    def __init__(self, where: str | Path, now: Callable[[], float] = time.time) -> None:
        self.engine = open_engine(where)
        self.read_only: RefusedError | None = None
        self._now = now
        self._name = uuid4().hex[:16]  # of this opening: no copy of the file counts its deletions on under one name
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
            schema.metadata.create_all(connection)
            _add_marks(connection)
            version = connection.execute(select(schema.notes.c.value).where(schema.notes.c.name == "schema")).scalar()
            if version is None:
                connection.execute(insert(schema.notes).values(name="schema", value=schema.SCHEMA))
            elif version != schema.SCHEMA:
                raise RefusedError("store_other_version", found=version, known=schema.SCHEMA)
            for index in schema.events.indexes:  # a store that was made before an index has only its table
                index.create(connection, checkfirst=True)

    def _refuse_others(self, connection: Connection) -> None:
        """Leave a database alone that has a table of one of our names and another make."""
        inspector = inspect(connection)
        for table in schema.metadata.tables.values():
            columns = {column.name for column in table.columns if column.name != schema.events.c.after.name}
            if inspector.has_table(table.name) and not columns <= {
                column["name"] for column in inspector.get_columns(table.name)
            }:
                raise RefusedError("store_foreign", path=place_of(self.engine), table=table.name)

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the store throughout; raise :class:`RefusedError` for its faults."""
        return reading(self.engine)

    def only_one(self, job: str) -> AbstractContextManager[bool]:
        """Whether this process may do what only one that shares the store may do at a time; see ``engine.only_one``."""
        return only_one(self.engine, job)

    def write(self, do: Callable[[Connection], Result]) -> Result:
        """Do something in a transaction of its own, and return its result once it is on the disk.

        Raise what that raised, or :class:`RefusedError` for what the store cannot do: ``store_busy`` where others write
        for too long, ``store_full``, ``store_unwritable``, ``store_closed``; then nothing of it was done. Of
        ``store_unreachable`` alone nobody can tell, where a server went away while it was committing.
        """
        with self._turn_to_write(), refusals_of(self.engine):
            try:
                return self._write_once(do)
            except SQLAlchemyError as error:
                if not is_disconnect(error):
                    raise
                # It can be repeated, whether it was done before the connection broke or not: events are known by ids.
                return self._write_once(do)

    def _write_once(self, do: Callable[[Connection], Result]) -> Result:
        with writing(self.engine) as connection:
            return do(connection)

    @contextmanager
    def _turn_to_write(self) -> Iterator[None]:
        """One thread of this process at a time, so that no other holds a connection or asks again and again."""
        if not self._one_writes.acquire(timeout=BUSY_SECONDS):
            raise RefusedError("store_busy")
        try:
            if self._closed:
                raise RefusedError("store_closed")
            yield
        finally:
            self._one_writes.release()

    def add(self, event: Event, *, claim: str | None = None) -> Saved:
        """Save an event, and return once it is on the disk; with ``claim`` that claim ends with it.

        Raise :class:`RefusedError`: ``store_read_only`` and other ``store_…`` where it is not saved,
        ``answer_twice``, ``answer_of_another``, ``answer_changed_elsewhere``, ``answer_malformed``.
        """
        return self.add_all([event], claim=claim)[0]

    def add_all(self, events: Sequence[Event], *, claim: str | None = None) -> list[Saved]:
        """Save several events, all or none; as :meth:`add`."""
        if self.read_only is not None:
            raise RefusedError("store_read_only", reason=self.read_only.sentence)

        def save_all(connection: Connection) -> list[Saved]:
            saved = [append.save(connection, event, self._name) for event in events]
            if claim is not None:
                claims.release(connection, claim)
            return saved

        return self.write(save_all)

    def withdraw(self, *, annotator: str, of: str = EVERYTHING, app_version: str = "") -> Saved:
        """Delete everything that a person gave, or one answer with all that it replaced; as :meth:`add`."""
        return self.add(new_event(Withdrawal(of=of, reason="withdrawn"), annotator=annotator, app_version=app_version))

    def event(self, event_id: str) -> Event | None:
        """One event by its id; None where there is none or it was deleted."""
        with reading(self.engine) as connection:
            events = read_events(connection, schema.events.c.id == event_id)
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
        """The events that fit, oldest first; with ``live`` those alone that still hold (see ``events.live``).

        Without ``pictures`` these are not read, and ``event_rows.LEFT_OUT`` stands for each.
        """
        events = schema.events.c
        filters = {"campaign": campaign, "kind": kind, "item": item, "annotator": annotator, "language": language}
        conditions = [events[name] == value for name, value in filters.items() if value is not None]
        if live:
            conditions.append(events.live_key.is_not(None))
        with reading(self.engine) as connection:
            return read_events(connection, *conditions, pictures=pictures)

    def live(self, **filters: str | None) -> list[Event]:
        """The events that still hold; as :meth:`events`."""
        return self.events(**filters, live=True, pictures=True)

    def counts(self, annotator: str) -> dict[str, int]:
        """The number of records of each kind that the store has of a person."""
        with reading(self.engine) as connection:
            return append.count_by_kind(connection, annotator)

    def claim(
        self,
        asking: ClaimScope,
        wanted: Iterable[Wanted],
        *,
        seconds: float,
        knowing: Collection[str] | None = None,
    ) -> Claim | None:
        """Hold the first wanted item with room that this person neither answered nor holds; None where there is none.

        No two processes ever give one room away twice, nor one person more than was ``knowing``: as ``claims.take``.
        """
        wanted = list(wanted)
        return self.write(lambda on: claims.take(on, asking, wanted, now=self._now(), seconds=seconds, knowing=knowing))

    def claims_of(self, annotator: str) -> list[Claim]:
        """The claims that a person holds, oldest first."""
        with reading(self.engine) as connection:
            return claims.open_claims(connection, annotator=annotator, now=self._now())

    def find_claim(self, token: str, *, annotator: str) -> Claim | None:
        """The claim of a token, expired or not; None where it is another person's, was answered or never was."""
        with reading(self.engine) as connection:
            return claims.find(connection, token, annotator)

    def close(self) -> None:
        """Finish what is being written and let the database go; what waits its turn is refused."""
        self._closed = True
        finished = self._one_writes.acquire(timeout=BUSY_SECONDS)
        if finished:
            self._one_writes.release()
        self.engine.dispose()


def _add_marks(connection: Connection) -> None:
    """Add marks to a store from before there were any; what it knows was deleted is marked by the deletion's id."""
    events = schema.events.c
    if events.after.name in {column["name"] for column in inspect(connection).get_columns(schema.events.name)}:
        return
    connection.execute(text("ALTER TABLE events ADD COLUMN after TEXT NOT NULL DEFAULT ''"))
    everything = select(events.annotator, events.id, literal(1)).where(
        events.kind == Withdrawal.kind, events.supersedes.is_(None)
    )
    known = schema.deletions
    connection.execute(insert(known).from_select([known.c.annotator, known.c.writer, known.c.number], everything))

"""The database of a store: its tables and its engines, SQLite on a local disk or PostgreSQL by its address."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from annotate.disks import (
    at_home,
    disk_refusal,
    make_private_files,
    make_private_folder,
    network_file_system,
    trouble_with,
)
from annotate.errors import RefusedError
from fmp_models.common import one_line, try_lock

# Tables of a store, the same in SQLite and PostgreSQL.
#
# ``events`` holds every record. An erased event keeps its row without content, so that it can neither come back
# nor be counted. ``live_key`` is unique and set only while an event is live, so that the database itself
# prevents duplicate answers. ``shard`` is the published file that holds, or will hold, the event; see
# ``outbox``.

SCHEMA = "1"  # unchanged by a new index, table or `events.after`: what is missing is created

metadata = MetaData()

events_table = Table(
    "events",
    metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("kind", String(40), nullable=False),
    Column("version", Integer, nullable=False),
    Column("time", String(40), nullable=False),  # ISO 8601 in UTC with microseconds: text order is time order
    Column("campaign", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("app_version", Text, nullable=False),
    Column("aspect", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("supersedes", String(32)),
    Column("after", Text, nullable=False, server_default=""),  # marks of deletions, separated by spaces
    Column("live_key", String(64), unique=True),
    Column("erased", Boolean, nullable=False, default=False),
    Column("shard", String(200), index=True),
    Index("events_by_item", "campaign", "kind", "item"),
    Index("events_by_annotator", "annotator", "kind"),
    Index(  # a covering index: counting answers needs no row
        "events_standing",
        *("campaign", "kind", "language", "item", "aspect", "annotator"),
        sqlite_where=text("live_key IS NOT NULL"),
        postgresql_where=text("live_key IS NOT NULL"),
    ),
    Index(
        "events_by_superseded",
        "supersedes",
        sqlite_where=text("supersedes IS NOT NULL"),
        postgresql_where=text("supersedes IS NOT NULL"),
    ),
)

pictures_table = Table(
    "pictures",
    metadata,
    Column("event", String(32), ForeignKey("events.id"), primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

claims_table = Table(
    "claims",
    metadata,
    Column("token", String(32), primary_key=True),
    Column("campaign", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("aspect", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("expires", Float, nullable=False),  # seconds since 1970
    Column("context", Text, nullable=False),
    UniqueConstraint("campaign", "item", "kind", "aspect", "language", "annotator"),
)

# Every question that a person was shown, answered or not; see `queries`.
shown_table = Table(
    "shown",
    metadata,
    Column("campaign", Text, primary_key=True),
    Column("annotator", Text, primary_key=True),
    Column("item", Text, primary_key=True),
    Column("language", Text, primary_key=True),
    Column("task", Text, primary_key=True),
)

# The id of a person at their payment service; see `queries`.
participants_table = Table(
    "participants",
    metadata,
    Column("annotator", Text, primary_key=True),
    Column("participant", String(200), nullable=False),
)

# The highest number of a person's known deletions of everything, by writer; see `annotate.records.Deletion`.
deletions_table = Table(
    "deletions",
    metadata,
    Column("annotator", Text, primary_key=True),
    Column("writer", String(32), primary_key=True),
    Column("number", Integer, nullable=False),
)

# Events to be erased when they come, since a deletion of one answer named them.
awaited_table = Table(
    "awaited",
    metadata,
    Column("event", String(32), primary_key=True),
    Column("annotator", Text, primary_key=True),
)

# planned: named before it is sent; published: at the destination; leaving: to be deleted, with erased events in it.
shards_table = Table(
    "shards",
    metadata,
    Column("path", String(200), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("state", String(20), nullable=False),
)

notes_table = Table(
    "notes",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)


# Database engines: SQLite on a local disk with every commit synced, or PostgreSQL by its address.
#
# Exceptions of the database drivers become a :class:`RefusedError` here, so that no other module depends on a
# driver.

FILE_NAME = "annotations.sqlite3"
SCHEMES = ("postgresql", "postgres")

_BESIDE = ("-wal", "-shm", "-journal", "-publishing")
BUSY_SECONDS = 20.0  # maximum wait for other writers
_CONNECT_SECONDS = 10
_WRITERS_LOCK = 0x464D50  # an arbitrary lock number of this program: one writer at a time, as in SQLite
_WRITING = "fixmypose_writing"

# The timeout holds for all locks of this transaction, first of all the writers' lock.
_POSTGRESQL_TURN = text("SELECT set_config('lock_timeout', :wait, true), pg_advisory_xact_lock(:lock)")
# The errors of the drivers, and the refusals for those of PostgreSQL by class, narrow classes first.
_DRIVER_ERRORS: tuple[type[Exception], ...] = (sqlite3.Error,)
_POSTGRESQL_REFUSALS: dict[tuple[type[BaseException], ...], str] = {}
try:
    import psycopg
except ImportError:  # the extra ``postgres`` is not installed: SQLite works, and a PostgreSQL address is refused
    pass
else:
    _DRIVER_ERRORS += (psycopg.Error,)
    _POSTGRESQL_REFUSALS |= {
        (psycopg.errors.DiskFull,): "store_full",
        (psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.InsufficientPrivilege): "store_unwritable",
        (psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled, PoolTimeoutError): "store_busy",
        (psycopg.OperationalError, psycopg.InterfaceError): "store_unreachable",
    }
_STORE_ERRORS: tuple[type[Exception], ...] = (SQLAlchemyError, *_DRIVER_ERRORS)


def open_engine(where: str | Path) -> Engine:
    """Open an engine for the path of a SQLite file, or for a PostgreSQL address.

    Raise :class:`RefusedError`: ``store_on_network``, ``store_folder_unusable``, ``store_damaged``,
    ``store_url_unusable``, ``store_unreachable``, ``home_unknown``, ``disk_…``.
    """
    engine = _postgresql(where) if isinstance(where, str) and "://" in where else _sqlite(Path(where))
    try:
        _check(engine)
    except RefusedError:
        engine.dispose()
        raise
    return engine


def _check(engine: Engine) -> None:
    """Check that the database answers, and for SQLite that its file is not damaged."""
    with opening(engine), engine.connect() as connection:
        if engine.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok":
            raise RefusedError("store_damaged", path=str(engine.url.database))


def _sqlite(path: Path) -> Engine:
    path = at_home(path).absolute()
    kind = network_file_system(path)
    if kind is not None:
        raise RefusedError("store_on_network", kind=kind, path=str(path))
    try:
        make_private_folder(path.parent)
    except (FileExistsError, NotADirectoryError):
        raise RefusedError("store_folder_unusable", path=str(path.parent)) from None
    except OSError as error:
        raise disk_refusal(error, path.parent) from None
    try:
        # SQLite gives its additional files the permissions of the first.
        make_private_files(path, [path.with_name(f"{path.name}{ending}") for ending in _BESIDE])
    except OSError as error:
        raise disk_refusal(error, path) from None
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        pool_size=10,
        max_overflow=40,
        pool_timeout=BUSY_SECONDS,
        connect_args={"check_same_thread": False},
        hide_parameters=True,  # parameters hold texts and pseudonyms, which must not be logged
    )
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # transactions begin in `_begin_sqlite`, not when the driver decides
    for setting in (
        f"busy_timeout = {_busy_milliseconds()}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "secure_delete = ON",
    ):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get(_WRITING, False)
    # Half of all statements are this one, so it bypasses SQLAlchemy, which takes longer than the database itself.
    driver: Any = connection.connection.driver_connection
    driver.execute("BEGIN IMMEDIATE" if writing else "BEGIN")


def _busy_milliseconds() -> int:
    return int(BUSY_SECONDS * 1000)


def _postgresql(address: str) -> Engine:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):  # ValueError: the port is not a number
        raise RefusedError("store_url_unusable") from None
    if url.drivername.split("+")[0] not in SCHEMES:
        raise RefusedError("store_url_unusable")
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=20,
            pool_timeout=BUSY_SECONDS,
            connect_args={"connect_timeout": _CONNECT_SECONDS, "application_name": "fixmypose"},
            hide_parameters=True,
        )
    except ImportError:
        raise RefusedError("store_driver_missing") from None


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a connection with one consistent snapshot; raise :class:`RefusedError` for errors of the store."""
    options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}
    with refusals_of(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a connection in a transaction that excludes all other writers, in this process and others.

    It is committed and synced to disk when the block ends. A writer that waits too long for others does nothing.
    Errors of the database are not translated; see :func:`refusal`.
    """
    with engine.connect().execution_options(**{_WRITING: True}) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(_POSTGRESQL_TURN, {"lock": _WRITERS_LOCK, "wait": f"{_busy_milliseconds()}ms"})
        yield connection


@contextmanager
def only_one(engine: Engine, job: str) -> Iterator[bool]:
    """Acquire the lock for a job that only one process sharing the store may do; yield whether it was acquired.

    The lock ends with the block, or with the process or its connection, however that ends.
    """
    if engine.dialect.name == "postgresql":
        with refusals_of(engine), engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            lock = {"lock": zlib.crc32(job.encode())}
            acquired = bool(connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), lock).scalar())
            try:
                yield acquired
            finally:
                if acquired:
                    connection.execute(text("SELECT pg_advisory_unlock(:lock)"), lock)
        return
    path = f"{engine.url.database}-{job}"
    with _opened(path) as file:
        yield try_lock(file)


@contextmanager
def _opened(path: str) -> Iterator[int]:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise disk_refusal(error, Path(path)) from None
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def refusals_of(engine: Engine) -> Iterator[None]:
    """Translate database exceptions into a :class:`RefusedError`."""
    try:
        yield
    except _STORE_ERRORS as error:
        raise refusal(error, engine) from error


def refusal(error: BaseException, engine: Engine) -> BaseException:
    """Return the :class:`RefusedError` for a database exception; the exception itself if it is an error in our code."""
    cause = _first_cause(error)
    if isinstance(cause, sqlite3.Error):
        return _sqlite_refusal(cause, engine) or error
    for kinds, code in _POSTGRESQL_REFUSALS.items():
        if isinstance(cause, kinds):
            return RefusedError(code, reason=one_line(cause))
    return error


@contextmanager
def opening(engine: Engine) -> Iterator[None]:
    """Translate errors while a store is opened, when nothing was sent: they tell what the owner can do."""
    try:
        with refusals_of(engine):
            yield
    except RefusedError as error:
        raise _at_start(error, engine) from error


def _at_start(error: RefusedError, engine: Engine) -> RefusedError:
    place = place_of(engine)
    if error.code == "store_busy":
        return RefusedError("store_locked", path=place)
    if error.code not in {"store_full", "store_unwritable", "store_folder_unusable"}:
        return error
    if engine.dialect.name == "postgresql":
        full = error.code == "store_full"
        return RefusedError("disk_full" if full else "database_unwritable", path=place, **error.details)
    trouble = trouble_with(Path(place))
    if trouble is None and error.code == "store_full":  # the trial file fits, but little more
        return RefusedError("disk_full", path=place)
    return trouble or RefusedError("store_folder_unusable", path=str(Path(place).parent))


def place_of(engine: Engine) -> str:
    """Return the place of a database, without its password."""
    url = engine.url
    return str(url.database) if engine.dialect.name == "sqlite" else url.render_as_string(hide_password=True)


def _first_cause(error: BaseException) -> BaseException:
    """Return the first driver error: a database that aborted a transaction itself also fails to roll it back."""
    cause, step = error, error.__context__
    while step is not None:
        if isinstance(step, _DRIVER_ERRORS):
            cause = step
        step = step.__context__
    return cause


def is_disconnect(error: BaseException) -> bool:
    """Return whether the connection broke, so that another one may succeed."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _sqlite_refusal(error: sqlite3.Error, engine: Engine) -> RefusedError | None:
    """Return the error for SQLite's primary code, which is the low byte; None for other codes."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    path = str(engine.url.database)
    if primary in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return RefusedError("store_damaged", path=path)
    if primary == sqlite3.SQLITE_FULL:
        return RefusedError("store_full")
    if primary in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return RefusedError("store_busy")
    if primary in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}:
        return RefusedError("store_unwritable")
    if primary == sqlite3.SQLITE_CANTOPEN:
        return RefusedError("store_folder_unusable", path=str(Path(path).parent))
    return None

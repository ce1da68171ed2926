"""The counts of queries to a store and, for SQLite, of the rows that are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import event

from annotate.storage.store import Store


@dataclass
class Counted:
    """``rows`` that were read, and the ``statements`` that asked for them."""

    rows: int = 0
    statements: list[str] = field(default_factory=list)


@contextmanager
def statements_to(store: Store) -> Iterator[list[str]]:
    """Note what any thread asks of either database meanwhile, beginnings of transactions left out."""
    statements: list[str] = []

    def record_statement(_: object, __: object, statement: str, *___: object) -> None:
        statements.append(statement)

    event.listen(store.engine, "before_cursor_execute", record_statement)
    try:
        yield statements
    finally:
        event.remove(store.engine, "before_cursor_execute", record_statement)


@contextmanager
def counted(store: Store) -> Iterator[Counted]:
    """Count what any thread reads of SQLite meanwhile."""
    counts = Counted()

    def row(_: sqlite3.Cursor, values: tuple[Any, ...]) -> tuple[Any, ...]:
        counts.rows += 1
        return values

    def lent(connection: sqlite3.Connection, *_: object) -> None:
        connection.row_factory = row

    def given_back(connection: sqlite3.Connection, *_: object) -> None:
        connection.row_factory = None

    def record_statement(_: object, __: object, statement: str, *___: object) -> None:
        counts.statements.append(statement)

    listeners = (("checkout", lent), ("checkin", given_back), ("before_cursor_execute", record_statement))
    for name, do in listeners:
        event.listen(store.engine, name, do)
    try:
        yield counts
    finally:
        for name, do in listeners:
            event.remove(store.engine, name, do)

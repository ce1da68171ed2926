"""Event rows: conversion between events and database rows; pictures are in a table of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, insert, select

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS, columns_of, read_payload
from annotate.records.events import Event, Key
from annotate.storage import schema
from fmp_models.common.refusals import one_line

_INSERT = insert(schema.events)  # built once, since it runs for every answer
_INSERT_PICTURE = insert(schema.pictures)
_MAX_IDS = 500  # ids in one query; SQLite allows some thousand
LEFT_OUT = b"\xff\xd8\xff"  # the first bytes of every JPEG; replaces a picture that was not read


def time_text(time: datetime) -> str:
    """Return a time as stored: in UTC with microseconds, so that text order is time order."""
    return time.isoformat(timespec="microseconds")


def key_hash(key: Key) -> str:
    """Return the hash of a key for the unique column ``live_key``; short enough for any index."""
    return hashlib.sha256(json.dumps(key, ensure_ascii=False).encode()).hexdigest()


def key_of(row: Row[Any]) -> Key:
    """Return the key of the event in a row; see ``Event.key``."""
    return (row.campaign, row.item, row.annotator, row.kind, row.language, row.aspect)


def picture_fields(kind: str) -> tuple[str, ...]:
    """Return the fields of a kind that are pictures; empty for an unknown kind."""
    if kind not in RECORDS:
        return ()
    return tuple(name for name, column in columns_of(kind).items() if column is bytes)


def insert_event(connection: Connection, event: Event, *, live: bool, shard: str | None = None) -> None:
    """Insert the rows of an event; ``shard`` is the file in which it is published already."""
    values = vars(event.payload)
    files = picture_fields(event.kind)
    row = {
        "id": event.id,
        "kind": event.kind,
        "version": event.version,
        "time": time_text(event.time),
        "campaign": event.campaign,
        "item": event.item,
        "annotator": event.annotator,
        "language": event.language,
        "app_version": event.app_version,
        "aspect": event.payload.aspect,
        "payload": json.dumps({name: values[name] for name in values if name not in files}, ensure_ascii=False),
        "supersedes": event.supersedes,
        "after": " ".join(event.after),
        "live_key": key_hash(event.key) if live and event.key is not None else None,
        "erased": False,
        "shard": shard,
    }
    connection.execute(_INSERT, row)
    for name in files:
        picture = {"event": event.id, "name": name, "data": getattr(event.payload, name)}
        connection.execute(_INSERT_PICTURE, picture)


def read_events(connection: Connection, *conditions: ColumnElement[bool], pictures: bool = True) -> list[Event]:
    """Return the matching unerased events, oldest first; without ``pictures`` each picture is ``LEFT_OUT``."""
    events = schema.events.c
    query = select(schema.events).where(events.erased.is_(False), *conditions).order_by(events.time, events.id)
    rows = connection.execute(query).all()
    ids = [row.id for row in rows if picture_fields(row.kind)]
    files = _pictures(connection, ids) if pictures else {}
    return [
        _event(row, files.get(row.id, {}) if pictures else dict.fromkeys(picture_fields(row.kind), LEFT_OUT))
        for row in rows
    ]


def _pictures(connection: Connection, ids: list[str]) -> dict[str, dict[str, bytes]]:
    files: dict[str, dict[str, bytes]] = {}
    for chunk in chunks(ids):
        query: Select[Any] = select(schema.pictures).where(schema.pictures.c.event.in_(chunk))
        for row in connection.execute(query):
            files.setdefault(row.event, {})[row.name] = bytes(row.data)
    return files


def chunks(ids: Iterable[str]) -> Iterable[list[str]]:
    """Return the ids in lists that are short enough for one query."""
    all_ids = list(ids)
    return (all_ids[start : start + _MAX_IDS] for start in range(0, len(all_ids), _MAX_IDS))


def _event(row: Row[Any], pictures: dict[str, bytes]) -> Event:
    try:
        payload = read_payload(row.kind, row.version, {**json.loads(row.payload), **pictures})
        return Event(
            id=row.id,
            time=datetime.fromisoformat(row.time),
            campaign=row.campaign,
            item=row.item,
            annotator=row.annotator,
            language=row.language,
            app_version=row.app_version,
            payload=payload,
            supersedes=row.supersedes,
            after=tuple(row.after.split()),
        )
    except RefusedError as error:
        if error.code == "event_version":
            raise
        raise RefusedError("event_malformed", field=f"{row.kind} {row.id}: {error}") from error
    except (ValueError, TypeError, RecursionError) as error:  # invalid JSON, not an object, or an invalid time
        raise RefusedError("event_malformed", field=f"{row.kind} {row.id}: {one_line(error)}") from error

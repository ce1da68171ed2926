"""Shards: events as Parquet files that ``load_dataset`` reads; one kind in a file, every column declared, no other.

A shard is never changed once it has its name, ``data/<kind>/<date>-<writer>-<uuid>.parquet``. Pictures are ``Image()``
columns; what was measured of them is JSON within a column of text, since its names may grow.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features, Image, List, Value

from annotate.errors import RefusedError
from annotate.records.events import Event
from annotate.records.fields import Choice, Column, Edits, Facts, Name, Names, Picture, Seconds, Truth, Whole, Words
from annotate.records.kinds import KINDS, columns_of

GROUP_ROWS = 100
UNREADABLE = frozenset({"shard_unreadable", "event_version"})  # what a file is refused with that no trying again mends

_TEXT = Value("string")
_ABOUT = {
    "id": _TEXT,
    "version": Value("int32"),
    "time": Value("timestamp[us, tz=UTC]"),
    "campaign": _TEXT,
    "item": _TEXT,
    "annotator": _TEXT,
    "language": _TEXT,
    "app_version": _TEXT,
    "supersedes": _TEXT,
    "after": List(_TEXT),
}
_FEATURES: dict[type[Column], Any] = {
    Name: _TEXT,
    Choice: _TEXT,
    Words: _TEXT,
    Facts: _TEXT,
    Names: List(_TEXT),
    Whole: Value("int32"),
    Truth: Value("bool"),
    Seconds: Value("float64"),
    Picture: Image(),
    Edits: List({"operation": _TEXT, "word": _TEXT}),
}
_PATH = re.compile(r"data/(?P<kind>[a-z_]+)/[^/]+\.parquet")


def features_of(kind: str) -> Features:
    """The columns of a kind, as its shards and the card declare them."""
    columns = columns_of(KINDS[kind])
    return Features({**_ABOUT, **{name: _FEATURES[type(column)] for name, column in columns.items()}})


def new_path(kind: str, writer: str, now: datetime) -> str:
    """A name that no other shard has or will have."""
    return f"data/{kind}/{now.astimezone(UTC):%Y%m%d}-{writer}-{uuid4().hex}.parquet"


def kind_of(path: str) -> str | None:
    """The kind that a shard of this name holds; None for another file."""
    found = _PATH.fullmatch(path)
    return found["kind"] if found and found["kind"] in KINDS else None


def write_shard(kind: str, events: Sequence[Event]) -> bytes:
    """A shard of events of one kind."""
    return write_table(kind, events, {})


def write_table(kind: str, events: Sequence[Event], added: Mapping[str, Sequence[str]]) -> bytes:
    """A Parquet file of events of one kind, with columns of text ``added``."""
    features = Features({**features_of(kind), **dict.fromkeys(added, _TEXT)})
    rows = rows_of(events)
    for name, values in added.items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=features.arrow_schema), file, row_group_size=GROUP_ROWS)
    return file.getvalue()


def rows_of(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Events as rows of plain values; a picture is its bytes and a file name."""
    return [_row(event) for event in events]


def _row(event: Event) -> dict[str, Any]:
    about = {name: getattr(event, name) for name in _ABOUT}
    columns = columns_of(type(event.payload))
    return {**about, **{name: _cell(event, name, column) for name, column in columns.items()}}


def _cell(event: Event, name: str, column: Column) -> Any:  # noqa: ANN401  as Arrow takes it
    value = getattr(event.payload, name)
    match column:
        case Picture():
            return {"bytes": value, "path": f"{event.id}-{name}.jpg"}
        case Edits():
            return [{"operation": operation, "word": word} for operation, word in value]
        case Facts():
            return json.dumps(value, ensure_ascii=False, sort_keys=True)
        case _:
            return value


def read_shard(path: str, data: bytes) -> list[Event]:
    """The events of a shard, by its name and its bytes; raise :class:`RefusedError` for a file that is none of ours."""
    kind = kind_of(path)
    if kind is None:
        raise RefusedError("shard_unreadable", path=path)
    try:
        rows = pq.read_table(io.BytesIO(data)).to_pylist()
        return [_event(kind, row) for row in rows]
    except RefusedError as error:
        if error.code == "event_version":
            raise
        raise RefusedError("shard_unreadable", path=path) from error
    except (pa.ArrowException, KeyError, TypeError, ValueError, OSError) as error:
        raise RefusedError("shard_unreadable", path=path) from error


def _event(kind: str, row: Mapping[str, Any]) -> Event:
    made = KINDS[kind]
    if row["version"] > made.version:
        raise RefusedError("event_version", kind=kind, found=row["version"], known=made.version)
    columns = columns_of(made)
    said = {name: _value(row[name], column) for name, column in columns.items() if name in row}
    about = {name: row[name] for name in _ABOUT if name not in {"version", "after"}}
    return Event(payload=made(**said), after=tuple(row.get("after") or ()), **about)  # older files have no such column


def _value(cell: Any, column: Column) -> Any:  # noqa: ANN401  as Arrow gives it
    match column:
        case Picture():
            return cell["bytes"]
        case Edits():
            return [(edit["operation"], edit["word"]) for edit in cell]
        case Facts():
            return json.loads(cell)
        case _:
            return cell

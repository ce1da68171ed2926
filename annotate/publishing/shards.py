"""Shards: events as Parquet files for ``load_dataset``; a file has one kind, with exactly the declared columns.

A shard is never changed once it has its name, ``data/<kind>/<date>-<writer>-<uuid>.parquet``. Pictures are
``Image()`` columns. Measurements are JSON in a text column, since their names may grow.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS, columns_of, known_kind, read_payload
from annotate.records.api import Mode
from annotate.records.events import Event
from annotate.records.kinds import Reason, Verdict
from annotate.records.word_edits import Edit

if TYPE_CHECKING:
    from datasets import Features

GROUP_ROWS = 100
UNREADABLE = frozenset({"shard_unreadable", "event_version"})  # error codes of a file for which a retry does not help

_ABOUT = ("id", "version", "time", "campaign", "item", "annotator", "language", "app_version", "supersedes", "after")
_EDITS, _FACTS = tuple[Edit, ...], dict[str, Any]
_PATH = re.compile(r"data/(?P<kind>[a-z_]+)/[^/]+\.parquet")


def features_of(kind: str, added: Sequence[str] = ()) -> Features:
    """Return the columns of a kind, as declared in its shards and on the card."""
    from datasets import Features, Image, List, Value  # noqa: PLC0415  its import would slow every command

    text = Value("string")
    about = dict.fromkeys(_ABOUT, text) | {
        "version": Value("int32"),
        "time": Value("timestamp[us, tz=UTC]"),
        "after": List(text),
    }
    features: dict[Any, Any] = {
        str: text,
        Mode: text,
        Reason: text,
        Verdict: text,
        int: Value("int32"),
        float: Value("float64"),
        bool: Value("bool"),
        bytes: Image(),
        tuple[str, ...]: List(text),
        _EDITS: List({"operation": text, "word": text}),
        _FACTS: text,
    }
    columns = {name: features[column] for name, column in columns_of(kind).items()}
    return Features({**about, **columns, **dict.fromkeys(added, text)})


def new_path(kind: str, writer: str, now: datetime) -> str:
    """Return a unique name for a shard."""
    return f"data/{kind}/{now.astimezone(UTC):%Y%m%d}-{writer}-{uuid4().hex}.parquet"


def kind_of(path: str) -> str | None:
    """Return the kind of a shard from its path; None for other files."""
    match = _PATH.fullmatch(path)
    return match["kind"] if match and match["kind"] in RECORDS else None


def write_shard(kind: str, events: Sequence[Event]) -> bytes:
    """Return a shard of events of one kind."""
    return write_table(kind, events, {})


def write_table(kind: str, events: Sequence[Event], added: Mapping[str, Sequence[str]]) -> bytes:
    """Return a Parquet file of events of one kind, with additional text columns ``added``."""
    features = features_of(kind, [*added])
    rows = rows_of(events)
    for name, values in added.items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=features.arrow_schema), file, row_group_size=GROUP_ROWS)
    return file.getvalue()


def rows_of(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return events as rows of plain values; a picture is its bytes and a file name."""
    return [_row(event) for event in events]


def _row(event: Event) -> dict[str, Any]:
    about = {name: getattr(event, name) for name in _ABOUT}
    columns = columns_of(event.kind)
    return {**about, **{name: _cell(event, name, column) for name, column in columns.items()}}


def _cell(event: Event, name: str, column: object) -> Any:  # noqa: ANN401  any value that Arrow accepts
    value = getattr(event.payload, name)
    if column is bytes:
        return {"bytes": value, "path": f"{event.id}-{name}.jpg"}
    if column == _EDITS:
        return [{"operation": operation, "word": word} for operation, word in value]
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if column == _FACTS else value


def read_shard(path: str, data: bytes) -> list[Event]:
    """Return the events of a shard from its path and bytes; raise :class:`RefusedError` if it is not a valid shard."""
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
    known_kind(kind, row["version"])  # before cells are read, which a later version may store in another form
    values = {name: _value(row[name], column) for name, column in columns_of(kind).items() if name in row}
    about = {name: row[name] for name in _ABOUT if name not in {"version", "after"}}
    payload = read_payload(kind, row["version"], values)
    return Event(payload=payload, after=tuple(row.get("after") or ()), **about)  # older files lack this column


def _value(cell: Any, column: object) -> Any:  # noqa: ANN401  any value that Arrow returns
    if column is bytes:
        return cell["bytes"]
    if column == _EDITS:
        return [(edit["operation"], edit["word"]) for edit in cell]
    return json.loads(cell) if column == _FACTS else cell

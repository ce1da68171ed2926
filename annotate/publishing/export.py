"""Export of events: one table for each kind, in CSV, JSON or Parquet; CSV and JSON have their pictures as files.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula. In CSV an apostrophe is
put before such a text, which a spreadsheet hides. JSON and Parquet have every text unchanged.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS
from annotate.publishing.shards import rows_of, write_table
from annotate.records.events import Event
from annotate.storage.event_rows import picture_fields

Format = Literal["csv", "parquet", "json"]

FORMATS: tuple[Format, ...] = ("csv", "parquet", "json")
PICTURES = "pictures"
STATUS = "status"

_FORMULA = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")


def export(
    events: Iterable[Event], out: Path, form: Format, statuses: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Write the events into a new or empty folder, and return the number of each kind.

    ``statuses`` has the status of descriptions by id, which becomes a column of their table. Raise
    :class:`RefusedError`: ``folder_not_empty``, ``folder_unusable``.
    """
    by_kind: dict[str, list[Event]] = {kind: [] for kind in RECORDS}
    for event in events:
        by_kind[event.kind].append(event)
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise RefusedError("folder_not_empty", path=str(out))
        for kind, kind_events in by_kind.items():
            if kind_events:
                column = statuses if statuses is not None and kind == "description" else None
                _write(out, kind, kind_events, form, column)
    except OSError:
        raise RefusedError("folder_unusable", path=str(out)) from None
    return {kind: len(kind_events) for kind, kind_events in by_kind.items() if kind_events}


def _write(out: Path, kind: str, events: Sequence[Event], form: Format, statuses: Mapping[str, str] | None) -> None:
    path = out / f"{kind}.{form}"
    added = None if statuses is None else {STATUS: [statuses.get(event.id, "") for event in events]}
    if form == "parquet":
        path.write_bytes(write_table(kind, events, added or {}))
        return
    rows = rows_of(events)
    for place, (row, event) in enumerate(zip(rows, events, strict=True)):
        row["time"] = event.time.isoformat(timespec="microseconds")
        for name in picture_fields(kind):
            row[name] = _write_picture(out, row[name])
        if added is not None:
            row[STATUS] = added[STATUS][place]
    text = _as_csv(rows) if form == "csv" else json.dumps(rows, ensure_ascii=False, indent=1)
    # The byte order mark tells spreadsheets that the text is UTF-8.
    path.write_text(text, encoding="utf-8-sig" if form == "csv" else "utf-8", newline="")


def _write_picture(out: Path, picture: Mapping[str, Any]) -> str:
    (out / PICTURES).mkdir(exist_ok=True)
    name = f"{PICTURES}/{picture['path']}"
    (out / name).write_bytes(picture["bytes"])
    return name


def _as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of one or more rows with the same keys as CSV, with no cell that spreadsheets run as a formula."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: spreadsheet_cell(value) for name, value in row.items()} for row in rows)
    return file.getvalue()


def spreadsheet_cell(value: object) -> object:
    """Return a value for a spreadsheet: formulas are escaped, and lists are JSON."""
    if isinstance(value, list | tuple | dict):
        value = json.dumps(value, ensure_ascii=False)
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA) else value

"""Merging of table runs: the seeds of a new run are added to those that a table's file already holds."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fmp_models.errors import BadInputError
from fmp_models.evaluation.paper_tables.kept_tables import KeptTable, read_results
from fmp_models.evaluation.paper_tables.plans import Table


def kept_rows(path: Path, head: Mapping[str, Any], plan: Table) -> list[dict[str, Any]]:
    """Return the rows of a table's file, to be merged with the rows of a new table with ``head`` and ``plan``.

    Raises ``BadInputError``: ``table_other`` if the file is about other data, options or rows,
    ``results_damaged``, ``file_unreadable``.
    """
    earlier = read_results(KeptTable, path)
    differing = [key for key in ("table", "dataset", "split", "size", "columns") if getattr(earlier, key) != head[key]]
    if _options(earlier.command) != _options(head["command"]):
        differing.append("command")
    splits = head["split"].split(", ")
    if any(
        row.name not in plan.names or row.language not in plan.languages or row.split not in splits
        for row in earlier.rows
    ):
        differing.append("rows")
    if differing:
        raise BadInputError("table_other", path=str(path), what=", ".join(differing))
    for row in earlier.rows:
        for column in earlier.columns:
            if row.seeds and len(row.values.get(column, ())) != len(row.seeds):
                reason = f"the row {row.name} lacks a value of {column} for some seed"
                raise BadInputError("results_damaged", path=str(path), reason=reason)
    return [asdict(row) for row in earlier.rows]


def merge_rows(earlier: Sequence[Mapping[str, Any]], measured: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of both tables; a row in both gets the seeds of both, and a repeated seed its new values."""
    rows = {_place(row): dict(row) for row in earlier}
    for row in measured:
        rows[_place(row)] = _joined(rows.get(_place(row)), row)
    return list(rows.values())


def _place(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["name"], row["language"], row["split"]


def _joined(earlier: Mapping[str, Any] | None, row: Mapping[str, Any]) -> dict[str, Any]:
    if earlier is None or not row["seeds"]:
        return dict(row)
    columns: dict[str, list[float | None]] = {}
    for column, values in row["values"].items():
        # A seed keeps its position, so that all columns have the same order of seeds.
        by_seed = dict(zip(earlier["seeds"], earlier["values"][column], strict=True))
        by_seed |= dict(zip(row["seeds"], values, strict=True))
        columns[column] = list(by_seed.values())
    return {**row, "seeds": list(dict.fromkeys([*earlier["seeds"], *row["seeds"]])), "values": columns}


def _options(command: str) -> list[str] | None:
    """Return the words of a command without its seeds and rows; None if the text is not a command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    left_out = {at + offset for at, word in enumerate(words) if word in ("--seeds", "--only") for offset in (0, 1)}
    return [word for at, word in enumerate(words) if at not in left_out]

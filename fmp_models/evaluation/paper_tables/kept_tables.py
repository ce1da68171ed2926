"""Result files that lie beside a model: a typed reader, and the form of a stored table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_within

_MAX_BYTES = 10_000_000
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class TableRow:
    """One model in one language: a value of every column for each seed, and the paper's values if it has any."""

    name: str
    values: Mapping[str, Sequence[float | None]]
    language: str | None = None
    split: str | None = None
    seeds: Sequence[int] = ()
    paper: Mapping[str, float | None] | None = None


@dataclass(frozen=True)
class KeptTable:
    """A table of the paper as in ``tables/table<n>.json``, measured by ``command`` on ``dataset``."""

    table: str
    title: str
    command: str
    columns: Sequence[str]
    rows: Sequence[TableRow]
    dataset: Mapping[str, str | None]
    size: str
    split: str | None = None
    notes: Sequence[str] = ()


def read_results(kind: type[_Read], path: Path) -> _Read:
    """Read a JSON file; raises ``BadInputError``: ``results_damaged``, ``file_unreadable``, ``file_too_large``."""
    data = read_within(path, _MAX_BYTES)
    try:
        return TypeAdapter(kind).validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg'][:1].lower()}{first['msg'][1:]}"
        raise BadInputError("results_damaged", path=str(path), reason=reason) from None

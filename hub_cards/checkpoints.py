"""A model's folder as its card reads it: the configuration, how it was trained, how it was evaluated, its tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError
from safetensors import SafetensorError, safe_open

from fmp_models.bounded import read_bounded
from fmp_models.errors import BadInputError
from fmp_models.hub.bundling import TRAINING, Training
from fmp_models.hub.references import CHECKPOINTS, CONFIG, WEIGHTS, bundled_names, resolve

EVALUATION, TABLES = "evaluation.json", "tables"

_MOST_BYTES = 10_000_000
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Evaluated:
    """``evaluation.json``: the scores of one model by split and, where it speaks, by language."""

    revision: str
    dataset: Mapping[str, str]
    command: str
    splits: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class TableRow:
    """One model in one language: a value of every column for each seed, and the paper's values, where it has any."""

    name: str
    values: Mapping[str, tuple[float | None, ...]]
    language: str | None = None
    split: str | None = None
    seeds: tuple[int, ...] = ()
    paper: Mapping[str, float | None] | None = None


@dataclass(frozen=True)
class Table:
    """``tables/table<n>.json``: a table of the paper, measured anew."""

    table: str
    title: str
    command: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    split: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Described:
    """``config.json``: the ``kind``, how many words and marks are known by language, the network's configuration."""

    kind: Literal["captioner", "retriever", "estimator"]
    vocabularies: Mapping[str, int]
    network: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """A model's folder; None and nothing where a result is not there.

    ``parameters`` counts the numbers of its tensors, ``weight_bytes`` the bytes of their files.
    """

    folder: Path
    name: str
    revision: str
    parameters: int
    weight_bytes: int
    described: Described
    training: Training | None = None
    evaluated: Evaluated | None = None
    tables: tuple[Table, ...] = field(default=())

    @property
    def sort(self) -> str:
        """Which card it gets: ``captioner``, ``vision-only``, ``language-only``, ``retriever`` or ``estimator``."""
        network = self.described.network
        if self.described.kind != "captioner":
            return self.described.kind
        if not network.get("vision", True):
            return "language-only"
        return "captioner" if network.get("previous_words", True) else "vision-only"


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read all but the weights. Raises ``BadInputError``: ``results_damaged``, and what ``resolve`` does."""
    found = resolve(str(folder.resolve()))
    weights = sorted(folder.glob(WEIGHTS))
    if not weights:
        raise BadInputError("model_incomplete", model=folder.name, file="model.safetensors")
    return Checkpoint(
        folder,
        folder.resolve().name,
        found.revision,
        sum(_numbers(file, folder) for file in weights),
        sum(file.stat().st_size for file in weights),
        _read(Described, folder / CONFIG),
        _read(Training, folder / TRAINING) if (folder / TRAINING).is_file() else None,
        _read(Evaluated, folder / EVALUATION) if (folder / EVALUATION).is_file() else None,
        tuple(_read(Table, path) for path in sorted((folder / TABLES).glob("*.json"))),
    )


def bundled_folders(bundled: Path = CHECKPOINTS) -> list[Path]:
    """The models that come with the project."""
    return [bundled / name for name in bundled_names(bundled)]


def _numbers(file: Path, folder: Path) -> int:
    try:
        with safe_open(file, framework="numpy") as tensors:
            return sum(math.prod(tensors.get_slice(name).get_shape()) for name in tensors.keys())  # noqa: SIM118  no dict
    except (OSError, SafetensorError) as error:
        raise BadInputError("model_damaged", model=folder.name, file=file.name, reason=str(error)) from None


def _read(kind: type[_Read], path: Path) -> _Read:
    data = read_bounded(path, _MOST_BYTES)
    if len(data) > _MOST_BYTES:
        raise BadInputError("file_too_large", path=str(path), limit_mb=_MOST_BYTES // 1_000_000)
    try:
        return TypeAdapter(kind).validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg'][:1].lower()}{first['msg'][1:]}"
        raise BadInputError("results_damaged", path=str(path), reason=reason) from None

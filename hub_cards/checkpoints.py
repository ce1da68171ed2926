"""Content of a model folder for its card: configuration, training, evaluation and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from safetensors import SafetensorError, safe_open

from fmp_models.errors import BadInputError
from fmp_models.evaluation.paper_tables.kept_tables import KeptTable, read_results
from fmp_models.evaluation.real.results import KEPT, KEPT_QUESTIONS, QuestionsResults, RealResults
from fmp_models.hub.bundling import TRAINING, TrainingRecord
from fmp_models.hub.references import CHECKPOINTS, CONFIG, WEIGHTS, bundled_names, resolve

EVALUATION, TABLES = "evaluation.json", "tables"


@dataclass(frozen=True)
class Evaluated:
    """Content of ``evaluation.json``: the scores of one model by split and, if it has languages, by language."""

    revision: str
    dataset: Mapping[str, str]
    command: str
    splits: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Described:
    """Content of ``config.json``: the ``kind``, the vocabulary size by language, and the network's configuration."""

    kind: Literal["captioner", "retriever", "estimator", "lifter"]
    vocabularies: Mapping[str, int]
    network: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """A model folder; a missing result is None or empty.

    ``parameters`` is the number of values in its tensors, ``weight_bytes`` the size of their files.
    """

    folder: Path
    name: str
    revision: str
    parameters: int
    weight_bytes: int
    described: Described
    training: TrainingRecord | None = None
    evaluated: Evaluated | None = None
    tables: tuple[KeptTable, ...] = field(default=())
    real: RealResults | None = None
    asked: QuestionsResults | None = None

    @property
    def sort(self) -> str:
        """Name of its card template: that of its kind, or ``vision-only``, ``language-only``, ``space``."""
        network = self.described.network
        if self.described.kind != "captioner":
            return "space" if network.get("space") else self.described.kind
        if not network.get("vision", True):
            return "language-only"
        return "captioner" if network.get("previous_words", True) else "vision-only"


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read everything except the weights; raise ``BadInputError``: ``results_damaged``, or as ``resolve`` does.

    Raise ``model_incomplete`` if there are no weights, and ``model_damaged`` if their header cannot be read.
    """
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
        read_results(Described, folder / CONFIG),
        read_results(TrainingRecord, folder / TRAINING) if (folder / TRAINING).is_file() else None,
        read_results(Evaluated, folder / EVALUATION) if (folder / EVALUATION).is_file() else None,
        _tables(folder),
        read_results(RealResults, folder / KEPT) if (folder / KEPT).is_file() else None,
        read_results(QuestionsResults, folder / KEPT_QUESTIONS) if (folder / KEPT_QUESTIONS).is_file() else None,
    )


def tables_beside(folder: Path) -> list[KeptTable]:
    """Return the tables of the other models in the parent folder."""
    own = folder.resolve()
    models = (config.parent for config in sorted(own.parent.glob(f"*/{CONFIG}")))
    return [table for other in models if other != own for table in _tables(other)]


def _tables(folder: Path) -> tuple[KeptTable, ...]:
    return tuple(read_results(KeptTable, path) for path in sorted((folder / TABLES).glob("*.json")))


def bundled_folders(bundled: Path = CHECKPOINTS) -> list[Path]:
    """Return the folders of the bundled models."""
    return [bundled / name for name in bundled_names(bundled)]


def _numbers(file: Path, folder: Path) -> int:
    try:
        with safe_open(file, framework="numpy") as tensors:
            return sum(math.prod(tensors.get_slice(name).get_shape()) for name in tensors.keys())  # noqa: SIM118  not a dict
    except (OSError, SafetensorError) as error:
        raise BadInputError("model_damaged", model=folder.name, file=file.name, reason=str(error)) from None

"""Plans of the paper's tables: their rows, the training runs behind them, and the paper's own numbers."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import fmp_models.training
from fmp_models.evaluation.given_joints import Source
from fmp_models.hub.models import Kind
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.metrics.score_tables import paper_scores
from fmp_models.training.config import built

_FOLDER = Path(__file__).parent / "tables"
_CONFIGS = Path(fmp_models.training.__file__).parent / "configs"


@dataclass(frozen=True)
class Run:
    """A training run for each language, for all together or without language, repeated for every seed.

    See ``tables/runs.toml``.
    """

    kind: Kind
    config: str
    speaks: Literal["each", "all", "none"] = "each"
    start: str | None = None
    backbone: str | None = None
    joints: Source = "true"
    changes: dict[str, Any] = field(default_factory=dict)

    def path(self, language: str) -> Path:
        """Return the path of its recipe: the one for the language if there is one."""
        path = _CONFIGS / f"{self.config}_{language}.toml"
        return path if path.is_file() else _CONFIGS / f"{self.config}.toml"


@dataclass(frozen=True)
class PlannedRow:
    """What one row measures: a ``run``, or a bundled captioner with ``joints``; neither if only the paper has values.

    ``run`` may also be a method without training (``retrievers.UNTRAINED``). ``character`` restricts the row to
    the pairs of one character. ``paper`` names a row of the paper's captioning scores, or holds its values, by
    language if there are several.
    """

    name: str
    run: str | None = None
    joints: Source | None = None
    character: int | None = None
    seeds: tuple[int, ...] = (9595,)
    paper: str | dict[str, Any] | None = None

    def of_paper(self, split: str, language: str) -> dict[str, float] | None:
        """Return the paper's values by column, not multiplied by 100."""
        if isinstance(self.paper, str):
            return paper_scores(split, language).rows[self.paper]
        values = self.paper
        return None if values is None else dict(values.get(language, values))


@dataclass(frozen=True)
class Table:
    """One table: every row in every split and language; ``real_columns`` are measured on real photographs."""

    title: str
    splits: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[PlannedRow, ...]
    languages: tuple[str, ...] = LANGUAGES
    real_columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """The kind of model of its runs; "captioner" if it has no runs."""
        return next((runs()[row.run].kind for row in self.rows if row.run in runs()), "captioner")

    @property
    def names(self) -> list[str]:
        """The names of the rows, each once."""
        return list(dict.fromkeys(row.name for row in self.rows))


@cache
def plan_of(table: str) -> Table:
    """Return the plan of one of ``commands.table.TABLES``."""
    path = _FOLDER / (f"table{table}.toml" if table.isdigit() else f"{table}.toml")
    table_data = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = tuple(built(PlannedRow, row, path, "rows.") for row in table_data.pop("rows"))
    return replace(built(Table, {**table_data, "rows": []}, path), rows=rows)


@cache
def runs() -> dict[str, Run]:
    """Return the training runs by name."""
    path = _FOLDER / "runs.toml"
    runs_data = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: built(Run, run, path, f"{name}.") for name, run in runs_data.items()}

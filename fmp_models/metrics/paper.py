"""The paper's own captioning scores, which can be printed next to ours."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fmp_models.errors import BadInputError

REFERENCES = 3  # per evaluated pair


@dataclass(frozen=True)
class PaperScores:
    """Scores of one split in one language: ``rows`` maps a model's name to its scores by metric, not times 100."""

    instances: int
    source: str
    rows: dict[str, dict[str, float]]


@cache
def paper_splits() -> tuple[str, ...]:
    """Return the splits for which the paper has scores."""
    return tuple(name for name in _tables() if name != "columns")


def paper_columns() -> tuple[str, ...]:
    """Return the metrics that the paper reports, in its order."""
    return tuple(_tables()["columns"])


def paper_scores(split: str, language: str) -> PaperScores:
    """Return the paper's scores; raise :class:`BadInputError` for a split or language that it does not report."""
    if split not in paper_splits():
        raise BadInputError("unknown_split", split=split, known=", ".join(paper_splits()))
    table = _tables()[split]
    if language not in table["rows"]:
        raise BadInputError("paper_without_language", language=language)
    names = paper_columns()
    rows = {
        model: {name: round(score / printed_scale(name), 6) for name, score in zip(names, row, strict=False)}
        for model, row in table["rows"][language].items()
    }
    return PaperScores(table["instances"], table["source"], rows)


def printed_scale(metric: str) -> int:
    """Return the factor by which the paper multiplies a metric for print."""
    return 1 if metric.endswith("_match") else 100


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "paper.toml").read_text(encoding="utf-8"))

"""Scores as a readable table in the paper's scale, or as JSON, and the paper's own scores for comparison.

``paper.toml`` holds the paper's captioning scores.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fmp_models.errors import BadInputError
from fmp_models.metrics.measurement import CONFIDENCE, Measurement, confidence_interval
from fmp_models.metrics.properties import property_rows
from fmp_models.metrics.scoring import GOAL_PROGRESS, METRICS, OWN_METRICS, Scores, with_old_names

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


TITLES = {
    **{f"bleu{n}": f"BLEU-{n}" for n in range(1, 5)},
    "cider": "CIDEr",
    "meteor": "METEOR",
    "rouge_l": "ROUGE-L",
    "object_match": "object-match",
    "direction_match": "direction-match",
    "body_part_match": "body-part-match",
    GOAL_PROGRESS: "goal progress",
}
_NONE = "-"
_ALL = (*METRICS, *OWN_METRICS)

Row = Sequence[str]


def score_table(scores: Scores, *, intervals: bool = False) -> str:
    """Return a table with one line for each metric: released score, interval on request, and intended score."""
    range_title = [f"{CONFIDENCE:.0%} interval"] if intervals else []
    rows: list[Row] = [["", "score", *range_title, "as intended", *range_title]]
    for name in (*METRICS, *(name for name in OWN_METRICS if name in scores.measured)):
        row = [TITLES[name]]
        for measurement in (scores.measured.get(name), scores.intended.get(name)):
            row.append(_NONE if measurement is None else _printed(name, measurement.value))
            if intervals:
                row.append(_NONE if measurement is None else _interval(name, measurement))
        rows.append(row)
    about = f"{len(scores.uids)} pairs, language {scores.language}, tokeniser {scores.tokeniser}"
    lines = [
        f"{about}; BLEU, CIDEr, METEOR and ROUGE-L times 100",
        "",
        *aligned_rows(rows),
        "",
        *aligned_rows(property_rows(scores.properties)),
        "",
        "As intended: the same metric without the released scripts' errors.",
        *scores.notes,
    ]
    return "\n".join(lines)


def beside_paper(scores: Scores, split: str) -> str:
    """Return a table of our scores and the paper's for one split, and the differences between the evaluations."""
    paper = paper_scores(split, scores.language)
    names = paper_columns()
    own_values = {name: measurement.value for name, measurement in scores.measured.items()}
    rows: list[Row] = [["", *(TITLES[name] for name in names)]]
    for model, values in (("this", own_values), *((f"paper, {model}", values) for model, values in paper.rows.items())):
        rows.append([model, *(_printed(name, values[name]) if name in values else _NONE for name in names)])
    lines = [
        f"Compared with the paper's {split} ({paper.source}):",
        "",
        *aligned_rows(rows),
        "",
        "Compare only on the release's own pictures and references. Known differences:",
        *(f"- {reason}" for reason in differences(scores, paper)),
    ]
    return "\n".join(lines)


def differences(scores: Scores, paper: PaperScores) -> Iterator[str]:
    """Yield the known differences from the paper's evaluation, one sentence each."""
    if len(scores.uids) != paper.instances:
        yield f"The paper scores {paper.instances} pairs; this run scores {len(scores.uids)}."
    odd = sum(count != REFERENCES for count in scores.references)
    if odd:
        yield (
            f"The paper has {REFERENCES} references for a pair; "
            f"here {odd} of {len(scores.uids)} pairs have another number, which affects every metric."
        )
    if scores.tokeniser != "ptb":
        yield "The paper uses the PTB tokeniser."
    yield "CIDEr weights words by how rare they are in the references, so its scale differs for other references."
    yield "The three matches count occurrences, so they grow with the length of the texts."
    yield "The released models stop after 40 words."


def scores_as_json(
    scores: Scores, paper_split: str | None = None, *, intervals: bool = False, instances: bool = False
) -> dict[str, Any]:
    """Return the object that ``score --json`` prints: scores not times 100; null for metrics that are left out."""
    table: dict[str, Any] = {"n": len(scores.uids), "language": scores.language, "tokeniser": scores.tokeniser}
    table |= with_old_names({name: scores.measured[name].value if name in scores.measured else None for name in _ALL})
    table["intended"] = {name: measurement.value for name, measurement in scores.intended.items()}
    if intervals:
        table["confidence"] = CONFIDENCE
        table["intervals"] = with_old_names(
            {name: confidence_interval(measurement) for name, measurement in scores.measured.items()}
        )
        table["intended_intervals"] = {
            name: confidence_interval(measurement) for name, measurement in scores.intended.items()
        }
    if instances:
        table["instances"] = {
            uid: {**with_old_names(_of_instance(scores.measured, i)), "intended": _of_instance(scores.intended, i)}
            for i, uid in enumerate(scores.uids)
        }
    if paper_split is not None:
        paper = paper_scores(paper_split, scores.language)
        table["paper"] = {"split": paper_split, **asdict(paper), "differences": list(differences(scores, paper))}
    table["properties"] = scores.properties
    table["degenerate"] = with_old_names(scores.degenerate)
    table["notes"] = list(scores.notes)
    return table


def _of_instance(measurements: Mapping[str, Measurement], i: int) -> dict[str, float | None]:
    """Return each metric of one pair; null if the pair has no joints for it."""
    values = {name: float(measurement.instances[i]) for name, measurement in measurements.items()}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def _printed(name: str, value: float) -> str:
    return f"{value * (1 if name in OWN_METRICS else printed_scale(name)):.2f}"


def _interval(name: str, measurement: Measurement) -> str:
    ends = confidence_interval(measurement)
    return _NONE if ends is None else f"{_printed(name, ends[0])} to {_printed(name, ends[1])}"


def aligned_rows(rows: Sequence[Row]) -> list[str]:
    """Return table lines with columns padded to equal width: the first left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]

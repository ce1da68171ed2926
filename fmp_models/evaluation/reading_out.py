"""Printed evaluations: one line for each split and language, in the paper's scale."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fmp_models.evaluation.captioners import AGREEMENT, CAPTION_SCORES
from fmp_models.evaluation.retrievers import RETRIEVAL_SCORES, WITH_CLAUSES
from fmp_models.metrics.score_tables import TITLES, aligned_rows, printed_scale
from fmp_models.metrics.scoring import GOAL_PROGRESS, OLD_NAMES

DIFFERENT_DATA = (
    "The data differ from the paper's: people, rooms and descriptions are simulated. What can be compared is which "
    "model is better than which, and not the numbers themselves."
)
_TITLES = {
    **TITLES,
    AGREEMENT: "clauses true",
    "accuracy": "accuracy",
    "recall_3": "recall@3",
    "recall_5": "recall@5",
    "mean_rank": "mean rank",
    "accuracy_clauses": "accuracy with clauses",
    "mean_rank_clauses": "mean rank with clauses",
    "right": "clauses right",
    "opposite": "opposite",
    "must": "required said",
    "first": "found first",
    "in_three": "found in three",
    "error": "error (m)",
    "error_unlifted": "error before (m)",
    "places": "image error (crop)",
    "whole_error": "error in photographs (m)",
    "whole_pixels": "pixels",
    "whole_found": "found",
    "elbow": "elbows (°)",
    "elbow_unlifted": "elbows before (°)",
}
_NONE = "-"
_OF_REAL_PHOTOGRAPHS = {"right", "opposite", "must", "first", "in_three"}
_PERCENT = frozenset(
    {AGREEMENT, GOAL_PROGRESS, "accuracy", "accuracy_clauses", "recall_3", "recall_5", *_OF_REAL_PHOTOGRAPHS}
)
_METRES = frozenset({"error", "error_unlifted", "places", "whole_error"})
_PLAIN = frozenset({*RETRIEVAL_SCORES, *WITH_CLAUSES.values(), "whole_pixels", "elbow", "elbow_unlifted"})
_SHOWN = {
    "captioner": CAPTION_SCORES[3:],
    "retriever": (*RETRIEVAL_SCORES, *WITH_CLAUSES.values()),
    "estimator": ("error", "places", "whole_error", "whole_pixels", "whole_found"),
    "lifter": ("error", "error_unlifted", "elbow", "elbow_unlifted"),
}
_SPEECHLESS = frozenset({"estimator", "lifter"})  # kinds of models whose scores are not by language


def new_name(column: str) -> str:
    """Return the current name of a score; stored results may use its old name."""
    return OLD_NAMES.get(column, column)


def title(column: str) -> str:
    """Return the heading of a score."""
    return _TITLES[new_name(column)]


def shown(column: str, value: float | None) -> str:
    """Return a score in the scale that it is printed in, without a percent sign."""
    column = new_name(column)
    if value is None:
        return _NONE
    if column in _METRES:
        return f"{value:.3f}"
    if column == "whole_found":
        return str(value)
    scale = 100 if column in _PERCENT else 1 if column in _PLAIN else printed_scale(column)
    return f"{value * scale:.2f}"


def evaluation_table(report: Mapping[str, Any]) -> str:
    """Return the text that ``evaluate`` prints for the object in ``evaluation.json``."""
    columns = _SHOWN[report["kind"]]
    rows: list[Sequence[str]] = [["", "n", *map(title, columns)]]
    for split, scores in report["splits"].items():
        for language, of_language in [("", scores)] if report["kind"] in _SPEECHLESS else scores.items():
            of_photographs = of_language.get("photographs", {})
            values = {**of_language, **{f"whole_{name}": value for name, value in of_photographs.items()}}
            name = f"{split} {language}".rstrip()
            rows.append([name, str(values["n"]), *(shown(column, values.get(column)) for column in columns)])
    joints = "" if report["kind"] in _SPEECHLESS else f", joints: {report['joints']}"
    head = f"{report['kind']} {report['model']} on {report['dataset']['name']}{joints}"
    return "\n".join([head, "", *aligned_rows(rows), "", *_notes(report), DIFFERENT_DATA])


def paper_table(table: Mapping[str, Any]) -> str:
    """Return the text that ``table`` prints for the stored object: our rows, each with the paper's below it.

    Several seeds are shown by their mean and standard deviation.
    """
    columns = table["columns"]
    rows: list[Sequence[str]] = [["", "", "split", "seeds", *map(title, columns)]]
    for line in table["rows"]:
        place = [line["language"], line["split"]]
        if any(line["values"].values()):
            seeds = str(len(line["seeds"])) if line["seeds"] else _NONE
            rows.append(
                [line["name"], *place, seeds, *(over_seeds(column, line["values"][column]) for column in columns)]
            )
        if line["paper"] is not None:
            values = (shown(column, line["paper"].get(column)) for column in columns)
            rows.append([f"{line['name']}, paper", *place, "", *values])
    name = f"Table {table['table']}: " if table["table"].isdigit() else ""
    head = f"{name}{table['title']}; {table['dataset']['name']}, size {table['size']}"
    return "\n".join([head, "", *aligned_rows(rows), "", *table["notes"]])


def over_seeds(column: str, values: Sequence[float | None]) -> str:
    """Return the mean of a score over the seeds with its standard deviation; a dash if a seed lacks it."""
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not known:
        return _NONE
    mean = shown(column, statistics.fmean(known))
    return mean if len(known) == 1 else f"{mean} ± {shown(column, statistics.stdev(known))}"


def _notes(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield each note of a captioner's scores once."""
    if report["kind"] != "captioner":
        return
    notes = [note for scores in report["splits"].values() for of in scores.values() for note in of["notes"]]
    yield from dict.fromkeys(notes)

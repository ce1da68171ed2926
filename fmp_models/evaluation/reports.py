"""Printed evaluations, in the paper's scale: of splits, of the paper's tables, and of real pairs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fmp_models.evaluation.change_scores import CHANGE_SCORES
from fmp_models.evaluation.judgement import Judgement
from fmp_models.evaluation.model_scores import (
    AGREEMENT,
    CAPTION_SCORES,
    RETRIEVAL_SCORES,
    TEXT_ALONE,
    WITH_CLAUSES,
)
from fmp_models.evaluation.stored_results import GroupShares, RealResult, RealResults
from fmp_models.metrics import GOAL_PROGRESS, OLD_NAMES, TITLES, aligned_rows, printed_scale, property_rows

DIFFERENT_DATA = (
    "The data differ from the paper's: people, rooms and descriptions are simulated. What can be compared is which "
    "model is better than which, and not the numbers themselves."
)
_TITLES = {
    **TITLES,
    AGREEMENT: "clauses true",
    "type_right": "type right",
    "thing_right": "thing right",
    "change_right": "type and thing right",
    "change_right_plain": "without distractors",
    "change_right_distracted": "with distractors",
    "n": "pairs",
    "accuracy": "accuracy",
    "recall_3": "recall@3",
    "recall_5": "recall@5",
    "mean_rank": "mean rank",
    TEXT_ALONE: "accuracy without the current pose",
    "accuracy_clauses": "accuracy with clauses",
    "mean_rank_clauses": "mean rank with clauses",
    "right": "clauses right",
    "opposite": "opposite",
    "must": "required said",
    "first": "found first",
    "in_three": "found in three",
    "error": "error (m)",
    "pose_error": "distance to the target (m)",
    "predicted_joint_error": "predicted joints off (m)",
    "error_unlifted": "error before (m)",
    "places": "image error (crop)",
    "whole_error": "error in photographs (m)",
    "whole_pixels": "pixels",
    "whole_found": "found",
    "elbow": "elbows (°)",
    "elbow_unlifted": "elbows before (°)",
}
_NONE = "-"
_PREDICTED = "predicted_joint_error"
_OF_REAL_PHOTOGRAPHS = {"right", "opposite", "must", "first", "in_three"}
_PERCENT = frozenset(
    {
        AGREEMENT,
        GOAL_PROGRESS,
        "accuracy",
        TEXT_ALONE,
        "accuracy_clauses",
        "recall_3",
        "recall_5",
        *_OF_REAL_PHOTOGRAPHS,
        *CHANGE_SCORES,
    }
)
_METRES = frozenset({"pose_error", _PREDICTED, "error", "error_unlifted", "places", "whole_error"})
_PLAIN = frozenset({*RETRIEVAL_SCORES, *WITH_CLAUSES.values(), "whole_pixels", "elbow", "elbow_unlifted"})
_SHOWN = {
    "captioner": CAPTION_SCORES[3:],
    "retriever": ("accuracy", TEXT_ALONE, *RETRIEVAL_SCORES[1:], *WITH_CLAUSES.values()),
    "estimator": ("error", "places", "whole_error", "whole_pixels", "whole_found"),
    "lifter": ("error", "error_unlifted", "elbow", "elbow_unlifted"),
}
_SPEECHLESS = frozenset({"estimator", "lifter"})  # kinds of models whose scores are not by language


def current_score_name(column: str) -> str:
    """Return the current name of a score; stored results may use its old name."""
    return OLD_NAMES.get(column, column)


def score_title(column: str) -> str:
    """Return the heading of a score."""
    return _TITLES[current_score_name(column)]


def score_text(column: str, value: float | None) -> str:
    """Return a score in the scale that it is printed in, without a percent sign."""
    column = current_score_name(column)
    if value is None:
        return _NONE
    if column in _METRES:
        return f"{value:.3f}"
    if column in {"whole_found", "n"}:
        return f"{value:.0f}"
    scale = 100 if column in _PERCENT else 1 if column in _PLAIN else printed_scale(column)
    return f"{value * scale:.2f}"


def evaluation_table(report: Mapping[str, Any]) -> str:
    """Return the text that ``evaluate`` prints for the object in ``evaluation.json``."""
    columns = _SHOWN[report["kind"]]
    if any(_PREDICTED in of for scores in report["splits"].values() for of in scores.values() if isinstance(of, dict)):
        columns = (*columns, _PREDICTED)
    if any("groups" in of for scores in report["splits"].values() for of in scores.values() if isinstance(of, dict)):
        columns = (*columns, *CHANGE_SCORES)
    rows: list[Sequence[str]] = [["", "n", *map(score_title, columns)]]
    for split, scores in report["splits"].items():
        for language, of_language in [("", scores)] if report["kind"] in _SPEECHLESS else scores.items():
            of_photographs = of_language.get("photographs", {})
            values = {**of_language, **{f"whole_{name}": value for name, value in of_photographs.items()}}
            name = f"{split} {language}".rstrip()
            groups = {name: values, **{f"{name}, {group}": of for group, of in values.get("groups", {}).items()}}
            for group, of in groups.items():
                rows.append([group, str(of["n"]), *(score_text(column, of.get(column)) for column in columns)])
    joints = "" if report["kind"] in _SPEECHLESS else f", joints: {report['joints']}"
    head = f"{report['kind']} {report['model']} on {report['dataset']['name']}{joints}"
    properties = property_rows(
        {
            f"{split} {language}, {name}": shares
            for split, scores in report["splits"].items()
            for language, of_language in scores.items()
            if report["kind"] == "captioner"
            for name, shares in of_language.get("properties", {}).items()
        }
    )
    more = [*aligned_rows(properties), ""] if properties else []
    of_anything = report["kind"] == "captioner" and not any(
        of.get("characters", True) for scores in report["splits"].values() for of in scores.values()
    )
    notes = [*_notes(report), *[DIFFERENT_DATA] * (not of_anything)]
    return "\n".join([head, "", *aligned_rows(rows), "", *more, *notes])


def paper_table(table: Mapping[str, Any]) -> str:
    """Return the text that ``table`` prints for the stored object: our rows, each with the paper's below it.

    Several seeds are shown by their mean and standard deviation.
    """
    columns = table["columns"]
    rows: list[Sequence[str]] = [["", "", "split", "seeds", *map(score_title, columns)]]
    for line in table["rows"]:
        place = [line["language"], line["split"]]
        if any(line["values"].values()):
            seeds = str(len(line["seeds"])) if line["seeds"] else _NONE
            rows.append(
                [line["name"], *place, seeds, *(scores_text(column, line["values"][column]) for column in columns)]
            )
        if line["paper"] is not None:
            values = (score_text(column, line["paper"].get(column)) for column in columns)
            rows.append([f"{line['name']}, paper", *place, "", *values])
    name = f"Table {table['table']}: " if table["table"].isdigit() else ""
    head = f"{name}{table['title']}; {table['dataset']['name']}, size {table['size']}"
    return "\n".join([head, "", *aligned_rows(rows), "", *table["notes"]])


def scores_text(column: str, values: Sequence[float | None]) -> str:
    """Return the mean of a score over the seeds with its standard deviation; a dash if a seed lacks it."""
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not known:
        return _NONE
    mean = score_text(column, statistics.fmean(known))
    return mean if len(known) == 1 else f"{mean} ± {score_text(column, statistics.stdev(known))}"


def _notes(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield each note of a captioner's scores once."""
    if report["kind"] != "captioner":
        return
    notes = [note for scores in report["splits"].values() for of in scores.values() for note in of["notes"]]
    yield from dict.fromkeys(notes)


_SHARES = {
    "right": "right",
    "opposite": "opposite",
    "must": "required said",
    "must_said_or_unseen": "said or unseen",
}
_LISTED = {
    "false_all_clear": "false all-clears",
    "contradictory": "contradictory texts",
    "broken": "broken sentences",
    "refused": "refused",
}


def results_table(results: RealResults) -> str:
    """Return the text that ``evaluate-real`` prints: shares in percent with their 95 % intervals."""
    head = ["", "pairs", "clauses", *_SHARES.values(), "ends", "calibration error", "ms", "ms 95 %"]
    rows = [head, *(_row(result) for result in results.results)]
    several = len({result.key for result in results.results}) > 1
    lists = [line for result in results.results for line in _lists(result, several=several)]
    return "\n".join(
        [*aligned_rows(rows), "", *aligned_rows([*_views(results.results)]), *(["", *lists] if lists else [])]
    )


def judgement_lines(judgement: Judgement) -> Iterator[str]:
    """Yield a line for a pair, with the required slots that are missing, and one for each clause with its verdict."""
    missing = (
        f"; missing {', '.join(f'{slot} {judgement.pair.truth[slot]:+d}' for slot in judgement.missed)}"
        if judgement.missed
        else ""
    )
    hidden = f"; not seen: {', '.join(sorted(judgement.unseen))}" if judgement.unseen else ""
    if judgement.answer.correction is None:
        yield f"{judgement.pair.id}: refused ({judgement.answer.refusal})"
        return
    yield f"{judgement.pair.id}: {len(judgement.mentioned)} of {len(judgement.pair.must)} said{hidden}{missing}"
    for clause, value in zip(judgement.answer.correction.clauses, judgement.verdicts, strict=True):
        yield f"    {value or _NONE:8}  {clause.confidence:4.0%}  {clause.text}"


def _row(result: RealResult) -> list[str]:
    ends = result.end.right + result.end.wrong
    error = result.calibration.error
    return [
        _name(result),
        str(result.pairs),
        str(result.judged),
        *(_share(result, name) for name in _SHARES),
        f"{result.end.right} of {ends}" if ends else _NONE,
        _NONE if error is None else f"{error:.0%}",
        *(_NONE if ms is None else f"{ms:.0f}" for ms in (result.ms_median, result.ms_p95)),
    ]


def _views(results: Sequence[RealResult]) -> Iterator[list[str]]:
    """Yield a row for each view of the person, by model."""
    yield ["by view", "pairs", "clauses", "right", "opposite", "required said"]
    for result in results:
        for view, shares in result.views.items():
            shares_of_view = [_share(shares, name) for name in ("right", "opposite", "must")]
            name = f"{_name(result)}: {view}" if len(results) > 1 else view
            yield [name, str(shares.pairs), str(shares.judged), *shares_of_view]


def _lists(result: RealResult, *, several: bool) -> Iterator[str]:
    for name, heading in _LISTED.items():
        ids: Sequence[str] = getattr(result, name)
        entries = [f"{id_} ({result.refusals[id_]})" if id_ in result.refusals else id_ for id_ in ids]
        if entries:
            yield f"{f'{_name(result)}: ' if several else ''}{heading}: {', '.join(entries)}"


def _name(result: RealResult) -> str:
    return ", ".join(result.key)


def _share(shares: GroupShares, name: str) -> str:
    of = shares.judged if name in {"right", "opposite"} else shares.pairs
    if not of:
        return _NONE
    value, ends = f"{getattr(shares, name):.0%}", shares.intervals.get(name)
    return value if ends is None else f"{value} ({ends[0]:.0%} to {ends[1]:.0%})"

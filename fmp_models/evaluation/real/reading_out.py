"""Printed results on real pairs: a line for each evaluated model, its views, and each clause with its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fmp_models.evaluation.real.judgement import Judgement
from fmp_models.evaluation.real.results import GroupShares, RealResult, RealResults
from fmp_models.metrics.score_tables import aligned_rows

_NONE = "-"
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

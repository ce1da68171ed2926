"""Scores of judged answers: shares of clauses, required slots and pairs, and the calibration of confidence.

Shares have 95 % intervals by a percentile bootstrap over pairs (``scipy.stats.bootstrap``, 1000 resamples,
seeded). If all pairs agree, resampling tells nothing; then the interval is that of Clopper and Pearson.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import get_args

import numpy as np

from fmp_models.evaluation.calibration_bins import BINS, calibration_bins, calibration_error
from fmp_models.evaluation.real.answers import EvaluatedModel
from fmp_models.evaluation.real.judgement import Judgement
from fmp_models.evaluation.real.results import Bin, Calibration, Ends, GroupShares, Interval, RealResult
from fmp_models.evaluation.real.slots import Verdict
from fmp_models.metrics.measurement import CONFIDENCE, Measurement, confidence_interval
from fmp_models.pose import Array

NO_VIEW = "not said"

_DIGITS = 3


def shares(judgements: Sequence[Judgement]) -> GroupShares:
    """Return the shares of some pairs: of all, or of those of one view."""
    values, intervals = _shares_of(judgements, ("right", "opposite", "must"))
    return GroupShares(
        **values, pairs=len(judgements), judged=sum(map(_judged_clauses, judgements)), intervals=intervals
    )


def result(judgements: Sequence[Judgement], evaluated_model: EvaluatedModel) -> RealResult:
    """Return every score of one evaluated model."""
    values, intervals = _shares_of(judgements, tuple(_SHARES))
    pair_ids = {name: [judgement.pair.id for judgement in judgements if getattr(judgement, name)] for name in _LISTED}
    right_ends = sum(sum(judgement.ends) for judgement in judgements)
    times = [judgement.answer.milliseconds for judgement in judgements if judgement.answer.milliseconds is not None]
    views: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        views.setdefault(judgement.pair.view or NO_VIEW, []).append(judgement)
    return RealResult(
        right=values["right"],
        wrong=values["wrong"],
        opposite=values["opposite"],
        must=values["must"],
        must_unseen=values["must_unseen"],
        must_said_or_unseen=values["must_said_or_unseen"],
        false_all_clear=pair_ids["false_all_clear"],
        contradictory=pair_ids["contradictory"],
        broken=pair_ids["broken"],
        refused=pair_ids["refused"],
        model=evaluated_model.correction_model.name.id,
        revision=evaluated_model.correction_model.name.revision,
        pose=evaluated_model.pose,
        estimator=evaluated_model.estimator.name,
        language=evaluated_model.language,
        pairs=len(judgements),
        judged=sum(map(_judged_clauses, judgements)),
        not_judged=sum(judgement.verdicts.count(None) for judgement in judgements),
        must_slots=sum(len(judgement.pair.must) for judgement in judgements),
        refusals={judgement.pair.id: judgement.answer.refusal for judgement in judgements if judgement.refused},
        end=Ends(right_ends, sum(len(judgement.ends) for judgement in judgements) - right_ends),
        calibration=_calibration(judgements),
        ms_median=round(float(np.median(times)), 1) if times else None,
        ms_p95=round(float(np.percentile(times, 95)), 1) if times else None,
        views={view: shares(views[view]) for view in sorted(views)},
        intervals=intervals,
    )


def _judged_clauses(judgement: Judgement) -> int:
    return len(judgement.verdicts) - judgement.verdicts.count(None)


def _count(value: Verdict) -> Callable[[Judgement], int]:
    return lambda judgement: judgement.verdicts.count(value)


def _must(judgement: Judgement) -> int:
    return len(judgement.pair.must)


def _is_answered(judgement: Judgement) -> int:
    return not judgement.refused


# Every share: the functions that give its numerator and denominator for a pair.
_SHARES: Mapping[str, tuple[Callable[[Judgement], int], Callable[[Judgement], int]]] = {
    **{value: (_count(value), _judged_clauses) for value in get_args(Verdict)},
    "must": (lambda judgement: len(judgement.mentioned), _must),
    "must_unseen": (lambda judgement: len(judgement.unseen), _must),
    "must_said_or_unseen": (lambda judgement: len(judgement.mentioned | judgement.unseen), _must),
    "false_all_clear": (lambda judgement: judgement.false_all_clear, lambda judgement: bool(judgement.pair.must)),
    "contradictory": (lambda judgement: judgement.contradictory, _is_answered),
    "broken": (lambda judgement: judgement.broken, _is_answered),
    "refused": (lambda judgement: judgement.refused, lambda _: 1),
    "end": (lambda judgement: sum(judgement.ends), lambda judgement: len(judgement.ends)),
}
_LISTED = ("false_all_clear", "contradictory", "broken", "refused")


def _shares_of(
    judgements: Sequence[Judgement], names: Sequence[str]
) -> tuple[dict[str, float], dict[str, Interval | None]]:
    """Return each share, 0 if there is nothing to count, and its interval."""
    values, intervals = {}, {}
    for name in names:
        part, whole = _SHARES[name]
        counts = np.array([(part(judgement), whole(judgement)) for judgement in judgements], dtype=np.float64).reshape(
            -1, 2
        )
        total = counts.sum(axis=0)
        values[name] = round(float(total[0] / max(total[1], 1)), _DIGITS)
        intervals[name] = _interval(counts)
    return values, intervals


def _interval(counts: Array) -> Interval | None:
    """Return the interval of a share by ``counts`` (n, 2), numerator and denominator; zero denominators are ignored."""
    pair_counts = counts[counts[:, 1] > 0]
    pair_shares = pair_counts[:, 0] / pair_counts[:, 1]
    if len(pair_shares) < 2:  # noqa: PLR2004  one pair has no variance
        return None
    if pair_shares.max() == 0 or pair_shares.min() == 1:
        surest = 1 - ((1 - CONFIDENCE) / 2) ** (1 / len(pair_shares))
        ends = (0.0, surest) if pair_shares.max() == 0 else (1 - surest, 1.0)
    else:
        spread = confidence_interval(Measurement(pair_shares, pair_counts, _ratio))
        if spread is None:
            return None
        ends = spread
    return round(ends[0], _DIGITS), round(ends[1], _DIGITS)


def _ratio(totals: Array) -> Array:
    return np.asarray(totals[..., 0] / totals[..., 1])


def _calibration(judgements: Iterable[Judgement]) -> Calibration:
    """Return the calibration of the confidence of judged clauses, in ten bins."""
    rows = [
        (clause.confidence, value == "right")
        for judgement in judgements
        if judgement.answer.correction is not None
        for clause, value in zip(judgement.answer.correction.clauses, judgement.verdicts, strict=True)
        if value is not None
    ]
    confidence, right = np.array(rows, dtype=np.float64).reshape(-1, 2).T
    bins = [
        Bin(number / BINS, (number + 1) / BINS, judgement.count, _rounded(judgement.chance), _rounded(judgement.true))
        for number, judgement in enumerate(calibration_bins(confidence, right))
    ]
    return Calibration(round(calibration_error(confidence, right), _DIGITS) if rows else None, bins)


def _rounded(share: float) -> float | None:
    return None if np.isnan(share) else round(share, _DIGITS)

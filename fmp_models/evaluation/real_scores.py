"""Scores of models on real pairs: shares of clauses, required slots and pairs, and the calibration of confidence.

Each picture is measured once for all models that use the same estimator. Shares have 95 % intervals by a percentile
bootstrap over pairs (``scipy.stats.bootstrap``, 1000 resamples, seeded). If all pairs agree, resampling tells
nothing; then the interval is that of Clopper and Pearson.

Calibration sorts probabilities into ten bins, each with its share of true cases. The regression check says whether
results are worse than earlier ones, beyond the earlier intervals.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from fmp_models.common import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimate, PoseEstimator
from fmp_models.evaluation.judgement import Answer, Judgement, Verdict, judge
from fmp_models.evaluation.real_pairs import LabelledPair, LabelledPairs
from fmp_models.evaluation.stored_results import (
    Bin,
    Calibration,
    Ends,
    GroupShares,
    Interval,
    Key,
    RealResult,
    RealResults,
)
from fmp_models.files import read_bounded
from fmp_models.inference import CorrectionModel, Corrector
from fmp_models.languages import grammar
from fmp_models.metrics import CONFIDENCE, Measurement, confidence_interval
from fmp_models.pose import Array
from fmp_models.preprocessing import Photograph

BINS = 10


@dataclass(frozen=True)
class FilledBin:
    """One bin: the number of probabilities, their mean, and the share that is true; both are NaN if it is empty."""

    count: int
    chance: float
    true: float


def calibration_bins(chances: Array, true: Array) -> list[FilledBin]:
    """Return the bins of probabilities (n,) with their truth (n,); a value on a boundary is in the lower bin."""
    place = np.clip(np.ceil(chances * BINS) - 1, 0, BINS - 1)
    inside = [place == number for number in range(BINS)]
    return [
        FilledBin(
            int(in_bin.sum()), *(float(values[in_bin].mean()) if in_bin.any() else np.nan for values in (chances, true))
        )
        for in_bin in inside
    ]


def calibration_error(chances: Array, true: Array) -> float:
    """Return the expected calibration error of probabilities (n,) with truth (n,); 0 if there are none."""
    filled = [filled_bin for filled_bin in calibration_bins(chances, true) if filled_bin.count]
    return sum(filled_bin.count * abs(filled_bin.chance - filled_bin.true) for filled_bin in filled) / max(
        len(chances), 1
    )


_TELL_EVERY = 10  # pairs

_log = logging.getLogger(__name__)


class RememberingEstimator:
    """An estimator with a cache by pixels; ``saved`` counts the milliseconds that the cache saved."""

    def __init__(self, estimator: PoseEstimator) -> None:
        self.name = estimator.name
        self.saved = 0.0
        self._estimator = estimator
        self._known: dict[bytes, tuple[PoseEstimate | BadInputError, float]] = {}

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Return the cached estimate of the same pixels, or a new one; cached errors are raised again."""
        image = photograph.image
        key = hashlib.sha256(repr(image.size).encode() + image.tobytes()).digest()
        if key in self._known:
            outcome, took = self._known[key]
            self.saved += took
        else:
            start = time.perf_counter()
            outcome = self._look(photograph)
            self._known[key] = outcome, (time.perf_counter() - start) * 1000
        if isinstance(outcome, BadInputError):
            raise BadInputError(outcome.code, **outcome.details)
        return outcome

    def _look(self, photograph: Photograph) -> PoseEstimate | BadInputError:
        try:
            return self._estimator.estimate(photograph)
        except BadInputError as refusal:
            return refusal


@dataclass(frozen=True)
class EvaluatedModel:
    """One combination to evaluate: an estimator of joints, a correction model, and a language."""

    estimator: RememberingEstimator
    correction_model: CorrectionModel
    language: str

    @property
    def pose(self) -> str:
        """The pose model's name, without the runtime and without the lifter."""
        return self.estimator.name.rsplit("/", 1)[-1].partition("+")[0]

    @property
    def key(self) -> Key:
        """The key in the results: correction model, pose model and language."""
        return self.correction_model.name.id, self.pose, self.language


def judged_answers(pairs: LabelledPairs, evaluated_model: EvaluatedModel) -> list[Judgement]:
    """Return the judged correction of every pair; an error for a pair is its answer.

    Raises :class:`BadInputError` (``language_not_spoken``) and the errors of loading the correction model.
    """
    correction_model, language = evaluated_model.correction_model, evaluated_model.language
    correction_model.load()
    if language not in correction_model.languages:
        raise BadInputError(
            "language_not_spoken", model=correction_model.name.id, known=", ".join(correction_model.languages)
        )
    corrector, words, judgements = Corrector(evaluated_model.estimator, [correction_model]), grammar(language), []
    for number, pair in enumerate(pairs.pairs, 1):
        judgements.append(judge(pair, _answer(corrector, evaluated_model, pair), words))
        if number % _TELL_EVERY == 0 or number == len(pairs.pairs):
            _log.info("%s: %d of %d pairs", ", ".join(evaluated_model.key), number, len(pairs.pairs))
    return judgements


def _answer(corrector: Corrector, evaluated_model: EvaluatedModel, pair: LabelledPair) -> Answer:
    current, target = (read_bounded(path, MAX_BYTES) for path in (pair.current, pair.target))
    saved = evaluated_model.estimator.saved
    try:
        correction, _ = corrector.correct(current, target, language=evaluated_model.language)
    except BadInputError as refusal:
        return Answer(None, refusal.code)
    return Answer(correction, milliseconds=correction.milliseconds["total"] + evaluated_model.estimator.saved - saved)


NO_VIEW = "not said"

_DIGITS = 3


def shares(judgements: Sequence[Judgement]) -> GroupShares:
    """Return the shares of some pairs: of all, or of those of one view."""
    values, intervals = _shares_of(judgements, ("right", "opposite", "must"))
    return GroupShares(
        **values, pairs=len(judgements), judged=sum(map(_judged_clauses, judgements)), intervals=intervals
    )


def real_result(judgements: Sequence[Judgement], evaluated_model: EvaluatedModel) -> RealResult:
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
    measured = Measurement.share(counts[counts[:, 1] > 0])
    pair_shares = measured.instances
    if len(pair_shares) < 2:  # noqa: PLR2004  one pair has no variance
        return None
    if pair_shares.max() == 0 or pair_shares.min() == 1:
        surest = 1 - ((1 - CONFIDENCE) / 2) ** (1 / len(pair_shares))
        ends: Interval | None = (0.0, surest) if pair_shares.max() == 0 else (1 - surest, 1.0)
    else:
        ends = confidence_interval(measured)
    return None if ends is None else (round(ends[0], _DIGITS), round(ends[1], _DIGITS))


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


_MORE_IS_BETTER = {"right": True, "must": True, "opposite": False}


def demand_comparable(earlier: RealResults, fingerprint: str, correction_models: Collection[Key], path: Path) -> None:
    """Raise ``against_other`` if the earlier results are of other pairs, or of none of these models.

    Results that do not tell their pairs are accepted.
    """
    same_pairs = earlier.data is None or earlier.data.fingerprint == fingerprint
    if not same_pairs or not any(result.key in correction_models for result in earlier.results):
        raise BadInputError("against_other", path=str(path))


def regressions(earlier: RealResults, now: RealResults) -> list[str]:
    """Return a sentence for each value that got worse, for models in both results.

    Without an interval, any change for the worse counts.
    """
    before = {result.key: result for result in earlier.results}
    return [line for result in now.results if result.key in before for line in _worse(before[result.key], result)]


def _worse(before: RealResult, now: RealResult) -> Iterator[str]:
    for name, more_is_better in _MORE_IS_BETTER.items():
        value, earlier = float(getattr(now, name)), float(getattr(before, name))
        low, high = before.intervals.get(name) or (earlier, earlier)
        if value < low if more_is_better else value > high:
            model, pose, language = now.key
            verb, bound = ("fell", f"below {low:.3f}") if more_is_better else ("rose", f"above {high:.3f}")
            yield f"{name} of {model} with {pose} in {language} {verb} from {earlier:.3f} to {value:.3f}, {bound}"

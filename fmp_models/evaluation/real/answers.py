"""Corrections of models for real pairs; each picture is measured once for all models that use the same estimator."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate, PoseEstimator
from fmp_models.evaluation.real.judgement import Answer, Judgement, judge
from fmp_models.evaluation.real.pairs import LabelledPair, LabelledPairs
from fmp_models.evaluation.real.results import Key
from fmp_models.files.bounded import read_bounded
from fmp_models.inference.corrector import CorrectionModel, Corrector
from fmp_models.languages.language_data import grammar
from fmp_models.preprocessing import Photograph

_TELL_EVERY = 10  # pairs

Say = Callable[[str], None]


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


def judged_answers(pairs: LabelledPairs, evaluated_model: EvaluatedModel, say: Say) -> list[Judgement]:
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
            say(f"{', '.join(evaluated_model.key)}: {number} of {len(pairs.pairs)} pairs")
    return judgements


def _answer(corrector: Corrector, evaluated_model: EvaluatedModel, pair: LabelledPair) -> Answer:
    current, target = (read_bounded(path, MAX_BYTES) for path in (pair.current, pair.target))
    saved = evaluated_model.estimator.saved
    try:
        correction, _ = corrector.correct(current, target, language=evaluated_model.language)
    except BadInputError as refusal:
        return Answer(None, refusal.code)
    return Answer(correction, milliseconds=correction.milliseconds["total"] + evaluated_model.estimator.saved - saved)

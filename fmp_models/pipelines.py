"""What the page, the command line and the API all call: two photographs in, one correction out."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any, Literal

from fmp_models.describe.describing import describe
from fmp_models.errors import BadInputError
from fmp_models.estimators import Estimate, PoseEstimator
from fmp_models.languages.grammar import grammar
from fmp_models.photograph import Photograph, read_photograph
from fmp_models.pose import PosePair

Which = Literal["current", "target"]


@dataclass(frozen=True)
class Word:
    """One word of the text; ``confidence`` between 0 and 1 is that of its clause."""

    word: str
    confidence: float


@dataclass(frozen=True)
class CheckedClause:
    """One step of the correction; ``agrees`` is the geometry's verdict, ``None`` where joints cannot tell."""

    text: str
    part: str
    direction: str
    agrees: bool | None
    confidence: float


@dataclass(frozen=True)
class ModelName:
    """Who spoke: a model id and the pinned revision."""

    id: str
    revision: str


@dataclass(frozen=True)
class Correction:
    """The answer, as DESIGN's ``correct --json`` has it."""

    text: str
    language: str
    words: tuple[Word, ...]
    clauses: tuple[CheckedClause, ...]
    model: ModelName
    estimator: str
    people: tuple[int, int]
    milliseconds: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """Plain lists and dictionaries, ready for ``json.dumps``."""
        return asdict(self)


@dataclass(frozen=True)
class Seen:
    """What was measured on the way, for the page's figures."""

    photographs: tuple[Photograph, Photograph]
    estimates: tuple[Estimate, Estimate]

    @property
    def pair(self) -> PosePair:
        """The two poses."""
        return PosePair(self.estimates[0].pose, self.estimates[1].pose)


GEOMETRY = ModelName("geometry", "1")


class Corrector:
    """Two photographs -> correction, spoken by the geometry model. One instance serves any number of visitors."""

    def __init__(self, estimator: PoseEstimator) -> None:
        """``estimator`` finds the joints; nothing is kept from one call to the next."""
        self.estimator = estimator

    def correct(
        self, current: bytes, target: bytes, *, language: str = "en", seed: int | None = None
    ) -> tuple[Correction, Seen]:
        """Say how to get from the pose in ``current`` to the one in ``target`` (the bytes of two picture files).

        Raises :class:`BadInputError` for a file that is no usable photograph, a photograph without a person, or an
        unknown language.
        """
        grammar(language)  # an unknown language is refused before any work is done
        clock = _Stopwatch()
        photographs = (_checked(current, "current"), _checked(target, "target"))
        clock.lap("photographs")
        estimates = (self._estimate(photographs[0], "current"), self._estimate(photographs[1], "target"))
        clock.lap("estimator")
        seen = Seen(photographs, estimates)
        description = describe(seen.pair, language, seed)
        clock.lap("describe")
        correction = Correction(
            text=description.text,
            language=language,
            words=tuple(Word(word, step.confidence) for step in description.steps for word in step.text.split()),
            clauses=tuple(
                CheckedClause(
                    step.text, step.clause.part_name, step.clause.direction.value, step.agrees, step.confidence
                )
                for step in description.steps
            ),
            model=GEOMETRY,
            estimator=self.estimator.name,
            people=(estimates[0].people, estimates[1].people),
            milliseconds=clock.laps(),
        )
        return correction, seen

    def _estimate(self, photograph: Photograph, which: Which) -> Estimate:
        try:
            return self.estimator.estimate(photograph)
        except BadInputError as error:
            raise error.about(which) from error


def _checked(data: bytes, which: Which) -> Photograph:
    try:
        return read_photograph(data)
    except BadInputError as error:
        raise error.about(which) from error


class _Stopwatch:
    """Milliseconds of each named lap and of the whole."""

    def __init__(self) -> None:
        self._times: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._times[name] = round((now - self._last) * 1000, 1)
        self._last = now

    def laps(self) -> dict[str, float]:
        return {**self._times, "total": round((self._last - self._start) * 1000, 1)}

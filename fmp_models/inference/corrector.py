"""The corrector: two photographs -> one correction, for the page, the command line and the API.

The text comes from a :class:`CorrectionModel`: the geometry or a trained captioner, see
:mod:`fmp_models.inference.backends`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.stopwatch import Stopwatch
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import NOBODY, PersonPoint, PoseEstimate, PoseEstimator, estimate_person
from fmp_models.estimators.facing import facing_alike
from fmp_models.estimators.same_camera import levelled_alike
from fmp_models.geometry.lexicon import Clause, Plan, joints_left_out
from fmp_models.inference.demonstration import Demonstration, demonstrate, demonstrate_steps
from fmp_models.inference.measured_pair import measured
from fmp_models.inference.model_names import DEFAULT, ModelName
from fmp_models.languages.language_data import grammar
from fmp_models.metrics.clause_metrics import text_progress
from fmp_models.pose import Array, PosePair
from fmp_models.preprocessing import (
    AS_TAKEN,
    Orientation,
    PersonCrop,
    Photograph,
    Picture,
    picture_bytes,
    read_photograph,
    upright,
)

Which = Literal["current", "target"]
_WHICH: tuple[Which, Which] = ("current", "target")
PersonCrops = tuple[PersonCrop, PersonCrop]
Orientations = tuple[Orientation, Orientation]
PersonPoints = tuple[PersonPoint | None, PersonPoint | None]  # the person to measure in each photograph


@dataclass(frozen=True)
class Word:
    """One word of the text; ``confidence`` (0 to 1) is the captioner's own, or that of the geometry's clause."""

    word: str
    confidence: float


@dataclass(frozen=True)
class CheckedClause:
    """One change of the correction; ``agrees`` is the geometry's verdict, ``None`` if the joints cannot tell.

    ``words`` are the first and last (exclusive) words of the correction for this clause; one word can belong to
    several clauses, and (0, 0) means that no step says it. ``by`` is the id of the model, ``None`` for a person's
    text.
    """

    text: str
    clause: Clause
    agrees: bool | None
    confidence: float
    words: tuple[int, int]
    by: str | None = None

    @property
    def part(self) -> str:
        """The part with its side in plain English, as in ``--json``."""
        return self.clause.part_name

    @property
    def direction(self) -> str:
        """The direction as in ``--json``."""
        return self.clause.direction.value

    def as_json(self) -> dict[str, Any]:
        """Return all fields, with ``part`` and ``direction`` in place of the clause."""
        text, *others = ((one.name, getattr(self, one.name)) for one in fields(self) if one.name != "clause")
        return dict([text, ("part", self.part), ("direction", self.direction), *others])


@dataclass(frozen=True)
class CorrectionStep:
    """One sentence of the text: a ``step``, ``fine`` tuning, general advice (``watch``) or a note on ``unseen`` parts.

    ``clauses`` are the indices of its clauses. ``words`` are the first and last (exclusive) words of the text.
    ``confidence`` is that of its least certain clause; ``None`` for general advice, which is not measured. ``by``
    is the id of the captioner that wrote the sentence, ``None`` for the project's own wording.
    """

    text: str
    kind: str
    clauses: tuple[int, ...]
    words: tuple[int, int]
    confidence: float | None
    by: str | None = None


@dataclass(frozen=True)
class Correction:
    """The result of ``correct --json``, as specified in DESIGN.

    ``clauses`` are the measured changes, ``steps`` the sentences of the text. ``dropped`` is the number of steps
    of the ``model`` that were removed because they contradict the joints. ``people`` is 0 if no joints could be
    measured. ``goal_progress`` is the share of the way to the target that a person reaches by following the text
    alone (1: target reached, below 0: further away). It is ``None`` if not requested, without joints, or if
    nothing moves. ``poses`` are both bodies, ``None`` without joints.
    """

    text: str
    language: str
    words: tuple[Word, ...]
    clauses: tuple[CheckedClause, ...]
    model: ModelName
    estimator: str
    people: tuple[int, int]
    milliseconds: dict[str, float]
    dropped: int = 0
    goal_progress: float | None = None
    steps: tuple[CorrectionStep, ...] = ()
    poses: PosePair | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    @property
    def joints(self) -> dict[str, Any] | None:
        """The joints of both poses as in :meth:`as_json`; ``None`` if they could not be measured."""
        joints: dict[str, Any] | None = measured(self.poses)["joints"]
        return joints

    def as_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries for ``json.dumps``: all fields, ``joints`` and ``distances``."""
        plain = asdict(replace(self, poses=None, clauses=()))
        del plain["poses"]
        plain["clauses"] = tuple(clause.as_json() for clause in self.clauses)
        return {**plain, **measured(self.poses), "carried_out": self.goal_progress}  # its old name, for one version


@dataclass(frozen=True)
class AttentionMap:
    """The attention of a word, weights that sum to 1: (g, g) over the crop of each photograph, (20,) over the joints.

    ``joints`` is attention to the joints of both poses, ``differences`` to the changes between them. A field is
    ``None`` if the captioner does not attend to that input.
    """

    current: Array | None
    target: Array | None
    joints: Array | None
    differences: Array | None


@dataclass(frozen=True)
class MeasuredPhotographs:
    """Intermediate measurements for the page's figures.

    ``looks`` has one attention map for each word of the correction, and is empty without attention; ``squares``
    are the crops that the captioner saw. An estimate is ``None`` if no joints could be measured; a captioner then
    used the pictures alone, and there is no demonstration. ``languages`` are those of the model.
    """

    photographs: tuple[Photograph, Photograph]
    estimates: tuple[PoseEstimate | None, PoseEstimate | None]
    looks: tuple[AttentionMap, ...] = ()
    squares: PersonCrops | None = None
    demonstration: Demonstration | None = None
    languages: tuple[str, ...] = ()

    @property
    def pair(self) -> PosePair | None:
        """The two poses; ``None`` if the joints of either could not be measured."""
        current, target = self.estimates
        return None if current is None or target is None else PosePair(current.pose, target.pose)


@dataclass(frozen=True)
class ModelOutput:
    """The output of a correction model: its fields of :class:`Correction` and :class:`MeasuredPhotographs`.

    ``plans`` has the clauses of each step, for one side if another step covers the other side.
    """

    text: str
    words: tuple[Word, ...]
    clauses: tuple[CheckedClause, ...]
    milliseconds: dict[str, float]
    steps: tuple[CorrectionStep, ...] = ()
    plans: tuple[Plan, ...] = ()
    looks: tuple[AttentionMap, ...] = ()
    squares: PersonCrops | None = None
    dropped: int = 0


class CorrectionModel(Protocol):
    """A model that describes how to get from one pose to another; one instance serves concurrent requests."""

    @property
    def name(self) -> ModelName:
        """The name of the model."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The language codes of the model."""
        ...

    @property
    def needs_joints(self) -> bool:
        """Whether the model cannot describe photographs without measured joints."""
        ...

    def load(self) -> None:
        """Load now instead of at the first text; raise :class:`BadInputError` if the model is unusable."""
        ...

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> ModelOutput:
        """Return the correction in one of ``languages``; the same seed always gives the same text."""
        ...


class Corrector:
    """Two photographs -> correction by one of several models. One instance serves concurrent requests."""

    def __init__(self, estimator: PoseEstimator, models: Sequence[CorrectionModel]) -> None:
        """Create a corrector; ``estimator`` finds the joints, the first of the ``models`` is the default model.

        Nothing is kept between calls. Raise ValueError without a model.
        """
        if not models:
            raise ValueError("at least one model is required")
        self.estimator = estimator
        self._models = {correction_model.name.id: correction_model for correction_model in reversed(models)}
        self.models = tuple(dict.fromkeys(correction_model.name.id for correction_model in models))

    @classmethod
    def from_pretrained(  # noqa: PLR0913  sources of models and runtime options
        cls,
        model: str | Path | None = None,
        *,
        revision: str | None = None,
        pose_model: str | Path | PoseEstimator | None = None,
        device: str | None = None,
        cache_dir: str | Path | None = None,
        say: Callable[[str], object] = lambda _: None,
    ) -> Self:
        """Load a corrector with the ``model`` "geometry" (default), "captioner", a folder, or "org/name" of the Hub.

        ``pose_model`` is "lite", "full" (default), "heavy", a ``.task`` file, or an estimator. Downloads are kept in
        ``cache_dir``, by default in the Hub's cache and the user's data folder. ``say`` reports the commit of a Hub
        model, and a fallback to another estimator. Raise :class:`ModelUnavailableError`.
        """
        from fmp_models.estimators.select import open_estimator  # noqa: PLC0415  only the default models need these imports
        from fmp_models.inference.backends import load_correction_model  # noqa: PLC0415

        cache = None if cache_dir is None else Path(cache_dir)
        correction_model = load_correction_model(
            str(model or DEFAULT), say, revision=revision, device=device, cache=cache
        )
        correction_model.load()
        return cls(open_estimator(pose_model, cache, say), [correction_model])

    def __call__(
        self,
        current: Picture,
        target: Picture,
        *,
        language: str = "en",
        seed: int | None = None,
        leave_out: Iterable[object] = (),
    ) -> Correction:
        """Return how to get from the pose in ``current`` to the one in ``target``; see :meth:`correct`.

        A photograph is a path, the bytes of a file or a ``PIL.Image``.
        """
        files = []
        for which, picture in zip(_WHICH, (current, target), strict=True):
            try:
                files.append(picture_bytes(picture))
            except BadInputError as error:
                raise error.about(which) from None
        return self.correct(*files, language=language, seed=seed, leave_out=leave_out, with_progress=True)[0]

    def correct(  # noqa: PLR0913  inputs and options
        self,
        current: bytes,
        target: bytes,
        *,
        language: str = "en",
        model: str | None = None,
        seed: int | None = None,
        person_points: PersonPoints = (None, None),
        leave_out: Iterable[object] = (),
        orientations: Orientations = (AS_TAKEN, AS_TAKEN),
        with_progress: bool = False,
    ) -> tuple[Correction, MeasuredPhotographs]:
        """Return the correction from the pose in ``current`` to the one in ``target`` (the bytes of two picture files).

        ``model`` is one of ``models``. ``person_points`` is the person to measure in each photograph; the
        default is the largest person. Parts in ``leave_out`` are not mentioned, see
        :mod:`fmp_models.geometry.lexicon`. ``orientations`` say how each photograph was turned or mirrored; this is
        undone before anything is measured or shown, and places refer to the upright photographs. ``with_progress``
        computes how far the text alone leads, which takes a tenth of a second or more.

        Raise :class:`BadInputError` for an unknown part, an unusable photograph file, a photograph without a person,
        an unknown model, and a language that is unknown or that the model does not support. A model that needs no
        joints uses the pictures alone if a person is visible in at least one photograph.
        """
        grammar(language)  # raise for an unknown language before any work is done
        correction_model = self._model(model, language)
        left_out = joints_left_out(leave_out)
        clock = Stopwatch()
        first, second = _checked(current, target)
        photographs = upright(first, orientations[0]), upright(second, orientations[1])
        clock.lap("photographs")
        estimates = self._estimates(photographs, person_points, alone=not correction_model.needs_joints)
        if left_out:
            estimates = _without(estimates[0], left_out), _without(estimates[1], left_out)
        clock.lap("estimator")
        return self._answer(
            correction_model, MeasuredPhotographs(photographs, estimates), language, seed, clock, with_progress
        )

    def in_language(
        self, correction: Correction, measurements: MeasuredPhotographs, language: str
    ) -> tuple[Correction, MeasuredPhotographs]:
        """Return a correction in another language of its model; nothing is measured again, so it takes milliseconds."""
        correction_model = self._model(correction.model.id, language)
        return self._answer(correction_model, measurements, language, None, Stopwatch(), with_progress=False)

    def _answer(  # noqa: PLR0913, PLR0917  measurements and options
        self,
        correction_model: CorrectionModel,
        measurements: MeasuredPhotographs,
        language: str,
        seed: int | None,
        clock: Stopwatch,
        with_progress: bool,  # noqa: FBT001
    ) -> tuple[Correction, MeasuredPhotographs]:
        """Return the model's correction for measured photographs."""
        output = correction_model.generate(measurements, language, seed)
        clock.add(output.milliseconds)
        demonstration, goal_progress = None, None
        if (pair := measurements.pair) is not None:
            demonstration = _demonstrated(output, language, pair)
            if with_progress:
                goal_progress = text_progress(output.text, language, pair)
            clock.lap("demonstration")
        current, target = measurements.estimates
        correction = Correction(
            text=output.text,
            language=language,
            words=output.words,
            clauses=output.clauses,
            model=correction_model.name,
            estimator=self.estimator.name,
            people=(_people(current), _people(target)),
            milliseconds=clock.laps(),
            dropped=output.dropped,
            steps=output.steps,
            goal_progress=None if goal_progress is None else round(goal_progress, 3),
            poses=measurements.pair,
        )
        return correction, replace(
            measurements,
            looks=output.looks,
            squares=output.squares,
            demonstration=demonstration,
            languages=correction_model.languages,
        )

    def _model(self, model: str | None, language: str) -> CorrectionModel:
        """Return the model; raise BadInputError if it is unknown or does not support the language."""
        correction_model = self._models.get(self.models[0] if model is None else model)
        if correction_model is None:
            raise BadInputError("unknown_model", model=str(model), known=", ".join(self.models))
        if language not in correction_model.languages:
            raise BadInputError(
                "language_not_spoken", model=correction_model.name.id, known=", ".join(correction_model.languages)
            )
        return correction_model

    def _estimates(
        self, photographs: tuple[Photograph, Photograph], person_points: PersonPoints, *, alone: bool
    ) -> tuple[PoseEstimate | None, PoseEstimate | None]:
        """Return the person measured in each photograph.

        A refusal of either photograph raises it for the pair. Exception: with ``alone``, pictures suffice if either
        shows a person, even a hidden one. If no person is found in both, the photographs most likely show something
        else.
        """
        estimates: list[PoseEstimate | None] = []
        refusals: list[BadInputError] = []
        with ThreadPoolExecutor(len(_WHICH), "photograph") as threads:  # overlaps single-threaded work
            pending = [
                threads.submit(estimate_person, self.estimator, photograph, place)
                for photograph, place in zip(photographs, person_points, strict=True)
            ]
        for future, which in zip(pending, _WHICH, strict=True):
            try:
                estimates.append(future.result())
            except BadInputError as error:
                refusals.append(error.about(which))
                if not alone or error.code not in NOBODY:
                    raise refusals[-1] from error
                estimates.append(None)
        if len(refusals) == len(_WHICH) and all(refusal.code == "no_person" for refusal in refusals):
            raise refusals[0]
        current, target = estimates
        return facing_alike(*levelled_alike(photographs, (current, target)))


def _demonstrated(output: ModelOutput, language: str, pair: PosePair) -> Demonstration:
    """Return the demonstration of the steps, or of the clauses that can be read in a text without steps."""
    if not output.steps:
        return demonstrate(output.text, language, pair.current, pair.target)
    steps = [(step.words, plan) for step, plan in zip(output.steps, output.plans, strict=True)]
    return demonstrate_steps(output.text, language, steps, pair.current, pair.target)


def _without(estimate: PoseEstimate | None, joints: frozenset[str]) -> PoseEstimate | None:
    """Return the estimate without the joints."""
    return None if estimate is None else replace(estimate, pose=estimate.pose.without(joints))


def _people(estimate: PoseEstimate | None) -> int:
    return 0 if estimate is None else estimate.people


def _checked(current: bytes, target: bytes) -> tuple[Photograph, Photograph]:
    """Return both photographs, current first; a file given twice is decoded once."""
    budget, known = DecodingBudget(), dict[bytes, Photograph]()
    for data, which in zip((current, target), _WHICH, strict=True):
        if data not in known:
            try:
                known[data] = read_photograph(data, budget)
            except BadInputError as error:
                raise error.about(which) from error
    return known[current], known[target]

"""The corrector, two photographs in, one correction out: what the page, the command line and the API all call.

Who says the correction is a :class:`CorrectionModel`: the geometry or a trained captioner, see
:mod:`fmp_models.inference.backends`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.stopwatch import Stopwatch
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import NOBODY, PersonPoint, PoseEstimate, PoseEstimator, estimate_person
from fmp_models.estimators.facing import facing_alike
from fmp_models.estimators.same_camera import levelled_alike
from fmp_models.geometry.clauses import Plan
from fmp_models.geometry.left_out import joints_left_out
from fmp_models.inference.demonstration import Demonstration, demonstrate, demonstrate_steps
from fmp_models.inference.measured_pair import measured
from fmp_models.languages.grammar import grammar
from fmp_models.metrics.task.goal_progress import text_progress
from fmp_models.pose import Array, PosePair
from fmp_models.preprocessing.person_crop import PersonCrop
from fmp_models.preprocessing.photograph import (
    AS_TAKEN,
    Orientation,
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
PersonPoints = tuple[PersonPoint | None, PersonPoint | None]  # is meant of several people in each photograph


@dataclass(frozen=True)
class Word:
    """One word of the text; ``confidence`` between 0 and 1 is a captioner's own, or that of the geometry's clause."""

    word: str
    confidence: float


@dataclass(frozen=True)
class CheckedClause:
    """One change of the correction; ``agrees`` is the geometry's verdict, ``None`` where joints cannot tell.

    ``words`` are the first and one beyond the last of the correction's words that say it; some say several clauses,
    and (0, 0) is what no step says. ``by`` is the id of the model that said it, ``None`` where a person did.
    """

    text: str
    part: str
    direction: str
    agrees: bool | None
    confidence: float
    words: tuple[int, int]
    by: str | None = None


@dataclass(frozen=True)
class CorrectionStep:
    """One sentence of the text: a ``step``, ``fine`` tuning, general advice (``watch``) or what was ``unseen``.

    ``clauses`` are the places of the clauses that it says, ``words`` the first and one beyond the last of the text's
    words, ``confidence`` that of its least sure clause; ``None`` for general advice, which nobody measured. ``by`` is
    the id of the captioner whose own sentence it is, ``None`` where the words are ours.
    """

    text: str
    kind: str
    clauses: tuple[int, ...]
    words: tuple[int, int]
    confidence: float | None
    by: str | None = None


@dataclass(frozen=True)
class ModelName:
    """Who spoke: a model id and the pinned revision."""

    id: str
    revision: str


@dataclass(frozen=True)
class Correction:
    """The answer of ``correct --json``.

    ``clauses`` are the measured changes, ``steps`` what a trainer makes of them: the text in its sentences.
    ``dropped`` is how many steps of the ``model`` were left out because the joints do not bear them out, and ``people``
    0 without measured joints. ``goal_progress`` is the share of the way to the target that the text alone
    leads somebody who does what it says (1 is there, below 0 further away); ``None`` where that was not asked for,
    without joints, or where nothing moves. ``poses`` are both bodies, ``None`` without joints.
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
        """The joints of both poses as in :meth:`as_json`; ``None`` where they could not be measured."""
        joints: dict[str, Any] | None = measured(self.poses)["joints"]
        return joints

    def as_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries for ``json.dumps``: all fields, ``joints`` and ``distances``."""
        fields = asdict(replace(self, poses=None))
        del fields["poses"]
        return {**fields, **measured(self.poses), "carried_out": self.goal_progress}  # its old name, for one version


@dataclass(frozen=True)
class AttentionMap:
    """Where a word looked, weights that sum to 1: (g, g) over the square of each photograph, (20,) over the joints.

    ``joints`` are the joints of both poses, ``differences`` what changes between them; ``None`` for what a captioner
    does not look at.
    """

    current: Array | None
    target: Array | None
    joints: Array | None
    differences: Array | None


@dataclass(frozen=True)
class MeasuredPhotographs:
    """What was measured on the way, for the page's figures.

    ``looks`` has one entry for each of the correction's words, and none where nobody looked; ``squares`` are the parts
    of the photographs that were looked at. An estimate is ``None`` where nobody's joints could be measured, and then a
    captioner spoke from the pictures alone, and nothing is demonstrated. ``languages`` are those the model speaks.
    """

    photographs: tuple[Photograph, Photograph]
    estimates: tuple[PoseEstimate | None, PoseEstimate | None]
    looks: tuple[AttentionMap, ...] = ()
    squares: PersonCrops | None = None
    demonstration: Demonstration | None = None
    languages: tuple[str, ...] = ()

    @property
    def pair(self) -> PosePair | None:
        """The two poses; ``None`` where somebody's joints could not be measured."""
        current, target = self.estimates
        return None if current is None or target is None else PosePair(current.pose, target.pose)


@dataclass(frozen=True)
class ModelOutput:
    """What a speaker says of a pair: its own fields of :class:`Correction` and :class:`MeasuredPhotographs`.

    ``plans`` has the clauses of each step, of its own side where another step says the other one.
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
    """Anything that says how to get from one pose to another; serves any number of visitors at once."""

    @property
    def name(self) -> ModelName:
        """Who speaks."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages that are spoken."""
        ...

    @property
    def needs_joints(self) -> bool:
        """Whether there is nothing to say of photographs in which nobody's joints can be measured."""
        ...

    def load(self) -> None:
        """Read now what is else read at the first word; raise :class:`BadInputError` where it cannot be used."""
        ...

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> ModelOutput:
        """The correction in one of ``languages``; the same seed always gives the same text."""
        ...


class Corrector:
    """Two photographs -> correction, said by one of several speakers. One instance serves any number of visitors."""

    def __init__(self, estimator: PoseEstimator, models: Sequence[CorrectionModel]) -> None:
        """``estimator`` finds the joints; the first of the ``models`` speaks where nobody chose another.

        Nothing is kept from one call to the next. ValueError without a speaker.
        """
        if not models:
            message = "a correction needs somebody to say it"
            raise ValueError(message)
        self.estimator = estimator
        self._models = {correction_model.name.id: correction_model for correction_model in reversed(models)}
        self.models = tuple(dict.fromkeys(correction_model.name.id for correction_model in models))

    @classmethod
    def from_pretrained(  # noqa: PLR0913  where the models are, and how they run
        cls,
        model: str | Path | None = None,
        *,
        revision: str | None = None,
        pose_model: str | Path | PoseEstimator | None = None,
        device: str | None = None,
        cache_dir: str | Path | None = None,
        say: Callable[[str], object] = lambda _: None,
    ) -> Self:
        """Load a corrector: with the ``model`` "geometry" (default), "captioner", a folder, or "org/name" of the Hub.

        ``pose_model`` is "lite", "full" (default), "heavy", a ``.task`` file, or an estimator. Downloads are kept in
        ``cache_dir``, by default in the Hub's cache and the user's data folder. ``say`` hears which commit of the Hub
        is used, and if another estimator has to find the joints. Raise :class:`ModelUnavailableError`.
        """
        from fmp_models.estimators.select import open_estimator  # noqa: PLC0415  they need what a given one does not
        from fmp_models.inference.backends import DEFAULT, load_correction_model  # noqa: PLC0415

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

    def correct(  # noqa: PLR0913  what is given, and how it is to be answered
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
        """Say how to get from the pose in ``current`` to the one in ``target`` (the bytes of two picture files).

        ``model`` is one of ``models``; ``person_points`` says where the person is in each photograph, else it is
        the largest. Nothing is said of the parts to ``leave_out``, see :mod:`fmp_models.geometry.left_out`.
        ``orientations`` say how each photograph was turned or mirrored, which is undone before anything is measured or
        shown; places are those of the upright photographs. ``with_progress`` asks how far the text leads, which takes
        a tenth of a second or more. Raises :class:`BadInputError` for an unknown part, a file
        that is no usable photograph, a photograph without a person, an unknown model, a language that is unknown or
        that the model does not speak. A model that needs no joints answers from the pictures alone where somebody is
        seen in at least one photograph.
        """
        grammar(language)  # what cannot be answered is refused before any work is done
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
        """Say a correction in another language of its model; nothing is measured again, so it takes milliseconds."""
        correction_model = self._model(correction.model.id, language)
        return self._answer(correction_model, measurements, language, None, Stopwatch(), with_progress=False)

    def _answer(  # noqa: PLR0913, PLR0917  what was measured, and how it is to be said
        self,
        correction_model: CorrectionModel,
        measurements: MeasuredPhotographs,
        language: str,
        seed: int | None,
        clock: Stopwatch,
        with_progress: bool,  # noqa: FBT001
    ) -> tuple[Correction, MeasuredPhotographs]:
        """Return what the model says of measured photographs."""
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
        """Who is asked to speak; refuses who does not speak the language."""
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
        """Who is seen in each photograph.

        A refusal of either is that of the pair, unless pictures ``alone`` will do and one of the two shows a person,
        hidden or not: where nobody is found in both, the photographs are most likely of something else.
        """
        estimates: list[PoseEstimate | None] = []
        refusals: list[BadInputError] = []
        with ThreadPoolExecutor(len(_WHICH), "photograph") as threads:  # what one thread does of each lies side by side
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
    """What the steps lead to; of a text that has none, what can be read of it."""
    if not output.steps:
        return demonstrate(output.text, language, pair.current, pair.target)
    steps = [(step.words, plan) for step, plan in zip(output.steps, output.plans, strict=True)]
    return demonstrate_steps(output.text, language, steps, pair.current, pair.target)


def _without(estimate: PoseEstimate | None, joints: frozenset[str]) -> PoseEstimate | None:
    """The person with joints left out."""
    return None if estimate is None else replace(estimate, pose=estimate.pose.without(joints))


def _people(estimate: PoseEstimate | None) -> int:
    return 0 if estimate is None else estimate.people


def _checked(current: bytes, target: bytes) -> tuple[Photograph, Photograph]:
    """Both photographs, the current one first; one that was given twice is decoded once."""
    budget, known = DecodingBudget(), dict[bytes, Photograph]()
    for data, which in zip((current, target), _WHICH, strict=True):
        if data not in known:
            try:
                known[data] = read_photograph(data, budget)
            except BadInputError as error:
                raise error.about(which) from error
    return known[current], known[target]

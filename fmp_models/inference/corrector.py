"""The corrector: two photographs -> one correction, for the page, the command line and the API.

The text comes from a :class:`CorrectionModel`: the geometry of the joints, or a trained captioner by name, folder
or Hub id (:mod:`fmp_models.inference.neural_captioner`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from fmp_models.common import DecodingBudget
from fmp_models.describe import describe, speak
from fmp_models.errors import BadInputError
from fmp_models.estimators import (
    NOBODY,
    PersonPoint,
    PoseEstimate,
    PoseEstimator,
    estimate_person,
    facing_alike,
    levelled_alike,
)
from fmp_models.geometry import joints_left_out
from fmp_models.inference.clause_check import spoken
from fmp_models.inference.correction import (
    CAPTIONER,
    DEFAULT_MODEL,
    GEOMETRY,
    Correction,
    CorrectionModel,
    MeasuredPhotographs,
    ModelName,
    Stopwatch,
    Word,
)
from fmp_models.inference.demonstration import Demonstration, demonstrate, demonstrate_steps
from fmp_models.inference.recent_cache import RecentEstimates
from fmp_models.languages import LANGUAGES, grammar
from fmp_models.metrics import text_progress
from fmp_models.pose import PosePair
from fmp_models.preprocessing import (
    AS_TAKEN,
    Orientation,
    Photograph,
    Picture,
    picture_bytes,
    read_photograph,
    upright,
)

if TYPE_CHECKING:
    from fmp_models.hub import ModelFolder
    from fmp_models.inference.neural_captioner import CaptionGenerator


Which = Literal["current", "target"]
_WHICH: tuple[Which, Which] = ("current", "target")
Orientations = tuple[Orientation, Orientation]
Generating = Callable[..., Correction]  # given a model, photographs, a language, a seed, and a device if no GPU is lent
PersonPoints = tuple[PersonPoint | None, PersonPoint | None]  # the person to measure in each photograph


class Corrector:
    """Two photographs -> correction by one of several models. One instance serves concurrent requests."""

    def __init__(
        self,
        estimator: PoseEstimator,
        models: Sequence[CorrectionModel],
        on_gpu: Callable[[Generating], Generating] = lambda work: work,
        *,
        keeps_joints: bool = False,
    ) -> None:
        """Create a corrector; ``estimator`` finds the joints, the first of the ``models`` is the default model.

        Nothing is kept between calls, unless it ``keeps_joints``: the joints, but not the photographs, are then kept in
        memory for ten minutes, so that the same photographs are not measured again. ``on_gpu`` wraps the function that
        runs a captioner, and can run it elsewhere; if a GPU is refused, it calls the function with ``device="cpu"``.
        Raise ValueError without a model.
        """
        if not models:
            raise ValueError("at least one model is required")
        self.estimator = estimator
        self._measuring: PoseEstimator = RecentEstimates(estimator) if keeps_joints else estimator
        self._models = {correction_model.name.id: correction_model for correction_model in reversed(models)}
        self.models = tuple(dict.fromkeys(correction_model.name.id for correction_model in models))
        self._generated = on_gpu(self._generate)

    @classmethod
    def from_pretrained(
        cls,
        model: str | Path | None = None,
        *,
        revision: str | None = None,
        pose_model: str | Path | PoseEstimator | None = None,
        device: str | None = None,
        cache_dir: str | Path | None = None,
    ) -> Self:
        """Load a corrector with the ``model`` "geometry" (default), "captioner", a folder, or "org/name" of the Hub.

        ``pose_model`` is "lite", "full" (default), "heavy", a ``.task`` file, or an estimator. Downloads are kept in
        ``cache_dir``, by default in the Hub's cache and the user's data folder. The commit
        of a Hub model and a fallback to another estimator are logged. Raise :class:`ModelUnavailableError`.
        """
        from fmp_models.estimators import open_estimator  # noqa: PLC0415  only the default models need these imports
        from fmp_models.inference.corrector import load_correction_model  # noqa: PLC0415

        cache = None if cache_dir is None else Path(cache_dir)
        correction_model = load_correction_model(
            str(model or DEFAULT_MODEL), revision=revision, device=device, cache=cache
        )
        correction_model.load()
        return cls(open_estimator(pose_model, cache), [correction_model])

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
        clock = Stopwatch()
        measurements = self.measure(
            current,
            target,
            person_points=person_points,
            leave_out=leave_out,
            orientations=orientations,
            needs_joints=correction_model.needs_joints,
            clock=clock,
        )
        return self._answer(correction_model, measurements, language, seed, clock, with_progress)

    def measure(  # noqa: PLR0913  inputs and options
        self,
        current: bytes,
        target: bytes,
        *,
        person_points: PersonPoints = (None, None),
        leave_out: Iterable[object] = (),
        orientations: Orientations = (AS_TAKEN, AS_TAKEN),
        needs_joints: bool = True,
        clock: Stopwatch | None = None,
    ) -> MeasuredPhotographs:
        """Return the photographs and the joints of both people, without a correction; see :meth:`correct`.

        Without ``needs_joints``, one visible person suffices. The ``clock`` counts the time. Raise
        :class:`BadInputError` for an unknown part, an unusable photograph file, and a photograph without a person.
        """
        left_out = joints_left_out(leave_out)
        clock = clock or Stopwatch()
        first, second = read_pair(current, target)
        photographs = upright(first, orientations[0]), upright(second, orientations[1])
        clock.lap("photographs")
        estimates = self._estimates(photographs, person_points, alone=not needs_joints)
        if left_out:
            estimates = _without(estimates[0], left_out), _without(estimates[1], left_out)
        clock.lap("estimator")
        return MeasuredPhotographs(photographs, estimates)

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
        generate = self._generate if correction_model.name == GEOMETRY else self._generated
        correction = generate(correction_model.name.id, measurements, language, seed)
        clock.add(correction.milliseconds)
        demonstration, goal_progress = None, None
        if (pair := measurements.pair) is not None:
            demonstration = _demonstrated(correction, pair)
            if with_progress:
                goal_progress = text_progress(correction.text, language, pair)
            clock.lap("demonstration")
        current, target = measurements.estimates
        correction = replace(
            correction,
            estimator=self.estimator.name,
            people=(_people(current), _people(target)),
            milliseconds=clock.laps(),
            goal_progress=None if goal_progress is None else round(goal_progress, 3),
            poses=pair,
        )
        return correction, replace(measurements, demonstration=demonstration, languages=correction_model.languages)

    def _generate(
        self, model: str, measurements: MeasuredPhotographs, language: str, seed: int | None, device: str | None = None
    ) -> Correction:
        correction_model = self._models[model]
        if device is not None and isinstance(correction_model, CaptionerModel):
            correction_model = correction_model.on_device(device)
        correction = correction_model.generate(measurements, language, seed)
        return replace(correction, gpu_refused=device is not None)

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
                threads.submit(estimate_person, self._measuring, photograph, place)
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


def _demonstrated(correction: Correction, pair: PosePair) -> Demonstration:
    """Return the demonstration of the steps, or of the clauses that can be read in a text without steps."""
    if not correction.steps:
        return demonstrate(correction.text, correction.language, pair.current, pair.target)
    steps = [(step.words, plan) for step, plan in zip(correction.steps, correction.plans, strict=True)]
    return demonstrate_steps(correction.text, correction.language, steps, pair.current, pair.target)


def _without(estimate: PoseEstimate | None, joints: frozenset[str]) -> PoseEstimate | None:
    """Return the estimate without the joints."""
    return None if estimate is None else replace(estimate, pose=estimate.pose.without(joints))


def _people(estimate: PoseEstimate | None) -> int:
    return 0 if estimate is None else estimate.people


def read_pair(current: bytes, target: bytes) -> tuple[Photograph, Photograph]:
    """Return both photographs, current first; a file given twice is decoded once."""
    budget, known = DecodingBudget(), dict[bytes, Photograph]()
    for data, which in zip((current, target), _WHICH, strict=True):
        if data not in known:
            try:
                known[data] = read_photograph(data, budget)
            except BadInputError as error:
                raise error.about(which) from error
    return known[current], known[target]


class GeometryModel:
    """A correction model that describes the joints in sentences of a grammar, without a learned model."""

    name = GEOMETRY
    languages = LANGUAGES
    needs_joints = True

    def load(self) -> None:
        """Do nothing; there is nothing to load."""

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> Correction:
        """Return the correction; raise ValueError without joints."""
        if measurements.pair is None:
            raise ValueError("there are no joints to describe")
        return correct_pair(measurements.pair, language, seed)


def correct_pair(pair: PosePair, language: str, seed: int | None = None) -> Correction:
    """Return the geometry's correction for two poses; a word has the confidence of its step.

    Unmeasured general advice has confidence 1.
    """
    clock = Stopwatch()
    described = describe(pair, language, seed)
    plan = tuple(step.clause for step in described.steps)
    correction = Correction(described.text, language, (), described.steps, GEOMETRY)
    correction = spoken(correction, speak(plan, pair, language, seed), plan)
    words = tuple(
        Word(word, next((s.confidence or 1.0 for s in correction.steps if number < s.words[1]), 1.0))
        for number, word in enumerate(correction.text.split() if correction.clauses else ())
    )
    clock.lap("describe")
    return replace(correction, words=words, milliseconds=clock.times)


class CaptionerModel:
    """A trained captioner, loaded once at first use."""

    def __init__(self, folder: ModelFolder, *, repairs: bool = True, device: str | None = None) -> None:
        """Create a model from a resolved folder; ``repairs`` and ``device`` as in ``CaptionGenerator``."""
        self.name = ModelName.of(folder, repairs=repairs)
        self._repairs, self._device = repairs, device
        self._folder = folder
        self._captioning: CaptionGenerator | None = None
        self._copies: dict[str, CaptionerModel] = {}
        self._lock = threading.Lock()  # requests during loading wait for it

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its vocabularies."""
        return self._ready().languages

    @property
    def needs_joints(self) -> bool:
        """Whether the captioner cannot describe pictures without joints."""
        return self._ready().needs_joints

    def on_device(self, device: str) -> CaptionerModel:
        """Return this model on another device, where it is loaded at first use."""
        return self._copies.setdefault(device, CaptionerModel(self._folder, repairs=self._repairs, device=device))

    def load(self) -> None:
        """Load the captioner; raise the errors of ``hub.models.load_captioner``."""
        self._read()

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> Correction:
        """Return the captioner's likeliest text, checked by the joints."""
        return self._ready().generate(measurements, language, seed)

    def _ready(self) -> CaptionGenerator:
        """Return the loaded captioner; raise RuntimeError if it is unusable, which is not the caller's fault."""
        try:
            return self._read()
        except BadInputError as error:
            raise RuntimeError(error.sentence) from error

    def _read(self) -> CaptionGenerator:
        if self._captioning is None:
            with self._lock:
                if self._captioning is None:
                    # Imported here because they load torch, which the geometry and the start of the page do not need.
                    from fmp_models.hub import load_captioner  # noqa: PLC0415
                    from fmp_models.inference.neural_captioner import CaptionGenerator  # noqa: PLC0415

                    loaded = load_captioner(self._folder)
                    self._captioning = CaptionGenerator(loaded, repairs=self._repairs, device=self._device)
        return self._captioning


def load_correction_model(
    model: str = DEFAULT_MODEL,
    *,
    repairs: bool = True,
    revision: str | None = None,
    device: str | None = None,
    cache: Path | None = None,
) -> CorrectionModel:
    """Return the correction model named ``model``; a captioner's files are available then, and loaded at first use.

    A captioner ``repairs`` its drafts or returns them as they are. ``revision`` and ``cache`` are those of
    ``hub.references.resolve_model``, ``device`` that of ``CaptionGenerator``. Raise the errors of ``resolve_model``.
    """
    if model == GEOMETRY.id and revision is None:
        return GeometryModel()
    from fmp_models.hub import bundled_names, resolve_model  # noqa: PLC0415  the Hub's client is slow to import

    try:
        return CaptionerModel(resolve_model(model, revision, cache=cache), repairs=repairs, device=device)
    except BadInputError as error:
        if error.code != "model_name_unknown":
            raise
        known = [GEOMETRY.id, *(name for name in bundled_names() if name.startswith(CAPTIONER))]
        raise BadInputError(error.code, model=model, known=", ".join(known)) from None


def available_models(chosen: CorrectionModel) -> list[CorrectionModel]:
    """Return the models that a visitor can choose: ``chosen``, then the geometry and the bundled captioners."""
    from fmp_models.hub import bundled_names  # noqa: PLC0415  as above

    models = [GEOMETRY.id, *(name for name in bundled_names() if name.startswith(CAPTIONER))]
    return [chosen, *(load_correction_model(model) for model in models if model != chosen.name.id)]

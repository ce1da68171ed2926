"""Correction models: the geometry of the joints, or a trained captioner by name, folder or Hub id."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fmp_models.common.stopwatch import Stopwatch
from fmp_models.describe.descriptions import describe
from fmp_models.describe.trainer_steps import speak
from fmp_models.errors import BadInputError
from fmp_models.inference.clause_check import described_clauses, spoken_steps
from fmp_models.inference.corrector import CorrectionModel, MeasuredPhotographs, ModelOutput, Word
from fmp_models.inference.model_names import CAPTIONER, DEFAULT, GEOMETRY, UNREPAIRED, ModelName
from fmp_models.languages.language_data import LANGUAGES

if TYPE_CHECKING:
    from fmp_models.hub.references import ModelFolder
    from fmp_models.inference.neural_captioner import CaptionGenerator


class GeometryModel:
    """A correction model that describes the joints in sentences of a grammar, without a learned model."""

    name = GEOMETRY
    languages = LANGUAGES
    needs_joints = True

    def load(self) -> None:
        """Do nothing; there is nothing to load."""

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> ModelOutput:
        """Return the correction; a word has the confidence of its step, and unmeasured general advice has confidence 1.

        Raise ValueError without joints.
        """
        clock = Stopwatch()
        if measurements.pair is None:
            raise ValueError("there are no joints to describe")
        described = describe(measurements.pair, language, seed)
        plan = tuple(step.clause for step in described.steps)
        speech = speak(plan, measurements.pair, language, seed)
        clauses = described_clauses(described.steps, described.text, GEOMETRY.id)
        steps, clauses = spoken_steps(speech, plan, clauses)
        words = tuple(
            Word(word, next((s.confidence or 1.0 for s in steps if number < s.words[1]), 1.0))
            for number, word in enumerate(speech.text.split() if clauses else ())
        )
        clock.lap("describe")
        return ModelOutput(speech.text, words, clauses, clock.times, steps, tuple(step.moves for step in speech.steps))


class CaptionerModel:
    """A trained captioner, loaded once at first use."""

    def __init__(self, folder: ModelFolder, *, repairs: bool = True, device: str | None = None) -> None:
        """Create a model from a resolved folder; ``repairs`` and ``device`` as in ``CaptionGenerator``."""
        self.name = ModelName(folder.shown_id if repairs else folder.shown_id + UNREPAIRED, folder.revision)
        self._repairs, self._device = repairs, device
        self._folder = folder
        self._captioning: CaptionGenerator | None = None
        self._lock = threading.Lock()  # requests during loading wait for it

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its vocabularies."""
        return self._ready().languages

    @property
    def needs_joints(self) -> bool:
        """Whether the captioner cannot describe pictures without joints."""
        return self._ready().needs_joints

    def load(self) -> None:
        """Load the captioner; raise the errors of ``hub.models.load_captioner``."""
        self._read()

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> ModelOutput:
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
                    from fmp_models.hub.models import load_captioner  # noqa: PLC0415
                    from fmp_models.inference.neural_captioner import CaptionGenerator  # noqa: PLC0415

                    loaded = load_captioner(self._folder)
                    self._captioning = CaptionGenerator(loaded, repairs=self._repairs, device=self._device)
        return self._captioning


def load_correction_model(  # noqa: PLR0913  source of a captioner and runtime options
    model: str = DEFAULT,
    say: Callable[[str], object] = lambda _: None,
    *,
    repairs: bool = True,
    revision: str | None = None,
    device: str | None = None,
    cache: Path | None = None,
) -> CorrectionModel:
    """Return the correction model named ``model``; a captioner's files are available then, and loaded at first use.

    ``say`` reports the commit of a Hub model if none was given. A captioner ``repairs`` its drafts or returns them
    as they are. ``revision`` and ``cache`` are those of ``hub.references.resolve_model``, ``device`` that of
    ``CaptionGenerator``. Raise the errors of ``resolve_model``.
    """
    if model == GEOMETRY.id and revision is None:
        return GeometryModel()
    from fmp_models.hub.references import bundled_names, resolve_model  # noqa: PLC0415  the Hub's client is slow to import

    try:
        return CaptionerModel(resolve_model(model, revision, say=say, cache=cache), repairs=repairs, device=device)
    except BadInputError as error:
        if error.code != "model_name_unknown":
            raise
        known = [GEOMETRY.id, *(name for name in bundled_names() if name.startswith(CAPTIONER))]
        raise BadInputError(error.code, model=model, known=", ".join(known)) from None


def available_models(chosen: CorrectionModel) -> list[CorrectionModel]:
    """Return the models that a visitor can choose: ``chosen``, then the geometry and the bundled captioner, if any."""
    from fmp_models.hub.references import bundled_names  # noqa: PLC0415  as above

    models = [GEOMETRY.id, *(name for name in bundled_names() if name == CAPTIONER)]
    return [chosen, *(load_correction_model(model) for model in models if model != chosen.name.id)]

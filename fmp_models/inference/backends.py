"""Speakers of a correction: the geometry of the joints, or a trained captioner by its name, folder or Hub id."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fmp_models.common.stopwatch import Stopwatch
from fmp_models.describe.description import describe
from fmp_models.describe.speech import speak
from fmp_models.errors import BadInputError
from fmp_models.inference.clause_check import described_clauses, spoken_steps
from fmp_models.inference.corrector import CorrectionModel, MeasuredPhotographs, ModelName, ModelOutput, Word
from fmp_models.languages.grammar import LANGUAGES

if TYPE_CHECKING:
    from fmp_models.hub.references import ModelFolder
    from fmp_models.inference.neural_captioner import CaptionGenerator

GEOMETRY = ModelName("geometry", "1")
CAPTIONER = "captioner"  # the bundled one that takes photographs, in every language
# Who speaks where nobody chose: who has most clauses right before real photographs, then says most of what is salient,
# by what is kept beside the captioner; tests/fmp_models/test_default_model.py holds it to that.
DEFAULT = GEOMETRY.id
UNREPAIRED = ", unrepaired"  # after the name of a captioner that says its drafts as they are


class GeometryModel:
    """Says what the joints show, in sentences of a grammar; no learned model."""

    name = GEOMETRY
    languages = LANGUAGES
    needs_joints = True

    def load(self) -> None:
        """Nothing is read."""

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> ModelOutput:
        """Words are as sure as the step that says them; general advice, which nobody measured, is wholly sure.

        ValueError without joints.
        """
        clock = Stopwatch()
        if measurements.pair is None:
            message = "there are no joints to describe"
            raise ValueError(message)
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
    """A trained captioner, read once when it is first needed."""

    def __init__(self, folder: ModelFolder, *, repairs: bool = True, device: str | None = None) -> None:
        """``folder``: what ``hub.references.resolve`` found; ``repairs`` and ``device`` as of ``CaptionGenerator``."""
        self.name = ModelName(folder.shown_id if repairs else folder.shown_id + UNREPAIRED, folder.revision)
        self._repairs, self._device = repairs, device
        self._folder = folder
        self._captioning: CaptionGenerator | None = None
        self._lock = threading.Lock()  # visitors who come while it is being read wait for it

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of its vocabularies."""
        return self._ready().languages

    @property
    def needs_joints(self) -> bool:
        """Whether it cannot speak of pictures alone."""
        return self._ready().needs_joints

    def load(self) -> None:
        """Raise what ``hub.models.load_captioner`` does."""
        self._read()

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> ModelOutput:
        """What the captioner holds likeliest, judged by the joints."""
        return self._ready().generate(measurements, language, seed)

    def _ready(self) -> CaptionGenerator:
        """RuntimeError where the model cannot be used: who asks for words has not named it and cannot mend it."""
        try:
            return self._read()
        except BadInputError as error:
            raise RuntimeError(error.sentence) from error

    def _read(self) -> CaptionGenerator:
        if self._captioning is None:
            with self._lock:
                if self._captioning is None:
                    # They load torch, for which the geometry and the start of the page need not wait.
                    from fmp_models.hub.models import load_captioner  # noqa: PLC0415
                    from fmp_models.inference.neural_captioner import CaptionGenerator  # noqa: PLC0415

                    loaded = load_captioner(self._folder)
                    self._captioning = CaptionGenerator(loaded, repairs=self._repairs, device=self._device)
        return self._captioning


def load_correction_model(  # noqa: PLR0913  where a captioner is, and how it runs
    model: str = DEFAULT,
    say: Callable[[str], object] = lambda _: None,
    *,
    repairs: bool = True,
    revision: str | None = None,
    device: str | None = None,
    cache: Path | None = None,
) -> CorrectionModel:
    """Who speaks as ``model``; a captioner's files are at hand then, and read when it first speaks.

    ``say`` hears which commit of a Hub model is taken where none was named; a captioner ``repairs`` its drafts or says
    them as they are. ``revision`` and ``cache`` as of ``hub.references.resolve``, ``device`` as of ``CaptionGenerator``.
    Raises what ``resolve`` does.
    """
    if model == GEOMETRY.id and revision is None:
        return GeometryModel()
    from fmp_models.hub.references import bundled_names, resolve  # noqa: PLC0415  the Hub's client is slow to import

    try:
        return CaptionerModel(resolve(model, revision, say=say, cache=cache), repairs=repairs, device=device)
    except BadInputError as error:
        if error.code != "model_name_unknown":
            raise
        known = [GEOMETRY.id, *(name for name in bundled_names() if name.startswith(CAPTIONER))]
        raise BadInputError(error.code, model=model, known=", ".join(known)) from None


def available_models(chosen: CorrectionModel) -> list[CorrectionModel]:
    """Whom a visitor can ask: the one ``chosen`` first, the geometry, and the bundled captioner where there is one."""
    from fmp_models.hub.references import bundled_names  # noqa: PLC0415  as above

    models = [GEOMETRY.id, *(name for name in bundled_names() if name == CAPTIONER)]
    return [chosen, *(load_correction_model(model) for model in models if model != chosen.name.id)]

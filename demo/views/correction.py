"""The view of a correction: steps, figures, who spoke; and the two other outcomes, nothing yet and a refusal."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.i18n import Text, error_text, interface_texts, joined, text
from demo.views.attention_maps import WordLook, place, word_looks
from demo.views.demonstration import played
from demo.views.figures import FAR_CM, RAMP, STILL_CM, difference, plain_pictures, skeletons
from demo.views.provenance import sources
from demo.views.steps import Step, steps
from demo.views.templating import render
from demo.views.unsure_joints import unsure_joints
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.geometry.clauses import Direction
from fmp_models.inference.backends import GEOMETRY
from fmp_models.inference.corrector import Correction, Corrector, MeasuredPhotographs
from fmp_models.inference.measured_pair import PartMovement, movements
from fmp_models.inference.read_description import LONGEST
from fmp_models.pose import INDEX

Seal = Callable[[Mapping[str, Any]], str | None]  # of what may be kept of an answer that a person judges

_NAMED_MOVES = 3
_MILLIMETRES = 3  # digits of metres
_STRENGTH = 75  # percent of red at first


@dataclass(frozen=True)
class Bar:
    """The bar of how far a part moves; ``guessed`` where a photograph does not surely show its joint."""

    movement: PartMovement
    guessed: bool


@dataclass(frozen=True)
class Telling:
    """A correction as it is said in one language; ``played`` is the JSON of the moving figure's words.

    ``sealed`` is what people judge its steps by, None where nothing of that is kept.
    """

    code: str
    language_name: str
    speech: str
    text: str
    steps: tuple[Step, ...]
    played: str | None  # where nobody's joints are known
    sealed: str | None

    @property
    def unsure_words(self) -> bool:
        """Return whether the model was unsure of a word."""
        return any(word.level == "low" for step in self.steps for word in step.words)


def empty_html() -> str:
    """The markup in the answer's place before there is one."""
    return _outcome("empty")


def refusal_html(error: BadInputError) -> str:
    """The markup of a refusal: one sentence that says what to do and about which photograph, announced at once."""
    return _outcome("refusal", sentence=error_text(error), **about(error), view="answer")


def fault_html() -> str:
    """The words for a fault of ours; the log has the rest."""
    return _outcome("refusal", sentence=text("faults.ours"), about="", view="answer")


def no_seal(_: Mapping[str, Any]) -> None:
    """Return None: nothing is kept of any answer."""


def correction_html(
    correction: Correction,
    measurements: MeasuredPhotographs,
    *,
    same_picture: bool,
    seal: Seal = no_seal,
    translated: Sequence[tuple[Correction, MeasuredPhotographs]] = (),
) -> str:
    """The markup of a correction; ``same_picture`` when one file was given twice.

    ``translated`` is the same correction in other languages: the page changes to it when its own language changes.
    People may judge its steps where there is a ``seal``; see :class:`annotate.tabs.step_feedback.StepFeedbacks`.
    """
    started = time.perf_counter()
    bars: list[Bar] = []
    if measurements.pair is None:
        pictures, red = plain_pictures(measurements), None
    else:
        unsure = unsure_joints(measurements.pair, correction.clauses)
        pictures, red = skeletons(measurements, unsure), difference(measurements)
        bars = [
            Bar(movement, guessed=bool(any(mask[INDEX[movement.joint]] for mask in unsure)))
            for movement in movements(measurements.pair)
        ]
    looks = word_looks(measurements)
    places = (
        [place(*pair) for pair in zip(measurements.squares, pictures, strict=True)]
        if looks and measurements.squares
        else ["", ""]
    )
    took = (time.perf_counter() - started) * 1000
    tellings = [_telling(correction, measurements, looks, seal), *(_telling(*other, (), seal) for other in translated)]
    return _outcome(
        "correction",
        tellings=tellings,
        speaks=" ".join(measurements.languages),
        same_picture=same_picture,
        notices=[
            *_upside_down(measurements),
            *_notices(correction, same_picture=same_picture, measured=measurements.pair is not None),
        ],
        measured=measurements.pair is not None,
        played=None if same_picture else _figure(measurements),
        longest_words=LONGEST,
        looks=looks,
        bars=bars,
        moves=_moves(bars),
        longest=max((bar.movement.centimetres for bar in bars[:1]), default=0) or FAR_CM,
        people=json.dumps(
            dict(
                zip(("current", "target"), (people_in(*pictured) for pictured in _pictured(measurements)), strict=True)
            )
        ),
        skeletons=list(zip(("current", "target"), pictures, places, strict=True)),
        difference=red,
        strength=_STRENGTH,
        ramp=",".join(f"rgb{colour}" for colour in RAMP),
        far_cm=FAR_CM,
        sources=sources(
            ("source.model", text("source.model_geometry" if correction.model == GEOMETRY else "source.model_trained")),
            correction.model,
            correction.estimator,
            correction.milliseconds,
            took,
        ),
    )


def _judged(correction: Correction, measurements: MeasuredPhotographs, answer_steps: Sequence[Step]) -> dict[str, Any]:
    """Return what may be kept of an answer whose steps are judged: of the photographs their joints alone."""
    pair = measurements.pair
    return {
        "model": correction.model.id,
        "language": correction.language,
        "joints_m": None
        if pair is None
        else {
            which: [[round(float(metres), _MILLIMETRES) + 0.0 for metres in joint] for joint in pose.joints]
            for which, pose in (("current", pair.current), ("target", pair.target))
        },
        "steps": {
            "{} {}".format(*step.place): {
                "text": step.text,
                "confidence": round(min(clause.confidence for clause in step.clauses), 4),
                "verdict": step.verdict,
                "clauses": [
                    {"part": one.part, "direction": one.direction, "text": one.text, "agrees": one.agrees, "by": one.by}
                    for one in step.clauses
                ],
            }
            for step in answer_steps
            if step.clauses
        },
    }


def in_other_languages(
    corrector: Corrector, correction: Correction, measurements: MeasuredPhotographs
) -> list[tuple[Correction, MeasuredPhotographs]]:
    """Return a correction of the geometry in its other languages; a captioner would take as long as for the first."""
    if correction.model != GEOMETRY:
        return []
    others = [language for language in measurements.languages if language != correction.language]
    return [corrector.in_language(correction, measurements, language) for language in others]


def about(error: BadInputError) -> dict[str, str]:
    """The photograph that a refusal is about, and of several the number of its ``place``, so that it is said there."""
    details = error.details
    return {"about": str(details.get("which", "")), "place": str(details.get("number", ""))}


def _pictured(measurements: MeasuredPhotographs) -> Iterator[tuple[PoseEstimate | None, tuple[int, int]]]:
    for estimate, photograph in zip(measurements.estimates, measurements.photographs, strict=True):
        yield estimate, photograph.image.size


def people_in(estimate: PoseEstimate | None, size: tuple[int, int]) -> list[tuple[float, ...]]:
    """Boxes of everybody where there are several, from the left, in shares of the picture; then 1 for who was used."""
    if estimate is None or not estimate.others:
        return []
    boxes = [(*estimate.box, 1), *((*box, 0) for box in estimate.others)]
    scale = (*size, *size, 1)
    return sorted(tuple(round(value / of, 4) for value, of in zip(box, scale, strict=True)) for box in boxes)


def _telling(
    correction: Correction, measurements: MeasuredPhotographs, looks: Sequence[WordLook], seal: Seal
) -> Telling:
    names = interface_texts()[correction.language]
    spoken = None
    if measurements.demonstration is not None:
        figure = played(measurements.demonstration)
        spoken = json.dumps({name: figure[name] for name in ("steps", "unmoved", "language")}, ensure_ascii=False)
    answer_steps = steps(correction, looks)
    return Telling(
        correction.language,
        names["language.name"],
        names["language.speech"],
        correction.text,
        answer_steps,
        spoken,
        seal(_judged(correction, measurements, answer_steps)),
    )


def _figure(measurements: MeasuredPhotographs) -> str | None:
    """The demonstration that the moving figure plays, as JSON; None where nobody's joints are known."""
    if measurements.demonstration is None or measurements.pair is None:
        return None
    visibility = [round(float(number), 2) for number in measurements.pair.visibility]
    return json.dumps({**played(measurements.demonstration), "visibility": visibility})


def _outcome(outcome: str, **values: object) -> str:
    return render(f"answer_{outcome}.html", outcome=outcome, number=secrets.token_hex(4), **values)


def _notices(correction: Correction, *, same_picture: bool, measured: bool) -> list[Text]:
    trained = correction.model != GEOMETRY
    notices = [
        text(f"answer.people_{which}", count=count)
        for which, count in zip(("current", "target"), correction.people, strict=True)
        if count > 1
    ]
    if same_picture:
        notices.append(text("answer.same_file"))
    elif not correction.clauses and not trained:
        notices.append(text("answer.no_change"))
    if trained:
        notices.append(text(_caution(correction, measured=measured)))
        if correction.dropped:
            key = "answer.dropped_one" if correction.dropped == 1 else "answer.dropped"
            notices.append(text(key, count=correction.dropped))
        if measured and correction.text and all(clause.direction == Direction.UNSEEN for clause in correction.clauses):
            notices.append(text("answer.nothing_to_check"))
    return notices


def _upside_down(measurements: MeasuredPhotographs) -> list[Text]:
    """Return what to do about each photograph that seems to be upside down."""
    return [
        text(f"answer.upside_down_{which}", turn=text("form.turn"))
        for which, estimate in zip(("current", "target"), measurements.estimates, strict=True)
        if estimate is not None and estimate.turned_by
    ]


def _caution(correction: Correction, *, measured: bool) -> str:
    """The key of the caution about a trained model's text."""
    if not correction.text:
        return "answer.nothing_said"
    return "answer.trained_caution" if measured else "answer.pictures_alone"


def _moves(bars: list[Bar]) -> Text:
    """The parts that surely move furthest, for those who cannot see the figure."""
    if not bars:
        return text("figures.no_joints")
    sure = [bar.movement for bar in bars if not bar.guessed]
    far = [movement for movement in sure[:_NAMED_MOVES] if movement.centimetres > STILL_CM]
    if not far:
        return text("figures.no_moves" if len(sure) == len(bars) else "figures.no_moves_seen", limit=STILL_CM)
    parts = [
        text("figures.part_distance", part=text(f"parts.{movement.part}"), distance=round(movement.centimetres))
        for movement in far
    ]
    return text("figures.moves", parts=joined(parts))

"""View of a correction with its steps, figures and sources, and the views without one: empty answer and refusal.

The sources are the lines at the end of an answer with its model, estimator and duration; the model choices describe the
correction models that a visitor can select.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.i18n import DEFAULT_LANGUAGE, Text, error_text, interface_texts, joined, languages, render, text
from demo.views.figures import (
    FAR_CM,
    RAMP,
    STILL_CM,
    WordLook,
    difference,
    place,
    plain_pictures,
    skeletons,
    uncertain_joints,
    word_looks,
)
from demo.views.steps import Step, played, steps
from fmp_models.common import MAX_DESCRIPTION_CHARS
from fmp_models.dialogue import SceneGraph, first_questions
from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimate
from fmp_models.evaluation import REAL_RESULTS_FILE, RealResults, read_results
from fmp_models.geometry import Direction
from fmp_models.hub import CHECKPOINTS, bundled_names
from fmp_models.inference import GEOMETRY, Correction, Corrector, DescribedDifference, MeasuredPhotographs, ModelName
from fmp_models.pose import INDEX, PartMovement, part_movements

Seal = Callable[[Mapping[str, Any]], str | None]  # seals the record of an answer for later judgement

_NAMED_MOVES = 3
_MILLIMETRES = 3  # decimals of a metre
_STRENGTH = 75  # percent: initial strength of the red overlay


@dataclass(frozen=True)
class Bar:
    """A bar with the distance a part moves; ``guessed`` if a photograph does not clearly show its joint."""

    movement: PartMovement
    guessed: bool


@dataclass(frozen=True)
class Telling:
    """A correction in one language; ``played`` is the JSON of the words for the animated figure.

    ``sealed`` identifies the answer when people judge its steps; None if judgements are not kept. ``questions`` can be
    asked about it first.
    """

    code: str
    language_name: str
    speech: str
    text: str
    steps: tuple[Step, ...]
    played: str | None  # None without joints
    sealed: str | None
    questions: tuple[str, ...] = ()

    @property
    def uncertain_words(self) -> bool:
        """Whether the model gave a word low confidence."""
        return any(word.level == "low" for step in self.steps for word in step.words)


def empty_answer_html() -> str:
    """Return the HTML of the answer area before there is an answer."""
    return _outcome("empty")


def answer_refusal_html(error: BadInputError, *, describable: bool = False) -> str:
    """Return the HTML of an error: one sentence, announced at once, that names the photograph and what to do.

    If the pictures are ``describable``, it also offers to describe their difference.
    """
    return _outcome("refusal", sentence=error_text(error), **about(error), view="answer", describable=describable)


def answer_fault_html() -> str:
    """Return the HTML of an internal error; the details are in the log."""
    return _outcome("refusal", sentence=text("faults.ours"), about="", view="answer")


def difference_html(told: DescribedDifference, known: Sequence[str]) -> str:
    """Return the HTML of the difference of two pictures, by a captioner that knows these languages."""
    names = interface_texts()[told.language]
    values = {"told": told, "speaks": " ".join(known), "model": f"{told.model.id} {told.model.revision[:_REVISION]}"}
    return _outcome("difference", **values, spoken={name: names[f"language.{name}"] for name in ("name", "speech")})


def no_seal(_: Mapping[str, Any]) -> None:
    """Return None: no answer is kept."""


def correction_html(
    correction: Correction,
    measurements: MeasuredPhotographs,
    *,
    same_picture: bool,
    seal: Seal = no_seal,
    translated: Sequence[tuple[Correction, MeasuredPhotographs]] = (),
) -> str:
    """Return the HTML of a correction; ``same_picture`` if one file was given twice.

    ``translated`` is the same correction in other languages, which the page shows when its language changes. With a
    ``seal``, people may judge the steps; see :class:`annotate.tabs.controller.StepFeedbacks`.
    """
    started = time.perf_counter()
    bars: list[Bar] = []
    if measurements.pair is None:
        pictures, red = plain_pictures(measurements), None
    else:
        uncertain = uncertain_joints(measurements.pair, correction.clauses)
        pictures, red = skeletons(measurements, uncertain), difference(measurements)
        bars = [
            Bar(movement, guessed=bool(any(mask[INDEX[movement.joint]] for mask in uncertain)))
            for movement in part_movements(measurements.pair)
        ]
    looks = word_looks(correction.looks, correction.squares, measurements)
    places = (
        [place(*pair) for pair in zip(correction.squares, pictures, strict=True)]
        if looks and correction.squares
        else ["", ""]
    )
    took = (time.perf_counter() - started) * 1000
    graph = None if measurements.pair is None else SceneGraph.of_pair(measurements.pair)
    tellings = [
        _telling(correction, measurements, looks, seal, graph),
        *(_telling(*other, (), seal, graph) for other in translated),
    ]
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
        longest_words=MAX_DESCRIPTION_CHARS,
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
    """Return the record of an answer whose steps can be judged; it holds the joints but not the photographs."""
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
    """Return a correction by the geometry in its other languages; empty for a captioner, which would be too slow."""
    if correction.model != GEOMETRY:
        return []
    others = [language for language in measurements.languages if language != correction.language]
    return [corrector.in_language(correction, measurements, language) for language in others]


def about(error: BadInputError) -> dict[str, str]:
    """Return the photograph that an error concerns, with its number if there are several, for the page to mark."""
    details = error.details
    return {"about": str(details.get("which", "")), "place": str(details.get("number", ""))}


def _pictured(measurements: MeasuredPhotographs) -> Iterator[tuple[PoseEstimate | None, tuple[int, int]]]:
    for estimate, photograph in zip(measurements.estimates, measurements.photographs, strict=True):
        yield estimate, photograph.image.size


def people_in(estimate: PoseEstimate | None, size: tuple[int, int]) -> list[tuple[float, ...]]:
    """Return the boxes of all people if there are several, sorted from the left.

    Each is four shares of the picture's size and then 1 for the person used, 0 for others.
    """
    if estimate is None or not estimate.others:
        return []
    boxes = [(*estimate.box, 1), *((*box, 0) for box in estimate.others)]
    scale = (*size, *size, 1)
    return sorted(tuple(round(value / of, 4) for value, of in zip(box, scale, strict=True)) for box in boxes)


def _telling(
    correction: Correction,
    measurements: MeasuredPhotographs,
    looks: Sequence[WordLook],
    seal: Seal,
    graph: SceneGraph | None,
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
        () if graph is None else first_questions(graph, correction.language),
    )


def _figure(measurements: MeasuredPhotographs) -> str | None:
    """Return the demonstration for the animated figure as JSON; None without joints."""
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
    if correction.gpu_refused:
        notices.append(text("answer.gpu_refused"))
    if trained:
        notices.append(text(_caution(correction, measured=measured)))
        if correction.dropped:
            key = "answer.dropped_one" if correction.dropped == 1 else "answer.dropped"
            notices.append(text(key, count=correction.dropped))
        if measured and correction.text and all(clause.direction == Direction.UNSEEN for clause in correction.clauses):
            notices.append(text("answer.nothing_to_check"))
    return notices


def _upside_down(measurements: MeasuredPhotographs) -> list[Text]:
    """Return a notice for each photograph that seems to be upside down."""
    return [
        text(f"answer.upside_down_{which}", turn=text("form.turn"))
        for which, estimate in zip(("current", "target"), measurements.estimates, strict=True)
        if estimate is not None and estimate.turned_by
    ]


def _caution(correction: Correction, *, measured: bool) -> str:
    """Return the key of the caution about a trained model's text."""
    if not correction.text:
        return "answer.nothing_said"
    return "answer.trained_caution" if measured else "answer.pictures_alone"


def _moves(bars: list[Bar]) -> Text:
    """Return the parts that move furthest, without guessed ones, as text for screen readers."""
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


_REVISION = 12  # characters of a revision that identify it


def sources(
    model_kind: tuple[str, Text], model: ModelName, estimator: str, milliseconds: Mapping[str, float], drawing: float
) -> list[tuple[str, Text]]:
    """Return the lines with the model, the estimator and the time of each step; ``drawing`` is the time of the figures.

    ``model_kind`` is the key of the model's output and the description of the model.
    """
    gave, described = model_kind
    steps = {step: took for step, took in milliseconds.items() if step != "total"}
    steps |= {"figures": drawing, "total": milliseconds["total"] + drawing}
    times = [
        text("source.step", name=_known(f"milliseconds.{step}", step), milliseconds=round(took))
        for step, took in steps.items()
    ]
    return [
        (gave, joined([described, _plain(f"({model.id} {model.revision[:_REVISION]})")], " ")),
        ("source.estimator", _plain(estimator)),
        ("source.time", joined(times, " · ")),
    ]


def _known(key: str, otherwise: str) -> Text:
    return text(key) if key in interface_texts()[DEFAULT_LANGUAGE] else _plain(otherwise)


def _plain(words: str) -> Text:
    return Text(dict.fromkeys(interface_texts(), words))


@dataclass(frozen=True)
class SpeakerChoice:
    """One model: its ``id``, ``name`` and description; ``reason`` says why the default model is the default."""

    id: str
    name: Text
    about: Text
    reason: Text | None


def speakers(models: Iterable[str], bundled: Path = CHECKPOINTS) -> tuple[SpeakerChoice, ...]:
    """Return the choices of ``models``, the default first; empty if there is only one model."""
    ids = tuple(models)
    return tuple(_speaker(model, ids, bundled) for model in ids) if len(ids) > 1 else ()


def _speaker(model: str, models: tuple[str, ...], bundled: Path) -> SpeakerChoice:
    kind = "geometry" if model == GEOMETRY.id else "trained"
    reason = _reason(kind, models, bundled) if model == models[0] else None
    # Bundled models of the paper have words of their own.
    described = {name for name in models if f"models.{name}_about" in interface_texts()[DEFAULT_LANGUAGE]}
    if model in described:
        return SpeakerChoice(model, text(f"models.{model}"), text(f"models.{model}_about"), reason)
    name = text("models.trained_named", name=model) if len({*models} - described) > 1 else text(f"models.{kind}")
    return SpeakerChoice(model, name, text(f"models.{kind}_about"), reason)


def _reason(kind: str, models: tuple[str, ...], bundled: Path) -> Text:
    """Return the reason for the default ``kind``, with the results of both kinds on real photographs if known."""
    trained = next((model for model in models if model != GEOMETRY.id), None)
    results = None if trained is None else _kept_results(trained, bundled)
    if trained is None or results is None:
        return text(f"models.{kind}_first")
    first_shares, other_shares = (
        _shares(results, model) for model in (models[0], trained if kind == "geometry" else GEOMETRY.id)
    )
    if not first_shares or not other_shares:
        return text(f"models.{kind}_first")
    pairs = max(result.pairs for result in results.results)
    return text(f"models.{kind}_first_measured", pairs=pairs, own=joined(first_shares), others=joined(other_shares))


def _kept_results(model: str, bundled: Path) -> RealResults | None:
    """Return the stored results of a bundled model; None if there are none."""
    if model not in bundled_names(bundled):
        return None
    try:
        return read_results(RealResults, bundled / model / REAL_RESULTS_FILE)
    except BadInputError:
        return None


def _shares(results: RealResults, model: str) -> list[Text]:
    """Return the share of correct steps among the judged ones, by language; of several pose models the first counts."""
    by_language = {
        result.language: result for result in reversed(results.results) if result.model == model and result.judged
    }
    return [
        text(
            "models.share",
            language=text(f"languages.{code}"),
            right=round(by_language[code].right * by_language[code].judged),
            judged=by_language[code].judged,
        )
        for code in languages()
        if code in by_language
    ]

"""Trainer steps: the clauses of a plan in the order, number and kind of steps that a trainer says, and their speech.

One movement is one step: bending both knees and lowering the body is a squat, raising an arm and
straightening its elbow a stretch. Steps go from the base of the body to its top; what must physically
happen first comes first, and small movements come last. At most ``MAX_STEPS`` are steps; the rest is fine
tuning. Steps are independent of language; :func:`speak` words them in one.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from fmp_models.describe.movements import Entry, Facts, Movement, movements
from fmp_models.geometry import (
    NO_MOVEMENT,
    BodyAxis,
    Clause,
    Degree,
    Direction,
    HeldShape,
    Part,
    PartAxis,
    Plan,
    Side,
    axes_of,
    change_of,
    place_among,
    trunk_tilt,
    watched_axes,
)
from fmp_models.languages import SpeechWords, as_sentence, fill_blanks, grammar, speech_words
from fmp_models.pose import PosePair

MAX_STEPS, MAX_OF_LIMB = 5, 2
_ALONG = 0.25  # weight of a movement's smaller changes


class StepKind(StrEnum):
    """Kinds of steps."""

    STEP = "step"
    FINE = "fine"
    WATCH = "watch"  # general advice for a shape, not measured
    UNSEEN = "unseen"


@dataclass(frozen=True)
class TrainerStep:
    """One step of a trainer and its clauses; general advice has no clauses."""

    kind: StepKind
    movement: Movement
    clauses: Plan = ()


def trainer_steps(plan: Plan, pair: PosePair) -> tuple[TrainerStep, ...]:
    """Return the steps for a plan: steps in the order of doing, fine tuning, advice, and what was not seen."""
    facts = Facts(pair)
    entries = movements([clause for clause in plan if clause.direction not in NO_MOVEMENT], facts)
    watched = watched_axes(pair)
    ranked = _each_limb_twice(
        sorted(entries, key=lambda entry: (not _is_watched(entry, watched), -_salience(entry[1], pair)))
    )
    chosen, rest = ranked[:MAX_STEPS], ranked[MAX_STEPS:]
    steps = [
        TrainerStep(StepKind.STEP, *entry) for entry in sorted(chosen, key=lambda entry: _order(entry, chosen, watched))
    ]
    steps += [TrainerStep(StepKind.FINE, *entry) for entry in sorted(rest, key=lambda entry: entry[0].order)]
    held = next((shape for shape in facts.shapes if _is_advised(shape, pair, chosen)), None)
    if steps and held is not None:
        steps.append(TrainerStep(StepKind.WATCH, Movement(held.shape.name, "shape", held.side)))
    unseen = tuple(clause for clause in plan if clause.direction is Direction.UNSEEN)
    if unseen:
        steps.append(unseen_step(unseen))
    return tuple(steps)


def _is_advised(held: HeldShape, pair: PosePair, chosen: Sequence[Entry]) -> bool:
    """Return whether the advice on a shape fits.

    Advice to sit or stand tall fits neither a leaning body nor a text that already speaks of the lean.
    """
    told = any(c.part is Part.TRUNK and c.direction.axis is BodyAxis.SAGITTAL for _, clauses in chosen for c in clauses)
    return held.shape.name not in _TALL or (not told and float(trunk_tilt(pair.target.joints)) < _TALL_TILT)


_TALL, _TALL_TILT = {"seated", "long_sitting", "cross_legged", "kneeling", "half_kneeling", "lunge"}, 25.0


def unseen_step(unseen: Plan) -> TrainerStep:
    """Return the step about unseen parts, for the part that a trainer would ask about first."""
    first = min(unseen, key=lambda clause: tuple(Part).index(clause.part))
    return TrainerStep(StepKind.UNSEEN, Movement("unseen", first.part.value, first.side), unseen)


def step_of(clause: Clause, off: Collection[Clause], pair: PosePair, shapes: Sequence[HeldShape]) -> TrainerStep:
    """Return the step that says a clause, together with the clauses in ``off`` of the same movement.

    For callers that ask for one thing at a time. Arms and legs have separate steps; one step covers the whole
    body only if the body or the trunk itself has to move. ``shapes`` are those that the target holds.
    """
    region = clause.part.region
    regions = {region} if region else set()
    if clause.part in {Part.BODY, Part.TRUNK}:
        regions |= {one.part.region for one in off if one.part.region}
    together = [one for one in off if one == clause or one.part.region in regions]
    facts = Facts(pair, [held for held in shapes if held.shape.regions <= regions])
    return next(TrainerStep(StepKind.STEP, *entry) for entry in movements(together, facts) if clause in entry[1])


def _each_limb_twice(ranked: Iterable[Entry]) -> list[Entry]:
    """Return the movements, largest first, with at most two for each limb: more cannot be followed."""
    said: Counter[tuple[Side, Part]] = Counter()
    entries = []
    for movement, clauses in ranked:
        limbs = {(side, c.part.limb) for c in clauses if c.part.of_limb for side in c.side.each}
        if all(said[limb] < MAX_OF_LIMB for limb in limbs):
            said.update(limbs)
            entries.append((movement, clauses))
    return entries


def _salience(clauses: Iterable[Clause], pair: PosePair) -> float:
    """Return the salience of a movement: its largest change, plus a share of the others."""
    changes = [change_of(measure, pair) for clause in clauses for measure, _ in axes_of(clause)]
    saliences = sorted((change.salience for change in changes if change is not None), reverse=True)
    return saliences[0] + _ALONG * sum(saliences[1:]) if saliences else 0.0


def _is_watched(entry: Entry, watched: Sequence[PartAxis]) -> bool:
    """Return whether a teacher watches this movement in the shape that both people hold; it is then never a detail."""
    return any(place_among(watched, clause) < len(watched) for clause in entry[1])


def _order(entry: Entry, chosen: Sequence[Entry], watched: Sequence[PartAxis]) -> tuple[bool, int]:
    """Return the sort key of a step: what comes first physically, then base to top, small movements last.

    A side bend that is the largest movement starts with the lean.
    """
    movement = entry[0]
    leads = movement.key == "bend_side" and chosen[0] == entry
    small = movement.small and len(chosen) > 1 and not _is_watched(entry, watched)
    return small, 5 if leads else movement.order


@dataclass(frozen=True)
class SpokenStep:
    """A sentence of a trainer; ``span`` is its place in the text: the first character and one past the last.

    ``moves`` are its clauses; a clause of both sides that another step also says is reduced to this step's
    side.
    """

    text: str
    kind: StepKind
    clauses: Plan
    moves: Plan
    span: tuple[int, int]


@dataclass(frozen=True)
class Speech:
    """The whole text and its sentences; no steps if nothing has to change."""

    text: str
    steps: tuple[SpokenStep, ...]


def speak(
    plan: Plan,
    pair: PosePair,
    language: str,
    seed: int | None = None,
    own_words: Callable[[TrainerStep], str | None] = lambda _: None,
) -> Speech:
    """Return what a trainer says for a plan; equal seeds give equal words.

    ``own_words`` may return a sentence that replaces the generated one, for example a captioner's. Raise
    :class:`BadInputError` (``unknown_language``).
    """
    words, choice = grammar(language), None if seed is None else random.Random(f"{seed} {language}")
    steps = trainer_steps(plan, pair)
    fine = [step for step in steps if step.kind is StepKind.FINE]
    sentences: list[tuple[str, StepKind, Sequence[TrainerStep]]] = []
    for step in steps:
        if step.kind is StepKind.FINE:
            sentences += _fine_tuning(fine, language, choice) if step is fine[0] else []
        elif (text := own_words(step) or step_text(step, language, choice)) is not None:
            sentences.append((text, step.kind, [step]))
    if not any(step.kind is StepKind.STEP for step in steps):
        sentences.append((words.unchanged_elsewhere if sentences else words.unchanged, StepKind.STEP, ()))
    return _speech(sentences)


def _moves(step: TrainerStep, said_twice: Counter[Clause]) -> Plan:
    """Return the clauses of a step, reduced to its side if another step says the other side."""
    side = step.movement.side
    if step.movement.part == "shape" or side not in {Side.LEFT, Side.RIGHT}:
        return step.clauses
    return tuple(
        replace(clause, side=side) if clause.side is Side.BOTH and said_twice[clause] > 1 else clause
        for clause in step.clauses
    )


def step_text(step: TrainerStep, language: str, choice: random.Random | None = None) -> str | None:
    """Return one step as a sentence; ``None`` if the language has no words for it, or no advice on the shape."""
    words, movement = speech_words(language), step.movement
    match step.kind:
        case StepKind.STEP | StepKind.FINE:
            phrase = phrase_of(movement, words, choice)
        case StepKind.UNSEEN:
            number = "both" if movement.side is Side.BOTH else "one"
            part = words.unseen_parts[movement.part][movement.side.value]
            phrase = fill_blanks(words.unseen, part=part, them=words.them[number])
        case StepKind.WATCH:
            phrases = words.shapes.get(movement.key, {}).get("watch")
            advice = fill_blanks(_pick(phrases, choice), **_sides(movement, words)) if phrases else None
            phrase = None if advice is None else fill_blanks(words.watch, advice=advice)
        case _:
            assert_never(step.kind)
    return None if phrase is None else _sentence(phrase, language)


def phrase_of(movement: Movement, words: SpeechWords, choice: random.Random | None = None) -> str | None:
    """Return a movement as an imperative without a capital or a full stop.

    ``None`` if the language has no words for it: a captioner's "turn your head", or a knee without a side.
    """
    number = "both" if movement.side is Side.BOTH else "one"
    ends = words.joined_ends.join(_of_number(words.ends[end], number) for end in movement.ends)
    blanks = _sides(movement, words) | {"ends": ends, "degree": words.degrees.get(movement.degree.value, "")}
    if movement.part == "shape":
        shape = words.shapes[movement.key]
        return fill_blanks(_pick(shape["reached"] if ends and "reached" in shape else shape["into"], choice), **blanks)
    phrases = words.say.get(f"{movement.key}_{movement.part}") or words.say.get(movement.key)
    part = words.parts.get(movement.part, {}).get(movement.side.value, "")
    if phrases is None or (movement.part in words.parts and not part):
        return None
    degree = movement.degree.value if movement.degree is not Degree.PLAIN else "plain"
    wanted = ["reached"] if ends else []
    keys = [f"{key}_{number}" if f"{key}_{number}" in phrases else key for key in (*wanted, degree, "plain", "reached")]
    phrase = _pick(next(phrases[key] for key in keys if key in phrases), choice)
    text = fill_blanks(phrase, part=part, **blanks)
    return text + "".join(
        fill_blanks(words.tail, tail=_of_number(words.tails[tail], number)) for tail in movement.tails
    )


def _fine_tuning(
    steps: Sequence[TrainerStep], language: str, choice: random.Random | None
) -> list[tuple[str, StepKind, Sequence[TrainerStep]]]:
    """Return all details in one sentence; empty if the language has no words for any of them."""
    words = speech_words(language)
    phrases = [(phrase_of(step.movement, words, choice), step) for step in steps]
    said = words.between_fine.join(phrase for phrase, _ in phrases if phrase is not None)
    worded = [step for phrase, step in phrases if phrase is not None]
    return [(fill_blanks(words.fine, steps=said), StepKind.FINE, worded)] if said else []


def _speech(sentences: Sequence[tuple[str, StepKind, Sequence[TrainerStep]]]) -> Speech:
    """Return the text of all sentences; a sentence that says that nothing moved is not a step."""
    said_twice = Counter(clause for *_, steps in sentences for step in steps for clause in step.clauses)
    text, spoken = "", []
    for written, kind, steps in sentences:
        clauses = tuple(clause for step in steps for clause in step.clauses)
        moves = tuple(clause for step in steps for clause in _moves(step, said_twice))
        start = len(text) + bool(text)
        text = f"{text} {written}".strip()
        if clauses or kind is StepKind.WATCH:
            spoken.append(SpokenStep(written, kind, clauses, moves, (start, len(text))))
    return Speech(text, tuple(spoken))


def _sides(movement: Movement, words: SpeechWords) -> dict[str, str]:
    side = movement.side
    return words.side_blanks(side.value, side.mirrored.value)


def _of_number(phrases: Mapping[str, str], number: str) -> str:
    return phrases.get(number) or phrases["one"]


def _pick(phrases: Sequence[str], choice: random.Random | None) -> str:
    return phrases[0] if choice is None else choice.choice(phrases)


def _sentence(text: str, language: str) -> str:
    words = grammar(language)
    return as_sentence(text.rstrip("." + words.stop), words)

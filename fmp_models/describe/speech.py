"""Speech of a plan: what a trainer says in one language, in steps with their clauses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from fmp_models.describe.limb_movements import Movement
from fmp_models.describe.trainer_steps import StepKind, TrainerStep, trainer_steps
from fmp_models.geometry.clauses import Clause, Degree, Plan, Side
from fmp_models.languages.grammar import grammar
from fmp_models.languages.realiser.sentences import sentence
from fmp_models.languages.speech import SpeechWords, filled, speech_words
from fmp_models.pose import PosePair


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
            phrase = filled(words.unseen, part=part, them=words.them[number])
        case StepKind.WATCH:
            phrases = words.shapes.get(movement.key, {}).get("watch")
            advice = filled(_pick(phrases, choice), **_sides(movement, words)) if phrases else None
            phrase = None if advice is None else filled(words.watch, advice=advice)
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
        return filled(_pick(shape["reached"] if ends and "reached" in shape else shape["into"], choice), **blanks)
    phrases = words.say.get(f"{movement.key}_{movement.part}") or words.say.get(movement.key)
    part = words.parts.get(movement.part, {}).get(movement.side.value, "")
    if phrases is None or (movement.part in words.parts and not part):
        return None
    degree = movement.degree.value if movement.degree is not Degree.PLAIN else "plain"
    wanted = ["reached"] if ends else []
    keys = [f"{key}_{number}" if f"{key}_{number}" in phrases else key for key in (*wanted, degree, "plain", "reached")]
    phrase = _pick(next(phrases[key] for key in keys if key in phrases), choice)
    text = filled(phrase, part=part, **blanks)
    return text + "".join(filled(words.tail, tail=_of_number(words.tails[tail], number)) for tail in movement.tails)


def _fine_tuning(
    steps: Sequence[TrainerStep], language: str, choice: random.Random | None
) -> list[tuple[str, StepKind, Sequence[TrainerStep]]]:
    """Return all details in one sentence; empty if the language has no words for any of them."""
    words = speech_words(language)
    phrases = [(phrase_of(step.movement, words, choice), step) for step in steps]
    said = words.between_fine.join(phrase for phrase, _ in phrases if phrase is not None)
    worded = [step for phrase, step in phrases if phrase is not None]
    return [(filled(words.fine, steps=said), StepKind.FINE, worded)] if said else []


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
    return sentence(text.rstrip("." + words.stop), words)

"""Typed descriptions and their demonstration: the poses that a text leads through, and the progress to the target.

A description is read once: its language and script, its words, and its clauses. Any text is accepted, including a
person's own. A piece that cannot be executed is listed as such and moves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from fmp_models.common import MAX_DESCRIPTION_CHARS
from fmp_models.errors import BadInputError
from fmp_models.geometry import (
    Clause,
    Direction,
    NamedShape,
    Plan,
    executed_steps,
    on_bones_of,
    progress_towards,
    steps_to_target,
)
from fmp_models.languages import (
    MARKS,
    Reading,
    Span,
    find_unparsed,
    grammar,
    is_foreign,
    language_of,
    read_text,
    speech_words,
    text_of,
    tokenise,
    transliterated,
    words_at,
)
from fmp_models.pose import BONES, JOINTS, Array, Pose, joints_as_json

_LINE = re.compile(rf"(?<=[^\s{MARKS}])\s*\n\s*")  # a line end also ends a sentence


@dataclass(frozen=True)
class ReadDescription:
    """``words`` are the tokens of the description, ``text`` joins them, and ``reading`` holds the parsed clauses.

    ``read_as`` is the transliterated text of Hindi in Latin letters, and None for other texts.
    """

    language: str
    words: tuple[str, ...]
    text: str
    reading: Reading
    read_as: str | None


def read_description(description: str, language: str | None) -> ReadDescription:
    """Read a description in a language, or in the language of its script if none is given.

    Raise :class:`BadInputError`: ``unknown_language``, ``description_empty``, ``description_too_long``,
    ``description_foreign``, ``description_other_language``.
    """
    language, description, read_as = _in_own_script(description, language)
    language = check_description(description, language)
    words = tuple(tokenise(_LINE.sub(". ", description.strip()), language))
    text = text_of(words, language)
    return ReadDescription(language, words, text, read_text(text, grammar(language)), read_as)


def _in_own_script(description: str, language: str | None) -> tuple[str | None, str, str | None]:
    """Return language, text and transliteration of a text in Latin letters; else language, description and None."""
    if len(description) <= MAX_DESCRIPTION_CHARS:
        in_script = transliterated(description)
        if in_script is not None and language in {None, in_script[0]}:
            return *in_script, in_script[1]
    return language, description, None


def check_description(description: str, language: str | None) -> str:
    """Return the language to read the description in; raise BadInputError if it is not written in one."""
    if language is not None:
        grammar(language)
    if not any(letter.isalpha() for letter in description):
        raise BadInputError("description_empty")
    if len(description) > MAX_DESCRIPTION_CHARS:
        raise BadInputError("description_too_long", limit=MAX_DESCRIPTION_CHARS)
    if language is None:
        language = language_of(description)
        if language is None:
            raise BadInputError("description_foreign")
    elif is_foreign(description, language):
        raise BadInputError("description_other_language", language=language)
    return language


MAX_STEPS = 40  # executed steps of one text; later ones are not executed


@dataclass(frozen=True)
class DemonstratedStep:
    """A piece of a text with its clauses or shape, if any could be read, and whether a figure could execute it.

    ``words`` are the first and last (exclusive) words of the text for it; ``None`` if the step has no words.
    """

    text: str
    words: tuple[int, int] | None
    clauses: Plan
    carried: bool
    shape: NamedShape | None = None


@dataclass(frozen=True)
class Demonstration:
    """The demonstration: ``steps`` are the pieces of the text in order, read or not; ``language`` is the text's.

    ``poses`` (20, 3) start with the current one; the i-th executed step leads from pose i to the next.

    ``target`` (20, 3) is the target with the bones of the current body, on the same floor. ``way`` is the share of
    the way to the target that the text covers: 1 is the target, 0 no progress, below 0 further away. Both are
    ``None`` without a target. ``way`` is also ``None`` if nothing moves or if the steps were computed from the
    target. Metres in the camera frame.
    """

    language: str
    poses: tuple[Array, ...]
    steps: tuple[DemonstratedStep, ...]
    target: Array | None
    way: float | None

    def as_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries for ``json.dumps``, exact to the micrometre."""
        return {
            "joints": list(JOINTS),
            "bones": [list(bone) for bone in BONES],
            "poses": [joints_as_json(pose) for pose in self.poses],
            "steps": [
                {"text": step.text, "words": None if step.words is None else list(step.words), "carried": step.carried}
                for step in self.steps
            ],
            "target": None if self.target is None else joints_as_json(self.target),
            "way": None if self.way is None else round(self.way, 3) + 0.0,
        }


def demonstrate_description(text: str, language: str | None, current: Pose, target: Pose | None) -> Demonstration:
    """Return the demonstration of a typed text; Hindi in Latin letters is transliterated first.

    An unreadable text is one step that is not executed. Raise the errors of ``read_description``.
    """
    read = read_description(text, language)
    return demonstrate(read.read_as or text, read.language, current, target)


def demonstrate(text: str, language: str, current: Pose, target: Pose | None) -> Demonstration:
    """Return the demonstration of a text from the current pose; at most ``MAX_STEPS`` steps are executed."""
    pieces = _pieces(text, language)
    goals = [goal for _, goal in pieces if goal is not None]
    carried_poses = chain(executed_steps(goals[:MAX_STEPS], current), repeat(None))
    poses, steps = [current.joints], []
    for span, goal in pieces:
        carried = None if goal is None else next(carried_poses)
        said = (goal,) if isinstance(goal, Clause) else ()
        shape = goal if isinstance(goal, NamedShape) else None
        steps.append(DemonstratedStep(text[slice(*span)], words_at(text, *span), said, carried is not None, shape))
        if carried is not None:
            poses.append(carried)
    aim, way = (
        (None, None) if target is None else (on_bones_of(current, target), progress_towards(current, poses[-1], target))
    )
    return Demonstration(language, tuple(poses), tuple(steps), aim, way)


def demonstrate_steps(
    text: str, language: str, steps: Sequence[tuple[tuple[int, int], Plan]], current: Pose, target: Pose
) -> Demonstration:
    """Return the demonstration of a correction's steps, given as words and clauses; parts move as in the target.

    A step without movement is omitted. Movements that no step covers form a last step, which eases into the goal
    and has no words in the text. The progress by the text alone is not measured.
    """
    moving = [(words, _moving(plan)) for words, plan in steps]
    moving = [(words, plan) for words, plan in moving if plan]
    poses = steps_to_target([plan for _, plan in moving], current, target)
    words_of_text = text.split()
    demonstrated = [
        DemonstratedStep(" ".join(words_of_text[slice(*words)]), words, plan, carried=True) for words, plan in moving
    ]
    if len(poses) > len(moving):
        demonstrated.append(DemonstratedStep(speech_words(language).ease, None, (), carried=True))
    aim = on_bones_of(current, target)
    return Demonstration(language, (current.joints, *poses), tuple(demonstrated), aim, None)


def _moving(plan: Plan) -> Plan:
    return tuple(clause for clause in plan if clause.direction not in {Direction.KEEP, Direction.UNSEEN})


def _pieces(text: str, language: str) -> list[tuple[Span, Clause | NamedShape | None]]:
    words = grammar(language)
    asked = read_text(text, words).asked
    unparsed = [(span, None) for span in find_unparsed(text, words, asked)]
    return sorted([*((piece.span, piece.goal) for piece in asked), *unparsed], key=lambda piece: piece[0][0])

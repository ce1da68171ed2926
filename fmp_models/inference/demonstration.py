"""A demonstration of a text: the poses that it leads through from the current one, step by step, and how far it leads.

Any text will do, a person's typing too. What cannot be carried out is listed as such and moves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from fmp_models.geometry.clauses import Clause, Direction, Plan
from fmp_models.geometry.execution.progress import on_bones_of, progress_towards
from fmp_models.geometry.execution.solver import executed_steps
from fmp_models.geometry.execution.to_target import steps_to_target
from fmp_models.geometry.shapes.shape import NamedShape
from fmp_models.inference.measured_pair import joints_as_json
from fmp_models.inference.read_description import read_description
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.parse import ReadClause, reading, words_at
from fmp_models.languages.reader.unparsed import Span, find_unparsed
from fmp_models.languages.speech import speech_words
from fmp_models.pose import BONES, JOINTS, Array, Pose

MAX_STEPS = 40  # of one text that are done; those after them are not


@dataclass(frozen=True)
class DemonstratedStep:
    """A piece of a text, the clauses or the shape that it says, if any could be read, and whether a figure could do it.

    ``words`` are the first and one beyond the last word of the text that say it; ``None`` where none does.
    """

    text: str
    words: tuple[int, int] | None
    clauses: Plan
    carried: bool
    shape: NamedShape | None = None


@dataclass(frozen=True)
class Demonstration:
    """``steps`` are the pieces of the text in their order, read and unread ones, and ``language`` is the text's.

    ``poses`` (20, 3), the current one first: the i-th step that was carried leads from the i-th to the next.

    ``target`` (20, 3) is the target on the bones of the current body, on the same floor; ``way`` the share of the way
    to it that the text leads: 1 is there, 0 no nearer, below 0 further away. Both are ``None`` without a target,
    ``way`` also where nothing moves and where the steps were done with the target known. Metres in the camera frame.
    """

    language: str
    poses: tuple[Array, ...]
    steps: tuple[DemonstratedStep, ...]
    target: Array | None
    way: float | None

    def as_json(self) -> dict[str, Any]:
        """Plain lists and dictionaries, ready for ``json.dumps``; exact to the micrometre."""
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
    """What a text that somebody typed leads to; Hindi in Latin letters as it is read.

    A text of which nothing can be read is one step that is not carried. Raises what ``read_description`` does.
    """
    read = read_description(text, language)
    return demonstrate(read.read_as or text, read.language, current, target)


def demonstrate(text: str, language: str, current: Pose, target: Pose | None) -> Demonstration:
    """What a text leads to from the current pose, and how far towards the target; at most ``MAX_STEPS`` are done."""
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
    """What the steps of a correction lead to, each with its words and clauses: its parts go where the target has them.

    What says no movement is no step. What the steps leave to move is a last one, which eases into the goal and has no
    words of the text. How far the text alone leads is not measured.
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
    asked = reading(text, words).asked
    pieces: list[tuple[Span, Clause | NamedShape | None]] = [
        ((piece.start, piece.start + len(piece.text)), piece.clause if isinstance(piece, ReadClause) else piece.named)
        for piece in asked
    ]
    pieces += [(span, None) for span in find_unparsed(text, words, asked)]
    return sorted(pieces, key=lambda piece: piece[0][0])

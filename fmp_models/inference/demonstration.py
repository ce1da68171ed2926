"""A demonstration of a text: the poses that it leads through from the current one, step by step, and how far it leads.

Any text will do, a person's typing too. What cannot be carried out is listed as such and moves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fmp_models.geometry.clauses import Clause
from fmp_models.geometry.execution.steps import carried_steps
from fmp_models.geometry.execution.way import on_bones_of, way_led
from fmp_models.inference.read_description import read_description
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.passed_over import Span, passed_over
from fmp_models.languages.reader.reader import read, words_at
from fmp_models.pose import BONES, JOINTS, Array, Pose

_MILLIMETRES = 3  # digits of metres


@dataclass(frozen=True)
class ToldStep:
    """A piece of a text and the clause that was read of it, ``None`` where none could be.

    ``words`` are the first and one beyond the last word of the text that say it.
    """

    text: str
    words: tuple[int, int] | None
    clause: Clause | None


@dataclass(frozen=True)
class DemonstratedStep:
    """A piece of the text, the words of it as in :class:`ToldStep`, and whether a figure could do what it says."""

    text: str
    words: tuple[int, int] | None
    carried: bool


@dataclass(frozen=True)
class Demonstration:
    """``poses`` (20, 3), the current one first: the i-th step that was carried leads from the i-th to the next.

    ``target`` (20, 3) is the target on the bones of the current body, on the same floor; ``way`` the share of the way
    to it that the text leads: 1 is there, 0 no nearer, below 0 further away. Both are ``None`` without a target,
    ``way`` also where nothing moves. Metres in the camera frame.
    """

    poses: tuple[Array, ...]
    steps: tuple[DemonstratedStep, ...]
    target: Array | None
    way: float | None

    def as_json(self) -> dict[str, Any]:
        """Plain lists and dictionaries, ready for ``json.dumps``; exact to the millimetre."""
        return {
            "joints": list(JOINTS),
            "bones": [list(bone) for bone in BONES],
            "poses": [_rounded(pose) for pose in self.poses],
            "steps": [
                {"text": step.text, "words": None if step.words is None else list(step.words), "carried": step.carried}
                for step in self.steps
            ],
            "target": None if self.target is None else _rounded(self.target),
            "way": None if self.way is None else round(self.way, 3) + 0.0,
        }


def demonstrate(text: str, language: str, current: Pose, target: Pose | None) -> Demonstration:
    """What a text leads to from the current pose, and how far towards the target.

    A text of which nothing can be read is one step that is not carried. Raises what ``read_description`` does.
    """
    return demonstrate_steps(told_steps(text, language), current, target)


def told_steps(text: str, language: str) -> tuple[ToldStep, ...]:
    """The steps of a text that somebody typed; Hindi in Latin letters as it is read.

    Raises what ``read_description`` does.
    """
    return read_steps(read_description(text, language).read_as or text, language)


def read_steps(text: str, language: str) -> tuple[ToldStep, ...]:
    """The pieces of a text in its order, read and unread ones."""
    words = grammar(language)
    clauses = read(text, words)
    told: list[tuple[Span, Clause | None]] = [((one.start, one.start + len(one.text)), one.clause) for one in clauses]
    told += [(span, None) for span in passed_over(text, words, clauses)]
    told.sort(key=lambda entry: entry[0][0])
    return tuple(ToldStep(text[slice(*span)], words_at(text, *span), clause) for span, clause in told)


def demonstrate_steps(steps: Sequence[ToldStep], current: Pose, target: Pose | None) -> Demonstration:
    """The same of steps that were read before."""
    plan = [step.clause for step in steps if step.clause is not None]
    done = iter(carried_steps(plan, current))
    poses, told = [current.joints], []
    for step in steps:
        carried = None if step.clause is None else next(done)
        told.append(DemonstratedStep(step.text, step.words, carried is not None))
        if carried is not None:
            poses.append(carried)
    if target is None:
        return Demonstration(tuple(poses), tuple(told), None, None)
    return Demonstration(tuple(poses), tuple(told), on_bones_of(current, target), way_led(current, poses[-1], target))


def _rounded(joints: Array) -> list[list[float]]:
    # Adding 0 turns a negative zero, which some programs print, into a plain one.
    return [[round(float(metres), _MILLIMETRES) + 0.0 for metres in joint] for joint in joints]

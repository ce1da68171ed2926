"""Descriptions of a movement: what changes from pose to pose, with the hysteresis of the coach.

A pose is compared with the last one that was described, so that slow changes add up and trembling is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fmp_models.coach.coaching import BROKEN, WELL, Tolerance
from fmp_models.coach.instruction_choice import TURNING, are_opposites, ways_of
from fmp_models.describe import StepKind, speak
from fmp_models.geometry import Plan, changes, clauses_beyond
from fmp_models.pose import Pose, PosePair


@dataclass(frozen=True)
class MotionStep:
    """What changes from ``start`` to ``end``, in seconds."""

    start: float
    end: float
    text: str
    clauses: Plan


def describe_motion(poses: Iterable[tuple[float, Pose]], language: str) -> Iterator[MotionStep]:
    """Yield the changes in a sequence of timed poses; a step may be silent.

    The opposite of what was told in the last ``TURNING`` seconds is told only if a part clearly went back.
    """
    reached: Pose | None = None
    start, told = 0.0, list[MotionStep]()
    for now, pose in poses:
        if reached is None:
            reached, start = pose, now
            continue
        pair = PosePair(reached, pose)
        measured, share = changes(pair), Tolerance.NORMAL.share
        nearly, off, clear = (clauses_beyond(measured, limit * share, pair) for limit in (WELL, 1.0, BROKEN))
        clear_ways = {way for clause, _ in clear for way in ways_of(clause)}
        told = [step for step in told if now - step.end < TURNING]
        recent = [clause for step in told for clause in step.clauses]
        plan = tuple(
            clause
            for clause, _ in off
            if ways_of(clause) <= clear_ways or not any(are_opposites(clause, other) for other in recent)
        )
        spoken = [step for step in speak(plan, pair, language).steps if step.kind is not StepKind.WATCH]
        if spoken:
            told.append(MotionStep(round(start, 3), round(now, 3), " ".join(step.text for step in spoken), plan))
            yield told[-1]
            reached = pose
        if spoken or not nearly:
            start = now

"""Execution of clauses, one after the other: the poses that a body goes through, each nearest to the one before.

This is how a text is tested without a person (the idea of CigTime, NeurIPS 2024): do what it says and measure what is
left to the target. Each clause is fulfilled by least squares over the turns of the body's joints: the clauses before
stay true unless they contradict it, what nobody speaks of stays, what rests on the floor rests, and no joint goes
beyond its limits. Whether a clause was carried out is judged by the verdicts on the pose that came out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.geometry.clauses import Clause, Direction, Plan
from fmp_models.geometry.execution.floor import Support, floor_level, held, offsets, set_down, sunk, supports
from fmp_models.geometry.execution.joint_limits import angles, ranges
from fmp_models.geometry.execution.leads import RESTS
from fmp_models.geometry.execution.nearest_body import nearest_body
from fmp_models.geometry.execution.wishes import ClauseWish, Origin, unsaid, wish_of
from fmp_models.geometry.planning.consistency import contradict
from fmp_models.geometry.verdicts.verdicts import agrees
from fmp_models.pose import JOINTS, Array, Pose, PosePair

_WISHED = 2.0  # weight of one middle step of what is said
_OFF_PLACE, _SUNK = 0.02, 0.02  # metres that cost as much as a middle step of what nobody speaks of
_BEYOND, _MARGIN = 3.0, 2.0  # degrees beyond a limit that cost as much, and how far before it they begin to
_SLIPPED, _OVERDONE = 0.02, 1.0  # metres and degrees beyond which what came out is no way to do it


def carry_out(plan: Plan, current: Pose) -> Pose:
    """The current pose after doing what the plan says, clause by clause; bones keep their lengths."""
    if not plan:
        return current
    steps = [joints for joints in carried_steps(plan, current) if joints is not None]
    return Pose(steps[-1], current.visibility, current.placed) if steps else current


def carried_steps(plan: Sequence[Clause], current: Pose) -> list[Array | None]:
    """For each clause the joints (20, 3) after it, one following the other; ``None`` where it cannot be carried out."""
    execution = _Execution(current.joints)
    for clause in plan:
        if clause.direction is Direction.KEEP:
            execution.keep(clause)
    return [execution.step(clause) for clause in plan]


class _Execution:
    """A body on its way: where it started or last came to rest, where it is, and what has been done."""

    def __init__(self, start: Array) -> None:
        self._start, self._now = Origin(start), start
        self._floor = floor_level(start)
        self._ranges = ranges(start)
        self._done: list[ClauseWish] = []

    def keep(self, clause: Clause) -> None:
        """Hold a part still from the beginning."""
        wish = wish_of(clause, self._start, self._now)
        if wish is not None:
            self._done.append(wish)

    def step(self, clause: Clause) -> Array | None:
        """Do what a clause says, if it can be done."""
        if clause.direction is Direction.KEEP:
            return self._now if agrees(clause, _pair(self._start.joints, self._now)) else None
        # What was said before of the same axis is said again: it goes on from here.
        wish = wish_of(clause, self._start, self._now)
        if wish is None:
            return None
        if any(wish.measures & earlier.measures for earlier in self._done if not earlier.kept):
            wish = wish_of(clause, Origin(self._now), self._now) or wish
        earlier_wishes = [earlier for earlier in self._done if not _undone(earlier, wish)]
        after = self._solved(wish, earlier_wishes)
        if after is None or not agrees(clause, _pair(wish.base.joints, after)):
            return None
        self._now = after
        if RESTS.keys() & set(clause.relations):
            # The whole body is elsewhere: what rests holds it, and what follows is told from here.
            self._start, self._done = Origin(after), earlier_wishes
        else:
            self._done = [*earlier_wishes, wish]
        return after

    def _solved(self, wish: ClauseWish, earlier_wishes: Sequence[ClauseWish]) -> Array | None:
        """The body nearest to where it is that fulfils the wish and what is kept, if nothing slips or goes too far."""
        resting = held(supports(self._now, self._floor), wish.clause)
        body = nearest_body(lambda bodies: self._residuals(bodies, wish, earlier_wishes, resting), self._now)
        slipped = np.abs(offsets(resting, self._now, body)).max(initial=0.0)
        low, high = self._ranges
        reached = angles(body)
        possible = slipped < _SLIPPED and bool(((reached > low - _OVERDONE) & (reached < high + _OVERDONE)).all())
        return set_down(body, self._floor) if possible else None

    def _residuals(
        self, bodies: Array, wish: ClauseWish, earlier_wishes: Sequence[ClauseWish], resting: tuple[Support, ...]
    ) -> Array:
        wishes = [wish, *earlier_wishes]
        wished = [residual for each in wishes for residual in each.residuals(bodies, done=each is not wish)]
        silent = unsaid(wishes, self._start, bodies)
        low, high = self._ranges
        joint_angles = angles(bodies)
        beyond = np.maximum(np.maximum(low + _MARGIN - joint_angles, joint_angles - high + _MARGIN), 0.0) / _BEYOND
        return np.concatenate(
            [
                _WISHED * np.stack(wished, axis=-1),
                np.stack(silent, axis=-1),
                beyond,
                offsets(resting, self._now, bodies) / _OFF_PLACE,
                sunk(bodies, self._floor) / _SUNK,
            ],
            axis=-1,
        )


def _undone(earlier: ClauseWish, wish: ClauseWish) -> bool:
    """Whether what was done need not stay: the wish is against it, or speaks of the same axis anew."""
    again = bool(wish.measures & earlier.measures) and not earlier.kept
    return again or contradict(wish.clause, earlier.clause)


def _pair(before: Array, after: Array) -> PosePair:
    visibility = np.ones(len(JOINTS))
    return PosePair(Pose(before, visibility, placed=True), Pose(after, visibility, placed=True))

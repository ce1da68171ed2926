"""Residuals of a clause on a body, 0 where it has come true: in middle steps of measures and slacks of relations.

A clause means here exactly what it means to the verdicts: the same measures, the same relations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fmp_models.geometry.all_measures import BY_AXIS
from fmp_models.geometry.changes import LIMBS, measures_of
from fmp_models.geometry.clauses import Clause, Degree, Direction, Part, Side
from fmp_models.geometry.execution.leads import RESTS, lead_up
from fmp_models.geometry.measures import MEASURES, Measure
from fmp_models.geometry.planning.planner import SAYS_HOW_FAR
from fmp_models.geometry.relations import Range, ranges_of
from fmp_models.geometry.verdicts.verdicts import axes_of
from fmp_models.pose import Array, BodySide

_EXTENT = 1.6  # "far" has no upper step: it is taken to end at this many times the last one
_CAUTION = 0.4  # where in its range of sizes a degree is carried out: small changes are the common ones
_WIDEST = 1.8  # times its least size, beyond which a range is not taken to reach: a slight turn is nearer 20 than 60
_UNSAID = 0.25  # cost of one middle step in an axis that no clause speaks of: what is not said stays
_KEPT = 1.0  # the same of a part that is to stay

# Feet are spread and brought together sideways, unless somebody says how far one stands in front.
_SIDEWAYS = tuple(BY_AXIS[side, Part.FOOT, Direction.FORWARD][0] for side in Side.BOTH.each)


class Origin:
    """A body (20, 3) that changes are measured from, itself measured once."""

    def __init__(self, joints: Array) -> None:
        self.joints = joints
        self._changes: dict[int, Callable[[Array], Array]] = {}

    def change(self, measure: Measure, joints: Array) -> Array:
        """What an axis has changed by to bodies (..., 20, 3), in middle steps."""
        if id(measure) not in self._changes:
            self._changes[id(measure)] = measure.changes_from(self.joints)
        return self._changes[id(measure)](joints) / measure.steps[1]


@dataclass(frozen=True)
class ClauseWish:
    """A clause on a body: ``goals`` are the changes from ``base`` that it asks for, in middle steps of each axis.

    Axes that are ``kept`` stay for good, those that are ``aligned`` while this is done.
    """

    clause: Clause
    base: Origin
    goals: tuple[tuple[Measure, float], ...]
    ranges: tuple[tuple[Range, BodySide], ...]
    kept: tuple[Measure, ...] = ()
    at_least: bool = False
    aligned: tuple[Measure, ...] = ()

    def residuals(self, joints: Array, *, done: bool = False) -> list[Array]:
        """How far the joints (..., 20, 3) are from it, each (...); of what is ``done`` more may be done."""
        residuals = [bounds.excess(joints, side) for bounds, side in self.ranges]
        for measure, goal in self.goals:
            lacking = (goal - self.base.change(measure, joints)) * np.sign(goal)
            # Where a relation says how far, the direction must still be right, and may be more so.
            beyond = 0.0 if self.at_least else _UNSAID if done else 1.0
            residuals.append(np.where(lacking > 0, lacking, beyond * lacking))
        still = self.kept if done else (*self.kept, *self.aligned)
        residuals += [_KEPT * self.base.change(measure, joints) for measure in still]
        return [np.broadcast_to(residual, joints.shape[:-2]) for residual in residuals]

    @property
    def measures(self) -> frozenset[int]:
        """The axes that it speaks of."""
        return frozenset(id(measure) for measure, _ in self.goals) | frozenset(map(id, self.kept))


def wish_of(clause: Clause, base: Origin, now: Array) -> ClauseWish | None:
    """What the clause wishes of a body that started as ``base`` and stands as ``now``; ``None`` where joints cannot do.

    What has gone further already stays there: "raise your arm" lowers no arm.
    """
    if clause.direction is Direction.KEEP:
        return ClauseWish(
            clause, base, (), (), tuple(m for m in measures_of(clause.side, clause.part) if not m.of_faces)
        )
    ranges = tuple(
        (bounds, side)
        for relation in clause.relations
        for bounds in RESTS.get(relation) or ranges_of(clause.part, clause.direction, relation)
        for side in clause.side.of_body
    )
    at_least = bool(SAYS_HOW_FAR & set(clause.relations))
    goals = []
    for measure, sign in axes_of(clause):
        if measure.of_faces:
            continue  # joints have no face
        amount = (measure.steps[0] if at_least else _amount(clause.degree, measure.steps)) / measure.steps[1]
        goals.append((measure, sign * max(amount, sign * float(base.change(measure, now)))))
        if measure.part is Part.LEG and sign > 0:
            for side in measure.side.of_body:
                ranges += ((lead_up(side, base.joints, amount * measure.steps[1]), side),)
    stance = clause.part is Part.FOOT and clause.direction in {Direction.APART, Direction.TOGETHER}
    aligned = _SIDEWAYS if stance else ()
    return ClauseWish(clause, base, tuple(goals), ranges, (), at_least, aligned) if goals or ranges else None


def unsaid(wishes: Sequence[ClauseWish], base: Origin, joints: Array) -> list[Array]:
    """What the axes that no wish speaks of have changed by from ``base``, each (...); the first wish is being done.

    A hand goes where its arm takes it: while it moves, the other axes of the arm are free.
    """
    doing = wishes[0].clause
    spoken_of = frozenset[int]().union(*(wish.measures for wish in wishes))
    silent = [measure for measure in MEASURES if measure.weight and id(measure) not in spoken_of]
    if doing.part is Part.HAND:
        sides = {*doing.side.each, doing.side}
        silent = [measure for measure in silent if not (measure.part in LIMBS[Part.ARM] and measure.side in sides)]
    return [_UNSAID * base.change(measure, joints) for measure in silent]


def _amount(degree: Degree, steps: tuple[float, float, float]) -> float:
    slight, plain, far = steps
    low, high = {Degree.SLIGHT: (slight, plain), Degree.PLAIN: (plain, far), Degree.FAR: (far, _EXTENT * far)}[degree]
    return low + _CAUTION * (min(high, _WIDEST * low) - low)

"""Findings about a text by the joints of a pair: which clauses they confirm, and which changes the text omits.

One standard holds for every model: a movement in its text must be as certain as one in the geometry's own
text (:func:`fmp_models.geometry.planning.photographed.is_sure`), a still part as surely still, and an end
state as surely reached. Like the plan, all rules are independent of signs and of the names of sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fmp_models.geometry.changes import change_of, changes
from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Side
from fmp_models.geometry.lexicon import NO_MOVEMENT, SWINGS
from fmp_models.geometry.measures import Measure
from fmp_models.geometry.planning.consistency import contradict
from fmp_models.geometry.planning.photographed import CERTAIN, is_sure, sure_axes, unseen_limbs
from fmp_models.geometry.planning.planner import make_plan, says_all, stayed
from fmp_models.geometry.verdicts.clause_verdicts import agrees, axes_of, excess, shows_end
from fmp_models.pose import PosePair

Axis = tuple[Side, Part, Direction, bool]  # side, part and direction of a measure, and whether it grows


class Findings:
    """Measurements of one pair's joints; ``plan`` is the geometry's own plan of the pair."""

    def __init__(self, pair: PosePair) -> None:
        """Measure all axes once."""
        self.pair = pair
        self.plan = make_plan(pair)
        self._measured = changes(pair)
        self._sure = sure_axes(self._measured, pair) if pair.uncertain else {}
        self._planned = {axis for clause in self.plan for axis in axes(clause)}
        self._said = {part for clause in self.plan for part in (clause, *_each_side(clause))}
        self._known: dict[Clause, bool] = {}

    @property
    def moving(self) -> Plan:
        """The clauses of the plan that move something."""
        return tuple(clause for clause in self.plan if clause.direction not in NO_MOVEMENT)

    def bears_out(self, clause: Clause) -> bool:
        """Return whether all movements, end states and still parts of the clause are certain and none is contradicted.

        What joints cannot judge, such as an elbow without a side or a palm, is never certain.
        """
        if clause not in self._known:
            self._known[clause] = self._bears_out(clause)
        return self._known[clause]

    def unsaid(self, clauses: Iterable[Clause]) -> Plan:
        """Return the movements of the plan that no clause says, in plan order, reduced to the missing side."""
        clauses = tuple(clauses)
        movements = []
        for clause in self.moving:
            lacking = [side for side in clause.side.each if not _covered(clause, side, clauses)]
            if not lacking:
                continue
            movements.append(clause if len(lacking) == len(clause.side.each) else replace(clause, side=lacking[0]))
        return tuple(movements)

    def unseen(self, clauses: Iterable[Clause]) -> Plan:
        """Return the limbs that may have moved, unmentioned and unseen; empty for exact joints."""
        still = np.array_equal(self.pair.current.joints, self.pair.target.joints)
        return unseen_limbs(self.pair, clauses) if self.pair.uncertain and not still else ()

    def complete(self, clauses: Iterable[Clause]) -> bool:
        """Return whether nothing else has to change: all moving parts are mentioned, and all limbs were seen."""
        clauses = tuple(clauses)
        return says_all(clauses, self.pair) and not self.unseen(clauses)

    def superseded(self, clause: Clause, by: Iterable[Clause]) -> bool:
        """Return whether the other clauses say all that this movement says: a raised hand moves with its arm."""
        clause_axes, other_axes = axes(clause), frozenset(axis for other in by for axis in axes(other))
        if not clause_axes:
            return False
        return clause_axes <= other_axes or (
            not clause_axes & self._planned and _with_arm(clause_axes) <= _with_arm(other_axes)
        )

    def denies(self, clause: Clause) -> bool:
        """Return whether the clause contradicts a movement of the plan."""
        return any(contradict(clause, sure) for sure in self.moving)

    def _bears_out(self, clause: Clause) -> bool:
        if clause in self._said:
            return True
        if clause.direction is Direction.KEEP:
            return stayed(clause.side, clause.part, self._measured, self.pair) and not self.denies(clause)
        verdict = agrees(clause, self.pair)
        if not self.pair.uncertain:
            return verdict is True and not self.denies(clause)
        if verdict is False or self.denies(clause) or not self._reached(clause):
            return False
        signed_measures = axes_of(clause)
        if not signed_measures:
            return bool(clause.relations) and verdict is True
        return axes(clause) <= self._planned or all(self._surely(*axis) for axis in signed_measures)

    def _surely(self, measure: Measure, sign: float) -> bool:
        """Return whether the measure surely changes in that direction."""
        if measure.weight:
            change = self._sure.get((measure.side, measure.part, measure.direction))
        else:  # people say it, but plans do not
            change = change_of(measure, self.pair)
            change = change if change is not None and is_sure(change, self.pair) else None
        return change is not None and (change.size > 0) == (sign > 0)

    def _reached(self, clause: Clause) -> bool:
        """Return whether most plausible targets meet the relations of the clause, within their slack."""
        bodies = self.pair.pose_samples[1][0]
        beyond = [
            excess(clause, relation, bodies) if shows_end(clause, relation, self.pair) else None
            for relation in clause.relations
        ]
        return all(distance is not None and float(np.mean(distance <= 1.0)) >= CERTAIN for distance in beyond)


def axes(clause: Clause) -> frozenset[Axis]:
    """Return the axes along which a clause moves."""
    return frozenset((m.side, m.part, m.direction, sign > 0) for m, sign in axes_of(clause))


def _each_side(clause: Clause) -> Plan:
    """Return the clause for each side separately."""
    return tuple(replace(clause, side=side) for side in clause.side.each)


def _with_arm(limb_axes: Iterable[Axis]) -> frozenset[Axis]:
    """Return the axes, with hands and forearms that go up or down replaced by their arm."""
    return frozenset(
        (side, Part.ARM if part.limb is Part.ARM and direction is Direction.UP else part, direction, more)
        for side, part, direction, more in limb_axes
    )


def _covered(clause: Clause, side: Side, clauses: Sequence[Clause]) -> bool:
    """Return whether other clauses say what the clause says of one side: the movement and the direction of an arm."""
    clause_axes = axes(replace(clause, side=side)) or axes(clause)
    sharing = [other for other in clauses if axes(other) & clause_axes]
    swings = set(clause.relations) & SWINGS.keys() if clause.part is Part.ARM else set()
    stated = {relation for other in sharing for relation in other.relations}
    return swings <= stated and clause_axes <= {axis for other in sharing for axis in axes(other)}

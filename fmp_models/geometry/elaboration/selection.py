"""Content selection: the clauses of a training text and their order, from the plan, smaller changes and still parts.

People describe a pose change in more or fewer steps and in varying order; a seed does the same here.
Every clause agrees with the joints.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fmp_models.geometry.changes import Changes, changes, measures_of
from fmp_models.geometry.clauses import Clause, Degree, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.lexicon import LIMBS, BodyAxis
from fmp_models.geometry.planning.planner import SAYS_HOW_FAR, STILL_PARTS, make_plan
from fmp_models.geometry.relations import reached
from fmp_models.geometry.verdicts.clause_verdicts import agrees, axes_of
from fmp_models.pose import PosePair

_NOISE = 0.3  # standard deviation of the log salience: varies the choice and order of similar changes
_MINOR = 0.45  # share of the first threshold from which a change is visible to a person
_STILL = 0.8  # share of the first threshold below which a part has kept its place


@dataclass(frozen=True)
class Selection:
    """Clauses in ``order`` of importance, the first ``moving`` of them changes; body ``groups`` in text order."""

    order: Plan
    moving: int
    groups: tuple[str, ...]

    def first(self, count: int) -> Plan:
        """Return the plan of a text with ``count`` clauses: sorted by body group, still parts last."""

        def place(clause: Clause) -> tuple[bool, int]:
            group = _group(clause)
            return clause.direction is Direction.KEEP, ([*self.groups, group]).index(group)

        return tuple(sorted(self.order[:count], key=place))


def select(pair: PosePair, seed: int) -> Selection:
    """Return the clauses of the pair's plan in a seeded order of importance and of telling."""
    choice = random.Random(f"select {seed}")
    plan = [clause for clause in make_plan(pair) if agrees(clause, pair) is True]
    movements = [clause for clause in plan if clause.direction is not Direction.KEEP]
    weight = {clause: _salience(clause, pair) * math.exp(choice.gauss(0.0, _NOISE)) for clause in movements}
    movements.sort(key=lambda clause: -weight[clause])
    groups = list(dict.fromkeys(_group(clause) for clause in movements))
    if len(groups) > 1 and choice.random() < _NOISE:
        groups[:2] = groups[1::-1]
    keeps = [clause for clause in plan if clause.direction is Direction.KEEP]
    return Selection((*movements, *keeps), len(movements), tuple(groups))


def extended(selection: Selection, pair: PosePair) -> Selection:
    """Return the selection with smaller changes and all still parts, for a text that is too short without them."""
    measured = changes(pair)
    movements, keeps = selection.order[: selection.moving], selection.order[selection.moving :]
    minor = tuple(clause for clause in _minor(movements, measured, pair) if agrees(clause, pair) is True)
    still = _still_clauses([*selection.order, *minor], measured)
    keeps += tuple(clause for clause in still if agrees(clause, pair) is True)
    order = (*movements, *minor, *keeps)
    groups = dict.fromkeys([*selection.groups, *(_group(clause) for clause in minor)])
    return Selection(order, len(movements), tuple(groups))


def _group(clause: Clause) -> str:
    axes = axes_of(clause)
    return axes[0][0].group if axes else "body"


def _salience(clause: Clause, pair: PosePair) -> float:
    sizes = [
        abs(float(measure.change(pair.current.joints, pair.target.joints))) / measure.thresholds[1] * measure.weight
        for measure, _ in axes_of(clause)
    ]
    return max(sizes, default=0.0)


def _minor(clauses: Sequence[Clause], measured: Changes, pair: PosePair) -> Iterator[Clause]:
    """Yield changes that the plan leaves out and that do not overlap with its clauses, largest first."""
    mentioned = {key for clause in clauses for key in _axes(clause)}
    for change in sorted(measured.values(), key=lambda change: -change.salience):
        measure = change.measure
        if abs(change.size) < _MINOR * measure.thresholds[0]:
            continue
        side = measure.side
        held: tuple[Relation, ...] = ()
        if change.thresholds_reached and side is not Side.BOTH:
            held = reached(measure.part, change.direction, pair.target.joints, side.of_body[0], pair.unseen_names)
        degree = (Degree.SLIGHT, Degree.SLIGHT, Degree.PLAIN, Degree.FAR)[change.thresholds_reached]
        clause = Clause(
            side, measure.part, change.direction, Degree.PLAIN if SAYS_HOW_FAR & set(held) else degree, held
        )
        keys = set(_axes(clause))
        if not keys & mentioned:
            mentioned |= keys
            yield clause


def _axes(clause: Clause) -> list[tuple[str, str, str]]:
    """Return the (limb, side, axis) that a clause speaks of; two clauses that share one repeat each other."""
    direction = min(clause.direction, clause.direction.reverse)
    sides = ("left", "right") if clause.side is Side.BOTH else (clause.side.value,)
    if clause.part in {Part.FOOT, Part.HIPS} and "turn" not in direction:
        return [("stance", "", "")]  # the feet and the hips over them form one arrangement
    if clause.part in {Part.LEG, Part.BODY} and direction is Direction.DOWN:
        return [("height", "", "")]
    axis = BodyAxis.LATERAL.value if direction.axis is BodyAxis.LATERAL else direction.value
    return [(clause.part.limb, side, axis) for side in sides]


def _still_clauses(clauses: Sequence[Clause], measured: Changes) -> Iterator[Clause]:
    """Yield clauses on unmentioned parts that keep their place.

    Both limbs precede one; legs and trunk are skipped if the whole body moves.
    """
    mentioned = {(side, clause.part.limb) for clause in clauses for side in clause.side.each}
    body_moves = any(clause.part is Part.BODY for clause in clauses)
    for side, part in (*STILL_PARTS, *((side, limb) for limb in LIMBS for side in Side.BOTH.each)):
        clause = Clause(side, part, Direction.KEEP)
        keys = {(each_side, part.limb) for each_side in side.each}
        if keys & mentioned or (body_moves and part is not Part.ARM):
            continue
        still = [measured.get((m.side, m.part, m.direction)) for m in measures_of(side, part)]
        if all(change is not None and abs(change.size) < _STILL * change.measure.thresholds[0] for change in still):
            mentioned |= keys
            yield clause

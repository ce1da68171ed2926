"""Content selection of training texts: clauses of a pair, and elaborations of them, chosen by a seed.

People describe a pose change in more or fewer steps and in varying order; a seed does the same here. The clauses come
from the plan, smaller changes and still parts, and every clause agrees with the joints. Elaborations are objects of the
room, implied movements and analogies. The choice is made once and is independent of language: all languages word the
same content.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fmp_models.geometry.landmarks import Bearing, Landmark, bearing_agrees, plain, sights, still_faced
from fmp_models.geometry.lexicon import LIMBS, VERTICAL, BodyAxis, Clause, Degree, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.likenesses import ANALOGIES, IMPLIED, Likeness, PoseFeatures
from fmp_models.geometry.measured_changes import Changes, changes, measures_of
from fmp_models.geometry.planner import SAYS_HOW_FAR, STILL_PARTS, make_plan
from fmp_models.geometry.relations import reached
from fmp_models.geometry.verdicts import agrees, axes_of
from fmp_models.pose import BODY_SIDES, PosePair


class ElaborationKind(StrEnum):
    """Kinds of elaborations, the three properties of texts in Section 5.2 of the paper."""

    LANDMARK = "landmark"
    IMPLIED = "implied"
    ANALOGY = "analogy"


@dataclass(frozen=True)
class Elaboration:
    """An addition to one ``clause`` of the plan, or to the whole pose if the clause is None.

    ``name`` is the bearing, the implied movement or the analogy; ``landmark`` is the kind of the object.
    """

    kind: ElaborationKind
    name: str
    clause: Clause | None
    side: Side = Side.NONE
    landmark: str | None = None


@dataclass(frozen=True)
class ElaborationChoice:
    """Requested kinds of elaborations of a description, drawn before it is known which fit."""

    landmark: bool
    implied: bool
    analogy: bool
    spare: int = 0  # additional implied movements for a long text


# Probabilities of requesting a kind. Not every pair has something that fits, so they exceed the paper's shares
# (52, 58 and 18 %), which the descriptions of the simulator's pairs then reach.
_CHANCES = {"landmark": 0.85, "implied": 0.62, "analogy": 0.30}
_SECOND = 0.35  # probability of a second object or implied movement
_STILL = 0.3  # probability of naming what the body still faces although a movement could name an object


def draw_elaborations(choice: random.Random) -> ElaborationChoice:
    """Draw the requested kinds of one description."""
    return ElaborationChoice(*(choice.random() < _CHANCES[kind] for kind in ("landmark", "implied", "analogy")))


def elaborate(
    plan: Plan,
    pair: PosePair,
    landmarks: Sequence[Landmark],
    chosen_kinds: ElaborationChoice,
    choice: random.Random,
) -> tuple[Elaboration, ...]:
    """Return elaborations of the requested kinds that fit, at most one sentence for each clause."""
    elaborations: list[Elaboration] = []
    if chosen_kinds.landmark:
        elaborations += _landmarks(plan, pair, landmarks, choice)
    if chosen_kinds.analogy:
        elaborations += _analogies(plan, pair)
    if chosen_kinds.implied:
        clauses = {entry.clause for entry in elaborations if entry.name not in {Bearing.TOWARDS, Bearing.AWAY}}
        free = [entry for entry in implied_movements(plan, pair) if entry.clause not in clauses]
        choice.shuffle(free)
        elaborations += one_for_each_clause(free)[: chosen_kinds.spare + (2 if choice.random() < _SECOND else 1)]
    return tuple(elaborations)


def one_for_each_clause(entries: Sequence[Elaboration]) -> list[Elaboration]:
    """Return the entries with at most one for each clause, and no name twice."""
    elaborations: list[Elaboration] = []
    for entry in entries:
        if all(entry.clause != other.clause and entry.name != other.name for other in elaborations):
            elaborations.append(entry)
    return elaborations


def _landmarks(plan: Plan, pair: PosePair, landmarks: Sequence[Landmark], choice: random.Random) -> list[Elaboration]:
    entries: list[Elaboration] = []
    for clause in plan:
        nearest = sights(clause, pair, landmarks)[:1]
        entries += [
            Elaboration(ElaborationKind.LANDMARK, sight.bearing, clause, clause.side, sight.kind) for sight in nearest
        ]
    choice.shuffle(entries)
    elaborations: list[Elaboration] = []
    for entry in entries[: 2 if choice.random() < _SECOND else 1]:
        if all(entry.landmark != other.landmark for other in elaborations):
            elaborations.append(entry)
    turned = any(clause.part is Part.BODY and clause.direction.value.startswith("turn") for clause in plan)
    if not turned and (not elaborations or choice.random() < _STILL):
        for sight in still_faced(pair, landmarks)[:1]:
            elaborations = [Elaboration(ElaborationKind.LANDMARK, sight.bearing, None, Side.NONE, sight.kind)]
    return [entry for entry in elaborations if landmark_agrees(entry, pair, landmarks)]


def _analogies(plan: Plan, pair: PosePair) -> list[Elaboration]:
    figure = PoseFeatures(pair.target.joints)
    for likeness in ANALOGIES:
        for clause in reversed(plan):
            side = _fits(likeness, clause, figure)
            if side is not None:
                return [Elaboration(ElaborationKind.ANALOGY, likeness.name, clause, side)]
    return []


def implied_movements(plan: Plan, pair: PosePair) -> list[Elaboration]:
    """Return all implied movements that fit a clause: they hold in the target and did not hold before."""
    before, after = PoseFeatures(pair.current.joints), PoseFeatures(pair.target.joints)
    movements = []
    for clause in plan:
        for likeness in IMPLIED:
            side = _fits(likeness, clause, after)
            if side is not None and not any(likeness.holds(before, s) for s in side.of_body):
                movements.append(Elaboration(ElaborationKind.IMPLIED, likeness.name, clause, side))
    return movements


def _fits(likeness: Likeness, clause: Clause, figure: PoseFeatures) -> Side | None:
    """Return the side for which the likeness can be said after the clause; ``None`` if it does not fit."""
    if clause.part not in likeness.parts or clause.direction is Direction.KEEP:
        return None
    if (likeness.ways and clause.direction not in likeness.ways) or likeness.repeats & set(clause.relations):
        return None
    if clause.part is Part.BODY and clause.direction not in VERTICAL:
        return None  # a step or a turn of the whole person does not change the figure
    if not likeness.sided:
        return Side.NONE if likeness.holds(figure, "left") else None
    if clause.side is Side.NONE:
        return next((Side(side) for side in BODY_SIDES if likeness.holds(figure, side)), None)
    return clause.side if all(likeness.holds(figure, side) for side in clause.side.of_body) else None


def landmark_agrees(elaboration: Elaboration, pair: PosePair, landmarks: Sequence[Landmark]) -> bool:
    """Return whether the joints and the object's place confirm what a description says of an object of the room."""
    objects = [landmark for landmark in plain(landmarks) if landmark.kind == elaboration.landmark]
    return len(objects) == 1 and bearing_agrees(Bearing(elaboration.name), elaboration.clause, pair, objects[0])


# Clauses of a training text.
_NOISE = 0.3  # standard deviation of the log salience: varies the choice and order of similar changes
_MINOR = 0.45  # share of the first threshold from which a change is visible to a person
_KEPT = 0.8  # share of the first threshold below which a part has kept its place


@dataclass(frozen=True)
class ClauseSelection:
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


def select_clauses(pair: PosePair, seed: int) -> ClauseSelection:
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
    return ClauseSelection((*movements, *keeps), len(movements), tuple(groups))


def extended_selection(selection: ClauseSelection, pair: PosePair) -> ClauseSelection:
    """Return the selection with smaller changes and all still parts, for a text that is too short without them."""
    measured = changes(pair)
    movements, keeps = selection.order[: selection.moving], selection.order[selection.moving :]
    minor = tuple(clause for clause in _minor(movements, measured, pair) if agrees(clause, pair) is True)
    still = _still_clauses([*selection.order, *minor], measured)
    keeps += tuple(clause for clause in still if agrees(clause, pair) is True)
    order = (*movements, *minor, *keeps)
    groups = dict.fromkeys([*selection.groups, *(_group(clause) for clause in minor)])
    return ClauseSelection(order, len(movements), tuple(groups))


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
        if all(change is not None and abs(change.size) < _KEPT * change.measure.thresholds[0] for change in still):
            mentioned |= keys
            yield clause

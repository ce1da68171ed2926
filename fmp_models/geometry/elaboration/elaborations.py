"""Elaborations of a description: objects of the room, implied movements and analogies, chosen by a seed.

The choice is made once and is independent of language: all languages word the same elaborations.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Side
from fmp_models.geometry.elaboration.analogies import ANALOGIES
from fmp_models.geometry.elaboration.implied import IMPLIED, Likeness
from fmp_models.geometry.elaboration.landmarks import Bearing, Landmark, bearing_agrees, plain, sights, still_faced
from fmp_models.geometry.elaboration.pose_features import PoseFeatures
from fmp_models.geometry.lexicon import VERTICAL
from fmp_models.pose import BODY_SIDES, PosePair


class Kind(StrEnum):
    """Kinds of elaborations, the three properties of texts in Section 5.2 of the paper."""

    LANDMARK = "landmark"
    IMPLIED = "implied"
    ANALOGY = "analogy"


@dataclass(frozen=True)
class Elaboration:
    """An addition to one ``clause`` of the plan, or to the whole pose if the clause is None.

    ``name`` is the bearing, the implied movement or the analogy; ``landmark`` is the kind of the object.
    """

    kind: Kind
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
        free = [entry for entry in implied(plan, pair) if entry.clause not in clauses]
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
        entries += [Elaboration(Kind.LANDMARK, sight.bearing, clause, clause.side, sight.kind) for sight in nearest]
    choice.shuffle(entries)
    elaborations: list[Elaboration] = []
    for entry in entries[: 2 if choice.random() < _SECOND else 1]:
        if all(entry.landmark != other.landmark for other in elaborations):
            elaborations.append(entry)
    turned = any(clause.part is Part.BODY and clause.direction.value.startswith("turn") for clause in plan)
    if not turned and (not elaborations or choice.random() < _STILL):
        for sight in still_faced(pair, landmarks)[:1]:
            elaborations = [Elaboration(Kind.LANDMARK, sight.bearing, None, Side.NONE, sight.kind)]
    return [entry for entry in elaborations if landmark_agrees(entry, pair, landmarks)]


def _analogies(plan: Plan, pair: PosePair) -> list[Elaboration]:
    figure = PoseFeatures(pair.target.joints)
    for likeness in ANALOGIES:
        for clause in reversed(plan):
            side = _fits(likeness, clause, figure)
            if side is not None:
                return [Elaboration(Kind.ANALOGY, likeness.name, clause, side)]
    return []


def implied(plan: Plan, pair: PosePair) -> list[Elaboration]:
    """Return all implied movements that fit a clause: they hold in the target and did not hold before."""
    before, after = PoseFeatures(pair.current.joints), PoseFeatures(pair.target.joints)
    movements = []
    for clause in plan:
        for likeness in IMPLIED:
            side = _fits(likeness, clause, after)
            if side is not None and not any(likeness.holds(before, s) for s in side.of_body):
                movements.append(Elaboration(Kind.IMPLIED, likeness.name, clause, side))
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

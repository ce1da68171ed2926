"""Verdicts on clauses by the joints, for the text of any model: whether they hold, contradict each other, and say all.

One standard holds for every model: a movement in its text must be as certain as one in the geometry's own
text (:func:`fmp_models.geometry.significant_changes.is_sure`), a still part as surely still, and an end
state as surely reached. Like the plan, all rules are independent of signs and of the names of sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from fmp_models.geometry.lexicon import (
    BODY_TURNS,
    IN_PLACE,
    NO_MOVEMENT,
    PAIRED,
    SOMEWHERE,
    SWINGS,
    TURNS,
    BodyAxis,
    Clause,
    Direction,
    Frame,
    Part,
    Plan,
    Relation,
    Side,
)
from fmp_models.geometry.measured_changes import (
    STAYED,
    applies,
    change_of,
    changes,
    hides,
    means_anything,
    measured_size,
    measures_of,
    seen,
    share_beyond,
    share_within,
)
from fmp_models.geometry.measures import BY_AXIS, Measure
from fmp_models.geometry.planner import make_plan, says_all, stayed
from fmp_models.geometry.relations import joints_of, possible_relations, ranges_of
from fmp_models.geometry.significant_changes import CERTAIN, is_sure, sure_axes, unseen_limbs
from fmp_models.pose import INDEX, Array, Pose, PosePair

_ENOUGH = 1 / 3  # share of the first threshold below which there is no movement in the stated direction
_DECIDING_SHARE = 0.6  # share of the plausible bodies that decides


def agrees(clause: Clause, pair: PosePair) -> bool | None:
    """Return whether the change between the poses is what the clause says; ``None`` if joints cannot tell.

    The direction must be right by more than a third of the measure's first threshold, on both sides for
    "both", and each relation must hold in the target within its slack. A part that moves or turns somewhere
    must change by a first threshold in any of its measures. Degrees are not judged: people's use of
    "slightly" differs too much.
    """
    if (clause.side is Side.NONE and clause.part.sided) or clause.direction is Direction.UNSEEN:
        return None  # "bend the elbow" does not say which one
    if not photographed_whole(clause, pair):
        return None
    if clause.direction is Direction.KEEP:
        verdicts = [_still(m, pair) for m in measures_of(clause.side, clause.part) if means_anything(m, pair)]
    elif clause.direction in SOMEWHERE:
        verdicts = [_changed(_measures_somewhere(clause, side), pair) for side in clause.side.each]
    else:
        verdicts = [_moved(measure, sign, pair) for measure, sign in axes_of(clause)]
        visible = all(seen(measure, pair) for measure in measures_of(clause.side, clause.part))
        verdicts += [holds(clause, relation, pair.target) if visible else None for relation in clause.relations]
    if not verdicts or None in verdicts:
        return False if False in verdicts else None
    return all(verdicts)


def confidence(clause: Clause, pair: PosePair) -> float:
    """Return the probability (0 to 1) that the clause is true; the least certain axis decides.

    For photographs it is the share of plausible bodies that confirm the clause. For exact joints it is the
    probability that a normal error with the measure's own deviation leaves it true, times the visibility. A
    clause without a movement, or with one that photographs do not show, has an even chance.
    """
    if not photographed_whole(clause, pair):
        return 0.5
    if clause.direction is Direction.KEEP:
        still = [m for m in measures_of(clause.side, clause.part) if applies(m, pair)]
        if pair.uncertain:
            return min((share_within(m, pair, STAYED * m.thresholds[0]) for m in still), default=0.0)
        return min(
            (_chance(m, STAYED * m.thresholds[0] - abs(measured_size(m, pair)), pair) for m in still), default=0.0
        )
    if clause.direction in SOMEWHERE:
        return min(_chance_of_change(_measures_somewhere(clause, side), pair) for side in clause.side.each)
    axes = axes_of(clause)
    if pair.uncertain:
        return min(
            (share_beyond(m, pair, sign * _ENOUGH * m.thresholds[0]) for m, sign in axes if applies(m, pair)),
            default=0.5,
        )
    margins = [(m, sign * measured_size(m, pair) - _ENOUGH * m.thresholds[0]) for m, sign in axes if not m.of_faces]
    return min((_chance(m, margin, pair) for m, margin in margins), default=0.5)


def photographed_whole(clause: Clause, pair: PosePair) -> bool:
    """Return whether photographs show all joints of the clause; for a part that moves somewhere, some joints do."""
    if not pair.unseen.any():
        return True
    measures = [m for m, _ in axes_of(clause)]
    if clause.direction is Direction.KEEP:
        measures = [m for m in measures_of(clause.side, clause.part) if means_anything(m, pair)]
    return not any(hides(pair, m.seen_joints) for m in measures) and all(
        shows_end(clause, relation, pair) for relation in clause.relations
    )


def shows_end(clause: Clause, relation: Relation, pair: PosePair) -> bool:
    """Return whether photographs show the joints of a relation that the clause names."""
    ranges = ranges_of(clause.part, clause.direction, relation)
    return not any(hides(pair, joints_of(ranges, side)) for side in clause.side.of_body)


def holds(clause: Clause, relation: Relation, target: Pose) -> bool | None:
    """Return whether the target meets a relation of the clause within its slack; ``None`` if joints cannot tell."""
    beyond = relation_excess(clause, relation, target.joints)
    return None if beyond is None else bool(beyond <= 1.0)


def relation_excess(clause: Clause, relation: Relation, bodies: Array) -> Array | None:
    """Return how far ``bodies`` (..., 20, 3) are from a relation of the clause, (...) in slacks, on the worst side.

    ``None`` if joints cannot tell.
    """
    ranges = ranges_of(clause.part, clause.direction, relation)
    beyond = [
        np.broadcast_to(bounds.excess(bodies, side), bodies.shape[:-2])
        for bounds in ranges
        for side in clause.side.of_body
    ]
    return np.asarray(np.max(beyond, axis=0)) if beyond else None


def _chance(measure: Measure, margin: float, pair: PosePair) -> float:
    """Return the probability that an error does not use up ``margin``."""
    visible = float(pair.visibility[[INDEX[name] for name in measure.joints]].min())
    return visible * 0.5 * (1 + math.erf(margin / measure.noise / math.sqrt(2)))


def axes_of(clause: Clause) -> list[tuple[Measure, float]]:
    """Return the measures of a clause, each with the sign of its direction; empty if there are none."""
    key = (clause.side, clause.part, clause.direction)
    if key in BY_AXIS:
        return [BY_AXIS[key]]
    sides = (Side.LEFT, Side.RIGHT) if clause.side is Side.BOTH else ()
    side_axes = [BY_AXIS.get((side, clause.part, _sideways(side, clause.direction))) for side in sides]
    return [axis for axis in side_axes if axis is not None] if all(side_axes) else []


def _moved(measure: Measure, sign: float, pair: PosePair) -> bool | None:
    if not applies(measure, pair) or not seen(measure, pair):
        return None
    least = _ENOUGH * measure.thresholds[0]
    if pair.uncertain:
        return _decided(share_beyond(measure, pair, sign * least))
    return sign * measured_size(measure, pair) > least


def _still(measure: Measure, pair: PosePair) -> bool | None:
    if not applies(measure, pair) or not seen(measure, pair):
        return None
    most = STAYED * measure.thresholds[0]
    if pair.uncertain:
        return _decided(share_within(measure, pair, most))
    return abs(measured_size(measure, pair)) < most


def _measures_somewhere(clause: Clause, side: Side) -> list[Measure]:
    """Return the measures of one side in which a part can have moved or turned somewhere."""
    if clause.direction is Direction.TURN:
        return [m for m in measures_of(side, clause.part) if m.direction in TURNS]
    if clause.part in {Part.HEAD, Part.SHOULDER}:
        return []  # they move with the trunk
    if clause.part is Part.BODY:
        return [m for m in measures_of(side, clause.part) if m.direction not in TURNS]
    return measures_of(side, clause.part.limb)


def _changed(measures: list[Measure], pair: PosePair) -> bool | None:
    """Return whether any measure changes by a first threshold; false only if all are known and stay."""
    known = [m for m in measures if applies(m, pair) and seen(m, pair)]
    sizes = [_far(m, m.thresholds[0], pair) for m in known]
    if True in sizes:
        return True
    stays = len(known) == len(measures) and all(_far(m, _ENOUGH * m.thresholds[0], pair) is False for m in known)
    return False if known and stays else None


def _far(measure: Measure, least: float, pair: PosePair) -> bool | None:
    """Return whether a measure changes by more than ``least`` in either direction."""
    if pair.uncertain:
        return _decided(1 - share_within(measure, pair, least))
    return abs(measured_size(measure, pair)) > least


def _chance_of_change(measures: list[Measure], pair: PosePair) -> float:
    """Return the probability that the most certain measure shows a movement; 0.5 if none can tell."""
    known = [m for m in measures if applies(m, pair)]
    if pair.uncertain:
        return max((1 - share_within(m, pair, _ENOUGH * m.thresholds[0]) for m in known), default=0.5)
    return max((_chance(m, abs(measured_size(m, pair)) - _ENOUGH * m.thresholds[0], pair) for m in known), default=0.5)


def _decided(share: float) -> bool | None:
    """Return what most plausible bodies show; ``None`` if they are divided."""
    return None if 1 - _DECIDING_SHARE < share < _DECIDING_SHARE else share >= _DECIDING_SHARE


def _sideways(side: Side, direction: Direction) -> Direction:
    """Return the outward or inward direction of one hand when both hands go to the left or right."""
    return direction.of_part(side) if direction.axis is BodyAxis.LATERAL else direction


Worth = Callable[[Clause], float] | Sequence[float]

_SOME = Side.NONE  # stands for an unstated side, and for parts without sides
_SIDES = {Side.BOTH: (Side.LEFT, Side.RIGHT, _SOME)}

# Per list, a part has at most one entry in one pose; relations of one set are names of the same place.
_ONLY_ONE: tuple[tuple[frozenset[Relation], ...], ...] = tuple(
    tuple(frozenset(names) for names in places)
    for places in (
        ({Relation.STRAIGHT}, {Relation.RIGHT_ANGLE}),
        ({Relation.SIDEWAYS}, {Relation.IN_FRONT}),
        ({Relation.CLOSE}, {Relation.SHOULDER_WIDTH}, {Relation.WIDE}),
        ({Relation.NEAR_HEAD}, {Relation.NEAR_HIP}, {Relation.NEAR_KNEE}, {Relation.NEAR_FOOT}),
        (
            {Relation.OVERHEAD, Relation.ABOVE_HEAD},
            {Relation.HEAD_HEIGHT},
            {Relation.SHOULDER_HEIGHT},
            {Relation.CHEST_HEIGHT},
            {Relation.HIP_HEIGHT},
            {Relation.HANGING},
            {Relation.ON_GROUND},
        ),
        ({Relation.NEAR_HEAD}, {Relation.CHEST_HEIGHT, Relation.HIP_HEIGHT, Relation.HANGING}),
        (
            {Relation.NEAR_HIP},
            {
                *(Relation.OVERHEAD, Relation.ABOVE_HEAD, Relation.HEAD_HEIGHT),
                *(Relation.SHOULDER_HEIGHT, Relation.CHEST_HEIGHT),
            },
        ),
    )
)


def contradictions(clauses: Sequence[Clause]) -> tuple[tuple[int, int], ...]:
    """Return the index pairs (i, j), i < j, of all contradicting clauses; a clause never contradicts an equal one."""
    return tuple((i, j) for (i, first), (j, second) in combinations(enumerate(clauses), 2) if contradict(first, second))


def without_contradictions(clauses: Sequence[Clause], worth: Worth) -> Plan:
    """Return the clauses that :func:`consistent_clauses` keeps."""
    return tuple(clauses[place] for place in consistent_clauses(clauses, worth))


def consistent_clauses(clauses: Sequence[Clause], worth: Worth) -> tuple[int, ...]:
    """Return the indices of clauses that do not contradict each other.

    Each omitted clause contradicts a kept one of equal or larger worth.

    Of a contradicting pair the clause with the larger ``worth`` stays, and the earlier one of a tie.
    ``worth`` is a function of a clause or a sequence with one number per clause; ``ValueError`` if the
    lengths differ.
    """
    worths = [worth(clause) for clause in clauses] if callable(worth) else list(worth)
    if len(worths) != len(clauses):
        raise ValueError(f"{len(clauses)} clauses need as many numbers, not {len(worths)}")
    places: list[int] = []
    for place in sorted(range(len(clauses)), key=lambda place: -worths[place]):
        if not any(contradict(clauses[place], clauses[other]) for other in places):
            places.append(place)
    return tuple(sorted(places))


def contradict(first: Clause, second: Clause) -> bool:
    """Return whether the two clauses contradict each other when followed.

    They do if both concern one part and side ("both" means left and right) and

    * move it in opposite directions along one axis, where a left hand that goes left goes outward;
    * one keeps a limb, or a part of it, still, and the other moves it, or moves the whole body that it carries;
    * they name places or shapes that a part cannot have at once ("straight" and "at a right angle"), or one names
      what the other moves away from ("raise your arm", "so that it hangs").

    Parts of one limb are separate: an arm may be raised while its hand is lowered (elbow out, hand down), so
    "raise your left arm" and "lower your left hand" are consistent. A part without a stated side may be on
    either side: it is compared with clauses for both sides and with clauses without a side, but not with
    clauses for one side.
    """
    if first == second:
        return False
    stays = _stays_and_moves(first, second) or _stays_and_moves(second, first)
    return stays or _opposed(first, second) or _elsewhere(first, second)


def _opposed(first: Clause, second: Clause) -> bool:
    """Return whether the clauses move one part in opposite directions along one axis."""
    if first.part is not second.part:
        return False
    second_directions = set(_directions(second))
    # Both feet may come together and go to the left: each foot's own direction is then ignored.
    pair = first.side is second.side is Side.BOTH
    opposable = [
        (side, direction)
        for side, direction in _directions(first)
        if direction.reverse is not direction and (side is _SOME or not pair)
    ]
    return any((side, direction.reverse) in second_directions for side, direction in opposable)


def _stays_and_moves(stay: Clause, movement: Clause) -> bool:
    if stay.direction is not Direction.KEEP or movement.direction in IN_PLACE:
        return False
    limb = stay.part.limb
    if movement.part is Part.BODY and stay.part is not Part.BODY:
        # The legs carry the body, so they move with it; the trunk keeps its place in it unless the body turns.
        return limb is Part.LEG or (limb is Part.TRUNK and movement.direction in BODY_TURNS)
    return limb is movement.part.limb and _share_a_side(stay, movement)


def _elsewhere(first: Clause, second: Clause) -> bool:
    """Return whether the clauses name exclusive places of one part, or one leads away from the other's place."""
    if first.part is not second.part or not _share_a_side(first, second):
        return False
    places = [
        {i for i, names in enumerate(group) if names & set(clause.relations)}
        for clause in (first, second)
        for group in _ONLY_ONE
    ]
    half = len(_ONLY_ONE)
    apart = any(a and b and not a & b for a, b in zip(places[:half], places[half:], strict=True))
    return apart or _left_behind(first, second) or _left_behind(second, first)


def _left_behind(movement: Clause, place: Clause) -> bool:
    """Return whether the movement cannot lead to a named place and its reverse can.

    Hands pass many places: a raised hand may still end at the knee.
    """
    if movement.part is Part.HAND or movement.direction in IN_PLACE:
        return False
    there, back = (
        {relation for choices in possible_relations(movement.part, direction) for relation, _ in choices}
        for direction in (movement.direction, movement.direction.reverse)
    )
    return bool(set(place.relations) & (back - there))


def _directions(clause: Clause) -> Iterator[tuple[Side, Direction]]:
    """Yield the sides that a movement concerns, each with its direction."""
    if clause.direction in IN_PLACE:
        return
    outward = clause.direction in PAIRED  # apart is outward for each of the two
    direction = clause.direction.within(Frame.PART) if outward else clause.direction
    for side in _sides(clause):
        yield side, direction.of_part(side)


def _sides(clause: Clause) -> tuple[Side, ...]:
    return _SIDES.get(clause.side, (clause.side,))


def _share_a_side(first: Clause, second: Clause) -> bool:
    return not set(_sides(first)).isdisjoint(_sides(second))


SignedAxis = tuple[Side, Part, Direction, bool]  # side, part and direction of a measure, and whether it grows


class Findings:
    """Findings about texts by one pair's joints: which clauses they confirm, and which changes a text omits.

    ``plan`` is the geometry's own plan of the pair.
    """

    def __init__(self, pair: PosePair) -> None:
        """Measure all axes once."""
        self.pair = pair
        self.plan = make_plan(pair)
        self._measured = changes(pair)
        self._sure = sure_axes(self._measured, pair) if pair.uncertain else {}
        self._planned = {axis for clause in self.plan for axis in signed_axes(clause)}
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
        clause_axes, other_axes = signed_axes(clause), frozenset(axis for other in by for axis in signed_axes(other))
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
        return signed_axes(clause) <= self._planned or all(self._surely(*axis) for axis in signed_measures)

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
            relation_excess(clause, relation, bodies) if shows_end(clause, relation, self.pair) else None
            for relation in clause.relations
        ]
        return all(distance is not None and float(np.mean(distance <= 1.0)) >= CERTAIN for distance in beyond)


def signed_axes(clause: Clause) -> frozenset[SignedAxis]:
    """Return the axes along which a clause moves."""
    return frozenset((m.side, m.part, m.direction, sign > 0) for m, sign in axes_of(clause))


def _each_side(clause: Clause) -> Plan:
    """Return the clause for each side separately."""
    return tuple(replace(clause, side=side) for side in clause.side.each)


def _with_arm(limb_axes: Iterable[SignedAxis]) -> frozenset[SignedAxis]:
    """Return the axes, with hands and forearms that go up or down replaced by their arm."""
    return frozenset(
        (side, Part.ARM if part.limb is Part.ARM and direction is Direction.UP else part, direction, more)
        for side, part, direction, more in limb_axes
    )


def _covered(clause: Clause, side: Side, clauses: Sequence[Clause]) -> bool:
    """Return whether other clauses say what the clause says of one side: the movement and the direction of an arm."""
    clause_axes = signed_axes(replace(clause, side=side)) or signed_axes(clause)
    sharing = [other for other in clauses if signed_axes(other) & clause_axes]
    swings = set(clause.relations) & SWINGS.keys() if clause.part is Part.ARM else set()
    stated = {relation for other in sharing for relation in other.relations}
    return swings <= stated and clause_axes <= {axis for other in sharing for axis in signed_axes(other)}

"""Two poses -> a plan: measure every axis, drop what is said already, join the sides, keep the most salient.

Every rule here looks at sizes of change alone, never at their sign or at the names of the sides. That is what makes the
plan of the way back the reverse of the plan, and the plan of the mirrored pair its mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fmp_models.describe.clauses import Clause, Degree, Direction, Part, Plan, Relation, Side
from fmp_models.describe.measures import MEASURES, Group, Measure, elbow_angle, elevation
from fmp_models.describe.relations import reached
from fmp_models.pose import INDEX, Array, BodySide, PosePair, joint_distances, support_side

VISIBLE = 0.55  # a joint less visible than this in either photograph is not measured
FEWEST, MOST = 3, 8
_METRES_PER_CLAUSE = 0.05  # of mean joint movement, for each clause beyond the fewest
_NEARLY = 0.7  # of the first step: worth saying where there is little else to say
_STILL = 0.6  # of the first step: a part that changed less has stayed where it was
_BODY_SIDES: tuple[BodySide, BodySide] = ("left", "right")
_DEGREES = (Degree.SLIGHT, Degree.PLAIN, Degree.FAR)
_PART_ORDER = tuple(Part)
_DIRECTION_ORDER = tuple(Direction)

# Relations that already say how far: the degree is then left out of the text, so it is left out of the plan.
SAYS_HOW_FAR = frozenset(Relation) - {Relation.SIDEWAYS, Relation.IN_FRONT}

# What can be said to stay, in this order; one side alone would need a rule for which
# comes first, and where a head looks cannot be seen.
STILL_PARTS: tuple[tuple[Side, Part], ...] = (
    (Side.BOTH, Part.LEG),
    (Side.BOTH, Part.ARM),
    (Side.NONE, Part.TRUNK),
)
# The parts of a limb, by the part that names it.
LIMBS: dict[Part, frozenset[Part]] = {
    Part.ARM: frozenset({Part.ARM, Part.ELBOW, Part.FOREARM, Part.HAND}),
    Part.LEG: frozenset({Part.LEG, Part.KNEE, Part.FOOT}),
}
_ALONGSIDE = 45.0  # degrees: a forearm that turns this nearly like its upper arm is carried by it
_HANGS = 45.0  # degrees from hanging below which bending the elbow lifts the forearm by itself
_ARM_BENT = 140.0  # degrees at the elbow
_HANDS_NEAR = 0.25  # metres: hands that start or end this close are worth relating to each other


@dataclass(frozen=True)
class Change:
    """One measured axis: ``size`` in its unit, ``salience`` in middle steps times the weight of the measure."""

    measure: Measure
    size: float

    @property
    def salience(self) -> float:
        """How much this change deserves to be said; rounded so that a mirror image ties exactly."""
        return round(abs(self.size) / self.measure.steps[1] * self.measure.weight, 6)

    @property
    def steps(self) -> int:
        """How many of the three steps the change has reached, 0 to 3."""
        return sum(abs(self.size) >= step for step in self.measure.steps)

    @property
    def direction(self) -> Direction:
        """The way of the change."""
        return self.measure.direction if self.size > 0 else self.measure.direction.reverse


Changes = dict[tuple[Side, Part, Direction], Change]  # by side, part and positive direction


def changes(pair: PosePair) -> Changes:
    """Every axis that can be measured between the two poses, by (side, part, positive direction)."""
    current, target = pair.current.joints, pair.target.joints
    found = {}
    for measure in MEASURES:
        if measure.weight and (pair.placed or not measure.needs_room) and seen(measure, pair):
            key = (measure.side, measure.part, measure.direction)
            found[key] = Change(measure, float(measure.change(current, target)))
    return found


def seen(measure: Measure, pair: PosePair) -> bool:
    """Whether every joint that the measure needs is visible in both photographs."""
    return bool(pair.visibility[[INDEX[name] for name in measure.joints]].min() >= VISIBLE)


def make_plan(pair: PosePair) -> Plan:
    """The clauses to say, most salient part of the body first; empty when nothing moved."""
    measured = changes(pair)
    clauses = _clauses(measured, 1.0, pair)
    if not clauses:
        return ()
    if len(clauses) < FEWEST:
        clauses = _clauses(measured, _NEARLY, pair)
    room = min(MOST, FEWEST + int(joint_distances(pair).mean() / _METRES_PER_CLAUSE))
    clauses = _ordered(_most_salient(clauses, room))
    plan = tuple(clause for clause, _, _ in clauses)
    moved = any(clause.part is Part.BODY for clause in plan)
    return plan + tuple(_kept(measured, FEWEST - len(plan), moved=moved))


def _most_salient(clauses: list[_Entry], room: int) -> list[_Entry]:
    """The first ``room``; equals at the end stay or go together, since no choice between them survives the way back."""
    if len(clauses) <= room:
        return clauses
    least = sorted((salience for _, salience, _ in clauses), reverse=True)[room - 1]
    kept = [entry for entry in clauses if entry[1] >= least]
    return kept if len(kept) <= MOST else [entry for entry in clauses if entry[1] > least]


def _clauses(measured: Changes, share: float, pair: PosePair) -> list[_Entry]:
    """What is said of the changes that reach a share of their first step."""
    told = {key: change for key, change in measured.items() if abs(change.size) >= share * change.measure.steps[0]}
    return _joined(_without_repeats(told, pair), pair)


def measures_of(side: Side, part: Part) -> list[Measure]:
    """Every axis in which a part must not change to have kept its place."""
    parts = LIMBS.get(part, frozenset({part}))
    sides: set[Side] = {Side.LEFT, Side.RIGHT, Side.BOTH} if side is Side.BOTH else {side}
    if part is Part.LEG:
        sides.add(Side.BOTH)  # the stance belongs to either leg
    return [m for m in MEASURES if m.weight and m.part in parts and m.side in sides]


def _stayed(side: Side, part: Part, measured: Changes) -> bool:
    found = [measured.get((m.side, m.part, m.direction)) for m in measures_of(side, part)]
    return all(change is not None and abs(change.size) < _STILL * change.measure.steps[0] for change in found)


def _kept(measured: Changes, wanted: int, *, moved: bool) -> list[Clause]:
    """Fill a short correction with what must not move: as useful to a person as what must.

    Legs and trunk keep their place within the body when the whole of it turns, but nobody would say so.
    """
    kept: list[Clause] = []
    for side, part in STILL_PARTS:
        if len(kept) >= wanted:
            break
        if not (moved and part in {Part.LEG, Part.TRUNK}) and _stayed(side, part, measured):
            kept.append(Clause(side, part, Direction.KEEP))
    return kept


def _without_repeats(told: Changes, pair: PosePair) -> Changes:
    """Leave out what follows from a larger statement about the same limb."""
    said = dict(told)
    support = support_side(pair)
    for side in _BODY_SIDES:
        _thin_arm(said, Side(side), side, pair)
        if support in {side, None}:
            for way in (Direction.OUT, Direction.FORWARD):
                said.pop((Side(side), Part.FOOT, way), None)
        else:
            _thin_foot(said, Side(side))
    arms_told = all(any(key[:2] == (Side(side), Part.ARM) for key in said) for side in _BODY_SIDES)
    if arms_told or not _hands_meet(pair):
        said.pop((Side.BOTH, Part.HAND, Direction.APART), None)
    knees = [said.get((Side(side), Part.KNEE, Direction.STRAIGHTEN)) for side in _BODY_SIDES]
    if all(knees):
        said.pop((Side.NONE, Part.BODY, Direction.UP), None)
    if any((Side(side), Part.LEG, Direction.UP) in said for side in _BODY_SIDES):
        # On one leg the hips lie over that foot, whatever the middle of the feet does.
        said.pop((Side.NONE, Part.HIPS, Direction.LEFT), None)
        said.pop((Side.NONE, Part.HIPS, Direction.FORWARD), None)
        said.pop((Side.NONE, Part.BODY, Direction.UP), None)
    return said


def _thin_arm(said: Changes, side: Side, body_side: BodySide, pair: PosePair) -> None:
    arm = said.get((side, Part.ARM, Direction.UP))
    elbow = said.get((side, Part.ELBOW, Direction.STRAIGHTEN))
    forearm = said.get((side, Part.FOREARM, Direction.UP))
    swings = [(side, Part.ARM, Direction.OUT), (side, Part.ARM, Direction.FORWARD)]
    if arm is not None:
        for key in swings:  # raising says the way it goes as a relation
            said.pop(key, None)
    elif all(key in said for key in swings):
        said.pop(min(swings, key=lambda key: said[key].salience))
    if forearm is not None:
        explained = arm is not None and abs(forearm.size - arm.size) < _ALONGSIDE
        hangs = max(
            float(elevation(pose.joints, f"{body_side}_shoulder", f"{body_side}_elbow"))
            for pose in (pair.current, pair.target)
        )
        if explained or (elbow is not None and hangs < _HANGS):
            said.pop((side, Part.FOREARM, Direction.UP))
            forearm = None
    raised = (side, Part.HAND, Direction.UP)
    if arm is not None and raised in said and (said[raised].size > 0) == (arm.size > 0):
        said.pop(raised)  # the hand goes with its arm
    hand = [(side, Part.HAND, way) for way in (Direction.UP, Direction.OUT, Direction.FORWARD)]
    moved = sorted((key for key in hand if key in said), key=lambda key: -said[key].salience)
    limb_told = arm or forearm or elbow or any(key in said for key in swings)
    swept = arm is not None and arm.steps == len(arm.measure.steps)  # so far that where the hand was no longer matters
    landmark = not swept and any(_at_landmark(pose.joints, body_side) for pose in (pair.current, pair.target))
    for rank, key in enumerate(moved):
        minor = rank > 0 and (limb_told or said[key].salience < said[moved[0]].salience / 2)
        if minor or (limb_told and not landmark):
            said.pop(key)


def _at_landmark(joints: Array, side: BodySide) -> bool:
    """Whether the hand is at the head, knee or foot, or on the hip: worth saying beside the arm's own movement."""
    near = {Relation.NEAR_HEAD, Relation.NEAR_KNEE, Relation.NEAR_FOOT}
    if elbow_angle(joints, side) < _ARM_BENT:
        near.add(Relation.NEAR_HIP)  # a straight arm that hangs is near the hip without meaning it
    return bool(near & set(reached(Part.HAND, Direction.IN, joints, side)))


def _thin_foot(said: Changes, side: Side) -> None:
    """Choose between "step to the side", "step forward" and "feet apart", which all see the same two ankles."""
    sideways, ahead = (side, Part.FOOT, Direction.OUT), (side, Part.FOOT, Direction.FORWARD)
    stance = (Side.BOTH, Part.FOOT, Direction.APART)
    out = abs(said[sideways].size) if sideways in said else 0.0
    along = abs(said[ahead].size) if ahead in said else 0.0
    if stance in said:
        if along > out:
            said.pop(stance)
        else:
            said.pop(sideways, None)
    if out > along * 1.5:
        said.pop(ahead, None)


def _hands_meet(pair: PosePair) -> bool:
    gaps = [
        np.linalg.norm(p.joints[INDEX["left_wrist"]] - p.joints[INDEX["right_wrist"]])
        for p in (pair.current, pair.target)
    ]
    return bool(min(gaps) < _HANDS_NEAR)


_Entry = tuple[Clause, float, Group]  # with its salience


def _joined(told: Changes, pair: PosePair) -> list[_Entry]:
    """Clauses with their salience and group; left and right that do the same become one."""
    clauses: list[_Entry] = []
    done: set[tuple[Side, Part, Direction]] = set()
    for key, change in told.items():
        side, part, way = key
        if key in done:
            continue
        done.add(key)
        twin_key = (side.mirrored, part, way)
        twin = told.get(twin_key) if twin_key != key else None
        sides: tuple[BodySide, ...] = (
            ("left", "right") if side is Side.BOTH or side is Side.NONE else (_body_side(side),)
        )
        salience, mean = change.salience, change
        if twin is not None and twin.direction is change.direction and abs(twin.steps - change.steps) <= 1:
            done.add(twin_key)
            side, sides = Side.BOTH, ("left", "right")
            salience = max(salience, twin.salience)
            mean = replace(change, size=(change.size + twin.size) / 2)
        each = [
            reached(part, change.direction, pair.target.joints, s) if _limb_seen(part, s, pair) else () for s in sides
        ]
        relations = tuple(r for r in each[0] if all(r in rest for rest in each[1:]))
        degree = Degree.PLAIN if SAYS_HOW_FAR & set(relations) else _DEGREES[max(mean.steps, 1) - 1]
        clauses.append((Clause(side, part, change.direction, degree, relations), salience, change.measure.group))
    return clauses


def _limb_seen(part: Part, side: BodySide, pair: PosePair) -> bool:
    """Whether the whole limb is visible: what a part reaches is told by its far end as well."""
    ends = {Part.ARM: ("elbow", "wrist", "hand"), Part.LEG: ("knee", "ankle")}
    limb = next((names for whole, names in ends.items() if part in LIMBS[whole]), ())
    return all(pair.target.visibility[INDEX[f"{side}_{name}"]] >= VISIBLE for name in limb)


def _body_side(side: Side) -> BodySide:
    return "left" if side is Side.LEFT else "right"


def _rank(entry: _Entry) -> tuple[object, ...]:
    """Most salient first; ties by part and direction before side, so that a mirror keeps the order."""
    clause, salience, _ = entry
    return (-salience, *_tie(clause))


def _tie(clause: Clause) -> tuple[object, ...]:
    return (
        _PART_ORDER.index(clause.part),
        _DIRECTION_ORDER.index(clause.direction),
        clause.degree,
        clause.relations,
        clause.side,
    )


def _ordered(clauses: list[_Entry]) -> list[_Entry]:
    """Neighbours of the body together, the group with the largest change first."""
    first = {group: min(_rank(entry) for entry in clauses if entry[2] == group) for group in {e[2] for e in clauses}}
    return sorted(clauses, key=lambda entry: (first[entry[2]], _rank(entry)))

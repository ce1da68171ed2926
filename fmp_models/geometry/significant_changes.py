"""Changes worth a clause: without those that follow from a larger change, and in photographs only certain ones.

A redundant change follows from a larger change of the same limb. In photographs, changes must be certain enough for a
clause, and some limbs cannot be judged. The rules for photographs use sizes and shares only, never signs or sides; see
:mod:`fmp_models.geometry.planner`. None of them applies to poses with exact joints: texts of a simulator stay the
same, and datasets keep their fingerprint.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from fmp_models.geometry.lexicon import LIMBS, SWINGS, UNCHANGED, Clause, Direction, Part, Relation, Side
from fmp_models.geometry.measured_changes import ENOUGH, STAYED, Change, Changes, Key, applies, share_within
from fmp_models.geometry.measures import MEASURES, Measure
from fmp_models.geometry.pose_values import FORWARD, LEFT, elbow_angle, elevation, hand_over_shoulder, is_lying, other
from fmp_models.geometry.relations import comes_to_rest, reached
from fmp_models.pose import BODY_SIDES, INDEX, Array, BodySide, PosePair, in_pelvis_frame, support_side

# Shares of the plausible bodies that must confirm a plain change, a slight one, and a minor slight one.
# On real photographs labelled by people, 93 of 100 accepted clauses are right.
_SURE, _SURER, _SUREST = 0.65, 0.75, 0.82
# Nearly all such clauses are right for limbs that move alike; for a limb that moves alone at least two of three.
_TOGETHER, _ALONE = 0.05, 0.08
# Visibility of heel and toes in both photographs, and share of plausible bodies, that a turn of a foot needs.
_CLEARLY = 0.9
# Visibility of a limb's end below which nine of ten plausible bodies must show its own movement.
_VISIBLY = 0.6
CERTAIN = 0.8  # share for claims that must not fail: a part stays, or reached the named end state
# Bends of elbows and knees, leans and heights are seen better than directions and than distances of feet: their
# slight clauses are right nearly as often without more certainty.
_NEARLY = 0.85
_MINOR, _PLAINER = 0.7, 1.3  # measures of less weight, and places of feet, must change by this many first thresholds
LIKELY = 0.6  # share of the plausible bodies that is more than a guess
# Shares of plausible bodies in which an unmentioned limb moved: if its twin or nothing moves, and otherwise.
_DOUBT, _GREAT_DOUBT = 0.5, 0.75
_AS_MUCH = 0.6  # share of the salience of raising an arm from which its second direction is worth a clause
_ALIKE = 0.8  # share of the salience of an arm's other direction from which both are needed
_SIDES = Side.BOTH.each
_BODY_TURN: Key = (Side.NONE, Part.BODY, Direction.TURN_LEFT)
_ROLLS = {Part.BODY, Part.TRUNK, Part.HEAD, Part.LEG, Part.HAND}
_END_OF = {direction: relation for relation, direction in SWINGS.items()}


def sure_changes(measured: Changes, share: float, pair: PosePair, points: Collection[Key] = ()) -> Changes:
    """Return the changes of two photographs that are worth a clause: certain, and a share of their first threshold.

    Changes at alignment ``points`` are certain by definition.
    """
    sure = _surely_moving(measured, pair, share) | {key: measured[key] for key in points}
    sure = _beside_rolls({key: sure[key] for key in measured if key in sure}, pair)
    if (Side.NONE, Part.HEAD, Direction.UP) in measured:  # gaze shows more reliably whether a head is lowered
        sure.pop((Side.NONE, Part.HEAD, Direction.FORWARD), None)
    remaining = without_repeats(sure, pair)
    remaining |= _swings(sure, remaining, pair)
    remaining = {key: change for key, change in remaining.items() if not _goes_with_arm(key, change, remaining)}
    _leave_one_way(remaining)
    return remaining | _lacking_swings(sure, remaining, pair)


def _leave_one_way(remaining: Changes) -> None:
    """Remove an arm, forearm, hand or turn that contradicts a larger one."""
    for side in _SIDES:
        for part in (Part.FOREARM, Part.HAND):
            _without_opposites(remaining, (side, Part.ARM, Direction.UP), (side, part, Direction.UP))
    _without_opposites(remaining, _BODY_TURN, (Side.NONE, Part.TRUNK, Direction.TURN_LEFT))


def sure_axes(measured: Changes, pair: PosePair) -> Changes:
    """Return all changes that are certain enough for a clause, including redundant ones.

    Omitted are the smaller of two that a reader takes for opposites, and steps of a foot that carries the
    body.
    """
    sure = _beside_rolls(_surely_moving(measured, pair, 1.0), pair)
    _leave_one_way(sure)
    support = support_side(pair)
    standing = {side for side in _SIDES if support is None or side == support}
    return {
        key: sure[key] for key in sure if not (key[0] in standing and _steps(key) and not steps_apart(key[2], pair))
    }


def _steps(key: Key) -> bool:
    """Return whether a change is a step of one foot."""
    return key[1] is Part.FOOT and key[2] in {Direction.OUT, Direction.FORWARD}


def _beside_rolls(sure: Changes, pair: PosePair) -> Changes:
    """Return the changes without height and lean if the body rolls over, which changes the heights of its sides."""
    if _BODY_TURN not in sure or not all(is_lying(pose.joints) for pose in (pair.current, pair.target)):
        return sure
    return {key: change for key, change in sure.items() if key == _BODY_TURN or key[1] not in _ROLLS}


def likeliest_changes(measured: Changes) -> Changes:
    """Return the most probable change, for a pair without certain changes, so that it is not described as unchanged.

    Empty if no change reaches a first threshold, or none is more likely than not.
    """
    likely = {
        key: change
        for key, change in measured.items()
        if change.thresholds_reached and change.share >= LIKELY and not _turns_foot(change.measure)
    }
    most = max((change.share for change in likely.values()), default=1.0)
    return {key: change for key, change in likely.items() if change.share == most}


def _without_opposites(remaining: Changes, first_key: Key, second_key: Key) -> None:
    """Remove the smaller of two changes that a reader takes for opposites; keep ``first_key`` of a tie.

    An upper arm that goes up while its hand goes down, or hips that turn one way and shoulders the other,
    usually means one wrongly detected joint.
    """
    first, second = remaining.get(first_key), remaining.get(second_key)
    if first is not None and second is not None and (first.size > 0) != (second.size > 0):
        remaining.pop(second_key if first.salience >= second.salience else first_key)


def _surely_moving(measured: Changes, pair: PosePair, share: float) -> Changes:
    """Return the certain changes; limbs that move like their twins need less certainty than limbs that move alone."""
    sure = {}
    for key, change in measured.items():
        side, part, direction = key
        twin = measured.get((side.mirrored, part, direction)) if side in _SIDES else None
        together = twin is not None and twin.direction is change.direction and is_sure(twin, pair, share, -_TOGETHER)
        margin = 0.0 if side not in _SIDES else -_TOGETHER if together else _ALONE
        if is_sure(change, pair, share, margin):
            sure[key] = change
    return sure


def is_sure(change: Change, pair: PosePair, share: float = 1.0, margin: float = 0.0) -> bool:
    """Return whether a change reaches a ``share`` of its first threshold with enough certainty.

    Minor measures must change more.

    ``margin`` is added to the required share of the plausible bodies.
    """
    measure = change.measure
    visible = pair.visibility[[INDEX[name] for name in measure.joints]].min()
    if _turns_foot(measure) and visible < _CLEARLY:
        return False
    if measure.part in {Part.FOREARM, Part.HAND} and visible < _VISIBLY and change.share < _CLEARLY:
        return False
    least, sure = _bounds(measure, pair, plain=abs(change.size) >= measure.thresholds[1])
    large = abs(change.size) >= share * least * measure.thresholds[0]
    return large and change.share >= sure + margin and not _carried(change, pair)


def _bounds(measure: Measure, pair: PosePair, *, plain: bool) -> tuple[float, float]:
    """Return the minimum change in first thresholds, and the share of the plausible bodies that must show it."""
    if _turns_foot(measure):
        return _PLAINER, _CLEARLY
    weak = measure.weight < _MINOR or measure.needs_feet
    if measure.part in {Part.ELBOW, Part.KNEE, Part.TRUNK, Part.BODY} and not weak:
        return _NEARLY, _SURE
    minor = weak or _unsteady(measure, pair)
    surest = (minor and not plain) or measure.part is Part.LEG
    return _PLAINER if minor else 1.0, _SUREST if surest else _SURE if plain else _SURER


def _turns_foot(measure: Measure) -> bool:
    """Return whether a measure depends on heel and toes alone, which lie a hand's width apart."""
    return measure.direction is Direction.TURN_OUT


def _unsteady(measure: Measure, pair: PosePair) -> bool:
    """Return whether a body lies and the measure is not made for two lying bodies."""
    lying = [bool(is_lying(pose.joints)) for pose in (pair.current, pair.target)]
    return any(lying) and not (all(lying) and measure.of_photographs is not None)


def _carried(change: Change, pair: PosePair) -> bool:
    """Return whether a hand is higher or lower only because the trunk carried its shoulder there."""
    measure = change.measure
    if (measure.part, measure.direction) != (Part.HAND, Direction.UP):
        return False
    before, after = (hand_over_shoulder(pose.joints, measure.side.of_body[0]) for pose in (pair.current, pair.target))
    rise = float(after - before)
    return (rise if change.size > 0 else -rise) < ENOUGH * measure.thresholds[0]


def _goes_with_arm(key: Key, change: Change, remaining: Changes) -> bool:
    """Return whether a hand moves in the stated direction of its arm."""
    side, part, direction = key
    arm = remaining.get((side, Part.ARM, direction))
    return part is Part.HAND and arm is not None and arm.direction is change.direction


def _swings(sure: Changes, remaining: Changes, pair: PosePair) -> Changes:
    """Return the second direction of raised or lowered arms, if it is large and not stated by all their end states."""
    arms = {
        s: remaining[Side(s), Part.ARM, Direction.UP]
        for s in BODY_SIDES
        if (Side(s), Part.ARM, Direction.UP) in remaining
    }
    swung = {}
    for direction in SWINGS.values():
        if all(_ends(direction, pair, body_side) for body_side in arms):
            continue
        for body_side, arm in arms.items():
            swings = arm_swings(Side(body_side))
            key = max((key for key in swings if key in sure), key=lambda key: sure[key].salience, default=None)
            if key is not None and key[2] is direction and sure[key].salience >= _AS_MUCH * arm.salience:
                swung[key] = sure[key]
    return swung


def _lacking_swings(sure: Changes, remaining: Changes, pair: PosePair) -> Changes:
    """Return the sideways or forward direction of an arm that has no clause yet.

    It counts if no clause of the arm is left, if it is larger than the rise, or if two directions are about
    equal. Swings are removed beside a raised arm, and the rise may have been removed itself, or be the
    smallest change of all.
    """
    lacking = {}
    for side in _SIDES:
        swings = arm_swings(side)
        candidates = [key for key in swings if key in sure and key not in remaining]
        if not candidates:
            continue
        key = max(candidates, key=lambda key: sure[key].salience)
        raised = remaining.get((side, Part.ARM, Direction.UP))
        least = [_ALIKE * remaining[swing].salience for swing in swings if swing in remaining]
        if raised is not None:
            if raised.thresholds_reached > 1 and _ends(key[2], pair, side.of_body[0]):
                continue
            least.append(raised.salience / _ALIKE)
        if (side, Part.HAND, key[2]) not in remaining and sure[key].salience >= max(least, default=0.0):
            lacking[key] = sure[key]
    return lacking


def _ends(direction: Direction, pair: PosePair, side: BodySide) -> bool:
    """Return whether an arm is where a swing leads, before or after; "raise" then states it, and "lower" need not."""
    return any(
        _END_OF[direction] in reached(Part.ARM, Direction.REACH, p.joints, side, pair.unseen_names)
        for p in (pair.current, pair.target)
    )


def unseen_limbs(pair: PosePair, plan: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return the limb, or both limbs of a kind, that may well have moved although the ``plan`` does not mention it.

    A limb that neither photograph shows is ignored while something else has to move. A limb whose twin is not
    mentioned needs more doubt.
    """
    plan = tuple(plan)
    moves = any(clause.direction not in UNCHANGED for clause in plan)
    doubts: dict[Part, dict[Side, float]] = {}
    for limb, parts in LIMBS.items():
        told = {side for clause in plan if clause.part in parts for side in clause.side.each}
        least = _DOUBT if told or not moves else _GREAT_DOUBT
        each = {side: _doubt(pair, side, limb, moves=moves) for side in _SIDES if side not in told}
        doubts[limb] = {side: doubt for side, doubt in each.items() if doubt > least}
    limb = max(doubts, key=lambda limb: max(doubts[limb].values(), default=0.0))
    sides = list(doubts[limb])
    return (Clause(Side.BOTH if len(sides) > 1 else sides[0], limb, Direction.UNSEEN),) if sides else ()


def _doubt(pair: PosePair, side: Side, limb: Part, *, moves: bool) -> float:
    """Return the share of plausible bodies in which a limb moved; 1 if it was not seen and that matters."""
    middle, end = limb.ends(side)
    if {middle, end} & pair.left_out:
        return 0.0
    hidden = [[pose.visibility[INDEX[name]] <= 0 for name in (middle, end)] for pose in (pair.current, pair.target)]
    if hidden[0][0] != hidden[1][0] or (not moves and any(map(any, hidden))):
        return 1.0
    known = [m for m in _main(side, LIMBS[limb]) if applies(m, pair)]
    return max((1 - share_within(m, pair, m.thresholds[1]) for m in known), default=0.0)


def _main(side: Side, parts: Collection[Part]) -> list[Measure]:
    """Return the major measures of a side that are meaningful for every body and independent of the other limb."""
    return [
        m
        for m in MEASURES
        if m.part in parts and m.side is side and m.weight > _MINOR and not m.needs_feet
        if all(name.startswith(side.value) or name.endswith("hip") for name in m.joints)
    ]


def surely_still(change: Change, pair: PosePair) -> bool:
    """Return whether most plausible bodies keep their place along an axis."""
    return share_within(change.measure, pair, STAYED * change.measure.thresholds[0]) >= CERTAIN


# Redundant changes: those that follow from a larger change of the same limb.
_ALONGSIDE = 45.0  # degrees: a forearm whose turn differs less from its upper arm's is carried by it
_HANGS = 45.0  # degrees from hanging below which bending the elbow lifts the forearm by itself
_ARM_BENT = 140.0  # degrees at the elbow
_STEPPED = 0.11  # metres that a foot moves against the hips
_HANDS_NEAR = 0.25  # metres between hands, before or after, below which their distance is worth a clause


def without_repeats(significant: Changes, pair: PosePair) -> Changes:
    """Return the changes without those that follow from a larger change of the same limb."""
    remaining = dict(significant)
    support = support_side(pair)
    for side in BODY_SIDES:
        _thin_arm(remaining, Side(side), side, pair)
        if support in {side, None}:
            for direction in (Direction.OUT, Direction.FORWARD):
                if not steps_apart(direction, pair):
                    remaining.pop((Side(side), Part.FOOT, direction), None)
        else:
            _thin_foot(remaining, Side(side), pair)
    arms_mentioned = all(any(key[:2] == (Side(side), Part.ARM) for key in remaining) for side in BODY_SIDES)
    if arms_mentioned or not _hands_meet(pair):
        remaining.pop((Side.BOTH, Part.HAND, Direction.APART), None)
    knees = [remaining.get((Side(side), Part.KNEE, Direction.STRAIGHTEN)) for side in BODY_SIDES]
    lie = pair.uncertain and all(is_lying(pose.joints) for pose in (pair.current, pair.target))
    height = (Side.NONE, Part.BODY, Direction.UP)
    # In photographs a sinking or rising body is kept beside the knees that cause it: speech makes them one movement.
    sinks = remaining.get(height) if pair.uncertain else None
    follows = sinks is not None and all(knee is not None and (knee.size > 0) == (sinks.size > 0) for knee in knees)
    far = sinks is not None and (comes_to_rest(pair) or sinks.thresholds_reached == len(sinks.measure.thresholds))
    if all(knees) and not (lie or follows or far):
        remaining.pop(height, None)
    if any((Side(side), Part.LEG, Direction.UP) in remaining for side in BODY_SIDES):
        # On one leg the hips are over that foot, wherever the middle of the feet is.
        remaining.pop((Side.NONE, Part.HIPS, Direction.LEFT), None)
        remaining.pop((Side.NONE, Part.HIPS, Direction.FORWARD), None)
        if not lie and (sinks is None or sinks.thresholds_reached <= 1):  # the hips of a lying body may rise as well
            remaining.pop(height, None)
    return remaining


def steps_apart(direction: Direction, pair: PosePair) -> bool:
    """Return whether photographs show both feet step, one forward and one back from under the hips.

    Neither foot then stayed where it was. The distance between the feet alone does not show which of them
    moved.
    """
    if not pair.uncertain or direction is not Direction.FORWARD:
        return False
    left, right = (_own_step(side, FORWARD, pair) for side in BODY_SIDES)
    return min(abs(left), abs(right)) > _STEPPED and left * right < 0


def _steps_aside_alone(side: BodySide, pair: PosePair) -> bool:
    """Return whether photographs show that only this foot steps to a side.

    Its step is then kept beside the change of the distance between the feet.
    """
    own, twin = (abs(_own_step(body_side, LEFT, pair)) for body_side in (side, other(side)))
    return pair.uncertain and own > _STEPPED > twin


def _own_step(side: BodySide, axis: int, pair: PosePair) -> float:
    """Return the metres that a foot moves relative to the hips along an axis of the body."""
    before, after = (in_pelvis_frame(pose.joints)[INDEX[f"{side}_ankle"], axis] for pose in (pair.current, pair.target))
    return float(after - before)


def arm_swings(side: Side) -> tuple[Key, ...]:
    """Return the axes of an arm other than up: out and forward."""
    return tuple((side, Part.ARM, direction) for direction in SWINGS.values())


def _thin_arm(remaining: Changes, side: Side, body_side: BodySide, pair: PosePair) -> None:
    arm = remaining.get((side, Part.ARM, Direction.UP))
    elbow = remaining.get((side, Part.ELBOW, Direction.STRAIGHTEN))
    forearm = remaining.get((side, Part.FOREARM, Direction.UP))
    swings = arm_swings(side)
    if arm is not None:
        for key in swings:  # the relations of "raise" state the direction
            remaining.pop(key, None)
    elif all(key in remaining for key in swings):
        remaining.pop(min(swings, key=lambda key: remaining[key].salience))
    if forearm is not None:
        explained = arm is not None and abs(forearm.size - arm.size) < _ALONGSIDE
        hangs = max(
            float(elevation(pose.joints, f"{body_side}_shoulder", f"{body_side}_elbow"))
            for pose in (pair.current, pair.target)
        )
        if explained or (elbow is not None and hangs < _HANGS and not pair.uncertain):
            remaining.pop((side, Part.FOREARM, Direction.UP))
            forearm = None
    raised = (side, Part.HAND, Direction.UP)
    if arm is not None and raised in remaining and (remaining[raised].size > 0) == (arm.size > 0):
        remaining.pop(raised)  # the hand moves with its arm
    hand = [(side, Part.HAND, direction) for direction in (Direction.UP, Direction.OUT, Direction.FORWARD)]
    hand_keys = sorted((key for key in hand if key in remaining), key=lambda key: -remaining[key].salience)
    limb_mentioned = arm or forearm or elbow or any(key in remaining for key in swings)
    swept = arm is not None and arm.thresholds_reached == len(
        arm.measure.thresholds
    )  # so far that the hand's start no longer matters
    landmark = not swept and any(
        _at_landmark(pose.joints, body_side, pair.unseen_names) for pose in (pair.current, pair.target)
    )
    for rank, key in enumerate(hand_keys):
        minor = rank > 0 and (limb_mentioned or remaining[key].salience < remaining[hand_keys[0]].salience / 2)
        if minor or (limb_mentioned and not landmark):
            remaining.pop(key)


def _at_landmark(joints: Array, side: BodySide, unseen: frozenset[str]) -> bool:
    """Return whether the hand is at the head, knee, foot or hip: worth a clause beside the arm's own movement."""
    near = {Relation.NEAR_HEAD, Relation.NEAR_KNEE, Relation.NEAR_FOOT}
    if elbow_angle(joints, side) < _ARM_BENT:
        near.add(Relation.NEAR_HIP)  # a straight hanging arm is near the hip by itself
    return bool(near & set(reached(Part.HAND, Direction.IN, joints, side, unseen)))


def _thin_foot(remaining: Changes, side: Side, pair: PosePair) -> None:
    """Choose between "step to the side", "step forward" and "feet apart", which all depend on the same two ankles."""
    sideways, ahead = (side, Part.FOOT, Direction.OUT), (side, Part.FOOT, Direction.FORWARD)
    stance = (Side.BOTH, Part.FOOT, Direction.APART)
    out = abs(remaining[sideways].size) if sideways in remaining else 0.0
    along = abs(remaining[ahead].size) if ahead in remaining else 0.0
    if stance in remaining:
        if along > out:
            remaining.pop(stance)
        elif not _steps_aside_alone(side.of_body[0], pair):
            remaining.pop(sideways, None)
    if out > along * 1.5:
        remaining.pop(ahead, None)


def _hands_meet(pair: PosePair) -> bool:
    gaps = [
        np.linalg.norm(p.joints[INDEX["left_wrist"]] - p.joints[INDEX["right_wrist"]])
        for p in (pair.current, pair.target)
    ]
    return bool(min(gaps) < _HANDS_NEAR)

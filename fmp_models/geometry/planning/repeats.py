"""Redundant changes: those that follow from a larger change of the same limb, and are removed."""

from __future__ import annotations

import numpy as np

from fmp_models.geometry.changes import Changes, Key
from fmp_models.geometry.clauses import Direction, Part, Relation, Side
from fmp_models.geometry.lexicon import SWINGS
from fmp_models.geometry.pose_values import FORWARD, LEFT, elbow_angle, elevation, is_lying, other
from fmp_models.geometry.relations import comes_to_rest, reached
from fmp_models.pose import BODY_SIDES, INDEX, Array, BodySide, PosePair, in_pelvis_frame, support_side

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

"""Repeats: what follows from a larger statement about the same limb, and is left out beside it."""

from __future__ import annotations

import numpy as np

from fmp_models.geometry.changes import Changes
from fmp_models.geometry.clauses import Direction, Part, Relation, Side
from fmp_models.geometry.pose_values import elbow_angle, elevation
from fmp_models.geometry.relations import comes_to_rest, reached
from fmp_models.pose import BODY_SIDES, INDEX, Array, BodySide, PosePair, support_side

_ALONGSIDE = 45.0  # degrees: a forearm that turns this nearly like its upper arm is carried by it
_HANGS = 45.0  # degrees from hanging below which bending the elbow lifts the forearm by itself
_ARM_BENT = 140.0  # degrees at the elbow
_HANDS_NEAR = 0.25  # metres: hands that start or end this close are worth relating to each other


def without_repeats(told: Changes, pair: PosePair) -> Changes:
    """Leave out what follows from a larger statement about the same limb."""
    said = dict(told)
    support = support_side(pair)
    for side in BODY_SIDES:
        _thin_arm(said, Side(side), side, pair)
        if support in {side, None}:
            for way in (Direction.OUT, Direction.FORWARD):
                said.pop((Side(side), Part.FOOT, way), None)
        else:
            _thin_foot(said, Side(side))
    arms_told = all(any(key[:2] == (Side(side), Part.ARM) for key in said) for side in BODY_SIDES)
    if arms_told or not _hands_meet(pair):
        said.pop((Side.BOTH, Part.HAND, Direction.APART), None)
    knees = [said.get((Side(side), Part.KNEE, Direction.STRAIGHTEN)) for side in BODY_SIDES]
    if all(knees) and not (pair.doubtful and comes_to_rest(pair)):
        said.pop((Side.NONE, Part.BODY, Direction.UP), None)
    if any((Side(side), Part.LEG, Direction.UP) in said for side in BODY_SIDES):
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

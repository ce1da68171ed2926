"""Relations, where a part ends up: each is a range that a measured value of the target pose must lie in.

A relation is stated when every value lies in its range, and judged true of somebody else's words when the values lie
within ``slack`` ranges of it. Distances in metres, angles in degrees; "at shoulder height" is measured at the wrist and
at the elbow, so that a bent arm is not called level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry.attitudes import foot_to_other_leg, is_kneeling, is_sitting, is_standing
from fmp_models.geometry.clauses import Direction, Part, Relation
from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    arm_direction,
    elbow_angle,
    elevation,
    foot_lift,
    hands_distance,
    is_lying,
    knee_angle,
    point,
    stance_width,
    trunk_tilt,
)
from fmp_models.pose import Array, BodySide, PosePair, in_pelvis_frame

INFINITY = float("inf")


@dataclass(frozen=True)
class Range:
    """``value(joints, side)`` lies between ``low`` and ``high``; ``slack`` widens both when words are judged."""

    value: Callable[[Array, BodySide], Array]
    low: float
    high: float
    slack: float

    def excess(self, joints: Array, side: BodySide) -> Array:
        """How far the value lies outside the range, in units of ``slack`` (0 inside)."""
        value = self.value(joints, side)
        return np.maximum(np.maximum(self.low - value, value - self.high), 0.0) / self.slack


def _height_over(joint: str, landmark: str) -> Callable[[Array, BodySide], Array]:
    def value(joints: Array, side: BodySide) -> Array:
        body = in_pelvis_frame(joints)
        name, over = joint.format(side=side), landmark.format(side=side)
        return point(body, name)[..., UP] - point(body, over)[..., UP]

    return value


def _gap(joint: str, landmark: str) -> Callable[[Array, BodySide], Array]:
    def value(joints: Array, side: BodySide) -> Array:
        return np.asarray(
            np.linalg.norm(point(joints, joint.format(side=side)) - point(joints, landmark.format(side=side)), axis=-1)
        )

    return value


def _arm_cosine(axis: int) -> Callable[[Array, BodySide], Array]:
    """Cosine between the level part of the upper arm and an axis of the body."""

    def value(joints: Array, side: BodySide) -> Array:
        arm = arm_direction(joints, side)
        level = np.hypot(arm[..., LEFT], arm[..., FORWARD])
        return np.asarray(arm[..., axis] / np.maximum(level, 1e-6))

    return value


def _arm_elevation(joints: Array, side: BodySide) -> Array:
    return elevation(joints, f"{side}_shoulder", f"{side}_elbow")


def _forearm_elevation(joints: Array, side: BodySide) -> Array:
    return elevation(joints, f"{side}_elbow", f"{side}_wrist")


def _is(attitude: Callable[[Array], NDArray[np.bool_]]) -> Range:
    """1 for a body in this attitude; nearly is not."""
    return Range(lambda joints, _: attitude(joints).astype(np.float64), 1.0, 1.0, 0.5)


_WRIST, _SHOULDER, _HEAD = "{side}_wrist", "{side}_shoulder", "head"
_AT_SHOULDER = Range(_height_over(_WRIST, _SHOULDER), -0.17, 0.15, 0.06)
_RIGHT_ANGLE = {
    Part.ELBOW: Range(elbow_angle, 78, 102, 12),
    Part.KNEE: Range(knee_angle, 78, 102, 12),
}
_STRAIGHT = {Part.ELBOW: Range(elbow_angle, 150, 180, 15), Part.KNEE: Range(knee_angle, 150, 180, 15)}
_LEVEL_ENOUGH = Range(_arm_elevation, 45, 135, 15)
_LOW = Range(_height_over(_WRIST, "hip"), -0.15, INFINITY, 0.1)

# What may be said of which part; the first that holds in each list is said, one list after the other.
RELATIONS: dict[Part, tuple[tuple[tuple[Relation, tuple[Range, ...]], ...], ...]] = {
    Part.ARM: (
        (
            (Relation.SIDEWAYS, (_LEVEL_ENOUGH, Range(_arm_cosine(LEFT), 0.75, 1.0, 0.15))),
            (Relation.IN_FRONT, (_LEVEL_ENOUGH, Range(_arm_cosine(FORWARD), 0.75, 1.0, 0.15))),
        ),
        (
            (Relation.SHOULDER_HEIGHT, (Range(_arm_elevation, 55, 120, 12), _AT_SHOULDER)),
            (Relation.OVERHEAD, (Range(_arm_elevation, 145, 180, 15), Range(_forearm_elevation, 140, 180, 15))),
            (Relation.HANGING, (Range(_arm_elevation, 0, 25, 10), Range(_forearm_elevation, 0, 45, 15))),
        ),
    ),
    Part.ELBOW: (((Relation.RIGHT_ANGLE, (_RIGHT_ANGLE[Part.ELBOW],)), (Relation.STRAIGHT, (_STRAIGHT[Part.ELBOW],))),),
    Part.KNEE: (((Relation.RIGHT_ANGLE, (_RIGHT_ANGLE[Part.KNEE],)), (Relation.STRAIGHT, (_STRAIGHT[Part.KNEE],))),),
    Part.FOREARM: (
        (
            (Relation.OVERHEAD, (Range(_forearm_elevation, 155, 180, 15),)),
            (Relation.HANGING, (Range(_forearm_elevation, 0, 25, 15),)),
        ),
    ),
    Part.HAND: (
        (
            (Relation.NEAR_HEAD, (Range(_gap("{side}_hand", _HEAD), 0.0, 0.2, 0.08),)),
            (Relation.NEAR_HIP, (Range(_gap("{side}_hand", "{side}_hip"), 0.0, 0.2, 0.08),)),
            (Relation.NEAR_KNEE, (Range(_gap("{side}_hand", "{side}_knee"), 0.0, 0.2, 0.08),)),
            (Relation.NEAR_FOOT, (Range(_gap("{side}_hand", "{side}_ankle"), 0.0, 0.25, 0.08),)),
            (Relation.ABOVE_HEAD, (Range(_height_over(_WRIST, _HEAD), 0.12, INFINITY, 0.1),)),
            (Relation.HEAD_HEIGHT, (Range(_height_over(_WRIST, _HEAD), -0.08, 0.12, 0.08),)),
            (Relation.SHOULDER_HEIGHT, (Range(_height_over(_WRIST, _SHOULDER), -0.06, 0.06, 0.08),)),
            (Relation.CHEST_HEIGHT, (_LOW, Range(_height_over(_WRIST, _SHOULDER), -0.22, -0.08, 0.08))),
            (Relation.HIP_HEIGHT, (Range(_height_over(_WRIST, "hip"), -0.08, 0.1, 0.08),)),
        ),
    ),
    Part.LEG: (
        (
            (Relation.HIP_HEIGHT, (Range(_height_over("{side}_knee", "hip"), -0.1, 0.15, 0.08),)),
            (Relation.ON_GROUND, (Range(foot_lift, 0.0, 0.06, 0.08),)),
        ),
        ((Relation.AGAINST_LEG, (Range(foot_lift, 0.15, INFINITY, 0.1), Range(foot_to_other_leg, 0.0, 0.15, 0.1))),),
    ),
    Part.BODY: (
        (
            (Relation.LYING, (_is(is_lying),)),
            (Relation.SITTING, (_is(is_sitting),)),
            (Relation.KNEELING, (_is(is_kneeling),)),
            (Relation.STANDING, (_is(is_standing),)),
        ),
    ),
    Part.TRUNK: (((Relation.UPRIGHT, (Range(lambda joints, _: trunk_tilt(joints), 0, 12, 8),)),),),
    Part.FOOT: (
        (
            (Relation.CLOSE, (Range(lambda joints, _: stance_width(joints), 0.0, 0.2, 0.08),)),
            (Relation.SHOULDER_WIDTH, (Range(lambda joints, _: stance_width(joints), 0.25, 0.5, 0.08),)),
            (Relation.WIDE, (Range(lambda joints, _: stance_width(joints), 0.75, INFINITY, 0.12),)),
        ),
    ),
}
_HANDS_CLOSE = ((Relation.CLOSE, (Range(lambda joints, _: hands_distance(joints), 0.0, 0.2, 0.06),)),)
_TURNS = {Direction.TURN_LEFT, Direction.TURN_RIGHT, Direction.TURN_OUT, Direction.TURN_IN}

# A relation belongs to a movement that leads there: nobody straightens to a right angle or lowers an arm overhead.
_NOT_WITH: dict[tuple[Part, Direction], frozenset[Relation]] = {
    (Part.ARM, Direction.UP): frozenset({Relation.HANGING}),
    (Part.ARM, Direction.DOWN): frozenset({Relation.OVERHEAD}),
    (Part.FOREARM, Direction.UP): frozenset({Relation.HANGING}),
    (Part.FOREARM, Direction.DOWN): frozenset({Relation.OVERHEAD}),
    (Part.HAND, Direction.UP): frozenset({Relation.NEAR_FOOT, Relation.NEAR_KNEE}),
    (Part.HAND, Direction.DOWN): frozenset({Relation.ABOVE_HEAD}),
    (Part.LEG, Direction.UP): frozenset({Relation.ON_GROUND}),
    (Part.LEG, Direction.DOWN): frozenset({Relation.HIP_HEIGHT, Relation.AGAINST_LEG}),
    (Part.BODY, Direction.UP): frozenset({Relation.LYING}),
    (Part.BODY, Direction.DOWN): frozenset({Relation.STANDING}),
    (Part.ELBOW, Direction.BEND): frozenset({Relation.STRAIGHT}),
    (Part.ELBOW, Direction.STRAIGHTEN): frozenset({Relation.RIGHT_ANGLE}),
    (Part.KNEE, Direction.BEND): frozenset({Relation.STRAIGHT}),
    (Part.KNEE, Direction.STRAIGHTEN): frozenset({Relation.RIGHT_ANGLE}),
    (Part.FOOT, Direction.APART): frozenset({Relation.CLOSE}),
    (Part.FOOT, Direction.TOGETHER): frozenset({Relation.WIDE}),
}


def possible_relations(part: Part, direction: Direction) -> tuple[tuple[tuple[Relation, tuple[Range, ...]], ...], ...]:
    """The relations that a clause of this part and direction may state, with their ranges."""
    if direction in _TURNS or direction in {Direction.KEEP, Direction.UNSEEN, Direction.MOVE, Direction.TURN}:
        return ()
    if part is Part.HAND and direction in {Direction.APART, Direction.TOGETHER}:
        return (_HANDS_CLOSE,) if direction is Direction.TOGETHER else ()
    if direction is Direction.REACH:
        return RELATIONS.get(part, ())
    if part is Part.FOOT and direction not in {Direction.APART, Direction.TOGETHER}:
        return ()
    if part in {Part.ARM, Part.BODY} and direction not in {Direction.UP, Direction.DOWN}:
        return ()
    barred = _NOT_WITH.get((part, direction), frozenset())
    lists = RELATIONS.get(part, ())
    allowed = (tuple(entry for entry in choices if entry[0] not in barred) for choices in lists)
    return tuple(choices for choices in allowed if choices)


def reached(part: Part, direction: Direction, target: Array, side: BodySide) -> tuple[Relation, ...]:
    """The relations that hold of the target pose (20, 3), at most one of each list."""
    relations = []
    for choices in possible_relations(part, direction):
        for relation, ranges in choices:
            if all(float(r.excess(target, side)) == 0.0 for r in ranges):
                relations.append(relation)
                break
    return tuple(relations)


def ranges_of(part: Part, direction: Direction, relation: Relation) -> tuple[Range, ...]:
    """The ranges of one relation; empty where it cannot be measured for this part."""
    for choices in possible_relations(part, direction):
        for candidate, ranges in choices:
            if candidate is relation:
                return ranges
    return ()


_RESTS = frozenset({Relation.SITTING, Relation.KNEELING, Relation.LYING, Relation.STANDING})


def newly_reached(part: Part, direction: Direction, pair: PosePair, side: BodySide) -> tuple[Relation, ...]:
    """The relations to say of a movement: how a body comes to rest only where it rested otherwise before.

    A simulator's texts name no rest and no foot against a leg, so that datasets keep their fingerprint.
    """
    relations = reached(part, direction, pair.target.joints, side)
    if not pair.doubtful:
        return tuple(r for r in relations if r not in _RESTS and r is not Relation.AGAINST_LEG)
    if Relation.AGAINST_LEG in relations:
        return (Relation.AGAINST_LEG,)
    return relations if part is not Part.BODY or comes_to_rest(pair) else ()


def comes_to_rest(pair: PosePair) -> bool:
    """Whether the body sits down, gets up, kneels or lies down: from one way of resting to another."""
    before, after = (reached(Part.BODY, Direction.REACH, pose.joints, "left") for pose in (pair.current, pair.target))
    return bool(before) and bool(after) and before != after

"""Relations: where a part ends up, each as ranges of measured values of the target pose.

A relation is stated if every value lies in its range. A relation in another text is judged true if the
values lie within ``slack`` of the range. Distances are metres, angles degrees. "At shoulder height" is
measured at the wrist and at the elbow, so that a bent arm is not called level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry.lexicon import PAIRED, VERTICAL, Direction, Part, Relation
from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    arm_direction,
    elbow_angle,
    elevation,
    foot_lift,
    foot_to_other_leg,
    hands_distance,
    is_kneeling,
    is_lying_down,
    is_sitting,
    is_standing,
    knee_angle,
    point,
    stance_width,
    trunk_tilt,
)
from fmp_models.pose import BODY_SIDES, Array, BodySide, Pose, PosePair, in_pelvis_frame

INFINITY = float("inf")
_WRIST, _SHOULDER, _HEAD = "{side}_wrist", "{side}_shoulder", "head"
_UPPER_ARM, _FOREARM = (_SHOULDER, "{side}_elbow"), ("{side}_elbow", _WRIST)
_FEET = ("left_ankle", "right_ankle")
_WHOLE_BODY = ("neck", *(f"{side}_{part}" for side in BODY_SIDES for part in ("hip", "knee", "ankle")))


@dataclass(frozen=True)
class Range:
    """Interval of a value: ``value(joints, side)`` lies between ``low`` and ``high``, widened by ``slack`` for judging.

    The value needs ``joints``, in which ``{side}`` stands for the side.
    """

    value: Callable[[Array, BodySide], Array]
    low: float
    high: float
    slack: float
    joints: tuple[str, ...] = ()

    def excess(self, joints: Array, side: BodySide) -> Array:
        """Return how far the value lies outside the range, in units of ``slack`` (0 inside)."""
        value = self.value(joints, side)
        return np.maximum(np.maximum(self.low - value, value - self.high), 0.0) / self.slack


def _height_over(joint: str, landmark: str, low: float, high: float, slack: float) -> Range:
    def value(joints: Array, side: BodySide) -> Array:
        body = in_pelvis_frame(joints)
        name, over = joint.format(side=side), landmark.format(side=side)
        return point(body, name)[..., UP] - point(body, over)[..., UP]

    return Range(value, low, high, slack, (joint, landmark))


def _near(joint: str, landmark: str, high: float) -> Range:
    def value(joints: Array, side: BodySide) -> Array:
        return np.asarray(
            np.linalg.norm(point(joints, joint.format(side=side)) - point(joints, landmark.format(side=side)), axis=-1)
        )

    return Range(value, 0.0, high, 0.08, (joint, landmark))


def _arm_along(axis: int) -> Range:
    """Return a range of the cosine between the horizontal part of the upper arm and an axis of the body."""

    def value(joints: Array, side: BodySide) -> Array:
        arm = arm_direction(joints, side)
        level = np.hypot(arm[..., LEFT], arm[..., FORWARD])
        return np.asarray(arm[..., axis] / np.maximum(level, 1e-6))

    return Range(value, 0.75, 1.0, 0.15, _UPPER_ARM)


def _elevated(bone: tuple[str, str], low: float, high: float, slack: float) -> Range:
    def value(joints: Array, side: BodySide) -> Array:
        return elevation(joints, *(name.format(side=side) for name in bone))

    return Range(value, low, high, slack, bone)


def _is(attitude: Callable[[Array], NDArray[np.bool_]]) -> Range:
    """Return a range that is met by a body in this attitude only, without a near miss."""
    return Range(lambda joints, _: attitude(joints).astype(np.float64), 1.0, 1.0, 0.5, _WHOLE_BODY)


def _bent(part: Part, low: float, high: float, slack: float) -> Range:
    """Return a range of the inner angle of an elbow or a knee."""
    if part is Part.ELBOW:
        return Range(elbow_angle, low, high, slack, (*_UPPER_ARM, _WRIST))
    return Range(knee_angle, low, high, slack, ("{side}_hip", "{side}_knee", "{side}_ankle"))


def _stance(low: float, high: float, slack: float) -> Range:
    return Range(lambda joints, _: stance_width(joints), low, high, slack, _FEET)


def _lifted(low: float, high: float, slack: float) -> Range:
    return Range(foot_lift, low, high, slack, _FEET)


_AT_SHOULDER = _height_over(_WRIST, _SHOULDER, -0.17, 0.15, 0.06)
_LEVEL_ENOUGH = _elevated(_UPPER_ARM, 45, 135, 15)
_LOW = _height_over(_WRIST, "hip", -0.15, INFINITY, 0.1)

# Relations of each part; of each list the first that holds is stated.
RELATIONS: dict[Part, tuple[tuple[tuple[Relation, tuple[Range, ...]], ...], ...]] = {
    Part.ARM: (
        (
            (Relation.SIDEWAYS, (_LEVEL_ENOUGH, _arm_along(LEFT))),
            (Relation.IN_FRONT, (_LEVEL_ENOUGH, _arm_along(FORWARD))),
        ),
        (
            (Relation.SHOULDER_HEIGHT, (_elevated(_UPPER_ARM, 55, 120, 12), _AT_SHOULDER)),
            (Relation.OVERHEAD, (_elevated(_UPPER_ARM, 145, 180, 15), _elevated(_FOREARM, 140, 180, 15))),
            (Relation.HANGING, (_elevated(_UPPER_ARM, 0, 25, 10), _elevated(_FOREARM, 0, 45, 15))),
        ),
    ),
    **{
        part: (
            (
                (Relation.RIGHT_ANGLE, (_bent(part, 78, 102, 12),)),
                (Relation.STRAIGHT, (_bent(part, 150, 180, 15),)),
            ),
        )
        for part in (Part.ELBOW, Part.KNEE)
    },
    Part.FOREARM: (
        (
            (Relation.OVERHEAD, (_elevated(_FOREARM, 155, 180, 15),)),
            (Relation.HANGING, (_elevated(_FOREARM, 0, 25, 15),)),
        ),
    ),
    Part.HAND: (
        (
            (Relation.NEAR_HEAD, (_near("{side}_hand", _HEAD, 0.2),)),
            (Relation.NEAR_HIP, (_near("{side}_hand", "{side}_hip", 0.2),)),
            (Relation.NEAR_KNEE, (_near("{side}_hand", "{side}_knee", 0.2),)),
            (Relation.NEAR_FOOT, (_near("{side}_hand", "{side}_ankle", 0.25),)),
            (Relation.ABOVE_HEAD, (_height_over(_WRIST, _HEAD, 0.12, INFINITY, 0.1),)),
            (Relation.HEAD_HEIGHT, (_height_over(_WRIST, _HEAD, -0.08, 0.12, 0.08),)),
            (Relation.SHOULDER_HEIGHT, (_height_over(_WRIST, _SHOULDER, -0.06, 0.06, 0.08),)),
            (Relation.CHEST_HEIGHT, (_LOW, _height_over(_WRIST, _SHOULDER, -0.22, -0.08, 0.08))),
            (Relation.HIP_HEIGHT, (_height_over(_WRIST, "hip", -0.08, 0.1, 0.08),)),
        ),
    ),
    Part.LEG: (
        (
            (Relation.HIP_HEIGHT, (_height_over("{side}_knee", "hip", -0.1, 0.15, 0.08),)),
            (Relation.ON_GROUND, (_lifted(0.0, 0.06, 0.08),)),
        ),
        (
            (
                Relation.AGAINST_LEG,
                (_lifted(0.15, INFINITY, 0.1), Range(foot_to_other_leg, 0.0, 0.15, 0.1, _WHOLE_BODY)),
            ),
        ),
    ),
    Part.BODY: (
        (
            (Relation.LYING, (_is(is_lying_down),)),
            (Relation.SITTING, (_is(is_sitting),)),
            (Relation.KNEELING, (_is(is_kneeling),)),
            (Relation.STANDING, (_is(is_standing),)),
        ),
    ),
    Part.TRUNK: (
        (
            (
                Relation.UPRIGHT,
                (Range(lambda joints, _: trunk_tilt(joints), 0, 12, 8, ("left_hip", "right_hip", "neck")),),
            ),
        ),
    ),
    Part.FOOT: (
        (
            (Relation.CLOSE, (_stance(0.0, 0.2, 0.08),)),
            (Relation.SHOULDER_WIDTH, (_stance(0.25, 0.5, 0.08),)),
            (Relation.WIDE, (_stance(0.75, INFINITY, 0.12),)),
        ),
    ),
}
_HANDS_CLOSE = (
    (Relation.CLOSE, (Range(lambda joints, _: hands_distance(joints), 0.0, 0.2, 0.06, ("left_wrist", "right_wrist")),)),
)

# A relation must fit the direction: a joint is not straightened to a right angle, an arm not lowered overhead.
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
    """Return the relations that a clause of this part and direction may state, with their ranges."""
    if part is Part.HAND and direction in PAIRED:
        return (_HANDS_CLOSE,) if direction is Direction.TOGETHER else ()
    match direction:
        case Direction.REACH:
            return RELATIONS.get(part, ())
        case Direction.UP | Direction.DOWN:
            fits = part is not Part.FOOT
        case Direction.APART | Direction.TOGETHER:
            fits = part not in {Part.ARM, Part.BODY}
        case Direction.FORWARD | Direction.BACKWARD | Direction.LEFT | Direction.RIGHT | Direction.OUT | Direction.IN:
            fits = part not in {Part.ARM, Part.BODY, Part.FOOT}
        case Direction.BEND | Direction.STRAIGHTEN:
            fits = part not in {Part.ARM, Part.BODY, Part.FOOT}
        case Direction.TURN_LEFT | Direction.TURN_RIGHT | Direction.TURN_OUT | Direction.TURN_IN | Direction.TURN:
            fits = False
        case Direction.KEEP | Direction.UNSEEN | Direction.MOVE:
            fits = False
        case _:
            assert_never(direction)
    if not fits:
        return ()
    barred = _NOT_WITH.get((part, direction), frozenset())
    lists = RELATIONS.get(part, ())
    allowed = (tuple(entry for entry in choices if entry[0] not in barred) for choices in lists)
    return tuple(choices for choices in allowed if choices)


def reached(
    part: Part, direction: Direction, target: Array, side: BodySide, unseen: frozenset[str] = frozenset()
) -> tuple[Relation, ...]:
    """Return the relations that the target pose (20, 3) meets, at most one of each list.

    Relations that need ``unseen`` joints are skipped.
    """
    relations = []
    for choices in possible_relations(part, direction):
        for relation, ranges in choices:
            if unseen and not unseen.isdisjoint(joints_of(ranges, side)):
                continue
            if all(float(r.excess(target, side)) == 0.0 for r in ranges):
                relations.append(relation)
                break
    return tuple(relations)


def joints_of(ranges: Iterable[Range], side: BodySide) -> frozenset[str]:
    """Return the joints that the ranges need for one side."""
    return frozenset(name.format(side=side) for bounds in ranges for name in bounds.joints)


def ranges_of(part: Part, direction: Direction, relation: Relation) -> tuple[Range, ...]:
    """Return the ranges of one relation; empty if it cannot be measured for this part."""
    for choices in possible_relations(part, direction):
        for candidate, ranges in choices:
            if candidate is relation:
                return ranges
    return ()


# From the lowest to the highest.
_ATTITUDES = {
    Relation.LYING: is_lying_down,
    Relation.SITTING: is_sitting,
    Relation.KNEELING: is_kneeling,
    Relation.STANDING: is_standing,
}
_RESTS = frozenset(_ATTITUDES)
_SURELY = 0.75  # share of the plausible bodies that must rest in one way
_OVERHEAD = 0.12  # metres of both wrists over the head of a body that may hang from a bar


def newly_reached(part: Part, direction: Direction, pair: PosePair, side: BodySide) -> tuple[Relation, ...]:
    """Return the relations to say of a movement; a way of resting only if the body rested otherwise before.

    Texts of a simulator name no way of resting and no foot against a leg, so that datasets keep their
    fingerprint.
    """
    relations = reached(part, direction, pair.target.joints, side, pair.unseen_names)
    if not pair.uncertain:
        return tuple(r for r in relations if r not in _RESTS and r is not Relation.AGAINST_LEG)
    if Relation.AGAINST_LEG in relations:
        return (Relation.AGAINST_LEG,)
    if part is not Part.BODY:
        return relations
    rests = rest_of(pair.current), rest_of(pair.target)
    return relations if comes_to_rest(pair) and _leads_to(direction, *rests) else ()


def comes_to_rest(pair: PosePair) -> bool:
    """Return whether the body surely changes its way of resting: sits down, gets up, kneels or lies down."""
    if pair.unseen_names.intersection(_WHOLE_BODY):
        return False
    before, after = rest_of(pair.current), rest_of(pair.target)
    return before is not None and after is not None and before is not after and not _may_hang(pair)


def rest_of(pose: Pose) -> Relation | None:
    """Return how the body rests, if nearly all of its plausible bodies agree, else ``None``."""
    bodies = pose.joints[None] if pose.pose_samples is None else pose.pose_samples
    for relation, attitude in _ATTITUDES.items():
        if attitude(pose.joints) and float(np.mean(attitude(bodies))) >= _SURELY:
            return relation
    return None


def _leads_to(direction: Direction, before: Relation | None, after: Relation | None) -> bool:
    """Return whether a raised body rests higher in the end, or a lowered one lower."""
    heights = list(_ATTITUDES)
    if before is None or after is None or direction not in VERTICAL:
        return False
    return (heights.index(after) > heights.index(before)) == (direction is Direction.UP)


def _may_hang(pair: PosePair) -> bool:
    """Return whether the body may hang from a bar in both poses; drawn-up knees then look like a seated person's."""
    overhead = _height_over(_WRIST, _HEAD, _OVERHEAD, INFINITY, 1.0)
    poses = (pair.current, pair.target)
    return all(float(overhead.excess(pose.joints, side)) == 0.0 for pose in poses for side in BODY_SIDES)

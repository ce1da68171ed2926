"""Values that define shapes: lengths in trunk lengths (hip to neck), independent of body size; angles in degrees.

Names of joints hold ``{side}`` and ``{other}`` for the given side and the opposite one. All functions
take camera-frame joints (..., 20, 3) and broadcast.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fmp_models.geometry.attitudes import foot_to_other_leg
from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    arm_direction,
    centre_of_weight,
    elbow_angle,
    elevation,
    facing_up,
    floor,
    knee_angle,
    other,
    outward,
    point,
    stance_width,
    trunk_tilt,
)
from fmp_models.geometry.relations import Range
from fmp_models.pose import BODY_SIDES, Array, BodySide, angle, in_pelvis_frame

INFINITY = float("inf")
_BENCH, _ON_BACK = 0.55, 0.45  # trunk lengths of the highest bench, cosine from which a front faces up

Value = Callable[[Array, BodySide], Array]


def size(joints: Array) -> Array:
    """Return the length (...) of the trunk in metres."""
    return np.asarray(np.maximum(np.linalg.norm(point(joints, "neck") - point(joints, "hip"), axis=-1), 1e-3))


def along(axis: int, joint: str, landmark: str) -> Value:
    """Return the value of trunk lengths from a landmark to a joint along a body axis: outward, up or forward."""

    def value(joints: Array, side: BodySide) -> Array:
        body = in_pelvis_frame(joints)
        names = (name.format(side=side, other=other(side)) for name in (joint, landmark))
        place, start = (point(body, name)[..., axis] for name in names)
        return np.asarray((place - start) * (outward(side) if axis == LEFT else 1.0) / size(joints))

    return value


def gap(joint: str, landmark: str) -> Value:
    """Return the value of trunk lengths between two joints."""

    def value(joints: Array, side: BodySide) -> Array:
        first, second = (point(joints, name.format(side=side, other=other(side))) for name in (joint, landmark))
        return np.asarray(np.linalg.norm(first - second, axis=-1) / size(joints))

    return value


def over_floor(joint: str) -> Value:
    """Return the value of a joint's height over the lowest joint, in trunk lengths."""

    def value(joints: Array, side: BodySide) -> Array:
        body = in_pelvis_frame(joints)
        return np.asarray(
            (point(body, joint.format(side=side, other=other(side)))[..., UP] - floor(body)) / size(joints)
        )

    return value


def over_rest(joint: str) -> Value:
    """Return the value of a joint's height over what bears the body, in trunk lengths.

    That is the lowest joint, or, for a body on its back, what it lies on, which may be a bench.
    """
    over = over_floor(joint)

    def value(joints: Array, side: BodySide) -> Array:
        return over(joints, side) - _BENCH * np.clip(facing_up(joints) / _ON_BACK, 0.0, 1.0)

    return value


def limb(upper: str, lower: str) -> Value:
    """Return the value of a limb's degrees from hanging."""
    return lambda joints, side: elevation(
        joints, *(name.format(side=side, other=other(side)) for name in (upper, lower))
    )


def between(first: str, middle: str, last: str) -> Value:
    """Return the value of the degrees at ``middle``; 180 is straight."""

    def value(joints: Array, side: BodySide) -> Array:
        a, b, c = (point(joints, name.format(side=side, other=other(side))) for name in (first, middle, last))
        return angle(a - b, c - b)

    return value


def arm_cosine(axis: int) -> Value:
    """Return the value of the cosine between the horizontal part of the upper arm and an axis of the body."""

    def value(joints: Array, side: BodySide) -> Array:
        arm = arm_direction(joints, side)
        return np.asarray(arm[..., axis] / np.maximum(np.hypot(arm[..., LEFT], arm[..., FORWARD]), 1e-6))

    return value


def face_up(joints: Array, _: BodySide) -> Array:
    """Return the cosine between the front of the trunk and up: 1 on the back, -1 on the belly."""
    return facing_up(joints)


def side_lean(joints: Array, side: BodySide) -> Array:
    """Return the degrees that the trunk leans to this side."""
    body = in_pelvis_frame(joints)
    along = point(body, "neck")[..., LEFT] * outward(side) / size(joints)
    return np.degrees(np.arcsin(np.clip(along, -1.0, 1.0)))


def stride(joints: Array, side: BodySide) -> Array:
    """Return the trunk lengths of this ankle in front of the other one, minus those beside it."""
    ahead, aside = (along(axis, "{side}_ankle", "{other}_ankle")(joints, side) for axis in (FORWARD, LEFT))
    return np.asarray(ahead - np.abs(aside))


def sole_to_leg(joints: Array, side: BodySide) -> Array:
    """Return the trunk lengths from this ankle to the other leg as seen from the front, since depth is unreliable."""
    body = in_pelvis_frame(joints) * np.array([1.0, 1.0, 0.0])
    return foot_to_other_leg(body, side) / size(joints)


def other_knee(joints: Array, side: BodySide) -> Array:
    """Return the degrees at the opposite knee."""
    return knee_angle(joints, other(side))


def above(value: Value, low: float, slack: float) -> Range:
    """Return the range of a value without an upper end."""
    return Range(value, low, INFINITY, slack)


def below(value: Value, high: float, slack: float) -> Range:
    """Return the range of a value without a lower end."""
    return Range(value, -INFINITY, high, slack)


def weight_behind(joints: Array, _: BodySide) -> Array:
    """Return the trunk lengths of the weight behind the feet, which only a seat can carry."""
    body = in_pelvis_frame(joints)
    feet = sum(point(body, f"{s}_{part}")[..., FORWARD] for s in BODY_SIDES for part in ("ankle", "foot")) / 4
    return np.asarray((feet - centre_of_weight(body)[..., FORWARD]) / size(joints))


def tilt(joints: Array, _: BodySide) -> Array:
    """Return the degrees of the trunk from upright."""
    return trunk_tilt(joints)


def stance(joints: Array, _: BodySide) -> Array:
    """Return the trunk lengths between the ankles."""
    return np.asarray(stance_width(joints) / size(joints))


UPPER_ARM = limb("{side}_shoulder", "{side}_elbow")
FOREARM = limb("{side}_elbow", "{side}_wrist")
THIGH = limb("{side}_hip", "{side}_knee")
OTHER_THIGH = limb("{other}_hip", "{other}_knee")
HANDS_MEET = below(gap("{side}_wrist", "{other}_wrist"), 0.4, 0.12)
UPRIGHT_ENOUGH = below(tilt, 55, 15)  # of a trunk relative to which hands and arms are placed
# Errors can only bend a straight limb, so its plausible bodies are bent by up to 30 degrees.
ELBOW_STRAIGHT = above(elbow_angle, 148, 22)
KNEE_STRAIGHT = above(knee_angle, 152, 22)
OTHER_KNEE_STRAIGHT = above(other_knee, 150, 22)
PRONE, SUPINE = below(face_up, -0.45, 0.25), above(face_up, 0.45, 0.25)
LEVEL_TRUNK = Range(tilt, 62, 118, 12)
HANDS_DOWN = below(along(UP, "{side}_wrist", "{side}_shoulder"), -0.55, 0.15)
KNEES_DOWN = below(over_floor("{side}_knee"), 0.28, 0.12)
HIPS_DOWN = below(over_floor("hip"), 0.38, 0.12)
LYING_DOWN = below(over_rest("hip"), 0.38, 0.12)
HIPS_HIGH = above(over_floor("hip"), 1.15, 0.2)
OVER_FEET = below(weight_behind, 0.14, 0.08)
FEET_LEVEL = Range(along(UP, "{side}_ankle", "{other}_ankle"), -0.3, 0.3, 0.15)

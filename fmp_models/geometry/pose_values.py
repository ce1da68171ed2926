"""Measured values of one pose: angles in degrees, heights, places and distances in metres.

Arms, trunk and head are measured in the pelvis frame, legs relative to the other foot. All functions take
camera-frame joints (..., 20, 3) and broadcast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import INDEX, Array, BodySide, angle, body_axes, in_pelvis_frame, of_bodies

LEFT, UP, FORWARD = 0, 1, 2  # axes of the body frame
_DOWN = np.array([0.0, -1.0, 0.0])
_TILTED, _LOW = 55.0, 0.5  # a body lies beyond these degrees of the trunk and below these metres of the hips
_LEVEL, _HANGING = 90.0, 115.0  # degrees of the trunk from upright
_STRAIGHT_DOWN = 10.0  # degrees past straight down that a trunk may hang and still be bent forward, unlike a bridge
# Limits of a crouch in metres: hips and knees over the floor, feet from under the hips, neck below the hips.
_OFF_FLOOR, _UNDER, _BOWED = 0.15, 0.4, 0.22
# Approximate shares of the body's weight: head, arms and chest; belly and pelvis; thighs.
_WEIGHTS = {"neck": 0.4, "hip": 0.35, "left_knee": 0.125, "right_knee": 0.125}
_GROUNDED = [
    INDEX[name]
    for name in (
        "head",
        "hip",
        *(f"{side}_{part}" for side in ("left", "right") for part in ("shoulder", "knee", "ankle")),
    )
]


def point(body: Array, name: str) -> Array:
    """Return one joint (..., 3) of joints (..., 20, 3)."""
    return body[..., INDEX[name], :]


def outward(side: BodySide) -> float:
    """Return the sign of the left axis that points away from the middle of the body."""
    return 1.0 if side == "left" else -1.0


def other(side: BodySide) -> BodySide:
    """Return the opposite side."""
    return "right" if side == "left" else "left"


def bend_angle(joints: Array, upper: str, middle: str, lower: str) -> Array:
    """Return the inner angle in degrees at ``middle``: 180 is straight."""
    return angle(point(joints, upper) - point(joints, middle), point(joints, lower) - point(joints, middle))


def elbow_angle(joints: Array, side: BodySide) -> Array:
    """Return the inner angle of the elbow in degrees."""
    return bend_angle(joints, f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist")


def knee_angle(joints: Array, side: BodySide) -> Array:
    """Return the inner angle of the knee in degrees."""
    return bend_angle(joints, f"{side}_hip", f"{side}_knee", f"{side}_ankle")


def arm_direction(joints: Array, side: BodySide) -> Array:
    """Return the unit vector (..., 3) of the upper arm as (outward, up, forward).

    The frame is the body frame, or that of the trunk for a lying body.
    """
    arm = point(joints, f"{side}_elbow") - point(joints, f"{side}_shoulder")
    return unit(np.einsum("...ij,...j->...i", _arm_axes(joints), arm) * _outward_axes(side))


@of_bodies
def _arm_axes(joints: Array) -> Array:
    """Return the rows (left, up, forward) of the frame (..., 3, 3) in which arms are measured."""
    return np.where(is_lying(joints)[..., None, None], trunk_axes(joints), body_axes(joints))


def trunk_axes(joints: Array) -> Array:
    """Return the rows (left, up, forward) of the trunk (..., 3, 3), whatever its attitude."""
    up = unit(point(joints, "neck") - point(joints, "hip"))
    across = point(joints, "left_shoulder") - point(joints, "right_shoulder")
    left = unit(across - (across * up).sum(axis=-1, keepdims=True) * up)
    return np.stack([left, up, np.cross(left, up)], axis=-2)


def facing_up(joints: Array) -> Array:
    """Return the cosine (...,) between the front of the trunk and up: 1 on the back, -1 on the belly."""
    across = point(joints, "left_shoulder") - point(joints, "right_shoulder")
    front = np.cross(across, point(joints, "neck") - point(joints, "hip"))
    return np.asarray(-front[..., 1] / np.maximum(np.linalg.norm(front, axis=-1), 1e-9))


def elevation(joints: Array, upper: str, lower: str) -> Array:
    """Return the degrees of a limb from hanging: 0 down, 90 level, 180 up."""
    body = in_pelvis_frame(joints)
    return angle(point(body, lower) - point(body, upper), _DOWN)


@of_bodies
def trunk_tilt(joints: Array) -> Array:
    """Return the degrees of the trunk from upright."""
    return 180.0 - elevation(joints, "hip", "neck")


def foot_lift(joints: Array, side: BodySide) -> Array:
    """Return the metres of this ankle above the other one, 0 for the lower foot; of a lying body, above the floor."""
    body = in_pelvis_frame(joints)
    ankle, other_ankle = (point(body, f"{s}_ankle")[..., UP] for s in (side, other(side)))
    return np.where(is_lying(joints), ankle - floor(body), np.maximum(ankle - other_ankle, 0.0))


def stance_width(joints: Array) -> Array:
    """Return the horizontal distance between the ankles in metres."""
    body = in_pelvis_frame(joints)
    gap = (point(body, "left_ankle") - point(body, "right_ankle"))[..., [LEFT, FORWARD]]
    return np.asarray(np.linalg.norm(gap, axis=-1))


def hands_distance(joints: Array) -> Array:
    """Return the distance between the wrists in metres."""
    return np.asarray(np.linalg.norm(point(joints, "left_wrist") - point(joints, "right_wrist"), axis=-1))


def body_height(joints: Array) -> Array:
    """Return the height of the centre hip over the lower ankle in metres; for a lying body, over the floor."""
    body = in_pelvis_frame(joints)
    lower = np.minimum(point(body, "left_ankle")[..., UP], point(body, "right_ankle")[..., UP])
    return -np.where(is_lying(joints), floor(body), lower)


@of_bodies
def is_lying(joints: Array) -> NDArray[np.bool_]:
    """Return whether the trunk is far from upright and the hips near the floor: lying, plank, all fours, bridge.

    A forward bend with straight legs does not count, since the hips are high, nor does a crouch on the feet.
    """
    body = in_pelvis_frame(joints)
    return np.asarray((trunk_tilt(joints) > _TILTED) & (-floor(body) < _LOW) & ~_crouches(body))


def _crouches(body: Array) -> NDArray[np.bool_]:
    """Return whether the body crouches, as to tie a shoe.

    The feet are under the hips, the knees off the floor and the neck not far below the hips.
    """
    feet = (point(body, "left_ankle") + point(body, "right_ankle")) / 2
    knees = np.minimum(point(body, "left_knee")[..., UP], point(body, "right_knee")[..., UP])
    above = (feet[..., UP] < -_OFF_FLOOR) & (knees - floor(body) > _OFF_FLOOR)
    under = np.hypot(feet[..., LEFT], feet[..., FORWARD]) < _UNDER
    return np.asarray(above & under & (point(body, "neck")[..., UP] > -_BOWED))


def floor(body: Array) -> Array:
    """Return the height (...,), relative to the hips, of the lowest joint that may lie on the floor, hands excluded.

    ``body`` has (left, up, forward) metres from the hips, as returned by ``in_pelvis_frame``.
    """
    return np.asarray(body[..., _GROUNDED, UP].min(axis=-1))


def unit(vector: Array) -> Array:
    """Return the unit vectors (..., 3) of vectors; zero stays zero."""
    length = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.asarray(vector / np.maximum(length, 1e-9))


def _outward_axes(side: BodySide) -> Array:
    return np.array([outward(side), 1.0, 1.0])


def arm_swing(joints: Array, side: BodySide, axis: int) -> Array:
    """Return the degrees that the upper arm points along an axis, outward or forward."""
    return np.degrees(np.arcsin(np.clip(arm_direction(joints, side)[..., axis], -1.0, 1.0)))


def lean(joints: Array, lower: str, upper: str, axis: int) -> Array:
    """Return the degrees that a part of the spine leans along an axis of the body frame.

    The arcsine of the component, rather than the angle in the plane, stays small and defined for a lying
    body.
    """
    body = in_pelvis_frame(joints)
    along = unit(point(body, upper) - point(body, lower))[..., axis]
    return np.degrees(np.arcsin(np.clip(along, -1.0, 1.0)))


def hangs(joints: Array) -> NDArray[np.bool_]:
    """Return whether the head hangs below the hips, as in a deep bend, a downward dog or a handstand.

    Touching one's toes does not count.
    """
    return np.asarray((trunk_tilt(joints) > _HANGING) & ~is_lying(joints))


def bends_over(joints: Array) -> NDArray[np.bool_]:
    """Return whether the trunk hangs by a forward bend, and not backward, as in a bridge, or sideways."""
    return np.asarray(hangs(joints) & (_forward_or_back(joints) > 0))


def lean_forward(current: Array, target: Array) -> Array:
    """Return the degrees that the trunk leans further forward in the target.

    The arcsine of :func:`lean` falls again beyond level. If one of two bodies hangs, both are measured all
    the way round, so that the one that hangs lower leans further.
    """
    far = hangs(current) | hangs(target)
    before, after = (lean(joints, "hip", "neck", FORWARD) for joints in (current, target))
    if not far.any():
        return after - before
    return np.where(far, _all_the_way(target, after) - _all_the_way(current, before), after - before)


def _all_the_way(joints: Array, leaning: Array) -> Array:
    over = (trunk_tilt(joints) > _LEVEL) & ~is_lying(joints)
    sign = np.where(over, _forward_or_back(joints), 0)
    return np.where(sign == 0, leaning, sign * 180 - leaning)


def _forward_or_back(joints: Array) -> Array:
    """Return 1 for a trunk that leans forward more than sideways, -1 for backward, and 0 for sideways."""
    forward, aside = (lean(joints, "hip", "neck", axis) for axis in (FORWARD, LEFT))
    forward = forward + _STRAIGHT_DOWN
    return np.where(np.abs(forward) > np.abs(aside), np.sign(forward), 0.0)


def head_tilt(joints: Array, axis: int) -> Array:
    """Return the degrees that the head leans along an axis of the body frame, relative to the trunk."""
    return lean(joints, "neck", "head", axis) - lean(joints, "hip", "neck", axis)


def head_aside(joints: Array) -> Array:
    """Return the degrees that the head leans to the left of the trunk's line, where left is that of the shoulders."""
    aside = (unit(point(joints, "head") - point(joints, "neck")) * trunk_axes(joints)[..., LEFT, :]).sum(axis=-1)
    return np.asarray(np.degrees(np.arcsin(np.clip(aside, -1.0, 1.0))))


def uprightness(joints: Array) -> Array:
    """Return the degrees of the trunk from upright, negated: the higher, the more upright."""
    return -trunk_tilt(joints)


def trunk_twist(joints: Array) -> Array:
    """Return the degrees that the shoulder line is turned left of the hip line, seen from above."""
    line = in_pelvis_frame(joints)
    line = point(line, "left_shoulder") - point(line, "right_shoulder")
    return np.degrees(np.arctan2(-line[..., FORWARD], line[..., LEFT]))


def shoulder_lift(joints: Array, side: BodySide) -> Array:
    """Return the metres that a shoulder is above the root of the neck, along the trunk."""
    axis = unit(point(joints, "neck") - point(joints, "hip"))
    return np.asarray(((point(joints, f"{side}_shoulder") - point(joints, "neck")) * axis).sum(axis=-1))


def hand_place(joints: Array, side: BodySide, axis: int) -> Array:
    """Return the metres of the wrist from the hips along an axis: outward, up or forward."""
    body = in_pelvis_frame(joints) * _outward_axes(side)
    return np.asarray(point(body, f"{side}_wrist")[..., axis])


def centre_of_weight(joints: Array) -> Array:
    """Return an approximate centre of mass (..., 3), in the same frame as the joints."""
    return np.asarray(sum(share * point(joints, name) for name, share in _WEIGHTS.items()))


def hand_over_shoulder(joints: Array, side: BodySide) -> Array:
    """Return the metres (...,) of the wrist above its own shoulder."""
    body = in_pelvis_frame(joints)
    return np.asarray(point(body, f"{side}_wrist")[..., UP] - point(body, f"{side}_shoulder")[..., UP])


def foot_place(joints: Array, side: BodySide, axis: int) -> Array:
    """Return the metres of this ankle from the other one along an axis: outward, up or forward."""
    body = in_pelvis_frame(joints) * _outward_axes(side)
    return point(body, f"{side}_ankle")[..., axis] - point(body, f"{other(side)}_ankle")[..., axis]


def foot_turn(joints: Array, side: BodySide) -> Array:
    """Return the degrees that the toes point outward from straight ahead."""
    toes = (point(joints, f"{side}_foot") - point(joints, f"{side}_ankle"))[..., None, :]
    toes = np.asarray(np.einsum("...ij,...kj->...ki", body_axes(joints), toes))[..., 0, :] * _outward_axes(side)
    return np.degrees(np.arctan2(toes[..., LEFT], toes[..., FORWARD]))


def hips_shift(joints: Array, axis: int) -> Array:
    """Return the metres of the hips from the middle between the ankles along an axis: left or forward."""
    body = in_pelvis_frame(joints)
    return -(point(body, "left_ankle") + point(body, "right_ankle"))[..., axis] / 2


def step(current: Array, target: Array, axis: int) -> Array:
    """Return the metres that the hip moves in the room, along the mean of both bodies' axes.

    The mean makes the reverse pair give exactly the negative change.
    """
    axes = body_axes(current)[..., axis, :] + body_axes(target)[..., axis, :]
    return np.asarray(((point(target, "hip") - point(current, "hip")) * unit(axes)).sum(axis=-1))

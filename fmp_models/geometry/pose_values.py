"""Measured values of a pose: angles in degrees, heights, places and distances in metres, and attitudes of the body.

Arms, trunk and head are measured in the pelvis frame, legs relative to the other foot. All functions take
camera-frame joints (..., 20, 3) and broadcast.

Joints are centred on the hips and a camera may be tilted, so photographs need estimates of the floor from the lowest
joints. Under the hips it is the line below all other joints: from shoulder to heel in a bridge, from hand to toe in
a plank. Joints do not show a chair, but balance does: a squatting person keeps their weight over the feet, a seated
person has it behind them.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import (
    BODY_SIDES,
    INDEX,
    Array,
    BodySide,
    angle,
    body_axes,
    in_pelvis_frame,
    of_bodies,
    wrap_degrees,
    yaw,
)

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


# Heights over the floor for bodies measured in photographs: hips and feet over what the body rests on.
_ON_FLOOR = 0.22  # metres of the hips over the floor below which a body sits on it
_ANKLE = 0.07  # metres of an ankle over the floor when its heel is down
_FLESH = 0.1  # metres of the hips over the floor when they rest on it
_ROLLED = 45.0  # degrees of roll about the body's length that are more than an error
_FACING_UP = 0.5  # cosine of the chest's direction with up from which a body lies on its back
_BESIDE = 0.15  # metres along the body: joints this near the hips do not support them
_UPPER = [
    INDEX[name] for name in ("head", *(f"{s}_{part}" for s in BODY_SIDES for part in ("shoulder", "elbow", "wrist")))
]
_LOWER = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("knee", "ankle", "foot")]


def raised(current: Array, target: Array) -> Array:
    """Return the metres (...,) that the hips rise over the floor, or over the shoulders for two bodies on their backs.

    A body on its back rests on the shoulders: higher hips are raised hips, whatever the legs do.
    """
    over_floor = hips_height(target) - hips_height(current)
    lies, lay = is_lying(target), is_lying(current)
    if not (lies.any() or lay.any()):
        return np.asarray(over_floor)
    # A lying body and another one have two estimates of the floor: only a change that both show counts.
    alike = floor(in_pelvis_frame(current)) - floor(in_pelvis_frame(target))
    shown = np.where(over_floor * alike > 0, np.sign(alike) * np.minimum(np.abs(over_floor), np.abs(alike)), 0.0)
    over_floor = np.where(lies == lay, over_floor, shown)
    over_shoulders = _over_shoulders(target) - _over_shoulders(current)
    return np.where(_on_back(current) & _on_back(target), over_shoulders, over_floor)


def leant(current: Array, target: Array) -> Array:
    """Return the degrees (...,) that the trunk leans further forward; for two bodies on their backs, the chest's rise.

    Hips that rise into a bridge also slope the trunk, but nobody sits up. Between a body on its back and one
    on its belly the lean is 0: the body rolls over, or one of them was seen the wrong way round.
    """
    on_backs = _on_back(current) & _on_back(target)
    leaning = lean_forward(current, target)
    lie = is_lying(current) & is_lying(target)
    if lie.any():
        leaning = np.where(lie & (chest_up(current) * chest_up(target) < -(_FACING_UP**2)), 0.0, leaning)
    return np.where(on_backs, _degrees_up(target) - _degrees_up(current), leaning) if on_backs.any() else leaning


def turned(current: Array, target: Array) -> Array:
    """Return the degrees (...,) of turn to the body's own left; for two lying bodies, of roll about their length."""
    lie, yawed = is_lying(current) & is_lying(target), wrap_degrees(yaw(target) - yaw(current))
    if not lie.any():
        return yawed
    roll = wrap_degrees(_roll(target) - _roll(current))
    return np.where(lie, np.where(np.abs(roll) > _ROLLED, roll, 0.0), yawed)


@of_bodies
def hips_height(joints: Array) -> Array:
    """Return the height (...,) of the hips over the floor, or over the lower foot of a standing body."""
    standing = -np.minimum(*(_lowest_of_foot(in_pelvis_frame(joints), side) for side in BODY_SIDES))
    seated = np.where(trunk_tilt(joints) > _LEVEL, standing, np.maximum(standing, _FLESH))
    lies = is_lying(joints)
    return np.where(lies, np.maximum(_over_floor(joints), _FLESH), seated) if lies.any() else seated


def foot_height(joints: Array, side: BodySide) -> Array:
    """Return the height (...,) of a foot's lowest point over the other foot; 0 for the lower foot.

    For a body that lies or sits on the floor, return the height over the floor.
    """
    body = in_pelvis_frame(joints)
    foot, other_foot = (_lowest_of_foot(body, s) for s in (side, other(side)))
    low = is_lying(joints) | (-floor(body) < _ON_FLOOR)
    return np.where(low, np.maximum(foot - floor(body) + _ANKLE, 0.0), np.maximum(foot - other_foot, 0.0))


def chest_up(joints: Array) -> Array:
    """Return how far (...,) the chest faces the ceiling: 1 on the back, 0 on a side or upright, -1 on the belly."""
    return np.asarray(-np.cross(_across(joints), _spine(joints))[..., 1])


@of_bodies
def _on_back(joints: Array) -> NDArray[np.bool_]:
    return np.asarray((trunk_tilt(joints) > _TILTED) & (chest_up(joints) > _FACING_UP))


def _over_shoulders(joints: Array) -> Array:
    body = in_pelvis_frame(joints)
    shoulders = (point(body, "left_shoulder") + point(body, "right_shoulder"))[..., UP] / 2
    return np.asarray(np.maximum(-shoulders, 0.0))


def _degrees_up(joints: Array) -> Array:
    """Return the degrees of the trunk over level, 0 if the shoulders are the lower end."""
    return np.degrees(np.arcsin(np.clip(-_spine(joints)[..., 1], 0.0, 1.0)))


def _over_floor(joints: Array) -> Array:
    body = in_pelvis_frame(joints)
    return -np.where(_on_back(joints), floor(body), _line_below_hips(body))


def _line_below_hips(body: Array) -> Array:
    """Return the height, relative to the hips, of the lowest line from a joint above them to a joint below them."""
    along = body[..., [LEFT, FORWARD]]
    way = unit(along[..., INDEX["neck"], :])
    places = (along * way[..., None, :]).sum(axis=-1)  # towards the head
    before = np.maximum(places[..., _UPPER], 0.0)[..., :, None]
    behind = np.maximum(-places[..., _LOWER], 0.0)[..., None, :]
    share = before / np.maximum(before + behind, 1e-6)
    lines = body[..., _UPPER, UP][..., :, None] * (1 - share) + body[..., _LOWER, UP][..., None, :] * share
    lowest = np.min(np.where(before + behind > _BESIDE, lines, np.inf), axis=(-2, -1))
    return np.where(np.isfinite(lowest), lowest, floor(body))


def _lowest_of_foot(body: Array, side: BodySide) -> Array:
    return np.minimum(point(body, f"{side}_ankle")[..., UP] - _ANKLE, point(body, f"{side}_foot")[..., UP])


def _roll(joints: Array) -> Array:
    """Return the degrees that a lying body is rolled to its own left from lying on its back."""
    left_down = _across(joints)[..., 1]
    return np.degrees(np.arctan2(left_down, chest_up(joints)))


def _across(joints: Array) -> Array:
    """Return the unit vector (..., 3) to the left of the body, across hips and shoulders."""
    across = sum(point(joints, f"left_{part}") - point(joints, f"right_{part}") for part in ("hip", "shoulder"))
    return unit(np.asarray(across))


def _spine(joints: Array) -> Array:
    return unit(point(joints, "neck") - point(joints, "hip"))


# Attitudes: standing, kneeling, sitting on a seat or on the floor; also a foot against a leg.
_UPRIGHT = 55.0  # degrees of the trunk from upright beyond which a body does not sit or kneel
_LEVEL_THIGHS = 55.0  # degrees of the thighs from hanging on a seat
_BEHIND = 0.25  # metres of the weight behind the feet beyond which only a seat can carry it
_ON_HANDS = 0.25  # metres of the shoulders over the wrists beyond which a body rests on its hands
_KNEES_DOWN = 0.16  # metres of a knee over the floor below which it rests on it
_KNEELING = (0.28, 0.65)  # metres of the hips over the floor
_HIGH, _STRAIGHT = 0.6, 125.0  # of a standing body: metres of the hips over the feet, degrees at the straighter knee


def is_sitting(joints: Array) -> NDArray[np.bool_]:
    """Return whether the body sits on the floor or on a seat that carries weight."""
    body = in_pelvis_frame(joints)
    weight = centre_of_weight(body)[..., FORWARD]
    feet = sum(point(body, f"{side}_{part}")[..., FORWARD] for side in BODY_SIDES for part in ("ankle", "foot")) / 4
    level = np.minimum(*(elevation(joints, f"{side}_hip", f"{side}_knee") for side in BODY_SIDES)) > _LEVEL_THIGHS
    seated = level & (feet - weight > _BEHIND) & (foot_lift(joints, "left") * foot_lift(joints, "right") == 0)
    on_floor = -floor(body) < _ON_FLOOR
    return np.asarray((trunk_tilt(joints) < _UPRIGHT) & ~is_lying(joints) & (seated | on_floor))


def is_lying_down(joints: Array) -> NDArray[np.bool_]:
    """Return whether the body lies on the back, the belly or a side.

    A body face down on its hands, as on all fours or in a plank, does not count.
    """
    body = in_pelvis_frame(joints)
    heights = [[point(body, f"{side}_{part}")[..., UP] for part in ("shoulder", "wrist")] for side in BODY_SIDES]
    on_hands = np.logical_and(*(shoulder - wrist > _ON_HANDS for shoulder, wrist in heights))
    return np.asarray(is_lying(joints) & ~(on_hands & (facing_up(joints) < 0)))


def is_kneeling(joints: Array) -> NDArray[np.bool_]:
    """Return whether the body is on both knees, with the hips off the heels or just above them."""
    body = in_pelvis_frame(joints)
    ground, (low, high) = floor(body), _KNEELING
    knees = np.maximum(*(point(body, f"{side}_knee")[..., UP] for side in BODY_SIDES)) - ground < _KNEES_DOWN
    hips = (-ground > low) & (-ground < high)
    return np.asarray(knees & hips & (trunk_tilt(joints) < _UPRIGHT))


def is_standing(joints: Array) -> NDArray[np.bool_]:
    """Return whether the body stands upright on one foot or both."""
    straight = np.maximum(*(knee_angle(joints, side) for side in BODY_SIDES)) > _STRAIGHT
    high = -floor(in_pelvis_frame(joints)) > _HIGH
    return np.asarray(straight & high & (trunk_tilt(joints) < _UPRIGHT) & ~is_kneeling(joints) & ~is_sitting(joints))


def foot_to_other_leg(joints: Array, side: BodySide) -> Array:
    """Return the metres (...,) from this ankle to the nearest point of the other thigh or shank."""
    ankle = point(joints, f"{side}_ankle")
    ends = [point(joints, f"{other(side)}_{name}") for name in ("hip", "knee", "ankle")]
    return np.minimum(*(_to_bone(ankle, *bone) for bone in pairwise(ends)))


def _to_bone(place: Array, upper: Array, lower: Array) -> Array:
    bone = lower - upper
    along = ((place - upper) * bone).sum(axis=-1) / np.maximum((bone * bone).sum(axis=-1), 1e-9)
    nearest = upper + np.clip(along, 0.0, 1.0)[..., None] * bone
    return np.asarray(np.linalg.norm(place - nearest, axis=-1))

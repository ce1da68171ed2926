"""Attitudes of the whole body: standing, kneeling, sitting on a seat or on the floor; also a foot against a leg.

Joints do not show a chair, but balance does: a squatting person keeps their weight over the feet, a
seated person has it behind them. All functions take camera-frame joints (..., 20, 3) and broadcast;
lengths are metres, angles degrees.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry.pose_values import (
    FORWARD,
    UP,
    centre_of_weight,
    elevation,
    facing_up,
    floor,
    foot_lift,
    is_lying,
    knee_angle,
    other,
    point,
    trunk_tilt,
)
from fmp_models.pose import BODY_SIDES, Array, BodySide, in_pelvis_frame

_UPRIGHT = 55.0  # degrees of the trunk from upright beyond which a body does not sit or kneel
_ON_FLOOR = 0.22  # metres of the hips over the floor below which a body sits on it
_LEVEL = 55.0  # degrees of the thighs from hanging on a seat
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
    level = np.minimum(*(elevation(joints, f"{side}_hip", f"{side}_knee") for side in BODY_SIDES)) > _LEVEL
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

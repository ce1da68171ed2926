"""Heights over the floor for bodies measured in photographs: hips and feet over what the body rests on.

Joints are centred on the hips and a camera may be tilted, so the floor is estimated from the lowest
joints. Under the hips it is the line below all other joints: from shoulder to heel in a bridge, from hand
to toe in a plank. All functions take camera-frame joints (..., 20, 3) and broadcast; heights are metres.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    floor,
    is_lying,
    lean_forward,
    other,
    point,
    trunk_tilt,
    unit,
)
from fmp_models.pose import BODY_SIDES, INDEX, Array, BodySide, in_pelvis_frame, of_bodies, wrap_degrees, yaw

_ANKLE = 0.07  # metres of an ankle over the floor when its heel is down
_LOW = 0.22  # metres of the hips over the lowest joint below which a body sits on the floor
_FLESH = 0.1  # metres of the hips over the floor when they rest on it
_TILTED = 55.0  # degrees of the trunk from upright beyond which a body lies
_LEVEL = 90.0  # degrees of the trunk from upright beyond which the hips are its higher end
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
    low = is_lying(joints) | (-floor(body) < _LOW)
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

"""Joint limits: how far a person's joints go, as angles in degrees computed from the joints of a body.

Ranges are those of healthy adults: American Academy of Orthopaedic Surgeons, Joint Motion: Method of
Measuring and Recording (1965), with the means of Boone and Azen (J. Bone Joint Surg. 1979; arms and legs)
and Youdas et al. (Phys. Ther. 1992; neck), widened for flexible people. The thigh reaches 150 from
hanging: 120 in the hip, the rest in the lower back, which the joints do not show separately. Elbows and
knees are hinges: the turn of the upper arm or thigh determines the direction in which they bend, so its
range prevents backward bending. A photograph may show a body beyond a range: the joint then goes no
further, and may stay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fmp_models.geometry.pose_values import outward, unit
from fmp_models.pose import BODY_SIDES, INDEX, Array, angle

_PLAIN_BEND = np.sin(np.radians(25.0))  # sine of the bend of an elbow or knee from which its direction is certain
_NEAR_TOP = 0.3  # near an arm that points straight up, where its turn is undefined
_DOWN = np.array([0.0, -1.0, 0.0])


class Limit(NamedTuple):
    """A range in degrees of one angle of a body."""

    name: str
    low: float
    high: float


_OF_A_SIDE = (
    Limit("elbow flexion", 0, 150),
    Limit("shoulder extension", -180, 60),
    Limit("shoulder across the chest", -180, 60),
    Limit("upper arm turned out", -100, 115),
    Limit("knee flexion", 0, 150),
    Limit("hip flexion", 0, 150),
    Limit("hip extension", -180, 30),
    Limit("hip outward", -30, 60),
    Limit("thigh turned out", -75, 75),
    Limit("foot from shank", 10, 130),
)
# In the order of :func:`angles`.
LIMITS: tuple[Limit, ...] = (
    *(Limit(f"{side} {limit.name}", limit.low, limit.high) for side in BODY_SIDES for limit in _OF_A_SIDE),
    Limit("spine aside", -45, 45),
    Limit("spine kink", 0, 60),
    Limit("spine twist", -50, 50),
    Limit("neck forward", -65, 60),
    Limit("neck aside", -45, 45),
)


def ranges(*bodies: Array) -> tuple[Array, Array]:
    """Return the lowest and the highest value of each angle; angles that ``bodies`` already have are always allowed."""
    reached = [angles(body) for body in bodies]
    low, high = np.array([limit[1:] for limit in LIMITS], dtype=np.float64).T
    return np.minimum.reduce([low, *reached]), np.maximum.reduce([high, *reached])


def angles(joints: Array) -> Array:
    """Return the angles (..., n) of bodies (..., 20, 3) in the order of :data:`LIMITS`."""
    pelvis, chest = frames(joints)
    hips, shoulders = (_bone(joints, f"right_{part}", f"left_{part}") for part in ("hip", "shoulder"))
    lower, upper = pelvis[..., 1, :], chest[..., 1, :]
    degrees: list[Array] = []
    for side in BODY_SIDES:
        flip = np.array([outward(side), 1.0, 1.0])
        arm, forearm, thigh, shank = (
            _in(axes, _bone(joints, f"{side}_{start}", f"{side}_{end}")) * flip
            for axes, start, end in (
                (chest, "shoulder", "elbow"),
                (chest, "elbow", "wrist"),
                (pelvis, "hip", "knee"),
                (pelvis, "knee", "ankle"),
            )
        )
        foot = _in(pelvis, _bone(joints, f"{side}_ankle", f"{side}_foot")) * flip
        degrees += [angle(arm, forearm), _arcsine(-arm[..., 2]), _arcsine(-arm[..., 0]), _turned(arm, forearm, 1.0)]
        degrees += [angle(thigh, shank), angle(thigh, _DOWN), _arcsine(-thigh[..., 2]), _arcsine(thigh[..., 0])]
        degrees += [-_turned(thigh, shank, -1.0), angle(shank, foot)]
    head = _in(chest, _bone(joints, "neck", "head"))
    whole = _in(_axes(_bone(joints, "hip", "neck"), hips), shoulders)
    degrees += [
        _arcsine((lower * hips).sum(axis=-1)),
        angle(lower, upper),
        np.degrees(np.arctan2(-whole[..., 2], whole[..., 0])),
        _arcsine(head[..., 2]),
        _arcsine(head[..., 0]),
    ]
    return np.stack(degrees, axis=-1)


def frames(joints: Array) -> tuple[Array, Array]:
    """Return the rows (left, up, forward) of the pelvis and of the chest (..., 3, 3)."""
    hips, shoulders = (_bone(joints, f"right_{part}", f"left_{part}") for part in ("hip", "shoulder"))
    return _axes(_bone(joints, "hip", "spine"), hips), _axes(_bone(joints, "spine", "neck"), shoulders)


def _turned(upper: Array, lower: Array, forward: float) -> Array:
    """Return the degrees that a limb is turned about its upper bone, outward if the lower bone bends out.

    The bend is compared with that of the hanging limb, to the front or (-1) to the back, rotated to the upper
    bone by the shortest swing. It fades to 0 for a straight limb and for one that points straight up.
    """
    bend = lower - (lower * upper).sum(axis=-1, keepdims=True) * upper
    below = np.maximum(1.0 - upper[..., 1], 1e-6)
    swung = (bend * (upper + _DOWN)).sum(axis=-1) / below
    ahead, aside = forward * (bend[..., 2] - upper[..., 2] * swung), bend[..., 0] - upper[..., 0] * swung
    surely = np.minimum(np.linalg.norm(bend, axis=-1) / _PLAIN_BEND, 1.0) * np.minimum(below / _NEAR_TOP, 1.0)
    return np.asarray(np.degrees(np.arctan2(aside, ahead)) * surely)


def _axes(up: Array, across: Array) -> Array:
    left = unit(across - (across * up).sum(axis=-1, keepdims=True) * up)
    return np.stack([left, up, np.cross(left, up)], axis=-2)


def _in(axes: Array, vector: Array) -> Array:
    return np.asarray((axes @ vector[..., None])[..., 0])


def _bone(joints: Array, start: str, end: str) -> Array:
    return unit(joints[..., INDEX[end], :] - joints[..., INDEX[start], :])


def _arcsine(value: Array) -> Array:
    return np.asarray(np.degrees(np.arcsin(np.clip(value, -1.0, 1.0))))

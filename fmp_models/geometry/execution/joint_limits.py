"""Joint limits: how far a person's joints go, as angles read off the joints of a body, in degrees.

Ranges are those of healthy adults: American Academy of Orthopaedic Surgeons, Joint Motion: Method of Measuring and
Recording (1965), with the means of Boone and Azen (J. Bone Joint Surg. 1979; arms and legs) and Youdas et al. (Phys.
Ther. 1992; neck), widened to what limber people reach. Elbow and knee bend by 150; the shoulder goes 60 back and 60
across the chest, and turns the arm in by 100 and out by 115 (90 and 90 by the books, and what the swing to the place
of the arm adds); the hip goes 30 back, 60 outward with the thigh flexed (45 without), 30 inward, and turns the thigh by
75. The thigh comes to 150 from hanging: 120 in the hip, the rest in the lower back, which the joints do not show by
itself. The back goes 45 to a side and twists by 50; the neck 60 forward, 65 back and 45 aside; toes point to 10 off the
line of the shank and come 40 above a right angle to it.

Elbows and knees are hinges: the turn of the upper arm or thigh says which way they bend, so that its range keeps them
from bending backwards. A photograph may show a body beyond a range: it goes no further then, and may stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmp_models.geometry.pose_values import outward, point
from fmp_models.pose import BODY_SIDES, Array, BodySide

_PLAIN_BEND = np.sin(np.radians(25.0))  # of an elbow or knee from which it is sure which way it bends
_NEAR_TOP = 0.3  # of an arm that points straight up: what it is turned by is not told there


@dataclass(frozen=True)
class Limit:
    """A range of degrees that an angle of a body lies in."""

    name: str
    low: float
    high: float


def _sided(*limits: Limit) -> tuple[Limit, ...]:
    return tuple(Limit(f"{side} {limit.name}", limit.low, limit.high) for side in BODY_SIDES for limit in limits)


# In the order in which :func:`angles` gives them.
LIMITS: tuple[Limit, ...] = (
    *_sided(
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
    ),
    Limit("spine aside", -45, 45),
    Limit("spine kink", 0, 60),
    Limit("spine twist", -50, 50),
    Limit("neck forward", -65, 60),
    Limit("neck aside", -45, 45),
)
_LOW = np.array([limit.low for limit in LIMITS])
_HIGH = np.array([limit.high for limit in LIMITS])


def ranges(start: Array) -> tuple[Array, Array]:
    """The lowest and the highest of each angle for a body that starts as ``start`` (20, 3): where it is, it may be."""
    now = angles(start)
    return np.minimum(_LOW, now), np.maximum(_HIGH, now)


def angles(joints: Array) -> Array:
    """The angles (..., n) of bodies (..., 20, 3) in the order of :data:`LIMITS`."""
    lower = _unit(point(joints, "spine") - point(joints, "hip"))
    upper = _unit(point(joints, "neck") - point(joints, "spine"))
    hips = _unit(point(joints, "left_hip") - point(joints, "right_hip"))
    shoulders = _unit(point(joints, "left_shoulder") - point(joints, "right_shoulder"))
    chest, pelvis = _axes(upper, shoulders), _axes(lower, hips)
    degrees: list[Array] = []
    for side in BODY_SIDES:
        degrees += _arm(joints, side, chest)
        degrees += _leg(joints, side, pelvis)
    head = _in(chest, _unit(point(joints, "head") - point(joints, "neck")))
    along = _unit(point(joints, "neck") - point(joints, "hip"))
    whole = _in(_axes(along, hips), shoulders)
    degrees += [
        _arcsine((lower * hips).sum(axis=-1)),
        _between(lower, upper),
        np.degrees(np.arctan2(-whole[..., 2], whole[..., 0])),
        _arcsine(head[..., 2]),
        _arcsine(head[..., 0]),
    ]
    return np.stack(degrees, axis=-1)


def _arm(joints: Array, side: BodySide, chest: Array) -> list[Array]:
    upper, fore = _bones(joints, side, ("shoulder", "elbow", "wrist"), chest)
    return [
        _between(upper, fore),
        _arcsine(-upper[..., 2]),
        _arcsine(-upper[..., 0]),
        _turned(upper, fore, forward=1.0),
    ]


def _leg(joints: Array, side: BodySide, pelvis: Array) -> list[Array]:
    thigh, shank = _bones(joints, side, ("hip", "knee", "ankle"), pelvis)
    foot = _unit(point(joints, f"{side}_foot") - point(joints, f"{side}_ankle"))
    shin = _unit(point(joints, f"{side}_ankle") - point(joints, f"{side}_knee"))
    return [
        _between(thigh, shank),
        _between(thigh, np.array([0.0, -1.0, 0.0])),
        _arcsine(-thigh[..., 2]),
        _arcsine(thigh[..., 0]),
        -_turned(thigh, shank, forward=-1.0),
        _between(shin, foot),
    ]


def _bones(joints: Array, side: BodySide, names: tuple[str, str, str], axes: Array) -> tuple[Array, Array]:
    """The two bones of a limb as unit vectors (outward, up, forward)."""
    first, middle, last = (point(joints, f"{side}_{name}") for name in names)
    flip = np.array([outward(side), 1.0, 1.0])
    return _in(axes, _unit(middle - first)) * flip, _in(axes, _unit(last - middle)) * flip


def _turned(upper: Array, lower: Array, forward: float) -> Array:
    """Degrees that a limb is turned about its upper bone, outward where the lower one bends out.

    The bend is compared with that of the hanging limb, to the front or (-1) to the back, taken along by the shortest
    swing to where the upper bone is. It fades out where the limb is straight, or straight up.
    """
    bend = lower - (lower * upper).sum(axis=-1, keepdims=True) * upper
    below = np.maximum(1.0 - upper[..., 1], 1e-6)
    swung = upper - np.array([0.0, 1.0, 0.0])
    ahead = forward * (bend[..., 2] - upper[..., 2] / below * (bend * swung).sum(axis=-1))
    aside = bend[..., 0] - upper[..., 0] / below * (bend * swung).sum(axis=-1)
    surely = np.minimum(np.linalg.norm(bend, axis=-1) / _PLAIN_BEND, 1.0) * np.minimum(below / _NEAR_TOP, 1.0)
    return np.asarray(np.degrees(np.arctan2(aside, ahead)) * surely)


def _axes(up: Array, across: Array) -> Array:
    """Rows (left, up, forward) of a frame (..., 3, 3) with ``up`` kept and ``across`` made level with it."""
    left = _unit(across - (across * up).sum(axis=-1, keepdims=True) * up)
    return np.stack([left, up, np.cross(left, up)], axis=-2)


def _in(axes: Array, vector: Array) -> Array:
    return np.asarray((axes * vector[..., None, :]).sum(axis=-1))


def _between(a: Array, b: Array) -> Array:
    """Degrees between unit vectors."""
    cross = np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1)
    return np.asarray(np.degrees(2 * np.arctan2(*cross)))


def _arcsine(value: Array) -> Array:
    return np.asarray(np.degrees(np.arcsin(np.clip(value, -1.0, 1.0))))


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.maximum(np.linalg.norm(vector, axis=-1, keepdims=True), 1e-9))

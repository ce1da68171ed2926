"""Yoga poses that texts may name beyond those of corrections; only parsed, like ``parsed_shapes``."""

from __future__ import annotations

import numpy as np

from fmp_models.geometry.pose_values import FORWARD, LEFT, UP, elbow_angle, knee_angle, outward, trunk_twist
from fmp_models.geometry.relations import Range
from fmp_models.geometry.shape import (
    ALL_JOINTS,
    ARMS,
    BODY,
    HIPS_DOWN,
    KNEE_STRAIGHT,
    KNEES_DOWN,
    LEGS,
    OTHER_KNEE_STRAIGHT,
    PRONE,
    SUPINE,
    THIGH,
    UPPER_ARM,
    UPRIGHT_ENOUGH,
    WHOLE,
    Shape,
    above,
    along,
    below,
    gap,
    limb,
    other_knee,
    over_floor,
    side_lean,
    stance,
    tilt,
)
from fmp_models.pose import Array, BodySide

_OTHER_UPPER_ARM = limb("{other}_shoulder", "{other}_elbow")
_STANDING = above(over_floor("hip"), 1.2, 0.2)
_WIDE = above(gap("{side}_ankle", "{other}_ankle"), 1.3, 0.25)
_HAND_DOWN = below(over_floor("{side}_hand"), 0.35, 0.15)
_KNEE_BENT = below(knee_angle, 125, 15)
_UPRIGHT = below(tilt, 45, 12)


def _chest_turn(joints: Array, side: BodySide) -> Array:
    """Return the degrees that the shoulders are turned to this side relative to the hips."""
    return np.asarray(trunk_twist(joints) * outward(side))


ASANAS: tuple[Shape, ...] = (
    Shape(
        "pigeon",
        BODY,
        (
            below(over_floor("hip"), 0.55, 0.15),
            _KNEE_BENT,
            above(other_knee, 130, 20),
            below(along(FORWARD, "{other}_ankle", "hip"), -0.8, 0.25),
            above(along(FORWARD, "{side}_knee", "hip"), 0.2, 0.15),
        ),
        sided=True,
    ),
    Shape(
        "eagle",
        LEGS | ARMS,
        (
            below(along(LEFT, "{side}_ankle", "{other}_ankle"), 0.05, 0.12),
            above(over_floor("{side}_ankle"), 0.2, 0.1),
            Range(other_knee, 100, 165, 12),
            below(gap("{side}_elbow", "{other}_elbow"), 0.6, 0.2),
            below(elbow_angle, 130, 20),
            _UPRIGHT,
        ),
        ALL_JOINTS,
        sided=True,
    ),
    Shape(
        "happy_baby",
        WHOLE,
        (
            SUPINE,
            HIPS_DOWN,
            Range(knee_angle, 50, 135, 20),
            above(gap("{side}_knee", "{other}_knee"), 0.6, 0.2),
            below(gap("{side}_hand", "{side}_foot"), 0.7, 0.25),
        ),
    ),
    Shape(
        "crow",
        WHOLE,
        (
            above(tilt, 50, 12),
            _KNEE_BENT,
            _HAND_DOWN,
            above(over_floor("{side}_ankle"), 0.15, 0.08),
            below(gap("{side}_knee", "{side}_elbow"), 0.7, 0.25),
        ),
    ),
    Shape(  # the side is that of the lowered hand
        "half_moon",
        BODY,
        (
            above(side_lean, 45, 12),
            above(other_knee, 140, 20),
            KNEE_STRAIGHT,
            above(over_floor("{other}_ankle"), 0.8, 0.25),
            above(over_floor("hip"), 1.1, 0.25),
        ),
        sided=True,
    ),
    Shape(
        "side_angle",
        WHOLE,
        (Range(knee_angle, 70, 145, 12), OTHER_KNEE_STRAIGHT, _WIDE, above(side_lean, 25, 10)),
        sided=True,
    ),
    Shape(
        "reverse_warrior",
        WHOLE,
        (
            Range(knee_angle, 70, 145, 12),
            OTHER_KNEE_STRAIGHT,
            _WIDE,
            below(side_lean, -8, 6),
            above(UPPER_ARM, 120, 20),
            below(_OTHER_UPPER_ARM, 80, 15),
        ),
        sided=True,
    ),
    Shape(
        "bow",
        WHOLE,
        (
            PRONE,
            HIPS_DOWN,
            above(along(UP, "neck", "hip"), 0.15, 0.1),
            _KNEE_BENT,
            below(gap("{side}_hand", "{side}_ankle"), 0.7, 0.25),
        ),
    ),
    Shape(
        "plow",
        BODY,
        (
            above(along(UP, "hip", "neck"), 0.5, 0.15),
            below(along(FORWARD, "{side}_ankle", "hip"), -0.4, 0.2),
            KNEE_STRAIGHT,
        ),
    ),
    Shape(
        "fish",
        BODY,
        (SUPINE, HIPS_DOWN, Range(tilt, 45, 84, 8), KNEE_STRAIGHT, below(along(UP, "head", "neck"), 0.1, 0.1)),
    ),
    Shape(
        "butterfly",
        LEGS,
        (
            HIPS_DOWN,
            below(knee_angle, 100, 15),
            above(gap("{side}_knee", "{other}_knee"), 1.0, 0.25),
            below(gap("{side}_ankle", "{other}_ankle"), 0.45, 0.15),
            below(tilt, 60, 12),
        ),
    ),
    Shape("wide_sitting", LEGS, (HIPS_DOWN, KNEE_STRAIGHT, above(stance, 1.4, 0.3), Range(THIGH, 65, 115, 12))),
    Shape(  # the side is that of the stretched leg
        "head_to_knee", BODY, (HIPS_DOWN, above(tilt, 35, 10), KNEE_STRAIGHT, below(other_knee, 110, 15)), sided=True
    ),
    Shape(
        "backbend",
        WHOLE,
        (_STANDING, KNEE_STRAIGHT, below(along(FORWARD, "neck", "hip"), -0.12, 0.08), above(UPPER_ARM, 140, 16)),
    ),
    Shape(  # the ears are held from between the legs
        "rooster",
        WHOLE,
        (
            above(tilt, 75, 12),
            below(knee_angle, 150, 12),
            above(over_floor("hip"), 0.5, 0.2),
            below(gap("{side}_hand", "head"), 0.7, 0.2),
        ),
        (*ALL_JOINTS, "head"),
    ),
    Shape(
        "puppy",
        BODY,
        (KNEES_DOWN, above(over_floor("hip"), 0.6, 0.15), above(tilt, 90, 12), _HAND_DOWN, PRONE),
        ALL_JOINTS,
    ),
    Shape(
        "shoulder_stand",
        BODY,
        (above(along(UP, "hip", "neck"), 0.6, 0.15), above(along(UP, "{side}_ankle", "hip"), 0.6, 0.2)),
    ),
    Shape(
        "side_reach",
        BODY | ARMS,
        (above(side_lean, 18, 8), below(tilt, 80, 10), above(_OTHER_UPPER_ARM, 110, 20)),
        ALL_JOINTS,
        sided=True,
    ),
    Shape("seated_twist", BODY, (HIPS_DOWN, below(tilt, 45, 12), above(_chest_turn, 20, 10)), sided=True),
    Shape(
        "eagle_arms",
        ARMS,
        (
            below(gap("{side}_elbow", "{other}_elbow"), 0.6, 0.2),
            below(elbow_angle, 130, 20),
            above(UPPER_ARM, 50, 15),
            UPRIGHT_ENOUGH,
        ),
    ),
)

"""Shapes that texts may name and that are only parsed, so generated texts do not depend on them.

``EVERYDAY`` are exercises, seats and places of hands; ``FURTHER`` are other end states of the body.
"""

from __future__ import annotations

import numpy as np

from fmp_models.geometry.pose_values import FORWARD, LEFT, UP, elbow_angle, is_sitting, knee_angle
from fmp_models.geometry.relations import Range
from fmp_models.geometry.shape import (
    ALL_JOINTS,
    ARM_JOINTS,
    ARMS,
    BODY,
    BODY_JOINTS,
    ELBOW_STRAIGHT,
    FOREARM,
    HIPS_DOWN,
    KNEE_STRAIGHT,
    KNEES_DOWN,
    LEG_JOINTS,
    LEGS,
    LEVEL_TRUNK,
    LYING_DOWN,
    OTHER_KNEE_STRAIGHT,
    OTHER_THIGH,
    PRONE,
    SUPINE,
    THIGH,
    TRUNK,
    UPPER_ARM,
    UPRIGHT_ENOUGH,
    WHOLE,
    Shape,
    above,
    along,
    below,
    face_up,
    gap,
    limb,
    other_knee,
    over_floor,
    over_rest,
    side_lean,
    stance,
    tilt,
)
from fmp_models.pose import Array, BodySide

_OTHER_UPPER_ARM = limb("{other}_shoulder", "{other}_elbow")
_HIPS_OVER_LEGS = above(over_floor("hip"), 1.2, 0.2)  # of a standing body, also on one leg
_HAND_DOWN = below(over_floor("{side}_hand"), 0.35, 0.15)
_UPRIGHT = below(tilt, 45, 12)


def _sits(joints: Array, _: BodySide) -> Array:
    return np.asarray(is_sitting(joints), dtype=np.float64)


def _kick(name: str, way: Range) -> Shape:
    lifted = above(over_floor("{side}_ankle"), 0.25, 0.1)
    return Shape(name, LEGS, (lifted, way, KNEE_STRAIGHT, OTHER_KNEE_STRAIGHT, _HIPS_OVER_LEGS), sided=True)


EVERYDAY: tuple[Shape, ...] = (
    Shape(
        "side_lunge",
        LEGS,
        (
            below(knee_angle, 145, 12),
            OTHER_KNEE_STRAIGHT,
            above(along(LEFT, "{side}_ankle", "{other}_ankle"), 1.1, 0.25),
        ),
        sided=True,
    ),
    Shape(
        "tiptoe",
        LEGS,
        (above(along(UP, "{side}_ankle", "{side}_foot"), 0.21, 0.04), _HIPS_OVER_LEGS, KNEE_STRAIGHT),
        (*LEG_JOINTS, "{side}_foot", "{other}_foot"),
    ),
    Shape(
        "crunch",
        BODY,
        (SUPINE, HIPS_DOWN, Range(tilt, 30, 82, 8), Range(knee_angle, 50, 130, 15), above(THIGH, 80, 15)),
    ),
    Shape(
        "dead_bug",
        WHOLE,
        (
            SUPINE,
            HIPS_DOWN,
            above(tilt, 66, 10),
            Range(knee_angle, 60, 120, 15),
            above(along(UP, "{side}_knee", "hip"), 0.5, 0.15),
            above(along(UP, "{side}_wrist", "{side}_shoulder"), 0.5, 0.2),
        ),
    ),
    Shape(  # the side is that of the stretched leg
        "bird_dog",
        WHOLE,
        (
            Range(tilt, 55, 115, 12),
            PRONE,
            KNEE_STRAIGHT,
            above(over_floor("{side}_ankle"), 0.45, 0.15),
            below(over_floor("{other}_knee"), 0.3, 0.12),
            above(_OTHER_UPPER_ARM, 30, 20),
            above(along(UP, "{other}_hand", "{side}_hand"), 0.4, 0.15),
        ),
        sided=True,
    ),
    Shape(
        "quad_stretch",
        WHOLE,
        (
            below(knee_angle, 95, 15),
            below(THIGH, 40, 12),
            OTHER_KNEE_STRAIGHT,
            below(gap("{side}_hand", "{side}_ankle"), 0.6, 0.2),
            _HIPS_OVER_LEGS,
            _UPRIGHT,
        ),
        sided=True,
    ),
    Shape(
        "running",
        LEGS | ARMS,
        (
            above(over_floor("{side}_ankle"), 0.2, 0.08),
            below(knee_angle, 130, 15),
            above(THIGH, 45, 12),
            below(elbow_angle, 130, 15),
            above(over_floor("hip"), 1.1, 0.2),
            _UPRIGHT,
        ),
        ALL_JOINTS,
        sided=True,
    ),
    Shape(
        "lying_side",
        BODY,
        (
            HIPS_DOWN,
            above(tilt, 60, 12),
            above(along(UP, "{other}_hip", "{side}_hip"), 0.15, 0.08),
            above(side_lean, 50, 15),
        ),
        sided=True,
    ),
    Shape("jumping_jack", WHOLE, (KNEE_STRAIGHT, above(stance, 0.9, 0.25), above(UPPER_ARM, 135, 15))),
    Shape("sitting", BODY, (Range(_sits, 1, 1, 0.5),)),
    Shape("sitting_low", BODY, (below(over_floor("hip"), 0.75, 0.2), below(tilt, 60, 12))),
    Shape("hands_floor", WHOLE, (_HAND_DOWN, above(tilt, 55, 15), below(face_up, 0.2, 0.2))),
    Shape(
        "hand_belly",
        ARMS,
        (
            Range(along(UP, "{side}_hand", "hip"), 0.1, 0.6, 0.12),
            Range(along(FORWARD, "{side}_hand", "hip"), 0.05, 0.55, 0.12),
            below(along(LEFT, "{side}_hand", "hip"), 0.25, 0.12),
            UPRIGHT_ENOUGH,
        ),
        sided=True,
    ),
    Shape(
        "hand_behind",
        ARMS,
        (
            below(along(FORWARD, "{side}_wrist", "hip"), -0.05, 0.12),
            below(along(LEFT, "{side}_wrist", "hip"), 0.25, 0.12),
            below(along(UP, "{side}_wrist", "{side}_shoulder"), -0.2, 0.15),
        ),
        sided=True,
    ),
    Shape("elbows_tucked", ARMS, (below(UPPER_ARM, 35, 12), below(elbow_angle, 125, 15), UPRIGHT_ENOUGH), sided=True),
    Shape(
        "elbow_knee",
        WHOLE,
        (
            below(gap("{side}_elbow", "{other}_knee"), 0.6, 0.2),
            above(OTHER_THIGH, 60, 15),
            KNEE_STRAIGHT,
        ),
        sided=True,
    ),
    Shape(
        "guard",
        ARMS,
        (
            below(UPPER_ARM, 60, 15),
            below(elbow_angle, 100, 15),
            Range(along(UP, "{side}_hand", "{side}_shoulder"), -0.3, 0.45, 0.12),
            above(along(FORWARD, "{side}_hand", "{side}_shoulder"), 0.15, 0.1),
        ),
    ),
    Shape(
        "touch_feet",
        WHOLE,
        (below(gap("{side}_hand", "{side}_foot"), 0.6, 0.2), above(tilt, 30, 12)),
        (*ALL_JOINTS, "{side}_hand", "{side}_foot"),
    ),
    Shape(
        "hands_lap",
        ARMS,
        (
            Range(along(UP, "{side}_hand", "hip"), -0.15, 0.45, 0.12),
            above(along(FORWARD, "{side}_hand", "hip"), 0.1, 0.1),
            below(gap("{side}_hand", "{other}_hand"), 0.55, 0.15),
            UPRIGHT_ENOUGH,
        ),
    ),
    Shape("curled", BODY, (below(gap("{side}_knee", "neck"), 0.95, 0.15), below(knee_angle, 110, 15))),
    Shape("hips_high", BODY, (above(along(UP, "hip", "neck"), 0.15, 0.12), above(over_floor("hip"), 0.4, 0.12))),
    Shape(
        "forearm_side_plank",
        WHOLE,
        (
            above(side_lean, 45, 12),
            KNEE_STRAIGHT,
            OTHER_KNEE_STRAIGHT,
            Range(elbow_angle, 60, 125, 15),
            below(over_floor("{side}_elbow"), 0.25, 0.12),
        ),
        sided=True,
    ),
    Shape("chest_up", BODY, (above(along(UP, "neck", "hip"), 0.12, 0.08),)),
    Shape(
        "arm_ahead",
        ARMS,
        (
            above(along(FORWARD, "{side}_hand", "{side}_shoulder"), 0.6, 0.15),
            above(UPPER_ARM, 62, 12),
            above(elbow_angle, 130, 20),
        ),
        sided=True,
    ),
    Shape("elbows_knees", WHOLE, (below(gap("{side}_elbow", "{side}_knee"), 0.5, 0.2), above(tilt, 25, 10))),
    Shape("deep_fold", BODY, (below(gap("neck", "{side}_knee"), 0.9, 0.15), above(tilt, 45, 12))),
    _kick("kick_front", above(along(FORWARD, "{side}_ankle", "hip"), 0.5, 0.2)),
    _kick("kick_back", below(along(FORWARD, "{side}_ankle", "hip"), -0.35, 0.15)),
    _kick("kick_side", above(along(LEFT, "{side}_ankle", "{side}_hip"), 0.5, 0.2)),
)


_STANDING = (KNEE_STRAIGHT, _HIPS_OVER_LEGS, below(tilt, 20, 8), below(stance, 0.7, 0.2))

_HAND_JOINTS = (*ARM_JOINTS, "{side}_hand", "head")

FURTHER: tuple[Shape, ...] = (
    Shape(  # warrior one or two
        "warrior",
        WHOLE,
        (
            Range(knee_angle, 70, 145, 12),
            OTHER_KNEE_STRAIGHT,
            above(gap("{side}_ankle", "{other}_ankle"), 1.2, 0.25),
            below(tilt, 30, 10),
            above(UPPER_ARM, 62, 12),
            above(limb("{other}_shoulder", "{other}_elbow"), 62, 12),
            ELBOW_STRAIGHT,
        ),
        sided=True,
    ),
    Shape(
        "warrior_three",
        BODY,
        (
            Range(tilt, 50, 118, 12),
            KNEE_STRAIGHT,
            above(other_knee, 140, 20),
            above(over_floor("{side}_ankle"), 0.9, 0.25),
            below(along(FORWARD, "{side}_ankle", "hip"), -0.5, 0.2),
            _HIPS_OVER_LEGS,
        ),
        sided=True,
    ),
    Shape(
        "one_leg",
        LEGS,
        (
            above(over_floor("{side}_ankle"), 0.22, 0.08),
            above(over_floor("{side}_foot"), 0.15, 0.08),
            above(over_floor("{side}_knee"), 0.5, 0.15),
            above(other_knee, 142, 15),
            _HIPS_OVER_LEGS,
        ),
        (*LEG_JOINTS, "{side}_foot", "{other}_foot"),
        sided=True,
    ),
    Shape(
        "knee_to_chest",
        LEGS,
        (
            below(gap("{side}_knee", "neck"), 0.88, 0.1),
            below(knee_angle, 120, 15),
            above(gap("{other}_knee", "neck"), 1.25, 0.1),
        ),
        (*LEG_JOINTS, "neck"),
        sided=True,
    ),
    Shape(
        "knees_to_chest",
        BODY,
        (
            below(gap("{side}_knee", "neck"), 0.95, 0.12),
            below(knee_angle, 110, 15),
            HIPS_DOWN,
            above(face_up, -0.3, 0.2),
        ),
    ),
    Shape(
        "dancer",
        BODY,
        (
            above(over_floor("{side}_ankle"), 1.1, 0.25),
            below(knee_angle, 140, 20),
            below(along(FORWARD, "{side}_ankle", "hip"), -0.35, 0.15),
            above(other_knee, 140, 20),
            _HIPS_OVER_LEGS,
        ),
        sided=True,
    ),
    Shape("thighs_level", LEGS, (Range(THIGH, 76, 114, 12),)),
    Shape("back_level", TRUNK, (LEVEL_TRUNK,), BODY_JOINTS),
    Shape("side_bend", TRUNK, (above(side_lean, 20, 8), below(tilt, 80, 10)), BODY_JOINTS, sided=True),
    Shape("standing", BODY, _STANDING),
    Shape("mountain", WHOLE, (*_STANDING, below(UPPER_ARM, 30, 10))),
    Shape("standing_reach", WHOLE, (*_STANDING, above(UPPER_ARM, 145, 16))),  # Tadasana as taught in India
    Shape(
        "sphinx",
        BODY,
        (
            HIPS_DOWN,
            Range(tilt, 25, 76, 8),
            PRONE,
            KNEE_STRAIGHT,
            Range(elbow_angle, 50, 130, 15),
            below(over_floor("{side}_elbow"), 0.25, 0.12),
            below(along(FORWARD, "{side}_ankle", "hip"), -0.6, 0.2),
        ),
        ALL_JOINTS,
    ),
    Shape(
        "seated_fold",
        BODY,
        (
            HIPS_DOWN,
            above(tilt, 38, 10),
            above(knee_angle, 135, 15),
            above(along(FORWARD, "{side}_ankle", "hip"), 0.9, 0.2),
            above(along(FORWARD, "neck", "hip"), 0.5, 0.15),
        ),
    ),
    Shape("floor_sitting", BODY, (HIPS_DOWN, below(tilt, 45, 12))),
    Shape(
        "heel_sitting",
        BODY,
        (
            KNEES_DOWN,
            below(gap("{side}_hip", "{side}_ankle"), 0.6, 0.15),
            below(along(FORWARD, "{side}_ankle", "{side}_knee"), -0.3, 0.15),
            below(tilt, 40, 12),
        ),
    ),
    Shape(
        "camel",
        BODY,
        (
            KNEES_DOWN,
            above(over_floor("hip"), 0.55, 0.15),
            below(along(FORWARD, "{side}_ankle", "{side}_knee"), -0.45, 0.15),
            below(along(FORWARD, "neck", "hip"), -0.3, 0.12),
        ),
    ),
    Shape(
        "lying",
        BODY,
        (
            LYING_DOWN,
            above(tilt, 66, 12),
            below(over_rest("neck"), 0.45, 0.12),
            above(gap("{side}_hip", "{side}_ankle"), 0.6, 0.15),
        ),
    ),
    Shape(
        "legs_up",
        BODY,
        (
            SUPINE,
            HIPS_DOWN,
            above(tilt, 60, 12),
            above(knee_angle, 130, 15),
            above(along(UP, "{side}_ankle", "hip"), 0.9, 0.2),
        ),
    ),
    Shape(
        "locust",
        BODY,
        (
            PRONE,
            HIPS_DOWN,
            Range(tilt, 45, 85, 10),
            above(along(UP, "neck", "hip"), 0.1, 0.08),
            above(along(UP, "{side}_ankle", "hip"), 0.1, 0.1),
            KNEE_STRAIGHT,
        ),
    ),
    Shape(
        "upside_down",
        BODY,
        (above(along(UP, "hip", "neck"), 0.6, 0.15), above(along(UP, "{side}_ankle", "hip"), 0.6, 0.2)),
    ),
    Shape(
        "splits",
        LEGS,
        (
            below(over_floor("hip"), 0.5, 0.15),
            above(gap("{side}_ankle", "{other}_ankle"), 2.3, 0.3),
            KNEE_STRAIGHT,
        ),
    ),
    # The support is not seen: the shape has arms overhead, hands a grip apart, and feet hanging from the ankles.
    Shape(
        "hanging",
        ARMS | LEGS,
        (
            above(UPPER_ARM, 140, 15),
            above(FOREARM, 140, 18),
            above(elbow_angle, 130, 20),
            below(tilt, 30, 12),
            below(gap("{side}_wrist", "{other}_wrist"), 1.9, 0.3),
            below(along(UP, "{side}_foot", "{side}_ankle"), -0.25, 0.06),
        ),
        (*ARM_JOINTS, "{side}_ankle", "{side}_foot"),
    ),
    Shape(
        "hands_up",
        ARMS,
        (above(along(UP, "{side}_wrist", "{side}_shoulder"), 0.35, 0.15), above(FOREARM, 120, 15), UPRIGHT_ENOUGH),
    ),
    Shape(
        "hands_overhead",
        ARMS,
        (above(along(UP, "{side}_wrist", "head"), 0.15, 0.12), UPRIGHT_ENOUGH),
        (*ARM_JOINTS, "head"),
    ),
    Shape("hand_head", ARMS, (below(gap("{side}_hand", "head"), 0.45, 0.12),), _HAND_JOINTS, sided=True),
    Shape("hand_shoulder", ARMS, (below(gap("{side}_hand", "{side}_shoulder"), 0.45, 0.12),), _HAND_JOINTS, sided=True),
    Shape(
        "hand_other_shoulder",
        ARMS,
        (below(gap("{side}_hand", "{other}_shoulder"), 0.45, 0.12),),
        (*_HAND_JOINTS, "{other}_shoulder"),
        sided=True,
    ),
    Shape(
        "hand_heart",
        ARMS,
        (
            Range(along(UP, "{side}_hand", "hip"), 0.5, 1.0, 0.12),
            Range(along(FORWARD, "{side}_hand", "neck"), 0.05, 0.5, 0.12),
            below(along(LEFT, "{side}_hand", "neck"), 0.2, 0.12),
            UPRIGHT_ENOUGH,
        ),
        (*_HAND_JOINTS, "neck"),
        sided=True,
    ),
    Shape(
        "hands_behind",
        ARMS,
        (
            below(along(FORWARD, "{side}_wrist", "{side}_shoulder"), -0.12, 0.12),
            below(gap("{side}_wrist", "{other}_wrist"), 0.75, 0.15),
            below(along(UP, "{side}_wrist", "{side}_shoulder"), -0.2, 0.15),
        ),
    ),
)

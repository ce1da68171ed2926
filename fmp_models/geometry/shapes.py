"""Table of all shapes, including those of legs and arms, and the end states of single limbs by their word keys."""

from __future__ import annotations

from fmp_models.geometry.asanas import ASANAS
from fmp_models.geometry.parsed_shapes import EVERYDAY, FURTHER
from fmp_models.geometry.pose_values import FORWARD, LEFT, UP, elbow_angle, knee_angle
from fmp_models.geometry.relations import Range
from fmp_models.geometry.shape import (
    ARM_JOINTS,
    ARMS,
    ELBOW,
    ELBOW_STRAIGHT,
    FEET_LEVEL,
    FOREARM,
    HANDS_MEET,
    HEIGHT,
    HELD,
    INFINITY,
    KNEE,
    KNEES_DOWN,
    LEAN,
    LEGS,
    LIFT,
    OTHER_KNEE_STRAIGHT,
    OTHER_THIGH,
    OVER_FEET,
    THIGH,
    UP_ARM,
    UPPER_ARM,
    UPRIGHT_ENOUGH,
    WIDTH,
    HeldShape,
    Shape,
    above,
    along,
    arm_cosine,
    below,
    gap,
    held_among,
    limb,
    over_floor,
    sole_to_leg,
    stance,
    stride,
    tilt,
    weight_behind,
)
from fmp_models.geometry.whole_body_shapes import WHOLE_BODY
from fmp_models.pose import Pose

OF_LEGS: tuple[Shape, ...] = (
    Shape(
        "tree",
        LEGS,
        (
            above(along(UP, "{side}_ankle", "{other}_ankle"), 0.3, 0.12),
            below(sole_to_leg, 0.36, 0.12),
            OTHER_KNEE_STRAIGHT,
            below(knee_angle, 110, 15),
            above(along(LEFT, "{side}_knee", "{side}_hip"), 0.2, 0.15),
            below(tilt, 35, 12),
        ),
        sided=True,
        watched=(LIFT, KNEE, LEAN),
    ),
    Shape(
        "half_kneeling",
        LEGS,
        (
            Range(knee_angle, 60, 125, 15),
            below(over_floor("{other}_knee"), 0.25, 0.1),
            above(over_floor("{side}_knee"), 0.5, 0.15),
            below(OTHER_THIGH, 45, 12),
            below(tilt, 50, 12),
            above(over_floor("hip"), 0.6, 0.15),
        ),
        sided=True,
        watched=(LEAN, KNEE),
    ),
    Shape(
        "low_lunge",
        LEGS,
        (
            Range(knee_angle, 50, 125, 15),
            below(over_floor("{other}_knee"), 0.25, 0.1),
            above(along(FORWARD, "{side}_ankle", "{other}_knee"), 0.9, 0.25),
            above(over_floor("{side}_knee"), 0.5, 0.15),
            below(tilt, 65, 12),
        ),
        sided=True,
        watched=(HEIGHT, KNEE, LEAN),
    ),
    Shape(
        "lunge",
        LEGS,
        (
            Range(knee_angle, 65, 135, 12),
            above(along(FORWARD, "{side}_ankle", "{other}_ankle"), 0.85, 0.25),
            above(stride, 0.2, 0.2),
            above(THIGH, 38, 12),
            below(over_floor("{side}_ankle"), 0.2, 0.15),
            below(over_floor("{other}_ankle"), 0.4, 0.15),
            above(over_floor("{other}_knee"), 0.12, 0.06),
            below(tilt, 60, 12),
            above(over_floor("hip"), 0.55, 0.15),
        ),
        sided=True,
        watched=(HEIGHT, KNEE, LEAN),
    ),
    Shape(
        "goddess",
        LEGS,
        (
            Range(knee_angle, 72, 145, 12),
            above(stance, 1.3, 0.25),
            above(along(LEFT, "{side}_knee", "{side}_hip"), 0.35, 0.15),
            below(tilt, 22, 10),
            FEET_LEVEL,
            OVER_FEET,
            above(over_floor("hip"), 0.6, 0.2),
        ),
        watched=(HEIGHT, KNEE, LEAN, WIDTH),
    ),
    Shape(
        "squat",
        LEGS,
        (
            below(knee_angle, 125, 12),
            Range(THIGH, 45, 130, 12),
            FEET_LEVEL,
            below(stance, 1.9, 0.3),
            below(tilt, 65, 12),
            below(limb("{side}_knee", "{side}_ankle"), 50, 12),
            OVER_FEET,
            above(over_floor("{side}_knee"), 0.35, 0.12),
        ),
        watched=(HEIGHT, KNEE, LEAN, WIDTH),
    ),
    Shape(
        "seated",
        LEGS,
        (
            above(weight_behind, 0.54, 0.12),
            below(tilt, 50, 12),
            above(over_floor("hip"), 0.5, 0.15),
            Range(THIGH, 55, 112, 16),
        ),
        watched=(LEAN, LIFT, KNEE),
    ),
    Shape(
        "kneeling",
        LEGS,
        (
            KNEES_DOWN,
            Range(over_floor("hip"), 0.55, 1.2, 0.15),
            below(along(FORWARD, "{side}_ankle", "{side}_knee"), -0.45, 0.15),
            below(tilt, 50, 12),
        ),
        watched=(LEAN,),
    ),
)
OF_ARMS: tuple[Shape, ...] = (
    Shape(
        "palms_overhead",
        ARMS,
        (HANDS_MEET, above(along(UP, "{side}_wrist", "head"), 0.25, 0.15), UPRIGHT_ENOUGH),
        (*ARM_JOINTS, "head"),
        watched=(ELBOW, UP_ARM),
    ),
    Shape(
        "palms_chest",
        ARMS,
        (
            HANDS_MEET,
            above(along(LEFT, "{side}_wrist", "hip"), -0.1, 0.1),
            Range(along(UP, "{side}_wrist", "hip"), 0.35, 1.05, 0.12),
            below(elbow_angle, 120, 15),
            Range(along(FORWARD, "{side}_wrist", "{side}_shoulder"), 0.08, 0.85, 0.12),
            UPRIGHT_ENOUGH,
        ),
    ),
    Shape(
        "hands_hips",
        ARMS,
        (
            below(gap("{side}_hand", "{side}_hip"), 0.5, 0.12),
            Range(elbow_angle, 55, 138, 10),
            above(along(LEFT, "{side}_elbow", "{side}_shoulder"), 0.14, 0.1),
            Range(along(UP, "{side}_wrist", "hip"), -0.2, 0.5, 0.12),
        ),
        (*ARM_JOINTS, "{side}_hand"),
    ),
    Shape(
        "hands_head",
        ARMS,
        (
            below(gap("{side}_hand", "head"), 0.5, 0.12),
            below(elbow_angle, 95, 15),
            above(UPPER_ARM, 60, 15),
            above(along(LEFT, "{side}_elbow", "{side}_shoulder"), 0.1, 0.12),
        ),
        (*ARM_JOINTS, "{side}_hand", "head"),
    ),
    Shape(
        "hands_knees",
        ARMS,
        (below(gap("{side}_hand", "{side}_knee"), 0.42, 0.1), below(over_floor("neck"), INFINITY, 1.0)),
        (*ARM_JOINTS, "{side}_hand", "{side}_knee"),
    ),
    Shape(
        "arms_crossed",
        ARMS,
        (
            below(along(LEFT, "{side}_wrist", "hip"), -0.06, 0.1),
            Range(along(UP, "{side}_wrist", "hip"), 0.3, 0.95, 0.12),
            below(elbow_angle, 110, 15),
            UPRIGHT_ENOUGH,
        ),
    ),
    Shape(
        "arms_goalpost",
        ARMS,
        (
            Range(UPPER_ARM, 62, 118, 12),
            above(arm_cosine(LEFT), 0.6, 0.2),
            Range(elbow_angle, 50, 122, 12),
            above(FOREARM, 132, 15),
            UPRIGHT_ENOUGH,
        ),
        watched=(UP_ARM,),
    ),
    Shape(
        "arms_t",
        ARMS,
        (
            Range(UPPER_ARM, 68, 113, 8),
            Range(FOREARM, 65, 118, 10),
            above(arm_cosine(LEFT), 0.72, 0.15),
            ELBOW_STRAIGHT,
            UPRIGHT_ENOUGH,
        ),
        watched=(UP_ARM, ELBOW),
    ),
    Shape(
        "arms_v",
        ARMS,
        (
            Range(UPPER_ARM, 116, 152, 8),
            above(arm_cosine(LEFT), 0.6, 0.2),
            ELBOW_STRAIGHT,
            above(gap("{side}_wrist", "{other}_wrist"), 1.1, 0.2),
            UPRIGHT_ENOUGH,
        ),
        watched=(UP_ARM, ELBOW),
    ),
    Shape(
        "arms_front",
        ARMS,
        (
            Range(UPPER_ARM, 65, 115, 10),
            Range(FOREARM, 62, 118, 10),
            above(arm_cosine(FORWARD), 0.75, 0.15),
            above(elbow_angle, 140, 12),
            UPRIGHT_ENOUGH,
        ),
        watched=(UP_ARM, ELBOW),
    ),
    Shape(
        "arms_overhead",
        ARMS,
        (above(UPPER_ARM, 150, 16), above(FOREARM, 145, 22), above(elbow_angle, 145, 24), UPRIGHT_ENOUGH),
        watched=(UP_ARM, ELBOW),
    ),
    Shape(
        "arms_down",
        ARMS,
        (below(UPPER_ARM, 25, 8), below(FOREARM, 35, 10), above(elbow_angle, 140, 12), below(tilt, 35, 12)),
    ),
)

# End states of one limb by their word keys; of each table the first that surely holds is used.
ARM_WAYS: dict[str, tuple[Range, ...]] = {
    "side": (Range(UPPER_ARM, 45, 140, 12), above(arm_cosine(LEFT), 0.8, 0.12)),
    "front": (Range(UPPER_ARM, 45, 140, 12), above(arm_cosine(FORWARD), 0.8, 0.12)),
}
HAND_PLACES: dict[str, tuple[Range, ...]] = {
    "on_hip": (
        below(gap("{side}_hand", "{side}_hip"), 0.45, 0.1),
        Range(elbow_angle, 55, 138, 10),
        above(along(LEFT, "{side}_elbow", "{side}_shoulder"), 0.14, 0.1),
    ),
    "at_head": (below(gap("{side}_hand", "head"), 0.42, 0.12), below(elbow_angle, 110, 15)),
    "on_knee": (below(gap("{side}_hand", "{side}_knee"), 0.38, 0.1),),
    "at_foot": (below(gap("{side}_hand", "{side}_ankle"), 0.5, 0.12),),
    "on_floor": (below(over_floor("{side}_wrist"), 0.15, 0.12), below(over_floor("{side}_hand"), 0.15, 0.12)),
}
HAND_HEIGHTS: dict[str, tuple[Range, ...]] = {
    "overhead": (above(UPPER_ARM, 138, 12), above(along(UP, "{side}_wrist", "head"), 0.2, 0.12)),
    "above_head": (above(along(UP, "{side}_wrist", "head"), 0.2, 0.12),),
    "head": (Range(along(UP, "{side}_wrist", "head"), -0.16, 0.2, 0.1),),
    "shoulder": (Range(along(UP, "{side}_wrist", "{side}_shoulder"), -0.2, 0.2, 0.1),),
    "hanging": (below(UPPER_ARM, 28, 10), below(FOREARM, 42, 12)),
    "chest": (
        Range(along(UP, "{side}_wrist", "{side}_shoulder"), -0.55, -0.18, 0.12),
        above(along(UP, "{side}_wrist", "hip"), 0.35, 0.12),
    ),
    "hip": (Range(along(UP, "{side}_wrist", "hip"), -0.18, 0.22, 0.12), above(FOREARM, 45, 15)),
}
ELBOWS: dict[str, tuple[Range, ...]] = {
    "straight": (above(elbow_angle, 150, 12),),
    "right_angle": (Range(elbow_angle, 75, 105, 12),),
}
KNEES: dict[str, tuple[Range, ...]] = {
    "straight": (above(knee_angle, 157, 10),),
    "nearly_straight": (above(knee_angle, 142, 10),),
    "right_angle": (Range(knee_angle, 75, 108, 12),),
}
THIGHS: dict[str, tuple[Range, ...]] = {
    "thighs_level": (Range(THIGH, 78, 112, 12),),
    "thighs_nearly_level": (Range(THIGH, 60, 80, 12),),
}
KNEE_HEIGHTS: dict[str, tuple[Range, ...]] = {
    "hip_height": (Range(along(UP, "{side}_knee", "{side}_hip"), -0.22, 0.3, 0.12),),
}
SOLE_PLACES: dict[str, tuple[Range, ...]] = {  # places of a foot against the other leg
    "inner_thigh": (above(along(UP, "{side}_ankle", "{other}_knee"), 0.05, 0.1),),
    "calf": (Range(along(UP, "{side}_ankle", "{other}_knee"), -0.5, 0.05, 0.12),),
    "ankle": (below(along(UP, "{side}_ankle", "{other}_knee"), -0.5, 0.12),),
}


SHAPES: tuple[Shape, ...] = (*WHOLE_BODY, *OF_LEGS, *OF_ARMS)
SHAPES_BY_NAME = {
    shape.name: shape for shape in (*SHAPES, *FURTHER, *ASANAS, *EVERYDAY)
}  # all shapes, generated or parsed


def held_shapes(pose: Pose, least: float = HELD) -> tuple[HeldShape, ...]:
    """Return all shapes that at least a share of the plausible bodies hold, the most specific first."""
    return held_among(SHAPES, pose, least)

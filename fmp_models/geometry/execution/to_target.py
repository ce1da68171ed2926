"""Execution towards a known target: each step moves the parts that it names to where they are in the target.

A correction of two photographs knows both bodies. Whoever follows it sees the target as well, so that a step is done
when the bones of the parts that it names point as they do there. Bones keep their lengths, the foot that stays down
stays where it is, and no step undoes an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fmp_models.common.rotations import rotations
from fmp_models.geometry.changes import LIMB_OF
from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.geometry.execution.way import on_bones_of
from fmp_models.pose import (
    BODY_SIDES,
    CAMERA_UP,
    INDEX,
    PARENTS,
    Array,
    Pose,
    bone_lengths,
    pose_pair,
    support_side,
    wrap_degrees,
    yaw,
)

_TURNS = frozenset({Direction.TURN_LEFT, Direction.TURN_RIGHT})
_SPINE = ("spine", "neck", "left_shoulder", "right_shoulder", "left_hip", "right_hip")
_ARM, _LEG = ("elbow", "wrist", "hand"), ("knee", "ankle", "foot")


def steps_to_target(steps: Sequence[Iterable[Clause]], current: Pose, target: Pose) -> list[Array]:
    """Return the joints (20, 3) after each step, one following the other, in the camera frame."""
    goal = on_bones_of(current, target)
    lengths = bone_lengths(current.joints)
    side = support_side(pose_pair(current.joints, goal))
    held = [INDEX[f"{foot}_ankle"] for foot in (BODY_SIDES if side is None else (side,))]
    bones, aims = _directions(current.joints), _directions(goal)
    reached: set[int] = set()
    poses = []
    for clauses in steps:
        for clause in clauses:
            if clause.part is Part.BODY and clause.direction in _TURNS:
                bones = _turned(bones, float(wrap_degrees(yaw(goal) - yaw(current.joints))), reached)
            reached |= {INDEX[name] for name in _joints_of(clause)}
        moved = list(reached)
        bones = bones.copy()
        bones[moved] = aims[moved]
        joints = _joined(bones, lengths)
        shift = current.joints[held].mean(axis=0) - joints[held].mean(axis=0)
        shift[1] = current.joints[:, 1].max() - joints[:, 1].max()
        poses.append(joints + shift)
    return poses


def _joints_of(clause: Clause) -> Iterable[str]:
    """The joints at the ends of the bones that a clause moves."""
    limb = LIMB_OF.get(clause.part)
    if limb is not None:
        names = _ARM if limb is Part.ARM else _LEG
        sides = BODY_SIDES if clause.side is Side.NONE else clause.side.of_body
        return [f"{side}_{name}" for side in sides for name in names]
    if clause.part is Part.HEAD:
        return ("head",)
    if clause.part is Part.SHOULDER:
        return [f"{side}_shoulder" for side in clause.side.of_body]
    legs = [f"{side}_{name}" for side in BODY_SIDES for name in _LEG]
    return [*_SPINE, *legs] if clause.part in {Part.BODY, Part.HIPS} else _SPINE


def _directions(joints: Array) -> Array:
    """Unit vectors (20, 3) from each joint's parent to it; zero for the root."""
    bones = joints - joints[list(PARENTS)]
    return np.asarray(bones / np.maximum(np.linalg.norm(bones, axis=-1, keepdims=True), 1e-9))


def _joined(directions: Array, lengths: Array) -> Array:
    """Joints (20, 3) of bones that point so, the root at the origin."""
    joints = np.zeros_like(directions)
    for child, parent in enumerate(PARENTS):  # parents come first
        if child != parent:
            joints[child] = joints[parent] + directions[child] * lengths[child]
    return joints


def _turned(directions: Array, degrees: float, but: set[int]) -> Array:
    """Turn bones about the vertical axis by degrees to the person's left, except those that have arrived."""
    turn = rotations(np.radians(degrees) * CAMERA_UP[None])[0]
    turned = directions @ turn.T
    stay = list(but)
    turned[stay] = directions[stay]
    return np.asarray(turned)

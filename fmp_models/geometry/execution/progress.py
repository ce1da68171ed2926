"""Progress to the target: the share of the distance from the current pose that a pose has covered.

The measure is that of CigTime (NeurIPS 2024): execute a text and measure how much nearer the target is.
Both ends first get the bones of the current body, so differences of body size do not count. Joints are
compared with the hips aligned, in the axes of the room and not of each pelvis: "turn to your left" is
part of a correction and must count. A joint that is hardly visible in a photograph is a guess and has
less weight.
"""

from __future__ import annotations

import numpy as np

from fmp_models.geometry.attitudes import is_lying_down, is_sitting
from fmp_models.pose import BODY_SIDES, INDEX, Array, Pose, PosePair, bone_lengths, pose_pair, support_side, with_bones

_MOVED = 0.01  # metres of mean distance below which there is nothing to move


def progress_towards(current: Pose, reached: Array, target: Pose) -> float | None:
    """Return the share (-1 to 1) of the way to the target that the joints ``reached`` (20, 3) cover; 1 is the target.

    ``None`` if the target differs from the current pose by less than a centimetre.
    """
    weights = PosePair(current, target).visibility
    weights = weights if weights.any() else np.ones_like(weights)
    goal = _centred(with_bones(target.joints, bone_lengths(current.joints)))
    before, after = (
        float(np.average(np.linalg.norm(_centred(joints) - goal, axis=-1), weights=weights))
        for joints in (current.joints, reached)
    )
    return None if before < _MOVED else max(1.0 - after / before, -1.0)


def on_bones_of(current: Pose, target: Pose) -> Array:
    """Return the target's joints (20, 3) with the bones of the current body, on its floor.

    If the two poses do not share a room, the bearing joints are placed where those of the current body are.
    """
    joints = with_bones(target.joints, bone_lengths(current.joints))
    if current.placed and target.placed:
        shift = target.joints[INDEX["hip"]] - joints[INDEX["hip"]]
    else:
        bearing = bearing_joints(current.joints, joints)
        shift = current.joints[bearing].mean(axis=0) - joints[bearing].mean(axis=0)
    shift[1] = current.joints[:, 1].max() - joints[:, 1].max()
    return np.asarray(joints + shift)


def bearing_joints(current: Array, goal: Array) -> list[int]:
    """Return the joints that bear a body between two poses: the hips if it sits or lies, else the standing foot.

    Both feet bear it if neither is the standing foot.
    """
    if all(is_sitting(joints) or is_lying_down(joints) for joints in (current, goal)):
        return [INDEX["hip"]]
    side = support_side(pose_pair(current, goal))
    return [INDEX[f"{foot}_ankle"] for foot in (BODY_SIDES if side is None else (side,))]


def _centred(joints: Array) -> Array:
    return np.asarray(joints - joints[INDEX["hip"]])

"""Progress to the target: the share of the distance from the current pose that a pose has left behind.

The measure is that of CigTime (NeurIPS 2024): do what a text says and look how much nearer the target is. Both ends are
put on the bones of the current body first, so that nobody has to grow. Joints are compared hips on hips, in the axes
of the room and not of each pelvis: "turn to your left" is part of a correction and must count. Where a joint was hardly
seen in a photograph it is a guess, and counts less.
"""

from __future__ import annotations

import numpy as np

from fmp_models.pose import INDEX, Array, Pose, PosePair, bone_lengths, pose_pair, support_side, with_bones

_MOVED = 0.01  # metres of mean distance below which there is no way to go


def way_led(current: Pose, reached: Array, target: Pose) -> float | None:
    """The share (-1 to 1) of the way to the target that joints ``reached`` (20, 3) have come; 1 is there.

    ``None`` where the target is the current pose but for a centimetre.
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
    """The target's joints (20, 3) with the bones of the current body, on its floor.

    Where the two poses do not stand in one room, the foot that stays down lies on that of the current body.
    """
    joints = with_bones(target.joints, bone_lengths(current.joints))
    side = support_side(pose_pair(current.joints, joints))
    held = [INDEX["left_ankle"], INDEX["right_ankle"]] if side is None else [INDEX[f"{side}_ankle"]]
    if current.placed and target.placed:
        held = [INDEX["hip"]]
        shift = target.joints[held].mean(axis=0) - joints[held].mean(axis=0)
    else:
        shift = current.joints[held].mean(axis=0) - joints[held].mean(axis=0)
    shift[1] = current.joints[:, 1].max() - joints[:, 1].max()
    return np.asarray(joints + shift)


def _centred(joints: Array) -> Array:
    return np.asarray(joints - joints[INDEX["hip"]])

"""The origin of joints for the networks: one rule for training and for what visitors bring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import INDEX, PosePair

Joints = NDArray[np.float32]


def centred(joints: Joints, *, placed: NDArray[np.bool_] | bool) -> Joints:
    """Poses (..., k, 20, 3), metres in the camera frame, the current pose first, with the origin that networks expect.

    Where they are ``placed`` (...) in one room, the origin of all k is the hip of the current pose, so that a step
    across the room stays one; elsewhere each pose has its own hip as origin.
    """
    hips = joints[..., INDEX["hip"], None, :]
    origin = np.where(np.asarray(placed)[..., None, None, None], hips[..., :1, :, :], hips)
    return np.asarray(joints - origin, dtype=np.float32)


def centred_pair(pair: PosePair) -> Joints:
    """Current and target (2, 20, 3) as :func:`centred` has them."""
    return centred(np.stack([pair.current.joints, pair.target.joints]).astype(np.float32), placed=pair.placed)

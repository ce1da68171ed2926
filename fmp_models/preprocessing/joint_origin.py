"""Origin of joint coordinates for the networks; the same rule for training and for uploads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import INDEX, PosePair

Joints = NDArray[np.float32]


def centred(joints: Joints, *, placed: NDArray[np.bool_] | bool) -> Joints:
    """Return poses (..., k, 20, 3), metres in the camera frame, current pose first, moved to the networks' origin.

    Where poses are ``placed`` (...) in one room, the origin of all k is the hip of the current pose, so that a
    step across the room is kept. Elsewhere each pose has its own hip as origin.
    """
    hips = joints[..., INDEX["hip"], None, :]
    origin = np.where(np.asarray(placed)[..., None, None, None], hips[..., :1, :, :], hips)
    return np.asarray(joints - origin, dtype=np.float32)


def centred_pair(pair: PosePair) -> Joints:
    """Return the current and target pose (2, 20, 3), moved to the origin of :func:`centred`."""
    return centred(np.stack([pair.current.joints, pair.target.joints]).astype(np.float32), placed=pair.placed)

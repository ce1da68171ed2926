"""Facing, which way round a person stands: where a photograph leaves it open, the other photograph of a pair tells it.

Front and back of a person look much alike where the face cannot be seen, painted over or in the dark: then some looks
see the person from behind, and left and right change places. People seldom turn their back between two photographs, so
of the ways that were seen those count that agree.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fmp_models.estimators.base import PoseEstimate
from fmp_models.pose import INDEX, Array

_TURNED = -0.5  # cosine between where two bodies have their left, from which they face opposite ways: 120 degrees


def left_of(joints: Array) -> Array:
    """Unit vector (..., 2), along the floor of the camera frame, to where a body (..., 20, 3) has its left."""
    hips, shoulders = (
        joints[..., INDEX[f"left_{part}"], :] - joints[..., INDEX[f"right_{part}"], :] for part in ("hip", "shoulder")
    )
    across = (hips + shoulders)[..., [0, 2]]
    return np.asarray(across / np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-9))


def face_opposite_ways(first: Array, second: Array) -> bool:
    """Whether one body (20, 3) shows its back where the other shows its front."""
    return bool(left_of(first) @ left_of(second) < _TURNED)


def facing_alike(
    current: PoseEstimate | None, target: PoseEstimate | None
) -> tuple[PoseEstimate | None, PoseEstimate | None]:
    """Both people as they were seen, or where they face opposite ways, one the other way round if it was seen so.

    Of several such choices the one that most looks saw; nothing changes where every look says that somebody turned.
    """
    if current is None or target is None or not face_opposite_ways(current.pose.joints, target.pose.joints):
        return current, target
    choices = [
        (share * other_share, first, second)
        for first, share in _ways(current)
        for second, other_share in _ways(target)
        if not face_opposite_ways(first.pose.joints, second.pose.joints)
    ]
    _, *chosen = max(choices, key=lambda choice: choice[0], default=(0.0, current, target))
    return chosen[0], chosen[1]


def _ways(estimate: PoseEstimate) -> Iterator[tuple[PoseEstimate, float]]:
    """The person as seen, and the other way round, each with the share of looks that saw them so."""
    share = estimate.turned_share if estimate.turned is not None else 0.0
    yield estimate, 1.0 - share
    if estimate.turned is not None:
        yield estimate.turned, share

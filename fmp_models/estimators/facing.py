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
_LEVEL = 0.5  # share of the way across a body that runs along the floor, below which nobody faces any way: they lie


def face_opposite_ways(first: Array, second: Array) -> bool:
    """Whether one body (20, 3) shows its back where the other shows its front; never where one lies on a side."""
    lefts = [_left(body) for body in (first, second)]
    lengths = [float(np.linalg.norm(left)) for left in lefts]
    if min(lengths) < _LEVEL:
        return False
    return bool(lefts[0] @ lefts[1] < _TURNED * lengths[0] * lengths[1])


def facing_as(known: PoseEstimate | None, doubtful: PoseEstimate | None) -> PoseEstimate | None:
    """The second person as seen, or the other way round where some looks saw that and the ``known`` one faces so."""
    if known is None or doubtful is None or doubtful.turned is None:
        return doubtful
    joints = known.pose.joints
    opposite, alike = doubtful.pose.joints, doubtful.turned.pose.joints
    turned = face_opposite_ways(joints, opposite) and not face_opposite_ways(joints, alike)
    return doubtful.turned if turned else doubtful


def facing_alike(
    current: PoseEstimate | None, target: PoseEstimate | None
) -> tuple[PoseEstimate | None, PoseEstimate | None]:
    """Both people as they were seen, or where they face opposite ways, one the other way round if it was seen so.

    Of several such choices the one that most looks saw, and of equal ones that which faces the camera; nothing changes
    where every look says that somebody turned.
    """
    if current is None or target is None or not face_opposite_ways(current.pose.joints, target.pose.joints):
        return current, target
    choices = [
        (share * other_share, _left(first.pose.joints)[0] + _left(second.pose.joints)[0], first, second)
        for first, share in _facings(current)
        for second, other_share in _facings(target)
        if not face_opposite_ways(first.pose.joints, second.pose.joints)
    ]
    *_, first, second = max(choices, key=lambda choice: choice[:2], default=(current, target))
    return first, second


def _left(joints: Array) -> Array:
    """Along the floor (2,), right and away, to where a body (20, 3) has its left; 1 long for whoever is upright."""
    hips, shoulders = (joints[INDEX[f"left_{part}"]] - joints[INDEX[f"right_{part}"]] for part in ("hip", "shoulder"))
    across = hips + shoulders
    return np.asarray(across[[0, 2]] / max(float(np.linalg.norm(across)), 1e-9))


def _facings(estimate: PoseEstimate) -> Iterator[tuple[PoseEstimate, float]]:
    """The person as seen, and the other way round, each with the share of looks that saw them so."""
    share = estimate.turned_share if estimate.turned is not None else 0.0
    yield estimate, 1.0 - share
    if estimate.turned is not None:
        yield estimate.turned, share

"""Facing, which way round a person stands: where a photograph leaves it open, the other photograph of a pair tells it.

Front and back of a person look much alike where the face cannot be seen, painted over or in the dark: then some looks
see the person from behind, and left and right change places. People seldom turn their back between two photographs, so
of the ways that were seen those count that agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fmp_models.estimators.base import PoseEstimate
from fmp_models.pose import BODY_SIDES, CAMERA_UP, INDEX, JOINTS, Array, angle

_TURNED = -0.5  # cosine between where two bodies have their left, from which they face opposite ways: 120 degrees
_HEAD_BELOW, _ARM_ABOVE = 0.1, 0.1  # metres: a head below the shoulders, and arms above the head, reaching no floor
_HAND_ABOVE = 0.45  # metres of a hand above the hips from which it may hold a bar
_LEG_UP = 75.0  # degrees that a leg may lie from straight up
_LEVEL = 0.5  # share of the way across a body that runs along the floor, below which nobody faces any way: they lie


def face_opposite_ways(first: Array, second: Array) -> bool:
    """Whether one body (20, 3) shows its back where the other shows its front; never where one lies on a side."""
    lefts = [_left(body) for body in (first, second)]
    lengths = [float(np.linalg.norm(left)) for left in lefts]
    if min(lengths) < _LEVEL:
        return False
    return bool(lefts[0] @ lefts[1] < _TURNED * lengths[0] * lengths[1])


def upside_down(joints: Array) -> bool:
    """Return whether a body (20, 3) stands on its head with nothing below, as in a photograph that is upside down.

    Handstands, headstands, shoulder stands and whoever hangs from a bar rest on something, and are not.
    """
    heights = dict(zip(JOINTS, -joints[:, 1], strict=True))
    head, hip = heights["head"], heights["hip"]
    arms = [heights[f"{side}_{part}"] for side in BODY_SIDES for part in ("elbow", "wrist")]
    shoulders = [heights[f"{side}_shoulder"] for side in BODY_SIDES]
    legs = np.array([joints[INDEX[f"{side}_ankle"]] - joints[INDEX[f"{side}_hip"]] for side in BODY_SIDES])
    return bool(
        head + _HEAD_BELOW < min(shoulders)
        and max(shoulders) < hip
        and (angle(legs, CAMERA_UP) < _LEG_UP).all()
        and head + _ARM_ABOVE < min(arms)
        and max(arms) < hip + _HAND_ABOVE
    )


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

    Of several such choices the one that most looks saw, and of equal ones that which faces the camera; nobody is seen
    otherwise where every look says that somebody turned. Where two cameras took the photographs, by two tilts, the
    poses say so: how far one is turned from the other is not known.
    """
    if current is None or target is None:
        return current, target
    if current.tilt != target.tilt:
        current, target = (_of_its_own_camera(person) for person in (current, target))
    if not face_opposite_ways(current.pose.joints, target.pose.joints):
        return current, target
    choices = [
        (share * other_share, _left(first.pose.joints)[0] + _left(second.pose.joints)[0], first, second)
        for first, share in _facings(current)
        for second, other_share in _facings(target)
        if not face_opposite_ways(first.pose.joints, second.pose.joints)
    ]
    *_, first, second = max(choices, key=lambda choice: choice[:2], default=(current, target))
    return first, second


def _of_its_own_camera(person: PoseEstimate) -> PoseEstimate:
    turned = None if person.turned is None else _of_its_own_camera(person.turned)
    return replace(person, pose=replace(person.pose, own_camera=True), turned=turned)


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

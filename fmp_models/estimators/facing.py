"""Facing direction of a person: if one photograph leaves it open, the other photograph of the pair decides.

Front and back look much alike if the face is not visible, painted over or dark. Some looks then show the
person from behind, with left and right swapped. People seldom turn around between two photographs, so of the
facings that were seen, those that agree are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fmp_models.estimators.base import PoseEstimate
from fmp_models.pose import BODY_SIDES, CAMERA_UP, INDEX, JOINTS, Array, angle

_TURNED = -0.5  # cosine of 120 degrees: if the left directions differ by more, bodies face opposite ways
_HEAD_BELOW, _ARM_ABOVE = 0.1, 0.1  # metres: head below the shoulders; arms above the head, so not on a floor
_HAND_ABOVE = 0.45  # metres of a hand above the hips from which it may hold a bar
_LEG_UP = 75.0  # maximum degrees between a leg and straight up
_LEVEL = 0.5  # minimum horizontal share of a body's left direction; below it the person lies and has no facing


def face_opposite_ways(first: Array, second: Array) -> bool:
    """Return whether two bodies (20, 3) face opposite ways; false if one lies on a side."""
    lefts = [_left(body) for body in (first, second)]
    lengths = [float(np.linalg.norm(left)) for left in lefts]
    if min(lengths) < _LEVEL:
        return False
    return bool(lefts[0] @ lefts[1] < _TURNED * lengths[0] * lengths[1])


def upside_down(joints: Array) -> bool:
    """Return whether a body (20, 3) is upside down without support, as in a photograph that is upside down.

    Handstands, headstands, shoulder stands and hanging from a bar have support, so they do not count.
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
    """Return the second person, in the other facing if some looks saw it and only that agrees with ``known``."""
    if known is None or doubtful is None or doubtful.turned is None:
        return doubtful
    joints = known.pose.joints
    opposite, alike = doubtful.pose.joints, doubtful.turned.pose.joints
    turned = face_opposite_ways(joints, opposite) and not face_opposite_ways(joints, alike)
    return doubtful.turned if turned else doubtful


def facing_alike(
    current: PoseEstimate | None, target: PoseEstimate | None
) -> tuple[PoseEstimate | None, PoseEstimate | None]:
    """Return both people; if they face opposite ways, with one in the other facing if some looks saw it.

    Of several such choices, use the one that most looks saw, and of equal ones the one that faces the camera. If
    all looks agree that the person turned around, nothing changes. If the tilts differ, two cameras took the
    photographs; the poses are then marked so, since the turn between them is not known.
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
    """Return the floor direction (2,), right and away, of a body's (20, 3) left; length 1 for an upright body."""
    hips, shoulders = (joints[INDEX[f"left_{part}"]] - joints[INDEX[f"right_{part}"]] for part in ("hip", "shoulder"))
    across = hips + shoulders
    return np.asarray(across[[0, 2]] / max(float(np.linalg.norm(across)), 1e-9))


def _facings(estimate: PoseEstimate) -> Iterator[tuple[PoseEstimate, float]]:
    """Yield the person in each facing, with the share of looks that saw it."""
    share = estimate.turned_share if estimate.turned is not None else 0.0
    yield estimate, 1.0 - share
    if estimate.turned is not None:
        yield estimate.turned, share

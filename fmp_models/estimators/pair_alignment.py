"""Alignment of a pair's two estimates: the facing direction, and one tilt for one camera.

Front and back look much alike if the face is not visible, painted over or dark. Some looks then show the person
from behind, with left and right swapped. People seldom turn around between two photographs, so of the facings that
were seen, those that agree are used.

One camera for both photographs is detected by the room behind the people. The tilt estimated from one photograph is
some degrees off, mostly because of the person's pose. With two separate estimates for one still camera, a trunk
that does not move would appear to lean between the photographs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.camera_tilt import CameraTilt, tilt_by
from fmp_models.pose import BODY_SIDES, CAMERA_UP, INDEX, JOINTS, Array, angle
from fmp_models.preprocessing import Photograph

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


_SIDE = 120  # longer side in pixels for comparing rooms
_FINE, _COARSE = 0.7, 4.0  # pixels: finer structures are noise, coarser ones are lighting
_MOVED = 5  # maximum shift in pixels of a hand-held camera between the two
# Minimum correlation of the same room. A still camera gives 0.94 and more, one moved by hand 0.5, other cameras up to
# 0.53. Missing a shared camera is better than merging two cameras.
_ALIKE = 0.75
_FAINT = 0.5  # grey levels; a wall with less contrast gives no evidence
_EVEN = 2.0  # maximum variation in grey levels of a row or column in a bar along the edge
_AROUND = 0.1  # margin around a person's box for hair, clothes and shadows, as share of the box
_MIN_SHARED_ROOM = 0.1  # minimum share of a picture that shows the room in both

Floats = NDArray[np.float64]
Estimates = tuple[PoseEstimate | None, PoseEstimate | None]


def levelled_alike(photographs: tuple[Photograph, Photograph], estimates: Estimates) -> Estimates:
    """Return both people levelled by one tilt if one camera took both photographs; else unchanged."""
    current, target = estimates
    if current is None or target is None or current.tilt_evidence is None or target.tilt_evidence is None:
        return estimates
    if not same_camera(photographs, (current, target)):
        return estimates
    tilt = tilt_by([current.tilt_evidence, target.tilt_evidence])
    return _levelled_by(tilt, current), _levelled_by(tilt, target)


def same_camera(photographs: tuple[Photograph, Photograph], estimates: tuple[PoseEstimate, PoseEstimate]) -> bool:
    """Return whether both photographs have the same size and show the same room, shifted by a few pixels at most."""
    if photographs[0].image.size != photographs[1].image.size:
        return False
    rooms = [
        _background(photograph.image, estimate) for photograph, estimate in zip(photographs, estimates, strict=True)
    ]
    return bool(_correlations(*rooms).max(initial=0.0) >= _ALIKE)


@dataclass(frozen=True)
class _Background:
    """The surroundings of all people in a picture: ``detail`` in grey levels, 0 where it is not ``seen``."""

    detail: Floats
    seen: Floats


def _background(image: Image.Image, estimate: PoseEstimate) -> _Background:
    scale = _SIDE / max(image.size)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    grey = np.asarray(image.convert("L").resize(size, Image.Resampling.LANCZOS), dtype=np.float64)
    seen = _without_bars(grey)
    across, down = size[0] / image.width, size[1] / image.height
    for box in (estimate.box, *estimate.others):
        left, top, right, bottom = box * np.array([across, down, across, down])
        beside, above = _AROUND * (right - left), _AROUND * (bottom - top)
        corners = np.array([top - above, left - beside, bottom + above + 1, right + beside + 1])
        first_row, first_column, end_row, end_column = np.maximum(corners, 0).astype(int)
        seen[first_row:end_row, first_column:end_column] = 0
    from scipy import ndimage  # noqa: PLC0415  its import would slow every start

    # Hidden pixels must not be blurred into visible ones, or the person's position would affect the comparison.
    fine, coarse = (
        ndimage.gaussian_filter(grey * seen, blur) / np.maximum(ndimage.gaussian_filter(seen, blur), 1e-6)
        for blur in (_FINE, _COARSE)
    )
    return _Background((fine - coarse) * seen, seen)


def _without_bars(grey: Floats) -> Floats:
    """Return 1 for pixels of the picture and 0 for bars along its edges, as in film stills."""
    seen = np.ones_like(grey)
    for lines, even in ((seen, grey.std(axis=1) < _EVEN), (seen.T, grey.std(axis=0) < _EVEN)):
        for side in (slice(None), slice(None, None, -1)):
            if width := int(np.logical_and.accumulate(even[side]).sum()):
                lines[side][: width + 1] = 0  # and the bar's edge
    return seen


def _correlations(first: _Background, second: _Background) -> Floats:
    """Return the correlation of two rooms where both are visible, for every shift with enough common area."""
    pairs = (
        (first.detail, second.detail),
        (first.detail**2, second.seen),
        (first.seen, second.detail**2),
        (first.seen, second.seen),
    )
    products, squares, other_squares, seen = (_shifted_sums(*pair) for pair in pairs)
    enough = seen >= _MIN_SHARED_ROOM * first.seen.size
    variances = squares[enough] * other_squares[enough] / seen[enough] ** 2
    return np.asarray(products[enough] / seen[enough] / (np.sqrt(np.maximum(variances, 0)) + _FAINT**2))


def _shifted_sums(first: Floats, second: Floats) -> Floats:
    """Return the sums of products of two pictures of one size, for every shift of the second by up to a few pixels."""
    padded = [length + _MOVED for length in first.shape]
    spectra = np.fft.rfft2(first, padded) * np.conj(np.fft.rfft2(second, padded))
    shifts = np.arange(-_MOVED, _MOVED + 1)
    return np.asarray(np.fft.irfft2(spectra, padded)[np.ix_(shifts, shifts)])


def _levelled_by(tilt: CameraTilt, estimate: PoseEstimate) -> PoseEstimate:
    """Return a person with joints levelled by a new tilt instead of the previous one."""
    before, pose = estimate.tilt, estimate.pose
    if before is None:
        return estimate
    pose_samples, gazes = (
        None if seen is None else tilt.levelled(before.tilted(seen)) for seen in (pose.pose_samples, pose.gazes)
    )
    return replace(
        estimate,
        pose=replace(pose, joints=tilt.levelled(before.tilted(pose.joints)), pose_samples=pose_samples, gazes=gazes),
        turned=None if estimate.turned is None else _levelled_by(tilt, estimate.turned),
        tilt=tilt,
    )

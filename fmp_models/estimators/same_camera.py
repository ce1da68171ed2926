"""One camera for both photographs of a pair: told by the room behind the people, and then both have one tilt.

A tilt that one photograph shows is some degrees off, most of them by how the person stands. Of two photographs by a
camera that stood still each would be off by degrees of its own, and a trunk that keeps still would lean in between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.camera_tilt import CameraTilt, tilt_by
from fmp_models.preprocessing.photograph import Photograph

_SIDE = 120  # pixels of the longer side in which rooms are compared
_FINE, _COARSE = 0.7, 4.0  # pixels: what is finer is noise, and what is coarser is light
_MOVED = 5  # pixels by which a camera in somebody's hand may have moved between the two
# Correlation from which two rooms are one. A camera that stood still gives 0.94 and more, one that a hand moved on 0.5,
# others up to 0.53: better one that is not known than two that are taken for one.
_ALIKE = 0.75
_FAINT = 0.5  # grey levels: a wall that shows less shows no room
_EVEN = 2.0  # grey levels by which a row or column along the edge varies that is a bar beside the photograph
_AROUND = 0.1  # of a person's box, which hair, clothes and shadows reach beyond it
_MIN_SHARED_ROOM = 0.1  # share of a picture that both must show of the room

Floats = NDArray[np.float64]
Estimates = tuple[PoseEstimate | None, PoseEstimate | None]


def levelled_alike(photographs: tuple[Photograph, Photograph], estimates: Estimates) -> Estimates:
    """Both people with joints levelled by one tilt where one camera took both photographs; else as they were."""
    current, target = estimates
    if current is None or target is None or current.tilt_evidence is None or target.tilt_evidence is None:
        return estimates
    if not same_camera(photographs, (current, target)):
        return estimates
    tilt = tilt_by([current.tilt_evidence, target.tilt_evidence])
    return _levelled_by(tilt, current), _levelled_by(tilt, target)


def same_camera(photographs: tuple[Photograph, Photograph], estimates: tuple[PoseEstimate, PoseEstimate]) -> bool:
    """Whether both photographs are of one size and show one room beside all people, moved by a few pixels at most."""
    if photographs[0].image.size != photographs[1].image.size:
        return False
    rooms = [
        _background(photograph.image, estimate) for photograph, estimate in zip(photographs, estimates, strict=True)
    ]
    return bool(_correlations(*rooms).max(initial=0.0) >= _ALIKE)


@dataclass(frozen=True)
class _Background:
    """What a picture shows beside all people: its ``detail`` in grey levels, 0 where it is not ``seen``."""

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

    # Of what is hidden nothing may be blurred into what is seen: where a person stands would tell the room.
    fine, coarse = (
        ndimage.gaussian_filter(grey * seen, blur) / np.maximum(ndimage.gaussian_filter(seen, blur), 1e-6)
        for blur in (_FINE, _COARSE)
    )
    return _Background((fine - coarse) * seen, seen)


def _without_bars(grey: Floats) -> Floats:
    """1 for what is no bar along an edge, as stills of films have them, else 0."""
    seen = np.ones_like(grey)
    for lines, even in ((seen, grey.std(axis=1) < _EVEN), (seen.T, grey.std(axis=0) < _EVEN)):
        for side in (slice(None), slice(None, None, -1)):
            if width := int(np.logical_and.accumulate(even[side]).sum()):
                lines[side][: width + 1] = 0  # and where it ends
    return seen


def _correlations(first: _Background, second: _Background) -> Floats:
    """How alike two rooms are where both are seen, for every shift by which enough of both is."""
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
    """The sums of products of two pictures of one size, for every shift of the second by up to a few pixels."""
    padded = [length + _MOVED for length in first.shape]
    spectra = np.fft.rfft2(first, padded) * np.conj(np.fft.rfft2(second, padded))
    shifts = np.arange(-_MOVED, _MOVED + 1)
    return np.asarray(np.fft.irfft2(spectra, padded)[np.ix_(shifts, shifts)])


def _levelled_by(tilt: CameraTilt, estimate: PoseEstimate) -> PoseEstimate:
    """A person whose joints are levelled by a tilt, in place of that by which they were."""
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

"""Triangulation of the joints of one moment from several pictures.

If a camera confused left and right, its sides are swapped back. If one camera sees a joint far from where the
others place it, that camera is left out for this joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fmp_models.evaluation.films.cameras import FilmCamera
from fmp_models.pose import INDEX, MIRROR, Array

MIN_CAMERAS = 3  # with two cameras it is unknown which of them is wrong
_SIDED = [INDEX[f"{side}_{part}"] for side in ("left", "right") for part in ("shoulder", "elbow", "hip", "ankle")]
_FAR = 0.013  # maximum reprojection error in picture heights before a camera is left out
_BETTER = 0.5  # a camera is wrong if less than this share of the error remains without it
_EXCHANGED = 0.9  # sides were confused if less than this share of the error remains after swapping


@dataclass(frozen=True)
class TriangulatedMoment:
    """Joints (20, 3) in metres of the room, and the ``error`` of each (20,) in picture heights.

    An error is the mean reprojection error over the cameras.
    """

    joints: Array
    error: Array


def triangulated(cameras: Sequence[FilmCamera], places: Array, heights: Array) -> TriangulatedMoment:
    """Triangulate joints from pixels ``places`` (cameras, 20, 2) of at least ``MIN_CAMERAS`` cameras.

    ``heights`` (cameras,) are those of their pictures in pixels.
    """
    trials = [_with_sides_exchanged(places, camera) for camera in range(len(cameras))]
    left = [_error_of_sides(cameras, trial, heights) for trial in trials]
    best = int(np.argmin(left))
    if left[best] < _EXCHANGED * _error_of_sides(cameras, places, heights):
        places = trials[best]
    joints = [_agreed(cameras, places[:, joint], heights) for joint in range(len(INDEX))]
    return TriangulatedMoment(np.array([point for point, _ in joints]), np.array([off for _, off in joints]))


def _with_sides_exchanged(places: Array, camera: int) -> Array:
    """Return the places with left and right swapped for one camera."""
    changed = places.copy()
    changed[camera] = places[camera][list(MIRROR)]
    return changed


def _error_of_sides(cameras: Sequence[FilmCamera], places: Array, heights: Array) -> float:
    """Return the summed reprojection error of the joints that have a side, over all cameras."""
    joint_pixels = (places[:, joint] for joint in _SIDED)
    return float(sum(_seen_off(cameras, pixels, _point(cameras, pixels), heights).sum() for pixels in joint_pixels))


def _agreed(cameras: Sequence[FilmCamera], pixels: Array, heights: Array) -> tuple[Array, float]:
    """Return one joint and its mean reprojection error, by all cameras or all but one that contradicts the rest."""
    point = _point(cameras, pixels)
    off = _seen_off(cameras, pixels, point, heights)
    if off.max() > _FAR and len(cameras) > MIN_CAMERAS:
        trials: list[tuple[Array, Array]] = []
        for numbers in map(list, combinations(range(len(cameras)), len(cameras) - 1)):
            fewer = [cameras[number] for number in numbers]
            seen_point = _point(fewer, pixels[numbers])
            trials.append((seen_point, _seen_off(fewer, pixels[numbers], seen_point, heights[numbers])))
        best, best_off = min(trials, key=lambda trial: trial[1].max())
        if best_off.max() < _BETTER * off.max():
            point, off = best, best_off
    return point, float(off.mean())


def _point(cameras: Sequence[FilmCamera], pixels: Array) -> Array:
    """Return the point that cameras see at pixels (cameras, 2), by the direct linear transform."""
    rows = []
    for camera, pixel in zip(cameras, pixels, strict=True):
        x, y = camera.rays(pixel)
        projection = camera.projection
        rows += [x * projection[2] - projection[0], y * projection[2] - projection[1]]
    *_, solution = np.linalg.svd(np.array(rows))[2]
    return np.asarray(solution[:3] / solution[3])


def _seen_off(cameras: Sequence[FilmCamera], pixels: Array, point: Array, heights: Array) -> Array:
    """Return the reprojection error (cameras,) of a point, in heights of each camera's picture."""
    views = zip(cameras, pixels, strict=True)
    return np.array([np.linalg.norm(camera.pixels(point) - pixel) for camera, pixel in views]) / heights

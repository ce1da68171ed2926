"""Triangulation, joints of one moment in several pictures -> joints in the room.

Where a camera saw left and right exchanged, its sides are changed back; of a joint that one camera sees far from where
the others have it, that camera is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fmp_models.evaluation.films.cameras import FilmCamera
from fmp_models.pose import INDEX, MIRROR, Array

FEWEST = 3  # cameras: with two, nobody could tell which of them is wrong
_SIDED = [INDEX[f"{side}_{part}"] for side in ("left", "right") for part in ("shoulder", "elbow", "hip", "ankle")]
_FAR, _BETTER = (
    0.013,
    0.5,
)  # of a picture's height that a joint may be off; an error without a camera that tells it lies
_EXCHANGED = 0.9  # share of the error that must be left for sides to have been exchanged


@dataclass(frozen=True)
class Moment:
    """Joints (20, 3) in metres of the room, the ``error`` of each (20,) in pixels, and which cameras saw sides rightly.

    An error is the mean distance between where cameras see a joint and where they would see the one that was found.
    """

    joints: Array
    error: Array
    rightly: tuple[bool, ...]


def triangulated(cameras: Sequence[FilmCamera], places: Array, height: float) -> Moment:
    """The joints that the ``cameras`` (at least ``FEWEST``) saw at ``places`` (cameras, 20, 2) pixels.

    ``height`` is that of a picture in pixels.
    """
    error, exchanged = np.inf, -1
    for camera in (-1, *range(len(cameras))):
        trial = _with_sides_exchanged(places, camera)
        off = sum(_seen_off(cameras, trial[:, joint], _point(cameras, trial[:, joint])).sum() for joint in _SIDED)
        if off < error * (1.0 if camera < 0 else _EXCHANGED):
            error, exchanged = off, camera
    sides_right = _with_sides_exchanged(places, exchanged)
    found = [_agreed(cameras, sides_right[:, joint], height) for joint in range(len(INDEX))]
    rightly = tuple(camera != exchanged for camera in range(len(cameras)))
    return Moment(np.array([point for point, _ in found]), np.array([off for _, off in found]), rightly)


def _with_sides_exchanged(places: Array, camera: int) -> Array:
    """The places, left and right exchanged as one camera saw them; none where it is negative."""
    if camera < 0:
        return places
    changed = places.copy()
    changed[camera] = places[camera][list(MIRROR)]
    return changed


def _agreed(cameras: Sequence[FilmCamera], pixels: Array, height: float) -> tuple[Array, float]:
    """One joint and how far off it is seen, by all cameras or without the one that all others contradict."""
    point = _point(cameras, pixels)
    off = _seen_off(cameras, pixels, point)
    if off.max() > _FAR * height and len(cameras) > FEWEST:
        for chosen in combinations(range(len(cameras)), len(cameras) - 1):
            fewer = [cameras[number] for number in chosen]
            other = _point(fewer, pixels[list(chosen)])
            other_off = _seen_off(fewer, pixels[list(chosen)], other)
            if other_off.max() < _BETTER * off.max():
                point, off = other, other_off
    return point, float(off.mean())


def _point(cameras: Sequence[FilmCamera], pixels: Array) -> Array:
    """The point that cameras see at pixels (cameras, 2), by the direct linear transform."""
    rows = []
    for camera, pixel in zip(cameras, pixels, strict=True):
        x, y = camera.rays(pixel)
        projection = camera.projection
        rows += [x * projection[2] - projection[0], y * projection[2] - projection[1]]
    *_, solution = np.linalg.svd(np.array(rows))[2]
    return np.asarray(solution[:3] / solution[3])


def _seen_off(cameras: Sequence[FilmCamera], pixels: Array, point: Array) -> Array:
    """Pixels (cameras,) between where a point was seen and where it would be."""
    return np.array(
        [np.linalg.norm(camera.pixels(point) - pixel) for camera, pixel in zip(cameras, pixels, strict=True)]
    )

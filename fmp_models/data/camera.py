"""The cameras of the simulated pictures: level, aimed at the person, at the distance given by the room's plan.

The simulator renders with these numbers; training needs them to project joints into a picture. The cameras of ``wide``
pairs stand anywhere and are tilted; their rows store the image positions of the joints and the camera's tilt.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.data.uids import Uid

SIZE = (448, 224)  # pixels of every picture, width and height
REACH = 2.9  # metres of height that the picture shows at the person's distance: room for a jump with raised arms

_PLANS = Path(__file__).parents[1] / "sim" / "room_plans"


def focal_length(uid: Uid) -> float:
    """Return the focal length of a pair's pictures in pixels.

    Raises ``KeyError`` for a room or spot that the simulator does not have.
    """
    return SIZE[1] * _distances()[uid.room, uid.spot] / REACH


def in_picture(points: NDArray[np.floating], focal: ArrayLike, size: tuple[int, int] = SIZE) -> NDArray[np.floating]:
    """Project camera-frame points (..., 3) to pixels (..., 2) right of and below the picture's top left corner.

    ``focal`` is a focal length in pixels, or an array that matches ``points`` without its last axis.
    """
    return np.asarray(
        points[..., :2] / points[..., 2:] * np.asarray(focal)[..., None] + np.array(size, dtype=points.dtype) / 2
    )


def tilted(joints: ArrayLike, pitch: ArrayLike, roll: ArrayLike) -> NDArray[np.floating]:
    """Return levelled joints (..., 20, 3) in the frames of cameras that look down by ``pitch`` and roll by ``roll``.

    Both angles (...) are degrees; ``roll`` is clockwise. The levelled joints of ``wide`` pairs have a vertical axis
    along gravity; joints that an estimator measures in a tilted camera do not.
    """
    p, r = np.radians(np.asarray(pitch))[..., None], np.radians(np.asarray(roll))[..., None]
    x, down, away = np.moveaxis(np.asarray(joints), -1, 0)
    y, z = np.cos(p) * down - np.sin(p) * away, np.sin(p) * down + np.cos(p) * away
    return np.stack([np.cos(r) * x + np.sin(r) * y, np.cos(r) * y - np.sin(r) * x, z], axis=-1)


@cache
def _distances() -> Mapping[tuple[int, int], float]:
    """Return the metres from the camera to the person, by room and spot."""
    plans = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_PLANS.glob("*.toml"))]
    return {
        (room, spot): float(view["distance"])
        for room, plan in enumerate(plans)
        for spot, view in enumerate(plan["spots"])
    }

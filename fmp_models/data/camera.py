"""The cameras of the simulated pictures: level, looking at the person, each as far away as its room's plan says.

The simulator takes its pictures by these numbers; training needs them to find the joints in a picture again. Those of
``wide`` pairs stand anywhere and look anyhow: their rows say where joints are seen, and how the camera was held.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.data.uids import Uid

SIZE = (448, 224)  # pixels of every picture
REACH = 2.9  # metres of height that the picture shows where the person stands: jumping with raised arms

_PLANS = Path(__file__).parents[1] / "sim" / "rooms" / "plans"


def focal_length(uid: Uid) -> float:
    """Pixels by which a metre at a distance of one metre is wide in the pictures of a pair.

    Raises ``KeyError`` for a room or spot that the simulator does not have.
    """
    return SIZE[1] * _distances()[uid.room, uid.spot] / REACH


def in_picture(points: NDArray[np.floating], focal: ArrayLike, size: tuple[int, int] = SIZE) -> NDArray[np.floating]:
    """Camera-frame points (..., 3) -> places (..., 2): pixels to the right of and below the picture's corner.

    ``focal`` is a focal length in pixels, or as many as fit ``points`` without its last axis.
    """
    return np.asarray(
        points[..., :2] / points[..., 2:] * np.asarray(focal)[..., None] + np.array(size, dtype=points.dtype) / 2
    )


def tilted(joints: ArrayLike, pitch: ArrayLike, roll: ArrayLike) -> NDArray[np.floating]:
    """Levelled joints (..., 20, 3) in the frames of cameras that look down by ``pitch`` and turn clockwise by ``roll``.

    Both (...) are degrees. Levelled joints, as ``wide`` pairs have them, know what is up; those of a camera that is
    held anyhow, as an estimator measures them, do not.
    """
    p, r = np.radians(np.asarray(pitch))[..., None], np.radians(np.asarray(roll))[..., None]
    x, down, away = np.moveaxis(np.asarray(joints), -1, 0)
    y, z = np.cos(p) * down - np.sin(p) * away, np.sin(p) * down + np.cos(p) * away
    return np.stack([np.cos(r) * x + np.sin(r) * y, np.cos(r) * y - np.sin(r) * x, z], axis=-1)


@cache
def _distances() -> Mapping[tuple[int, int], float]:
    """Metres from the camera to the person, by room and spot."""
    plans = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_PLANS.glob("*.toml"))]
    return {
        (room, spot): float(view["distance"])
        for room, plan in enumerate(plans)
        for spot, view in enumerate(plan["spots"])
    }

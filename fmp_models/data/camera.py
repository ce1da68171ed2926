"""The cameras of the simulated pictures: level, looking at the person, each as far away as its room's plan says.

The simulator takes its pictures by these numbers; training needs them to find the joints in a picture again.
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


@cache
def _distances() -> Mapping[tuple[int, int], float]:
    """Metres from the camera to the person, by room and spot."""
    plans = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_PLANS.glob("*.toml"))]
    return {
        (room, spot): float(view["distance"])
        for room, plan in enumerate(plans)
        for spot, view in enumerate(plan["spots"])
    }

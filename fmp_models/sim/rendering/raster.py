"""Rasterisation of triangles: the visible triangle of each pixel, and depths seen from a lamp."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.sim.rendering.kernels import carry, deepen, draw, launch, share, vectors
from fmp_models.sim.rendering.light import Array

Ids = NDArray[np.integer]
NOTHING = np.int64(1 << 62)
NUMBER = np.int64(0xFFFFFFFF)
STEPS = 1e6  # number of depth steps between the nearest and the farthest point


def nearest(corners: Array, triangles: Ids, size: tuple[int, int]) -> Ids:
    """Return the visible triangle of every pixel: (height, width), -1 for none.

    ``corners`` (V, 3) are column, row (pixel i spans i to i + 1) and a depth that is linear on the screen.
    """
    width, height = size
    best = np.full((height, width), NOTHING)
    low, high = float(corners[:, 2].min()), float(corners[:, 2].max())
    steps = STEPS / max(high - low, 1e-9)
    launch(draw, len(triangles), vectors(corners), vectors(triangles), low, steps, best)
    return np.where(best == NOTHING, np.int64(-1), best & NUMBER).astype(np.int32)


def shares(corners: Array, triangles: Ids, pixels: Ids) -> NDArray[np.float32]:
    """Return perspective-correct weights (N, 3) of pixels (N, 3: triangle, column, row); depths are -1 / metres."""
    corner_shares = np.empty((len(pixels), 3), np.float32)
    launch(share, len(pixels), vectors(corners), vectors(triangles), vectors(pixels), vectors(corner_shares))
    return corner_shares


def depths(points: Array, triangles: Ids, frames: Array, pixels: int, *, solid: bool) -> NDArray[np.float32]:
    """Return shadow maps of triangles: (L, pixels, pixels) depths, infinite where nothing is.

    ``points`` are (V, 3) in the world; ``frames`` (L, 3, 4) transform them to column, row and depth of each lamp. Of a
    ``solid`` mesh, triangles that face away from the lamp are skipped.
    """
    maps = np.full((len(frames), pixels, pixels), np.inf, np.float32)
    corners, ids = np.empty((len(points), 3), np.float32), vectors(triangles)
    world, carried_points = vectors(points), vectors(corners)
    for lamp, frame in enumerate(frames):
        launch(carry, len(points), world, vectors(frame), carried_points)
        launch(deepen, len(triangles), carried_points, ids, solid, maps[lamp])
    return maps


def carried(points: Array, frame: Array) -> NDArray[np.float32]:
    """Transform points (V, 3) by a frame (3, 4) whose rows multiply (x, y, z, 1)."""
    places = np.empty((len(points), 3), np.float32)
    launch(carry, len(points), vectors(points), vectors(frame), vectors(places))
    return places

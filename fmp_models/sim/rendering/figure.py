"""A dressed body in front of a camera: the pixels that show it, and their surface values."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fmp_models.sim.rendering.light import Array, Camera, PixelSurfaces, linear
from fmp_models.sim.rendering.perspective import pixels_per_slope
from fmp_models.sim.rendering.raster import Ids, carried, nearest, shares

CACHED_BODIES = 8
NEAREST = 0.1  # near clipping distance in metres
Box = tuple[slice, slice]  # rows and columns


class Mesh(Protocol):
    """A dressed body; two are equal only if they are the same object."""

    def __hash__(self) -> int:
        """Return the identity hash, the default of a class."""

    @property
    def triangles(self) -> Ids:
        """Point indices (F, 3)."""

    @property
    def colours(self) -> Array:
        """Colours (V, 3) in sRGB."""

    @property
    def gloss(self) -> Array:
        """Strength (V) of highlights."""


class PosedMesh(Protocol):
    """A dressed body in a pose."""

    @property
    def points(self) -> Array:
        """Positions (V, 3) in the world, metres."""

    @property
    def normals(self) -> Array:
        """Unit normals (V, 3)."""


@dataclass(frozen=True)
class RenderedBody:
    """A body in a pose, ready to render; albedo is linear."""

    triangles: Ids
    albedo: NDArray[np.float32]
    gloss: NDArray[np.float32]
    points: NDArray[np.float32]
    normals: NDArray[np.float32]


def figure(body: Mesh, posed: PosedMesh) -> RenderedBody:
    """Return a body and its pose in the types that rendering needs."""
    points, normals = (np.ascontiguousarray(rows, np.float32) for rows in (posed.points, posed.normals))
    triangles, albedo, gloss = _worn(body)
    return RenderedBody(triangles, albedo, gloss, points, normals)


def appear(figure: RenderedBody, camera: Camera, box: Box, behind: Array) -> tuple[Ids, Ids, PixelSurfaces]:
    """Return the rows and columns (N) of a box where a figure is nearer than ``behind``, and their surface values."""
    corners = _corners(figure.points, camera, box)
    ahead = corners[:, 2] > -1 / NEAREST
    triangles = figure.triangles if ahead.all() else figure.triangles[ahead[figure.triangles].all(axis=1)]
    ids = nearest(corners, triangles, (behind.shape[1], behind.shape[0]))
    row, column = np.nonzero(ids >= 0)
    share = shares(corners, triangles, np.stack([ids[row, column], column, row], axis=1))
    of = triangles[ids[row, column]]
    depth = -np.einsum("nc,nc->n", share, 1 / corners[of, 2])
    front = np.flatnonzero(depth < behind[row, column])
    return row[front], column[front], _between(figure, camera, share[front], of[front], depth[front])


def _corners(points: Array, camera: Camera, box: Box) -> NDArray[np.float32]:
    """Return column, row and depth (linear on the screen) of points within a box of the picture."""
    right, up, forward = camera.axes
    frame = np.stack([right, -up, forward])
    local = carried(points, np.column_stack([frame, -frame @ camera.place]))
    width, height = camera.size
    inverse = np.float32(1) / np.maximum(local[:, 2:], np.float32(NEAREST))
    middle = np.array([width / 2 - box[1].start, height / 2 - box[0].start], np.float32)
    local[:, :2] = local[:, :2] * inverse * np.float32(pixels_per_slope(camera)) + middle
    local[:, 2:] = -inverse
    return local


def _between(figure: RenderedBody, camera: Camera, share: Array, of: Ids, depth: Array) -> PixelSurfaces:
    """Return the surface values of pixels, interpolated between the points ``of`` (N, 3) with weights ``share``."""
    position, normal, albedo = (
        np.einsum("nc,nci->ni", share, values[of]) for values in (figure.points, figure.normals, figure.albedo)
    )
    gloss = np.einsum("nc,nc->n", share, figure.gloss[of])
    ray = position - np.asarray(camera.place, np.float32)
    # Normals that point away from the camera at a silhouette are mirrored, as in the example pictures.
    away = np.einsum("ni,ni->n", normal, ray) / np.einsum("ni,ni->n", ray, ray)
    normal -= 2 * np.maximum(away, 0)[:, None] * ray
    normal /= np.sqrt(np.einsum("ni,ni->n", normal, normal))[:, None] + np.float32(1e-6)
    return PixelSurfaces(albedo, normal, position, depth, gloss, np.zeros_like(gloss), of[:, 0].astype(np.int32))


@functools.lru_cache(maxsize=CACHED_BODIES)
def _worn(body: Mesh) -> tuple[Ids, NDArray[np.float32], NDArray[np.float32]]:
    albedo = np.asarray(linear(np.asarray(body.colours)), np.float32)
    return np.ascontiguousarray(body.triangles, np.int32), albedo, np.asarray(body.gloss, np.float32)

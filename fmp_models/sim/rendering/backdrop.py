"""A room from one camera, rendered and lit once: surface, depth, light and visible lamps of every pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from fmp_models.sim.rendering.lamplight import ALL, Lamplight, cast, lamplight, leaving, reach
from fmp_models.sim.rendering.light import Array, Camera, Lamps, PixelSurfaces, Surface, look, merged
from fmp_models.sim.rendering.perspective import finer

DRAWN = (0.08, 40.0)  # near and far clipping distance in metres
BACK = -0.15  # cosine below which the camera sees the back of a sheet, not a rounded edge
COUNTS = (14, 18)  # lamps of window and sky
SHADOW_PIXELS = 1024
SOFTNESS = (0.02, 0.0)
RINGS = (0.06, 0.16, 0.35)  # radii in metres around a point in which protruding geometry darkens it
TURNS = 8
DARK, DARKEST = 1.6, 0.55


@dataclass(frozen=True)
class Backdrop:
    """A rendered room at ``over`` times the resolution of the picture, and coarser data for shadows.

    ``light`` (rows, columns, 3), ``depth`` and ``surface`` (rows, columns) are fine. ``coarse`` has one pixel of every
    ``over`` x ``over``, row by row. ``coarse_light``, ``lamps`` (bits of the visible lamps) and ``openness`` (the share
    of the emitted light that arrives) belong to it and to the few lamps that people cast shadows from.
    """

    light: NDArray[np.float32]
    depth: NDArray[np.float32]
    surface: NDArray[np.int32]
    coarse: PixelSurfaces
    coarse_light: NDArray[np.float32]
    lamps: NDArray[np.uint32]
    openness: NDArray[np.float32]


def paint(surfaces: Sequence[Surface], camera: Camera, over: int, lamps: Lamps, light: Lamplight) -> Backdrop:
    """Render surfaces as an empty room at ``over`` times the camera's resolution.

    ``light`` has fewer lamps than the room is rendered with: those that people will cast shadows from.
    """
    width, height = camera.size
    large = finer(camera, over)
    pixels = look(surfaces, large, DRAWN, turned=BACK)
    mesh = merged([surface for surface in surfaces if surface.shadow] or surfaces)
    casting = np.asarray(mesh.points, np.float32), np.asarray(mesh.regular_faces, np.int32)
    pixels = replace(pixels, albedo=pixels.albedo * _corners(pixels, large)[:, None])
    numbers = np.arange(len(pixels.depth)).reshape(height * over, width * over)[::over, ::over].ravel()
    coarse, room_light = at(pixels, numbers), lamplight(lamps, camera, COUNTS)
    fine_light, coarse_light = (
        reach(
            lamp_set,
            cast(lamp_set, casting, SHADOW_PIXELS, SOFTNESS, solid=False),
            visible_pixels,
            np.full(len(visible_pixels.depth), ALL),
            np.arange(len(visible_pixels.depth)),
        )
        for lamp_set, visible_pixels in ((room_light, pixels), (light, coarse))
    )
    return Backdrop(
        leaving(pixels, fine_light, lamps).reshape(height * over, width * over, 3),
        np.asarray(pixels.depth.reshape(height * over, width * over), np.float32),
        pixels.surface.reshape(height * over, width * over),
        coarse,
        leaving(coarse, coarse_light, lamps),
        coarse_light.lamps,
        coarse_light.openness,
    )


def at(pixels: PixelSurfaces, numbers: NDArray[np.integer]) -> PixelSurfaces:
    """Return the pixels with these indices."""
    return PixelSurfaces(*(np.asarray(getattr(pixels, field.name)[numbers]) for field in fields(PixelSurfaces)))


def _corners(picture_pixels: PixelSurfaces, camera: Camera) -> Array:
    """Return the openness (N) of every pixel (ambient occlusion): geometry in front of a surface darkens it."""
    width, height = camera.size
    depth = picture_pixels.depth.reshape(height, width)
    position, normal = (values.reshape(height, width, 3) for values in (picture_pixels.position, picture_pixels.normal))
    rows, columns = np.indices(depth.shape, dtype=np.float32)
    dark = np.zeros_like(depth)
    for ring, radius in enumerate(RINGS):
        pixels = radius * height / 2 / (camera.slope * depth)
        for turn in np.arange(TURNS) * 2 * np.pi / TURNS + 0.26 * ring:
            row = np.clip(rows + pixels * np.sin(turn), 0, height - 1).astype(np.intp)
            column = np.clip(columns + pixels * np.cos(turn), 0, width - 1).astype(np.intp)
            offset = position[row, column] - position
            far = np.sqrt(np.einsum("ijk,ijk->ij", offset, offset)) + 1e-6
            rise = np.einsum("ijk,ijk->ij", offset, normal) / far
            dark += np.clip(rise - 0.1, 0, 1) * np.clip(2 - far / radius, 0, 1)
    dark = gaussian_filter(dark / (TURNS * len(RINGS)), 1.5)
    return np.asarray(np.maximum(1 - DARK * dark, DARKEST)).ravel()

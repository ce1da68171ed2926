"""Distant lamps, the shadows cast from them, and the light on points.

One set of lamps lights a room once and a person in every picture. The lamps that furniture hides are stored per pixel
as one bit for each lamp; a person's shadow clears further bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmp_models.sim.rendering import kernels
from fmp_models.sim.rendering.light import GLOW, Array, Camera, Lamps, PixelSurfaces, directions, linear
from fmp_models.sim.rendering.raster import Ids, depths

ALL = np.uint32(0xFFFFFFFF)
HIDDEN = np.float32(0.15)  # share of the bounced light that remains where no lamp is visible
MARGIN = 2  # pixels around the mesh in a shadow map


@dataclass(frozen=True)
class Lamplight:
    """Unit ``towards`` (L, 3) in the world, linear ``strengths`` (L, 3); the first ``keys`` lamps are the window's."""

    towards: Array
    strengths: Array
    keys: int
    eye: tuple[float, float, float]


@dataclass(frozen=True)
class Shadows:
    """Shadow maps: depths (L, pixels, pixels) and frames (L, 3, 4) that transform the world there.

    ``softness`` is the noise in pixels of a map: at the caster, and its growth per metre behind the caster's middle.
    """

    maps: NDArray[np.float32]
    frames: NDArray[np.float32]
    softness: tuple[float, float]


@dataclass(frozen=True)
class LitArea:
    """Linear light (N, 3) on points, the visible lamps (N) as bits, and the share (N) of the light that arrives."""

    light: NDArray[np.float32]
    lamps: NDArray[np.uint32]
    openness: NDArray[np.float32]

    def dimmed(self, openness: NDArray[np.float32]) -> LitArea:
        """Return the same light with the openness multiplied by ``openness``."""
        return LitArea(self.light, self.lamps, self.openness * openness)


def lamplight(lamps: Lamps, camera: Camera, counts: tuple[int, int]) -> Lamplight:
    """Return ``counts`` lamps for window and sky in the camera's heading: +y of ``lamps`` points away from it."""
    window, sky = (lamp_directions[:count] for lamp_directions, count in zip(directions(lamps), counts, strict=True))
    right = camera.axes[0]
    level = np.cross([0.0, 0.0, 1.0], right)
    turn = np.stack([right, level, [0.0, 0.0, 1.0]])
    strengths = [
        np.tile(linear(tint) * strength / count, (count, 1))
        for tint, strength, count in (
            (lamps.key_tint, lamps.key_strength, counts[0]),
            (lamps.sky_tint, lamps.sky_strength, counts[1]),
        )
    ]
    return Lamplight(np.concatenate([window, sky]) @ turn, np.concatenate(strengths), counts[0], camera.place)


def cast(
    light: Lamplight, mesh: tuple[Array, Ids], pixels: int, softness: tuple[float, float], *, solid: bool
) -> Shadows:
    """Return the shadow maps of a mesh (points, triangles); ``softness`` in metres and metres per metre.

    Of a ``solid`` mesh, triangles that face away from the lamp are skipped, which is faster.
    """
    points, triangles = mesh
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    frames = np.empty((len(light.towards), 3, 4), np.float32)
    scales = []
    corners = np.stack(np.meshgrid(*np.stack([points.min(axis=0), points.max(axis=0)]).T), axis=-1).reshape(-1, 3)
    for frame, toward in zip(frames, light.towards, strict=True):
        across = np.cross(toward, [0.0, 0.0, 1.0])
        across /= np.linalg.norm(across)
        axes = np.stack([across, np.cross(across, toward), -toward])
        reach = np.abs((corners - middle) @ axes[:2].T).max()
        axes[:2] *= (pixels / 2 - MARGIN) / reach
        scales.append((pixels / 2 - MARGIN) / reach)
        frame[:, :3] = axes
        frame[:, 3] = [pixels / 2, pixels / 2, 0] - axes @ middle
    scale = float(np.mean(scales))
    return Shadows(
        depths(points, triangles, frames, pixels, solid=solid), frames, (softness[0] * scale, softness[1] * scale)
    )


def reach(light: Lamplight, shadows: Shadows, pixels: PixelSurfaces, lamps: NDArray[np.uint32], seeds: Ids) -> LitArea:
    """Return the light on points (N); ``lamps`` (N) are the bits of the lamps that nothing else hides."""
    count = len(pixels.position)
    reached = LitArea(np.empty((count, 3), np.float32), np.array(lamps), np.empty(count, np.float32))
    lamps_of_kernel = kernels.bundle(
        kernels.KernelLamps,
        directions=kernels.vectors(light.towards),
        strengths=kernels.vectors(light.strengths),
        frames=kernels.vectors(shadows.frames),
        maps=shadows.maps,
        keys=light.keys,
        jitter=shadows.softness,
        eye=light.eye,
    )
    lit = kernels.bundle(
        kernels.LitPixels,
        points=kernels.vectors(pixels.position),
        normals=kernels.vectors(pixels.normal),
        gloss=np.ascontiguousarray(pixels.gloss, np.float32),
        seeds=np.ascontiguousarray(seeds, np.int32),
        lamps=reached.lamps,
        reached=kernels.vectors(reached.light),
        openness=reached.openness,
    )
    kernels.launch(kernels.shine, count, lamps_of_kernel, lit)
    return reached


def leaving(pixels: PixelSurfaces, reached: LitArea, ambient: Lamps) -> NDArray[np.float32]:
    """Return the linear light (N, 3) towards the camera; bounced light is dimmer where lamps are hidden."""
    around = (
        np.float32(ambient.bounce) * (0.75 - 0.25 * pixels.normal[:, 2]) * (HIDDEN + (1 - HIDDEN) * reached.openness)
    )
    diffuse = reached.light + around[:, None] * linear(ambient.bounce_tint)
    glow = pixels.glow[:, None]
    return np.asarray(pixels.albedo * (diffuse * (1 - glow) + GLOW * glow), np.float32)

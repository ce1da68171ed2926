"""Perspective of a camera: the world in metres in its frame, and as places in its picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fmp_models.data.camera import in_picture
from fmp_models.sim.rendering.light import Array, Camera


def to_camera(points: Array, camera: Camera) -> Array:
    """World points (..., 3) -> metres in the camera's frame: x right, y down, z away."""
    right, up, forward = camera.axes
    return np.asarray(np.einsum("...i,ji->...j", np.asarray(points) - camera.place, [right, -up, forward]))


def project(points: Array, camera: Camera) -> Array:
    """World points (..., 3) -> places (..., 2) in the picture: pixels to the right of and below its corner."""
    return in_picture(to_camera(points, camera), pixels_per_slope(camera), camera.size)


def pixels_per_slope(camera: Camera) -> float:
    """Pixels by which a metre at a distance of one metre is wide."""
    return camera.size[1] / 2 / camera.slope


def finer(camera: Camera, over: int) -> Camera:
    """The same camera with ``over`` times as many rows and columns."""
    return replace(camera, size=(camera.size[0] * over, camera.size[1] * over))

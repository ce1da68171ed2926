"""Perspective of a camera: world points in the camera's frame, and in its picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fmp_models.data.camera import in_picture
from fmp_models.sim.rendering.light import Array, Camera


def to_camera(points: Array, camera: Camera) -> Array:
    """Convert world points (..., 3) to metres in the camera's frame: x right, y down, z away."""
    right, up, forward = camera.axes
    return np.asarray(np.einsum("...i,ji->...j", np.asarray(points) - camera.place, [right, -up, forward]))


def project(points: Array, camera: Camera) -> Array:
    """Project world points (..., 3) to pixels (..., 2) right of and below the picture's top left corner."""
    return in_picture(to_camera(points, camera), pixels_per_slope(camera), camera.size)


def pixels_per_slope(camera: Camera) -> float:
    """Return the camera's focal length in pixels."""
    return camera.size[1] / 2 / camera.slope


def finer(camera: Camera, over: int) -> Camera:
    """Return the same camera with ``over`` times as many rows and columns."""
    return replace(camera, size=(camera.size[0] * over, camera.size[1] * over))

"""Mirroring of tensors: 3D joints, joint places in a picture, and pictures."""

from __future__ import annotations

from torch import Tensor

from fmp_models.pose import MIRROR


def mirrored_joints(joints: Tensor) -> Tensor:
    """Return joints (..., 20, 3) of the mirrored person: x changes sign, left and right are exchanged."""
    return joints[..., list(MIRROR), :] * joints.new_tensor([-1.0, 1.0, 1.0])


def mirrored_places(places: Tensor) -> Tensor:
    """Return places (..., 20, 2), from 0 to 1, of the joints in the mirrored picture."""
    return places[..., list(MIRROR), :] * places.new_tensor([-1.0, 1.0]) + places.new_tensor([1.0, 0.0])


def mirrored_pixels(pixels: Tensor) -> Tensor:
    """Return pictures (..., h, w, 3) mirrored left to right."""
    return pixels.flip(-2)

"""Mirror images as tensors: joints of a person, their places in a picture, and the picture."""

from __future__ import annotations

from torch import Tensor

from fmp_models.pose import MIRROR


def mirrored_joints(joints: Tensor) -> Tensor:
    """Joints (..., 20, 3) of the mirrored person: x changes sign and the sides change places."""
    return joints[..., list(MIRROR), :] * joints.new_tensor([-1.0, 1.0, 1.0])


def mirrored_places(places: Tensor) -> Tensor:
    """Places (..., 20, 2), 0 to 1, of the joints in the mirrored picture."""
    return places[..., list(MIRROR), :] * places.new_tensor([-1.0, 1.0]) + places.new_tensor([1.0, 0.0])


def mirrored_pixels(pixels: Tensor) -> Tensor:
    """Pictures (..., h, w, 3) seen in a mirror."""
    return pixels.flip(-2)

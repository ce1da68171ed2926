"""Transforms of tensors: joints into the body frame; joints, their places and pictures to their mirror image."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from fmp_models.pose import INDEX, MIRROR

Frames = Literal["camera", "body", "both"]
FRAMES: dict[str, int] = {"camera": 3, "body": 3, "both": 6}  # coordinates of each joint

_SHORT = 0.03  # metres; a line whose horizontal part is shorter gives no direction
_UPRIGHT = 0.5  # minimum share of a line's length that must be horizontal


def in_frames(joints: Tensor, frames: Frames, facing: Tensor) -> Tensor:
    """Return joints (..., 20, 3), metres in the camera frame, as coordinates (..., 20, 3 or 6) in ``frames``.

    The body frame is rotated about the vertical axis until the poses ``facing`` face the camera; their shape before
    (20, 3) is broadcast to that of ``joints``. Pass the current pose for all poses of one camera, so that a turn of
    the body between two poses stays visible.
    Mirrored joints give exactly mirrored coordinates.
    """
    if frames == "camera":
        return joints
    turned = _turned(joints, _sideways(facing))
    return turned if frames == "body" else torch.cat([joints, turned], dim=-1)


def _turned(joints: Tensor, sideways: Tensor) -> Tensor:
    """Rotate the joints so that the horizontal direction ``sideways`` (..., 2) lies along x."""
    c, s = sideways[..., None, 0], sideways[..., None, 1]
    x, y, z = joints.unbind(dim=-1)
    return torch.stack([c * x + s * z, y, c * z - s * x], dim=-1)


def _sideways(joints: Tensor) -> Tensor:
    """Return the horizontal direction to the left of a body (..., 20, 3): x and z (..., 2), of length 1.

    It runs from right hip to left hip. If the hips lie above each other, it runs from right to left shoulder; for a
    person lying on the side it is perpendicular to the line from hip to head. Joints that give no direction, such as
    unknown ones, count as facing the camera.
    """
    along = _line(joints, "hip", "head")
    square = torch.stack([along[..., 2], along[..., 1], -along[..., 0]], dim=-1)
    left = torch.zeros_like(joints[..., 0, :2])
    left[..., 0] = 1
    for line in (
        square,
        _line(joints, "right_shoulder", "left_shoulder"),
        _line(joints, "right_hip", "left_hip"),
    ):
        level = line[..., ::2]
        length = level.norm(dim=-1, keepdim=True)
        clear = (length >= _SHORT) & (length >= _UPRIGHT * line.norm(dim=-1, keepdim=True))
        left = torch.where(clear, level / length.clamp(min=_SHORT), left)
    return left


def _line(joints: Tensor, begin: str, end: str) -> Tensor:
    return joints[..., INDEX[end], :] - joints[..., INDEX[begin], :]


def mirrored_joints(joints: Tensor) -> Tensor:
    """Return joints (..., 20, 3) of the mirrored person: x changes sign, left and right are exchanged."""
    return joints[..., list(MIRROR), :] * joints.new_tensor([-1.0, 1.0, 1.0])


def mirrored_places(places: Tensor) -> Tensor:
    """Return places (..., 20, 2), from 0 to 1, of the joints in the mirrored picture."""
    return places[..., list(MIRROR), :] * places.new_tensor([-1.0, 1.0]) + places.new_tensor([1.0, 0.0])


def mirrored_pixels(pixels: Tensor) -> Tensor:
    """Return pictures (..., h, w, 3) mirrored left to right."""
    return pixels.flip(-2)

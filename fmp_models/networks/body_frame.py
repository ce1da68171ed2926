"""The body frame: joints turned about the vertical until the current pose faces the camera."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from fmp_models.pose import INDEX

Frames = Literal["camera", "body", "both"]
FRAMES: dict[str, int] = {"camera": 3, "body": 3, "both": 6}  # numbers of each joint

_SHORT = 0.03  # metres: a line that is seen end-on from above gives no direction
_UPRIGHT = 0.5  # share of a line's length that must lie level


def in_frames(joints: Tensor, frames: Frames, facing: Tensor) -> Tensor:
    """Joints (..., 20, 3), metres in the camera frame, as coordinates (..., 20, 3 or 6) in the ``frames``.

    The body frame is that of the poses ``facing``, whose shape before (20, 3) is broadcast to that of ``joints``: the
    current pose's for all poses of one camera, so that who turns between two of them is seen to turn. Mirrored joints
    give mirrored coordinates, exactly.
    """
    if frames == "camera":
        return joints
    turned = _turned(joints, _sideways(facing))
    return turned if frames == "body" else torch.cat([joints, turned], dim=-1)


def _turned(joints: Tensor, sideways: Tensor) -> Tensor:
    """The joints with the level direction ``sideways`` (..., 2) along x."""
    c, s = sideways[..., None, 0], sideways[..., None, 1]
    x, y, z = joints.unbind(dim=-1)
    return torch.stack([c * x + s * z, y, c * z - s * x], dim=-1)


def _sideways(joints: Tensor) -> Tensor:
    """To the left of a body (..., 20, 3): x and z (..., 2), of length 1.

    From hip to hip or, where they stand above each other, from shoulder to shoulder; of who lies on the side, square to
    the line from hip to head. Of joints that give no direction, such as unknown ones, as of who faces the camera.
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

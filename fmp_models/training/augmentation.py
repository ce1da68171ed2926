"""Augmentation of samples: joint errors, missing inputs, light.

Every function uses the generator that it receives, so that a resumed training continues with the same samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from fmp_models.pose import INDEX, JOINTS
from fmp_models.training.config import Amount, Share, Whole

# Joints of a limb in order, with their share of the limb's error; it grows towards the end of the limb.
_LIMBS = tuple(
    tuple(zip((INDEX[f"{side}_{part}"] for part in parts), (0.5, 1.0, 1.2), strict=True))
    for side in ("left", "right")
    for parts in (("elbow", "wrist", "hand"), ("knee", "ankle", "foot"))
)


@dataclass(frozen=True)
class JointNoise:
    """Simulated errors of an estimator, as standard deviations in metres; the defaults are those of a good one.

    ``joint`` is the error of each joint, ``limb`` the shared error of an arm or leg, and ``depth`` the factor of both
    along the camera axis. A share ``hidden`` of limbs is guessed and has the error ``guess`` instead of ``limb``.
    """

    joint: Amount = 0.02
    limb: Amount = 0.04
    depth: Amount = 1.5
    hidden: Share = 0.05
    guess: Amount = 0.2


def noisy(joints: Tensor, noise: JointNoise, generator: torch.Generator) -> Tensor:
    """Add errors to joints (..., 20, 3) in metres, different for each pose."""
    poses = joints.shape[:-2]
    errors = torch.randn(joints.shape, generator=generator) * noise.joint
    shared = torch.randn(*poses, len(_LIMBS), 3, generator=generator)
    hidden = torch.rand(*poses, len(_LIMBS), generator=generator) < noise.hidden
    shared = shared * torch.where(hidden, noise.guess, noise.limb)[..., None]
    spread = torch.zeros(len(_LIMBS), len(JOINTS))
    for limb, joints_of in enumerate(_LIMBS):
        for joint, share in joints_of:
            spread[limb, joint] = share
    errors = errors + torch.einsum("...lx,lj->...jx", shared, spread)
    return joints + (errors * torch.tensor([1.0, 1.0, noise.depth])).to(joints)


@dataclass(frozen=True)
class InputDropout:
    """Shares of samples without pictures, or without joints; ``ValueError`` unless their sum is below 1."""

    pictures: Share = 0.0
    joints: Share = 0.0

    def __post_init__(self) -> None:
        """Raise ValueError for negative shares, or shares with a sum of 1 or more."""
        if not (min(self.pictures, self.joints) >= 0 and self.pictures + self.joints < 1):
            raise ValueError(
                "the shares without pictures and without joints must be at least 0 and together less than 1"
            )


def dropped(
    image_known: Tensor, joints_known: Tensor, missing: InputDropout, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Return which pictures and joints (b,) are kept; a sample that has only one of them keeps it."""
    lot = torch.rand(len(image_known), generator=generator).to(image_known.device)
    both = image_known & joints_known
    without_image = both & (lot < missing.pictures)
    without_joints = both & (lot >= 1 - missing.joints)
    return image_known & ~without_image, joints_known & ~without_joints


@dataclass(frozen=True)
class LightJitter:
    """The strengths of picture augmentation; 0 leaves pictures unchanged.

    ``brightness``, ``contrast`` and ``colour`` are relative changes, drawn uniformly in both directions. ``blur`` is
    the share of blurred pictures, ``noise`` the largest standard deviation in steps of 255. ``boxes`` is the maximum
    number of single-coloured rectangles over a picture, each up to ``box`` of its side.
    """

    brightness: Share = 0.3
    contrast: Share = 0.3
    colour: Share = 0.2
    blur: Share = 0.2
    noise: Amount = 8.0
    boxes: Whole = 2
    box: Share = 0.3


def relit(pixels: Tensor, light: LightJitter, generator: torch.Generator) -> Tensor:
    """Return pictures (b, h, w, 3) uint8 with random light, blur, noise and occlusion, different for each picture."""
    count, height, width, _ = pixels.shape

    def even(*size: int, reach: float) -> Tensor:
        return 1 + (2 * torch.rand(count, *size, generator=generator) - 1) * reach

    values = pixels.float()
    gain = even(1, 1, 1, reach=light.brightness) * even(1, 1, 3, reach=light.colour)
    mean = (values.mean(dim=(1, 2), keepdim=True) * gain).mean(dim=-1, keepdim=True)
    contrast = even(1, 1, 1, reach=light.contrast)
    values.mul_(gain * contrast).add_(mean * (1 - contrast))
    blurred = torch.rand(count, generator=generator) < light.blur
    if blurred.any():
        values[blurred] = _blur(values[blurred])
    if light.noise:
        deviation = torch.rand(count, 1, 1, 1, generator=generator) * light.noise
        values.add_(torch.randn(count, height, width, 1, generator=generator).mul_(deviation))
    values = values.clamp_(0, 255).round_().to(torch.uint8)
    covers = torch.randint(light.boxes + 1, (count,), generator=generator).tolist()
    for number, covered in enumerate(covers):
        for _ in range(covered):
            _cover(values[number], light.box, generator)
    return values


def _blur(values: Tensor) -> Tensor:
    """Blur pictures (b, h, w, 3) with a 1-2-1 filter along both axes, twice."""
    for _ in range(2):
        for axis in (1, 2):
            before = torch.cat([values.narrow(axis, 0, 1), values.narrow(axis, 0, values.shape[axis] - 1)], dim=axis)
            after = torch.cat([values.narrow(axis, 1, values.shape[axis] - 1), values.narrow(axis, -1, 1)], dim=axis)
            values = (before + 2 * values + after) / 4
    return values


def _cover(picture: Tensor, most: float, generator: torch.Generator) -> None:
    """Draw a single-coloured rectangle over a picture (h, w, 3)."""
    height, width, _ = picture.shape
    tall, wide, down, right = torch.rand(4, generator=generator).tolist()
    rows, columns = int(tall * most * height), int(wide * most * width)
    top, left = int(down * (height - rows)), int(right * (width - columns))
    colour = torch.randint(256, (3,), generator=generator, dtype=torch.uint8)
    picture[top : top + rows, left : left + columns] = colour

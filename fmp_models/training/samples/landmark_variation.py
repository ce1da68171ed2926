"""Augmentation of landmarks and their joints: rotated bodies, limbs of other lengths.

Both are exact except for perspective: a rotation or a longer limb in space is applied in the picture as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from fmp_models.estimators.landmarks.mixtures import LANDMARK
from fmp_models.pose import BODY_SIDES, INDEX
from fmp_models.training.config import Amount

Floats = NDArray[np.float32]

# A bone by the names of its ends, without side, and the joints and landmarks beyond its far end.
_LIMBS: Sequence[Sequence[tuple[str, str, tuple[str, ...], tuple[str, ...]]]] = (
    (
        ("shoulder", "elbow", ("wrist", "hand"), ("wrist", "pinky", "index", "thumb")),
        ("elbow", "wrist", ("hand",), ("pinky", "index", "thumb")),
    ),
    (
        ("hip", "knee", ("ankle", "foot"), ("ankle", "heel", "foot_index")),
        ("knee", "ankle", ("foot",), ("heel", "foot_index")),
    ),
)

_UNEVEN = 0.4  # deviation between a limb's bones, as a share of the limb's deviation


@dataclass(frozen=True)
class LandmarkVariation:
    """Standard deviations: ``turn`` in degrees within the picture, ``limbs`` of the logarithm of limb lengths."""

    turn: Amount = 20.0
    limbs: Amount = 0.06


def varied(
    landmarks: Floats, joints: Floats, variation: LandmarkVariation, generator: torch.Generator
) -> tuple[Floats, Floats]:
    """Return landmarks (n, 33, 6) and true joints (n, 20, 3) with random rotation and limb lengths."""
    landmarks, joints = landmarks.copy(), joints.copy()

    def chance(deviation: float) -> Floats:
        return np.asarray(deviation * torch.randn(len(joints), generator=generator).numpy(), dtype=np.float32)

    angle = np.radians(chance(variation.turn))
    for values in (landmarks[..., :2], landmarks[..., 2:5], joints):
        _turn(values, angle)
    if variation.limbs:
        for bones in _LIMBS:
            longer = np.exp(chance(variation.limbs))
            for start, end, joint_tail, landmark_tail in bones:
                factor = longer * np.exp(_UNEVEN * chance(variation.limbs))
                for side in BODY_SIDES:
                    _lengthen(joints, INDEX, side, (start, end, *joint_tail), factor)
                    _lengthen(landmarks[..., :5], LANDMARK, side, (start, end, *landmark_tail), factor)
    return landmarks, joints


def _turn(points: Floats, angle: Floats) -> None:
    x, y = points[..., 0].copy(), points[..., 1].copy()
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    points[..., 0], points[..., 1] = cos * x - sin * y, sin * x + cos * y


def _lengthen(points: Floats, numbers: Mapping[str, int], side: str, names: Sequence[str], factor: Floats) -> None:
    """Multiply a bone's length by ``factor`` (n,) and move everything beyond its far end along."""
    start, end, *tail = (numbers[f"{side}_{name}"] for name in names)
    moved = (factor - 1)[:, None] * (points[:, end] - points[:, start])
    points[:, [end, *tail]] += moved[:, None]

"""Variation of landmarks and of the joints that go with them: bodies turned in the picture, limbs of other lengths.

Both are exact but for perspective: what is turned or lengthened in space is so in the picture.
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

# A bone by the names of its ends, of either side, and what hangs on its far end.
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

_UNEVEN = 0.4  # by which share of a limb's deviation its bones deviate from one another


@dataclass(frozen=True)
class LandmarkVariation:
    """Deviations: ``turn`` in degrees within the picture, ``limbs`` of the logarithm of how long arms and legs are."""

    turn: Amount = 20.0
    limbs: Amount = 0.06


def varied(
    landmarks: Floats, joints: Floats, variation: LandmarkVariation, generator: torch.Generator
) -> tuple[Floats, Floats]:
    """Landmarks (n, 33, 6) and their true joints (n, 20, 3), each body turned and each limb lengthened by chance."""
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
    """Put the far end of a bone ``factor`` (n,) times as far from its near end, and all that hangs on it along."""
    start, end, *tail = (numbers[f"{side}_{name}"] for name in names)
    moved = (factor - 1)[:, None] * (points[:, end] - points[:, start])
    points[:, [end, *tail]] += moved[:, None]

"""Training of the lifter: joints of the simulator's people from MediaPipe's landmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from fmp_models.estimators.landmarks.lifting import in_size, lifted, lifting_inputs, mirrored_landmarks
from fmp_models.networks.estimating.lifting_network import LiftingNetwork
from fmp_models.pose import BONES, mirrored_joints
from fmp_models.training.batching import shuffled
from fmp_models.training.config import Count, Share
from fmp_models.training.samples.landmark_variation import LandmarkVariation, varied
from fmp_models.training.trained_model import Save

Floats = NDArray[np.float32]
_PARENTS, _CHILDREN = np.array(BONES).T
_WAYS = 0.1  # metres of joint error that weigh as much as one radian of error in a bone's direction


@dataclass(frozen=True)
class LiftingTaskConfig:
    """The configuration of lifting: data and augmentation; ``wide`` adds the simulator's wide pairs."""

    batch: Count = 512
    wide: bool = True
    mirror: Share = 0.5
    variation: LandmarkVariation = field(default_factory=LandmarkVariation)
    validation_pictures: Count | None = None  # None: all


class LiftingBatch(NamedTuple):
    """Features (b, f), the joints (b, 20, 3) that the landmarks give, and the true joints."""

    features: Tensor
    rough: Tensor
    truth: Tensor


@dataclass
class Lifting:
    """The lifting task: ``landmarks`` (n, 33, 6) and ``truth`` (n, 20, 3) of detections; others for validation."""

    model: LiftingNetwork
    config: LiftingTaskConfig
    landmarks: Floats
    truth: Floats
    validation: tuple[Floats, Floats]
    keep: Save
    metric: str = "error"
    higher_is_better: bool = False

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return batches that contain every detection once per epoch."""
        return shuffled(len(self.landmarks), self.config.batch, generator)

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> LiftingBatch:
        """Return detections with random variation, some of them mirrored."""
        landmarks, truth = self.landmarks[list(samples)], self.truth[list(samples)]
        turned = torch.rand(len(samples), generator=generator).numpy() < self.config.mirror
        landmarks[turned] = mirrored_landmarks(landmarks[turned])
        truth[turned] = mirrored_joints(truth[turned])
        landmarks, truth = varied(landmarks, truth, self.config.variation, generator)
        features, rough, _ = lifting_inputs(landmarks)
        return LiftingBatch(*map(torch.from_numpy, (features, rough, in_size(truth))))

    def loss(self, batch: LiftingBatch) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the joint error in metres of a body of ``BODY`` plus the weighted bone direction error, and both."""
        joints = batch.rough + self.model(batch.features)
        joints = joints - joints[:, :1]
        error = (joints - batch.truth).norm(dim=-1).mean()
        ways = (_ways(joints) - _ways(batch.truth)).norm(dim=-1).mean()
        return error + _WAYS * ways, {"error": error, "ways": ways}

    def validate(self) -> dict[str, float]:
        """Return the mean ``error`` in metres of a body of ``BODY``, and ``unlifted`` for the landmarks' joints."""
        landmarks, truth = self.validation
        return {
            name: float(np.linalg.norm(in_size(joints) - truth, axis=-1).mean())
            for name, joints in zip(("error", "unlifted"), lifted(landmarks, self.model.offsets_of), strict=True)
        }

    def save(self, folder: Path) -> None:
        """Write the model as a folder in the layout of a Hub repository."""
        self.keep(folder, self.model)


def _ways(joints: Tensor) -> Tensor:
    return functional.normalize(joints[:, _CHILDREN] - joints[:, _PARENTS], dim=-1)

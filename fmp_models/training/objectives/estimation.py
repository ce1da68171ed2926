"""Training of our own estimator: joints of the simulator's people from square crops around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fmp_models.networks.backbones.backbone import as_images
from fmp_models.networks.estimating.pose_network import (
    JointPrediction,
    JointTruth,
    PoseNetwork,
    joint_errors,
    pose_losses,
)
from fmp_models.networks.mirror import mirrored_joints, mirrored_pixels, mirrored_places
from fmp_models.training.batching import shuffled
from fmp_models.training.config import Count, Share
from fmp_models.training.engine import on_device
from fmp_models.training.samples.augmentation import LightJitter, relit
from fmp_models.training.samples.crops import Crops, Jitter, PersonCropSampler
from fmp_models.training.trained_model import Save

_BATCH = 64


@dataclass(frozen=True)
class EstimationConfig:
    """The configuration of estimation: data and augmentation; ``wide`` adds the simulator's wide pairs."""

    batch: Count = 32
    wide: bool = True
    mirror: Share = 0.5
    jitter: Jitter = field(default_factory=Jitter)
    light: LightJitter = field(default_factory=LightJitter)
    validation_pictures: Count | None = None  # None: all


@dataclass
class Estimation:
    """The estimation task; ``pictures`` and ``validation`` (n,) are numbers of pictures with known joints."""

    model: PoseNetwork
    config: EstimationConfig
    crops: PersonCropSampler
    pictures: NDArray[np.int64]
    validation: NDArray[np.int64]
    keep: Save
    metric: str = "error"
    higher_is_better: bool = False

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return batches that contain every picture once per epoch."""
        return shuffled(len(self.pictures), self.config.batch, generator)

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> Crops:
        """Return crops with random jitter and light, some of them mirrored."""
        config = self.config
        crops = self.crops.cut(self.pictures[list(samples)].tolist(), config.jitter, generator)
        turned = (torch.rand(len(samples), generator=generator) < config.mirror).view(-1, 1, 1)
        mirrored_crops = _mirrored(crops)
        pixels = torch.where(turned[..., None], mirrored_crops.pixels, crops.pixels)
        return Crops(
            relit(pixels, config.light, generator),
            torch.where(turned, mirrored_crops.places, crops.places),
            torch.where(turned, mirrored_crops.metres, crops.metres),
            torch.where(turned[..., 0], mirrored_crops.inside, crops.inside),
        )

    def loss(self, batch: Crops) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the sum of ``pose_losses``, its parts, and the mean joint error in metres."""
        prediction: JointPrediction = self.model(as_images(batch.pixels))
        losses = pose_losses(prediction, JointTruth(batch.places, batch.metres, batch.inside))
        error = joint_errors(prediction.metres.detach(), batch.metres).mean()
        return torch.stack(list(losses.values())).sum(), {**losses, "error": error}

    def validate(self) -> dict[str, float]:
        """Return the mean ``error`` in metres relative to the hip, and ``places`` as a share of the crop's side."""
        errors, places = [], []
        device = next(self.model.parameters()).device
        for begin in range(0, len(self.validation), _BATCH):
            crops = self.crops.cut(self.validation[begin : begin + _BATCH].tolist(), None, torch.Generator())
            crops = on_device(crops, device)
            estimate = self.model.look(as_images(crops.pixels))
            errors.append(joint_errors(estimate.metres, crops.metres))
            places.append((estimate.places - crops.places).norm(dim=-1))
        return {"error": float(torch.cat(errors).mean()), "places": float(torch.cat(places).mean())}

    def save(self, folder: Path) -> None:
        """Write the model as a folder in the layout of a Hub repository."""
        self.keep(folder, self.model)


def _mirrored(crops: Crops) -> Crops:
    places = mirrored_places(crops.places)
    inside = ((places >= 0) & (places <= 1)).all(dim=-1)
    return Crops(mirrored_pixels(crops.pixels), places, mirrored_joints(crops.metres), inside)

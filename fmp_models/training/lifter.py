"""Training of the lifter: joints of the simulator's people from MediaPipe's landmarks; its recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from fmp_models.errors import BadInputError
from fmp_models.estimators import in_body_size, lifted_joints, lifting_inputs, mirrored_landmarks
from fmp_models.networks import LiftingConfig, LiftingNetwork
from fmp_models.pose import BONES, mirrored_joints
from fmp_models.training.batching import shuffled
from fmp_models.training.config import Count, Share
from fmp_models.training.dataset_samples import read_dataset
from fmp_models.training.engine import fit
from fmp_models.training.landmarks import LandmarkLooks, LandmarkVariation, landmark_looks, varied
from fmp_models.training.objective import Objective, Save, saver
from fmp_models.training.preparation import (
    TRAINED_ON,
    Recipe,
    SampleRequirements,
    TrainingOrder,
    deciding_parts,
    load_weights,
    read_recipe,
    spread,
    usable,
)

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
class Lifting(Objective):
    """The lifting task: ``landmarks`` (n, 33, 6) and ``truth`` (n, 20, 3) of detections; others for validation."""

    model: LiftingNetwork
    config: LiftingTaskConfig
    landmarks: Floats
    truth: Floats
    validation: tuple[Floats, Floats]
    keep: Save
    metric = "error"
    higher_is_better = False

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
        return LiftingBatch(*map(torch.from_numpy, (features, rough, in_body_size(truth))))

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
            name: float(np.linalg.norm(in_body_size(joints) - truth, axis=-1).mean())
            for name, joints in zip(("error", "unlifted"), lifted_joints(landmarks, self.model.offsets_of), strict=True)
        }


def _ways(joints: Tensor) -> Tensor:
    return functional.normalize(joints[:, _CHILDREN] - joints[:, _PARENTS], dim=-1)


@dataclass(frozen=True)
class LifterRecipe(Recipe):
    """A lifter's configuration."""

    data: LiftingTaskConfig = field(default_factory=LiftingTaskConfig)
    network: LiftingConfig = field(default_factory=LiftingConfig)


def train_lifter(order: TrainingOrder) -> None:
    """Train a lifter or resume its run; raise ``BadInputError`` as in ``train``, or ``pose_model_unnamed``."""
    if order.pose_model is None:
        raise BadInputError("pose_model_unnamed")
    recipe = read_recipe(LifterRecipe, "lifter", order)
    config = recipe.data
    task_of_data, splits = TRAINED_ON["lifter"]
    dataset = read_dataset(order.dataset, task_of_data, splits, wide=config.wide)
    needs = SampleRequirements((), pictures=True, joints=True)
    training, validation = (np.unique(usable(dataset, split, needs).pictures) for split in splits)
    looks = landmark_looks(dataset, order.cache_folder, order.pose_model)
    torch.manual_seed(recipe.engine.seed)
    model = LiftingNetwork(recipe.network)
    if order.start is not None:
        load_weights(model, order.start)
    task = Lifting(
        model,
        config,
        *_single_looks(looks, training, order, splits[0]),
        _single_looks(looks, spread(validation, config.validation_pictures), order, splits[1]),
        saver("lifter", asdict(recipe.network), {}),
    )
    parts = deciding_parts("lifter", recipe, order, dataset.fingerprint)
    fit(task, recipe.engine, order.out, {**parts, "estimator": dict(looks.estimator)})


def _single_looks(
    looks: LandmarkLooks, pictures: NDArray[np.int64], order: TrainingOrder, split: str
) -> tuple[Floats, Floats]:
    """Return the detections (n, 33, 6) in these pictures, each with the true joints (n, 20, 3)."""
    seen = looks.seen[pictures]
    if not seen.any():
        raise BadInputError(
            "training_no_samples", path=str(order.dataset), split=split, needs="a person that MediaPipe detects"
        )
    number, look = np.nonzero(seen)
    return looks.landmarks[pictures[number], look], looks.truth[pictures[number]]

"""``train lifter``: joints of simulated people from MediaPipe's landmarks."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import torch
from numpy.typing import NDArray

from fmp_models.errors import BadInputError
from fmp_models.networks.estimating.lifting_network import LiftingNetwork
from fmp_models.training.engine import Say, fit
from fmp_models.training.objectives.lifting import Lifting
from fmp_models.training.recipes.recipe import TRAINED_ON, LifterRecipe, TrainingOrder, deciding_parts, read_recipe
from fmp_models.training.recipes.setup import SampleRequirements, load_weights, spread, usable
from fmp_models.training.samples.dataset_samples import read_dataset
from fmp_models.training.samples.landmark_looks import LandmarkLooks, landmark_looks
from fmp_models.training.trained_model import saver

Floats = NDArray[np.float32]


def train_lifter(order: TrainingOrder, say: Say) -> None:
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
    fit(task, recipe.engine, order.out, {**parts, "estimator": dict(looks.estimator)}, say)


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

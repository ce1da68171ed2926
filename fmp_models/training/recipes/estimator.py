"""``train estimator``: joints of simulated people from square crops around them."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import torch

from fmp_models.data.splits import retrieval_split
from fmp_models.data.uids import parse_uid
from fmp_models.networks.estimating.pose_network import PoseNetwork
from fmp_models.training.engine import Say, fit
from fmp_models.training.objectives.estimation import Estimation
from fmp_models.training.recipes.recipe import (
    TRAINED_ON,
    EstimatorRecipe,
    TrainingOrder,
    deciding_parts,
    read_recipe,
)
from fmp_models.training.recipes.setup import (
    SampleRequirements,
    init_backbone_from,
    load_weights,
    spread,
    usable,
)
from fmp_models.training.samples.crops import PersonCropSampler
from fmp_models.training.samples.dataset_samples import read_dataset
from fmp_models.training.samples.pictures import encoded_pictures
from fmp_models.training.trained_model import saver


def train_estimator(order: TrainingOrder, say: Say) -> None:
    """Train an estimator or resume its run; raise ``BadInputError`` as described in ``train``."""
    recipe = read_recipe(EstimatorRecipe, "estimator", order)
    config, network = recipe.data, recipe.network
    dataset = read_dataset(order.dataset, *TRAINED_ON["estimator"], wide=config.wide)
    needs = SampleRequirements((), pictures=True, joints=True)
    samples, validation = (usable(dataset, split, needs) for split in ("train", "val_unseen"))
    # Retrievers use the backbone too, and their evaluation holds out movements, not rooms.
    samples = samples.subset(
        [row for row, uid in enumerate(samples.uids) if retrieval_split(parse_uid(uid)) == "train"]
    )
    torch.manual_seed(recipe.engine.seed)
    model = PoseNetwork(network)
    if order.backbone is not None:
        init_backbone_from(model.backbone, order.backbone)
    if order.start is not None:
        load_weights(model, order.start)
    task = Estimation(
        model,
        config,
        PersonCropSampler(encoded_pictures(dataset, order.cache_folder), dataset.pictures, network.side),
        np.unique(samples.pictures),
        spread(np.unique(validation.pictures), config.validation_pictures),
        saver("estimator", asdict(network), {}),
    )
    fit(task, recipe.engine, order.out, deciding_parts("estimator", recipe, order, dataset.fingerprint), say)

"""Inputs of a run that uses pictures: samples, vocabularies, backbone and estimated joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import torch

from fmp_models.errors import BadInputError
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.networks.backbones.backbone import Backbone
from fmp_models.networks.captioning.captioner_config import CaptionerConfig
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig
from fmp_models.training.recipes.recipe import (
    CaptionerRecipe,
    RetrieverRecipe,
    TrainingOrder,
)
from fmp_models.training.recipes.setup import (
    SampleRequirements,
    init_backbone,
    usable,
    views,
    vocabularies_of,
)
from fmp_models.training.samples.dataset_samples import Dataset, Samples
from fmp_models.training.samples.estimated_joints import EstimatedJoints, read_estimated_joints
from fmp_models.training.samples.model_inputs import Views

Sighted = TypeVar("Sighted", CaptionerConfig, RetrieverConfig)


@dataclass(frozen=True)
class VisionSetup:
    """The inputs of captioner and retriever training; ``channels`` is the number of features of a position."""

    samples: Samples
    validation: Samples
    vocabularies: dict[str, Vocabulary]
    backbone: Backbone | None
    channels: int
    views: Views
    estimated: EstimatedJoints | None

    @property
    def vocabulary_sizes(self) -> dict[str, int]:
        """The number of words of each language."""
        return {language: len(vocabulary) for language, vocabulary in self.vocabularies.items()}


def with_backbone(network_config: Sighted, order: TrainingOrder, *, needed: bool) -> Sighted:
    """Return the configuration, without its backbone if that is not ``needed``; raise BadInputError if one is missing.

    A recipe can have a backbone for its other variants.
    """
    if not needed:
        return replace(network_config, backbone=None)
    if network_config.backbone is None:
        reason = "a model that uses pictures needs a backbone"
        raise BadInputError("config_wrong_value", path=str(order.config), key="network.backbone", reason=reason)
    return network_config


def set_up_vision(
    order: TrainingOrder,
    recipe: CaptionerRecipe | RetrieverRecipe,
    dataset: Dataset,
    network_config: CaptionerConfig | RetrieverConfig,
    validation: tuple[str, int | None],
) -> VisionSetup:
    """Prepare the inputs of a run; ``validation`` is the validation split and its maximum number of samples.

    ``network_config`` still lacks the values that depend on the data.
    """
    config = recipe.data
    split, most = validation
    complete = not network_config.missing
    needs = SampleRequirements(
        config.languages,
        pictures=complete and network_config.backbone is not None,
        joints=complete and network_config.joints,
    )
    samples = usable(dataset, "train", needs)
    torch.manual_seed(recipe.engine.seed)
    backbone = init_backbone(network_config.backbone, order.backbone, order.start)
    return VisionSetup(
        samples,
        usable(dataset, split, needs, most),
        vocabularies_of(samples.texts, config.languages, config.least_seen, order.start),
        backbone,
        network_config.image_channels if backbone is None else backbone.channels,
        views(dataset, backbone, network_config.pictures, order.cache_folder, mirrored=recipe.variation.mirror > 0),
        read_estimated_joints(dataset, order.cache_folder) if recipe.variation.estimated else None,
    )

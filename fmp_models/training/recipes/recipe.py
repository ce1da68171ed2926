"""Recipes: the tables of a configuration, the arguments of one run, and what determines its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from fmp_models.networks.estimating.lifting_network import LiftingConfig
from fmp_models.networks.estimating.pose_network import PoseNetworkConfig
from fmp_models.training.config import EngineConfig, built, read_config
from fmp_models.training.objectives.contrast import ContrastConfig
from fmp_models.training.objectives.estimation import EstimationConfig
from fmp_models.training.objectives.lifting import LiftingTaskConfig
from fmp_models.training.objectives.maximum_likelihood import CaptioningConfig
from fmp_models.training.objectives.retrieval import RetrievalConfig
from fmp_models.training.objectives.self_critical import SelfCriticalConfig
from fmp_models.training.recipes.setup import (
    revision_of,
)
from fmp_models.training.samples.dataset_samples import Task
from fmp_models.training.samples.estimated_joints import estimated_fingerprint
from fmp_models.training.samples.model_inputs import Variation

SMALL = "small"  # the size that two CPU cores train within two hours
Recipe = TypeVar("Recipe", bound="AnyRecipe")

# The dataset's task, and the splits for training and validation.
TRAINED_ON: Mapping[str, tuple[Task, tuple[str, str]]] = {
    "captioner": ("captioning", ("train", "val_seen")),
    "retriever": ("retrieval", ("train", "val_unseen")),
    "estimator": ("captioning", ("train", "val_unseen")),
    "lifter": ("captioning", ("train", "val_unseen")),
}


@dataclass(frozen=True)
class CaptionerRecipe:
    """A captioner's configuration; ``network`` is a ``CaptionerConfig`` without the values that depend on the data."""

    engine: EngineConfig = field(default_factory=EngineConfig)
    data: CaptioningConfig = field(default_factory=CaptioningConfig)
    network: dict[str, Any] = field(default_factory=dict)
    variation: Variation = field(default_factory=Variation)
    self_critical: SelfCriticalConfig = field(default_factory=SelfCriticalConfig)


@dataclass(frozen=True)
class RetrieverRecipe:
    """A retriever's configuration; ``network`` is a ``RetrieverConfig`` without the values that depend on the data."""

    engine: EngineConfig = field(default_factory=EngineConfig)
    data: RetrievalConfig = field(default_factory=RetrievalConfig)
    contrast: ContrastConfig = field(default_factory=ContrastConfig)
    network: dict[str, Any] = field(default_factory=dict)
    variation: Variation = field(default_factory=Variation)


@dataclass(frozen=True)
class EstimatorRecipe:
    """An estimator's configuration."""

    engine: EngineConfig = field(default_factory=EngineConfig)
    data: EstimationConfig = field(default_factory=EstimationConfig)
    network: PoseNetworkConfig = field(default_factory=PoseNetworkConfig)


@dataclass(frozen=True)
class LifterRecipe:
    """A lifter's configuration."""

    engine: EngineConfig = field(default_factory=EngineConfig)
    data: LiftingTaskConfig = field(default_factory=LiftingTaskConfig)
    network: LiftingConfig = field(default_factory=LiftingConfig)


AnyRecipe = CaptionerRecipe | RetrieverRecipe | EstimatorRecipe | LifterRecipe


@dataclass(frozen=True)
class TrainingOrder:
    """The arguments of one training command: recipe, size, dataset and output folder.

    ``seed`` overrides the recipe's. ``start`` is a model of the same architecture to continue from, ``backbone`` a
    model whose backbone is used; both are bundled names, folders or Hub ids. ``cache`` holds what is computed once
    from the pictures. ``pose_model`` is MediaPipe's model file, which a lifter needs. ``changes`` are tables that
    override the recipe's, such as ``{"data": {"languages": ["hi"]}}``.
    """

    config: Path
    dataset: Path
    out: Path
    size: str = SMALL
    seed: int | None = None
    start: str | None = None
    backbone: str | None = None
    cache: Path | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    pose_model: Path | None = None

    @property
    def cache_folder(self) -> Path:
        """The cache folder; by default next to the run's folder, so that the next run finds it."""
        return self.out.parent / "cache" if self.cache is None else self.cache


def read_recipe(of: type[Recipe], kind: str, order: TrainingOrder) -> Recipe:
    """Read an order's recipe and set its seed; raise ``BadInputError`` as ``read_config`` and ``built`` do."""
    recipe = built(of, read_config(order.config, kind, order.size, order.changes), order.config)
    return recipe if order.seed is None else replace(recipe, engine=replace(recipe.engine, seed=order.seed))


def deciding_parts(kind: str, recipe: AnyRecipe, order: TrainingOrder, shards: str) -> dict[str, Any]:
    """Return everything that determines a run's weights, except the engine's table."""
    tables = asdict(recipe)
    tables.pop("engine")
    if tables["data"].get("annotations"):
        tables["data"]["annotations"] = Path(tables["data"]["annotations"]).name  # runs can be published
    mixed = not isinstance(recipe, EstimatorRecipe | LifterRecipe) and recipe.variation.estimated > 0
    mixed |= isinstance(recipe, RetrieverRecipe) and recipe.contrast.estimated > 0
    return {
        "kind": kind,
        "size": order.size,
        **tables,
        "dataset": shards,
        **({"estimated_joints": estimated_fingerprint(order.dataset)} if mixed else {}),
        "start": revision_of(order.start),
        "backbone": revision_of(order.backbone),
    }

"""Recipes: what the tables of a configuration hold, the order of one run, and what decides its weights."""

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

# The task, and the splits that are trained on and validated on.
TRAINED_ON: Mapping[str, tuple[Task, tuple[str, str]]] = {
    "captioner": ("captioning", ("train", "val_seen")),
    "retriever": ("retrieval", ("train", "val_unseen")),
    "estimator": ("captioning", ("train", "val_unseen")),
    "lifter": ("captioning", ("train", "val_unseen")),
}


@dataclass(frozen=True)
class CaptionerRecipe:
    """The tables of a captioner's configuration; ``network`` is a ``CaptionerConfig`` but for what the data decide."""

    engine: EngineConfig = field(default_factory=EngineConfig)
    data: CaptioningConfig = field(default_factory=CaptioningConfig)
    network: dict[str, Any] = field(default_factory=dict)
    variation: Variation = field(default_factory=Variation)
    self_critical: SelfCriticalConfig = field(default_factory=SelfCriticalConfig)


@dataclass(frozen=True)
class RetrieverRecipe:
    """The tables of a retriever's configuration; ``network`` is a ``RetrieverConfig`` but for what the data decide."""

    engine: EngineConfig = field(default_factory=EngineConfig)
    data: RetrievalConfig = field(default_factory=RetrievalConfig)
    contrast: ContrastConfig = field(default_factory=ContrastConfig)
    network: dict[str, Any] = field(default_factory=dict)
    variation: Variation = field(default_factory=Variation)


@dataclass(frozen=True)
class EstimatorRecipe:
    """The tables of an estimator's configuration."""

    engine: EngineConfig = field(default_factory=EngineConfig)
    data: EstimationConfig = field(default_factory=EstimationConfig)
    network: PoseNetworkConfig = field(default_factory=PoseNetworkConfig)


@dataclass(frozen=True)
class LifterRecipe:
    """The tables of a lifter's configuration."""

    engine: EngineConfig = field(default_factory=EngineConfig)
    data: LiftingTaskConfig = field(default_factory=LiftingTaskConfig)
    network: LiftingConfig = field(default_factory=LiftingConfig)


AnyRecipe = CaptionerRecipe | RetrieverRecipe | EstimatorRecipe | LifterRecipe


@dataclass(frozen=True)
class TrainingOrder:
    """One call of the command: which recipe at which size, on what, into which folder.

    ``seed`` takes the place of the recipe's; ``start`` is a model of the same make to go on from, ``backbone`` one
    whose backbone is used: bundled names, folders or Hub ids. ``cache`` holds what is computed once of the pictures.
    ``pose_model`` is the file of MediaPipe's model, which a lifter needs. ``changes`` are tables laid over the
    recipe's, such as ``{"data": {"languages": ["hi"]}}``.
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
        """Beside the run, so that the next one finds it."""
        return self.out.parent / "cache" if self.cache is None else self.cache


def read_recipe(of: type[Recipe], kind: str, order: TrainingOrder) -> Recipe:
    """The recipe that an order names, with its seed; raises ``BadInputError`` as ``read_config`` and ``built`` do."""
    recipe = built(of, read_config(order.config, kind, order.size, order.changes), order.config)
    return recipe if order.seed is None else replace(recipe, engine=replace(recipe.engine, seed=order.seed))


def deciding_parts(kind: str, recipe: AnyRecipe, order: TrainingOrder, shards: str) -> dict[str, Any]:
    """The parts of a run that decide its weights, beside the engine's table."""
    tables = asdict(recipe)
    tables.pop("engine")
    if tables["data"].get("annotations"):
        tables["data"]["annotations"] = Path(tables["data"]["annotations"]).name  # a run may be shown to anybody
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

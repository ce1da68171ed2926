"""``train captioner|retriever|editor|estimator|lifter``: from a configuration and a dataset to a training run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from fmp_models.errors import BadInputError
from fmp_models.training.captioner import CaptionerRecipe, train_captioner
from fmp_models.training.dataset_samples import dataset_parts, fingerprint
from fmp_models.training.editor import EditorRecipe, train_editor
from fmp_models.training.estimator import EstimatorRecipe, train_estimator
from fmp_models.training.lifter import LifterRecipe, train_lifter
from fmp_models.training.preparation import (
    TRAINED_ON,
    TrainingOrder,
    deciding_parts,
    read_recipe,
)
from fmp_models.training.retriever import RetrieverRecipe, train_retriever

ModelRecipe = CaptionerRecipe | RetrieverRecipe | EditorRecipe | EstimatorRecipe | LifterRecipe

RECIPES: Mapping[str, type[ModelRecipe]] = {
    "captioner": CaptionerRecipe,
    "retriever": RetrieverRecipe,
    "editor": EditorRecipe,
    "estimator": EstimatorRecipe,
    "lifter": LifterRecipe,
}
_TRAINERS: Mapping[str, Callable[[TrainingOrder], None]] = {
    "captioner": train_captioner,
    "retriever": train_retriever,
    "editor": train_editor,
    "estimator": train_estimator,
    "lifter": train_lifter,
}


def train(kind: str, order: TrainingOrder) -> None:
    """Train a model of a ``kind`` in the table above, or resume a run that the same order started.

    Raises ``BadInputError`` for a configuration, dataset, model or folder that cannot be used.
    """
    if order.start is not None and order.backbone is not None:
        raise BadInputError("training_two_backbones")
    _TRAINERS[kind](order)


def deciding(kind: str, order: TrainingOrder) -> dict[str, Any]:
    """Return everything that determines the weights of the run of ``order``, as in its folder's ``config.json``.

    Raises ``BadInputError`` for a configuration or a model that cannot be used.
    """
    recipe = read_recipe(RECIPES[kind], kind, order)
    task, (train_split, validation) = TRAINED_ON[kind]
    splits = (train_split, getattr(recipe.data, "validation", validation))
    wide = not isinstance(recipe, RetrieverRecipe) and recipe.data.wide
    shards = fingerprint(order.dataset, dataset_parts(task, splits, wide=wide))
    parts = {**deciding_parts(kind, recipe, order, shards), "engine": asdict(recipe.engine)}
    return dict(json.loads(json.dumps(parts)))

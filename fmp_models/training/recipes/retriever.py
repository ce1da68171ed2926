"""``train retriever``: the paper's retriever, or a joint embedding space of texts and pose changes."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import torch

from fmp_models.networks.backbones.vision_model import VisionModel
from fmp_models.networks.retrieving.pose_space import AnyRetriever, PoseSpace
from fmp_models.networks.retrieving.retriever import Retriever
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig
from fmp_models.training.config import built
from fmp_models.training.engine import Say, fit
from fmp_models.training.objectives.contrast import Contrast
from fmp_models.training.objectives.retrieval import Retrieval
from fmp_models.training.recipes.recipe import (
    TRAINED_ON,
    RetrieverRecipe,
    TrainingOrder,
    deciding_parts,
    read_recipe,
)
from fmp_models.training.recipes.setup import (
    SampleRequirements,
    grown,
    load_weights,
    usable,
    vocabularies_of,
)
from fmp_models.training.recipes.vision_setup import set_up_vision, with_backbone
from fmp_models.training.samples.dataset_samples import Dataset, read_dataset
from fmp_models.training.samples.estimated_joints import read_estimated_joints
from fmp_models.training.samples.model_inputs import SampleInputs, Views
from fmp_models.training.texts.described_changes import of_drawn_poses, of_questions, of_shapes, of_wide_pairs
from fmp_models.training.texts.encoded_texts import spoken
from fmp_models.training.texts.human_paraphrases import human_paraphrases
from fmp_models.training.texts.recombination import recombined_questions
from fmp_models.training.trained_model import saver

_ANY_SIZE = {"en": 5}  # a placeholder for vocabulary sizes until the texts are read


def train_retriever(order: TrainingOrder, say: Say) -> None:
    """Train a retriever or resume its run; raise ``BadInputError`` as described in ``train``."""
    recipe = read_recipe(RetrieverRecipe, "retriever", order)
    config = recipe.data
    dataset = read_dataset(order.dataset, *TRAINED_ON["retriever"])
    network_config = built(RetrieverConfig, {**recipe.network, "vocabulary_sizes": _ANY_SIZE}, order.config, "network.")
    if network_config.space:
        _train_space(order, recipe, dataset, network_config, say)
        return
    network_config = with_backbone(network_config, order, needed=network_config.images)
    begun = set_up_vision(order, recipe, dataset, network_config, ("val_unseen", config.validation_questions))
    samples, views, vocabularies = begun.samples, begun.views, begun.vocabularies
    sizes = begun.vocabulary_sizes if network_config.text else {}
    network = replace(network_config, vocabulary_sizes=sizes, image_channels=begun.channels)
    model: VisionModel[AnyRetriever] = VisionModel(Retriever(network), begun.backbone)
    if order.start is not None:
        load_weights(model, order.start)
    if config.recombined:
        samples = samples.joined(
            recombined_questions(samples, dataset.pictures, config.recombined, recipe.engine.seed, order.cache_folder)
        )
    task = Retrieval(
        model,
        config,
        SampleInputs(samples, views, estimated=begun.estimated, partly=network_config.missing),
        spoken(samples, vocabularies, ends=False, longest=config.longest),
        recipe.variation,
        SampleInputs(begun.validation, views),
        spoken(begun.validation, vocabularies, ends=False, longest=config.longest),
        saver("retriever", asdict(network), vocabularies if network_config.text else {}),
    )
    fit(task, recipe.engine, order.out, deciding_parts("retriever", recipe, order, dataset.fingerprint), say)


def _train_space(
    order: TrainingOrder, recipe: RetrieverRecipe, dataset: Dataset, network_config: RetrieverConfig, say: Say
) -> None:
    config, seed, cache = recipe.data, recipe.engine.seed, order.cache_folder
    samples = usable(dataset, "train", SampleRequirements(config.languages, pictures=False, joints=True))
    measured_in = cache if recipe.contrast.estimated else None
    estimated = None if measured_in is None else read_estimated_joints(dataset, measured_in)
    changes = of_questions(samples, estimated)
    if config.recombined:
        questions = recombined_questions(samples, dataset.pictures, config.recombined, seed, cache)
        changes = changes.joined(of_questions(questions, estimated))
    if config.wide:
        changes = changes.joined(of_wide_pairs(order.dataset, measured_in))
    if config.drawn:
        changes = changes.joined(of_drawn_poses(config.drawn, seed, cache))
    if config.shapes:
        changes = changes.joined(of_shapes(config.shapes, seed, cache))
    if config.annotations:
        changes = changes.joined(human_paraphrases(Path(config.annotations), changes))
    word_counts = (f"{changes.different_words(code):,} different words in {code}" for code in config.languages)
    say(f"{len(changes):,} changes of pose, {', '.join(word_counts)}")
    vocabularies = vocabularies_of(changes.texts, config.languages, config.least_seen, order.start)
    if order.start is not None and config.shapes:
        vocabularies = grown(vocabularies, changes.texts, config.least_seen)
    network = replace(
        network_config, vocabulary_sizes={code: len(words) for code, words in vocabularies.items()}, backbone=None
    )
    torch.manual_seed(seed)
    model: VisionModel[AnyRetriever] = VisionModel(PoseSpace(network), None)
    if order.start is not None:
        load_weights(model, order.start, new_words=bool(config.shapes))
    validation = usable(
        dataset,
        "val_unseen",
        SampleRequirements(config.languages, pictures=False, joints=True),
        config.validation_questions,
    )
    task = Contrast(
        model,
        recipe.contrast,
        changes,
        vocabularies,
        config.longest,
        SampleInputs(validation, Views()),
        spoken(validation, vocabularies, ends=False, longest=config.longest),
        saver("retriever", asdict(network), vocabularies),
        {} if order.start is None else {name: value.clone() for name, value in model.state_dict().items()},
    )
    fit(task, recipe.engine, order.out, deciding_parts("retriever", recipe, order, dataset.fingerprint), say)

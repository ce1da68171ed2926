"""``train captioner``: maximum likelihood or self-critical training, in one or several languages."""

from __future__ import annotations

from dataclasses import asdict, fields, replace

from fmp_models.networks.backbones.vision_model import VisionModel
from fmp_models.networks.captioning.captioner import Captioner
from fmp_models.networks.captioning.captioner_config import CaptionerConfig
from fmp_models.training.config import built
from fmp_models.training.engine import Say, fit
from fmp_models.training.objectives.captioner_validation import CaptionerValidation
from fmp_models.training.objectives.maximum_likelihood import MaximumLikelihood
from fmp_models.training.objectives.self_critical import SelfCritical
from fmp_models.training.recipes.recipe import (
    TRAINED_ON,
    CaptionerRecipe,
    TrainingOrder,
    deciding_parts,
    read_recipe,
)
from fmp_models.training.recipes.setup import (
    load_weights,
)
from fmp_models.training.recipes.vision_setup import set_up_vision, with_backbone
from fmp_models.training.samples.dataset_samples import read_dataset
from fmp_models.training.samples.model_inputs import SampleInputs
from fmp_models.training.texts.augmentation import swapped
from fmp_models.training.texts.drawn_poses import drawn_samples
from fmp_models.training.texts.encoded_texts import spoken
from fmp_models.training.texts.recombination import recombined
from fmp_models.training.trained_model import saver

_ANY_SIZE = {"en": 5}  # a placeholder for vocabulary sizes until the texts are read
# Layers that a captioner without measures lacks and that can be added later.
_OF_MEASURES = tuple(
    f"network.{part}." for part in ("w_measures", "pair_encoder.moved", "pair_encoder.stand_ins.measures")
)


def train_captioner(order: TrainingOrder, say: Say) -> None:
    """Train a captioner or resume its run; raise ``BadInputError`` as described in ``train``."""
    recipe = read_recipe(CaptionerRecipe, "captioner", order)
    config = recipe.data
    dataset = read_dataset(order.dataset, *TRAINED_ON["captioner"], wide=config.wide)
    network_config = built(CaptionerConfig, {**recipe.network, "vocabulary_sizes": _ANY_SIZE}, order.config, "network.")
    network_config = with_backbone(network_config, order, needed=network_config.vision)
    begun = set_up_vision(order, recipe, dataset, network_config, ("val_seen", config.validation_pairs))
    samples, views, vocabularies = begun.samples, begun.views, begun.vocabularies
    network = replace(network_config, vocabulary_sizes=begun.vocabulary_sizes, image_channels=begun.channels)
    model = VisionModel(Captioner(network), begun.backbone)
    if order.start is not None:
        load_weights(model, order.start, _OF_MEASURES if network.measures else ())
    if config.trained == "words":
        model.requires_grad_(requires_grad=False)
        model.network.words.requires_grad_()
    additions = [swapped(samples, recipe.engine.seed)] if config.swap else []
    if config.recombined:
        additions.append(recombined(samples, config.recombined, recipe.engine.seed, order.cache_folder))
    if config.drawn:
        additions.append(drawn_samples(config.drawn, recipe.engine.seed, order.cache_folder))
    for addition in additions:
        samples = samples.joined(addition)
    task = MaximumLikelihood(
        model,
        config,
        SampleInputs(samples, views, estimated=begun.estimated, partly=network_config.missing),
        spoken(samples, vocabularies, ends=True, longest=config.longest),
        recipe.variation,
        CaptionerValidation(SampleInputs(begun.validation, views), vocabularies, config.longest),
        saver("captioner", asdict(network), vocabularies),
    )
    if config.objective == "self_critical":
        task = SelfCritical(
            **{part.name: getattr(task, part.name) for part in fields(task)}, weights=recipe.self_critical
        )
    fit(task, recipe.engine, order.out, deciding_parts("captioner", recipe, order, dataset.fingerprint), say)

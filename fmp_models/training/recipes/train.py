"""``train captioner|retriever|estimator``: from a configuration and a dataset to a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from fmp_models.cli_base import to_standard_error
from fmp_models.data.splits import retrieval_split
from fmp_models.data.uids import parse_uid
from fmp_models.errors import BadInputError
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.networks.backbones.backbone import Backbone
from fmp_models.networks.backbones.seeing import Seeing
from fmp_models.networks.captioning.captioner import Captioner
from fmp_models.networks.captioning.captioner_config import CaptionerConfig
from fmp_models.networks.estimating.pose_network import PoseNetwork, PoseNetworkConfig
from fmp_models.networks.retrieving.pose_space import AnyRetriever, PoseSpace
from fmp_models.networks.retrieving.retriever import Retriever
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig
from fmp_models.training.config import EngineConfig, built, read_config
from fmp_models.training.engine import Say, fit
from fmp_models.training.objectives.captioner_validation import CaptionerValidation
from fmp_models.training.objectives.contrast import Contrast, ContrastConfig
from fmp_models.training.objectives.estimation import Estimation, EstimationConfig
from fmp_models.training.objectives.maximum_likelihood import CaptioningConfig, MaximumLikelihood
from fmp_models.training.objectives.retrieval import Retrieval, RetrievalConfig
from fmp_models.training.objectives.self_critical import SelfCritical, SelfCriticalConfig
from fmp_models.training.recipes.start import (
    Needs,
    begin_from,
    begun_backbone,
    fill_backbone,
    revision_of,
    spread,
    usable,
    views,
    vocabularies_of,
)
from fmp_models.training.samples.crops import PersonCrops
from fmp_models.training.samples.dataset_samples import Dataset, Samples, Task, dataset_parts, fingerprint, read_dataset
from fmp_models.training.samples.estimated_joints import EstimatedJoints, estimated_fingerprint, read_estimated_joints
from fmp_models.training.samples.model_inputs import Showing, Variation, Views
from fmp_models.training.samples.pictures import encoded_pictures
from fmp_models.training.texts.drawn_poses import drawn_samples
from fmp_models.training.texts.peoples_words import in_peoples_words
from fmp_models.training.texts.recombining import recombined, recombined_questions
from fmp_models.training.texts.retelling import swapped
from fmp_models.training.texts.spoken_texts import spoken
from fmp_models.training.texts.told_changes import of_drawn_poses, of_questions, of_wide_pairs
from fmp_models.training.trained_model import saver

SMALL = "small"  # the size that two CPU cores train within two hours
_ANY_SIZE = {"en": 5}  # of a vocabulary, until the texts were read
Recipe = TypeVar("Recipe", bound="AnyRecipe")
Sighted = TypeVar("Sighted", CaptionerConfig, RetrieverConfig)


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


AnyRecipe = CaptionerRecipe | RetrieverRecipe | EstimatorRecipe


@dataclass(frozen=True)
class TrainingOrder:
    """One call of the command: which recipe at which size, on what, into which folder.

    ``seed`` takes the place of the recipe's; ``start`` is a model of the same make to go on from, ``backbone`` one
    whose backbone is used: bundled names, folders or Hub ids. ``cache`` holds what is computed once of the pictures.
    ``changes`` are tables laid over the recipe's, such as ``{"data": {"languages": ["hi"]}}``.
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

    @property
    def cache_folder(self) -> Path:
        """Beside the run, so that the next one finds it."""
        return self.out.parent / "cache" if self.cache is None else self.cache


def train(kind: str, order: TrainingOrder, say: Say = to_standard_error) -> None:
    """Train a ``captioner``, ``retriever`` or ``estimator``, or go on with a run that was begun by the same order.

    Raises ``BadInputError`` for a configuration, dataset, model or folder that cannot be used.
    """
    if order.start is not None and order.backbone is not None:
        raise BadInputError("training_two_backbones")
    _TRAINED_BY[kind](order, say)


def deciding(kind: str, order: TrainingOrder) -> dict[str, Any]:
    """All that decides the weights of the run that ``order`` begins, as its folder's ``config.json`` holds it.

    Raises ``BadInputError`` for a configuration or a model that cannot be used.
    """
    recipe = _read(_RECIPES[kind], kind, order)
    task, splits = _TRAINED_ON[kind]
    wide = not isinstance(recipe, RetrieverRecipe) and recipe.data.wide
    shards = fingerprint(order.dataset, dataset_parts(task, splits, wide=wide))
    told = {**_about(kind, recipe, order, shards), "engine": asdict(recipe.engine)}
    return dict(json.loads(json.dumps(told)))


def _train_captioner(order: TrainingOrder, say: Say) -> None:
    recipe = _read(CaptionerRecipe, "captioner", order)
    config = recipe.data
    dataset = read_dataset(order.dataset, *_TRAINED_ON["captioner"], wide=config.wide)
    given = built(CaptionerConfig, {**recipe.network, "vocabulary_sizes": _ANY_SIZE}, order.config, "network.")
    given = _with_eyes(given, order, needed=given.vision)
    begun = _begin(order, recipe, dataset, given, ("val_seen", config.validation_pairs))
    samples, seen, vocabularies = begun.samples, begun.views, begun.vocabularies
    network = replace(given, vocabulary_sizes=begun.vocabulary_sizes, image_channels=begun.channels)
    model = Seeing(Captioner(network), begun.backbone)
    if order.start is not None:
        begin_from(model, order.start)
    if config.trained == "words":
        model.requires_grad_(requires_grad=False)
        model.network.words.requires_grad_()
    more = [swapped(samples, recipe.engine.seed)] if config.swap else []
    if config.recombined:
        more.append(recombined(samples, config.recombined, recipe.engine.seed, order.cache_folder))
    if config.drawn:
        more.append(drawn_samples(config.drawn, recipe.engine.seed, order.cache_folder))
    for others in more:
        samples = samples.joined(others)
    task = MaximumLikelihood(
        model,
        config,
        Showing(samples, seen, estimated=begun.estimated, partly=given.missing),
        spoken(samples, vocabularies, ends=True, longest=config.longest),
        recipe.variation,
        CaptionerValidation(Showing(begun.validation, seen), vocabularies, config.longest),
        saver("captioner", asdict(network), vocabularies),
    )
    if config.objective == "self_critical":
        task = SelfCritical(
            **{part.name: getattr(task, part.name) for part in fields(task)}, weights=recipe.self_critical
        )
    fit(task, recipe.engine, order.out, _about("captioner", recipe, order, dataset.fingerprint), say)


def _train_estimator(order: TrainingOrder, say: Say) -> None:
    recipe = _read(EstimatorRecipe, "estimator", order)
    config, network = recipe.data, recipe.network
    dataset = read_dataset(order.dataset, *_TRAINED_ON["estimator"], wide=config.wide)
    needs = Needs((), pictures=True, joints=True)
    samples, validation = (usable(dataset, split, needs) for split in ("train", "val_unseen"))
    # Its backbone serves retrievers too, whose evaluation holds out movements and not rooms.
    samples = samples.taken([row for row, uid in enumerate(samples.uids) if retrieval_split(parse_uid(uid)) == "train"])
    torch.manual_seed(recipe.engine.seed)
    model = PoseNetwork(network)
    if order.backbone is not None:
        fill_backbone(model.backbone, order.backbone)
    if order.start is not None:
        begin_from(model, order.start)
    task = Estimation(
        model,
        config,
        PersonCrops(encoded_pictures(dataset, order.cache_folder), dataset.pictures, network.side),
        np.unique(samples.pictures),
        spread(np.unique(validation.pictures), config.validation_pictures),
        saver("estimator", asdict(network), {}),
    )
    fit(task, recipe.engine, order.out, _about("estimator", recipe, order, dataset.fingerprint), say)


def _train_retriever(order: TrainingOrder, say: Say) -> None:
    recipe = _read(RetrieverRecipe, "retriever", order)
    config = recipe.data
    dataset = read_dataset(order.dataset, *_TRAINED_ON["retriever"])
    given = built(RetrieverConfig, {**recipe.network, "vocabulary_sizes": _ANY_SIZE}, order.config, "network.")
    if given.space:
        _train_space(order, recipe, dataset, given, say)
        return
    given = _with_eyes(given, order, needed=given.images)
    begun = _begin(order, recipe, dataset, given, ("val_unseen", config.validation_questions))
    samples, seen, vocabularies = begun.samples, begun.views, begun.vocabularies
    sizes = begun.vocabulary_sizes if given.text else {}
    network = replace(given, vocabulary_sizes=sizes, image_channels=begun.channels)
    model: Seeing[AnyRetriever] = Seeing(Retriever(network), begun.backbone)
    if order.start is not None:
        begin_from(model, order.start)
    if config.recombined:
        samples = samples.joined(
            recombined_questions(samples, dataset.pictures, config.recombined, recipe.engine.seed, order.cache_folder)
        )
    task = Retrieval(
        model,
        config,
        Showing(samples, seen, estimated=begun.estimated, partly=given.missing),
        spoken(samples, vocabularies, ends=False, longest=config.longest),
        recipe.variation,
        Showing(begun.validation, seen),
        spoken(begun.validation, vocabularies, ends=False, longest=config.longest),
        saver("retriever", asdict(network), vocabularies if given.text else {}),
    )
    fit(task, recipe.engine, order.out, _about("retriever", recipe, order, dataset.fingerprint), say)


def _train_space(
    order: TrainingOrder, recipe: RetrieverRecipe, dataset: Dataset, given: RetrieverConfig, say: Say
) -> None:
    config, seed, cache = recipe.data, recipe.engine.seed, order.cache_folder
    samples = usable(dataset, "train", Needs(config.languages, pictures=False, joints=True))
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
    if config.annotations:
        changes = changes.joined(in_peoples_words(Path(config.annotations), changes))
    told = (f"{changes.different_words(code):,} different words in {code}" for code in config.languages)
    say(f"{len(changes):,} changes of pose, {', '.join(told)}")
    vocabularies = vocabularies_of(changes.texts, config.languages, config.least_seen, order.start)
    network = replace(given, vocabulary_sizes={code: len(words) for code, words in vocabularies.items()}, backbone=None)
    torch.manual_seed(seed)
    model: Seeing[AnyRetriever] = Seeing(PoseSpace(network), None)
    if order.start is not None:
        begin_from(model, order.start)
    validation = usable(
        dataset, "val_unseen", Needs(config.languages, pictures=False, joints=True), config.validation_questions
    )
    task = Contrast(
        model,
        recipe.contrast,
        changes,
        vocabularies,
        config.longest,
        Showing(validation, Views()),
        spoken(validation, vocabularies, ends=False, longest=config.longest),
        saver("retriever", asdict(network), vocabularies),
    )
    fit(task, recipe.engine, order.out, _about("retriever", recipe, order, dataset.fingerprint), say)


@dataclass(frozen=True)
class _Begun:
    """What captioners and retrievers both begin with; ``channels`` are those of the positions."""

    samples: Samples
    validation: Samples
    vocabularies: dict[str, Vocabulary]
    backbone: Backbone | None
    channels: int
    views: Views
    estimated: EstimatedJoints | None

    @property
    def vocabulary_sizes(self) -> dict[str, int]:
        return {language: len(vocabulary) for language, vocabulary in self.vocabularies.items()}


def _with_eyes(given: Sighted, order: TrainingOrder, *, needed: bool) -> Sighted:
    """Without the backbone that the recipe has for its other variants, where none is ``needed``."""
    if not needed:
        return replace(given, backbone=None)
    if given.backbone is None:
        reason = "what looks at pictures needs one"
        raise BadInputError("config_wrong_value", path=str(order.config), key="network.backbone", reason=reason)
    return given


def _begin(
    order: TrainingOrder,
    recipe: CaptionerRecipe | RetrieverRecipe,
    dataset: Dataset,
    given: CaptionerConfig | RetrieverConfig,
    validation: tuple[str, int | None],
) -> _Begun:
    """``given`` is the network but for what the data decide; ``validation`` its split and how many of it at most."""
    config = recipe.data
    split, most = validation
    whole = not given.missing
    needs = Needs(config.languages, pictures=whole and given.backbone is not None, joints=whole and given.joints)
    samples = usable(dataset, "train", needs)
    torch.manual_seed(recipe.engine.seed)
    backbone = begun_backbone(given.backbone, order.backbone, order.start)
    return _Begun(
        samples,
        usable(dataset, split, needs, most),
        vocabularies_of(samples.texts, config.languages, config.least_seen, order.start),
        backbone,
        given.image_channels if backbone is None else backbone.channels,
        views(dataset, backbone, given.pictures, order.cache_folder, mirrored=recipe.variation.mirror > 0),
        read_estimated_joints(dataset, order.cache_folder) if recipe.variation.estimated else None,
    )


def _read(of: type[Recipe], kind: str, order: TrainingOrder) -> Recipe:
    recipe = built(of, read_config(order.config, kind, order.size, order.changes), order.config)
    return recipe if order.seed is None else replace(recipe, engine=replace(recipe.engine, seed=order.seed))


def _about(kind: str, recipe: AnyRecipe, order: TrainingOrder, shards: str) -> dict[str, Any]:
    """What decides the weights, beside the engine's table."""
    tables = asdict(recipe)
    tables.pop("engine")
    if tables["data"].get("annotations"):
        tables["data"]["annotations"] = Path(tables["data"]["annotations"]).name  # a run may be shown to anybody
    mixed = not isinstance(recipe, EstimatorRecipe) and recipe.variation.estimated > 0
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


_RECIPES: Mapping[str, type[AnyRecipe]] = {
    "captioner": CaptionerRecipe,
    "retriever": RetrieverRecipe,
    "estimator": EstimatorRecipe,
}
# The task, and the splits that are trained on and validated on.
_TRAINED_ON: Mapping[str, tuple[Task, tuple[str, str]]] = {
    "captioner": ("captioning", ("train", "val_seen")),
    "retriever": ("retrieval", ("train", "val_unseen")),
    "estimator": ("captioning", ("train", "val_unseen")),
}
_TRAINED_BY: Mapping[str, Callable[[TrainingOrder, Say], None]] = {
    "captioner": _train_captioner,
    "retriever": _train_retriever,
    "estimator": _train_estimator,
}

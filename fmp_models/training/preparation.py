"""Preparation of a run, the same for every kind of model: its arguments, its recipe, and its inputs.

The inputs are usable samples, their pictures, vocabularies, a backbone and initial weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fmp_models.errors import BadInputError
from fmp_models.hub import ModelFolder, read_tensors, resolve_model, tensor_mismatch
from fmp_models.languages import SPECIALS, UNK, Vocabulary, grammar
from fmp_models.networks import Backbone, BackboneConfig, CaptionerConfig, EditorConfig, RetrieverConfig
from fmp_models.preprocessing import PicturesConfig
from fmp_models.training.config import EngineConfig, built, read_config
from fmp_models.training.dataset_samples import NO_PICTURE, Dataset, Samples, Task
from fmp_models.training.estimated_joints import EstimatedJoints, estimated_fingerprint, read_estimated_joints
from fmp_models.training.model_inputs import Variation, Views
from fmp_models.training.pictures import backbone_features, cropped_pictures, encoded_pictures, joint_places

ANY_SIZE = {"en": 5}  # a placeholder for vocabulary sizes until the texts are read
SMALL = "small"  # the size that two CPU cores train within two hours
AnyRecipe = TypeVar("AnyRecipe", bound="Recipe")
Sighted = TypeVar("Sighted", CaptionerConfig, RetrieverConfig)
# The dataset's task, and the splits for training and validation.
TRAINED_ON: Mapping[str, tuple[Task, tuple[str, str]]] = {
    "captioner": ("captioning", ("train", "val_seen")),
    "retriever": ("retrieval", ("train", "val_unseen")),
    "editor": ("captioning", ("train", "val_seen")),
    "estimator": ("captioning", ("train", "val_unseen")),
    "lifter": ("captioning", ("train", "val_unseen")),
}


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


@dataclass(frozen=True)
class Recipe:
    """A run's configuration; the recipe of each kind of model adds tables such as ``data`` and ``network``."""

    engine: EngineConfig = field(default_factory=EngineConfig)

    @property
    def estimated(self) -> bool:
        """Whether the run uses estimated joints."""
        return False


def read_recipe(of: type[AnyRecipe], kind: str, order: TrainingOrder) -> AnyRecipe:
    """Read an order's recipe and set its seed; raise ``BadInputError`` as ``read_config`` and ``built`` do."""
    recipe = built(of, read_config(order.config, kind, order.size, order.changes), order.config)
    return recipe if order.seed is None else replace(recipe, engine=replace(recipe.engine, seed=order.seed))


def deciding_parts(kind: str, recipe: Recipe, order: TrainingOrder, shards: str) -> dict[str, Any]:
    """Return everything that determines a run's weights, except the engine's table."""
    tables = asdict(recipe)
    tables.pop("engine")
    if tables["data"].get("annotations"):
        tables["data"]["annotations"] = Path(tables["data"]["annotations"]).name  # runs can be published
    if tables["data"].get("validation") == TRAINED_ON[kind][1][1]:
        tables["data"].pop("validation")  # runs that are older than this option stay the same
    return {
        "kind": kind,
        "size": order.size,
        **tables,
        "dataset": shards,
        **({"estimated_joints": estimated_fingerprint(order.dataset)} if recipe.estimated else {}),
        "start": revision_of(order.start),
        "backbone": revision_of(order.backbone),
    }


_WORDS = "embedding.weight"


@dataclass(frozen=True)
class SampleRequirements:
    """The requirements of every sample."""

    languages: tuple[str, ...]
    pictures: bool
    joints: bool

    def __str__(self) -> str:
        """Return the requirements as part of a sentence."""
        texts = [f"texts in {language}" for language in self.languages]
        return ", ".join([*texts, *["pictures"] * self.pictures, *["joints"] * self.joints])


def usable(dataset: Dataset, split: str, needs: SampleRequirements, most: int | None = None) -> Samples:
    """Return the samples of a split that meet ``needs``, at most ``most``, evenly spread; BadInputError if none do."""
    samples = dataset.splits[split]
    is_usable = np.ones(len(samples), np.bool_)
    for language in needs.languages:
        grammar(language)  # raises for an unknown language
        is_usable &= np.array([bool(texts) for texts in samples.texts[language]])
    if needs.pictures:
        is_usable &= (samples.pictures != NO_PICTURE).all(axis=1)
    if needs.joints:
        is_usable &= samples.known.all(axis=1)
    if not is_usable.any():
        raise BadInputError("training_no_samples", path=str(dataset.folder), split=split, needs=str(needs))
    return samples.subset(spread(np.flatnonzero(is_usable), most))


def spread(rows: NDArray[np.int64], most: int | None) -> NDArray[np.int64]:
    """Return ``most`` of the rows, evenly spaced, or all.

    Rows are ordered by room and so by character; the first rows would show only some of them.
    """
    if most is None or most >= len(rows):
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(np.int64)]


def init_backbone(config: BackboneConfig | None, trained: str | None, start: str | None) -> Backbone | None:
    """Build the backbone; load an earlier model's weights if one is named (bundled name, folder or Hub id).

    Without ``trained`` the backbone can come from ``start``, whose weights are all used. Returns None without
    ``config``. Raises ``BadInputError`` for a frozen backbone without trained weights.
    """
    trained = start if trained is None else trained
    if config is None:
        return None
    if trained is None:
        if config.frozen and not config.pretrained:
            raise BadInputError("backbone_untrained")
        return Backbone(config)
    backbone = Backbone(replace(config, pretrained=False))
    init_backbone_from(backbone, trained)
    return backbone


def init_backbone_from(backbone: Backbone, trained: str) -> None:
    """Load an earlier model's weights into a backbone."""
    folder = resolve_model(trained)
    prefix = "backbone."
    tensors = read_tensors(folder)
    backbone_tensors = {
        name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)
    }
    _fill(backbone, backbone_tensors, folder)


def load_weights(model: nn.Module, trained: str, added: Sequence[str] = (), *, new_words: bool = False) -> None:
    """Load the weights of an earlier model of the same architecture; it can lack all of the layers ``added`` since.

    With ``new_words`` the model's vocabularies can be larger; new words start with the unknown word's embedding.
    """
    folder = resolve_model(trained)
    tensors = read_tensors(folder)
    if new_words:
        sizes = {name: len(value) for name, value in model.state_dict().items() if name.endswith(_WORDS)}
        for name in sizes.keys() & tensors.keys():
            rows = tensors[name]
            tensors[name] = torch.cat([rows, rows[UNK].expand(max(sizes[name] - len(rows), 0), -1)])
    initial = {name: value for name, value in model.state_dict().items() if name.startswith(tuple(added))}
    _fill(model, tensors if initial.keys() & tensors.keys() else {**tensors, **initial}, folder)


def revision_of(trained: str | None) -> str | None:
    """Return the revision that identifies an earlier model's weights."""
    return None if trained is None else resolve_model(trained).revision


def views(  # noqa: PLR0913  pictures, backbone, framing and cache
    dataset: Dataset,
    backbone: Backbone | None,
    config: PicturesConfig,
    cache: Path,
    *,
    mirrored: bool = False,
    places: NDArray[np.float32] | None = None,
) -> Views:
    """Return the network's view of the pictures: nothing, a frozen backbone's features, or the square crops.

    ``places`` (p, 20, 2) are the joints' places in the pictures, by default the true ones.
    """
    if backbone is None or not dataset.pictures.names:
        return Views()
    places = joint_places(dataset.pictures) if places is None else places
    squares = cropped_pictures(encoded_pictures(dataset, cache), config, places, cache)
    if not backbone.config.frozen:
        return Views(squares=squares)
    if torch.cuda.is_available():
        backbone.to("cuda")
    plain = backbone_features(backbone, squares, cache)
    return Views(features=(plain, backbone_features(backbone, squares, cache, mirrored=True) if mirrored else plain))


def vocabularies_of(
    texts: Mapping[str, Sequence[Sequence[str]]], languages: Sequence[str], least_seen: int, start: str | None
) -> dict[str, Vocabulary]:
    """Return the vocabularies of the model ``start``, or without one those of the training ``texts``.

    ``texts`` are by language. Raises ``BadInputError`` if a language has no words.
    """
    if start is not None:
        folder = resolve_model(start).path
        return {language: Vocabulary.load(folder, language) for language in languages}
    vocabularies = {
        language: Vocabulary.of((text for of_sample in texts[language] for text in of_sample), language, least_seen)
        for language in languages
    }
    for language, vocabulary in vocabularies.items():
        if len(vocabulary) == len(SPECIALS):
            raise BadInputError("training_no_words", language=language, least=least_seen)
    return vocabularies


def grown(
    vocabularies: Mapping[str, Vocabulary], texts: Mapping[str, Sequence[Sequence[str]]], least_seen: int
) -> dict[str, Vocabulary]:
    """Return the vocabularies with new words of ``texts`` appended.

    A word is new if ``numbers_as_meant``, which accepts polite forms and slips, does not know it either.
    """
    return {
        code: Vocabulary(code, (*old.words, *(word for word in seen if old.numbers_as_meant([word]) == [UNK])))
        for code, old in vocabularies.items()
        for seen in (Vocabulary.of(chain.from_iterable(texts[code]), code, least_seen).words[len(SPECIALS) :],)
    }


def _fill(module: nn.Module, tensors: dict[str, Tensor], folder: ModelFolder) -> None:
    if flaw := tensor_mismatch(tensors, module.state_dict()):
        raise BadInputError("training_start_unfit", model=folder.id, reason=flaw)
    module.load_state_dict(tensors)


class TextsConfig(Protocol):
    """The protocol of a configuration of texts."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages to train."""
        ...

    @property
    def least_seen(self) -> int:
        """The minimum count of a word in the vocabulary."""
        ...


class VisionRecipe(Protocol):
    """The protocol of a recipe for a model of texts that can use pictures."""

    @property
    def engine(self) -> EngineConfig:
        """The configuration of the training loop."""
        ...

    @property
    def data(self) -> TextsConfig:
        """The texts that are trained."""
        ...

    @property
    def variation(self) -> Variation:
        """The augmentation of the inputs."""
        ...


@dataclass(frozen=True)
class VisionSetup:
    """The inputs of captioner, retriever and editor training; ``channels`` is the number of features of a position."""

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
    recipe: VisionRecipe,
    dataset: Dataset,
    network_config: CaptionerConfig | RetrieverConfig | EditorConfig,
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

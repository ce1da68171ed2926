"""This project's networks, loaded by name, folder or Hub id with their vocabularies and origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError
from torch import nn

from fmp_models.errors import BadInputError
from fmp_models.hub.folders import Kind, load_model, save_model
from fmp_models.hub.references import CONFIG, ModelFolder, resolve
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.networks.backbones.backbone import Backbone, BackboneConfig
from fmp_models.networks.backbones.vision_model import VisionModel
from fmp_models.networks.captioning.captioner import Captioner
from fmp_models.networks.captioning.captioner_config import CaptionerConfig
from fmp_models.networks.estimating.lifting_network import LiftingConfig, LiftingNetwork
from fmp_models.networks.estimating.pose_network import PoseNetwork, PoseNetworkConfig
from fmp_models.networks.retrieving.pose_space import AnyRetriever, make_retriever
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig

Network = TypeVar("Network", bound=nn.Module)
Config = TypeVar("Config")


@dataclass(frozen=True)
class LoadedModel(Generic[Network]):
    """A network in evaluation mode, its vocabularies by language, and its folder with id and revision."""

    network: Network
    vocabularies: dict[str, Vocabulary]
    folder: ModelFolder


def load_captioner(model: str | ModelFolder) -> LoadedModel[VisionModel[Captioner]]:
    """Load a captioner with its backbone, if any; raise the errors of ``resolve`` and ``load_model``."""

    def make(described: dict[str, Any]) -> VisionModel[Captioner]:
        config = _config_of(CaptionerConfig, described)
        return VisionModel(Captioner(config), _backbone(config.backbone))

    return _speaking(_load(model, "captioner", make))


def load_retriever(model: str | ModelFolder) -> LoadedModel[VisionModel[AnyRetriever]]:
    """Load a retriever with its backbone, if any; raise the errors of ``resolve`` and ``load_model``."""

    def make(described: dict[str, Any]) -> VisionModel[AnyRetriever]:
        config = _config_of(RetrieverConfig, described)
        return VisionModel(make_retriever(config), _backbone(config.backbone))

    return _speaking(_load(model, "retriever", make))


def load_estimator(model: str | ModelFolder) -> LoadedModel[PoseNetwork]:
    """Load a joint estimator, which has no vocabulary; raise the errors of ``resolve`` and ``load_model``."""

    def make(described: dict[str, Any]) -> PoseNetwork:
        config = _config_of(PoseNetworkConfig, described)
        return PoseNetwork(replace(config, backbone=replace(config.backbone, pretrained=False)))

    return _load(model, "estimator", make)


def load_lifter(model: str | ModelFolder) -> LoadedModel[LiftingNetwork]:
    """Load a landmark lifter, which has no vocabulary; raise the errors of ``resolve`` and ``load_model``."""

    def make(described: dict[str, Any]) -> LiftingNetwork:
        return LiftingNetwork(_config_of(LiftingConfig, described))

    return _load(model, "lifter", make)


def save_speaking(
    folder: Path,
    model: VisionModel[Captioner] | VisionModel[AnyRetriever],
    vocabularies: Mapping[str, Vocabulary],
    card: str,
    *,
    half: bool = True,
) -> None:
    """Write a model for :func:`load_captioner` or :func:`load_retriever`; raise the errors of ``save_model``.

    Raise ``ValueError`` if the vocabularies or the backbone differ from those in the network's config.
    """
    config = model.network.config
    backbone = None if model.backbone is None else model.backbone.config
    if config.vocabulary_sizes != _sizes(vocabularies) or config.backbone != backbone:
        raise ValueError("the vocabularies or the backbone do not match the network's config")
    kind: Kind = "captioner" if isinstance(model.network, Captioner) else "retriever"
    save_model(folder, kind, asdict(config), model, vocabularies, card, half=half)


def _load(model: str | ModelFolder, kind: Kind, make: Callable[[dict[str, Any]], Network]) -> LoadedModel[Network]:
    folder = model if isinstance(model, ModelFolder) else resolve(model)
    network, vocabularies = load_model(folder, kind, make)
    return LoadedModel(network, vocabularies, folder)


Speaking = TypeVar("Speaking", VisionModel[Captioner], VisionModel[AnyRetriever])


def _speaking(loaded: LoadedModel[Speaking]) -> LoadedModel[Speaking]:
    """Return the loaded model; raise BadInputError if its vocabulary sizes differ from those in its config."""
    if loaded.network.network.config.vocabulary_sizes != _sizes(loaded.vocabularies):
        reason = "the network has other vocabularies"
        raise BadInputError("model_damaged", model=loaded.folder.id, file=CONFIG, reason=reason)
    return loaded


def _sizes(vocabularies: Mapping[str, Vocabulary]) -> dict[str, int]:
    return {vocabulary.language: len(vocabulary) for vocabulary in vocabularies.values()}


def _backbone(config: BackboneConfig | None) -> Backbone | None:
    """Return the backbone without ImageNet weights, since its weights come from the model folder."""
    if config is None:
        return None
    backbone = Backbone(replace(config, pretrained=False))
    backbone.config = config
    return backbone


def _config_of(kind: type[Config], described: dict[str, Any]) -> Config:
    """Return a config from its JSON form (made by ``asdict``); raise ``ValueError`` for a wrong or unknown key."""
    try:
        return TypeAdapter(kind).validate_python(described, extra="forbid")
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc'])) or 'the network'}: {first['msg']}") from None

"""Models in folders laid out like a Hub repo (config, weights, vocabularies, card), and this project's networks.

A network is loaded by name, folder or Hub id with its vocabularies and origin.
"""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast, get_args

import torch
from huggingface_hub import save_torch_state_dict
from pydantic import TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from fmp_models.common import one_line
from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded
from fmp_models.hub.references import CARD, CONFIG, WEIGHTS, ModelFolder, resolve_model
from fmp_models.languages import LANGUAGES, Vocabulary, vocabulary_path
from fmp_models.networks import (
    AnyRetriever,
    Backbone,
    BackboneConfig,
    Captioner,
    CaptionerConfig,
    Editor,
    EditorConfig,
    LiftingConfig,
    LiftingNetwork,
    PoseNetwork,
    PoseNetworkConfig,
    RetrieverConfig,
    VisionModel,
    make_retriever,
)

Kind = Literal["captioner", "retriever", "editor", "estimator", "lifter"]
Network = TypeVar("Network", bound=nn.Module)
Config = TypeVar("Config")

FORMAT = 1  # layout version of config.json
SHARD_BYTES = 14_000_000  # of tensors per shard, so that a file with its header stays below 15 MB
SINGLE = "model.safetensors"  # the weights file if they fit in one

_SHARD = re.compile(r"model-\d{5}-of-(\d{5})\.safetensors")

_FLOATS = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})  # convertible to each other
_MAX_CONFIG_BYTES = 1_000_000


def save_model(  # noqa: PLR0913, PLR0917  the parts of a folder
    folder: Path,
    kind: Kind,
    config: Mapping[str, Any],
    model: nn.Module,
    vocabularies: Mapping[str, Vocabulary],
    card: str,
    *,
    half: bool = True,
) -> None:
    """Write a model completely or not at all; replace an existing model and everything in its folder.

    ``config`` must be JSON; ``make`` of :func:`load_model` builds the network from it. ``card`` is the text of
    README.md. With ``half``, parameters are stored in 16 bits. Buffers are not: counters and indices are not
    fractions, the statistics of a batch normalisation may exceed the range of 16 bits, and buffers take little
    space. A parameter outside the range of 16 bits also stays in 32 bits. A tensor larger than a shard gets its
    own shard.

    Raise ``ValueError`` for a weight that is not finite, :class:`BadInputError`: ``folder_not_empty`` if the
    folder holds something other than a model, ``folder_unusable``.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / CONFIG).is_file():
        raise BadInputError("folder_not_empty", path=str(folder))
    weights = _weights(model, half=half)
    described = {
        "kind": kind,
        "format": FORMAT,
        "vocabularies": {vocabulary.language: len(vocabulary) for vocabulary in vocabularies.values()},
        "network": dict(config),
    }
    text = json.dumps(described, ensure_ascii=False, allow_nan=False, indent=2)
    new, old = (folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.{age}") for age in ("new", "old"))
    try:
        new.mkdir(parents=True)
        (new / CONFIG).write_text(f"{text}\n", encoding="utf-8", newline="\n")
        (new / CARD).write_text(card, encoding="utf-8", newline="\n")
        for vocabulary in vocabularies.values():
            vocabulary.save(new)
        save_torch_state_dict(weights, new, max_shard_size=SHARD_BYTES)
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    except (OSError, SafetensorError):
        raise BadInputError("folder_unusable", path=str(folder)) from None
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)


def kind_of(folder: ModelFolder) -> Kind:
    """Return the kind of a model.

    Raise :class:`BadInputError`: ``model_incomplete``, ``model_damaged``, ``model_wrong_kind``.
    """
    found = _kind(_config(folder))
    for kind in get_args(Kind):
        if found == kind:
            return cast("Kind", kind)
    raise BadInputError("model_wrong_kind", model=folder.id, wanted="model", found=one_line(found))


def load_model(
    folder: ModelFolder, kind: Kind, make: Callable[[dict[str, Any]], Network]
) -> tuple[Network, dict[str, Vocabulary]]:
    """Return the network in evaluation mode, in the precision of ``make``, and its vocabularies by language.

    ``make`` builds the network from the saved config and raises ``ValueError`` if it cannot. Every tensor must
    exist, have the right shape and be finite. The index of the shards is for other readers; files named in it are
    never opened.

    Raise :class:`BadInputError`: ``model_incomplete``, ``model_damaged``, ``model_wrong_kind``, ``model_format``.
    """
    described = _config(folder)
    if (found := _kind(described)) != kind:
        raise BadInputError("model_wrong_kind", model=folder.id, wanted=kind, found=one_line(found))
    if described.get("format") != FORMAT:
        raise BadInputError("model_format", model=folder.id, found=one_line(described.get("format")), known=FORMAT)
    vocabularies = _vocabularies(folder, described.get("vocabularies"))
    try:
        network = make(described["network"])
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise _damaged(folder, CONFIG, error) from error
    tensors = read_tensors(folder)
    if flaw := tensor_mismatch(tensors, network.state_dict()):
        raise _damaged(folder, SINGLE, flaw)
    network.load_state_dict(tensors)
    return network.eval(), vocabularies


def _weights(model: nn.Module, *, half: bool) -> dict[str, Tensor]:
    """Return the tensors as stored; raise ``ValueError`` for one that is not finite."""
    parameters = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    kept: dict[str, Tensor] = {}
    for name, value in model.state_dict().items():
        tensor = value.detach().cpu().clone()  # shared tensors are stored as copies, since each name is loaded
        if not torch.isfinite(tensor).all():
            raise ValueError(f"{name} is not finite")
        smaller = tensor.half() if half and name in parameters and tensor.is_floating_point() else tensor
        kept[name] = smaller if torch.isfinite(smaller).all() else tensor
    return kept


def _kind(described: Mapping[str, Any]) -> object:
    """Return the kind in a config, under this project's key or that of other libraries."""
    return described.get("kind") or described.get("model_type") or "nothing known"


def _config(folder: ModelFolder) -> dict[str, Any]:
    path = folder.path / CONFIG
    if not path.is_file():
        raise BadInputError("model_incomplete", model=folder.id, file=CONFIG)
    data = read_bounded(path, _MAX_CONFIG_BYTES)
    if len(data) > _MAX_CONFIG_BYTES:
        raise _damaged(folder, CONFIG, "it is too long")
    try:
        described = json.loads(data)
    except (ValueError, RecursionError):
        raise _damaged(folder, CONFIG, "it is not JSON") from None
    if not isinstance(described, dict):
        raise _damaged(folder, CONFIG, "it is not a JSON object")
    return described


def _vocabularies(folder: ModelFolder, sizes: object) -> dict[str, Vocabulary]:
    """Read the vocabularies listed in the config; check each language before it becomes part of a path."""
    if not isinstance(sizes, dict) or not set(sizes) <= set(LANGUAGES):
        raise _damaged(folder, CONFIG, "its vocabularies are not keyed by language")
    vocabularies = {}
    for language, size in sizes.items():
        file = vocabulary_path(folder.path, language)
        if not file.is_file():
            raise BadInputError("model_incomplete", model=folder.id, file=file.name)
        try:
            vocabularies[language] = Vocabulary.load(folder.path, language)
        except BadInputError as error:
            raise _damaged(folder, file.name, error.details.get("reason", error)) from None
        if len(vocabularies[language]) != size:
            raise _damaged(folder, file.name, f"it has {len(vocabularies[language])} words instead of {size}")
    return vocabularies


def _shards(folder: ModelFolder) -> list[Path]:
    """Return the weight files: one, or as many as the name of the first file says."""
    files = sorted(folder.path.glob(WEIGHTS))
    counted = _SHARD.fullmatch(files[0].name) if files else None
    promised = [f"model-{i:05d}-of-{counted[1]}.safetensors" for i in range(1, int(counted[1]) + 1)] if counted else []
    for name in promised or [SINGLE]:
        if not (folder.path / name).is_file():
            raise BadInputError("model_incomplete", model=folder.id, file=name)
    return files


def read_tensors(folder: ModelFolder) -> dict[str, Tensor]:
    """Load all weights into memory; raise :class:`BadInputError`: ``model_incomplete``, ``model_damaged``."""
    tensors: dict[str, Tensor] = {}
    for shard in _shards(folder):
        try:
            part = load_file(shard)
        except (OSError, SafetensorError, ValueError) as error:
            raise _damaged(folder, shard.name, error) from error
        if twice := tensors.keys() & part.keys():
            raise _damaged(folder, shard.name, f"another file also has {min(twice)}")
        tensors |= part
    return tensors


def tensor_mismatch(tensors: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> str:
    """Return why the tensors do not match the network, or an empty string."""
    if missing := sorted(wanted.keys() - tensors.keys()):
        return f"{len(missing)} tensors are missing, such as {missing[0]}"
    if surplus := sorted(tensors.keys() - wanted.keys()):
        return f"{len(surplus)} unexpected tensors, such as {surplus[0]}"
    for name, tensor in tensors.items():
        place = wanted[name]
        if tensor.shape != place.shape:
            return f"{name} has the shape {tuple(tensor.shape)} instead of {tuple(place.shape)}"
        if tensor.dtype != place.dtype and not {tensor.dtype, place.dtype} <= _FLOATS:
            return f"{name} holds {tensor.dtype} instead of {place.dtype}"
        if not torch.isfinite(tensor.to(place.dtype)).all():
            return f"{name} is not finite"
    return ""


def _damaged(folder: ModelFolder, file: str, reason: object) -> BadInputError:
    return BadInputError("model_damaged", model=folder.id, file=file, reason=one_line(reason))


@dataclass(frozen=True)
class LoadedModel(Generic[Network]):
    """A network in evaluation mode, its vocabularies by language, and its folder with id and revision."""

    network: Network
    vocabularies: dict[str, Vocabulary]
    folder: ModelFolder


def load_captioner(model: str | ModelFolder) -> LoadedModel[VisionModel[Captioner]]:
    """Load a captioner with its backbone, if any; raise the errors of ``resolve_model`` and ``load_model``."""

    def make(described: dict[str, Any]) -> VisionModel[Captioner]:
        config = _config_of(CaptionerConfig, described)
        return VisionModel(Captioner(config), _backbone(config.backbone))

    return _speaking(_load(model, "captioner", make))


def load_retriever(model: str | ModelFolder) -> LoadedModel[VisionModel[AnyRetriever]]:
    """Load a retriever with its backbone, if any; raise the errors of ``resolve_model`` and ``load_model``."""

    def make(described: dict[str, Any]) -> VisionModel[AnyRetriever]:
        config = _config_of(RetrieverConfig, described)
        return VisionModel(make_retriever(config), _backbone(config.backbone))

    return _speaking(_load(model, "retriever", make))


def load_editor(model: str | ModelFolder) -> LoadedModel[VisionModel[Editor]]:
    """Load an editor with its backbone, if any; raise the errors of ``resolve_model`` and ``load_model``."""

    def make(described: dict[str, Any]) -> VisionModel[Editor]:
        config = _config_of(EditorConfig, described)
        return VisionModel(Editor(config), _backbone(config.backbone))

    return _speaking(_load(model, "editor", make))


def load_estimator(model: str | ModelFolder) -> LoadedModel[PoseNetwork]:
    """Load a joint estimator, which has no vocabulary; raise the errors of ``resolve_model`` and ``load_model``."""

    def make(described: dict[str, Any]) -> PoseNetwork:
        config = _config_of(PoseNetworkConfig, described)
        return PoseNetwork(replace(config, backbone=replace(config.backbone, pretrained=False)))

    return _load(model, "estimator", make)


def load_lifter(model: str | ModelFolder) -> LoadedModel[LiftingNetwork]:
    """Load a landmark lifter, which has no vocabulary; raise the errors of ``resolve_model`` and ``load_model``."""

    def make(described: dict[str, Any]) -> LiftingNetwork:
        return LiftingNetwork(_config_of(LiftingConfig, described))

    return _load(model, "lifter", make)


def save_speaking(
    folder: Path,
    model: VisionModel[Captioner] | VisionModel[AnyRetriever] | VisionModel[Editor],
    vocabularies: Mapping[str, Vocabulary],
    card: str,
    *,
    half: bool = True,
) -> None:
    """Write a captioner, retriever or editor for its function of loading; raise the errors of ``save_model``.

    Raise ``ValueError`` if the vocabularies or the backbone differ from those in the network's config.
    """
    config = model.network.config
    backbone = None if model.backbone is None else model.backbone.config
    if config.vocabulary_sizes != _sizes(vocabularies) or config.backbone != backbone:
        raise ValueError("the vocabularies or the backbone do not match the network's config")
    kinds: dict[type[nn.Module], Kind] = {Captioner: "captioner", Editor: "editor"}
    kind = kinds.get(type(model.network), "retriever")
    save_model(folder, kind, asdict(config), model, vocabularies, card, half=half)


def _load(model: str | ModelFolder, kind: Kind, make: Callable[[dict[str, Any]], Network]) -> LoadedModel[Network]:
    folder = model if isinstance(model, ModelFolder) else resolve_model(model)
    network, vocabularies = load_model(folder, kind, make)
    return LoadedModel(network, vocabularies, folder)


Speaking = TypeVar("Speaking", VisionModel[Captioner], VisionModel[AnyRetriever], VisionModel[Editor])


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

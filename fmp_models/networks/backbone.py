"""Backbones, which turn a picture into feature vectors: a ResNet, an EfficientNet-Lite or a narrow ResNet-18.

A position is one cell of the backbone's feature map; the classification layers are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from http.client import HTTPException
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import torch
from torch import Tensor, nn

from fmp_models.errors import BadInputError
from fmp_models.languages import LANGUAGES, SPECIALS
from fmp_models.networks.efficientnet_lite import LITE_DEVIATION, LITE_MEAN, LITE_NAMES, lite_stages, pretrained_stages
from fmp_models.networks.layers import MAX_FEATURES, MAX_WORDS, Rule, keep
from fmp_models.preprocessing import PicturesConfig

if TYPE_CHECKING:
    from torchvision.models.resnet import ResNet


NARROW = "narrow18"
# Channels of the first stage: ResNet's, and the maximum (the last stage has eight times as many).
_PLANES, _MAX_PLANES = 64, MAX_FEATURES // 8
BACKBONES = ("resnet18", "resnet34", "resnet50", "resnet101", NARROW, *LITE_NAMES)
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet; red, green, blue


@dataclass(frozen=True)
class BackboneConfig:
    """The backbone's ``name`` and its last ``stage``: 4 (a 7x7 map of 224x224 pixels) or 3 (14x14).

    ResNets are torchvision's, and ``efficientnet_lite0`` to ``2`` those of :mod:`.efficientnet_lite`. ``narrow18`` is
    ResNet-18 with ``width`` instead of 64 channels in its first stage. A ``frozen`` backbone is never trained and
    always stays in evaluation mode, as in the released code. Raises ValueError for invalid values.
    """

    name: str = "resnet101"
    stage: int = 4
    pretrained: bool = False
    width: int = _PLANES
    frozen: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError if the values do not describe a backbone."""
        narrow = self.name == NARROW
        fits = 0 < self.width <= _MAX_PLANES and (narrow or self.width == _PLANES)
        keep(
            [
                (self.name in BACKBONES, f"a backbone is one of {', '.join(BACKBONES)}, not {self.name}"),
                (self.stage in {3, 4}, "a backbone ends after stage 3 or 4"),
                (not (narrow and self.pretrained), f"there are no ImageNet weights of {NARROW}"),
                (fits, f"width must be from 1 to {_MAX_PLANES}, and {_PLANES} unless the backbone is {NARROW}"),
            ]
        )


@dataclass(frozen=True)
class WordNetworkConfig:
    """Sizes of a captioner or retriever.

    ``vocabulary_sizes`` gives each language's number of words, special words included. ``backbone`` is the network
    that computes positions of ``image_channels`` features; None leaves it open. ``pictures`` sets how pictures are
    cropped for it.
    """

    vocabulary_sizes: dict[str, int]
    hidden: int = 512
    embedding: int = 256
    dropout: float = 0.5
    image_channels: int = 2048
    backbone: BackboneConfig | None = None
    pictures: PicturesConfig = field(default_factory=PicturesConfig)

    def keep(self, *rules: Rule) -> None:
        """Raise ValueError with the message of the first rule that does not hold, those of the sizes first."""
        words, sizes = self.vocabulary_sizes, (self.hidden, self.embedding, self.image_channels)
        keep(
            [
                (words.keys() <= set(LANGUAGES), f"languages must be among {', '.join(LANGUAGES)}"),
                (min(words.values(), default=MAX_WORDS) > len(SPECIALS), "every language needs words"),
                (sum(words.values()) <= MAX_WORDS, f"there must be at most {MAX_WORDS} words"),
                (min(sizes) > 0 and self.hidden % 2 == 0, "sizes must be positive, and hidden even"),
                (max(sizes) <= MAX_FEATURES, f"sizes must be at most {MAX_FEATURES}"),
                (0 <= self.dropout < 1, "dropout must be at least 0 and less than 1"),
                *rules,
            ]
        )


class Backbone(nn.Module):
    """The layers of a network up to ``config.stage``; each position of the map has ``channels`` features.

    Raises BadInputError if the pretrained weights cannot be downloaded.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, config: BackboneConfig) -> None:
        super().__init__()
        self.config = config
        lite = config.name in LITE_NAMES
        stages = _narrow_stages(config.width) if config.name == NARROW else _named_stages(config)
        self.stages = nn.Sequential(*stages[: config.stage + 1])
        *_, last = (layer for layer in self.stages.modules() if isinstance(layer, nn.BatchNorm2d))
        self.channels = last.num_features
        mean = LITE_MEAN if lite else _MEAN
        deviation = LITE_DEVIATION if lite else _DEVIATION
        self.register_buffer("mean", torch.tensor(mean)[:, None, None], persistent=False)
        self.register_buffer("deviation", torch.tensor(deviation)[:, None, None], persistent=False)
        # The fastest memory layout for convolutions; positions are then a view of the map.
        self.to(memory_format=torch.channels_last)
        if config.frozen:
            self.requires_grad_(requires_grad=False)
            self.train(mode=False)

    def train(self, mode: bool = True) -> Self:  # noqa: FBT001, FBT002  torch's signature
        """Set training or evaluation mode; a frozen backbone stays in evaluation mode."""
        return super().train(mode and not self.config.frozen)

    def maps(self, images: Tensor) -> Tensor:
        """Compute maps (b, channels, h', w') of ``images`` (b, 3, h, w) between 0 and 1; h' is h / 32 after stage 4."""
        normal = ((images - self.mean) / self.deviation).contiguous(memory_format=torch.channels_last)
        maps: Tensor = self.stages(normal)
        return maps

    def forward(self, images: Tensor) -> Tensor:
        """Compute positions (b, h'w', channels), row by row, of ``images`` (b, 3, h, w) between 0 and 1."""
        return self.maps(images).flatten(2).transpose(1, 2)


def as_images(pixels: Tensor) -> Tensor:
    """Convert square crops (..., s, s, 3) uint8 to the backbone's input (..., 3, s, s) between 0 and 1."""
    return pixels.movedim(-1, -3).float().div_(255)


Network = TypeVar("Network", bound=nn.Module)


class VisionModel(nn.Module, Generic[Network]):
    """A ``network`` on positions, and the ``backbone`` that computes positions of pictures; None without pictures."""

    def __init__(self, network: Network, backbone: Backbone | None) -> None:
        super().__init__()
        self.network = network
        self.backbone = backbone

    def positions(self, images: Tensor) -> Tensor:
        """Compute positions (..., n, c) of pictures (..., 3, h, w) between 0 and 1; ValueError without backbone."""
        if self.backbone is None:
            raise ValueError("a model without a backbone cannot process pictures")
        positions: Tensor = self.backbone(images.flatten(0, -4))
        return positions.view(*images.shape[:-3], *positions.shape[1:])


def _named_stages(config: BackboneConfig) -> list[nn.Sequential]:
    """Build the stem and the four stages of a published network."""
    if config.name not in LITE_NAMES:
        return _torchvision_stages(config)
    if not config.pretrained:
        return lite_stages(config.name)
    return pretrained_stages(config.name)


def _torchvision_stages(config: BackboneConfig) -> list[nn.Sequential]:
    """Build the stem and the four stages of a torchvision ResNet."""
    # Imported here: it loads torch's compiler, which takes as long as torch and which narrow backbones do not need.
    from torchvision.models import get_model, get_model_weights  # noqa: PLC0415

    if not config.pretrained:
        return _stages_of(get_model(config.name))
    weights = get_model_weights(config.name).IMAGENET1K_V1  # the weights available when the paper was written
    try:
        # Downloads into torch's cache; raises if the file's hash differs.
        state = weights.get_state_dict(progress=False, check_hash=True, weights_only=True)
    except (OSError, HTTPException, RuntimeError) as error:
        raise BadInputError("backbone_unreachable", name=config.name, url=weights.url) from error
    model = get_model(config.name)
    model.load_state_dict(state)
    return _stages_of(model)


def _stages_of(model: ResNet) -> list[nn.Sequential]:
    stem = nn.Sequential(model.conv1, model.bn1, model.relu, model.maxpool)
    return [stem, model.layer1, model.layer2, model.layer3, model.layer4]


def _narrow_stages(width: int) -> list[nn.Sequential]:
    """Build ResNet-18's stages with ``width`` channels; torchvision supports 64 only."""
    stem = nn.Sequential(
        nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, stride=2, padding=1),
    )
    stages = [stem]
    inputs = width
    for planes in (width, 2 * width, 4 * width, 8 * width):
        stages.append(nn.Sequential(_block(inputs, planes), _block(planes, planes)))
        inputs = planes
    for module in nn.Sequential(*stages).modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    return stages


class _Block(nn.Module):
    """ResNet-18's basic block; layers have torchvision's names."""

    def __init__(self, inputs: int, planes: int, stride: int = 1, downsample: nn.Module | None = None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, planes, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample

    def forward(self, maps: Tensor) -> Tensor:
        """Compute (b, planes, h', w') from ``maps`` (b, inputs, h, w)."""
        features = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(maps)))))
        features += maps if self.downsample is None else self.downsample(maps)
        return self.relu(features)  # type: ignore[no-any-return]


def _block(inputs: int, planes: int) -> _Block:
    if inputs == planes:
        return _Block(inputs, planes)
    shortcut = nn.Sequential(nn.Conv2d(inputs, planes, 1, stride=2, bias=False), nn.BatchNorm2d(planes))
    return _Block(inputs, planes, stride=2, downsample=shortcut)

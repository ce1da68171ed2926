"""EfficientNet-Lite: inverted residuals without squeeze and excitation, with ReLU6 (Tan and Le 2019; 2020).

The layers have the order of the networks that TensorFlow trained, so that their weights can be loaded. The padding is
TensorFlow's "same" as well: where a convolution halves an even side, it adds one more row below and column on the
right.
"""

from __future__ import annotations

import math

from torch import Tensor, nn
from torch.nn import functional

LITE_NAMES = ("efficientnet_lite0", "efficientnet_lite1", "efficientnet_lite2")
MEAN, DEVIATION = (127 / 255,) * 3, (128 / 255,) * 3  # of the training pictures, scaled to 0 to 1

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

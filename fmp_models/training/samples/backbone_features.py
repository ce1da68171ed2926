"""Backbone features of every picture, computed once, so that a captioner trains without the pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fmp_models.networks.backbones.backbone import as_images
from fmp_models.networks.mirror import mirrored_pixels
from fmp_models.training.samples.dataset_samples import NO_PICTURE
from fmp_models.training.samples.pictures import CroppedPictures
from fmp_models.training.samples.stored_arrays import stored

_LOT = 32  # pictures per batch


@dataclass(frozen=True)
class Features:
    """Feature maps of every picture by number: ``maps`` (p, n, c) in half precision."""

    maps: NDArray[np.float16]

    def at(self, numbers: NDArray[np.int64]) -> Tensor:
        """Return the maps of these picture numbers, (..., n, c) float32; zeros where there is no picture."""
        maps = torch.from_numpy(self.maps[np.maximum(numbers, 0)])
        missing = numbers == NO_PICTURE
        if missing.any():
            maps[torch.from_numpy(missing)] = 0
        return maps.float()


def backbone_features(
    backbone: nn.Module, squares: CroppedPictures, cache: Path, *, mirrored: bool = False
) -> Features:
    """Compute the maps of every picture with ``backbone``, from images (b, 3, s, s) to positions (b, n, c).

    ``mirrored`` computes the maps of the mirrored pictures. The backbone runs on its own device in evaluation mode
    and then returns to its previous mode.
    """
    key = hashlib.sha256(f"{squares.key} {_key(backbone)} {mirrored}".encode()).hexdigest()[:16]
    count = len(squares.pixels)
    mode = backbone.training
    backbone.eval()
    try:
        shape = _maps(backbone, squares, range(1), mirrored=mirrored).shape[1:]

        def fill(array: NDArray[Any], first: int) -> Iterator[int]:
            for begin in range(first, count, _LOT):
                numbers = range(begin, min(begin + _LOT, count))
                array[begin : numbers.stop] = _maps(backbone, squares, numbers, mirrored=mirrored)
                yield numbers.stop

        return Features(stored(cache / f"features-{key}.npy", (count, *shape), np.float16, fill))
    finally:
        backbone.train(mode)


@torch.inference_mode()
def _maps(backbone: nn.Module, squares: CroppedPictures, numbers: range, *, mirrored: bool) -> NDArray[np.float16]:
    weight = next(backbone.parameters())
    pixels = squares.at(np.arange(numbers.start, numbers.stop))
    images = as_images(mirrored_pixels(pixels) if mirrored else pixels)
    # Up to three times as fast. A ResNet's features change by half a percent. EfficientNet-Lite's are mostly
    # zeros; their mean cosine to the exact ones is 0.997.
    with torch.autocast(weight.device.type, torch.bfloat16):
        maps: Tensor = backbone(images.to(weight.device))
    return np.asarray(maps.to(device="cpu", dtype=torch.float16).numpy())


def _key(backbone: nn.Module) -> str:
    """Return a hash of the backbone's ``repr`` and all its values."""
    digest = hashlib.sha256(repr(backbone).encode())
    for name, values in backbone.state_dict().items():
        digest.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        digest.update(values.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()

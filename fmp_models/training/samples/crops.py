"""Person crops for the pose network: squares with random size and position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fmp_models.data.camera import tilted
from fmp_models.preprocessing.joint_origin import centred
from fmp_models.preprocessing.person_crop import PERSON, PersonCrop, cut
from fmp_models.training.config import Positive, Share
from fmp_models.training.samples.dataset_samples import PictureList
from fmp_models.training.samples.pictures import EncodedPictures, joint_places


@dataclass(frozen=True)
class Jitter:
    """Ranges of random crops: ``zooms`` of the side in lengths of the person, ``shift`` in shares of the side.

    ``zooms`` are the minimum and the maximum.
    """

    zooms: tuple[Positive, Positive] = (PERSON - 0.2, PERSON + 0.45)
    shift: Share = 0.12


@dataclass(frozen=True)
class Crops:
    """A batch: ``pixels`` (b, s, s, 3) uint8; ``places`` (b, 20, 2), from 0 to 1, right and down across the square.

    ``metres`` (b, 20, 3) are in the camera frame, relative to the hip; ``inside`` (b, 20) marks joints in the square.
    """

    pixels: Tensor
    places: Tensor
    metres: Tensor
    inside: Tensor


class PersonCropSampler:
    """Square crops of ``size`` pixels around the people in the simulator's pictures; safe in several threads."""

    def __init__(self, encoded: EncodedPictures, pictures: PictureList, size: int) -> None:
        self._encoded = encoded
        self._size = size
        self._points = joint_places(pictures)
        # In one square the picture's own vertical is the only one that the network can see.
        joints = tilted(pictures.joints, *pictures.tilts.T).astype(np.float32)
        self._metres = centred(joints[:, None], placed=False)[:, 0]

    def cut(self, numbers: Sequence[int], jitter: Jitter | None, generator: torch.Generator) -> Crops:
        """Crop the pictures of these numbers, whose joints are known; without ``jitter`` the person is centred."""
        indices = np.asarray(numbers, dtype=np.int64)
        squares = [_square(points, jitter, generator) for points in self._points[indices]]
        pixels = [
            cut(self._encoded.image(int(number)), square, self._size)
            for number, square in zip(indices, squares, strict=True)
        ]
        places = torch.from_numpy(
            np.stack([square.places(points) for square, points in zip(squares, self._points[indices], strict=True)])
        )
        return Crops(
            torch.from_numpy(np.stack(pixels)),
            places,
            torch.from_numpy(self._metres[indices]),
            ((places >= 0) & (places <= 1)).all(dim=-1),
        )


def _square(points: NDArray[np.float32], jitter: Jitter | None, generator: torch.Generator) -> PersonCrop:
    if jitter is None:
        return PersonCrop.around(points, PERSON)
    zoom, right, down = torch.rand(3, generator=generator).tolist()
    least, most = jitter.zooms
    square = PersonCrop.around(points, least * (most / least) ** zoom)
    reach = 2 * jitter.shift * square.side
    return PersonCrop(square.left + (right - 0.5) * reach, square.top + (down - 0.5) * reach, square.side)

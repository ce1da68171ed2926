"""The pictures of a dataset by number: their files back to back in one, and cut to squares for the networks.

Both are arrays on disk that are built once in a cache folder; their names follow from what they were made of.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from fmp_models.data.camera import focal_length, in_picture
from fmp_models.data.folder import read_rows
from fmp_models.data.uids import picture_of
from fmp_models.errors import BadInputError
from fmp_models.preprocessing.person_crop import GREY, PicturesConfig, Pixels, cut
from fmp_models.training.samples.dataset_samples import (
    NO_PICTURE,
    Dataset,
    PictureList,
    picture_moments,
    picture_name,
    row_pictures,
)
from fmp_models.training.samples.stored_arrays import Fill, stored

_VERSION = "1"  # of how pictures are cut: another one makes caches anew
_LOT = 256  # pictures


@dataclass(frozen=True)
class EncodedPictures:
    """The files of all pictures back to back: ``data`` of picture ``i`` ends at ``ends[i]`` (p,)."""

    names: Sequence[str]
    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    key: str

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self.ends)

    def image(self, number: int) -> Image.Image:
        """One picture, decoded, RGB; :class:`BadInputError` (``dataset_picture_damaged``)."""
        begin = int(self.ends[number - 1]) if number else 0
        data = self.data[begin : int(self.ends[number])].tobytes()
        try:
            with Image.open(io.BytesIO(data)) as opened:
                return opened.convert("RGB")
        except (OSError, ValueError, SyntaxError):
            raise BadInputError("dataset_picture_damaged", name=self.names[number]) from None


@dataclass(frozen=True)
class CroppedPictures:
    """Pictures cut to squares, ``pixels`` (p, s, s, 3) by number; ``key`` names what they were made of."""

    pixels: NDArray[np.uint8]
    key: str

    def at(self, numbers: NDArray[np.int64]) -> Tensor:
        """Pictures of these numbers, (..., s, s, 3) uint8 for numbers (...,); grey where there is no picture."""
        pixels = torch.from_numpy(self.pixels[np.maximum(numbers, 0)])
        missing = numbers == NO_PICTURE
        if missing.any():
            pixels[torch.from_numpy(missing)] = torch.tensor(GREY, dtype=torch.uint8)
        return pixels


def encoded_pictures(dataset: Dataset, cache: Path) -> EncodedPictures:
    """Every picture of the dataset as its file has it; copied out of the shards the first time."""
    key = _key(dataset.fingerprint, dataset.pictures.names)
    sizes = stored(cache / f"encoded-{key}-sizes.npy", (len(dataset.pictures),), np.int64, _sizes(dataset))
    ends = np.cumsum(sizes)

    def fill(array: NDArray[Any], _: int) -> Iterator[int]:
        # The shards are read in order and cheaply, so a killed copy starts anew.
        for number, data in _files(dataset):
            end = int(ends[number])
            array[end - len(data) : end] = np.frombuffer(data, dtype=np.uint8)
            yield end

    data = stored(cache / f"encoded-{key}.npy", (int(ends[-1]) if len(ends) else 0,), np.uint8, fill)
    return EncodedPictures(dataset.pictures.names, data, ends, key)


def picture_hashes(dataset: Dataset, cache: Path) -> list[str]:
    """The SHA-256 of every picture's file, in hexadecimal; computed the first time."""
    key = _key(dataset.fingerprint, dataset.pictures.names)

    def fill(array: NDArray[Any], _: int) -> Iterator[int]:
        for number, data in _files(dataset):
            array[number] = np.frombuffer(hashlib.sha256(data).digest(), dtype=np.uint8)
            yield number + 1

    size = hashlib.sha256().digest_size
    return [
        bytes(row).hex() for row in stored(cache / f"hashes-{key}.npy", (len(dataset.pictures), size), np.uint8, fill)
    ]


def cropped_pictures(
    encoded: EncodedPictures, config: PicturesConfig, places: NDArray[np.float32], cache: Path
) -> CroppedPictures:
    """Every picture as ``config`` frames it around ``places`` (p, 20, 2), such as :func:`joint_places` gives."""
    size = config.size
    made_of = np.ascontiguousarray(places).tobytes() if config.framing == "person" else b""
    key = _key(encoded.key, _VERSION, size, hashlib.sha256(made_of).hexdigest())

    def squared(number: int) -> Pixels:
        image = encoded.image(number)
        return cut(image, config.square(*image.size, places[number]), size)

    def fill(array: NDArray[Any], first: int) -> Iterator[int]:
        with ThreadPoolExecutor() as pool:
            for begin in range(first, len(encoded), _LOT):
                numbers = range(begin, min(begin + _LOT, len(encoded)))
                for number, pixels in zip(numbers, pool.map(squared, numbers), strict=True):
                    array[number] = pixels
                yield numbers.stop

    path = cache / f"squares-{size}-{key}.npy"
    return CroppedPictures(stored(path, (len(encoded), size, size, 3), np.uint8, fill), key)


def joint_places(pictures: PictureList) -> NDArray[np.float32]:
    """The places of the joints in the simulator's pictures, (p, 20, 2) pixels.

    As their rows say, else as the camera that the picture's name tells sees them; NaN where joints are not known or
    neither does.
    """
    picture_names = [picture_of(name) for name in pictures.names]
    focal = np.array([np.nan if picture is None else focal_length(picture.uid) for picture in picture_names])
    depth_known = np.where(pictures.known[:, None, None], pictures.joints, np.nan)
    named_only = np.asarray(in_picture(depth_known, focal[:, None]), dtype=np.float32)
    return np.where(np.isnan(pictures.places), named_only, pictures.places)


def _files(dataset: Dataset) -> Iterator[tuple[int, bytes]]:
    """Every picture's number and file, in order."""
    due = 0
    numbers = {name: number for number, name in enumerate(dataset.pictures.names)}
    for config, split in dataset.parts:
        columns = ["uid", "current", "candidates" if config == "retrieval" else "target"]
        for row in read_rows(dataset.folder, config, split, columns):
            for image, moment in zip(row_pictures(row, config), picture_moments(config), strict=True):
                if image is not None and numbers[picture_name(image, row["uid"], moment)] == due:
                    yield due, image["bytes"] or b""
                    due += 1


def _sizes(dataset: Dataset) -> Fill:
    def fill(array: NDArray[Any], _: int) -> Iterator[int]:
        for number, data in _files(dataset):
            array[number] = len(data)
            yield number + 1

    return fill


def _key(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

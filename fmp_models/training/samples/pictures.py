"""The pictures of a dataset by number: their files concatenated, and square crops for the networks.

Both are arrays on disk that are built once in a cache folder; their names depend on what they were made from.
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

_VERSION = "1"  # version of the cropping; a new version rebuilds the caches
_LOT = 256  # pictures per stored part


@dataclass(frozen=True)
class EncodedPictures:
    """The files of all pictures, concatenated: ``data`` of picture ``i`` ends at ``ends[i]`` (p,)."""

    names: Sequence[str]
    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    key: str

    def __len__(self) -> int:
        """Return the number of pictures."""
        return len(self.ends)

    def image(self, number: int) -> Image.Image:
        """Decode one picture as RGB; raise :class:`BadInputError` (``dataset_picture_damaged``) if that fails."""
        begin = int(self.ends[number - 1]) if number else 0
        data = self.data[begin : int(self.ends[number])].tobytes()
        try:
            with Image.open(io.BytesIO(data)) as opened:
                return opened.convert("RGB")
        except (OSError, ValueError, SyntaxError):
            raise BadInputError("dataset_picture_damaged", name=self.names[number]) from None


@dataclass(frozen=True)
class CroppedPictures:
    """Pictures cropped to squares, ``pixels`` (p, s, s, 3) by number; ``key`` identifies what they were made from."""

    pixels: NDArray[np.uint8]
    key: str

    def at(self, numbers: NDArray[np.int64]) -> Tensor:
        """Return the pictures of these numbers (...,) as (..., s, s, 3) uint8; grey where there is no picture."""
        pixels = torch.from_numpy(self.pixels[np.maximum(numbers, 0)])
        missing = numbers == NO_PICTURE
        if missing.any():
            pixels[torch.from_numpy(missing)] = torch.tensor(GREY, dtype=torch.uint8)
        return pixels


def encoded_pictures(dataset: Dataset, cache: Path) -> EncodedPictures:
    """Return the files of all pictures of the dataset; the first call copies them from the shards."""
    key = _key(dataset.fingerprint, dataset.pictures.names)
    sizes = stored(cache / f"encoded-{key}-sizes.npy", (len(dataset.pictures),), np.int64, _sizes(dataset))
    ends = np.cumsum(sizes)

    def fill(array: NDArray[Any], _: int) -> Iterator[int]:
        # The shards are read in order and fast, so a killed copy starts again.
        for number, data in _files(dataset):
            end = int(ends[number])
            array[end - len(data) : end] = np.frombuffer(data, dtype=np.uint8)
            yield end

    data = stored(cache / f"encoded-{key}.npy", (int(ends[-1]) if len(ends) else 0,), np.uint8, fill)
    return EncodedPictures(dataset.pictures.names, data, ends, key)


def picture_hashes(dataset: Dataset, cache: Path) -> list[str]:
    """Return the SHA-256 of every picture's file in hexadecimal; the first call computes them."""
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
    """Crop every picture as ``config`` says, around ``places`` (p, 20, 2) such as those of :func:`joint_places`."""
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
    """Return the places of the joints in the simulator's pictures, (p, 20, 2) pixels.

    They come from the pictures' rows, or else from the camera that the picture's name implies; NaN if joints or
    camera are not known.
    """
    picture_names = [picture_of(name) for name in pictures.names]
    focal = np.array([np.nan if picture is None else focal_length(picture.uid) for picture in picture_names])
    depth_known = np.where(pictures.known[:, None, None], pictures.joints, np.nan)
    named_only = np.asarray(in_picture(depth_known, focal[:, None]), dtype=np.float32)
    return np.where(np.isnan(pictures.places), named_only, pictures.places)


def _files(dataset: Dataset) -> Iterator[tuple[int, bytes]]:
    """Yield every picture's number and file, in order."""
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

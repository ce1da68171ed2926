"""The pictures of a dataset by number: their files, square crops for the networks, and features of a frozen backbone.

All are arrays on disk that are built once in a cache folder; their names depend on what they were made from.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray
from PIL import Image
from torch import Tensor, nn
from tqdm import tqdm

from fmp_models.data import focal_length, in_picture, picture_of, read_rows
from fmp_models.errors import BadInputError
from fmp_models.networks import as_images, mirrored_pixels
from fmp_models.preprocessing import GREY, PicturesConfig, Pixels, cut
from fmp_models.training.dataset_samples import (
    NO_PICTURE,
    Dataset,
    PictureList,
    picture_moments,
    picture_name,
    row_pictures,
)

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
    focal = np.array(
        [
            focal_length(picture.uid) if picture is not None and known else np.nan
            for picture, known in zip(picture_names, pictures.known, strict=True)
        ]
    )
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


_FEATURES_LOT = 32  # pictures per batch


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
    key = hashlib.sha256(f"{squares.key} {_backbone_key(backbone)} {mirrored}".encode()).hexdigest()[:16]
    count = len(squares.pixels)
    mode = backbone.training
    backbone.eval()
    try:
        shape = _maps(backbone, squares, range(1), mirrored=mirrored).shape[1:]

        def fill(array: NDArray[Any], first: int) -> Iterator[int]:
            for begin in range(first, count, _FEATURES_LOT):
                numbers = range(begin, min(begin + _FEATURES_LOT, count))
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


def _backbone_key(backbone: nn.Module) -> str:
    """Return a hash of the backbone's ``repr`` and all its values."""
    digest = hashlib.sha256(repr(backbone).encode())
    for name, values in backbone.state_dict().items():
        digest.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        digest.update(values.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


_SECONDS = 5.0  # seconds between two records of a build's progress
Fill = Callable[[NDArray[Any], int], Iterator[int]]


def stored(path: Path, shape: Sequence[int], dtype: DTypeLike, fill: Fill) -> NDArray[Any]:
    """Return the array in the file ``path`` (``.npy``), memory-mapped read-only; build it if it does not exist.

    ``fill(array, first)`` computes rows from number ``first`` on and yields the number of complete rows after each
    part. A killed build resumes where it stopped. If two processes want the same array, one builds it and the other
    waits. A file under its final name is always complete. Raises :class:`BadInputError` (``folder_unusable``) if disk
    space or permission is missing.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            if not path.is_file():
                _build(path, tuple(shape), np.dtype(dtype), fill)
        array: NDArray[Any] = np.load(path, mmap_mode="r")
    except OSError:
        raise BadInputError("folder_unusable", path=str(path.parent)) from None
    return array


def _build(path: Path, shape: tuple[int, ...], dtype: np.dtype[Any], fill: Fill) -> None:
    part, note = path.with_name(f"{path.name}.part"), path.with_name(f"{path.name}.done")
    array, whole_rows = _begun(part, note, shape, dtype)
    with tqdm(total=shape[0], initial=whole_rows, desc=path.stem, unit=" rows") as bar:
        noted = time.monotonic()
        for rows_done in fill(array, whole_rows):
            bar.update(rows_done - bar.n)
            if time.monotonic() - noted > _SECONDS:
                _note(array, note, rows_done)
                noted = time.monotonic()
    array.flush()
    del array  # Windows cannot rename a mapped file
    part.replace(path)
    note.unlink(missing_ok=True)


def _begun(part: Path, note: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[np.memmap[Any, Any], int]:
    """Return the unfinished array of a killed build and its number of complete rows, or a new array.

    A new array gets all its disk space at once.
    """
    try:
        array = npy.open_memmap(part, mode="r+")
        whole_rows = int(note.read_text(encoding="ascii"))
        if array.shape == shape and array.dtype == dtype and 0 <= whole_rows <= shape[0]:
            return array, whole_rows
    except (OSError, ValueError):
        pass
    note.unlink(missing_ok=True)
    array = npy.open_memmap(part, mode="w+", shape=shape, dtype=dtype)
    if hasattr(os, "posix_fallocate"):  # a full disk raises here, instead of crashing a later write
        with part.open("rb+") as file:
            os.posix_fallocate(file.fileno(), 0, part.stat().st_size)
    return array, 0


def _note(array: np.memmap[Any, Any], note: Path, rows_done: int) -> None:
    array.flush()
    new = note.with_suffix(".new")
    new.write_text(str(rows_done), encoding="ascii")
    new.replace(note)

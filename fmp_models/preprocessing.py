"""Preprocessing: from an uploaded file to the input of networks and estimators.

A defective file raises BadInputError. Networks see square crops, the whole picture with grey borders or the person
alone, and joints with one origin; the rules are the same for training and for uploads.
"""

from __future__ import annotations

import hashlib
import math
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from fmp_models.common import MAX_BYTES, DecodingBudget, PhotographError, picture_file, read_pixels, read_plain
from fmp_models.errors import BadInputError, UnreadableImageError
from fmp_models.pose import INDEX, PosePair

Picture = str | os.PathLike[str] | bytes | Image.Image  # a path, the bytes of a file, or an opened picture

# Transposes that undo a clockwise turn by these degrees; Pillow turns counterclockwise.
_BACK = {
    0: None,
    90: Image.Transpose.ROTATE_90,
    180: Image.Transpose.ROTATE_180,
    270: Image.Transpose.ROTATE_270,
}
TURNS = tuple(_BACK)


@dataclass(frozen=True)
class Photograph:
    """An upright RGB ``image`` without metadata, longest side at most ``MAX_SIDE`` pixels."""

    image: Image.Image

    @cached_property
    def key(self) -> str:
        """A hash of the pixels, equal for the same pixels in different files."""
        return hashlib.sha256(f"{self.image.size}".encode() + self.image.tobytes()).hexdigest()


@dataclass(frozen=True)
class Orientation:
    """The orientation that the uploader declares: ``turned_by`` degrees clockwise, and ``mirrored`` like a selfie."""

    turned_by: int = 0
    mirrored: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError unless ``turned_by`` is 0, 90, 180 or 270."""
        if self.turned_by not in TURNS:
            raise ValueError(f"turned_by must be one of {list(TURNS)} degrees, not {self.turned_by}")


AS_TAKEN = Orientation()


def upright(photograph: Photograph, orientation: Orientation) -> Photograph:
    """Return the photograph turned back and mirrored back, so that its left and right are those of the room."""
    if orientation == AS_TAKEN:
        return photograph
    back = _BACK[orientation.turned_by]
    image = photograph.image if back is None else photograph.image.transpose(back)
    return Photograph(ImageOps.mirror(image) if orientation.mirrored else image)


def read_photograph(data: bytes, budget: DecodingBudget | None = None) -> Photograph:
    """Check and decode one uploaded file; the photographs of one request share a ``budget``.

    Raise :class:`BadInputError` with the codes of :func:`fmp_models.common.picture_files.read_pixels`.
    """
    try:
        return Photograph(read_pixels(data, budget or DecodingBudget()))
    except PhotographError as error:
        raise BadInputError(error.code, **error.details) from None


def picture_bytes(picture: Picture) -> bytes:
    """Return the file of a picture, at most one byte longer than a file may be; raise :class:`UnreadableImageError`."""
    try:
        if isinstance(picture, Image.Image):
            return picture_file(picture)
        if isinstance(picture, str | os.PathLike):
            return read_plain(Path(os.fsdecode(picture)), MAX_BYTES)
        if isinstance(picture, bytes | bytearray | memoryview):
            return bytes(picture)
    except PhotographError as error:
        raise BadInputError(error.code, **error.details) from None
    except (OSError, ValueError):
        raise UnreadableImageError("file_unreadable", path=str(picture)) from None
    raise BadInputError("photo_wrong_type", found=type(picture).__name__)


Pixels = NDArray[np.uint8]

PERSON = 1.35  # side of a person's square in lengths of the joints' box; head, hands and feet extend beyond that box
GREY = (124, 116, 104)  # fill colour outside the picture: the mean colour of ImageNet
_MIN_SIZE, _MAX_SIZE = 32, 2048  # pixels


@dataclass(frozen=True)
class PersonCrop:
    """A square region of a picture, in its pixels; it may extend outside the picture."""

    left: float
    top: float
    side: float

    @classmethod
    def of_whole(cls, width: int, height: int) -> PersonCrop:
        """Return the smallest square that contains the whole picture, centred on it."""
        side = max(width, height)
        return cls((width - side) / 2, (height - side) / 2, side)

    @classmethod
    def around(cls, points: NDArray[np.floating], zoom: float) -> PersonCrop:
        """Return a square centred on the bounding box of ``points`` (n, 2), with ``zoom`` times its longer side."""
        low, high = points.min(axis=0), points.max(axis=0)
        side = max(float((high - low).max()) * zoom, 1.0)
        left, top = ((low + high - side) / 2).tolist()
        return cls(left, top, side)

    def places(self, points: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return pixels (..., 2) of the picture as coordinates in the square, 0 to 1 from its left and upper edge."""
        return np.asarray((points - (self.left, self.top)) / self.side, dtype=np.float32)

    def pixels(self, places: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return coordinates (..., 2) in the square as pixels of the picture."""
        return np.asarray(places * self.side + (self.left, self.top), dtype=np.float32)


@dataclass(frozen=True)
class PicturesConfig:
    """How pictures reach a backbone: squares of ``size`` pixels with the whole picture or the person's surroundings.

    Raise ``ValueError`` for an unsupported size.
    """

    size: int = 224
    framing: Literal["letterbox", "person"] = "letterbox"

    def __post_init__(self) -> None:
        """Raise ValueError unless the size is 32 (one position of a backbone's map) to 2048 pixels."""
        if not _MIN_SIZE <= self.size <= _MAX_SIZE:
            raise ValueError(f"the size of pictures must be from {_MIN_SIZE} to {_MAX_SIZE}")

    def square(self, width: int, height: int, points: NDArray[np.floating]) -> PersonCrop:
        """Return the square to crop for a person with joints at ``points`` (20, 2) pixels; NaN for unknown joints.

        Return the whole picture if any joint is unknown.
        """
        if self.framing == "person" and np.isfinite(points).all():
            return PersonCrop.around(points, PERSON)
        return PersonCrop.of_whole(width, height)


def cut(image: Image.Image, square: PersonCrop, size: int) -> Pixels:
    """Return the square of an RGB image at ``size`` pixels: (size, size, 3), grey outside the image."""
    scale = square.side / size
    # Take whole result pixels inside the image, and exactly the image region that they show.
    left, right = _inside(square.left, scale, size, image.width)
    top, bottom = _inside(square.top, scale, size, image.height)
    canvas = np.empty((size, size, 3), dtype=np.uint8)
    canvas[:] = GREY
    if left < right and top < bottom:
        box = (
            square.left + left * scale,
            square.top + top * scale,
            min(square.left + right * scale, image.width),
            min(square.top + bottom * scale, image.height),
        )
        inside = image.resize((right - left, bottom - top), Image.Resampling.BILINEAR, box=box)
        canvas[top:bottom, left:right] = np.asarray(inside)
    return canvas


def _inside(start: float, scale: float, size: int, limit: int) -> tuple[int, int]:
    """Return the first and last (exclusive) of ``size`` pixels, ``scale`` wide from ``start``, within 0 and limit."""
    first = max(0, math.ceil(-start / scale))
    return first, min(size, math.floor((limit - start) / scale + 1e-9))


Joints = NDArray[np.float32]


def centred(joints: Joints, *, placed: NDArray[np.bool_] | bool) -> Joints:
    """Return poses (..., k, 20, 3), metres in the camera frame, current pose first, moved to the networks' origin.

    Where poses are ``placed`` (...) in one room, the origin of all k is the hip of the current pose, so that a
    step across the room is kept. Elsewhere each pose has its own hip as origin.
    """
    hips = joints[..., INDEX["hip"], None, :]
    origin = np.where(np.asarray(placed)[..., None, None, None], hips[..., :1, :, :], hips)
    return np.asarray(joints - origin, dtype=np.float32)


def centred_pair(pair: PosePair) -> Joints:
    """Return the current and target pose (2, 20, 3), moved to the origin of :func:`centred`."""
    return centred(np.stack([pair.current.joints, pair.target.joints]).astype(np.float32), placed=pair.placed)

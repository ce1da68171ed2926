"""Square crops as network input: the whole picture with grey borders, or the person alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

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

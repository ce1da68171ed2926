"""Squares of a picture as the networks see them: the whole picture with grey borders, or the person alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]

PERSON = 1.35  # side of a person's square in lengths of the box of the joints: head, hands and feet reach beyond it
GREY = (124, 116, 104)  # the mean colour of ImageNet's pictures, where there is no picture
_MIN_SIZE, _MAX_SIZE = 32, 2048  # pixels


@dataclass(frozen=True)
class PersonCrop:
    """A square of a picture, in its pixels; may reach outside it."""

    left: float
    top: float
    side: float

    @classmethod
    def of_whole(cls, width: int, height: int) -> PersonCrop:
        """The smallest square that holds all of a picture, which lies in its middle."""
        side = max(width, height)
        return cls((width - side) / 2, (height - side) / 2, side)

    @classmethod
    def around(cls, points: NDArray[np.floating], zoom: float) -> PersonCrop:
        """With the middle of the box of ``points`` (n, 2) as its own, and ``zoom`` times its longer side."""
        low, high = points.min(axis=0), points.max(axis=0)
        side = max(float((high - low).max()) * zoom, 1.0)
        left, top = ((low + high - side) / 2).tolist()
        return cls(left, top, side)

    def places(self, points: NDArray[np.floating]) -> NDArray[np.float32]:
        """Where pixels (..., 2) of the picture lie in the square: 0 to 1 from its left and upper edge."""
        return np.asarray((points - (self.left, self.top)) / self.side, dtype=np.float32)

    def pixels(self, places: NDArray[np.floating]) -> NDArray[np.float32]:
        """The pixels (..., 2) of the picture at the places of the square."""
        return np.asarray(places * self.side + (self.left, self.top), dtype=np.float32)


@dataclass(frozen=True)
class PicturesConfig:
    """How pictures reach a backbone: squares of ``size`` pixels, the whole picture or what lies around the person.

    ``ValueError`` for a size that no backbone can see.
    """

    size: int = 224
    framing: Literal["letterbox", "person"] = "letterbox"

    def __post_init__(self) -> None:
        """Refuse what is smaller than one position of a backbone's map, or larger than photographs are kept."""
        if not _MIN_SIZE <= self.size <= _MAX_SIZE:
            message = f"the size of pictures must be from {_MIN_SIZE} to {_MAX_SIZE}"
            raise ValueError(message)

    def square(self, width: int, height: int, points: NDArray[np.floating]) -> PersonCrop:
        """What is seen of a picture whose person has joints at ``points`` (20, 2) pixels; NaN where they are unknown.

        All of the picture is seen where nothing is known of the person.
        """
        if self.framing == "person" and np.isfinite(points).all():
            return PersonCrop.around(points, PERSON)
        return PersonCrop.of_whole(width, height)


def cut(image: Image.Image, square: PersonCrop, size: int) -> Pixels:
    """The square of an RGB image at ``size`` pixels: (size, size, 3), grey where it reaches outside."""
    scale = square.side / size
    # Whole pixels of the result that lie inside the image, and exactly what they show of it.
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
    """First and one beyond the last of ``size`` pixels, each ``scale`` wide from ``start`` on, within 0 and limit."""
    first = max(0, math.ceil(-start / scale))
    return first, min(size, math.floor((limit - start) / scale + 1e-9))

"""Views, the squares of a picture that are looked at, and the light in which they are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageStat

Square = tuple[int, int, int, int]  # left, top, right, bottom in whole pixels; may reach outside the picture
View = tuple[Square, bool]  # a square, and whether it is mirrored

SEARCHED = (1.0, 0.7)  # sides of the squares that are searched, in shares of the picture's shorter side
_MAX_STEPS = 6  # half squares side by side; nobody is looked for in longer strips
LIGHTS = (1.0, 2.0, 0.5)  # powers of the light: as it is, darker for what is overexposed, lighter for what is dark
_DARK, _BRIGHT = 50, 200  # mean grey levels of pictures that are looked at in another light first


def lights_for(image: Image.Image) -> Sequence[float]:
    """The powers of the light in which a picture is searched, the likeliest first."""
    brightness = ImageStat.Stat(image.convert("L")).mean[0]
    plain, darker, lighter = LIGHTS
    if brightness < _DARK:
        return lighter, plain, darker
    if brightness > _BRIGHT:
        return darker, plain, lighter
    return (plain, lighter, darker) if brightness < (_DARK + _BRIGHT) / 2 else (plain, darker, lighter)


def squares_over(size: tuple[int, int], share: float) -> list[Square]:
    """Overlapping squares that cover a picture, their side a ``share`` of its shorter side."""
    side = max(1, round(share * min(size)))
    columns, rows = (_starts(length, side) for length in size)
    return [(left, top, left + side, top + side) for top in rows for left in columns]


def _starts(length: int, side: int) -> list[int]:
    """Where squares of this side begin that cover a length and half overlap; few and wide apart on a long strip."""
    steps = min(math.ceil(2 * (length - side) / side), _MAX_STEPS)
    return [round(start) for start in np.linspace(0, length - side, steps + 1)]


def relit(image: Image.Image, power: float) -> Image.Image:
    """The picture with its light, between 0 and 1, raised to a power."""
    return image.point([round(255 * (value / 255) ** power) for value in range(256)] * 3)


def square_around(box: tuple[float, float, float, float], scale: float) -> Square:
    """A square with the middle of ``box``, its side ``scale`` times the longer side of it."""
    left, top, right, bottom = box
    side = max(1, round(scale * max(right - left, bottom - top)))
    x, y = round((left + right - side) / 2), round((top + bottom - side) / 2)
    return x, y, x + side, y + side

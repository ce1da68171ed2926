"""Views of a picture: the squares that the pose model sees, and their brightness."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageStat

Square = tuple[int, int, int, int]  # left, top, right, bottom in whole pixels; may reach outside the picture
View = tuple[Square, bool]  # square, and whether it is mirrored

SEARCHED = (1.0, 0.7)  # sides of the searched squares, as shares of the picture's shorter side
_MAX_STEPS = 6  # maximum steps of half a square; on longer strips the squares are wider apart
LIGHTS = (1.0, 2.0, 0.5)  # brightness exponents: unchanged, darker for overexposed and lighter for dark pictures
_DARK, _BRIGHT = 50, 200  # mean grey levels beyond which another brightness is tried first


def lights_for(image: Image.Image) -> Sequence[float]:
    """Return the brightness exponents for searching a picture, the likeliest first."""
    brightness = ImageStat.Stat(image.convert("L")).mean[0]
    plain, darker, lighter = LIGHTS
    if brightness < _DARK:
        return lighter, plain, darker
    if brightness > _BRIGHT:
        return darker, plain, lighter
    return (plain, lighter, darker) if brightness < (_DARK + _BRIGHT) / 2 else (plain, darker, lighter)


def squares_over(size: tuple[int, int], share: float) -> list[Square]:
    """Return overlapping squares that cover a picture, with side ``share`` times its shorter side."""
    side = max(1, round(share * min(size)))
    columns, rows = (_starts(length, side) for length in size)
    return [(left, top, left + side, top + side) for top in rows for left in columns]


def _starts(length: int, side: int) -> list[int]:
    """Return the starts of squares of this side that cover a length and half overlap; wider apart on a long strip."""
    steps = min(math.ceil(2 * (length - side) / side), _MAX_STEPS)
    return [round(start) for start in np.linspace(0, length - side, steps + 1)]


def relit(image: Image.Image, power: float) -> Image.Image:
    """Return the picture with its brightness (0 to 1) raised to a power."""
    return image.point([round(255 * (value / 255) ** power) for value in range(256)] * 3)


def square_around(box: tuple[float, float, float, float], scale: float) -> Square:
    """Return a square centred on ``box``, with ``scale`` times its longer side."""
    left, top, right, bottom = box
    side = max(1, round(scale * max(right - left, bottom - top)))
    x, y = round((left + right - side) / 2), round((top + bottom - side) / 2)
    return x, y, x + side, y + side

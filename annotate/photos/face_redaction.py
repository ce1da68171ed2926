"""Irreversible face redaction: each face is covered with a few blurred spots of its mean colours plus noise.

Inside a marked head, the result only depends on the mean colours of the spots. The added noise is not stored,
so that no sharpening can restore the face. The caller passes the heads, from a pose estimate or drawn by
hand. A photograph without a marked head is refused; it is never treated as one without faces.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from annotate.errors import RefusedError
from annotate.photos.decode import read_photograph, to_jpeg
from annotate.ports import FaceBox

STRENGTHS = (1, 2, 3, 4, 5)
DEFAULT_STRENGTH = 3
MAX_FACES = 20
MIN_BOX_PX = 8  # minimum width and height of a box

_LARGER = math.sqrt(2)  # ratio of the painted ellipse to the box, so that it covers the corners
_FEATHER = 0.15  # width of the soft edge outside of the ellipse, relative to its size
_COLOUR_NOISE, _GRAIN = 14.0, 5.0  # of 255

Pixels = NDArray[np.float64]


def private_photograph(data: bytes, faces: Iterable[FaceBox], strength: int = DEFAULT_STRENGTH) -> bytes:
    """Return the JPEG of an uploaded file that may be stored: without metadata, with its marked faces redacted.

    Raise :class:`RefusedError` as :func:`annotate.photos.decode.read_photograph` and :func:`without_faces`.
    """
    return to_jpeg(without_faces(read_photograph(data), faces, strength))


def without_faces(image: Image.Image, faces: Iterable[FaceBox], strength: int = DEFAULT_STRENGTH) -> Image.Image:
    """Redact every marked face; of the ``STRENGTHS``, 1 keeps most of the colours, but no face either.

    Raise :class:`RefusedError`: ``faces_unmarked``, ``faces_too_many``, ``face_box_unusable``,
    ``answer_malformed``.
    """
    marked = list(faces)
    if strength not in STRENGTHS or isinstance(strength, bool):
        raise RefusedError("answer_malformed", field="strength")
    if not marked:
        raise RefusedError("faces_unmarked")
    if len(marked) > MAX_FACES:
        raise RefusedError("faces_too_many", limit=MAX_FACES)
    for box in marked:
        _check(box, image)
    pixels = np.asarray(image.convert("RGB"), dtype=np.float64)
    rng = np.random.default_rng()  # unseeded, so that the noise cannot be subtracted
    for box in marked:
        pixels = _painted_over(pixels, box, strength, rng)
    return Image.fromarray(pixels.round().clip(0, 255).astype(np.uint8))


def _check(box: FaceBox, image: Image.Image) -> None:
    sides = (box.x, box.y, box.width, box.height)
    usable = all(isinstance(side, int | float) and math.isfinite(side) for side in sides)
    inside = usable and box.x < image.width and box.y < image.height and box.x + box.width > 0 < box.y + box.height
    if not inside or min(box.width, box.height) < MIN_BOX_PX:
        raise RefusedError("face_box_unusable", limit_px=MIN_BOX_PX)


def _painted_over(pixels: Pixels, box: FaceBox, strength: int, rng: np.random.Generator) -> Pixels:
    """Return ``pixels`` (height, width, 3) with one ellipse of spots; the soft edge lies wholly outside of it."""
    height, width = pixels.shape[:2]
    middle = box.x + box.width / 2, box.y + box.height / 2
    half = _LARGER * box.width / 2, _LARGER * box.height / 2
    reach = 1 + _FEATHER
    left, right = (int(np.clip(middle[0] + side * reach * half[0], 0, width)) for side in (-1, 1))
    top, bottom = (int(np.clip(middle[1] + side * reach * half[1], 0, height)) for side in (-1, 1))
    right, bottom = max(right, left + 1), max(bottom, top + 1)
    left, top = min(left, width - 1), min(top, height - 1)
    part = pixels[top:bottom, left:right]
    down, across = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]]
    away = np.hypot((across + 0.5 - middle[0]) / half[0], (down + 0.5 - middle[1]) / half[1])
    cover = np.clip((reach - away) / _FEATHER, 0, 1)[..., None]
    painted = pixels.copy()
    painted[top:bottom, left:right] = cover * _spots(part, strength, rng) + (1 - cover) * part
    return painted


def _spots(part: Pixels, strength: int, rng: np.random.Generator) -> Pixels:
    """Return a picture of the same size made of a few mean colours with noise; a higher strength gives fewer spots."""
    count = max(STRENGTHS) + 1 - strength  # in each direction
    size = part.shape[1], part.shape[0]
    mosaic = Image.fromarray(part.round().clip(0, 255).astype(np.uint8)).resize((count, count), Image.Resampling.BOX)
    colours = np.asarray(mosaic, dtype=np.float64) + rng.normal(0, _COLOUR_NOISE, (count, count, 3))
    spots = Image.fromarray(colours.round().clip(0, 255).astype(np.uint8)).resize(size, Image.Resampling.BICUBIC)
    soft = spots.filter(ImageFilter.GaussianBlur(max(size) / (2 * count)))
    return np.asarray(soft, dtype=np.float64) + rng.normal(0, _GRAIN, part.shape)

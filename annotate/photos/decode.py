"""Photograph decoding: what a person gives becomes pixels alone, upright, RGB, bounded, and a JPEG of nothing else.

What leaves here is drawn on a new picture, so that no name, place, date, thumbnail or comment of the file can come
along; a colour profile is used and dropped.
"""

from __future__ import annotations

import io
import warnings

from PIL import Image

from annotate.errors import RefusedError
from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.hostile_photograph import read_pixels
from fmp_models.common.refusals import PhotographError

# Pixels of one photograph, once for each scan, while others wait: twelve times one of the largest is 0.6 billion.
MAX_DECODED_PIXELS = 1_000_000_000

_QUALITY = 90


def read_photograph(data: bytes) -> Image.Image:
    """Decode one uploaded file: RGB, upright, the longest side at most ``MAX_SIDE`` pixels.

    Raise :class:`RefusedError` with the codes of :func:`fmp_models.common.hostile_photograph.read_pixels`.
    """
    try:
        return read_pixels(data, DecodingBudget(MAX_DECODED_PIXELS))
    except PhotographError as error:
        raise RefusedError(error.code, **error.details) from None


def to_jpeg(image: Image.Image) -> bytes:
    """The pixels as a JPEG file, and nothing but the pixels."""
    file, clean = io.BytesIO(), Image.new("RGB", image.size)
    clean.paste(image)
    clean.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def is_small_jpeg(data: bytes, side: int) -> bool:
    """Whether this is a JPEG of at most ``side`` pixels each way; nothing of it is decoded."""
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data), formats=["JPEG"]) as picture:
            return max(picture.size) <= side
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False

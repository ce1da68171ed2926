"""Photograph decoding: an uploaded file becomes bounded, upright RGB pixels, and a JPEG of only these pixels.

The pixels are pasted on a new picture, so that no name, place, date, thumbnail or comment of the file is
kept. A colour profile is applied and dropped.
"""

from __future__ import annotations

import io
import warnings

from PIL import Image

from annotate.errors import RefusedError
from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.hostile_photograph import read_pixels
from fmp_models.common.refusals import PhotographError

# Pixels of one photograph, counted once for each scan: a picture of the maximum size in twelve scans has 0.6 billion.
MAX_DECODED_PIXELS = 1_000_000_000

_QUALITY = 90


def read_photograph(data: bytes) -> Image.Image:
    """Decode one uploaded file to upright RGB, with the longest side at most ``MAX_SIDE`` pixels.

    Raise :class:`RefusedError` with the codes of :func:`fmp_models.common.hostile_photograph.read_pixels`.
    """
    try:
        return read_pixels(data, DecodingBudget(MAX_DECODED_PIXELS))
    except PhotographError as error:
        raise RefusedError(error.code, **error.details) from None


def to_jpeg(image: Image.Image) -> bytes:
    """Return the pixels as a JPEG file without metadata."""
    file, clean = io.BytesIO(), Image.new("RGB", image.size)
    clean.paste(image)
    clean.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def is_small_jpeg(data: bytes, side: int) -> bool:
    """Return whether this is a JPEG of at most ``side`` pixels in each direction, without decoding it."""
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data), formats=["JPEG"]) as picture:
            return max(picture.size) <= side
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False

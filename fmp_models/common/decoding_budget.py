"""The decoding budget: how much work the photographs of one request may take to decode, all together.

Files of a few bytes can ask for very much: many pixels, each of them gone over again by every scan of a JPEG. Each is
within the limits of one photograph; twenty in one request would keep everybody else waiting.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from fmp_models.common.refusals import PhotographError

MOST_PIXELS = 4_000_000_000  # twenty-one progressive JPEGs of 12 megapixels with ten scans each are 2.5 billion
MOST_SECONDS = 15.0  # of the processor, so that a busy machine refuses no more than an idle one

# What a pixel of these costs, in pixels of a plain JPEG.
_WEIGHTS = {"AVIF": 4, "HEIF": 4, "WEBP": 4, "PNG": 2}


class DecodingBudget:
    """What is left for one request. Not for several threads."""

    def __init__(self, pixels: int = MOST_PIXELS, seconds: float = MOST_SECONDS) -> None:
        self._pixels = pixels
        self._seconds = seconds

    @contextmanager
    def decoding(self, pixels: int, kind: str, scans: int) -> Iterator[None]:
        """Decode a picture of a ``kind`` as Pillow names it, or raise :class:`PhotographError`: ``photo_too_slow``.

        It is refused before it is decoded; a decoder cannot be stopped.
        """
        self._pixels -= pixels * max(scans, _WEIGHTS.get(kind, 1))
        if self._pixels < 0 or self._seconds <= 0:
            raise PhotographError("photo_too_slow")
        begun = time.thread_time()
        try:
            yield
        finally:
            self._seconds -= time.thread_time() - begun

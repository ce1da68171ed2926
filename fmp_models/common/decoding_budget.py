"""Decoding budget: the total work of decoding that the photographs of one request may cause.

A file of a few bytes can demand a lot of work: many pixels, each visited again by every scan of a JPEG.
Each file may be within the limits of one photograph, and twenty of them in one request would still block
all other requests.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from fmp_models.common.refusals import PhotographError

MAX_DECODED_PIXELS = 4_000_000_000  # twenty-one progressive JPEGs of 12 megapixels with ten scans each are 2.5 billion
MAX_DECODING_SECONDS = 15.0  # processor time, so a busy machine rejects no more than an idle one

# Cost of a pixel in each format, relative to a plain JPEG.
_WEIGHTS = {"AVIF": 4, "HEIF": 4, "WEBP": 4, "PNG": 2}


class DecodingBudget:
    """Remaining budget of one request; not thread-safe."""

    def __init__(self, pixels: int = MAX_DECODED_PIXELS, seconds: float = MAX_DECODING_SECONDS) -> None:
        self._pixels = pixels
        self._seconds = seconds

    @contextmanager
    def decoding(self, pixels: int, kind: str, scans: int) -> Iterator[None]:
        """Decode a picture of a ``kind`` as Pillow names it, or raise :class:`PhotographError` (``photo_too_slow``).

        The check comes before decoding, since a running decoder cannot be stopped.
        """
        self._pixels -= pixels * max(scans, _WEIGHTS.get(kind, 1))
        if self._pixels < 0 or self._seconds <= 0:
            raise PhotographError("photo_too_slow")
        begun = time.thread_time()
        try:
            yield
        finally:
            self._seconds -= time.thread_time() - begun

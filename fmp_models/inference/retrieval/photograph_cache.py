"""Cache of measured photographs: a further request about the same files need not decode and measure them again.

Entries are kept in memory only, until ten minutes after their last use. Only identical bytes find an entry, so
one visitor's photograph is never shown to another.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict

from fmp_models.estimators.base import PersonPoint
from fmp_models.inference.retrieval.seen_photographs import SeenPhotograph

MAX_PHOTOGRAPHS = 64
MAX_PIXELS = 40_000_000  # in total, three bytes each: three requests of ten pictures as the page sends them
SECONDS = 600.0

Key = tuple[bytes, PersonPoint | None]


def file_key(data: bytes, person_point: PersonPoint | None = None) -> Key:
    """Return the key of a file's measurement: the hash of its bytes, and the place of the measured person."""
    return hashlib.sha256(data).digest(), person_point


class PhotographCache:
    """A bounded, thread-safe cache; a timer removes expired entries."""

    def __init__(
        self, max_photographs: int = MAX_PHOTOGRAPHS, max_pixels: int = MAX_PIXELS, seconds: float = SECONDS
    ) -> None:
        self._max_photographs, self._max_pixels, self._seconds = max_photographs, max_pixels, seconds
        self._entries: OrderedDict[Key, tuple[float, SeenPhotograph]] = OrderedDict()  # least recently used first
        self._pixels = 0
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def __len__(self) -> int:
        """Return the number of photographs in memory."""
        return len(self._entries)

    def get(self, key: Key) -> SeenPhotograph | None:
        """Return the measurement and renew its lifetime; None if it is unknown or expired."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry[0] <= time.monotonic():
                return None
            self._entries[key] = time.monotonic() + self._seconds, entry[1]
            self._entries.move_to_end(key)
            return entry[1]

    def put(self, key: Key, measured: SeenPhotograph) -> None:
        """Store a measured photograph and remove the least recently used ones above the limits."""
        with self._lock:
            self._remove(key)
            self._entries[key] = time.monotonic() + self._seconds, measured
            self._pixels += _pixels(measured)
            while len(self._entries) > self._max_photographs or self._pixels > self._max_pixels:
                self._remove(next(iter(self._entries)))
            self._wait()

    def _remove(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        self._pixels -= 0 if entry is None else _pixels(entry[1])

    def _wait(self) -> None:
        """Start a timer that removes the first entry when it expires."""
        if self._timer is None and self._entries:
            expires = next(iter(self._entries.values()))[0]
            self._timer = threading.Timer(max(expires - time.monotonic(), 0.0), self._remove_expired)
            self._timer.daemon = True
            self._timer.start()

    def _remove_expired(self) -> None:
        with self._lock:
            now = time.monotonic()
            for key in [key for key, (expires, _) in self._entries.items() if expires <= now]:
                self._remove(key)
            self._timer = None
            self._wait()


def _pixels(measured: SeenPhotograph) -> int:
    width, height = measured.photograph.image.size
    return width * height

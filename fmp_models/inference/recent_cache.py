"""Cache of what was measured in the last minutes, in memory only."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from fmp_models.estimators import PersonPoint, PoseEstimate, PoseEstimator, estimate_person
from fmp_models.preprocessing import Photograph

SECONDS = 600.0

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentCache(Generic[Key, Value]):
    """A bounded, thread-safe cache; a timer removes expired entries."""

    def __init__(
        self,
        max_entries: int,
        seconds: float = SECONDS,
        max_size: float = float("inf"),
        size_of: Callable[[Value], int] = lambda _: 0,
    ) -> None:
        self._max_entries, self._seconds, self._max_size, self._size_of = max_entries, seconds, max_size, size_of
        self._entries: OrderedDict[Key, tuple[float, Value]] = OrderedDict()  # least recently used first
        self._size = 0
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def __len__(self) -> int:
        """Return the number of entries in memory."""
        return len(self._entries)

    def get(self, key: Key) -> Value | None:
        """Return the entry and renew its lifetime; None if it is unknown or expired."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry[0] <= time.monotonic():
                return None
            self._entries[key] = time.monotonic() + self._seconds, entry[1]
            self._entries.move_to_end(key)
            return entry[1]

    def put(self, key: Key, value: Value) -> None:
        """Store an entry and remove the least recently used ones above the limits."""
        with self._lock:
            self._remove(key)
            self._entries[key] = time.monotonic() + self._seconds, value
            self._size += self._size_of(value)
            while len(self._entries) > self._max_entries or self._size > self._max_size:
                self._remove(next(iter(self._entries)))
            self._wait()

    def _remove(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        self._size -= 0 if entry is None else self._size_of(entry[1])

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


MAX_ESTIMATES = 64


class RecentEstimates:
    """An estimator that does not measure a person again for some minutes; it keeps joints and no photograph."""

    def __init__(self, estimator: PoseEstimator, seconds: float = SECONDS) -> None:
        self.name = estimator.name
        self._estimator = estimator
        self._known = RecentCache[tuple[str, PersonPoint | None], PoseEstimate](MAX_ESTIMATES, seconds)

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Measure the largest person, or return the known estimate."""
        return self._measured(photograph, None)

    def estimate_near(self, photograph: Photograph, place: PersonPoint) -> PoseEstimate:
        """Measure the person nearest to the place, or return the known estimate."""
        return self._measured(photograph, place)

    def _measured(self, photograph: Photograph, place: PersonPoint | None) -> PoseEstimate:
        known = self._known.get((photograph.key, place))
        if known is None:
            known = estimate_person(self._estimator, photograph, place)
            self._known.put((photograph.key, place), known)
        return known

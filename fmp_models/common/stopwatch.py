"""Stopwatch that times the steps of an answer."""

from __future__ import annotations

import time
from collections.abc import Mapping


class Stopwatch:
    """Milliseconds of each named lap and of the whole."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Add the time since the previous lap under this name; laps of one name are summed."""
        now = time.perf_counter()
        self.times[name] = round(self.times.get(name, 0.0) + (now - self._last) * 1000, 1)
        self._last = now

    def add(self, times: Mapping[str, float]) -> None:
        """Add laps that were timed elsewhere since the previous lap."""
        self.times |= times
        self._last = time.perf_counter()

    def laps(self) -> dict[str, float]:
        """Return all laps so far and their ``total``."""
        return {**self.times, "total": round((self._last - self._start) * 1000, 1)}

"""A stopwatch: how long each step of an answer took."""

from __future__ import annotations

import time
from collections.abc import Mapping


class Stopwatch:
    """Milliseconds of each named lap and of the whole."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Name what was done since the lap before; laps of one name are added up."""
        now = time.perf_counter()
        self.times[name] = round(self.times.get(name, 0.0) + (now - self._last) * 1000, 1)
        self._last = now

    def add(self, times: Mapping[str, float]) -> None:
        """Take over laps that were timed elsewhere since the lap before."""
        self.times |= times
        self._last = time.perf_counter()

    def laps(self) -> dict[str, float]:
        """Every lap so far, and their ``total``."""
        return {**self.times, "total": round((self._last - self._start) * 1000, 1)}

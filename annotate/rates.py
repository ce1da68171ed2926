"""How much one person may send in a while: a bucket of allowances for each, which fills again steadily."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from annotate.errors import RefusedError

_MOST_KNOWN = (
    10_000  # people whose bucket is remembered; the one longest away is forgotten, and its bucket is full again
)


@dataclass(frozen=True)
class Rate:
    """``at_once`` requests without a pause, and ``a_minute`` of them for as long as one likes."""

    at_once: int
    a_minute: float


PERSON = Rate(at_once=60, a_minute=60)  # far above the fastest reader, far below what a script would send
GUESTS = Rate(at_once=600, a_minute=600)  # all of them together: an id costs a guest nothing


class RateLimit:
    """Counts requests by a name, in one process; safe to be called from threads."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # allowances left, and when that was

    def spend(self, name: str) -> None:
        """Count one request; :class:`RefusedError` ``too_fast``, with the ``seconds`` to wait, when none is left."""
        now = self._clock()
        with self._lock:
            left, since = self._buckets.pop(name, (float(self._rate.at_once), now))
            left = min(self._rate.at_once, left + (now - since) * self._rate.a_minute / 60)
            self._buckets[name] = (left - 1 if left >= 1 else left, now)
            while len(self._buckets) > _MOST_KNOWN:
                self._buckets.popitem(last=False)
        if left < 1:
            raise RefusedError("too_fast", seconds=max(1, round((1 - left) * 60 / self._rate.a_minute)))

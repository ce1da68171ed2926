"""How much people may ask in a while: a bucket of allowances for each, which fills again steadily."""

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
TOGETHER = Rate(at_once=3000, a_minute=3000)  # all guests, and all who have not logged in: a class of a hundred or more
NEWCOMERS = Rate(at_once=200, a_minute=60)  # guests who were never seen: a new id costs nothing

# What a press of the page costs beyond the requests that a collection counts by itself.
COSTS = {"start": 1, "results": 5, "download": 10, "photograph": 4, "paint": 2, "edits": 0.25}


class RateLimit:
    """Counts requests by a name, in one process; safe to be called from threads."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # allowances left, and when that was

    def spend(self, name: str, cost: float = 1) -> None:
        """Count a request; :class:`RefusedError` ``too_fast``, with the ``seconds`` to wait, when too few are left."""
        now = self._clock()
        with self._lock:
            left, since = self._buckets.pop(name, (float(self._rate.at_once), now))
            left = min(self._rate.at_once, left + (now - since) * self._rate.a_minute / 60)
            self._buckets[name] = (left - cost if left >= cost else left, now)
            while len(self._buckets) > _MOST_KNOWN:
                self._buckets.popitem(last=False)
        if left < cost:
            raise RefusedError("too_fast", seconds=max(1, round((cost - left) * 60 / self._rate.a_minute)))

    def knows(self, name: str) -> bool:
        """Whether this name has spent anything lately."""
        with self._lock:
            return name in self._buckets


class Limits:
    """All that is counted in one process: each person alone, so that nobody takes what is others', and guests together.

    Nothing is counted by address: a class sits behind one, and an app on a Space sees none of them.
    """

    def __init__(
        self,
        person: Rate = PERSON,
        together: Rate = TOGETHER,
        newcomers: Rate = NEWCOMERS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._person = RateLimit(person, clock)
        self._together = RateLimit(together, clock)
        self._newcomers = RateLimit(newcomers, clock)

    def spend(self, pseudonym: str, cost: float = 1, *, is_guest: bool = False) -> None:
        """Count a request of a person; raises as :meth:`RateLimit.spend`, and then takes nothing from the others."""
        if is_guest and not self._person.knows(pseudonym):
            self._newcomers.spend("")
        self._person.spend(pseudonym, cost)
        if is_guest:
            self._together.spend("guests", cost)

    def spend_nameless(self) -> None:
        """Count a request of somebody who has not logged in; as :meth:`spend`."""
        self._together.spend("nameless")

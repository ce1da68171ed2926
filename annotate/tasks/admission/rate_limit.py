"""Rate limits: a bucket of allowances for each person, which fills again steadily."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from annotate.errors import RefusedError

_MAX_REMEMBERED_PEOPLE = (
    10_000  # people whose bucket is remembered; the one longest away is forgotten, and its bucket is full again
)


@dataclass(frozen=True)
class Rate:
    """``at_once`` requests without a pause, and ``a_minute`` of them for as long as one likes."""

    at_once: int
    a_minute: float


PERSON = Rate(at_once=60, a_minute=60)  # far above the fastest reader, far below what a script would send
ONE_ADDRESS = Rate(at_once=2000, a_minute=2000)  # all guests of one address: a class of a hundred or more sits there
TOGETHER = Rate(at_once=3000, a_minute=3000)  # guests who gave nothing yet; and all who have not logged in
KNOWN = Rate(at_once=15_000, a_minute=15_000)  # guests who gave something: no flood of others takes their room
# Guests who were never seen, since a new id costs nothing. Those of one address take a part of the room alone; who
# comes when it is taken has to prove something, and then has a room apart.
NEW_GUESTS = Rate(at_once=200, a_minute=60)
NEW_GUESTS_OF_ADDRESS = Rate(at_once=60, a_minute=20)
PROVED = Rate(at_once=200, a_minute=120)
PROVED_OF_ADDRESS = Rate(at_once=100, a_minute=40)

# What a press of the page costs beyond the requests that a collection counts by itself.
COSTS = {
    "start": 1,
    "results": 5,
    "download": 10,
    "publish": 5,
    "owner": 2,
    "photograph": 4,
    "paint": 2,
    "edits": 0.25,
    "watch": 0.5,
}


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
            while len(self._buckets) > _MAX_REMEMBERED_PEOPLE:
                self._buckets.popitem(last=False)
        if left < cost:
            raise RefusedError("too_fast", seconds=max(1, round((cost - left) * 60 / self._rate.a_minute)))

    def knows(self, name: str) -> bool:
        """Whether this name has spent anything lately."""
        with self._lock:
            return name in self._buckets

    def share_spent(self, name: str) -> float:
        """The part of its allowances that this name has spent, from 0 to 1."""
        now = self._clock()
        with self._lock:
            left, since = self._buckets.get(name, (float(self._rate.at_once), now))
        left = min(self._rate.at_once, left + (now - since) * self._rate.a_minute / 60)
        return 1 - left / self._rate.at_once


@dataclass(frozen=True)
class Rates:
    """The rates by who asks."""

    person: Rate = PERSON
    one_address: Rate = ONE_ADDRESS
    together: Rate = TOGETHER
    known: Rate = KNOWN
    new_guests: Rate = NEW_GUESTS
    new_guests_of_address: Rate = NEW_GUESTS_OF_ADDRESS
    proved: Rate = PROVED
    proved_of_address: Rate = PROVED_OF_ADDRESS


class RateLimits:
    """All that is counted in one process: each person alone, so that nobody takes what is others', and guests together.

    Guests are counted by address as well, where one can be told. Those who have none share rooms of their own, so that
    nobody gains by hiding theirs; a class sits behind one, so that one has room for many.
    """

    def __init__(self, rates: Rates = Rates(), clock: Callable[[], float] = time.monotonic) -> None:
        self._person = RateLimit(rates.person, clock)
        self._address = RateLimit(rates.one_address, clock)
        self._groups = {"known": RateLimit(rates.known, clock)}
        self._groups |= dict.fromkeys(("guests", "nameless"), RateLimit(rates.together, clock))
        self._new_guests = RateLimit(rates.new_guests, clock), RateLimit(rates.new_guests_of_address, clock)
        self._proved = RateLimit(rates.proved, clock), RateLimit(rates.proved_of_address, clock)
        self._known: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def spend(self, pseudonym: str, cost: float = 1, *, is_guest: bool = False, address: str | None = None) -> None:
        """Count a request of a person; raises as :meth:`RateLimit.spend`, and then takes nothing from the others."""
        self._person.spend(pseudonym, cost)
        if is_guest:
            with self._lock:
                group = "known" if pseudonym in self._known else "guests"
            self._spend_in(group, cost, address)

    def spend_nameless(self, address: str | None = None) -> None:
        """Count a request of somebody who has not logged in; as :meth:`spend`."""
        self._spend_in("nameless", 1, address)

    def _spend_in(self, group: str, cost: float, address: str | None) -> None:
        if address is not None:
            self._address.spend(address, cost)
        self._groups[group].spend(group if address is not None else f"{group} from nowhere", cost)

    def admit(self, address: str | None, *, proved: bool) -> None:
        """Count somebody who was never seen; ``too_fast`` where there is no room for them."""
        everybody, of_one = self._proved if proved else self._new_guests
        if address is not None:
            of_one.spend(address)
        everybody.spend("" if address is None else "placed")

    def crowded(self, address: str | None) -> float:
        """The part of the room of those who proved something that is taken, from 0 to 1."""
        return self._proved[0].share_spent("" if address is None else "placed")

    def met(self, pseudonym: str) -> bool:
        """Whether this person has asked for anything lately."""
        return self._person.knows(pseudonym)

    def recognise(self, pseudonym: str) -> None:
        """Count somebody among those who gave something."""
        with self._lock:
            self._known[pseudonym] = None
            self._known.move_to_end(pseudonym)
            while len(self._known) > _MAX_REMEMBERED_PEOPLE:
                self._known.popitem(last=False)

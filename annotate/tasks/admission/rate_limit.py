"""Rate limits: token buckets per annotator, per address, and for groups of guests."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from annotate.errors import RefusedError

_MAX_REMEMBERED_PEOPLE = 10_000  # names whose bucket is kept; the one unused longest is dropped, which refills it


@dataclass(frozen=True)
class Rate:
    """A rate limit: a burst of ``at_once`` requests, and ``a_minute`` requests per minute without end."""

    at_once: int
    a_minute: float


PERSON = Rate(at_once=60, a_minute=60)  # far above the fastest reader, far below a script
ONE_ADDRESS = Rate(at_once=2000, a_minute=2000)  # all guests of one address, such as a class of a hundred or more
TOGETHER = Rate(at_once=3000, a_minute=3000)  # guests without records; also visitors who have not logged in
KNOWN = Rate(at_once=15_000, a_minute=15_000)  # guests with records, kept apart from any flood of others
# Guests never seen before, whose ids cost nothing. One address takes only a part of the limit; once it is used up, a
# proof of work is needed, which has a limit of its own.
NEW_GUESTS = Rate(at_once=200, a_minute=60)
NEW_GUESTS_OF_ADDRESS = Rate(at_once=60, a_minute=20)
PROVED = Rate(at_once=200, a_minute=120)
PROVED_OF_ADDRESS = Rate(at_once=100, a_minute=40)

# Cost of each page action beyond the requests that the service counts itself.
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
    """Token buckets by name, in one process; thread-safe."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # requests left, time of that count

    def spend(self, name: str, cost: float = 1) -> None:
        """Count a request of a name.

        Raise :class:`RefusedError` ``too_fast``, with the ``seconds`` to wait, if fewer than ``cost`` requests are
        left.
        """
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
        """Return whether this name has a bucket, that is, has made a request recently."""
        with self._lock:
            return name in self._buckets

    def share_spent(self, name: str) -> float:
        """Return the used share of this name's requests, from 0 to 1."""
        now = self._clock()
        with self._lock:
            left, since = self._buckets.get(name, (float(self._rate.at_once), now))
        left = min(self._rate.at_once, left + (now - since) * self._rate.a_minute / 60)
        return 1 - left / self._rate.at_once


@dataclass(frozen=True)
class Rates:
    """The rates for annotators, addresses and groups of guests."""

    person: Rate = PERSON
    one_address: Rate = ONE_ADDRESS
    together: Rate = TOGETHER
    known: Rate = KNOWN
    new_guests: Rate = NEW_GUESTS
    new_guests_of_address: Rate = NEW_GUESTS_OF_ADDRESS
    proved: Rate = PROVED
    proved_of_address: Rate = PROVED_OF_ADDRESS


class RateLimits:
    """The rate limits of one process: one per annotator, and shared ones for guests.

    A limit per annotator keeps one from using up the capacity of others. Guests are also counted by address if
    it is known. Guests without a known address share separate limits, so hiding an address gains nothing. A
    class may share one address, so the limit of an address is high.
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
        """Count a request of an annotator; raise as :meth:`RateLimit.spend`, at no cost to others."""
        self._person.spend(pseudonym, cost)
        if is_guest:
            with self._lock:
                group = "known" if pseudonym in self._known else "guests"
            self._spend_in(group, cost, address)

    def spend_nameless(self, address: str | None = None) -> None:
        """Count a request of a visitor who has not logged in; raise as :meth:`spend`."""
        self._spend_in("nameless", 1, address)

    def _spend_in(self, group: str, cost: float, address: str | None) -> None:
        if address is not None:
            self._address.spend(address, cost)
        self._groups[group].spend(group if address is not None else f"{group} from nowhere", cost)

    def admit(self, address: str | None, *, proved: bool) -> None:
        """Count a new guest; raise :class:`RefusedError` ``too_fast`` if the limit is used up."""
        everybody, of_one = self._proved if proved else self._new_guests
        if address is not None:
            of_one.spend(address)
        everybody.spend("" if address is None else "placed")

    def crowded(self, address: str | None) -> float:
        """Return the used share of the limit for guests with a proof of work, from 0 to 1."""
        return self._proved[0].share_spent("" if address is None else "placed")

    def met(self, pseudonym: str) -> bool:
        """Return whether this annotator has made a request recently."""
        return self._person.knows(pseudonym)

    def recognise(self, pseudonym: str) -> None:
        """Add an annotator to those with records, whose requests are limited separately."""
        with self._lock:
            self._known[pseudonym] = None
            self._known.move_to_end(pseudonym)
            while len(self._known) > _MAX_REMEMBERED_PEOPLE:
                self._known.popitem(last=False)

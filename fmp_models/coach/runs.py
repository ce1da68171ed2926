"""Run lengths: the seconds for which a condition has held without a break, updated frame by frame."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

_Thing = TypeVar("_Thing", bound=Hashable)


class RunLengths(Generic[_Thing]):
    """Start time of each condition that holds; times are in seconds and never decrease."""

    def __init__(self) -> None:
        self._since: dict[_Thing, float] = {}

    def keep(self, now: float, things: Iterable[_Thing]) -> None:
        """Set the conditions that hold now; all others end."""
        self._since = {thing: self._since.get(thing, now) for thing in things}

    def note(self, now: float, thing: _Thing, *, so: bool) -> float:
        """Set whether one condition holds now; return how long it has held."""
        if so:
            self._since.setdefault(thing, now)
        else:
            self._since.pop(thing, None)
        return self.length(now, thing)

    def length(self, now: float, thing: _Thing) -> float:
        """Return the seconds that a condition has held without a break; below 0 if it does not hold."""
        since = self._since.get(thing)
        return -1.0 if since is None else now - since

    def longer(self, now: float, seconds: float) -> frozenset[_Thing]:
        """Return the conditions that have held for at least ``seconds``."""
        return frozenset(thing for thing, since in self._since.items() if now - since >= seconds)

    def clear(self) -> None:
        """End all conditions."""
        self._since.clear()

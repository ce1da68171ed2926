"""Run lengths: for how many seconds a condition has held without a break, from frame to frame."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

_Thing = TypeVar("_Thing", bound=Hashable)


class Runs(Generic[_Thing]):
    """Since when things have been so; moments are in seconds and never go back."""

    def __init__(self) -> None:
        self._since: dict[_Thing, float] = {}

    def keep(self, now: float, things: Iterable[_Thing]) -> None:
        """These are so now, and no others."""
        self._since = {thing: self._since.get(thing, now) for thing in things}

    def note(self, now: float, thing: _Thing, *, so: bool) -> float:
        """This one is so now, or not; how long it has been."""
        if so:
            self._since.setdefault(thing, now)
        else:
            self._since.pop(thing, None)
        return self.length(now, thing)

    def length(self, now: float, thing: _Thing) -> float:
        """Seconds that it has been so without a break; below 0 where it is not."""
        since = self._since.get(thing)
        return -1.0 if since is None else now - since

    def longer(self, now: float, seconds: float) -> frozenset[_Thing]:
        """What has been so for at least ``seconds``."""
        return frozenset(thing for thing, since in self._since.items() if now - since >= seconds)

    def clear(self) -> None:
        """Nothing is so any more, as far as anybody knows."""
        self._since.clear()

"""Observation of a person over frames: presence, parts outside the picture, and covered limbs.

Presence tolerates missed frames. A covered arm or leg is hidden by something, so that it cannot be compared with the
goal. Run lengths tell for how many seconds a condition has held.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from fmp_models.estimators import TrackedPerson
from fmp_models.geometry import LIMBS, VISIBLE, Clause, Direction, Side
from fmp_models.pose import INDEX, JOINTS, Array, Pose

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


MISSED = 0.3  # seconds without the person that count as missed frames
_GONE = 1.0  # seconds without a person after which they are gone
_BACK, _LOOKS = 0.4, 3  # seconds and frames with a person after which they are back
_UNSEEN = 1.0  # seconds that a part is outside the picture before it is reported
_HIDDEN, _SHOWN = 0.45, 0.6  # visibility below which a joint is hidden, and above which it is seen again

# Body parts that may be outside the picture, most important first, and their joints.
_PARTS: dict[str, tuple[str, ...]] = {
    "feet": ("left_ankle", "right_ankle"),
    "head": ("head",),
    "hands": ("left_wrist", "right_wrist"),
}


class Presence:
    """Tracker of the person's presence; times are in seconds and never decrease."""

    def __init__(self) -> None:
        self.here = False
        self.outside: str | None = None  # a part that has been outside the picture for a while
        self.whole = False  # no part is outside the picture now
        # Mask (20,) of hidden joints; two thresholds keep it steady when visibility is noisy.
        self.hidden: NDArray[np.bool_] = np.zeros(len(JOINTS), dtype=np.bool_)
        self._since = self._seen = float("-inf")
        self._looks = 0
        self._left = RunLengths[str]()  # the parts outside the picture

    def update(self, now: float, person: TrackedPerson | None, wanted: Array) -> None:
        """Process the next frame; joints whose ``wanted`` (20,) is not above 0 may be unseen."""
        if person is None:
            if now - self._seen >= _GONE:
                self.here, self.outside, self._looks = False, None, 0
                self._left.clear()
            elif now - self._seen > MISSED:
                self._looks = 0
            return
        if not self._looks:
            self._since = now
        self._looks += 1
        self._seen = now
        self.here = self.here or (self._looks >= _LOOKS and now - self._since >= _BACK)
        visible = np.where(wanted > 0, person.pose.visibility, 1.0)
        self.hidden = visible < np.where(self.hidden, _SHOWN, _HIDDEN)
        cut = [part for part, joints in _PARTS.items() if (visible[[INDEX[name] for name in joints]] == 0).any()]
        self.whole = not cut
        self._left.keep(now, cut)
        self.outside = next((part for part in cut if self._left.length(now, part) >= _UNSEEN), None)

    def is_recent(self, now: float) -> bool:
        """Return whether the person was seen a moment ago."""
        return now - self._seen <= MISSED


_LONG = 1.5  # seconds that a limb is covered before it is reported
_JOINTS = {
    Clause(side, limb, Direction.UNSEEN): [INDEX[name] for name in limb.ends(side)]
    for limb in LIMBS
    for side in Side.BOTH.each
}


class CoveredLimbs:
    """Tracker of covered limbs over frames; times are in seconds and never decrease."""

    def __init__(self) -> None:
        self._runs = RunLengths[Clause]()

    def update(self, now: float, hidden: NDArray[np.bool_], goal: Pose) -> Clause | None:
        """Return a limb that ``goal`` shows and that was ``hidden`` (20,) for a while, as a clause, or ``None``."""
        visible = goal.visibility >= VISIBLE
        self._runs.keep(now, [limb for limb, ends in _JOINTS.items() if hidden[ends].any() and visible[ends].all()])
        long = self._runs.longer(now, _LONG)
        return next((limb for limb in _JOINTS if limb in long), None)

    def forget(self) -> None:
        """Restart the observation after a pause."""
        self._runs.clear()

"""Presence: whether somebody is there, though a frame now and then misses them, and what lies outside the picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.coach.runs import Runs
from fmp_models.estimators.tracking import TrackedPerson
from fmp_models.pose import INDEX, JOINTS, Array

MISSED = 0.3  # seconds without the person that are no more than a frame or two that missed them
_GONE = 1.0  # seconds without anybody
_BACK, _LOOKS = 0.4, 3  # seconds with somebody again, and frames, of which a slow connection has few
_UNSEEN = 1.0  # seconds that a part lies outside the picture before it is asked for
_HIDDEN, _SHOWN = 0.45, 0.6  # visibility below which a joint is hidden, and above which it is seen again

# What may lie outside the picture, most important first, and the joints that show it.
_PARTS: dict[str, tuple[str, ...]] = {
    "feet": ("left_ankle", "right_ankle"),
    "head": ("head",),
    "hands": ("left_wrist", "right_wrist"),
}


class Presence:
    """Follows who is seen; moments are in seconds and never go back."""

    def __init__(self) -> None:
        self.here = False
        self.outside: str | None = None  # a part that has been outside the picture for a while
        self.whole = False  # nothing lies outside it just now
        # Joints (20,) that are hidden; steady before a visibility that trembles.
        self.hidden: NDArray[np.bool_] = np.zeros(len(JOINTS), dtype=np.bool_)
        self._since = self._seen = float("-inf")
        self._looks = 0
        self._left = Runs[str]()  # the parts that lie outside the picture

    def update(self, now: float, person: TrackedPerson | None, wanted: Array) -> None:
        """Take the next frame; where joints are not ``wanted`` (20,), above 0, nobody need see them."""
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
        """Whether the person was seen a moment ago."""
        return now - self._seen <= MISSED

"""Seats of the live coach: as many visitors at once as the machine can follow, each with their goals and their coach.

A seat is its holder's alone by a name that cannot be guessed, and free again some seconds after its last frame. Nothing
of a frame outlives its answer, and nothing is ever written to a disk.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from fmp_models.coach.coach import Advice, Coach, Tolerance
from fmp_models.errors import BadInputError
from fmp_models.estimators.tracking import Tracker
from fmp_models.pose import Pose

IDLE = 12.0  # seconds without a sign after which a seat is free again
MOST_GOALS = 12
LONGEST = 480  # pixels of the longer side of a frame that is looked at


@dataclass
class Seat:
    """One visitor's exercise."""

    tracker: Tracker
    goals: list[Pose] = field(default_factory=list)
    coach: Coach | None = None
    used: float = 0.0
    busy: threading.Lock = field(default_factory=threading.Lock)  # a tracker is not to be shared


class LiveSeats:
    """All seats of this process."""

    def __init__(
        self, most: int, new_tracker: Callable[[], Tracker], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._new_tracker = new_tracker
        self._clock = clock
        self._seats: dict[str, Seat] = {}
        self._idle: list[Tracker] = []
        self._lock = threading.Lock()

    def begin(self) -> str:
        """The name of a new seat; ``live_full`` where there is none."""
        with self._lock:
            self._free_idle()
            if len(self._seats) >= self._most:
                raise BadInputError("live_full", most=self._most)
            name = secrets.token_urlsafe(16)
            # A tracker follows whoever comes next as well: it looks for them anew when the last one is gone.
            tracker = self._idle.pop() if self._idle else self._new_tracker()
            self._seats[name] = Seat(tracker, used=self._clock())
            return name

    def add_goal(self, name: str, goal: Pose) -> int:
        """One more pose to take; how many there are now. ``live_gone``, ``live_many_goals``."""
        seat = self._seat(name)
        if seat.coach is not None or len(seat.goals) >= MOST_GOALS:
            raise BadInputError("live_many_goals", most=MOST_GOALS)
        seat.goals.append(goal)
        return len(seat.goals)

    def look(self, name: str, frame: Image.Image, tolerance: Tolerance) -> Advice:
        """What one frame leads to. ``live_gone``; ``live_no_goal``; ``live_busy`` while another frame is looked at."""
        seat = self._seat(name)
        if not seat.goals:
            raise BadInputError("live_no_goal")
        if not seat.busy.acquire(blocking=False):
            raise BadInputError("live_busy")
        try:
            if seat.coach is None:
                seat.coach = Coach(seat.goals)
            frame.thumbnail((LONGEST, LONGEST), Image.Resampling.BILINEAR)
            now = self._clock()
            advice = seat.coach.update(now, seat.tracker.track(frame, now), tolerance)
            seat.used = self._clock()
            return advice
        finally:
            seat.busy.release()

    def stay(self, name: str) -> None:
        """Keep a seat while its holder pauses; ``live_gone``."""
        self._seat(name)

    def end(self, name: str) -> dict[str, Any]:
        """Free a seat; how the exercise went, see :meth:`Coach.summary`. Nothing to tell where there was none."""
        with self._lock:
            seat = self._seats.pop(name, None)
            if seat is None:
                return {"goals": []}
            self._take_back(seat)
        return {"goals": [] if seat.coach is None else seat.coach.summary()}

    def _seat(self, name: str) -> Seat:
        with self._lock:
            self._free_idle()
            seat = self._seats.get(name)
            if seat is None:
                raise BadInputError("live_gone")
            seat.used = self._clock()
            return seat

    def _free_idle(self) -> None:
        now = self._clock()
        for name, seat in list(self._seats.items()):
            if now - seat.used > IDLE and not seat.busy.locked():
                del self._seats[name]
                self._take_back(seat)

    def _take_back(self, seat: Seat) -> None:
        if not seat.busy.locked() and len(self._idle) < self._most:
            self._idle.append(seat.tracker)

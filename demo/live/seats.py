"""Seats of the live coach: as many visitors at once as the machine can follow, each with their goals and their coach.

A seat is its holder's alone by a name that cannot be guessed, with a tracker of its own, and free again some seconds
after its last frame. Those who come from one network address leave a seat to others. No picture outlives its answer,
and nothing is ever written to a disk.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from fmp_models.coach.coach import Advice, Coach, Tolerance
from fmp_models.errors import BadInputError
from fmp_models.estimators.tracking import Tracker
from fmp_models.pose import Pose

IDLE = 12.0  # seconds without a sign after which a seat is free again
PAUSED = 330.0  # seconds without a frame, whatever signs there are
LONGEST_EXERCISE = 1800.0  # seconds after which somebody else may come
MOST_GOALS = 12
LONGEST = 480  # pixels of the longer side of a frame that is looked at


@dataclass
class Seat:
    """One visitor's exercise; moments in seconds."""

    address: str  # of the network; empty where none is known
    began: float
    signed: float
    looked: float
    tracker: Tracker | None = None
    goals: list[Pose] = field(default_factory=list)
    coach: Coach | None = None
    busy: threading.Lock = field(default_factory=threading.Lock)  # neither tracker nor coach is to be shared

    def add_goal(self, goal: Pose) -> int:
        """Add a pose to take; the number that there are now."""
        self.goals.append(goal)
        return len(self.goals)

    def demand_room(self) -> None:
        """``live_many_goals`` where no goal can be added."""
        if self.coach is not None or len(self.goals) >= MOST_GOALS:
            raise BadInputError("live_many_goals", most=MOST_GOALS)

    def look(self, frame: Image.Image, now: float, tolerance: Tolerance) -> Advice:
        """The advice on one frame; ``live_no_goal``."""
        if not self.goals or self.tracker is None:
            raise BadInputError("live_no_goal")
        if self.coach is None:
            self.coach = Coach(self.goals)
        frame.thumbnail((LONGEST, LONGEST), Image.Resampling.BILINEAR)
        return self.coach.update(now, self.tracker.track(frame, now), tolerance)


class LiveSeats:
    """All seats of this process."""

    def __init__(
        self, most: int, new_tracker: Callable[[], Tracker], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._new_tracker = new_tracker
        self._clock = clock
        self._seats: dict[str, Seat] = {}
        self._lock = threading.Lock()

    def begin(self, address: str = "") -> str:
        """The name of a new seat; ``live_full`` where there is none.

        ``live_full_network`` where only the last one is left that those from one ``address`` cannot have.
        """
        now, name = self._clock(), secrets.token_urlsafe(16)
        seat = Seat(address, now, now, now)
        with self._lock:
            self._free()
            if len(self._seats) >= self._most:
                raise BadInputError("live_full", most=self._most)
            mates = sum(other.address == address for other in self._seats.values())
            if address and 0 < mates >= self._most - 1:
                raise BadInputError("live_full_network")
            self._seats[name] = seat
        try:
            seat.tracker = self._new_tracker()  # takes a while, for which nobody else waits
        except BaseException:
            self.end(name)
            raise
        return name

    @contextmanager
    def holding(self, name: str) -> Iterator[Seat]:
        """A seat for one request; ``live_gone``, or ``live_busy`` while another request of its holder is answered."""
        seat = self.stay(name)
        if not seat.busy.acquire(blocking=False):
            raise BadInputError("live_busy")
        try:
            yield seat
        finally:
            seat.signed = self._clock()
            seat.busy.release()

    def look(self, seat: Seat, frame: Image.Image, tolerance: Tolerance) -> Advice:
        """The advice on one frame, for who holds the seat; ``live_no_goal``."""
        now = seat.looked = self._clock()
        return seat.look(frame, now, tolerance)

    def stay(self, name: str) -> Seat:
        """Keep a seat a little longer; ``live_gone``."""
        with self._lock:
            self._free()
            seat = self._seats.get(name)
            if seat is None:
                raise BadInputError("live_gone")
            seat.signed = self._clock()
            return seat

    def end(self, name: str) -> dict[str, Any]:
        """Free a seat; how the exercise went, see :meth:`Coach.summary`. Nothing to tell where there was none."""
        with self._lock:
            seat = self._seats.pop(name, None)
        return {"goals": [] if seat is None or seat.coach is None else seat.coach.summary()}

    def _free(self) -> None:
        now = self._clock()
        for name, seat in list(self._seats.items()):
            silent = now - seat.signed > IDLE and not seat.busy.locked()
            if silent or now - seat.looked > PAUSED or now - seat.began > LONGEST_EXERCISE:
                del self._seats[name]

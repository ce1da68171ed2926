"""Seats of the live coach: as many visitors at once as the machine can follow, each with their goals and their coach.

A seat is its holder's alone by a name that cannot be guessed, with a tracker of its own, and free again some seconds
after its last sign. Visitors from one network address leave a seat to others. An unused seat goes to another visitor
who asks for one, and waiting networks without a seat so far come first. No picture outlives its answer, and nothing is
ever written to a disk.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from fmp_models.coach.coach import HOLD, Advice, Coach, Tolerance
from fmp_models.errors import BadInputError
from fmp_models.estimators.tracking import TrackedPerson
from fmp_models.pose import Pose

IDLE = 12.0  # seconds without a sign after which a seat is free again
PAUSED = 330.0  # seconds without a frame, whatever signs there are
UNUSED = 15.0  # seconds without a frame or goal after which a seat goes to another visitor who asks for one
HANDLED = 60.0  # the same while a request of its holder is handled, such as a goal that is slow to come
WAITING = 90.0  # seconds for which a refused network counts as waiting; it was told to try again in a minute
MAX_NETWORKS = 100  # waiting ones that are remembered, and as many that held a seat
LONGEST_EXERCISE = 1800.0  # seconds after which somebody else may come
MOST_PICTURES = 12  # pictures of one's own in an exercise
MOST_GOALS = 36  # with the rounds of a sequence
HOLDS = (1.0, 10.0)  # seconds for which poses can be held, at least and at most


class Tracker(Protocol):
    """What follows one person: a :class:`MediaPipeTracker` over frames, a :class:`LandmarkTracker` over landmarks."""

    def track(self, seen: Any, at: float, /) -> TrackedPerson | None:  # noqa: ANN401  what its route reads
        """Return the person at a moment in seconds; None where nobody is seen."""
        ...


@dataclass
class Seat:
    """One visitor's exercise; moments in seconds."""

    address: str  # of the network; empty where none is known
    began: float
    signed: float
    looked: float
    hold: float = HOLD  # seconds in each pose
    tracker: Tracker | None = None
    goals: list[Pose] = field(default_factory=list)
    pictures: int = 0  # of the holder's own that were measured
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

    def count_picture(self) -> None:
        """Note that a picture of the holder's own is about to be measured; ``live_many_pictures``."""
        if self.pictures >= MOST_PICTURES:
            raise BadInputError("live_many_pictures", most=MOST_PICTURES)
        self.pictures += 1

    def goal(self, number: int) -> Pose:
        """A goal that was added before; ``live_unknown_goal``."""
        if not 0 <= number < len(self.goals):
            raise BadInputError("live_unknown_goal")
        return self.goals[number]

    def go_to(self, number: int) -> None:
        """Begin a goal out of turn; ``live_unknown_goal``."""
        self.goal(number)
        self.coach = self.coach or Coach(self.goals, self.hold)
        self.coach.go_to(number)

    def look(self, seen: object, now: float, tolerance: Tolerance) -> Advice:
        """The advice on what the tracker takes, a frame or its landmarks; ``live_no_goal``."""
        if not self.goals or self.tracker is None:
            raise BadInputError("live_no_goal")
        if self.coach is None:
            self.coach = Coach(self.goals, self.hold)
        return self.coach.update(now, self.tracker.track(seen, now), tolerance)


class LiveSeats:
    """All seats of one kind in this process."""

    def __init__(
        self, most: int, new_tracker: Callable[[], Tracker], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._new_tracker = new_tracker
        self._clock = clock
        self._seats: dict[str, Seat] = {}
        self._waiting: dict[str, float] = {}  # when each network was last refused
        self._held: dict[str, float] = {}  # when each network last gave up a seat
        self._lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        """Return whether the seat is one of these."""
        return name in self._seats

    def begin(self, address: str = "", hold: float = HOLD) -> str:
        """Return the name of a new seat; ``live_full`` where none is free, or each free one is for networks that wait.

        ``live_full_network`` where only the last one is left that those from one ``address`` cannot have.
        """
        now, name = self._clock(), secrets.token_urlsafe(16)
        seat = Seat(address, now, now, now, hold)
        with self._lock:
            self._free()
            refusal = self._refusal(address, self._seats)
            if refusal is not None and not self._take_over(address):
                _note(self._waiting, address, now)
                raise refusal
            self._waiting.pop(address, None)
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

    def look(self, seat: Seat, seen: object, tolerance: Tolerance) -> Advice:
        """The advice on a frame or its landmarks, for who holds the seat; ``live_no_goal``."""
        now = seat.looked = self._clock()
        return seat.look(seen, now, tolerance)

    def add_goal(self, seat: Seat, goal: Pose) -> int:
        """Add a pose to take, and return how many there are now; a seat whose goals come is in use."""
        seat.looked = self._clock()
        return seat.add_goal(goal)

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
            seat = self._drop(name)
        return {"goals": [] if seat is None or seat.coach is None else seat.coach.summary()}

    def _refusal(self, address: str, seats: Mapping[str, Seat]) -> BadInputError | None:
        """Return why a network gets no further seat, given those that are taken; None where it gets one."""
        held = self._held | {seat.address: self._clock() for seat in self._seats.values()}
        own = held.get(address, -math.inf) if address else -math.inf
        first = sum(held.get(other, -math.inf) < own for other in self._waiting if other != address)
        if len(seats) + first >= self._most:
            return BadInputError("live_full", most=self._most)
        mates = sum(seat.address == address for seat in seats.values())
        if address and 0 < mates >= self._most - 1:
            return BadInputError("live_full_network")
        return None

    def _take_over(self, address: str) -> bool:
        """Free the seat that was unused longest, if the network then gets one; return whether it does."""
        now = self._clock()
        for name, seat in sorted(self._seats.items(), key=lambda item: item[1].looked):
            others = {other: each for other, each in self._seats.items() if other != name}
            unused = HANDLED if seat.busy.locked() else UNUSED
            if now - seat.looked > unused and self._refusal(address, others) is None:
                self._drop(name)
                return True
        return False

    def _drop(self, name: str) -> Seat | None:
        seat = self._seats.pop(name, None)
        if seat is not None:
            _note(self._held, seat.address, self._clock())
        return seat

    def _free(self) -> None:
        now = self._clock()
        for name, seat in list(self._seats.items()):
            silent = now - seat.signed > IDLE and not seat.busy.locked()
            if silent or now - seat.looked > PAUSED or now - seat.began > LONGEST_EXERCISE:
                self._drop(name)
        self._waiting = {address: since for address, since in self._waiting.items() if now - since <= WAITING}
        self._held = {address: since for address, since in self._held.items() if now - since <= LONGEST_EXERCISE}


def _note(networks: dict[str, float], address: str, now: float) -> None:
    """Note a network, and forget the earliest where there are too many."""
    networks.pop(address, None)
    networks[address] = now
    if len(networks) > MAX_NETWORKS:
        del networks[next(iter(networks))]

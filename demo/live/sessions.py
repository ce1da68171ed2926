"""Sessions of the live coach, limited to the visitors that the machine can serve; each has its goals and its coach.

A session is identified by an unguessable name, has its own tracker, and is freed some seconds after its last request.
Visitors from one network address leave a session to others. An unused session goes to another visitor who asks, and
waiting networks that have had no session come first. Pictures are dropped after the response and never written to disk.
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

from fmp_models.coach import DEFAULT_HOLD_SECONDS, Advice, Coach, Tolerance
from fmp_models.errors import BadInputError
from fmp_models.estimators import TrackedPerson
from fmp_models.pose import Pose

IDLE_SECONDS = 12.0  # seconds without a request after which a session is freed
PAUSED_SECONDS = 330.0  # seconds without a frame after which a session is freed, whatever other requests arrive
UNUSED_SECONDS = 15.0  # seconds without a frame or goal after which a session goes to another visitor who asks for one
HANDLED_SECONDS = 60.0  # the same while a request of its holder is handled, such as a slow upload of a goal
WAITING_SECONDS = 90.0  # seconds for which a refused network counts as waiting; the error asks to try again in a minute
MAX_NETWORKS = 100  # size of the record of waiting networks, and of that of networks that had a session
MAX_EXERCISE_SECONDS = 1800.0  # seconds after which a session is freed for others
MAX_PICTURES = 12  # uploaded pictures in one exercise
MAX_GOALS = 36  # including the rounds of a sequence
HOLD_SECONDS = (1.0, 10.0)  # seconds: minimum and maximum time to hold a pose


class LiveTracker(Protocol):
    """Tracker of one person: a :class:`MediaPipeTracker` over frames, a :class:`LandmarkTracker` over landmarks."""

    def track(self, seen: Any, at: float, /) -> TrackedPerson | None:  # noqa: ANN401  what its route reads
        """Return the person at a time in seconds; None if nobody is seen."""
        ...


@dataclass
class LiveSession:
    """One visitor's exercise; times in seconds."""

    address: str  # network; empty if unknown
    began: float
    signed: float
    looked: float
    hold: float = DEFAULT_HOLD_SECONDS  # seconds in each pose
    tracker: LiveTracker | None = None
    goals: list[Pose] = field(default_factory=list)
    pictures: int = 0  # uploaded ones that were estimated
    coach: Coach | None = None
    busy: threading.Lock = field(default_factory=threading.Lock)  # tracker and coach serve one request at a time

    def add_goal(self, goal: Pose) -> int:
        """Add a goal pose; return the number of goals."""
        self.goals.append(goal)
        return len(self.goals)

    def demand_room(self) -> None:
        """Raise ``live_many_goals`` if no goal can be added."""
        if self.coach is not None or len(self.goals) >= MAX_GOALS:
            raise BadInputError("live_many_goals", most=MAX_GOALS)

    def count_picture(self) -> None:
        """Count an uploaded picture before it is estimated; raise ``live_many_pictures`` if there are too many."""
        if self.pictures >= MAX_PICTURES:
            raise BadInputError("live_many_pictures", most=MAX_PICTURES)
        self.pictures += 1

    def goal(self, number: int) -> Pose:
        """Return an earlier goal; raise ``live_unknown_goal``."""
        if not 0 <= number < len(self.goals):
            raise BadInputError("live_unknown_goal")
        return self.goals[number]

    def go_to(self, number: int) -> None:
        """Start a goal out of order; raise ``live_unknown_goal``."""
        self.goal(number)
        self.coach = self.coach or Coach(self.goals, self.hold)
        self.coach.go_to(number)

    def look(self, seen: object, now: float, tolerance: Tolerance) -> Advice:
        """Return the advice on the tracker's input, a frame or its landmarks; raise ``live_no_goal``."""
        if not self.goals or self.tracker is None:
            raise BadInputError("live_no_goal")
        if self.coach is None:
            self.coach = Coach(self.goals, self.hold)
        return self.coach.update(now, self.tracker.track(seen, now), tolerance)


class LiveSessions:
    """All sessions of one kind in this process."""

    def __init__(
        self, most: int, new_tracker: Callable[[], LiveTracker], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._new_tracker = new_tracker
        self._clock = clock
        self._sessions: dict[str, LiveSession] = {}
        self._waiting: dict[str, float] = {}  # time of each network's last refusal
        self._held: dict[str, float] = {}  # time when each network last freed a session
        self._lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        """Return whether the session is one of these."""
        return name in self._sessions

    def begin(self, address: str = "", hold: float = DEFAULT_HOLD_SECONDS) -> str:
        """Return the name of a new session; raise ``live_full`` if none is free, or only for waiting networks.

        Raise ``live_full_network`` if only the last session is free and ``address`` already holds the others.
        """
        now, name = self._clock(), secrets.token_urlsafe(16)
        session = LiveSession(address, now, now, now, hold)
        with self._lock:
            self._free()
            refusal = self._refusal(address, self._sessions)
            if refusal is not None and not self._take_over(address):
                _note(self._waiting, address, now)
                raise refusal
            self._waiting.pop(address, None)
            self._sessions[name] = session
        try:
            session.tracker = self._new_tracker()  # slow, so outside the lock
        except BaseException:
            self.end(name)
            raise
        return name

    @contextmanager
    def holding(self, name: str) -> Iterator[LiveSession]:
        """Hold a session for one request; raise ``live_gone``, or ``live_busy`` during another of its requests."""
        session = self.stay(name)
        if not session.busy.acquire(blocking=False):
            raise BadInputError("live_busy")
        try:
            yield session
        finally:
            session.signed = self._clock()
            session.busy.release()

    def look(self, session: LiveSession, seen: object, tolerance: Tolerance) -> Advice:
        """Return the advice on a frame or its landmarks for the holder of the session; raise ``live_no_goal``."""
        now = session.looked = self._clock()
        return session.look(seen, now, tolerance)

    def add_goal(self, session: LiveSession, goal: Pose) -> int:
        """Add a goal pose and return the number of goals; this counts as use of the session."""
        session.looked = self._clock()
        return session.add_goal(goal)

    def stay(self, name: str) -> LiveSession:
        """Renew a session; raise ``live_gone``."""
        with self._lock:
            self._free()
            session = self._sessions.get(name)
            if session is None:
                raise BadInputError("live_gone")
            session.signed = self._clock()
            return session

    def end(self, name: str) -> dict[str, Any]:
        """Free a session and return the summary of the exercise, if any; see :meth:`Coach.summary`."""
        with self._lock:
            session = self._drop(name)
        return {"goals": [] if session is None or session.coach is None else session.coach.summary()}

    def _refusal(self, address: str, sessions: Mapping[str, LiveSession]) -> BadInputError | None:
        """Return why a network gets no session in addition to ``sessions``; None if it gets one."""
        held = self._held | {session.address: self._clock() for session in self._sessions.values()}
        own = held.get(address, -math.inf) if address else -math.inf
        first = sum(held.get(other, -math.inf) < own for other in self._waiting if other != address)
        if len(sessions) + first >= self._most:
            return BadInputError("live_full", most=self._most)
        mates = sum(session.address == address for session in sessions.values())
        if address and 0 < mates >= self._most - 1:
            return BadInputError("live_full_network")
        return None

    def _take_over(self, address: str) -> bool:
        """Free the session that was unused longest, if the network then gets one; return whether it does."""
        now = self._clock()
        for name, session in sorted(self._sessions.items(), key=lambda item: item[1].looked):
            others = {other: each for other, each in self._sessions.items() if other != name}
            unused = HANDLED_SECONDS if session.busy.locked() else UNUSED_SECONDS
            if now - session.looked > unused and self._refusal(address, others) is None:
                self._drop(name)
                return True
        return False

    def _drop(self, name: str) -> LiveSession | None:
        session = self._sessions.pop(name, None)
        if session is not None:
            _note(self._held, session.address, self._clock())
        return session

    def _free(self) -> None:
        now = self._clock()
        for name, session in list(self._sessions.items()):
            silent = now - session.signed > IDLE_SECONDS and not session.busy.locked()
            if silent or now - session.looked > PAUSED_SECONDS or now - session.began > MAX_EXERCISE_SECONDS:
                self._drop(name)
        self._waiting = {address: since for address, since in self._waiting.items() if now - since <= WAITING_SECONDS}
        self._held = {address: since for address, since in self._held.items() if now - since <= MAX_EXERCISE_SECONDS}


def _note(networks: dict[str, float], address: str, now: float) -> None:
    """Record a network; drop the earliest one if there are too many."""
    networks.pop(address, None)
    networks[address] = now
    if len(networks) > MAX_NETWORKS:
        del networks[next(iter(networks))]

"""The coach: what to tell a person before a camera, from frame to frame, until they hold the target pose.

Pure bookkeeping over moments in seconds that the caller names: frames of tracked joints go in, and out comes what to
show and what to say now. Nothing of a frame is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from fmp_models.coach.ghost import Ghost
from fmp_models.coach.instruction_choice import HELD, InstructionChoice
from fmp_models.coach.progress import Progress, distances
from fmp_models.estimators.tracking import TrackedPerson
from fmp_models.geometry.changes import changes
from fmp_models.geometry.clauses import Clause, Plan
from fmp_models.geometry.planning.planner import beyond
from fmp_models.pose import INDEX, Array, Pose, PosePair

HOLD = 3.0  # seconds in the pose
REPEAT = 6.0  # seconds without progress after which an instruction is said again
_WELL = 0.75  # of the tolerance: within it a part has arrived
_BROKEN = 1.25  # of the tolerance: beyond it a pose is not held any more
_ENTER, _LEAVE = 0.4, 0.5  # seconds that a pose is held, or broken, before it counts
_GONE, _BACK = 1.0, 0.5  # seconds without anybody, and with somebody again
_UNSEEN = 1.0  # seconds that a part lies outside the picture before it is asked for
_BETTER = 0.85  # of how far it was off when it was said: progress
_GAP = 1.5  # seconds without a frame: the exercise was paused
_BREATH = 2.0  # seconds between a pose that was reached and the next one


class Tolerance(StrEnum):
    """How near is near enough, in shares of each measure's first step."""

    EASY = "easy"
    NORMAL = "normal"
    STRICT = "strict"

    @property
    def share(self) -> float:
        """Of the change from which a person would say that a part has moved."""
        return {Tolerance.EASY: 1.7, Tolerance.NORMAL: 1.2, Tolerance.STRICT: 0.8}[self]


class Phase(StrEnum):
    """Where the exercise stands."""

    NOBODY = "nobody"
    MOVE = "move"
    HOLD = "hold"
    REACHED = "reached"
    DONE = "done"


class Saying(StrEnum):
    """What is said aloud."""

    NOBODY = "nobody"
    UNSEEN = "unseen"  # a part of the body is outside the picture
    MOVE = "move"  # the instruction
    PRAISE = "praise"
    HOLD = "hold"
    REACHED = "reached"
    NEXT = "next"
    DONE = "done"


# What may lie outside the picture, most important first, and the joints that show it.
_PARTS: dict[str, tuple[str, ...]] = {
    "feet": ("left_ankle", "right_ankle"),
    "head": ("head",),
    "hands": ("left_wrist", "right_wrist"),
}


@dataclass(frozen=True)
class Advice:
    """What one frame leads to.

    ``sayings`` are numbered by ``said``: whoever hears a number for the first time says them aloud, in order.
    ``off`` are the clauses beyond the tolerance, most salient first; ``places`` and ``ghost`` (20, 2) are in shares of
    the frame, ``None`` where nobody is seen.
    """

    phase: Phase
    goal: int
    instruction: Clause | None
    off: Plan
    outside: str | None
    sayings: tuple[Saying, ...]
    said: int
    held: float  # share of the time to hold the pose
    seconds: float  # of the exercise, without those when nobody was there
    distances: dict[str, float]  # in centimetres, by row
    best: bool  # nearest to this goal so far
    places: Array | None
    ghost: Array | None
    visibility: Array | None


class Coach:
    """One exercise of one or several goals, in order; moments never go back."""

    def __init__(self, goals: Sequence[Pose]) -> None:
        """ValueError without a goal."""
        if not goals:
            message = "an exercise needs a goal"
            raise ValueError(message)
        self._goals = tuple(goals)
        self._number = 0
        self._phase = Phase.NOBODY
        self._choice = InstructionChoice()
        self._ghost = Ghost()
        self._runs: dict[str, float] = {}
        self._seconds = 0.0
        self._last: float | None = None
        self._hold_began = self._reached_at = 0.0
        self._began = self._reached_after = 0.0  # seconds of the exercise when this goal was set, and reached
        self._clause: Clause | None = None  # the instruction that was said
        self._spoken = self._spoken_salience = 0.0
        self._said = 0
        self._outside_told: tuple[str, float] | None = None
        self.progress = [Progress() for _ in goals]
        self.times: list[float] = []  # seconds to reach each goal

    def update(self, now: float, person: TrackedPerson | None, tolerance: Tolerance = Tolerance.NORMAL) -> Advice:
        """What to show and say at the moment ``now``, in seconds."""
        step = 0.0 if self._last is None else max(0.0, now - self._last)
        self._last = now
        if step > _GAP:
            self._resume()
            step = 0.0
        sayings: list[Saying] = []
        if self._phase is Phase.DONE:
            return self._advice(sayings, person)
        self._look(now, person, sayings)
        if self._phase is Phase.NOBODY or person is None:
            return self._advice(sayings, None)
        self._seconds += step
        if self._phase is Phase.REACHED:
            self._move_on(now, sayings)
            return self._advice(sayings, person)
        return self._judge(now, person, tolerance, sayings)

    def summary(self) -> list[dict[str, Any]]:
        """Of each goal that was begun: seconds to reach it, None where it was not, and the distances over time."""
        reached: list[float | None] = [*self.times, *([None] * (len(self._goals) - len(self.times)))]
        return [
            {"seconds": seconds, "times": one.times, "rows": one.rows}
            for one, seconds in zip(self.progress, reached, strict=True)
            if one.times
        ]

    def _resume(self) -> None:
        """Begin to watch anew: nobody knows what happened meanwhile."""
        self._runs.clear()
        if self._phase is Phase.HOLD:
            self._phase = Phase.MOVE

    def _look(self, now: float, person: TrackedPerson | None, sayings: list[Saying]) -> None:
        """Whether somebody is there at all."""
        gone = self._lasts("gone", now, so=person is None)
        back = self._lasts("back", now, so=person is not None)
        if self._phase is not Phase.NOBODY and gone >= _GONE:
            self._phase = Phase.NOBODY
            self._choice.drop(now, reached=False)
            self._clause = None
            sayings.append(Saying.NOBODY)
        elif self._phase is Phase.NOBODY and back >= _BACK:
            self._phase = Phase.MOVE

    def _move_on(self, now: float, sayings: list[Saying]) -> None:
        """After a breath the next goal."""
        if now - self._reached_at < _BREATH:
            return
        self._number += 1
        self._began = self._seconds
        self._phase = Phase.MOVE
        self._choice = InstructionChoice()
        sayings.append(Saying.NEXT)

    def _judge(self, now: float, person: TrackedPerson, tolerance: Tolerance, sayings: list[Saying]) -> Advice:
        """Compare the person with the goal."""
        pair = PosePair(person.pose, self._goals[self._number])
        measured = changes(pair)
        nearly, off, broken = (beyond(measured, share * tolerance.share, pair) for share in (_WELL, 1.0, _BROKEN))
        outside = self._outside(now, person, sayings)
        broken_for = self._lasts("broken", now, so=bool(broken) or outside is not None)
        if self._phase is Phase.HOLD:
            if broken_for >= _LEAVE:
                self._phase = Phase.MOVE
                self._runs.pop("within", None)
            elif now - self._hold_began >= HOLD:
                self._reach(now, sayings)
        elif self._lasts("within", now, so=not off and outside is None) >= _ENTER:
            self._phase = Phase.HOLD
            self._hold_began, self._reached_after = now, self._seconds
            self._choice.drop(now, reached=True)
            self._clause = None
            sayings.append(Saying.HOLD)
        if self._phase is Phase.MOVE:
            self._instruct(now, off, tuple(clause for clause, _ in nearly), sayings)
        self._ghost.follow(person)
        body = self._ghost.body(person, self._goals[self._number].joints)
        return self._advice(sayings, person, tuple(clause for clause, _ in off), outside, now, body)

    def _instruct(
        self, now: float, off: Sequence[tuple[Clause, float]], nearly: Sequence[Clause], sayings: list[Saying]
    ) -> None:
        """Choose what to ask for, and whether to say it now: when it is new and stays, or nothing has come of it."""
        chosen = self._choice.update(now, off, nearly)
        # Where nothing else is off, "hold it" is praise enough.
        if off and self._choice.arrived is not None and self._choice.arrived == self._clause:
            sayings.append(Saying.PRAISE)
        if chosen is None:
            self._clause = None
            return
        if chosen.clause != self._clause:
            if now - chosen.since >= HELD:
                self._speak(now, chosen.clause, chosen.salience, sayings)
        elif chosen.salience < _BETTER * self._spoken_salience:
            self._spoken, self._spoken_salience = now, chosen.salience
        elif now - self._spoken >= REPEAT:
            self._speak(now, chosen.clause, chosen.salience, sayings)

    def _speak(self, now: float, clause: Clause, salience: float, sayings: list[Saying]) -> None:
        self._clause, self._spoken, self._spoken_salience = clause, now, salience
        sayings.append(Saying.MOVE)

    def _reach(self, now: float, sayings: list[Saying]) -> None:
        self.times.append(round(self._reached_after - self._began, 2))
        self._reached_at = now
        last = self._number + 1 == len(self._goals)
        self._phase = Phase.DONE if last else Phase.REACHED
        sayings.append(Saying.DONE if last else Saying.REACHED)
        self._runs.clear()

    def _outside(self, now: float, person: TrackedPerson, sayings: list[Saying]) -> str | None:
        """The part that has been outside the picture for a while, which is said once and then now and again."""
        found = None
        for part, joints in _PARTS.items():
            hidden = bool((person.pose.visibility[[INDEX[name] for name in joints]] == 0).any())
            if self._lasts(f"outside {part}", now, so=hidden) >= _UNSEEN and found is None:
                found = part
        if found is None:
            return None
        told = self._outside_told
        if told is None or now - told[1] >= REPEAT * (2 if told[0] == found else 1):
            self._outside_told = found, now
            sayings.append(Saying.UNSEEN)
        return found

    def _lasts(self, what: str, now: float, *, so: bool) -> float:
        """Seconds that something has been so without a break; below 0 where it is not."""
        if not so:
            self._runs.pop(what, None)
            return -1.0
        return now - self._runs.setdefault(what, now)

    def _advice(  # noqa: PLR0913, PLR0917  all that a frame told
        self,
        sayings: Sequence[Saying],
        person: TrackedPerson | None,
        off: Plan = (),
        outside: str | None = None,
        now: float = 0.0,
        body: Array | None = None,
    ) -> Advice:
        self._said += bool(sayings)
        apart: dict[str, float] = {}
        best = False
        ghost = None
        if person is not None and body is not None:
            apart = distances(self._ghost.own(person), body)
            best = self.progress[self._number].add(self._seconds, apart)
            ghost = self._ghost.places(person, body)
        held = 0.0
        if self._phase is Phase.HOLD:
            held = min(1.0, (now - self._hold_began) / HOLD)
        elif self._phase in {Phase.REACHED, Phase.DONE}:
            held = 1.0
        chosen = self._choice.chosen if self._phase is Phase.MOVE else None
        return Advice(
            phase=self._phase,
            goal=self._number,
            instruction=None if chosen is None else chosen.clause,
            off=off,
            outside=outside,
            sayings=tuple(sayings),
            said=self._said,
            held=held,
            seconds=round(self._seconds, 2),
            distances=apart,
            best=best,
            places=None if person is None else person.places,
            ghost=ghost,
            visibility=None if person is None else np.asarray(person.pose.visibility),
        )

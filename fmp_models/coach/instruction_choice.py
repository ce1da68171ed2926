"""Instruction choice: one step at a time, that of the most salient clause, held steady against noisy joints.

What is off comes anew with every frame and flickers at its thresholds. So a clause is taken up only once it was off
for a while, with what belongs to the same movement. It stays until its parts have well arrived, of which those that
have not go on being asked for, and gives way at most once in ``HELD`` seconds; its opposite comes within ``TURNING``
seconds only where the parts arrived and were then surely taken too far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fmp_models.coach.runs import Runs
from fmp_models.describe.limb_movements import Movement
from fmp_models.describe.trainer_steps import StepKind, TrainerStep
from fmp_models.geometry.clauses import Clause, Direction, Part, Side

HELD = 0.8  # seconds that an instruction stays at least
TURNING = 2.0  # seconds before the opposite may be said
_SETTLED = 0.3  # seconds that something is off before it is taken up, or has arrived before it counts
_LIT = 0.6  # seconds that a limb is off before it is shown so, or well again before it is shown well
_SURELY = 0.6  # the same for the opposite of what was just reached
_STUCK = 15.0  # seconds after which something else is tried
_CONTENT = 1.5  # seconds within the tolerance, though not well within it, after which something else comes
_OVERRULED = 2.5  # times as salient, after _PATIENCE seconds: somebody does something else altogether
_PATIENCE = 3.0

Way = tuple[Side, Part, Direction]

# Ways that a reader takes for one, so that their reverses are opposites as well.
_ALIKE: Mapping[tuple[Part, Direction], tuple[Part, Direction]] = {
    (Part.FOREARM, Direction.UP): (Part.ARM, Direction.UP),
    (Part.FOREARM, Direction.DOWN): (Part.ARM, Direction.DOWN),
    (Part.HAND, Direction.UP): (Part.ARM, Direction.UP),
    (Part.HAND, Direction.DOWN): (Part.ARM, Direction.DOWN),
    (Part.HAND, Direction.OUT): (Part.ARM, Direction.OUT),
    (Part.HAND, Direction.IN): (Part.ARM, Direction.IN),
    (Part.HAND, Direction.FORWARD): (Part.ARM, Direction.FORWARD),
    (Part.HAND, Direction.BACKWARD): (Part.ARM, Direction.BACKWARD),
    (Part.TRUNK, Direction.TURN_LEFT): (Part.BODY, Direction.TURN_LEFT),
    (Part.TRUNK, Direction.TURN_RIGHT): (Part.BODY, Direction.TURN_RIGHT),
}


@dataclass(frozen=True)
class Chosen:
    """What is to be done now: the clause and the step that says it, with what else belongs to the same movement.

    How far that is off (its salience) now and was, since when it is asked for, and what it is the rest of.
    """

    clause: Clause
    step: TrainerStep
    salience: float
    at_first: float
    since: float
    rest_of: frozenset[Movement] = frozenset()

    @property
    def movements(self) -> frozenset[Movement]:
        """What has been done once this is."""
        return self.rest_of | {self.step.movement}

    @property
    def ways(self) -> frozenset[Way]:
        """All that the step asks for."""
        return frozenset(way for clause in self.step.clauses for way in ways_of(clause))


def alone(clause: Clause) -> TrainerStep:
    """Return a step of one clause, whatever it is called."""
    return TrainerStep(StepKind.STEP, Movement(str(clause)), (clause,))


class InstructionChoice:
    """Follows what is off over time; all moments are in seconds and never go back."""

    def __init__(self) -> None:
        self.chosen: Chosen | None = None
        self.arrived: frozenset[Movement] = frozenset()  # what has been done in the last update
        self._due = Runs[Way]()  # what is off
        self._runs = Runs[str]()  # of what is asked for
        self._changed = float("-inf")
        self._ended: list[tuple[frozenset[Way], float, bool]] = []  # what was asked, until when, whether reached
        self._put_off: set[Way] = set()

    def update(
        self,
        now: float,
        off: Sequence[tuple[Clause, float]],
        nearly: Sequence[Clause],
        step_of: Callable[[Clause], TrainerStep] = alone,
    ) -> Chosen | None:
        """Take the next frame, and choose.

        ``off`` are the clauses beyond the tolerance with their salience, most salient first, and ``nearly`` those
        beyond a part of it: what is asked for has arrived when it is not among these any more. ``step_of`` gives the
        step that says a clause; it is asked only when another is chosen.
        """
        self.arrived = frozenset()
        ways = {way for clause, _ in off for way in ways_of(clause)}
        self._due.keep(now, ways)
        self._put_off &= ways
        if self.chosen is not None:
            self._follow(now, off, {way for clause in nearly for way in ways_of(clause)}, step_of)
        if self.chosen is None and now - self._changed >= HELD:
            self._take(now, self._ready(now, off), step_of)
        return self.chosen

    def drop(self, now: float, *, reached: bool) -> None:
        """Ask for nothing: all is well and ``reached``, or nobody is there."""
        if self.chosen is not None:
            self._end(now, reached=reached)
        self._due.clear()

    def resume(self, now: float) -> None:
        """Go on after a pause, of which nobody knows what happened in it."""
        self._due.clear()
        self._runs.clear()
        if self.chosen is not None:
            self.chosen = replace(self.chosen, since=now)

    def _follow(
        self,
        now: float,
        off: Sequence[tuple[Clause, float]],
        nearly: set[Way],
        step_of: Callable[[Clause], TrainerStep],
    ) -> None:
        """Keep to what is asked for, or end it: it has arrived, is stuck, or something else is far worse.

        Of what has arrived in part the rest goes on being asked for.
        """
        chosen = self.chosen
        assert chosen is not None  # noqa: S101  for the type checker
        remaining_ways = chosen.ways & nearly
        nearer = self._runs.note(now, "nearer", so=remaining_ways != chosen.ways) >= _SETTLED
        if nearer and now - max(chosen.since, self._changed) >= HELD:
            if not remaining_ways:
                self.arrived = chosen.movements
            self._end(now, reached=not remaining_ways)
            rest = [entry for entry in self._ready(now, off) if ways_of(entry[0]) & remaining_ways]
            self._take(now, rest, step_of, chosen)
            return
        saliences = [salience for clause, salience in off if ways_of(clause) & chosen.ways]
        self.chosen = replace(chosen, salience=max(saliences, default=0.0))
        content = self._runs.note(now, "content", so=not saliences) >= _CONTENT
        other_entries = [
            entry
            for entry in off
            if not ways_of(entry[0]) & chosen.ways
            and not any(are_opposites(entry[0], clause) for clause in chosen.step.clauses)
        ]
        ready = self._ready(now, other_entries)
        stuck = now - chosen.since >= _STUCK
        worse = now - chosen.since >= _PATIENCE and bool(ready) and ready[0][1] >= _OVERRULED * chosen.at_first
        if ready and (content or stuck or worse):
            if content:
                self.arrived = chosen.movements
            elif stuck:
                self._put_off |= chosen.ways
            self._end(now, reached=content)
            self._take(now, ready, step_of)

    def _ready(self, now: float, off: Sequence[tuple[Clause, float]]) -> list[tuple[Clause, float]]:
        """What has been off long enough to be asked for, most salient first; what was put off comes after all else."""
        ways_off = {way for clause, _ in off for way in ways_of(clause)}
        long = {way for way in ways_off if self._due.length(now, way) >= self._wait(way, now)}
        ready = [entry for entry in off if ways_of(entry[0]) <= long]
        return sorted(ready, key=lambda entry: bool(ways_of(entry[0]) & self._put_off))

    def _wait(self, way: Way, now: float) -> float:
        """How long a way must be off before it is asked for."""
        wait = _SETTLED
        for ways, until, reached in self._ended:
            if now - until < TURNING and _axis(_reversed(way)) in {_axis(ended_way) for ended_way in ways}:
                wait = max(wait, _SURELY if reached else float("inf"))
        return wait

    def _take(
        self,
        now: float,
        ready: Sequence[tuple[Clause, float]],
        step_of: Callable[[Clause], TrainerStep],
        before: Chosen | None = None,
    ) -> None:
        """Ask for what is most salient; where it is said as it was ``before``, it has been asked for since then."""
        if not ready:
            return
        clause, salience = ready[0]
        rest_of = frozenset[Movement]() if before is None else before.movements
        chosen = Chosen(clause, step_of(clause), salience, salience, now, rest_of)
        if before is not None and before.step.movement == chosen.step.movement:
            chosen = replace(chosen, at_first=before.at_first, since=before.since)
        self.chosen, self._changed = chosen, now
        self._runs.clear()

    def _end(self, now: float, *, reached: bool) -> None:
        assert self.chosen is not None  # noqa: S101
        self._ended = [ending for ending in self._ended if now - ending[1] < TURNING]
        self._ended.append((self.chosen.ways, now, reached))
        self.chosen = None


def ways_of(clause: Clause) -> frozenset[Way]:
    """The ways that a clause asks for, one of each side."""
    return frozenset((side, clause.part, clause.direction) for side in clause.side.each)


def are_opposites(first: Clause, second: Clause) -> bool:
    """Whether a reader takes two clauses for opposites."""
    return bool({_axis(_reversed(way)) for way in ways_of(first)} & {_axis(way) for way in ways_of(second)})


def _reversed(way: Way) -> Way:
    side, part, direction = way
    return side, part, direction.reverse


def _axis(way: Way) -> Way:
    side, part, direction = way
    return side, *_ALIKE.get((part, direction), (part, direction))


class SteadyWays:
    """The ways that are off, to be shown: a limb lights up and goes out only once it has been so for a while."""

    def __init__(self) -> None:
        self._on: frozenset[Way] = frozenset()
        self._rising, self._falling = Runs[Way](), Runs[Way]()

    def update(self, now: float, off: Iterable[Clause], nearly: Iterable[Clause]) -> tuple[Clause, ...]:
        """Those off for a while, and then until they are not even ``nearly`` so for a while."""
        above = {way for clause in off for way in ways_of(clause)}
        near = {way for clause in nearly for way in ways_of(clause)}
        self._rising.keep(now, above - self._on)
        self._falling.keep(now, self._on - near)
        self._on |= self._rising.longer(now, _LIT)
        self._on -= self._falling.longer(now, _LIT)
        return tuple(Clause(*way) for way in sorted(self._on))

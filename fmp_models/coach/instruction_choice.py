"""Instruction choice: one step at a time, for the most salient clause, stable against noisy joints.

Deviations are computed for each frame and flicker at their thresholds. A clause is therefore chosen only
after it was off for a while, together with the rest of the same movement. It stays until its parts have
clearly arrived; parts that have not arrived are asked for again. The instruction changes at most once in
``HELD`` seconds. Its opposite may follow within ``TURNING`` seconds only if the parts arrived and then
clearly went too far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from fmp_models.coach.observation import RunLengths
from fmp_models.describe import Movement, StepKind, TrainerStep
from fmp_models.geometry import BODY_TURNS, PAIRED, Clause, Direction, Part, Side

HELD = 0.8  # minimum seconds that an instruction stays
TURNING = 2.0  # seconds before the opposite may be asked for
_SETTLED = 0.3  # seconds off before a clause is chosen, and seconds arrived before it counts
_LIT = 0.6  # seconds off before a limb is highlighted, and seconds well before it is not
_SURELY = 0.6  # seconds off before the opposite of a reached instruction is chosen
_STUCK = 15.0  # seconds after which another instruction is tried
_CONTENT = 1.5  # seconds barely within the tolerance after which another instruction follows
_OVERRULED = 2.5  # times as salient as the instruction: switch after _PATIENCE seconds
_PATIENCE = 3.0

Way = tuple[Side, Part, Direction]


@dataclass(frozen=True)
class ChosenInstruction:
    """The current instruction: a clause and the step that says it, with the rest of the same movement.

    ``salience`` is the deviation now and ``at_first`` the one at the start; ``since`` is the start in
    seconds; ``rest_of`` are the movements that it continues.
    """

    clause: Clause
    step: TrainerStep
    salience: float
    at_first: float
    since: float
    rest_of: frozenset[Movement] = frozenset()

    @property
    def movements(self) -> frozenset[Movement]:
        """All movements that are complete once this instruction is."""
        return self.rest_of | {self.step.movement}

    @property
    def ways(self) -> frozenset[Way]:
        """All (side, part, direction) that the step asks for."""
        return frozenset(way for clause in self.step.clauses for way in ways_of(clause))


def alone(clause: Clause) -> TrainerStep:
    """Return a step of one clause, with the clause's own text as its key."""
    return TrainerStep(StepKind.STEP, Movement(str(clause)), (clause,))


class InstructionChoice:
    """Choice of the instruction over time; times are in seconds and never decrease."""

    def __init__(self) -> None:
        self.chosen: ChosenInstruction | None = None
        self.arrived: frozenset[Movement] = frozenset()  # movements that arrived in the last update
        self._due = RunLengths[Way]()  # ways that are off
        self._runs = RunLengths[str]()  # conditions of the current instruction
        self._changed = float("-inf")
        self._ended: list[tuple[frozenset[Way], float, bool]] = []  # ways, end time, whether reached
        self._put_off: set[Way] = set()

    def update(
        self,
        now: float,
        off: Sequence[tuple[Clause, float]],
        nearly: Sequence[Clause],
        step_of: Callable[[Clause], TrainerStep] = alone,
    ) -> ChosenInstruction | None:
        """Process the next frame and return the instruction.

        ``off`` are the clauses beyond the tolerance with their salience, most salient first. ``nearly`` are those
        beyond a share of the tolerance: an instruction has arrived when it is no longer among these. ``step_of``
        returns the step that says a clause; it is called only when the instruction changes.
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
        """Clear the instruction: the pose is ``reached`` or the person has left."""
        if self.chosen is not None:
            self._end(now, reached=reached)
        self._due.clear()

    def resume(self, now: float) -> None:
        """Continue after a pause, since the frames in between are unknown."""
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
        """Keep the current instruction, or end it: it has arrived, is stuck, or another deviation is far larger.

        If it has arrived in part, ask for the rest.
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
        """Return the clauses that were off long enough, most salient first; postponed ones come last."""
        ways_off = {way for clause, _ in off for way in ways_of(clause)}
        long = {way for way in ways_off if self._due.length(now, way) >= self._wait(way, now)}
        ready = [entry for entry in off if ways_of(entry[0]) <= long]
        return sorted(ready, key=lambda entry: bool(ways_of(entry[0]) & self._put_off))

    def _wait(self, way: Way, now: float) -> float:
        """Return how long a way must be off before it is asked for."""
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
        before: ChosenInstruction | None = None,
    ) -> None:
        """Choose the most salient clause; an instruction worded as ``before`` keeps its start time."""
        if not ready:
            return
        clause, salience = ready[0]
        rest_of = frozenset[Movement]() if before is None else before.movements
        chosen = ChosenInstruction(clause, step_of(clause), salience, salience, now, rest_of)
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
    """Return the (side, part, direction) of a clause, one for each side."""
    return frozenset((side, clause.part, clause.direction) for side in clause.side.each)


def are_opposites(first: Clause, second: Clause) -> bool:
    """Return whether a reader understands two clauses as opposites."""
    return bool({_axis(_reversed(way)) for way in ways_of(first)} & {_axis(way) for way in ways_of(second)})


def _reversed(way: Way) -> Way:
    side, part, direction = way
    return side, part, direction.reverse


def _axis(way: Way) -> Way:
    """Return the way that a reader understands it as; the reverses of equal ways are opposites too."""
    side, part, direction = way
    if part is Part.TRUNK and direction in BODY_TURNS:
        part = Part.BODY
    elif part in {Part.FOREARM, Part.HAND} and direction not in PAIRED:
        part = Part.ARM
    return side, part, direction


class SteadyWays:
    """Deviations to highlight: a limb is switched on and off only after it was so for a while."""

    def __init__(self) -> None:
        self._on: frozenset[Way] = frozenset()
        self._rising, self._falling = RunLengths[Way](), RunLengths[Way]()

    def update(self, now: float, off: Iterable[Clause], nearly: Iterable[Clause]) -> tuple[Clause, ...]:
        """Return the clauses to highlight.

        A way is highlighted once it was ``off`` for a while, until it was not ``nearly`` off for a while.
        """
        above = {way for clause in off for way in ways_of(clause)}
        near = {way for clause in nearly for way in ways_of(clause)}
        self._rising.keep(now, above - self._on)
        self._falling.keep(now, self._on - near)
        self._on |= self._rising.longer(now, _LIT)
        self._on -= self._falling.longer(now, _LIT)
        return tuple(Clause(*way) for way in sorted(self._on))

"""Coach: what to show and say, frame by frame, until a person before a camera holds the target pose.

The class does no input or output. The caller passes times in seconds and frames of tracked joints, and
gets what to show and say now. No frame is stored. It shows the course of the exercise, which is the distance
of each body part from the target over time, and a ghost: the target pose on the person's own bones at their
place in the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmp_models.coach.instruction_choice import HELD, ChosenInstruction, InstructionChoice, SteadyWays
from fmp_models.coach.observation import CoveredLimbs, Presence, RunLengths
from fmp_models.describe import Movement, TrainerStep, step_of
from fmp_models.estimators import TrackedPerson
from fmp_models.geometry import VISIBLE, Clause, Plan, changes, clauses_beyond, held_shapes
from fmp_models.pose import (
    BODY_PARTS,
    BONES,
    INDEX,
    PARENTS,
    Array,
    Pose,
    PosePair,
    bone_lengths,
    joint_distances,
    pose_pair,
    with_bones,
)

DEFAULT_HOLD_SECONDS = 3.0  # default seconds to hold a pose
REPEAT = 6.0  # seconds without progress before an instruction is repeated
WELL = 0.75  # share of the tolerance within which a part has arrived
BROKEN = 1.25  # share of the tolerance beyond which a pose is no longer held
_ENTER, _LEAVE = 0.4, 0.5  # seconds within or outside the pose before the hold starts or ends
_BETTER = 0.85  # progress: below this share of the deviation when the instruction was said
_GAP = 2.5  # seconds without a frame that count as a pause
_BREATH = 2.0  # seconds between a reached pose and the next one, and of silence after "step back"
_CUE = 2.5  # seconds of silence after a pose starts, for its introduction


class Tolerance(StrEnum):
    """Allowed distance from the target, as a share of each measure's first threshold."""

    EASY = "easy"
    NORMAL = "normal"
    STRICT = "strict"

    @property
    def share(self) -> float:
        """The share of the change from which a person would say that a part has moved."""
        return {Tolerance.EASY: 1.7, Tolerance.NORMAL: 1.2, Tolerance.STRICT: 0.8}[self]


class Phase(StrEnum):
    """State of the exercise."""

    NOBODY = "nobody"
    MOVE = "move"
    HOLD = "hold"
    REACHED = "reached"
    DONE = "done"


class SpokenCue(StrEnum):
    """Kinds of spoken sentences."""

    NOBODY = "nobody"
    UNSEEN = "unseen"  # a body part is outside the picture
    COVERED = "covered"  # a limb cannot be judged
    MOVE = "move"  # the instruction
    PRAISE = "praise"
    HOLD = "hold"
    REACHED = "reached"
    NEXT = "next"
    DONE = "done"


@dataclass(frozen=True)
class DrawnPose:
    """Overlay of a frame: joints and ghost (20, 2) in shares of its size, and a mask (20,) of hidden joints."""

    places: Array
    ghost: Array | None
    hidden: NDArray[np.bool_]


@dataclass(frozen=True)
class Advice:
    """Output for one frame.

    ``sayings`` have the number ``said``: a client that sees a number for the first time speaks them, in
    order. ``instruction`` is the clause with the largest deviation, ``step`` the step that says it together
    with the rest of the same movement. ``off`` are the deviations beyond the tolerance. ``drawn`` is ``None``
    when the person is not seen; it stays for a moment when a frame misses them.
    """

    phase: Phase
    goal: int
    instruction: Clause | None
    step: TrainerStep | None
    off: Plan
    outside: str | None
    covered: Clause | None  # a covered limb, if nothing else is off
    sayings: tuple[SpokenCue, ...]
    said: int
    held: float  # share of the hold time, 0 to 1
    seconds: float  # exercise time without the time when no person was present
    distances: dict[str, float]  # centimetres by row
    best: bool  # the smallest distance to this goal so far
    nearness: float  # nearness to this goal, 0 to 1, see :class:`Nearness`
    drawn: DrawnPose | None


class Coach:
    """One exercise with one or several goals, in order; times never decrease."""

    def __init__(self, goals: Sequence[Pose], hold: float = DEFAULT_HOLD_SECONDS) -> None:
        """Set the goals and the seconds to ``hold`` each pose; raise ValueError without a goal."""
        if not goals:
            raise ValueError("an exercise needs a goal")
        self._goals = tuple(goals)
        self._hold_seconds = hold
        self._shapes = [held_shapes(goal) for goal in goals]
        self._number = 0
        self._phase, self._left_off = Phase.NOBODY, Phase.MOVE  # current phase, and the phase when the person left
        self._presence = Presence()
        self._choice = InstructionChoice()
        self._ways = SteadyWays()
        self._covered_limbs = CoveredLimbs()
        self._covered: Clause | None = None
        self._announced_covered: set[Clause] = set()  # reset for each goal
        self._ghost = Ghost()
        self._runs = RunLengths[str]()
        self._last: float | None = None
        self._seconds = self._began = 0.0  # exercise time now, and at the start of this goal
        self._held = self._entered = 0.0  # hold time, and the exercise time when the hold began
        self._reached_at = self._quiet_until = 0.0
        self._announced_hold = float("-inf")
        self._said: Movement | None = None  # the last spoken instruction
        self._spoken = self._spoken_salience = 0.0
        self._saying_number = 0
        self._announced_outside: tuple[str, float] | None = None
        self._off: Plan = ()
        self._drawn: DrawnPose | None = None
        self._courses = [Course() for _ in goals]
        self._nearness = Nearness()
        self._times: dict[int, float] = {}  # seconds to reach each goal

    def update(self, now: float, person: TrackedPerson | None, tolerance: Tolerance = Tolerance.NORMAL) -> Advice:
        """Return what to show and say at ``now``, in seconds."""
        step = 0.0 if self._last is None else max(0.0, now - self._last)
        self._last = now
        sayings: list[SpokenCue] = []
        if step > _GAP:
            self._resume(now)
            step = 0.0
        self._presence.update(now, person, self._goals[self._number].visibility)
        self._come_and_go(sayings)
        apart: dict[str, float] = {}
        best = False
        if person is not None:
            body = self._follow(person)
            apart = distances(self._ghost.own(person), body, self._goals[self._number].visibility > 0)
            if self._phase in {Phase.MOVE, Phase.HOLD}:
                self._seconds += step
                best = self._courses[self._number].add(self._seconds, apart)
                self._nearness.update(now, apart)
                self._judge(now, step, person, tolerance, sayings)
            elif self._phase is Phase.REACHED:
                self._seconds += step
                self._move_on(now, sayings)
        elif not self._presence.is_recent(now):
            self._drawn, self._off = None, ()
        self._saying_number += bool(sayings)
        chosen = self._choice.chosen if self._phase is Phase.MOVE else None
        return Advice(
            phase=self._phase,
            goal=self._number,
            instruction=None if chosen is None else chosen.clause,
            step=None if chosen is None else chosen.step,
            off=self._off,
            outside=self._presence.outside,
            covered=self._covered,
            sayings=tuple(sayings),
            said=self._saying_number,
            held=self._share_held(),
            seconds=round(self._seconds, 2),
            distances=apart,
            best=best,
            nearness=self._nearness.share if self._phase in {Phase.NOBODY, Phase.MOVE} else 1.0,
            drawn=self._drawn,
        )

    def summary(self) -> list[dict[str, Any]]:
        """Return the number, the seconds to reach it and the distances over time of each started goal.

        The seconds are ``None`` for a goal that was not reached.
        """
        return [
            {"goal": number, "seconds": self._times.get(number), "times": course.times, "rows": course.rows}
            for number, course in enumerate(self._courses)
            if course.times
        ]

    def _share_held(self) -> float:
        if self._phase in {Phase.REACHED, Phase.DONE}:
            return 1.0
        return min(1.0, self._held / self._hold_seconds) if self._phase is Phase.HOLD else 0.0

    def _resume(self, now: float) -> None:
        """Restart the observation after a pause, since the frames in between are unknown."""
        self._runs.clear()
        self._covered_limbs.forget()
        self._choice.resume(now)
        self._spoken = now
        if self._phase is Phase.HOLD:
            self._phase = Phase.MOVE

    def _come_and_go(self, sayings: list[SpokenCue]) -> None:
        """Update the phase when the person appears or leaves."""
        if self._phase is Phase.NOBODY:
            if self._presence.here:
                self._phase = self._left_off
        elif not self._presence.here and self._phase is not Phase.DONE:
            self._left_off = Phase.REACHED if self._phase is Phase.REACHED else Phase.MOVE
            self._phase = Phase.NOBODY
            self._choice.drop(self._last or 0.0, reached=False)
            self._said = self._covered = None
            self._runs.clear()
            sayings.append(SpokenCue.NOBODY)

    def _follow(self, person: TrackedPerson) -> Array:
        """Return the goal (20, 3) on the person's bones, and update the overlay."""
        self._ghost.follow(person)
        goal = self._goals[self._number]
        body = self._ghost.body(person, goal.joints, goal.visibility > 0)
        ghost = None if self._phase is Phase.DONE else self._ghost.places(person, body)
        self._drawn = DrawnPose(person.places, ghost, self._presence.hidden)
        return body

    def _move_on(self, now: float, sayings: list[SpokenCue]) -> None:
        """Start the next goal after a short pause, which is at most as long as a pose is held."""
        if now - self._reached_at < min(_BREATH, self._hold_seconds):
            return
        self.go_to(self._number + 1)
        sayings.append(SpokenCue.NEXT)

    def go_to(self, number: int) -> None:
        """Start a goal out of order; raise ValueError if the number has no goal."""
        if not 0 <= number < len(self._goals):
            raise ValueError(f"there is no goal {number}")
        self._number, self._began = number, self._seconds
        self._left_off = Phase.MOVE
        self._phase = Phase.NOBODY if self._phase is Phase.NOBODY else Phase.MOVE
        self._choice, self._ways, self._nearness = InstructionChoice(), SteadyWays(), Nearness()
        self._said = self._covered = None
        self._off = ()
        self._held = 0.0
        self._announced_hold = float("-inf")
        self._quiet_until = (self._last or 0.0) + _CUE
        self._runs.clear()
        self._covered_limbs.forget()
        self._announced_covered.clear()

    def _judge(
        self, now: float, step: float, person: TrackedPerson, tolerance: Tolerance, sayings: list[SpokenCue]
    ) -> None:
        """Compare the person with the goal."""
        pair = PosePair(person.pose, self._goals[self._number])
        measured = changes(pair)
        nearly, off, broken = (clauses_beyond(measured, share * tolerance.share, pair) for share in (WELL, 1.0, BROKEN))
        near = [clause for clause, _ in nearly]
        self._off = self._ways.update(now, [clause for clause, _ in off], near)
        self._ask_to_step_back(now, sayings)
        lost = bool(broken) or not self._presence.whole
        if self._phase is Phase.HOLD:
            self._hold(now, step, lost, sayings)
        elif self._runs.note(now, "within", so=not off and self._presence.whole) >= _ENTER:
            self._phase = Phase.HOLD
            self._held, self._entered = 0.0, self._seconds
            self._choice.drop(now, reached=True)
            self._said = None
            if now - self._announced_hold >= self._hold_seconds:
                self._announced_hold = now
                sayings.append(SpokenCue.HOLD)
        if self._phase is Phase.MOVE:
            self._instruct(now, pair, off, near, sayings)
        if self._phase in {Phase.MOVE, Phase.HOLD}:
            self._announce_covered(now, bool(off), sayings)

    def _hold(self, now: float, step: float, lost: bool, sayings: list[SpokenCue]) -> None:  # noqa: FBT001  the state of this frame
        """Count the time in the pose, over frames that show the pose only."""
        if self._runs.note(now, "lost", so=lost) >= _LEAVE:
            self._phase = Phase.MOVE
            self._runs.clear()
        if lost:
            return
        self._held += step
        if self._held < self._hold_seconds:
            return
        self._times[self._number] = round(self._entered - self._began, 2)
        self._reached_at = now
        last = self._number + 1 == len(self._goals)
        self._phase = Phase.DONE if last else Phase.REACHED
        sayings.append(SpokenCue.DONE if last else SpokenCue.REACHED)
        self._runs.clear()
        self._off, self._covered = (), None

    def _instruct(
        self,
        now: float,
        pair: PosePair,
        off: Sequence[tuple[Clause, float]],
        nearly: Sequence[Clause],
        sayings: list[SpokenCue],
    ) -> None:
        """Choose the instruction, and say it now if it is new and stable, or if there was no progress."""
        chosen = self._choice.update(
            now, off, nearly, lambda clause: step_of(clause, [one for one, _ in off], pair, self._shapes[self._number])
        )
        movement = None if chosen is None else chosen.step.movement
        # If nothing else is off, "hold it" is praise enough; a repeated instruction has not arrived.
        if off and self._said in self._choice.arrived and self._said != movement:
            sayings.append(SpokenCue.PRAISE)
        if chosen is None:
            self._said = None
        elif now < self._quiet_until:
            return
        elif movement != self._said:
            if now - chosen.since >= HELD:
                self._speak(now, chosen, sayings)
        elif chosen.salience < _BETTER * self._spoken_salience:
            self._spoken, self._spoken_salience = now, chosen.salience
        elif now - self._spoken >= REPEAT:
            self._speak(now, chosen, sayings)

    def _speak(self, now: float, chosen: ChosenInstruction, sayings: list[SpokenCue]) -> None:
        self._said, self._spoken, self._spoken_salience = chosen.step.movement, now, chosen.salience
        sayings.append(SpokenCue.MOVE)

    def _ask_to_step_back(self, now: float, sayings: list[SpokenCue]) -> None:
        """Say from time to time what is outside the picture, and give no instruction shortly after it."""
        part, warned = self._presence.outside, self._announced_outside
        if part is None:
            return
        if warned is None or now - warned[1] >= REPEAT * (2 if warned[0] == part else 1):
            self._announced_outside = part, now
            self._quiet_until = now + _BREATH
            sayings.append(SpokenCue.UNSEEN)

    def _announce_covered(self, now: float, off: bool, sayings: list[SpokenCue]) -> None:  # noqa: FBT001  the state of this frame
        """Say once per goal that a limb is covered and cannot be judged, if no other deviation is left.

        In the hold phase, a small deviation in single frames does not count.
        """
        if self._off or (off and self._phase is Phase.MOVE) or not self._presence.whole:
            self._covered_limbs.forget()
            self._covered = None
            return
        self._covered = self._covered_limbs.update(now, self._presence.hidden, self._goals[self._number])
        if self._covered is not None and self._covered not in self._announced_covered:
            self._announced_covered.add(self._covered)
            sayings.append(SpokenCue.COVERED)


# Rows of the plot and the body parts in each.
COURSE_ROWS: dict[str, tuple[str, ...]] = {
    "arms": ("left_elbow", "left_hand", "right_elbow", "right_hand"),
    "legs": ("left_knee", "left_foot", "right_knee", "right_foot"),
    "trunk": ("trunk",),
    "head": ("head",),
}
_JOINTS = {row: [INDEX[name] for part in parts for name in BODY_PARTS[part]] for row, parts in COURSE_ROWS.items()}
_EVERY = 0.25  # seconds between two points of the plot
_MAX_POINTS = 2400  # points: ten minutes
_THERE, _FAR = 6.0, 25.0  # centimetres at which a person is practically there, and from which they are far
_CALM = 0.5  # time constant of the smoothing in seconds: two thirds of a change are shown after it
_STEP = 0.05  # smallest change of nearness that is shown


def distances(joints: Array, goal: Array, wanted: NDArray[np.bool_]) -> dict[str, float]:
    """Return the mean distance in centimetres, per row, between joints and ``goal``, both (20, 3) on equal bones.

    Joints that are not ``wanted`` (20,) are ignored; a row without wanted joints is 0.
    """
    apart = joint_distances(pose_pair(joints, goal, placed=False)) * 100 * wanted
    return {row: round(float(apart[which].sum() / max(wanted[which].sum(), 1)), 1) for row, which in _JOINTS.items()}


@dataclass
class Course:
    """Distances by row since the start; the time stands still while no person is present."""

    times: list[float] = field(default_factory=list)
    rows: dict[str, list[float]] = field(default_factory=lambda: {row: [] for row in COURSE_ROWS})
    nearest: float = float("inf")

    def add(self, at: float, apart: dict[str, float]) -> bool:
        """Record the distances at ``at``, in seconds of the exercise; return whether they are the smallest so far."""
        if (not self.times or at - self.times[-1] >= _EVERY) and len(self.times) < _MAX_POINTS:
            self.times.append(round(at, 2))
            for row, values in self.rows.items():
                values.append(apart[row])
        mean = sum(apart.values()) / len(apart)
        if mean >= self.nearest:
            return False
        self.nearest = mean
        return True


@dataclass
class Nearness:
    """Nearness of a person to a goal: 0 at the largest distance so far, 1 when practically there, without flicker.

    While the person is still, a smaller distance never gives a smaller ``share``.
    """

    share: float = 0.0
    _calm: float | None = None  # smoothed distance in centimetres (root mean square over rows)
    _at: float = 0.0
    _furthest: float = _FAR

    def update(self, now: float, apart: dict[str, float]) -> None:
        """Process the distances at ``now``, in seconds; distances are in centimetres by row."""
        away = float(np.sqrt(np.mean(np.square(list(apart.values())))))
        weight = 1.0 if self._calm is None else 1 - float(np.exp(-max(0.0, now - self._at) / _CALM))
        self._calm = away if self._calm is None else self._calm + weight * (away - self._calm)
        self._at, self._furthest = now, max(self._furthest, self._calm)
        share = min(1.0, max(0.0, (self._furthest - self._calm) / (self._furthest - _THERE)))
        if abs(share - self.share) >= 0.8 * _STEP:  # hysteresis between two steps
            self.share = round(round(share / _STEP) * _STEP, 2)


_FAST = 0.12  # weight of a new frame: bones do not change, and depth is noisy
_HIP, _LOW = INDEX["hip"], [INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("ankle", "foot")]


class Ghost:
    """Smoothed body size of one person over time, so that the ghost neither jitters nor changes its size."""

    def __init__(self) -> None:
        self._lengths: Array | None = None
        self._scale: float | None = None

    def body(self, person: TrackedPerson, target: Array, wanted: NDArray[np.bool_]) -> Array:
        """Return the target (20, 3) in metres on the person's own bones; hidden bones keep their last length.

        Bones to joints that are not ``wanted`` (20,) follow the person.
        """
        body, own = with_bones(target, self._measures(person)), self.own(person)
        for parent, joint in BONES:
            if not wanted[joint]:
                body[joint] = body[parent] + own[joint] - own[parent]
        return body

    def own(self, person: TrackedPerson) -> Array:
        """Return the person (20, 3) on the same bones, so that distances measure the pose only."""
        return with_bones(person.pose.joints, self._measures(person))

    def follow(self, person: TrackedPerson) -> None:
        """Update the bone lengths from the next frame."""
        lengths = bone_lengths(person.pose.joints)
        if self._lengths is None:
            self._lengths = lengths
        visible = person.pose.visibility >= VISIBLE
        share = np.where(visible & visible[list(PARENTS)], _FAST, 0.0)
        self._lengths = self._lengths + share * (lengths - self._lengths)

    def _measures(self, person: TrackedPerson) -> Array:
        return bone_lengths(person.pose.joints) if self._lengths is None else self._lengths

    def places(self, person: TrackedPerson, body: Array) -> Array:
        """Return the places of the ``body`` joints, (20, 2) in shares of the frame, at the person's hips and floor."""
        pixels = person.places * np.array(person.size)
        flat = person.tilt.tilted(person.pose.joints)[:, :2]  # as seen in the picture
        body = person.tilt.tilted(body)
        visible = person.pose.visibility >= VISIBLE
        if visible.sum() < 4:  # noqa: PLR2004  too few to tell how large the person is
            visible = np.ones(len(flat), dtype=bool)
        spread = flat[visible] - flat[visible].mean(axis=0)
        apart = pixels[visible] - pixels[visible].mean(axis=0)
        scale = float((spread * apart).sum() / max(float((spread * spread).sum()), 1e-9))
        self._scale = scale if self._scale is None else self._scale + _FAST * (scale - self._scale)
        across = pixels[_HIP, 0] - self._scale * body[_HIP, 0]
        floor = pixels[_LOW, 1].max() - self._scale * body[:, 1].max()
        return np.asarray((self._scale * body[:, :2] + (across, floor)) / np.array(person.size))

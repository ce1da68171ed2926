"""The capture schedule: units, captures and their seeds, planned without rendering.

A *unit* is one character in one room in front of one camera. As in the release, three of the six characters visit each
room, each has its own spot, and every animation is performed in every unit. A pair is captured every twenty frames of
an animation, its target ten frames after its current pose (paper, Appendix B.1). The poses of ``wide`` pairs are drawn
in :mod:`fmp_models.sim.wide`; their number per unit is set here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmp_models.data.splits import PAIRS, captioning_split, scaled_sizes
from fmp_models.data.uids import Uid
from fmp_models.sim.motions import MOTIONS, MotionSample, MotionSource
from fmp_models.sim.rooms import COUNT

SPACING, OFFSET = 20, 10  # frames
WIDE_SHARE = 0.65  # wide pairs for each pair of the captioning splits
WIDE_TEST = 0.039  # wide evaluation pairs for each pair: three hundred at the paper's size
_SPARE = 1.05  # captures planned for each pair: some are too still, out of view or in furniture
_TURN = 10.0  # maximum degrees that a take is turned from the spot's heading to either side


@dataclass(frozen=True, order=True)
class Unit:
    """One character at its spot in one room; all its pictures share a backdrop."""

    room: int
    character: int

    @property
    def spot(self) -> int:
        """The spot in the room, 0 to 2; the release gives every character of a room its own."""
        return self.character % 3

    @property
    def split(self) -> str:
        """The captioning split of its pairs; ``val_seen`` is drawn from ``train`` later."""
        return captioning_split(self.uid(0, 0))

    def uid(self, animation: int, capture: int) -> Uid:
        """Return the uid of one of its pairs."""
        return Uid(animation, self.room, self.character, capture, self.spot)

    def __str__(self) -> str:
        """Return the name of the unit's file."""
        return f"{self.room}_{self.character}"


@dataclass(frozen=True)
class Performance:
    """One take of an animation: its seed, whether it is mirrored, degrees turned from the spot's heading."""

    animation: int
    seed: int
    mirrored: bool
    turn: float = 0.0

    def take(self, motions: Sequence[MotionSource] = MOTIONS) -> MotionSample:
        """Generate the take."""
        return motions[self.animation].take(self.seed, mirrored=self.mirrored)


@dataclass(frozen=True)
class Moment:
    """A frame of a performance."""

    performance: Performance
    frame: float


@dataclass(frozen=True)
class Capture:
    """A pair to capture."""

    uid: Uid
    current: Moment
    target: Moment


def all_units() -> list[Unit]:
    """Return the 75 units: characters 0 to 2 in even rooms, 3 to 5 in odd ones."""
    return [Unit(room, character + 3 * (room % 2)) for room in range(COUNT) for character in range(3)]


def units_for(pairs: int, seed: int) -> list[Unit]:
    """Return the units that ``pairs`` captioning pairs need: the same share of every split, at least one of each.

    Within the rooms of a split the characters take turns, so that a few units are as balanced as all.
    """
    groups: dict[str, list[Unit]] = {}
    for unit in all_units():
        groups.setdefault(unit.split, []).append(unit)
    chosen: list[Unit] = []
    for number, group in enumerate(groups.values()):
        order = np.random.default_rng([seed, 1, number]).permutation(len(group))
        turn: dict[int, int] = {}
        ranked: list[tuple[int, int, Unit]] = []
        for i in order:
            unit = group[i]
            turn[unit.character] = turn.get(unit.character, 0) + 1
            ranked.append((turn[unit.character], len(ranked), unit))
        wanted = max(1, math.ceil(len(group) * min(1.0, pairs / PAIRS)))
        chosen += [unit for _, _, unit in sorted(ranked)[:wanted]]
    return sorted(chosen)


def captures_of(unit: Unit, seed: int, share: float = 1.0, motions: Sequence[MotionSource] = MOTIONS) -> list[Capture]:
    """Return the pairs of one unit over all animations: the first ``share`` of each animation's captures, at least one.

    With a share above one every animation is performed several times, and its captures are numbered on.
    """
    captures = []
    for motion in motions:
        wanted = max(1, math.ceil(motion.captures * share))
        for number in range(wanted):
            again, capture = divmod(number, motion.captures)
            performance = _performance(unit, motion.number, seed, again)
            uid = unit.uid(motion.number, number)
            at = SPACING * capture
            captures.append(Capture(uid, Moment(performance, at), Moment(performance, at + OFFSET)))
    return captures


def _performance(unit: Unit, animation: int, seed: int, again: int) -> Performance:
    random = np.random.default_rng([seed, 2, animation, unit.room, unit.character, again])
    mirrored = bool(random.integers(2))
    return Performance(animation, int(random.integers(2**31)), mirrored, float(random.uniform(-_TURN, _TURN)))


def share_for(pairs: int, units: Sequence[Unit], motions: Sequence[MotionSource] = MOTIONS) -> float:
    """Return the share of every unit's captures that ``pairs`` pairs need, for :func:`captures_of`.

    It is the largest share that any split needs.
    """
    each = sum(motion.captures for motion in motions)
    has = Counter(unit.split for unit in units)
    sizes = scaled_sizes(pairs)
    sizes["train"] += sizes.pop("val_seen")
    return _SPARE * max(size / (each * has[split]) for split, size in sizes.items())


def wide_counts(units: Sequence[Unit], pairs: int) -> dict[str, dict[Unit, int]]:
    """Return the number of wide pairs of every unit, by split: ``train`` or ``test_unseen`` after the room."""
    counts = {}
    for split, wanted in (("train", round(WIDE_SHARE * pairs)), ("test_unseen", max(1, round(WIDE_TEST * pairs)))):
        chosen = [unit for unit in units if unit.split == split]
        each, rest = divmod(wanted, len(chosen))
        counts[split] = {unit: each + (number < rest) for number, unit in enumerate(chosen)}
    return counts

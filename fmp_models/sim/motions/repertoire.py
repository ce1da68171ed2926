"""The repertoire of the characters: the catalogue of motions, and after it the motion captures that a user brings."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fmp_models.errors import BadInputError
from fmp_models.sim.motions.bvh import read_bvh
from fmp_models.sim.motions.captured import CapturedTake
from fmp_models.sim.motions.takes import MOTIONS, mirror_pose
from fmp_models.sim.motions.variation import FRAMES_PER_CAPTURE
from fmp_models.sim.people.posing import BodyPose


class MotionSample(Protocol):
    """Anything that gives a pose for a frame."""

    def pose(self, frame: float) -> BodyPose:
        """The whole body at a frame."""
        ...


class MotionSource(Protocol):
    """A motion of the catalogue or a recorded one."""

    @property
    def number(self) -> int:
        """The animation of its uids."""
        ...

    @property
    def captures(self) -> int:
        """How many pairs it gives: number k at frames 20 k and 20 k + 10."""
        ...

    def take(self, seed: int, *, mirrored: bool) -> MotionSample:
        """One performance."""
        ...


@dataclass(frozen=True)
class RecordedTake:
    """A recording from one of its first frames on, as it is or in the mirror."""

    recording: CapturedTake
    start: int
    mirrored: bool

    def pose(self, frame: float) -> BodyPose:
        """The whole body at a frame, within its limits."""
        pose = self.recording.pose(self.start + frame)
        return mirror_pose(pose) if self.mirrored else pose


@dataclass(frozen=True)
class RecordedMotion:
    """A motion capture: takes differ in where they begin and in left and right alone."""

    number: int
    recording: CapturedTake

    @property
    def captures(self) -> int:
        """How many pairs fit into it."""
        return self.recording.frames // FRAMES_PER_CAPTURE

    def take(self, seed: int, *, mirrored: bool) -> RecordedTake:
        """One performance."""
        spare = self.recording.frames - self.captures * FRAMES_PER_CAPTURE
        return RecordedTake(self.recording, seed % (spare + 1), mirrored)


def repertoire(recordings: Sequence[Path]) -> tuple[MotionSource, ...]:
    """The catalogue and the BVH files of ``recordings``, numbered on.

    A file is read once in a process. Raises :class:`BadInputError` that names what is wrong with it, or says that it is
    too short for one pair.
    """
    return _read(tuple(recordings))


@functools.cache
def _read(recordings: tuple[Path, ...]) -> tuple[MotionSource, ...]:
    motions: list[MotionSource] = list(MOTIONS)
    for path in recordings:
        motion = RecordedMotion(len(motions), read_bvh(path))
        if not motion.captures:
            raise BadInputError("bvh_too_short", path=str(path))
        motions.append(motion)
    return tuple(motions)

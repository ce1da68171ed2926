"""The repertoire of the characters: the motions of the catalogue, followed by the user's motion captures."""

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
    """A source of poses by frame."""

    def pose(self, frame: float) -> BodyPose:
        """Return the whole body at a frame."""
        ...


class MotionSource(Protocol):
    """A motion of the catalogue or a recorded one."""

    @property
    def number(self) -> int:
        """The animation number of its uids."""
        ...

    @property
    def captures(self) -> int:
        """The number of pairs it gives: pair k at frames 20 k and 20 k + 10."""
        ...

    def take(self, seed: int, *, mirrored: bool) -> MotionSample:
        """Return one performance."""
        ...


@dataclass(frozen=True)
class RecordedTake:
    """A recording from frame ``start`` on, mirrored or not."""

    recording: CapturedTake
    start: int
    mirrored: bool

    def pose(self, frame: float) -> BodyPose:
        """Return the whole body at a frame, within its limits."""
        pose = self.recording.pose(self.start + frame)
        return mirror_pose(pose) if self.mirrored else pose


@dataclass(frozen=True)
class RecordedMotion:
    """A motion capture; its takes differ only in their start and in being mirrored."""

    number: int
    recording: CapturedTake

    @property
    def captures(self) -> int:
        """The number of pairs that fit into it."""
        return self.recording.frames // FRAMES_PER_CAPTURE

    def take(self, seed: int, *, mirrored: bool) -> RecordedTake:
        """Return one performance."""
        spare = self.recording.frames - self.captures * FRAMES_PER_CAPTURE
        return RecordedTake(self.recording, seed % (spare + 1), mirrored)


def repertoire(recordings: Sequence[Path]) -> tuple[MotionSource, ...]:
    """Return the catalogue and the BVH files of ``recordings``, numbered consecutively.

    A file is read once in a process. Raises :class:`BadInputError` if a file is malformed or too short for one pair.
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

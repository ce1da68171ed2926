"""Poses of performed motions: takes of the catalogue and motion captures, as rotations of segments."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmp_models.data.splits import retrieval_split
from fmp_models.data.uids import Uid
from fmp_models.pose import Array
from fmp_models.sim.motions import MotionSample, MotionSource, repertoire
from fmp_models.sim.motions.variation import FRAMES_PER_CAPTURE
from fmp_models.sim.people.body import at_rest
from fmp_models.sim.people.characters import CHARACTERS
from fmp_models.sim.people.posing import BodyPose, Skeleton
from fmp_models.sim.poses.frames import BONE_OF, SEGMENTS, Frame, Segments, frame

_TAKES = 12  # performances of each motion
_EVERY = 3  # frames between poses: nearer ones hardly differ
_REFERENCE = 4  # the character whose skeleton is posed; its rotations fit every body
_OFF = 0.03  # metres above the floor; a higher body counts as jumping


@functools.cache
def _reference() -> Skeleton:
    return at_rest(CHARACTERS[_REFERENCE].build).skeleton


@functools.cache
def _bones() -> NDArray[np.intp]:
    names = list(_reference().names)
    wanted = ((name, *name.partition(".")) for name in SEGMENTS)
    return np.array([names.index(BONE_OF[base] + (f".{side}" if side else "")) for _, base, _, side in wanted])


def segments_of(pose: BodyPose) -> Array:
    """Return the rotations (17, 3, 3) of the segments of a pose."""
    return np.asarray(_reference().pose(pose)[_bones()])


class Library:
    """The poses of all training motions, addressed by three numbers between 0 and 1 and computed on first use."""

    def __init__(self, recordings: Sequence[Path] = ()) -> None:
        motions = repertoire(recordings)
        self._motions: list[MotionSource] = [
            motion for motion in motions if retrieval_split(Uid(motion.number, 0, 0, 0, 0)) == "train"
        ]
        self._takes: dict[tuple[int, int], MotionSample] = {}
        self._poses: dict[tuple[int, int, int], tuple[Array, float]] = {}

    def number(self, of_motion: Array) -> NDArray[np.int64]:
        """Return the animation numbers (n,) of the motions that ``of_motion`` (n,) selects."""
        return np.array([self._motions[int(x * len(self._motions))].number for x in of_motion], dtype=np.int64)

    def posed(self, of_motion: Array, of_take: Array, of_frame: Array, body: Frame) -> Segments:
        """Return the bodies (n) that the numbers (n,) select, on the floor, or above it in a jump."""
        poses = [
            self._pose(int(a * len(self._motions)), int(b * _TAKES), c)
            for a, b, c in zip(of_motion, of_take, of_frame, strict=True)
        ]
        turns = np.stack([turn for turn, _ in poses])
        made = Segments(turns, np.zeros((len(poses), 3)))
        made.roots[:, 2] = np.array([flies for _, flies in poses]) - body.lowest(made)
        return made

    def _pose(self, which: int, take: int, share: float) -> tuple[Array, float]:
        motion = self._motions[which]
        at = int(share * motion.captures * FRAMES_PER_CAPTURE / _EVERY)
        key = (which, take, at)
        if key not in self._poses:
            if (which, take) not in self._takes:
                self._takes[which, take] = motion.take(7919 * take + which, mirrored=bool(take % 2))
            try:
                pose = self._takes[which, take].pose(float(at * _EVERY))
                turns = segments_of(pose)
            except ValueError:  # a recording of another body may be out of reach; use its first frame then
                return self._pose(which, take, 0.0) if at else (np.tile(np.eye(3), (len(SEGMENTS), 1, 1)), 0.0)
            self._poses[key] = turns, _flies(pose, turns)
        return self._poses[key]


def _flies(pose: BodyPose, turns: Array) -> float:
    """Return the height in metres of a body above the floor."""
    body = frame(_REFERENCE)
    made = Segments(turns[None], np.zeros((1, 3)))
    places = body.skeleton(made)
    hips = float(places["thigh.L"][0, 2] + places["thigh.R"][0, 2]) / 2
    standing = turns[None].copy()
    standing[:] = np.eye(3)
    height = pose.hip_height * sum(body.leg) + float(body.under("foot.L", np.eye(3)[None])[0]) - hips
    lowest = float(body.lowest(made)[0]) + height
    return lowest if lowest > _OFF else 0.0


@functools.cache
def library(recordings: tuple[Path, ...] = ()) -> Library:
    """Return the library of the catalogue and these recordings, made once in a process."""
    return Library(recordings)

"""Exercises for tests of the live coach: frames of people who move from body to body, tracked with noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from fmp_models.estimators.base import sampled_joints
from fmp_models.estimators.landmarks import TrackedPerson
from fmp_models.pose import INDEX, JOINTS, Pose
from tests.bodies import Body, between

SIZE = (480, 640)
RATE = 12  # frames a second
_PER_METRE, _MIDDLE = 260.0, (240.0, 300.0)
# Of MediaPipe's joints from frame to frame after its own filter: metres along the picture and in depth, and how much of
# it stays from one frame to the next.
NOISE, _LASTING = np.array([0.008, 0.008, 0.02]), 0.8


def tracked(pose: Pose, hidden: Sequence[str] = (), covered: Sequence[str] = ()) -> TrackedPerson:
    """Return the person as a tracker reports them; ``hidden`` joints lie outside the picture."""
    inside = np.array([name not in hidden for name in JOINTS])
    visibility = np.where(inside, [0.2 if name in covered else 0.97 for name in JOINTS], 0.0)
    seen = Pose(pose.joints, visibility, pose_samples=sampled_joints([pose.joints], visibility, inside))
    pixels = pose.joints[:, :2] * _PER_METRE + _MIDDLE
    return TrackedPerson(seen, pixels / np.array(SIZE), SIZE)


def exercise(
    *bodies: Body, seed: int = 0, still: float = 2.0, moving: float = 2.5, noise: float = 1.0
) -> Iterator[tuple[float, TrackedPerson]]:
    """Moments in seconds and the person at each: still in the first body, then on to each next one and still there."""
    dice, error, moment = np.random.default_rng(seed), np.zeros((len(JOINTS), 3)), 0
    way = [(bodies[0], bodies[0], still)]
    for start, end in pairwise(bodies):
        way += [(start, end, moving), (end, end, still)]
    for start, end, seconds in way:
        count = round(seconds * RATE)
        for step in range(count):
            fresh = dice.normal(0, noise, error.shape) * NOISE
            error = _LASTING * error + np.sqrt(1 - _LASTING**2) * fresh
            joints = between(start, end, (step + 1) / count).pose().joints + error
            yield moment / RATE, tracked(Pose(joints, np.ones(len(JOINTS))))
            moment += 1


FEET = [name for name in INDEX if name.endswith(("ankle", "foot"))]

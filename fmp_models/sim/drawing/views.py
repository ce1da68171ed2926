"""Drawn poses seen by cameras: pairs of joints without pictures, hundreds a second.

The joints are metres in the *levelled* camera frame: the origin is the camera, x goes to the right of the picture, y
down along gravity and z away from the camera along the floor, however the camera is tilted. The geometry of
``fmp_models.describe`` and ``pose.body_axes`` takes y as the vertical, so its texts are true of these joints and not of
tilted ones. :func:`fmp_models.data.camera.tilted` converts them with the ``pitch`` and ``roll`` of each picture into
the joints in the tilted camera's own frame, which an estimator without knowledge of gravity measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry.shape import Shape
from fmp_models.pose import INDEX, Array
from fmp_models.sim.drawing.drawn_poses import NAMES, DrawnPoses, drawn_pairs
from fmp_models.sim.drawing.library import library
from fmp_models.sim.drawing.shapes import shape_pairs
from fmp_models.sim.people.characters import CHARACTERS
from fmp_models.sim.people.posing import UP
from fmp_models.sim.poses.frames import FURTHER_BUILDS, Frame, frame
from fmp_models.sim.poses.turning import about

BODIES = len(CHARACTERS) + FURTHER_BUILDS
ONE_CAMERA = 0.8  # share of pairs taken by one camera; two cameras take the others
PITCHES = (-35.0, 60.0)  # degrees that a camera looks down
_ROLL = 4.0  # degrees, one standard deviation
_DISTANCES = (1.6, 6.0)  # metres
_LOTS = 512  # number of pairs of one body drawn together
_TURNED = 0.15  # share of targets with a random heading; the others keep theirs nearly
_TURN = 9.0  # degrees, one standard deviation
_STEPPED, _STEP = 0.2, 0.3  # share of targets that move, and metres of the move
_UPRIGHT = frozenset({"motions", "standing", "one leg", "folded"})  # families whose feet stay in place


@dataclass(frozen=True)
class SeenPairs:
    """Pairs (n) of known joints: ``joints`` (n, 2, 20, 3) in the levelled camera frame, current and target.

    ``pitch`` and ``roll`` (n, 2) are the degrees that each camera looks down and is turned clockwise. ``placed`` (n,)
    marks pairs taken by one camera, whose joints can be compared in space. ``families`` (n, 2) are the families of the
    poses as indices of :data:`fmp_models.sim.drawing.drawn_poses.NAMES`; ``changes`` (n,) tells how the poses differ.
    """

    joints: NDArray[np.float32]
    pitch: NDArray[np.float32]
    roll: NDArray[np.float32]
    placed: NDArray[np.bool_]
    families: NDArray[np.int64]
    changes: NDArray[np.str_]


def seen_pairs(seed: Sequence[int] | int, count: int, recordings: Sequence[Path] = ()) -> SeenPairs:
    """Return ``count`` pairs of drawn poses of various builds, from all sides; the same for the same seed and count."""
    random = np.random.default_rng(seed)
    lots = []
    for first in range(0, count, _LOTS):
        body = frame(int(random.integers(BODIES)))
        size = min(_LOTS, count - first)
        current, target, changes = drawn_pairs(random, size, body, library(tuple(recordings)))
        lots.append(_as_seen(random, current, target, changes, body))
    return SeenPairs(*(np.concatenate(parts) for parts in zip(*lots, strict=True)))


def seen_shape_pairs(seed: Sequence[int] | int, count: int, shapes: Sequence[Shape]) -> SeenPairs:
    """Return ``count`` pairs whose target holds one of the shapes, seen as in :func:`seen_pairs`."""
    random = np.random.default_rng(seed)
    lots, made = [], 0
    while made < count:
        body = frame(int(random.integers(BODIES)))
        current, target = shape_pairs(random, body, library(), shapes)
        changes = np.full(len(target.families), "shape")
        lots.append(_as_seen(random, current, target, changes, body))
        made += len(changes)
    return SeenPairs(*(np.concatenate(parts)[:count] for parts in zip(*lots, strict=True)))


def drawn_pair(seed: Sequence[int] | int, recordings: Sequence[Path] = ()) -> SeenPairs:
    """Return one pair (n = 1) of :func:`seen_pairs`."""
    return seen_pairs(seed, 1, recordings)


def anchors(families: NDArray[np.int64], joints: Array) -> Array:
    """Return floor points (n, 2) that stay fixed between poses: between the feet if upright, else below the hips."""
    feet = (joints[:, INDEX["left_ankle"], :2] + joints[:, INDEX["right_ankle"], :2]) / 2
    upright = np.isin(families, [NAMES.index(name) for name in _UPRIGHT])
    return np.where(upright[:, None], feet, joints[:, INDEX["hip"], :2])


def turned_and_moved(random: np.random.Generator, count: int) -> tuple[Array, Array]:
    """Draw the degrees (n,) and metres (n, 2) by which targets differ in heading and place."""
    turn = np.where(random.random(count) < _TURNED, random.uniform(-180, 180, count), random.normal(0, _TURN, count))
    step = np.where(random.random(count) < _STEPPED, _STEP, 0.02)[:, None]
    return turn, step * random.normal(0, 1, (count, 2))


def _as_seen(
    random: np.random.Generator, current: DrawnPoses, target: DrawnPoses, changes: NDArray[np.str_], body: Frame
) -> tuple[NDArray[np.generic], ...]:
    count = len(changes)
    heading = random.uniform(-180, 180, count)
    turn, step = turned_and_moved(random, count)
    one_camera = random.random(count) < ONE_CAMERA
    target_heading = np.where(one_camera, heading, random.uniform(-180, 180, count))
    pitch = random.triangular(PITCHES[0], 8.0, PITCHES[1], (count, 2))
    distance = random.uniform(*_DISTANCES, (count, 2))
    aside = random.normal(0, 0.25, (count, 2))
    middle = random.uniform(0.5, 1.0, (count, 2))
    for values in (pitch, distance, aside, middle):
        values[one_camera, 1] = values[one_camera, 0]
    roll = random.normal(0, _ROLL, (count, 2))
    roll[one_camera, 1] = roll[one_camera, 0]
    joints_of_poses = []
    for which, drawn, yaw, moved in ((0, current, heading, 0 * step), (1, target, target_heading + turn, step)):
        joints = body.joints(drawn.bodies)
        joints[:, :, :2] -= anchors(drawn.families, joints)[:, None]
        joints = joints @ np.swapaxes(about(UP, yaw), -1, -2)
        joints[:, :, :2] += moved[:, None]
        high = middle[:, which] + distance[:, which] * np.tan(np.radians(np.clip(pitch[:, which], -25, 55)))
        high = np.clip(high, 0.05, 2.8)
        joints_of_poses.append(
            np.stack(
                [
                    joints[:, :, 0] + aside[:, which, None],
                    high[:, None] - joints[:, :, 2],
                    joints[:, :, 1] + distance[:, which, None],
                ],
                axis=-1,
            )
        )
    return (
        np.stack(joints_of_poses, axis=1).astype(np.float32),
        pitch.astype(np.float32),
        roll.astype(np.float32),
        one_camera,
        np.stack([current.families, target.families], axis=1),
        changes,
    )

"""Drawn poses that hold a named shape: random poses close to the shape, changed until they hold it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry.shape import Shape, distance_from_shape
from fmp_models.pose import Array
from fmp_models.sim.drawing.drawn_poses import DrawnPoses, drawn_poses, made_of
from fmp_models.sim.drawing.library import Library
from fmp_models.sim.poses.frames import Frame, Segments
from fmp_models.sim.poses.numbers import changed_a_little, changed_limbs

MAX_EXCESS = 1.0  # slacks by which a body that holds a shape may miss a range at most
_WANTED = 0.5  # slacks: a pose is changed until it misses no range by more than this
_ROUNDS = 60
_SIZES = (0.2, 0.06)  # standard deviations of the changes of a pose's numbers, used in turn
_NEAREST = 16  # poses of each shape and side
_POOL = 1536


def shape_pairs(
    random: np.random.Generator, body: Frame, library: Library, shapes: Sequence[Shape]
) -> tuple[DrawnPoses, DrawnPoses]:
    """Return current poses of one body, and targets that hold each of the shapes about equally often.

    A current pose is any drawn pose, or one that holds another shape. A shape that no pose reaches is left out.
    """
    pool = drawn_poses(random, _POOL, body, library)
    wanted = [(shape, side) for shape in shapes for side in shape.sides for _ in range(_NEAREST)]
    excess = [
        distance_from_shape(shape.ranges, _upright(body, pool.bodies), side) for shape, side in wanted[::_NEAREST]
    ]
    nearest = np.argsort(excess, axis=1, kind="stable")[:, :_NEAREST]
    away = np.take_along_axis(np.array(excess), nearest, axis=1).ravel()
    numbers, families = pool.numbers[nearest.ravel()], pool.families[nearest.ravel()]
    for number in range(_ROUNDS):
        due = np.flatnonzero(away > _WANTED)
        if not len(due):
            break
        turn = number % (1 + len(_SIZES))
        changed = (
            changed_a_little(random, numbers[due], _SIZES[turn - 1]) if turn else changed_limbs(random, numbers[due])
        )
        made, able = made_of(changed, families[due], body, library)
        poses = zip(due.tolist(), _upright(body, made), strict=True)
        new = np.array([float(distance_from_shape(wanted[row][0].ranges, pose, wanted[row][1])) for row, pose in poses])
        better = able & (new < away[due])
        numbers[due[better]], away[due[better]] = changed[better], new[better]
    held = random.permutation(np.flatnonzero(away <= MAX_EXCESS))
    every = np.concatenate([pool.numbers, numbers[held]]), np.concatenate([pool.families, families[held]])
    others = random.integers(0, len(every[0]), len(held))

    def posed(rows: NDArray[np.intp]) -> DrawnPoses:
        chosen, of = every[0][rows], every[1][rows]
        return DrawnPoses(made_of(chosen, of, body, library)[0], chosen, of)

    return posed(others), posed(_POOL + np.arange(len(held)))


def _upright(body: Frame, made: Segments) -> Array:
    """Return joints (n, 20, 3) in the frame of a level camera in front, with y down and z away from it."""
    joints = body.joints(made)
    return np.stack([joints[..., 0], -joints[..., 2], joints[..., 1]], axis=-1)

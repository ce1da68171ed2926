"""Rotations and directions of batches of bodies: the first axis of every array is the pose, (n, ...)."""

from __future__ import annotations

import numpy as np

from fmp_models.pose import Array
from fmp_models.sim.people.posing import FORWARD, UP


def unit(vectors: Array) -> Array:
    """Return vectors (..., 3) scaled to length one."""
    return np.asarray(vectors / np.maximum(np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True)), 1e-9))


def about(axis: Array, degrees: Array) -> Array:
    """Return rotations (n, 3, 3) by degrees (n,) about unit axes (3,) or (n, 3), after Rodrigues."""
    angle = np.radians(np.atleast_1d(degrees))
    x, y, z = np.asarray(axis).T
    sine, cosine = np.sin(angle), np.cos(angle)
    rest = 1 - cosine
    rotations = np.empty((len(angle), 3, 3))
    rotations[:, 0, 0], rotations[:, 1, 1], rotations[:, 2, 2] = (
        cosine + x * x * rest,
        cosine + y * y * rest,
        cosine + z * z * rest,
    )
    for i, j, first, second, third in ((0, 1, x, y, z), (2, 0, z, x, y), (1, 2, y, z, x)):
        rotations[:, i, j] = first * second * rest - third * sine
        rotations[:, j, i] = first * second * rest + third * sine
    return rotations


def applied(turns: Array, vectors: Array) -> Array:
    """Apply rotations (n, 3, 3) to vectors (3,) or (n, 3)."""
    if vectors.ndim == 1:
        return np.asarray(turns @ vectors)
    return np.asarray((turns @ vectors[..., None])[..., 0])


def across(vectors: Array, axes: Array) -> Array:
    """Return the components of vectors (n, 3) perpendicular to unit axes (n, 3)."""
    return np.asarray(vectors - (vectors * axes).sum(axis=-1, keepdims=True) * axes)


def carry(rest: tuple[Array, Array], want: tuple[Array, Array]) -> Array:
    """Return rotations (n, 3, 3) that map one direction (3,) exactly to (n, 3) and a second one as near as possible."""
    return np.asarray(_frames(*want) @ np.swapaxes(_frames(rest[0][None], rest[1][None]), -1, -2))


def _frames(first: Array, second: Array) -> Array:
    x = unit(first)
    y = unit(across(second, x))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def shares_of_turn(first: Array, last: Array, count: int) -> Array:
    """Return rotations (count, n, 3, 3) in equal steps after ``first`` (n, 3, 3) up to and including ``last``."""
    turn = last @ np.swapaxes(first, -1, -2)
    twice = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], -1)
    size = np.sqrt((twice * twice).sum(axis=-1))
    degrees = np.degrees(np.arctan2(size, np.trace(turn, axis1=1, axis2=2) - 1))
    axis = twice / np.maximum(size, 1e-9)[:, None]
    shares = np.arange(1, count + 1)[:, None] / count
    turns = about(np.tile(axis, (count, 1)), (shares * degrees).ravel()).reshape(count, len(first), 3, 3)
    return np.asarray(turns @ first)


def two_bones(end: Array, lengths: tuple[float, float], pole: Array, most_bend: float) -> tuple[Array, Array]:
    """Return unit directions (n, 3) of two bones from the origin to ``end``, with their joint on the side of ``pole``.

    An ``end`` out of reach, or nearer than a joint bent by ``most_bend`` degrees allows, is approached.
    """
    first, second = lengths
    least = np.sqrt(first**2 + second**2 + 2 * first * second * np.cos(np.radians(most_bend)))
    reach = np.clip(np.sqrt((end * end).sum(axis=-1)), least, 0.999 * (first + second))
    axis = unit(end)
    along = (first**2 - second**2 + reach**2) / (2 * reach)
    aside = np.sqrt(np.maximum(first**2 - along**2, 0.0))
    joint = along[:, None] * axis + aside[:, None] * unit(across(pole, axis))
    return unit(joint), unit(reach[:, None] * axis - joint)


def seen_from(frames: Array, side: float, out: Array, up: Array, forward: Array) -> Array:
    """Return world vectors (n, 3) of (out, up, forward) in body frames (n, 3, 3); ``side`` is 1 (left) or -1."""
    local = np.stack(np.broadcast_arrays(side * np.asarray(out), -np.asarray(forward), np.asarray(up)), axis=-1)
    return np.asarray((frames @ np.broadcast_to(local, (len(frames), 3))[..., None])[..., 0])


def level_frames(frames: Array) -> Array:
    """Return frames (n, 3, 3) rotated about the vertical only; forward is where the body looks.

    For a body that looks steeply up forward is towards its head, for one that looks steeply down towards its feet.
    """
    ahead = -frames[:, :, 1] + np.where(
        np.abs(frames[:, 2:, 1]) > 0.8, -np.sign(frames[:, 2:, 1]) * frames[:, :, 2], 0.0
    )
    ahead = unit(ahead * [1.0, 1.0, 0.0] + 1e-6 * FORWARD)
    back = -ahead
    return np.stack([np.cross(back, UP), back, np.broadcast_to(UP, back.shape)], axis=-1)

"""Patterns of cloth: where a garment has its second colour, by position on the resting body."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fmp_models.pose import Array
from fmp_models.sim.people.posing import FORWARD, SIDES, Skeleton

Pattern = Literal["stripes", "hoops", "check", "dots", "raglan", "side_stripe"]
STRIPE, HOOP, CHECK, DOT = 0.06, 0.09, 0.075, 0.075  # periods of the patterns in metres
DOT_RADIUS = 0.017
SIDE_STRIPE = 0.022  # metres to either side of the outer seam of a leg
EDGE = 0.008  # metres of transition between two colours
ARM_RADIUS = 0.05  # radius in metres of an unrolled sleeve


def soft(edge: Array) -> Array:
    """Return 0 below an edge, 1 above it, and a ramp of one unit between: edges of vertex colours look smooth."""
    return np.asarray(np.clip(edge + 0.5, 0, 1))


def second_colour(pattern: Pattern, skeleton: Skeleton, place: Array, arm: Array) -> Array:
    """Return the share (N,), 0 to 1, of the second colour at resting points (N, 3) with arm weights ``arm`` (N,)."""
    if pattern == "stripes":
        # Only around the trunk; "hoops" continue along the sleeves.
        return np.asarray(soft((np.sin(place[:, 2] * 2 * np.pi / STRIPE) - 0.3) * 1.2) * (1 - arm))
    if pattern == "raglan":
        return soft((arm - 0.5) / 0.2)
    if pattern == "side_stripe":
        return _side_stripe(skeleton, place)
    across, down = _unrolled(skeleton, place, arm)
    if pattern == "hoops":
        return _bands(down, HOOP, 0.36)
    if pattern == "check":
        return (_bands(across, CHECK, 0.5) + _bands(down, CHECK, 0.5)) / 2
    row = np.round(down / (DOT * 0.8))
    aside = (across / DOT + 0.5 * row) % 1 * DOT - DOT / 2
    return soft((DOT_RADIUS - np.hypot(aside, down - row * DOT * 0.8)) / EDGE)


def _bands(where: Array, period: float, share: float) -> Array:
    """Return 1 in the middle of every period, over a share of it, else 0."""
    return soft((share * period / 2 - np.abs(where % period - period / 2)) / EDGE)


def _unrolled(skeleton: Skeleton, place: Array, arm: Array) -> tuple[Array, Array]:
    """Return metres across and down the flattened cloth: trunk seen from the front, sleeves unrolled."""
    across, down = place[:, 0], -place[:, 2]
    for side, sign in SIDES.items():
        shoulder = skeleton.at(f"upperarm01.{side}")
        axis = skeleton.at(f"wrist.{side}") - shoulder
        axis = axis / np.linalg.norm(axis)
        ahead = FORWARD - (FORWARD @ axis) * axis
        ahead = ahead / np.linalg.norm(ahead)
        offset = place - shoulder
        sleeve = (arm > 0.5) & (place[:, 0] * sign > 0)  # noqa: PLR2004 - more arm than trunk
        across = np.where(sleeve, ARM_RADIUS * np.arctan2(offset @ np.cross(axis, ahead), offset @ ahead), across)
        down = np.where(sleeve, offset @ axis, down)
    return across, down


def _side_stripe(skeleton: Skeleton, place: Array) -> Array:
    """Return the share of a stripe down the outer seam of trousers."""
    leg = np.stack([skeleton.at(f"{bone}.L") for bone in ("foot", "lowerleg01", "upperleg01")])
    middle = [np.interp(place[:, 2], leg[:, 2], leg[:, axis]) for axis in (0, 1)]
    outside = np.abs(place[:, 0]) > middle[0]
    return soft((SIDE_STRIPE - np.abs(place[:, 1] - middle[1])) / EDGE) * outside

"""The shell of a room, facing inwards: floor, ceiling, four walls and their skirting.

A camera outside the room looks through the back of the nearest wall. Light comes from the ``sun`` side: the opposite
wall is brightest, and corners are darker.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyvista as pv

from fmp_models.sim.rendering.light import Array, Colour, Surface, sharp
from fmp_models.sim.rooms.finishes import PATTERNS
from fmp_models.sim.rooms.plans import SIDES, Finish, RoomPlan

INWARD = {"north": (0, -1), "east": (-1, 0), "south": (0, 1), "west": (1, 0)}
_SKIRTING, _THICK = 0.09, 0.012
_CORNER, _REACH = 0.14, 0.30  # how much darker a corner is, and the decay length of this in metres


def build_shell(plan: RoomPlan) -> tuple[Surface, ...]:
    """Return the six planes and the skirting of a room whose floor lies on z = 0 around the origin."""
    width, depth, height = plan.size
    floor = _plane((0, 0, 0), (0, 0, 1), (width, depth))
    ceiling = _plane((0, 0, height), (0, 0, -1), (width, depth))
    shell = [
        Surface(floor, _floor(plan), gloss=0.04, shadow=False),
        Surface(ceiling, plan.ceiling, shadow=False),
    ]
    for side in SIDES:
        shell += _wall(plan, side)
    return tuple(shell)


def _wall(plan: RoomPlan, side: str) -> list[Surface]:
    width, depth, height = plan.size
    inward = np.array(INWARD[side])
    far = (depth if inward[1] else width) / 2
    length = width if inward[1] else depth
    middle = -inward * far
    wall = _plane((*middle, height / 2), (*inward, 0), (length, height))
    board = _plane((*(middle + inward * _THICK), _SKIRTING / 2), (*inward, 0), (length - 2 * _THICK, _SKIRTING))
    ledge = _plane((*(middle + inward * _THICK / 2), _SKIRTING), (0, 0, 1), _ledge(inward, length))
    daylight = _daylight(plan.sun, inward)
    return [
        Surface(wall, _painted(plan.walls[side], inward, length, height, daylight), shadow=False),
        Surface(board, _dimmed(plan.trim, daylight), shadow=False),
        Surface(ledge, plan.trim, shadow=False),
    ]


def _ledge(inward: Array, length: float) -> tuple[float, float]:
    return (length, _THICK) if inward[1] else (_THICK, length)


def _daylight(sun: str, inward: Array) -> float:
    """Return the brightness of a wall, highest for a wall that faces the light."""
    return 0.96 + 0.07 * float(-np.dot(INWARD[sun], inward))


def _painted(finish: Finish, inward: Array, length: float, height: float, daylight: float) -> Callable[[Array], Array]:
    pattern = PATTERNS[finish.pattern]

    def colour(place: Array) -> Array:
        along, up = place[:, 0 if inward[1] else 1], place[:, 2]
        edge = np.minimum(length / 2 - np.abs(along), height - up)
        shade = daylight * (1 - _CORNER * np.exp(-np.maximum(edge, 0) / _REACH))
        return np.asarray(np.clip(pattern(np.stack([along, up], axis=1), *finish.colours) * shade[:, None], 0, 1))

    return colour


def _floor(plan: RoomPlan) -> Callable[[Array], Array]:
    pattern = PATTERNS[plan.floor.pattern]
    half = np.array(plan.size[:2]) / 2
    towards = -np.array(INWARD[plan.sun])

    def colour(place: Array) -> Array:
        flat = place[:, :2]
        edge = (half - np.abs(flat)).min(axis=1)
        near = 0.98 + 0.05 * (flat / half) @ towards
        shade = near * (1 - _CORNER * np.exp(-np.maximum(edge, 0) / _REACH))
        return np.asarray(np.clip(pattern(flat, *plan.floor.colours) * shade[:, None], 0, 1))

    return colour


def _dimmed(colour: Colour, daylight: float) -> Colour:
    red, green, blue = (min(1.0, channel * daylight) for channel in colour)
    return red, green, blue


def _plane(middle: tuple[float, ...], facing: tuple[float, ...], size: tuple[float, float]) -> pv.PolyData:
    """Return a rectangle; ``size`` is along the horizontal and then the vertical of a wall, or x and y of a floor."""
    normal = np.asarray(facing, dtype=float)
    across = np.array([1.0, 0, 0]) if normal[2] else np.array([-normal[1], normal[0], 0.0])
    up = np.cross(normal, across)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    points = np.asarray(middle) + np.array([across * a * size[0] / 2 + up * b * size[1] / 2 for a, b in corners])
    return sharp(pv.PolyData(points, faces=[4, 0, 1, 2, 3]))

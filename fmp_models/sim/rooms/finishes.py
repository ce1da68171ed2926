"""Patterns of walls and floors: from flat positions (N, 2) in metres and two colours to sRGB colours (N, 3).

A wall's second coordinate is the height above the floor. Joints are drawn at least a centimetre wide, the size of a
pixel in the pictures, so that they do not flicker from view to view.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fmp_models.sim.rendering.light import Array, Colour

Pattern = Callable[[Array, Colour, Colour], Array]
_FAR = 40.0  # metres added so that no place is negative
_DADO = 0.95  # height of panels and half-tiled walls
_TILED = 1.55
_PLANK, _PLANK_LENGTH = 0.16, 1.5
_STAVE, _STAVES = 0.11, 5
_BRICK, _COURSE = 0.30, 0.11
_JOINT = 0.008  # half the width of a joint


def paint(place: Array, first: Colour, _second: Colour) -> Array:
    """Return one even colour."""
    return np.tile(np.asarray(first, dtype=float), (len(place), 1))


def stripes(place: Array, first: Colour, second: Colour) -> Array:
    """Return upright stripes of wallpaper."""
    return _mixed(first, second, np.mod(place[:, 0] + _FAR, 0.36) < 0.18)  # noqa: PLR2004 - half of them


def dots(place: Array, first: Colour, second: Colour) -> Array:
    """Return wallpaper with dots in rows that are offset."""
    return _mixed(first, second, _from_lattice(place, 0.26) < 0.038)  # noqa: PLR2004 - radius


def diamonds(place: Array, first: Colour, second: Colour) -> Array:
    """Return wallpaper with a lattice of thin slanted lines."""
    along = np.stack([place[:, 0] + 0.6 * place[:, 1], place[:, 0] - 0.6 * place[:, 1]], axis=1) + _FAR
    from_line = np.abs(np.mod(along, 0.34) - 0.17).min(axis=1)
    return _mixed(first, second, from_line < 0.012)  # noqa: PLR2004 - half the width of a line


def wainscot(place: Array, first: Colour, second: Colour) -> Array:
    """Return paint above panels."""
    across, up = np.mod(place[:, 0] + _FAR, 0.62), place[:, 1]
    inside = np.minimum(np.minimum(across, 0.62 - across) - 0.08, np.minimum(up - 0.20, _DADO - 0.14 - up))
    groove = (np.abs(inside) < 0.011) | (np.abs(up - _DADO + 0.05) < 0.008)  # noqa: PLR2004
    panel = np.asarray(second) * np.where(groove, 0.80, 1.0)[:, None]
    return np.where((up < _DADO)[:, None], panel, np.asarray(first))


def brick(place: Array, first: Colour, second: Colour) -> Array:
    """Return courses of bricks of varying shade; the second colour is the mortar's."""
    up = place[:, 1] / _COURSE + _FAR
    row = np.floor(up)
    along = place[:, 0] / _BRICK + _FAR + 0.5 * np.mod(row, 2)
    piece = np.floor(along)
    gap = np.minimum(_to_edge(up) * _COURSE, _to_edge(along) * _BRICK)
    shaded = np.asarray(first) * (0.86 + 0.24 * _chance(row * 3.7 + piece * 9.1))[:, None]
    return np.where((gap < _JOINT)[:, None], np.asarray(second), shaded)


def tiles(place: Array, first: Colour, second: Colour) -> Array:
    """Return square tiles all over; the second colour is the grout's."""
    return _tiled(place, first, second, 0.30)


def half_tiles(place: Array, first: Colour, second: Colour) -> Array:
    """Return small tiles of the second colour below, paint above."""
    grout = np.asarray(second) * 0.82
    low = _tiled(place, second, (grout[0], grout[1], grout[2]), 0.155)
    return np.where((place[:, 1] < _TILED)[:, None], low, np.asarray(first))


def boards(place: Array, first: Colour, second: Colour) -> Array:
    """Return upright boards with grooves of the second colour."""
    across = place[:, 0] / 0.20 + _FAR
    shaded = np.asarray(first) * (0.95 + 0.08 * _chance(np.floor(across)))[:, None]
    return np.where((_to_edge(across) * 0.20 < _JOINT)[:, None], np.asarray(second), shaded)


def planks(place: Array, first: Colour, second: Colour) -> Array:
    """Return long planks, each with its own shade between the two colours."""
    across = place[:, 0] / _PLANK + _FAR
    row = np.floor(across)
    along = place[:, 1] / _PLANK_LENGTH + _FAR + _chance(row)
    piece = np.floor(along)
    gap = np.minimum(_to_edge(across) * _PLANK, _to_edge(along) * _PLANK_LENGTH)
    return _wooden(first, second, _chance(row * 7.3 + piece * 3.1), gap)


def parquet(place: Array, first: Colour, second: Colour) -> Array:
    """Return squares of parallel staves, rotated by a quarter turn from one square to the next."""
    square = _STAVE * _STAVES
    cell = np.floor(place / square + _FAR)
    within = np.mod(place / square + _FAR, 1.0)
    turned = np.mod(cell.sum(axis=1), 2) < 1
    stave = np.where(turned, within[:, 0], within[:, 1]) * _STAVES
    shade = _chance(cell[:, 0] * 5.7 + cell[:, 1] * 3.3 + np.floor(stave) * 1.9)
    gap = np.minimum(_to_edge(stave) * _STAVE, _to_edge(within).min(axis=1) * square)
    return _wooden(first, second, 0.6 * shade + 0.4 * turned, gap)


def checker(place: Array, first: Colour, second: Colour) -> Array:
    """Return large squares of two colours."""
    return _mixed(first, second, np.mod(np.floor(place / 0.5 + _FAR).sum(axis=1), 2) < 1)


def carpet(place: Array, first: Colour, second: Colour) -> Array:
    """Return soft patches of two similar colours."""
    x, y = place.T
    soft = np.sin(2.1 * x + 1.3 * np.sin(1.7 * y)) * np.sin(1.9 * y + 1.1 * np.sin(1.3 * x))
    fleck = _chance(np.floor(x * 60) * 1.7 + np.floor(y * 60) * 5.3) - 0.5
    return _between(first, second, np.clip(0.5 + 0.35 * soft + 0.35 * fleck, 0, 1))


def concrete(place: Array, first: Colour, second: Colour) -> Array:
    """Return cloudy slabs; the second colour is that of clouds and joints."""
    x, y = place.T
    cloud = sum(
        np.sin(f * x + 1.7 * np.sin(0.7 * f * y + p)) * np.sin(f * y + 1.3 * np.sin(0.8 * f * x - p)) / 2**i
        for i, (f, p) in enumerate(((1.1, 0.4), (2.7, 1.9), (6.1, 3.2)))
    )
    joint = (_to_edge(place / 1.6 + _FAR + 0.5) * 1.6).min(axis=1) < _JOINT
    return _between(first, second, np.where(joint, 1.0, np.clip(0.25 + 0.28 * cloud, 0, 1)))


PATTERNS: dict[str, Pattern] = {
    pattern.__name__: pattern
    for pattern in (
        *(paint, stripes, dots, diamonds, wainscot, brick, tiles, half_tiles, boards),
        *(planks, parquet, checker, carpet, concrete),
    )
}


def _tiled(place: Array, first: Colour, second: Colour, side: float) -> Array:
    cell = place / side + _FAR
    gap = (_to_edge(cell) * side).min(axis=1)
    tile = np.floor(cell)
    shaded = np.asarray(first) * (0.97 + 0.05 * _chance(tile[:, 0] * 2.3 + tile[:, 1] * 7.9))[:, None]
    return np.where((gap < _JOINT)[:, None], np.asarray(second), shaded)


def _wooden(first: Colour, second: Colour, shade: Array, gap: Array) -> Array:
    return _between(first, second, shade) * np.where(gap < _JOINT, 0.78, 1.0)[:, None]


def _from_lattice(place: Array, step: float) -> Array:
    """Return the distance to the nearest point of a lattice whose every second row is offset by half a step."""
    row = np.round(place[:, 1] / step)
    shifted = place[:, 0] / step + 0.5 * np.mod(row, 2)
    return np.asarray(np.hypot(shifted - np.round(shifted), place[:, 1] / step - row) * step)


def _to_edge(cells: Array) -> Array:
    """Return the distance of a position from the nearer edge of its cell, in cells."""
    within = np.mod(cells, 1.0)
    return np.asarray(np.minimum(within, 1 - within))


def _mixed(first: Colour, second: Colour, use_second: NDArray[np.bool_]) -> Array:
    return np.where(use_second[:, None], np.asarray(second), np.asarray(first))


def _between(first: Colour, second: Colour, share: Array) -> Array:
    return np.asarray(first) + share[:, None] * np.subtract(second, first)


def _chance(number: Array) -> Array:
    """Return a pseudo-random number between 0 and 1, the same for the same input."""
    return np.asarray(np.mod(np.sin(number * 12.9898) * 43758.5453, 1.0))

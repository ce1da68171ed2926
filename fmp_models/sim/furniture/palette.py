"""The colours that the furniture of one room shares, and paintings on flat things.

A painting is a function from positions (N, 2) between -1 and 1, right and up, to colours (N, 3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmp_models.sim.light import Colour, FloatArray

WHITE: Colour = (0.93, 0.92, 0.90)
BLACK: Colour = (0.09, 0.09, 0.10)
GREY: Colour = (0.55, 0.56, 0.58)
STEEL: Colour = (0.72, 0.74, 0.76)
BRASS: Colour = (0.78, 0.62, 0.32)
CREAM: Colour = (0.92, 0.87, 0.77)
PORCELAIN: Colour = (0.95, 0.95, 0.96)
PAPER: Colour = (0.96, 0.95, 0.92)
LEAF: Colour = (0.22, 0.44, 0.24)
FLAME: Colour = (1.0, 0.62, 0.18)


@dataclass(frozen=True)
class Palette:
    """sRGB colours between 0 and 1 of the wood, cloth, contrasting things, metal and wall of a room."""

    wood: Colour
    fabric: Colour
    accent: Colour
    metal: Colour
    wall: Colour


PALETTES = (
    Palette((0.66, 0.47, 0.30), (0.27, 0.47, 0.52), (0.86, 0.58, 0.24), (0.25, 0.26, 0.28), (0.90, 0.87, 0.80)),
    Palette((0.42, 0.27, 0.18), (0.72, 0.33, 0.27), (0.92, 0.84, 0.68), (0.76, 0.61, 0.34), (0.74, 0.79, 0.74)),
    Palette((0.80, 0.66, 0.48), (0.55, 0.57, 0.60), (0.25, 0.42, 0.62), (0.72, 0.74, 0.76), (0.86, 0.83, 0.86)),
    Palette((0.55, 0.36, 0.22), (0.36, 0.45, 0.30), (0.75, 0.36, 0.42), (0.15, 0.15, 0.17), (0.80, 0.84, 0.88)),
)


def hills(place: FloatArray) -> FloatArray:
    """Paint three ridges under a low sun."""
    x, z = place.T
    ridge = np.select(
        [z < -0.5 + 0.15 * np.sin(2.2 * x + 1), z < -0.1 + 0.2 * np.sin(2.6 * x), z < 0.25 + 0.12 * np.sin(3 * x + 2)],
        [0, 1, 2],
        3,
    )
    ridge = np.where((np.hypot(x - 0.3, z - 0.55) < 0.22) & (ridge == 3), 4, ridge)  # noqa: PLR2004 - the sun
    paints = [(0.25, 0.38, 0.40), (0.42, 0.55, 0.55), (0.66, 0.73, 0.68), (0.95, 0.89, 0.78), (0.88, 0.52, 0.33)]
    return np.asarray(np.array(paints)[ridge])


def circles(place: FloatArray) -> FloatArray:
    """Paint two discs and a line."""
    x, z = place.T
    shape = np.select(
        [np.hypot(x + 0.25, z - 0.2) < 0.42, np.hypot(x - 0.3, z + 0.25) < 0.5, np.abs(z + 0.25) < 0.02],  # noqa: PLR2004
        [0, 1, 2],
        3,
    )
    paints = [(0.83, 0.50, 0.32), (0.35, 0.45, 0.42), (0.2, 0.2, 0.2), (0.95, 0.92, 0.86)]
    return np.asarray(np.array(paints)[shape])


def sea(at: FloatArray) -> FloatArray:
    """Paint a white sail on blue water."""
    x, z = at.T
    sail = _within(x, -0.28, 0.02) & _within(z, -0.15, np.minimum(0.85, 4.2 * x + 1.026))
    jib = _within(x, 0.06, 1.0) & _within(z, -0.15, 0.756 - 2.6 * x)
    hull = _within(x + 0.02, -0.52 - 0.4 * z, 0.52 + 0.4 * z) & _within(z, -0.32, -0.18)
    water = z < -0.22 + 0.03 * np.sin(9 * x)
    sky = np.array([0.62, 0.80, 0.92]) + (0.5 - z / 2)[:, None] * [0.28, 0.13, 0.02]
    blue = np.array([0.10, 0.34, 0.52]) + (0.06 * np.sin(26 * z + 3 * np.sin(5 * x)))[:, None]
    colour = np.where(water[:, None], blue, sky)
    colour = np.where((sail | jib)[:, None], [0.98, 0.96, 0.90], colour)
    return np.where(hull[:, None], [0.62, 0.18, 0.14], colour)


def bouquet(at: FloatArray) -> FloatArray:
    """Paint flowers in a blue vase."""
    x, z = at.T
    colour = np.tile([0.93, 0.88, 0.76], (len(at), 1))
    colour[z < -0.62] = [0.58, 0.40, 0.28]  # noqa: PLR2004 - the table
    vase = (np.abs(x) < 0.30 - 0.22 * (z + 0.55) ** 2) & _within(z, -0.80, -0.12)
    stalks = _within(np.abs(x) - 0.5 * z, 0.055, 0.145) & _within(z, -0.15, 0.4)
    colour[stalks] = [0.24, 0.44, 0.24]
    colour[vase] = [0.22, 0.38, 0.58]
    blooms = [
        (-0.42, 0.20, (0.85, 0.30, 0.30)),
        (0.40, 0.22, (0.92, 0.62, 0.22)),
        (0.0, 0.18, (0.95, 0.93, 0.88)),
        (-0.22, 0.55, (0.93, 0.68, 0.70)),
        (0.22, 0.60, (0.80, 0.28, 0.36)),
    ]
    for right, up, paint in blooms:
        far = np.hypot(x - right, (z - up) * 1.1)
        colour[far < 0.24] = paint  # noqa: PLR2004
        colour[far < 0.08] = [0.35, 0.22, 0.12]  # noqa: PLR2004
    return colour


def daylight(at: FloatArray) -> FloatArray:
    """Paint the view through a window: sky, a cloud, distant trees, a lawn."""
    x, z = at.T
    up = np.clip(z / 2 + 0.5, 0, 1)[:, None]
    colour = (1 - up) * [0.90, 0.95, 0.97] + up * [0.56, 0.77, 0.94]
    cloud = np.hypot((x - 0.35) / 0.5, (z - 0.55) / 0.16) < 1
    trees = z < -0.45 + 0.12 * np.sin(4.5 * x + 1) + 0.06 * np.sin(13 * x)
    lawn = z < -0.72  # noqa: PLR2004
    return np.select(
        [lawn[:, None], trees[:, None], cloud[:, None]],
        [[0.60, 0.76, 0.45], [0.36, 0.55, 0.38], [0.98, 0.98, 0.98]],
        colour,
    )


def glass(at: FloatArray) -> FloatArray:
    """Paint a mirror: pale blue, with two soft slanting streaks of light."""
    x, z = at.T
    colour = np.array([0.66, 0.77, 0.84]) + (0.10 * z)[:, None]
    slant = x - 0.5 * z
    streak = np.exp(-(((slant + 0.25) / 0.22) ** 2)) + 0.6 * np.exp(-(((slant - 0.45) / 0.12) ** 2))
    return np.asarray(colour + 0.20 * streak[:, None])


def frosted(at: FloatArray) -> FloatArray:
    """Paint a pane with daylight behind it."""
    return np.asarray(np.array([0.84, 0.92, 0.95]) + (0.05 * at[:, 1])[:, None])


def screen(at: FloatArray) -> FloatArray:
    """Paint a dark screen with the slanting reflection of a window."""
    x, z = at.T
    colour = np.array([0.05, 0.06, 0.08]) + (0.03 * (z + 1))[:, None] * [0.8, 1.0, 1.3]
    patch = _within(x - 0.25 * z, 0.23, 0.67) & _within(z, -0.1, 1)
    return np.asarray(colour + patch[:, None] * [0.10, 0.12, 0.14])


def desktop(at: FloatArray) -> FloatArray:
    """Paint a screen with two windows and a row of icons on blue."""
    x, z = at.T
    colour = np.array([0.20, 0.42, 0.66]) + (0.12 * z)[:, None]
    for left, right, low, high, bar in ((-0.75, 0.30, -0.45, 0.75, 0.60), (-0.10, 0.80, -0.65, 0.30, 0.14)):
        inside = _within(x, left, right) & _within(z, low, high)
        lines = _within(np.mod(z * 5, 1), -1, 0.45) & _within(x, left + 0.1, right - 0.25) & (z < bar - 0.06)
        window = np.where((z > bar)[:, None], [0.30, 0.32, 0.36], np.where(lines[:, None], [0.62, 0.66, 0.72], 0.95))
        colour = np.where(inside[:, None], window, colour)
    return np.where((z < -0.86)[:, None], [0.14, 0.16, 0.20], colour)  # noqa: PLR2004 - the bar below


def _within(values: FloatArray, low: FloatArray | float, high: FloatArray | float) -> NDArray[np.bool_]:
    return np.asarray((values > low) & (values < high))

"""The colours that the furniture of one room shares."""

from __future__ import annotations

from dataclasses import dataclass

from fmp_models.sim.rendering.light import Colour

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

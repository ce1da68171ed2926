"""Tables, coffee tables and desks."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, CREAM, PAPER, STEEL, WHITE, Palette
from fmp_models.sim.furniture.shapes import CORNERS, SIDES, SolidPart, ball, box, mix, rod, shade, turned
from fmp_models.sim.rendering.light import Colour


def table(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a wooden dining table, a round one on one foot, or one under a tablecloth."""
    if variant == 0:
        parts = [
            box((0, 0, 0.71), (1.50, 0.85, 0.04), palette.wood, 0.008).shiny(0.05),
            box((0, 0, 0.63), (1.30, 0.68, 0.08), shade(palette.wood, 0.9)),
        ]
        return [*parts, *_legs(1.38, 0.74, 0.71, 0.07, palette.wood)]
    if variant == 1:
        top = [(0, 0.70), (0.53, 0.70), (0.55, 0.72), (0.54, 0.74), (0, 0.74)]
        foot = [(0, 0), (0.30, 0), (0.30, 0.02), (0.10, 0.07), (0.05, 0.16), (0.045, 0.55), (0.09, 0.70)]
        return [
            turned(top, (0, 0, 0), palette.wood, 40).shiny(0.05),
            turned(foot, (0, 0, 0), palette.wood, 32),
            *_fruit(0.74),
        ]
    cloth = palette.accent
    parts = [box((0, 0, 0.72), (1.30, 0.80, 0.03), palette.wood), box((0, 0, 0.735), (1.34, 0.84, 0.02), cloth, 0.008)]
    parts += [box((0, 0.415 * side, 0.52), (1.34, 0.012, 0.23), shade(cloth, 0.95)) for side in SIDES]
    parts += [box((0.665 * side, 0, 0.52), (0.012, 0.84, 0.23), shade(cloth, 0.9)) for side in SIDES]
    parts += [box((0, -0.423, 0.54), (1.34, 0.004, 0.03), mix(cloth, WHITE, 0.7))]
    return [*parts, *_legs(1.18, 0.68, 0.72, 0.06, palette.wood), *_fruit(0.755)]


def coffee_table(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a low table: of wood with a lower board, a round tray on splayed legs, or glass in a metal frame."""
    if variant == 0:
        parts = [
            box((0, 0, z), (1.05 - gap, 0.58 - gap, 0.035), palette.wood, 0.006) for z, gap in ((0.40, 0), (0.13, 0.1))
        ]
        book = [
            box((0.2, 0, 0.435), (0.30, 0.22, 0.025), palette.accent),
            box((0.21, 0, 0.46), (0.24, 0.18, 0.02), PAPER),
        ]
        return [*parts, *_legs(1.0, 0.53, 0.40, 0.05, palette.wood), *book]
    if variant == 1:
        tray = [(0, 0.38), (0.38, 0.38), (0.40, 0.40), (0.40, 0.45), (0.385, 0.45), (0.38, 0.41), (0, 0.41)]
        legs = [
            rod((0.34 * a, 0.34 * b, 0), (0.22 * a, 0.22 * b, 0.39), 0.014, palette.metal, 0.02) for a, b in CORNERS
        ]
        mug = turned(
            [(0, 0), (0.04, 0), (0.042, 0.09), (0.036, 0.09), (0.034, 0.02), (0, 0.02)], (0.12, -0.08, 0.41), WHITE
        )
        return [turned(tray, (0, 0, 0), palette.wood, 40), *legs, mug]
    glass = (0.72, 0.83, 0.84)
    parts = [box((0, 0, 0.41), (1.0, 0.60, 0.014), glass, 0.004).shiny(0.5)]
    parts += [box((0, 0.27 * side, z), (1.0, 0.03, 0.03), palette.metal) for side in SIDES for z in (0.38, 0)]
    parts += [box((0.485 * side, 0, z), (0.03, 0.54, 0.03), palette.metal) for side in SIDES for z in (0.38, 0)]
    vase = turned([(0, 0), (0.05, 0), (0.07, 0.06), (0.03, 0.14), (0.04, 0.16)], (0, 0, 0.424), palette.accent)
    return [*parts, *_legs(1.0, 0.57, 0.40, 0.03, palette.metal), vase]


def desk(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a writing desk with drawers on one side and a lamp, or a wide top on metal legs with papers and a lamp."""
    wood = palette.wood
    if variant == 0:
        parts = [
            box((0, 0, 0.71), (1.25, 0.62, 0.035), wood, 0.006),
            box((0.40, 0, 0.06), (0.40, 0.56, 0.65), shade(wood, 0.92)),
            box((0, 0.27, 0.40), (1.15, 0.02, 0.30), shade(wood, 0.8)),
        ]
        for level in range(3):
            z = 0.09 + level * 0.205
            parts += [
                box((0.40, -0.285, z), (0.37, 0.02, 0.19), shade(wood, 1.1), 0.004),
                box((0.40, -0.30, z + 0.09), (0.12, 0.02, 0.016), palette.metal),
            ]
        parts += [box((-0.58, 0.27 * side, 0), (0.05, 0.05, 0.71), wood) for side in SIDES]
        parts += [box((0.40 + 0.17 * a, 0.25 * b, 0), (0.05, 0.05, 0.06), BLACK) for a, b in CORNERS]
        return [*parts, *_desk_lamp((-0.42, 0.12), 0.745, palette.accent)]
    top = box((0, 0, 0.72), (1.45, 0.68, 0.03), mix(wood, WHITE, 0.35), 0.006)
    frame = [box((0.62 * a, 0.28 * b, 0), (0.04, 0.04, 0.72), palette.metal) for a, b in CORNERS]
    frame += [box((0.62 * a, 0, z), (0.04, 0.56, 0.03), palette.metal) for a in (1, -1) for z in (0.02, 0.69)]
    drawer = [box((0.25, -0.05, 0.60), (0.60, 0.52, 0.12), wood), box((0.25, -0.32, 0.65), (0.14, 0.02, 0.015), BLACK)]
    papers = [
        box((-0.1, -0.1, 0.75), (0.21, 0.297, 0.006), PAPER).spun(8),
        box((-0.40, -0.05, 0.75), (0.24, 0.18, 0.04), palette.accent),
    ]
    pens = [turned([(0, 0), (0.04, 0), (0.04, 0.10), (0.035, 0.10)], (0.45, 0.15, 0.75), STEEL)]
    pens += [
        rod((0.45, 0.15, 0.76), (0.45 + dx, 0.17, 0.92), 0.006, colour)
        for dx, colour in ((-0.03, palette.accent), (0.02, BLACK))
    ]
    return [top, *frame, *drawer, *papers, *pens, *_desk_lamp((-0.55, 0.18), 0.75, BLACK)]


def _legs(width: float, depth: float, height: float, thick: float, colour: Colour) -> list[SolidPart]:
    """Build four square legs whose outer sides are ``width`` and ``depth`` apart."""
    x, y = (width - thick) / 2, (depth - thick) / 2
    return [box((x * a, y * b, 0), (thick, thick, height), colour, thick / 12) for a, b in CORNERS]


def _fruit(height: float) -> list[SolidPart]:
    outline = [(0, 0), (0.07, 0), (0.08, 0.02), (0.15, 0.09), (0.14, 0.09), (0.07, 0.03), (0, 0.03)]
    fruit = [
        ball((0.07 * np.cos(turn), 0.07 * np.sin(turn), height + 0.10), 0.045, colour)
        for turn, colour in zip(
            (0.3, 2.4, 4.5), ((0.80, 0.20, 0.15), (0.93, 0.60, 0.15), (0.55, 0.68, 0.25)), strict=True
        )
    ]
    return [turned(outline, (0, 0, height), CREAM, 28), *fruit]


def _desk_lamp(at: tuple[float, float], height: float, colour: Colour) -> list[SolidPart]:
    x, y = at
    shade_part = turned([(0.03, 0.12), (0.04, 0.11), (0.10, 0)], (0, 0, 0), colour)
    bulb = turned([(0, 0.012), (0.09, 0.012)], (0, 0, 0), (1.0, 0.93, 0.72)).lit(0.7)
    head = [part.spun(-35, "y").moved(x + 0.13, y - 0.05, height + 0.33) for part in (shade_part, bulb)]
    return [
        turned([(0, 0), (0.09, 0), (0.085, 0.02), (0, 0.025)], (x, y, height), colour),
        rod((x, y, height + 0.02), (x - 0.10, y, height + 0.25), 0.009, colour),
        rod((x - 0.10, y, height + 0.25), (x + 0.11, y - 0.05, height + 0.43), 0.009, colour),
        *head,
    ]

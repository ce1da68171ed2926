"""Storage: bookshelves, cabinets, wardrobes, nightstands, wall shelves; boxes, baskets, suitcases."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, BRASS, CREAM, GREY, STEEL, WHITE, Palette, glass
from fmp_models.sim.furniture.shapes import (
    CORNERS,
    SIDES,
    Place,
    SolidPart,
    around,
    box,
    cushion,
    hoop,
    mix,
    picture,
    rod,
    shade,
    tube,
    turned,
)
from fmp_models.sim.light import Colour, FloatArray

SPINES: tuple[Colour, ...] = (
    (0.66, 0.20, 0.18),
    (0.18, 0.30, 0.48),
    (0.22, 0.42, 0.32),
    (0.87, 0.70, 0.30),
    (0.90, 0.86, 0.76),
    (0.42, 0.24, 0.36),
    (0.80, 0.45, 0.24),
    (0.30, 0.52, 0.58),
    (0.20, 0.20, 0.24),
)


def bookshelf(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a tall bookcase with five boards, white compartments with books and boxes, or a low case with a bowl."""
    if variant == 0:
        return _books_case(0.90, 1.90, 5, palette.wood, seed=1)
    if variant == 1:
        return _compartments(palette)
    return [*_books_case(1.20, 0.95, 2, mix(palette.wood, BLACK, 0.25), seed=3), *_bowl(0.3, 0.95, palette.accent)]


def cabinet(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a long sideboard with doors and drawers, a chest of drawers, or a cupboard with glass doors above."""
    return (_sideboard, _chest, _cupboard)[variant](palette)


def wardrobe(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a wardrobe: two panelled wooden doors over a drawer, or three white ones with a mirror in the middle."""
    if variant == 0:
        wood, light = palette.wood, shade(palette.wood, 1.12)
        parts = [
            box((0, 0, 0.06), (1.10, 0.58, 1.90), wood, 0.006),
            box((0, 0, 1.94), (1.18, 0.62, 0.06), shade(wood, 0.9), 0.015),
            box((0, 0, 0), (1.12, 0.58, 0.07), shade(wood, 0.8)),
            box((0, -0.295, 0.10), (1.05, 0.025, 0.28), light, 0.006),
        ]
        for side in SIDES:
            x = 0.27 * side
            parts += [
                box((x, -0.295, 0.42), (0.51, 0.025, 1.48), light, 0.006),
                box((x, -0.312, 0.50), (0.37, 0.015, 0.55), shade(wood, 0.95), 0.012),
                box((x, -0.312, 1.13), (0.37, 0.015, 0.68), shade(wood, 0.95), 0.012),
                rod((0.05 * side, -0.33, 1.0), (0.05 * side, -0.33, 1.2), 0.010, palette.metal),
                rod((x, -0.33, 0.24), (x, -0.30, 0.24), 0.02, palette.metal),
            ]
        return parts
    parts = [
        box((0, 0, 0.05), (1.50, 0.60, 2.05), shade(WHITE, 0.75)),
        box((0, 0.02, 0), (1.46, 0.54, 0.05), shade(WHITE, 0.6)),
        picture((0, -0.324, 0.14), (0.40, 1.87), glass, (12, 36)).shiny(0.3),
    ]
    parts += [box((0.5 * column, -0.31, 0.08), (0.485, 0.022, 1.99), WHITE, 0.004) for column in (-1, 0, 1)]
    return [*parts, *(rod((x, -0.335, 0.95), (x, -0.335, 1.25), 0.010, BLACK) for x in (-0.29, -0.22, 0.29))]


def nightstand(variant: int, palette: Palette) -> list[SolidPart]:
    """Build two drawers on legs, or one drawer over an open shelf with books; with a small lamp on top."""
    wood = palette.wood
    parts = [box((0, 0, 0.14), (0.44, 0.38, 0.38), wood, 0.006), box((0, 0, 0.52), (0.47, 0.41, 0.025), wood, 0.006)]
    parts += [rod((0.19 * a, 0.16 * b, 0), (0.18 * a, 0.15 * b, 0.15), 0.014, wood, 0.02) for a, b in CORNERS]
    for z in (0.16, 0.34):
        parts += _drawer((0, -0.195, z), (0.40, 0.165), shade(wood, 1.12), palette.metal)
    if variant == 1:
        parts = [box((0, y, z), (0.44, deep, 0.025), WHITE) for y, z, deep in ((0, 0.03, 0.36), (0, 0.49, 0.38))]
        parts += [box((0.21 * side, 0, 0), (0.025, 0.36, 0.50), WHITE) for side in SIDES]
        parts += [
            box((0, 0.17, 0), (0.42, 0.02, 0.50), shade(WHITE, 0.85)),
            box((0, 0, 0.30), (0.40, 0.36, 0.19), WHITE),
        ]
        parts += _drawer((0, -0.185, 0.305), (0.40, 0.18), shade(WHITE, 0.96), palette.metal)
        parts += _books((-0.15, 0.05, 0.055), 0.20, Random("nightstand"), deep=0.22)
    base = 0.545 if variant == 0 else 0.515
    foot = [(0, 0), (0.07, 0), (0.065, 0.015), (0.03, 0.03), (0.055, 0.09), (0.02, 0.15), (0.012, 0.20)]
    cover = turned([(0.12, 0), (0.08, 0.16)], (-0.06, 0.03, base + 0.17), (1.0, 0.90, 0.72), 28).lit(0.45)
    return [*parts, turned(foot, (-0.06, 0.03, base), palette.accent), cover]


def shelf(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a board on the wall with books and a bowl, or three boards with brackets, books and bowls."""
    random = Random(f"shelf {variant}")
    if variant == 0:
        parts = [box((0, 0, 0.09), (0.90, 0.22, 0.03), palette.wood, 0.004)]
        parts += [box((x, 0.05, 0), (0.025, 0.12, 0.09), palette.metal) for x in (-0.35, 0.35)]
        return [*parts, *_books((-0.40, 0.02, 0.12), 0.42, random), *_bowl(0.25, 0.12, palette.accent)]
    parts = []
    for level, (start, length) in enumerate(((-0.30, 0.34), (0.0, 0.30), (-0.30, 0.22))):
        z = level * 0.34
        parts += [box((0, 0, z), (0.70, 0.20, 0.028), palette.wood, 0.004)]
        parts += _books((start, 0.0, z + 0.028), length, random)
        x = -0.18 if start == 0 else 0.20
        parts += _bowl(x, z + 0.028, palette.accent)
    return [*parts, *(box((x, 0.09, 0), (0.03, 0.015, 0.94), palette.metal) for x in (-0.30, 0.30))]


def _books_case(width: float, height: float, boards: int, wood: Colour, seed: int) -> list[SolidPart]:
    """Build boards between two sides and a back, each full of books up to a gap."""
    random = Random(f"books {seed}")
    depth, thick = 0.30, 0.03
    parts = [
        box((0, depth / 2 - 0.008, 0), (width, 0.015, height), shade(wood, 0.72)),
        *(box((side * (width - thick) / 2, 0, 0), (thick, depth, height), wood, 0.004) for side in SIDES),
        box((0, 0, height - thick), (width, depth, thick), wood, 0.004),
        box((0, 0.01, 0), (width - 0.01, depth - 0.03, 0.08), wood),
    ]
    step = (height - thick - 0.08) / boards
    for level in range(boards):
        z = 0.08 + level * step
        parts.append(box((0, 0, z - thick / 2), (width - thick, depth - 0.01, thick), wood))
        gap = random.uniform(0.02, 0.25)
        start = -width / 2 + thick + 0.005
        parts += _books((start, -0.01, z + thick / 2), width - 2 * thick - gap, random, tall=step - 0.09)
        if gap > 0.15:  # noqa: PLR2004 - wide enough
            parts += _bowl(width / 2 - thick - gap / 2, z + thick / 2, CREAM, 0.5)
    return parts


def _compartments(palette: Palette) -> list[SolidPart]:
    """Build two columns by four rows with books, boxes and a bowl."""
    random = Random("compartments")
    cell, thick, depth, rows = 0.36, 0.03, 0.36, 4
    height, width = rows * cell + thick, 2 * cell + thick
    parts = [box((0, depth / 2 - 0.006, 0), (width, 0.012, height), shade(WHITE, 0.8))]
    parts += [box((column * cell, 0, 0), (thick, depth, height), WHITE, 0.003) for column in (-1, 0, 1)]
    parts += [box((0, 0, row * cell), (width, depth - 0.004, thick), WHITE, 0.003) for row in range(rows + 1)]
    for row, column in ((0, 0), (1, 1), (3, 0)):
        crate = box(((column - 0.5) * cell, -0.01, row * cell + thick), (0.31, 0.32, 0.29), palette.accent, 0.01)
        hole = box(((column - 0.5) * cell, -0.165, row * cell + 0.22), (0.09, 0.02, 0.03), BLACK)
        parts += [crate, hole]
    for row, column in ((0, 1), (1, 0), (2, 0), (2, 1)):
        parts += _books(((column - 1) * cell + thick / 2, -0.03, row * cell + thick), 0.30, random)
    return [*parts, *_bowl(0.18, 3 * cell + thick, palette.fabric)]


def _books(place: Place, length: float, random: Random, *, deep: float = 0.19, tall: float = 0.27) -> list[SolidPart]:
    """Build a row of books from a position to the right."""
    start, y, z = place
    parts: list[SolidPart] = []
    at = start
    while True:
        thick = random.uniform(0.022, 0.052)
        if at + thick > start + length:
            return parts
        rise = min(tall, random.uniform(0.68, 1.0) * tall)
        colour = shade(random.choice(SPINES), random.uniform(0.85, 1.15))
        parts.append(box((at + thick / 2, y, z), (thick - 0.003, deep, rise), colour))
        if random.random() < 0.5:  # noqa: PLR2004 - half the books carry a label
            parts.append(box((at + thick / 2, y - deep / 2, z + rise * 0.7), (thick - 0.006, 0.002, 0.03), CREAM))
        at += thick


def _bowl(x: float, z: float, colour: Colour, scale: float = 1.0) -> list[SolidPart]:
    outline = [(0, 0), (0.05, 0), (0.09, 0.05), (0.11, 0.10), (0.10, 0.10), (0.08, 0.05), (0, 0.02)]
    return [turned([(radius * scale, rise * scale) for radius, rise in outline], (x, 0, z), colour)]


def _drawer(place: Place, size: tuple[float, float], colour: Colour, knob: Colour) -> list[SolidPart]:
    """Build a front (width, height) with a round knob."""
    (x, y, z), (width, height) = place, size
    front = box((x, y, z), (width, 0.018, height), colour, 0.004)
    return [front, rod((x, y - 0.03, z + height / 2), (x, y, z + height / 2), 0.014, knob)]


def _sideboard(palette: Palette) -> list[SolidPart]:
    wood = palette.wood
    parts = [box((0, 0, 0.16), (1.60, 0.42, 0.58), wood, 0.006)]
    parts += [rod((0.70 * a, 0.15 * b, 0), (0.66 * a, 0.13 * b, 0.17), 0.014, palette.metal, 0.022) for a, b in CORNERS]
    for side in SIDES:
        door = box((0.53 * side, -0.215, 0.19), (0.48, 0.02, 0.52), shade(wood, 1.15), 0.004)
        grip = rod((0.33 * side, -0.24, 0.42), (0.33 * side, -0.24, 0.54), 0.009, palette.metal)
        parts += [door, grip]
    for level in range(3):
        parts += _drawer((0, -0.215, 0.19 + 0.178 * level), (0.54, 0.165), shade(wood, 1.15), palette.metal)
    return [*parts, *_bowl(-0.45, 0.74, palette.accent), *_bowl(0.50, 0.74, CREAM, 0.8)]


def _chest(palette: Palette) -> list[SolidPart]:
    body = mix(palette.accent, WHITE, 0.35)
    parts = [
        box((0, 0, 0.08), (0.90, 0.45, 0.88), body, 0.006),
        box((0, 0, 0.96), (0.95, 0.48, 0.03), palette.wood, 0.006),
        *(box((0.41 * a, 0.18 * b, 0), (0.06, 0.06, 0.08), palette.wood) for a, b in CORNERS),
    ]
    for level in range(4):
        z = 0.10 + level * 0.215
        parts.append(box((0, -0.23, z), (0.85, 0.02, 0.20), shade(body, 1.1), 0.005))
        parts += [rod((x, -0.265, z + 0.10), (x, -0.23, z + 0.10), 0.018, palette.metal) for x in (-0.22, 0.22)]
    return parts


def _cupboard(palette: Palette) -> list[SolidPart]:
    """Build closed doors below, and plates and cups behind glass above."""
    wood, inside = mix(palette.wood, WHITE, 0.15), shade(palette.wood, 0.55)
    parts = [
        box((0, 0, 0), (1.0, 0.42, 0.85), wood, 0.006),
        box((0, -0.02, 0.85), (1.05, 0.46, 0.03), shade(wood, 0.85), 0.006),
        box((0, 0.17, 0.88), (1.0, 0.02, 0.95), inside),
        box((0, 0.02, 1.80), (1.06, 0.38, 0.05), shade(wood, 0.85), 0.012),
        *(box((0.485 * side, 0.04, 0.88), (0.03, 0.30, 0.92), wood) for side in SIDES),
        *(box((0, 0.04, z), (0.96, 0.28, 0.02), wood) for z in (1.17, 1.48)),
        *(box((0, -0.11, z), (0.98, 0.02, 0.05), wood) for z in (0.88, 1.75)),
        *(box((x, -0.11, 0.88), (0.05, 0.02, 0.92), wood) for x in (-0.47, -0.03, 0.03, 0.47)),
    ]
    for x in (-0.24, 0.24):
        parts += [box((x, -0.215, 0.08), (0.46, 0.02, 0.72), shade(wood, 1.1), 0.004)]
        parts += [box((x, -0.225, 0.16), (0.33, 0.012, 0.56), wood, 0.010)]
        parts += [rod((x * 0.2, -0.25, z), (x * 0.2, -0.22, z), 0.016, palette.metal) for z in (0.50, 1.30)]
    for z, step in ((0.88, 0), (1.19, 1), (1.50, 0)):
        for number in range(4):
            x = -0.33 + 0.22 * number
            if (number + step) % 2:
                plate = turned([(0, 0), (0.09, 0.015), (0.10, 0.02)], (0, 0, 0), CREAM).spun(80, "x")
                parts.append(plate.moved(x, 0.10, z + 0.11))
            else:
                parts += _bowl(x, z, palette.accent, 0.8)
    return parts


CARDBOARD: Colour = (0.74, 0.56, 0.36)
TAPE: Colour = (0.88, 0.78, 0.55)
APPLES: tuple[Colour, ...] = ((0.80, 0.18, 0.16), (0.88, 0.62, 0.20), (0.55, 0.68, 0.24))
WICKER: Colour = (0.70, 0.51, 0.30)


def cardboard(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a closed cardboard box, one with open flaps and something in it, or a stack of two."""
    if variant == 0:
        return _closed((0, 0, 0), (0.50, 0.40, 0.38))
    if variant == 2:  # noqa: PLR2004 - the stack
        return [
            *_closed((0, 0, 0), (0.58, 0.44, 0.40)),
            *(part.spun(14) for part in _closed((0.02, 0, 0.40), (0.42, 0.34, 0.30))),
        ]
    width, depth, height, thick = 0.52, 0.40, 0.34, 0.008
    parts = [
        *(box((0, (depth - thick) / 2 * side, 0), (width, thick, height), CARDBOARD) for side in SIDES),
        *(box(((width - thick) / 2 * side, 0, 0), (thick, depth, height), shade(CARDBOARD, 0.94)) for side in SIDES),
        box((0, 0, 0.01), (width - 0.02, depth - 0.02, 0.01), shade(CARDBOARD, 0.6)),
        *_label((0.10, -depth / 2 - 0.002, 0.10)),
    ]
    for side in SIDES:
        long = box((0, 0, 0), (width, 0.006, 0.19), shade(CARDBOARD, 1.08)).spun(-50.0 * side, "x")
        short = box((0, 0, 0), (0.006, depth, 0.19), shade(CARDBOARD, 1.02)).spun(62.0 * side, "y")
        parts += [long.moved(0, depth / 2 * side, height), short.moved(width / 2 * side, 0, height)]
    parts += [
        cushion((-0.10, 0.02, 0.20), (0.24, 0.24, 0.20), palette.accent, 3),
        box((0.12, 0.04, 0.1), (0.05, 0.2, 0.30), palette.fabric),
    ]
    return [*parts, box((0.18, 0.02, 0.1), (0.04, 0.2, 0.27), palette.metal)]


def basket(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a woven laundry basket with a cloth hanging out, or a low basket with a curved handle and apples."""
    if variant == 0:
        weave = turned(_stepped((0.17, 0), (0.23, 0.45), 12), (0, 0, 0), WICKER, 40).tiled(_woven(0.0375))
        parts = [
            weave,
            turned([(0.225, 0.445), (0.20, 0.25), (0, 0.25)], (0, 0, 0), shade(WICKER, 0.6)),
            hoop((0, 0, 0.45), 0.22, 0.018, shade(WICKER, 1.1)),
        ]
        cloth = mix(palette.fabric, WHITE, 0.2)
        parts += [
            cushion((0.02, 0.02, 0.34), (0.34, 0.34, 0.19), cloth, 2.6),
            cushion((-0.07, -0.05, 0.40), (0.22, 0.24, 0.14), palette.accent, 2.4),
        ]
        parts.append(cushion((0.09, -0.225, 0.26), (0.15, 0.05, 0.24), cloth, 4))
        handles = np.linspace(0, np.pi, 10)
        bow = np.stack([0.225 + 0.05 * np.sin(handles), 0.08 * np.cos(handles), np.full(10, 0.40)], axis=1)
        parts += [tube(bow * [side, 1, 1], 0.012, shade(WICKER, 0.85)) for side in SIDES]
        return parts
    weave = turned(_stepped((0.16, 0), (0.22, 0.17), 6), (0, 0, 0), WICKER, 36, depth=0.72).tiled(_woven(0.0285))
    bed = turned([(0.21, 0.14), (0, 0.14)], (0, 0, 0), shade(WICKER, 0.6), 36, depth=0.72)
    turn = around(32)
    hem = tube(
        np.stack([0.22 * np.cos(turn), 0.158 * np.sin(turn), np.full(32, 0.17)], axis=1),
        0.013,
        shade(WICKER, 1.1),
        closed=True,
    )
    arch = np.linspace(0, np.pi, 18)
    bow = np.stack([0.21 * np.cos(arch), np.zeros(18), 0.17 + 0.24 * np.sin(arch)], axis=1)
    handle = tube(bow, 0.013, shade(WICKER, 0.85))
    apples = []
    heap = ((-0.11, -0.03), (-0.02, -0.06), (0.08, -0.03), (-0.05, 0.05), (0.05, 0.05), (0.0, 0.0))
    for number, (x, y) in enumerate(heap):
        colour, z = APPLES[number % len(APPLES)], 0.145 if x else 0.19
        apples.append(cushion((x, y, z), (0.085, 0.085, 0.08), colour, 2).shiny(0.2))
    return [weave, bed, hem, handle, *apples]


def suitcase(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a ribbed suitcase on wheels with its handle pulled out, or an old one with straps."""
    if variant == 0:
        colour = palette.accent
        parts = [
            cushion((0, 0, 0.05), (0.46, 0.27, 0.66), colour, 12),
            cushion((0, 0, 0.046), (0.468, 0.03, 0.668), shade(colour, 0.55), 12),
        ]
        parts += [
            box((x, 0, 0.10), (0.024, 0.285, 0.56), shade(colour, 1.08), 0.010) for x in np.linspace(-0.15, 0.15, 5)
        ]
        parts += [rod((x, 0.10, 0.66), (x, 0.10, 1.02), 0.010, STEEL) for x in (-0.09, 0.09)]
        parts += [
            box((0, 0.10, 1.01), (0.23, 0.035, 0.035), BLACK, 0.012),
            box((0, 0.0, 0.715), (0.14, 0.03, 0.022), BLACK, 0.008),
        ]
        for a, b in CORNERS:
            x, y = 0.18 * a, 0.09 * b
            parts.append(rod((x - 0.014, y, 0.03), (x + 0.014, y, 0.03), 0.03, BLACK))
        return [part.shiny(0.15) for part in parts]
    leather = mix(palette.wood, (0.50, 0.26, 0.14), 0.6)
    strap, parts = shade(leather, 0.55), [box((0, 0, 0), (0.68, 0.22, 0.44), leather, 0.03)]
    parts += [box((x, 0, -0.003), (0.05, 0.228, 0.446), strap, 0.032) for x in (-0.20, 0.20)]
    parts += [box((x, -0.115, 0.26), (0.065, 0.014, 0.05), BRASS, 0.004) for x in (-0.20, 0.20)]
    parts += [
        box((0.31 * a, 0, z), (0.075, 0.226, 0.075), shade(leather, 0.7), 0.03)
        for a in (1, -1)
        for z in (-0.002, 0.368)
    ]
    parts.append(box((0, -0.1105, 0.30), (0.62, 0.004, 0.008), GREY))
    bow = np.linspace(0, np.pi, 10)
    return [*parts, tube(np.stack([0.09 * np.cos(bow), 0 * bow, 0.44 + 0.06 * np.sin(bow)], axis=1), 0.013, strap)]


def _closed(place: Place, size: Place) -> list[SolidPart]:
    x, y, z = place
    width, depth, height = size
    return [
        box(place, size, CARDBOARD, 0.004),
        box((x, y, z + height - 0.0005), (width - 0.004, 0.055, 0.002), TAPE).shiny(0.2),
        box((x, y, z + height), (width - 0.01, 0.004, 0.002), shade(CARDBOARD, 0.6)),
        *(box((x + (width / 2 + 0.0005) * side, y, z + height - 0.10), (0.002, 0.055, 0.10), TAPE) for side in SIDES),
        *_label((x + width * 0.22, y - depth / 2 - 0.002, z + height * 0.32)),
    ]


def _label(place: Place) -> list[SolidPart]:
    """Build a white label with lines on a front."""
    x, y, z = place
    lines = [
        box((x - 0.015 + 0.012 * (row == 0), y - 0.002, z + 0.02 + 0.028 * row), (0.08, 0.002, 0.008), GREY)
        for row in range(3)
    ]
    return [box((x, y, z), (0.14, 0.002, 0.10), WHITE), *lines]


def _stepped(start: tuple[float, float], end: tuple[float, float], steps: int) -> list[tuple[float, float]]:
    return [
        (start[0] + (end[0] - start[0]) * k / steps, start[1] + (end[1] - start[1]) * k / steps)
        for k in range(steps + 1)
    ]


def _woven(step: float) -> Callable[[FloatArray], FloatArray]:
    """Return a pattern of alternating light and dark squares around the axis; ``step`` is their height."""

    def paint(at: FloatArray) -> FloatArray:
        turn = np.floor((np.arctan2(at[:, 1], at[:, 0]) / (2 * np.pi) + 0.5) * 19.999)
        row = np.floor(at[:, 2] / step)
        return np.where(((turn + row) % 2 == 0)[:, None], WICKER, shade(WICKER, 0.66))

    return paint

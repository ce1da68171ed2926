"""Containers: cardboard boxes, baskets, suitcases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, BRASS, GREY, STEEL, WHITE, Palette
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
    rod,
    shade,
    tube,
    turned,
)
from fmp_models.sim.rendering.light import Array, Colour

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


def _woven(step: float) -> Callable[[Array], Array]:
    """Return a pattern of alternating light and dark squares around the axis; ``step`` is their height."""

    def paint(at: Array) -> Array:
        turn = np.floor((np.arctan2(at[:, 1], at[:, 0]) / (2 * np.pi) + 0.5) * 19.999)
        row = np.floor(at[:, 2] / step)
        return np.where(((turn + row) % 2 == 0)[:, None], WICKER, shade(WICKER, 0.66))

    return paint

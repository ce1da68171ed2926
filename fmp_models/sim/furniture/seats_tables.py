"""Seats, beds and tables: sofas, armchairs, chairs, stools, benches, beds; tables and desks."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, CREAM, PAPER, STEEL, WHITE, Palette
from fmp_models.sim.furniture.shapes import (
    CORNERS,
    SIDES,
    Place,
    SolidPart,
    ball,
    box,
    cushion,
    hoop,
    mix,
    rod,
    shade,
    sheet,
    turned,
)
from fmp_models.sim.light import Colour


def sofa(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a sofa: three seats between square arms, two between rolled arms, or a corner with a long seat."""
    if variant == 0:
        return [*_couch(3, 2.1, 0.88, palette, rolled=False), *_throw_pillows(0.68, palette)]
    if variant == 1:
        return [*_couch(2, 1.75, 0.90, palette, rolled=True), *_throw_pillows(0.45, palette)]
    couch = _couch(3, 2.3, 0.88, palette, rolled=False)
    long_base = box((-0.75, -0.72, 0.10), (0.80, 0.66, 0.20), shade(palette.fabric, 0.85), 0.02)
    long_seat = cushion((-0.73, -0.70, 0.29), (0.66, 0.72, 0.17), palette.fabric, 9)
    foot = [rod((x, -0.98, 0), (x, -0.98, 0.12), 0.02, palette.wood) for x in (-1.08, -0.42)]
    return [*couch, long_base, long_seat, *foot, *_throw_pillows(0.75, palette)]


def armchair(variant: int, palette: Palette) -> list[SolidPart]:
    """Build an armchair: square, rolled, or of bent wood with loose cushions."""
    if variant < 2:  # noqa: PLR2004 - the last is built differently
        return _couch(1, 0.92, 0.88, palette, rolled=variant == 1)
    parts = [
        cushion((0, 0, 0.32), (0.58, 0.62, 0.15), palette.fabric, 8),
        cushion((0, 0, 0), (0.58, 0.16, 0.56), palette.fabric, 8).spun(-14, "x").moved(0, 0.26, 0.42),
        box((0, 0, 0.28), (0.62, 0.60, 0.05), palette.wood, 0.01),
    ]
    for x in (-0.34, 0.34):
        parts += [
            rod((x, -0.30, 0), (x, -0.28, 0.58), 0.022, palette.wood),
            rod((x, 0.34, 0), (x, 0.26, 0.56), 0.022, palette.wood),
            box((x, -0.02, 0.57), (0.07, 0.70, 0.035), palette.wood, 0.012),
            box((x, 0, 0.28), (0.04, 0.58, 0.05), palette.wood, 0.01),
        ]
    return parts


def chair(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a chair: wooden with slats, upholstered, a plastic shell, or an office chair on castors."""
    return (_slatted, _upholstered, _shell, _office)[variant](palette)


def stool(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a round wooden stool on splayed legs, or a high metal one with a padded top."""
    if variant == 0:
        legs = [rod((0.17 * a, 0.17 * b, 0), (0.10 * a, 0.10 * b, 0.44), 0.016, palette.wood, 0.02) for a, b in CORNERS]
        rungs = [
            rod((0.14 * a, 0.14 * b, 0.17), (0.14 * c, 0.14 * d, 0.17), 0.009, palette.wood)
            for a, b, c, d in ((1, 1, 1, -1), (1, -1, -1, -1), (-1, -1, -1, 1), (-1, 1, 1, 1))
        ]
        top = [(0, 0.43), (0.165, 0.43), (0.175, 0.445), (0.17, 0.46), (0, 0.465)]
        return [turned(top, (0, 0, 0), palette.wood, 32).shiny(0.05), *legs, *rungs]
    pole = turned([(0, 0), (0.21, 0), (0.20, 0.015), (0.04, 0.03), (0.025, 0.06), (0.025, 0.66)], (0, 0, 0), STEEL, 32)
    seat = turned(
        [(0, 0.65), (0.17, 0.65), (0.19, 0.68), (0.185, 0.73), (0.15, 0.75), (0, 0.755)], (0, 0, 0), palette.fabric, 32
    )
    return [
        pole.shiny(0.3),
        seat,
        hoop((0, 0, 0.25), 0.15, 0.010, STEEL).shiny(0.3),
        rod((-0.15, 0, 0.25), (0.15, 0, 0.25), 0.008, STEEL).shiny(0.3),
    ]


def bench(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a slatted wooden bench with a back, or a padded one for the foot of a bed."""
    if variant == 0:
        parts = [box((0, y, 0.42), (1.3, 0.085, 0.03), palette.wood, 0.006) for y in (-0.19, -0.09, 0.01, 0.11)]
        parts += [
            box((0, 0.235 + 0.06 * i, 0.52 + 0.11 * i), (1.3, 0.025, 0.085), palette.wood, 0.006).moved(0, -0.03 * i)
            for i in range(3)
        ]
        for x in (-0.55, 0.55):
            parts += [
                box((x, -0.18, 0), (0.05, 0.05, 0.42), palette.metal),
                rod((x, 0.16, 0), (x, 0.20, 0.45), 0.026, palette.metal),
                rod((x, 0.22, 0.42), (x, 0.33, 0.83), 0.024, palette.metal),
                box((x, 0, 0.38), (0.05, 0.42, 0.04), palette.metal),
                box((x, -0.02, 0.60), (0.06, 0.42, 0.03), palette.metal, 0.01),
                box((x, -0.20, 0.42), (0.04, 0.04, 0.19), palette.metal),
            ]
        return parts
    parts = [
        box((0, 0, 0.34), (1.2, 0.40, 0.05), palette.wood, 0.008),
        cushion((0, 0, 0.37), (1.22, 0.42, 0.13), palette.fabric, 12),
    ]
    parts += [rod((0.54 * a, 0.15 * b, 0), (0.52 * a, 0.14 * b, 0.35), 0.015, palette.wood, 0.025) for a, b in CORNERS]
    return parts


def bed(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a wide wooden bed, a narrow one of metal bars, or an upholstered one; the head is at the back."""
    if variant == 0:
        wood = palette.wood
        frame = [
            box((0, 1.02, 0), (1.66, 0.06, 1.05), wood, 0.02),
            box((0, -1.02, 0), (1.66, 0.05, 0.48), wood, 0.015),
            *(box((0.81 * side, 0, 0.16), (0.04, 2.0, 0.18), wood, 0.005) for side in SIDES),
            *(box((0.79 * a, 0.99 * b, 0), (0.07, 0.07, 0.3), wood) for a, b in CORNERS),
        ]
        return [*frame, *_bedding(1.56, palette, two=True)]
    if variant == 1:
        metal = palette.metal
        frame = [box((0.47 * side, 0, 0.24), (0.03, 1.96, 0.05), metal) for side in SIDES]
        for y, height in ((1.0, 1.0), (-1.0, 0.62)):
            frame += [rod((x, y, 0), (x, y, height), 0.02, metal) for x in (-0.48, 0.48)]
            frame += [rod((-0.48, y, z), (0.48, y, z), 0.016, metal) for z in (height - 0.02, 0.32)]
            frame += [rod((x, y, 0.32), (x, y, height - 0.02), 0.009, metal) for x in np.linspace(-0.36, 0.36, 6)]
            frame += [ball((x, y, height + 0.02), 0.032, metal) for x in (-0.48, 0.48)]
        return [*frame, *_bedding(0.90, palette, two=False)]
    cloth = mix(palette.fabric, WHITE, 0.25)
    frame = [
        box((0, 0, 0.06), (1.86, 2.06, 0.26), cloth, 0.03),
        *(rod((0.85 * a, 0.95 * b, 0), (0.85 * a, 0.95 * b, 0.08), 0.03, palette.wood) for a, b in CORNERS),
        *(cushion((x, 1.06, 0.06), (0.63, 0.14, 1.10), cloth, 8) for x in (-0.62, 0, 0.62)),
    ]
    return [*frame, *_bedding(1.76, palette, two=True)]


def _couch(seats: int, width: float, depth: float, palette: Palette, *, rolled: bool) -> list[SolidPart]:
    """Build base, arms, back, feet, and a seat and back cushion for each seat."""
    cloth, dark = palette.fabric, shade(palette.fabric, 0.85)
    arm = 0.20 if rolled else 0.16
    inside = width - 2 * arm
    front, back = -depth / 2, depth / 2
    parts = [
        box((0, 0, 0.10), (width - 0.03, depth - 0.04, 0.20), dark, 0.02),
        box((0, back - 0.11, 0.12), (width - 0.04, 0.20, 0.66), cloth, 0.05),
    ]
    for side in SIDES:
        x = side * (width - arm) / 2
        if rolled:
            parts += [
                box((x, -0.01, 0.10), (arm - 0.04, depth - 0.05, 0.42), cloth, 0.03),
                rod((x, front, 0.54), (x, back - 0.10, 0.54), 0.12, cloth),
                turned([(0, 0), (0.09, 0), (0.09, 0.008), (0, 0.014)], (0, 0, 0), dark)
                .spun(90, "x")
                .moved(x, front, 0.54),
            ]
        else:
            parts.append(box((x, 0, 0.10), (arm, depth, 0.50), cloth, 0.04))
        parts += [rod((x, y, 0), (x, y, 0.12), 0.018, palette.wood, 0.026) for y in (front + 0.08, back - 0.08)]
    each = inside / seats
    light = shade(cloth, 1.08)
    for number in range(seats):
        x = -inside / 2 + (number + 0.5) * each
        parts.append(cushion((x, -0.09, 0.29), (each - 0.005, depth - 0.20, 0.19), light, 9))
        lean = cushion((0, 0, 0), (each - 0.01, 0.20, 0.46), light, 7).spun(-12, "x")
        parts.append(lean.moved(x, back - 0.27, 0.43))
    return parts


def _throw_pillows(x: float, palette: Palette) -> list[SolidPart]:
    pillows = []
    for side, colour in ((-1, palette.accent), (1, mix(palette.accent, (1, 1, 1), 0.45))):
        pillow = cushion((0, 0, -0.19), (0.38, 0.15, 0.38), colour, 4).spun(10 * side, "y").spun(-22, "x")
        pillows.append(pillow.spun(-18 * side).moved(side * x, 0.02, 0.63))
    return pillows


def _slatted(palette: Palette) -> list[SolidPart]:
    wood = palette.wood
    parts = [box((0, 0, 0.44), (0.44, 0.43, 0.03), wood, 0.01)]
    for x in (-0.19, 0.19):
        parts += [
            box((x, -0.18, 0), (0.036, 0.036, 0.44), wood, 0.004),
            rod((x, 0.21, 0), (x, 0.18, 0.45), 0.02, wood),
            rod((x, 0.18, 0.45), (x, 0.25, 0.93), 0.02, wood),
            box((x, 0, 0.37), (0.025, 0.36, 0.05), wood),
        ]
    parts += [box((0, y, 0.37), (0.38, 0.025, 0.05), wood) for y in (-0.18, 0.18)]
    parts.append(box((0, 0, 0), (0.42, 0.025, 0.09), wood, 0.008).spun(-8, "x").moved(0, 0.238, 0.85))
    parts += [rod((x, 0.19, 0.46), (x, 0.245, 0.88), 0.010, wood) for x in (-0.11, -0.037, 0.037, 0.11)]
    return parts


def _upholstered(palette: Palette) -> list[SolidPart]:
    parts = [
        cushion((0, 0, 0.40), (0.47, 0.47, 0.10), palette.fabric, 7),
        cushion((0, 0, 0), (0.44, 0.08, 0.46), palette.fabric, 7).spun(-8, "x").moved(0, 0.21, 0.50),
        box((0, 0, 0.37), (0.40, 0.40, 0.05), palette.wood),
    ]
    for x in (-0.18, 0.18):
        parts += [
            rod((x * 1.08, -0.20, 0), (x, -0.18, 0.39), 0.013, palette.wood, 0.022),
            rod((x * 1.08, 0.22, 0), (x, 0.18, 0.39), 0.013, palette.wood, 0.022),
            rod((x, 0.20, 0.39), (x, 0.24, 0.60), 0.018, palette.wood),
        ]
    return parts


def _shell(palette: Palette) -> list[SolidPart]:
    """Build a moulded seat: a curve from its front edge down into the seat and up into the back."""
    t, s = np.meshgrid(np.linspace(0, 1, 22), np.linspace(-1, 1, 11), indexing="ij")
    y = np.interp(t, [0, 0.05, 0.45, 0.60, 1], [-0.24, -0.22, 0.10, 0.19, 0.27])
    z = np.interp(t, [0, 0.05, 0.30, 0.45, 0.58, 1], [0.43, 0.45, 0.43, 0.44, 0.52, 0.84])
    half = 0.235 - 0.05 * np.clip((t - 0.55) / 0.45, 0, 1) ** 2
    grid = np.stack([s * half, y - 0.04 * s**2 * t, z + 0.05 * s**2 * np.sin(np.pi * np.clip(t * 1.2, 0, 1))], axis=-1)
    seat = sheet(grid, palette.accent)
    lower = SolidPart(seat.points - [0, 0, 0.008], -seat.normals, seat.triangles[:, ::-1], seat.colours)
    legs = [rod((0.21 * a, 0.20 * b, 0), (0.11 * a, 0.10 * b, 0.43), 0.011, palette.wood, 0.017) for a, b in CORNERS]
    return [seat.shiny(0.12), lower.shiny(0.12), *legs, box((0, 0, 0.41), (0.24, 0.22, 0.02), BLACK)]


def _office(palette: Palette) -> list[SolidPart]:
    cloth = mix(palette.fabric, BLACK, 0.35)
    parts = [
        cushion((0, 0, 0.44), (0.50, 0.48, 0.10), cloth, 6),
        cushion((0, 0, 0), (0.46, 0.09, 0.58), cloth, 6).spun(-8, "x").moved(0, 0.24, 0.58),
        rod((0, 0.18, 0.45), (0, 0.27, 0.72), 0.022, BLACK),
        rod((0, 0, 0.10), (0, 0, 0.45), 0.026, STEEL).shiny(0.3),
    ]
    for x in (-0.27, 0.27):
        parts += [box((x, -0.02, 0.66), (0.06, 0.26, 0.03), BLACK, 0.01), _post((x, 0.04, 0.46), 0.21, BLACK)]
    for turn in np.arange(5) * 72 + 90:
        arm = [rod((0.02, 0, 0.11), (0.29, 0, 0.075), 0.022, BLACK, 0.014), _castor((0.29, 0, 0))]
        parts += [part.spun(float(turn)) for part in arm]
    return parts


def _post(place: Place, height: float, colour: Colour) -> SolidPart:
    x, y, z = place
    return rod((x, y, z), (x, y, z + height), 0.018, colour)


def _castor(place: Place) -> SolidPart:
    x, y, z = place
    return rod((x, y - 0.02, z + 0.032), (x, y + 0.02, z + 0.032), 0.032, BLACK)


def _bedding(width: float, palette: Palette, *, two: bool) -> list[SolidPart]:
    """Build a mattress, a blanket turned down, and pillows."""
    blanket = palette.fabric
    parts = [
        cushion((0, 0, 0.28), (width, 1.98, 0.24), WHITE, 14),
        cushion((0, -0.28, 0.33), (width + 0.06, 1.44, 0.23), blanket, 12),
        cushion((0, 0.36, 0.45), (width + 0.065, 0.30, 0.125), mix(blanket, WHITE, 0.65), 9),
        cushion((0, -0.66, 0.34), (width + 0.075, 0.42, 0.235), palette.accent, 14),
    ]
    for x in (-width / 4, width / 4) if two else (0.0,):
        pillow = cushion((0, 0, 0), (0.66, 0.42, 0.17), WHITE, 3.6).spun(14, "x")
        parts.append(pillow.moved(x, 0.70, 0.53))
    return parts


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

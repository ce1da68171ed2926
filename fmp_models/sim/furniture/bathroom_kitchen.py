"""Bathroom and kitchen furniture: bathtubs, sinks, toilets, fridges, stoves, washing machines."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, BRASS, GREY, PAPER, PORCELAIN, STEEL, WHITE, Palette
from fmp_models.sim.furniture.shapes import (
    CORNERS,
    SIDES,
    Place,
    SolidPart,
    ball,
    box,
    hoop,
    mix,
    rod,
    shade,
    tube,
    turned,
)
from fmp_models.sim.light import Colour, FloatArray

WATER: Colour = (0.62, 0.82, 0.88)
PANE: Colour = (0.10, 0.11, 0.13)


def bathtub(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a bathtub, free-standing on brass feet or built in behind a straight front, with water and a tap."""
    if variant == 0:
        skin = mix(palette.accent, WHITE, 0.25)
        shell = [(0, 0.12), (0.50, 0.14), (0.68, 0.24), (0.80, 0.55), (0.83, 0.58)]
        hollow = [(0.85, 0.58), (0.85, 0.61), (0.79, 0.61), (0.76, 0.57), (0.66, 0.36), (0.50, 0.30)]
        parts = [
            turned(shell, (0, 0, 0), skin, 48, depth=0.46, square=2.6).shiny(0.2),
            turned(hollow, (0, 0, 0), PORCELAIN, 48, depth=0.46, square=2.6).shiny(0.2),
            turned([(0.74, 0.50), (0, 0.50)], (0, 0, 0), WATER, 48, depth=0.46, square=2.6).shiny(0.4),
        ]
        for a, b in CORNERS:
            parts += [
                ball((0.50 * a, 0.20 * b, 0.045), 0.045, BRASS),
                rod((0.50 * a, 0.20 * b, 0.05), (0.44 * a, 0.17 * b, 0.18), 0.03, BRASS),
            ]
        return [*parts, *_tap((0.0, 0.40, 0.0), 0.80, 0.18, BRASS), rod((0, 0.40, 0), (0, 0.40, 0.6), 0.018, BRASS)]
    shell = [(0.85, 0.0), (0.85, 0.54), (0.85, 0.57), (0.78, 0.57), (0.76, 0.53), (0.66, 0.25), (0.60, 0.22)]
    front = box((0, -0.40, 0.03), (1.60, 0.02, 0.46), palette.wall, 0.006)
    return [
        turned(shell, (0, 0, 0), PORCELAIN, 64, depth=0.47, square=9).shiny(0.2),
        turned([(0.74, 0.44), (0, 0.44)], (0, 0, 0), WATER, 64, depth=0.46, square=8).shiny(0.4),
        front,
        *_tap((-0.72, 0.0, 0.55), 0.16, 0.16, STEEL, turn=90),
        *(ball((-0.76, y, 0.63), 0.028, STEEL).shiny(0.3) for y in (-0.09, 0.09)),
    ]


def sink(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a basin on a column, or set into a cabinet with two doors."""
    basin = [(0.10, 0), (0.24, 0.06), (0.29, 0.15), (0.30, 0.17), (0.26, 0.17), (0.22, 0.08), (0.10, 0.03), (0, 0.03)]
    drain = turned([(0.02, 0.035), (0, 0.035)], (0, 0, 0), GREY)
    if variant == 0:
        column = [(0.15, 0), (0.14, 0.04), (0.085, 0.12), (0.08, 0.45), (0.11, 0.70)]
        bowl = [
            turned(basin, (0, -0.02, 0.68), PORCELAIN, 40, depth=0.78, square=2.8).shiny(0.2),
            drain.moved(0, -0.02, 0.68),
        ]
        back = box((0, 0.20, 0.76), (0.58, 0.08, 0.10), PORCELAIN, 0.015).shiny(0.2)
        return [
            turned(column, (0, 0.04, 0), PORCELAIN, 28).shiny(0.2),
            *bowl,
            back,
            *_tap((0, 0.19, 0.86), 0.12, 0.14, STEEL),
        ]
    wood = palette.wood
    parts = [
        box((0, 0, 0.08), (0.80, 0.48, 0.74), wood, 0.006),
        box((0, 0.03, 0), (0.74, 0.40, 0.08), shade(wood, 0.6)),
        box((0, -0.01, 0.82), (0.84, 0.52, 0.035), WHITE, 0.006),
        *(box((0.195 * side, -0.245, 0.12), (0.37, 0.02, 0.66), shade(wood, 1.12), 0.005) for side in SIDES),
        *(rod((0.045 * side, -0.275, 0.5), (0.045 * side, -0.275, 0.64), 0.008, palette.metal) for side in SIDES),
    ]
    dish = turned([(r * 0.95, z) for r, z in basin], (0, -0.03, 0.84), PORCELAIN, 40, depth=0.72).shiny(0.2)
    return [*parts, dish, drain.moved(0, -0.03, 0.84), *_tap((0, 0.19, 0.85), 0.26, 0.15, STEEL)]


def toilet(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a toilet bowl in front of its tank, with the lid up or down."""
    foot = [(0.14, 0), (0.135, 0.03), (0.10, 0.12), (0.12, 0.22), (0.19, 0.34), (0.20, 0.39), (0.18, 0.395)]
    hollow = [(0.18, 0.395), (0.14, 0.39), (0.11, 0.28), (0, 0.26)]
    y, long = -0.12, 1.28
    parts = [
        *(turned(line, (0, y, 0), PORCELAIN, 36, depth=long).shiny(0.25) for line in (foot, hollow)),
        box((0, 0.18, 0), (0.20, 0.30, 0.38), PORCELAIN, 0.03).shiny(0.2),
        box((0, 0.26, 0.36), (0.42, 0.19, 0.40), PORCELAIN, 0.025).shiny(0.25),
        box((0, 0.26, 0.76), (0.45, 0.22, 0.035), shade(PORCELAIN, 0.97), 0.012).shiny(0.25),
        rod((0, 0.26, 0.79), (0, 0.26, 0.805), 0.035, STEEL),
    ]
    seat_colour = WHITE if variant == 0 else mix(palette.wood, WHITE, 0.1)
    seat = [(0.205, 0.395), (0.205, 0.42), (0.13, 0.42), (0.125, 0.40)]
    parts.append(turned(seat, (0, y, 0), shade(seat_colour, 0.92), 36, depth=long))
    lid = turned(
        [(0, 0), (0.205, 0), (0.205, 0.018), (0.19, 0.026), (0, 0.028)], (0, 0, 0), seat_colour, 36, depth=long
    )
    if variant == 0:
        return [
            *parts,
            lid.moved(0, -0.255, 0).spun(-82, "x").moved(0, 0.13, 0.43),
            turned([(0.125, 0.33), (0, 0.33)], (0, y, 0), WATER, 28, depth=long).shiny(0.3),
        ]
    return [*parts, lid.moved(0, y, 0.42)]


def fridge(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a white fridge with a small door above a large one and notes on it, or a steel one with two tall doors."""
    if variant == 0:
        body = mix(WHITE, palette.wall, 0.1)
        parts = [
            box((0, 0.02, 0.04), (0.62, 0.60, 1.70), shade(body, 0.92), 0.012),
            box((0, 0.02, 0), (0.56, 0.52, 0.05), BLACK),
        ]
        parts += [
            box((0, -0.30, z), (0.62, 0.06, tall), body, 0.018).shiny(0.15) for z, tall in ((0.06, 1.10), (1.18, 0.55))
        ]
        parts += [
            rod((-0.24, -0.36, z), (-0.24, -0.36, z + long), 0.014, STEEL).shiny(0.3)
            for z, long in ((0.75, 0.36), (1.23, 0.26))
        ]
        parts += [rod((-0.24, -0.36, z), (-0.24, -0.32, z), 0.010, STEEL) for z in (0.77, 1.09, 1.25, 1.47)]
        notes = ((0.06, 1.32, PAPER, 6), (0.17, 1.28, (0.97, 0.85, 0.36), -9), (0.09, 0.86, (0.62, 0.80, 0.90), -4))
        for x, z, colour, tilt in notes:
            parts.append(box((0, 0, 0), (0.10, 0.003, 0.13), colour).spun(tilt, "y").moved(x, -0.332, z))
            parts.append(box((x + 0.006, -0.336, z + 0.11), (0.022, 0.008, 0.022), (0.80, 0.22, 0.20)))
        return parts
    steel = (0.66, 0.68, 0.70)
    parts = [
        box((0, 0.02, 0.04), (0.90, 0.62, 1.74), shade(steel, 0.7), 0.01),
        box((0, 0.02, 0), (0.84, 0.54, 0.05), BLACK),
    ]
    for side in SIDES:
        x = 0.2265 * side
        parts.append(box((x, -0.32, 0.06), (0.445, 0.06, 1.72), steel, 0.014).shiny(0.35))
        parts.append(
            rod((0.05 * side, -0.385, 0.70), (0.05 * side, -0.385, 1.45), 0.013, shade(steel, 1.25)).shiny(0.4)
        )
        parts += [rod((0.05 * side, -0.385, z), (0.05 * side, -0.34, z), 0.010, steel) for z in (0.74, 1.41)]
    return [
        *parts,
        box((-0.25, -0.351, 1.02), (0.22, 0.006, 0.34), BLACK, 0.002),
        box((-0.25, -0.356, 1.27), (0.15, 0.004, 0.05), (0.45, 0.75, 0.90)).lit(0.4),
    ]


def stove(variant: int, palette: Palette) -> list[SolidPart]:
    """Build four plates over an oven with a window: white, or dark with burners and a pot."""
    body = WHITE if variant == 0 else (0.20, 0.21, 0.23)
    trim = STEEL if variant == 0 else BRASS
    parts = [
        box((0, 0.01, 0.05), (0.60, 0.58, 0.80), body, 0.006),
        box((0, 0.02, 0), (0.56, 0.52, 0.05), BLACK),
        box((0, 0, 0.85), (0.61, 0.62, 0.03), BLACK if variant == 0 else shade(body, 0.7), 0.004).shiny(0.3),
        box((0, 0.29, 0.88), (0.60, 0.03, 0.14), body, 0.006),
        box((0, -0.295, 0.22), (0.58, 0.03, 0.48), shade(body, 0.96), 0.006),
        box((0, -0.312, 0.29), (0.42, 0.006, 0.27), PANE).shiny(0.4),
        box((0, -0.314, 0.34), (0.36, 0.004, 0.14), (0.30, 0.17, 0.08)),
        rod((-0.24, -0.345, 0.63), (0.24, -0.345, 0.63), 0.013, trim).shiny(0.3),
        *(rod((x, -0.345, 0.63), (x, -0.30, 0.63), 0.009, trim) for x in (-0.22, 0.22)),
        box((0, -0.29, 0.07), (0.58, 0.03, 0.13), shade(body, 0.96), 0.006),
    ]
    for number in range(5):
        x = -0.22 + 0.11 * number
        parts.append(rod((x, -0.325, 0.775), (x, -0.28, 0.775), 0.024, BLACK if variant == 0 else trim))
    for (a, b), radius in zip(CORNERS, (0.085, 0.105, 0.105, 0.085), strict=True):
        x, y = 0.145 * a, 0.13 * b - 0.02
        if variant == 0:
            plate = [(0, 0.882), (radius, 0.882), (radius, 0.892), (radius * 0.8, 0.894), (0, 0.894)]
            parts += [
                turned(plate, (x, y, 0), (0.24, 0.24, 0.25), 28),
                hoop((x, y, 0.893), radius * 0.5, 0.004, (0.75, 0.22, 0.12)),
            ]
        else:
            parts += [turned([(0, 0.88), (0.04, 0.88), (0.035, 0.90), (0, 0.90)], (x, y, 0), GREY)]
            parts += [box((x, y, 0.90), size, BLACK) for size in ((0.22, 0.014, 0.014), (0.014, 0.22, 0.014))]
    if variant == 1:
        pot = [(0, 0), (0.10, 0), (0.105, 0.02), (0.105, 0.13), (0.112, 0.135), (0.03, 0.155), (0, 0.155)]
        parts += [
            turned(pot, (-0.145, -0.15, 0.914), palette.accent, 28).shiny(0.2),
            ball((-0.145, -0.15, 1.085), 0.018, BLACK),
        ]
        parts += [rod((x - 0.145, -0.15, 1.01), (x * 1.35 - 0.145, -0.15, 1.02), 0.012, BLACK) for x in (-0.10, 0.10)]
    return parts


def washing_machine(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a washing machine with a round window in a white or a grey front."""
    body = WHITE if variant == 0 else mix(GREY, palette.metal, 0.2)
    rim = STEEL if variant == 0 else BLACK
    parts = [
        box((0, 0.01, 0.02), (0.60, 0.56, 0.82), body, 0.012),
        box((0, 0, 0.84), (0.60, 0.60, 0.02), shade(body, 0.9), 0.004),
        box((0, -0.275, 0.70), (0.59, 0.02, 0.13), shade(body, 0.88), 0.005),
        box((-0.19, -0.288, 0.715), (0.18, 0.012, 0.095), shade(body, 1.03), 0.005),
        box((0.04, -0.288, 0.74), (0.12, 0.006, 0.05), BLACK),
        box((0.04, -0.292, 0.755), (0.06, 0.003, 0.02), (0.45, 0.85, 0.60)).lit(0.4),
        rod((0.20, -0.315, 0.765), (0.20, -0.28, 0.765), 0.040, rim),
        *(box((0.24 * a, 0.22 * b, 0), (0.05, 0.05, 0.03), BLACK) for a, b in CORNERS),
    ]
    door = [(0.235, 0), (0.235, 0.02), (0.215, 0.035), (0.165, 0.03), (0.155, 0.015)]
    window = [(0.158, 0.012), (0.14, 0.03), (0.09, 0.048), (0, 0.055)]
    laundry = mix(palette.accent, PANE, 0.55)
    for outline, colour, gloss in ((door, rim, 0.25), (window, (0.20, 0.26, 0.31), 0.45)):
        parts.append(turned(outline, (0, 0, 0), colour, 40).spun(90, "x").moved(0, -0.268, 0.39).shiny(gloss))
    parts.append(
        turned([(0.12, 0.040), (0.09, 0.050), (0, 0.057)], (0, 0, 0), laundry, 40)
        .spun(90, "x")
        .moved(0.0, -0.27, 0.375)
    )
    return [*parts, box((0.20, -0.305, 0.34), (0.035, 0.02, 0.10), shade(rim, 0.8), 0.006)]


def _tap(place: Place, height: float, reach: float, metal: Colour, turn: float = 0.0) -> list[SolidPart]:
    """Build a curved spout that reaches towards -y before it is rotated by ``turn``."""
    bow: list[Place] = [
        (0, 0, 0),
        (0, 0, height * 0.6),
        (0, -reach * 0.15, height * 0.9),
        (0, -reach * 0.5, height),
        (0, -reach * 0.85, height * 0.92),
        (0, -reach, height * 0.75),
    ]
    spout = tube(_smoothed(bow), 0.014, metal).shiny(0.3)
    base = turned([(0, 0), (0.028, 0), (0.024, 0.02), (0, 0.02)], (0, 0, 0), metal).shiny(0.3)
    lever = rod((0.018, 0, height * 0.3), (0.075, 0, height * 0.36), 0.008, metal).shiny(0.3)
    return [part.spun(turn).moved(*place) for part in (spout, base, lever)]


def _smoothed(corners: list[Place]) -> FloatArray:
    line = np.asarray(corners, dtype=float)
    at, fine = np.arange(len(line)), np.linspace(0, len(line) - 1, 20)
    return np.stack([np.interp(fine, at, line[:, axis]) for axis in range(3)], axis=1)

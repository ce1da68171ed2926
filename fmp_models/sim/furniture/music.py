"""Musical instruments: pianos and guitars."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, BRASS, CREAM, PAPER, WHITE, Palette
from fmp_models.sim.furniture.shapes import SIDES, SolidPart, box, mix, prism, rod, shade, tube, turned
from fmp_models.sim.rendering.light import Colour

WHITE_KEYS = 52
BLACK_AFTER = (0, 1, 3, 4, 5)  # of the seven white keys from C, those with a black key on their right
SPRUCE: Colour = (0.87, 0.66, 0.36)


def piano(variant: int, palette: Palette) -> list[SolidPart]:
    """Build an upright piano in black or in wood, or a grand piano with its lid up."""
    if variant == 2:  # noqa: PLR2004 - the grand
        return _grand()
    case = BLACK if variant == 0 else palette.wood
    dark = shade(case, 0.7)
    parts = [
        box((0, 0.13, 0.03), (1.46, 0.34, 1.14), case, 0.006),
        box((0, 0.12, 1.17), (1.52, 0.38, 0.03), case, 0.01),
        box((0, -0.16, 0.60), (1.46, 0.30, 0.07), case, 0.006),
        box((0, 0.12, 0), (1.48, 0.36, 0.05), dark),
        box((0, -0.042, 0.10), (1.20, 0.012, 0.42), shade(case, 1.25), 0.008),
        box((0, -0.045, 0.71), (1.40, 0.02, 0.09), dark),
        box((0, -0.045, 0.84), (1.10, 0.012, 0.28), shade(case, 1.25), 0.008),
        *(box((0.70 * side, -0.16, 0), (0.06, 0.28, 0.76), case, 0.008) for side in SIDES),
        *(part.moved(0, -0.06, 0.67) for part in _keyboard()),
        box((0, 0, 0), (0.60, 0.015, 0.25), dark).spun(-12, "x").moved(0, -0.10, 0.80),
    ]
    parts = [part.shiny(0.2) for part in parts]
    parts += [
        box((x, 0, 0.01), (0.21, 0.006, 0.27), PAPER).spun(-12, "x").moved(0, -0.115, 0.81) for x in (-0.108, 0.108)
    ]
    return [*parts, *(box((x, -0.10, 0.03), (0.035, 0.16, 0.015), BRASS) for x in (-0.10, 0, 0.10))]


def guitar(variant: int, palette: Palette) -> list[SolidPart]:
    """Build an acoustic guitar with a round hole, or an electric one with two horns, leaning on a stand."""
    turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    parts = _acoustic(turn, palette) if variant == 0 else _electric(turn, palette)
    leaning = [part.spun(-12, "x").moved(0, 0, 0.14) for part in parts]
    stand = [
        *(rod((0.16 * side, -0.16, 0), (0, 0.17, 0.62), 0.012, BLACK) for side in SIDES),
        rod((0, 0.30, 0), (0, 0.15, 0.55), 0.012, BLACK),
        *(rod((0.10 * side, -0.09, 0.14), (0.10 * side, 0.08, 0.20), 0.012, BLACK) for side in SIDES),
    ]
    return [*leaning, *stand]


def _keyboard() -> list[SolidPart]:
    """Build keys 1.22 m wide, with their back edge at y = 0 and their underside at z = 0."""
    width = 1.22 / WHITE_KEYS
    parts = [box((0, -0.075, 0.0), (1.30, 0.15, 0.012), (0.25, 0.25, 0.25))]
    for key in range(WHITE_KEYS):
        x = (key + 0.5 - WHITE_KEYS / 2) * width
        parts.append(box((x, -0.078, 0), (width - 0.004, 0.15, 0.026), WHITE))
        if (key + 5) % 7 in BLACK_AFTER and key < WHITE_KEYS - 1:
            parts.append(box((x + width / 2, -0.05, 0.02), (0.013, 0.095, 0.022), BLACK))
    return parts


def _grand() -> list[SolidPart]:
    case = BLACK
    plan = [
        (-0.74, 0.0),
        (0.74, 0.0),
        (0.74, 0.62),
        (0.70, 0.82),
        (0.56, 1.00),
        (0.38, 1.14),
        (0.24, 1.32),
        (0.14, 1.52),
        (0.0, 1.64),
        (-0.22, 1.70),
        (-0.46, 1.68),
        (-0.64, 1.58),
        (-0.74, 1.40),
    ]
    body = prism(plan, 0.28, case).spun(-90, "x")
    inside = prism([(x * 0.93, 0.06 + z * 0.94) for x, z in plan], 0.28, (0.62, 0.42, 0.18)).spun(-90, "x")
    lid = prism(plan, 0.02, case).spun(-90, "x")
    parts = [
        body.moved(0, 0, 0.80),
        inside.moved(0, 0, 0.804),
        lid.moved(0.74, 0, 0).spun(-38, "y").moved(-0.74, 0, 0.955),
        rod((0.55, 0.55, 0.94), (0.28, 0.55, 1.76), 0.012, case),
        box((0, -0.10, 0.62), (1.48, 0.26, 0.07), case, 0.008),
        *(box((0.69 * side, -0.09, 0.62), (0.10, 0.24, 0.20), case, 0.012) for side in SIDES),
        *(part.moved(0, -0.02, 0.69) for part in _keyboard()),
        *(rod((x, y, 0), (x, y, 0.68), 0.035, case, 0.06) for x, y in ((-0.62, 0.05), (0.62, 0.05), (-0.35, 1.45))),
        *(rod((x, 0.14, 0.05), (x, 0.10, 0.66), 0.014, case) for x in (-0.08, 0.08)),
        box((0, 0.12, 0.05), (0.26, 0.10, 0.05), case),
    ]
    parts = [part.shiny(0.3) for part in parts]
    stand = box((0, 0, 0), (0.56, 0.012, 0.20), shade(case, 1.5)).spun(-20, "x").moved(0, 0.10, 0.94)
    sheets = [box((x, 0, 0), (0.20, 0.006, 0.25), PAPER).spun(-20, "x").moved(0, 0.085, 0.95) for x in (-0.103, 0.103)]
    return [*parts, stand, *sheets, *(box((x, 0.03, 0.06), (0.03, 0.12, 0.012), BRASS) for x in (-0.07, 0, 0.07))]


def _acoustic(turn: np.ndarray, palette: Palette) -> list[SolidPart]:
    wood = mix(palette.wood, BLACK, 0.25)
    up = 0.25 - 0.25 * np.cos(turn)
    half = (
        0.19 * np.abs(np.sin(turn)) ** 0.8 * (1 - 0.30 * up / 0.5) * (1 - 0.30 * np.exp(-(((up - 0.29) / 0.075) ** 2)))
    )
    outline = [(float(x), float(z)) for x, z in zip(half * np.sign(np.sin(turn)), up, strict=True)]
    hole = (0, -0.057, 0.33)
    return [
        prism(outline, 0.10, wood),
        prism([(x * 0.96, 0.01 + z * 0.96) for x, z in outline], 0.108, SPRUCE).shiny(0.12),
        *(
            turned([(radius, 0), (radius, lift), (0, lift)], (0, 0, 0), colour).spun(90, "x").moved(*hole)
            for radius, lift, colour in ((0.062, 0.001, shade(wood, 0.7)), (0.050, 0.003, BLACK))
        ),
        box((0, -0.058, 0.13), (0.15, 0.012, 0.025), shade(wood, 0.5)),
        *_neck(0.40, wood),
    ]


def _electric(turn: np.ndarray, palette: Palette) -> list[SolidPart]:
    up = 0.20 - 0.20 * np.cos(turn)
    half = 0.165 * np.abs(np.sin(turn)) ** 0.75 * (1 - 0.25 * np.exp(-(((up - 0.21) / 0.07) ** 2)))
    outline = [(float(x), float(z)) for x, z in zip(half * np.sign(np.sin(turn)), up, strict=True)]
    horns = [
        prism(
            [(-0.15, 0.28), (-0.06, 0.32), (-0.075, 0.38), (-0.095, 0.47), (-0.13, 0.46), (-0.155, 0.36)],
            0.045,
            palette.fabric,
        ),
        prism(
            [(0.15, 0.26), (0.06, 0.32), (0.075, 0.36), (0.10, 0.42), (0.135, 0.41), (0.155, 0.33)],
            0.045,
            palette.fabric,
        ),
    ]
    guard = [(-0.05, 0.33), (0.10, 0.36), (0.12, 0.24), (0.10, 0.10), (0.04, 0.12), (-0.07, 0.20)]
    return [
        *(part.shiny(0.3) for part in (prism(outline, 0.045, palette.fabric), *horns)),
        prism(guard, 0.004, CREAM).moved(0, -0.025, 0),
        *(box((0, -0.029, z), (0.085, 0.012, 0.03), BLACK) for z in (0.16, 0.25)),
        box((0, -0.029, 0.09), (0.09, 0.016, 0.03), BRASS),
        *(rod((x, -0.04, z), (x, -0.02, z), 0.013, WHITE) for x, z in ((0.09, 0.15), (0.105, 0.11))),
        *_neck(0.36, SPRUCE),
    ]


def _neck(start: float, wood: Colour) -> list[SolidPart]:
    """Build a fingerboard, frets, a head with pegs, and six strings."""
    y = -0.055 if start == 0.40 else -0.03  # noqa: PLR2004 - on the top of the acoustic's body
    parts = [
        box((0, y + 0.012, start), (0.052, 0.035, 0.50), wood),
        box((0, y - 0.008, start), (0.055, 0.010, 0.50), BLACK),
        prism(
            [(-0.03, start + 0.49), (0.03, start + 0.49), (0.042, start + 0.66), (-0.042, start + 0.66)], 0.018, wood
        ).moved(0, y, 0),
    ]
    parts += [
        box((0, y - 0.014, start + 0.47 * (1 - 0.85**fret)), (0.055, 0.003, 0.004), BRASS) for fret in range(1, 12)
    ]
    for side in SIDES:
        parts += [
            rod((0.03 * side, y, start + 0.52 + 0.045 * k), (0.062 * side, y, start + 0.52 + 0.045 * k), 0.008, BRASS)
            for k in range(3)
        ]
    low = 0.14 if start == 0.40 else 0.10  # noqa: PLR2004
    parts += [
        tube([(x, y - 0.014, low), (x, y - 0.016, start + 0.5)], 0.0012, (0.85, 0.85, 0.82))
        for x in np.linspace(-0.02, 0.02, 6)
    ]
    return parts

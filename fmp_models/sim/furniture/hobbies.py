"""Music and sport: pianos and guitars; bicycles, treadmills, balls, ladders."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, BRASS, CREAM, GREY, PAPER, STEEL, WHITE, Palette
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
    prism,
    rod,
    shade,
    tube,
    turned,
)
from fmp_models.sim.light import Colour, FloatArray

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


SPOKES = 16
WHEEL = 0.34  # radius in metres


def bicycle(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a bicycle in side view: with a straight top tube, or a low one, mudguards and a basket."""
    paint = palette.accent if variant == 0 else mix(palette.fabric, WHITE, 0.15)
    rear, front, pedals = (-0.52, 0.0, WHEEL), (0.54, 0.0, WHEEL), (-0.06, 0.0, 0.29)
    saddle, head, fork = (-0.21, 0.0, 0.80), (0.36, 0.0, 0.86), (0.41, 0.0, 0.66)
    top = (-0.18, 0.0, 0.72) if variant == 0 else (-0.12, 0.0, 0.48)
    bars: list[tuple[Place, Place, float]] = [
        (pedals, saddle, 0.018),
        (pedals, fork, 0.021),
        (top, (0.375, 0.0, 0.79), 0.018),
        (head, fork, 0.021),
    ]
    for y in (-0.05, 0.05):
        bars += [((x, y, z), (far[0], y * 0.3, far[2]), 0.010) for (x, _, z), far in ((rear, pedals), (rear, top))]
        bars.append(((front[0], y, front[2]), (fork[0], y * 0.5, fork[2]), 0.012))
    parts = [rod(start, end, radius, paint).shiny(0.2) for start, end, radius in bars]
    parts += [part for hub in (rear, front) for part in _wheel(hub)]
    parts += [
        rod(saddle, (-0.235, 0, 0.88), 0.014, STEEL),
        cushion((-0.235, 0, 0.87), (0.26, 0.14, 0.06), BLACK, 2.6),
        rod(head, (0.345, 0, 0.95), 0.014, STEEL),
        turned([(0, 0), (0.09, 0), (0.09, 0.01), (0, 0.01)], (0, 0, 0), GREY)
        .spun(90, "x")
        .moved(pedals[0], -0.05, pedals[2]),
        tube([(rear[0], -0.055, rear[2] + 0.035), (pedals[0], -0.055, pedals[2] + 0.088)], 0.006, BLACK),
        tube([(rear[0], -0.055, rear[2] - 0.035), (pedals[0], -0.055, pedals[2] - 0.088)], 0.006, BLACK),
    ]
    for side, x, z in ((-1, 0.10, -0.13), (1, -0.10, 0.13)):
        foot = (pedals[0] + x, 0.085 * side, pedals[2] + z)
        parts += [
            rod((pedals[0], 0.07 * side, pedals[2]), foot, 0.011, STEEL),
            box((foot[0], foot[1] + 0.05 * side, foot[2] - 0.01), (0.09, 0.08, 0.02), BLACK),
        ]
    grips = [(0.345, -0.02, 0.95), (0.36, -0.15, 0.98), (0.30, -0.27, 0.99), (0.20, -0.29, 0.98)]
    for side in SIDES:
        line = [(x, y * side, z) for x, y, z in grips]
        parts += [tube(line, 0.011, STEEL), rod(line[2], line[3], 0.017, BLACK)]
    if variant == 1:
        basket = [(0, 0), (0.12, 0), (0.16, 0.20), (0.15, 0.20), (0.11, 0.02), (0, 0.02)]
        parts.append(turned(basket, (0.60, 0, 0.78), (0.66, 0.48, 0.28), 24, depth=1.1, square=5))
        for (x, _, z), span in ((rear, (20, 190)), (front, (10, 150))):
            turn = np.radians(np.linspace(*span, 16))
            guard = np.stack([x + 0.375 * np.cos(turn), np.zeros(16), z + 0.375 * np.sin(turn)], axis=1)
            parts.append(tube(guard, 0.014, paint))
    return parts


def treadmill(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a belt between rails, two posts and a console; its user faces the back."""
    body = (0.22, 0.23, 0.25) if variant == 0 else WHITE
    trim = palette.accent if variant == 0 else BLACK
    parts = [
        box((0, -0.05, 0.05), (0.70, 1.65, 0.09), body, 0.02),
        box((0, -0.08, 0.141), (0.48, 1.52, 0.006), (0.12, 0.12, 0.13)),
        *(box((0.295 * side, -0.08, 0.14), (0.10, 1.56, 0.025), mix(body, GREY, 0.5), 0.008) for side in SIDES),
        *(box((0.295 * side, -0.08, 0.165), (0.03, 1.50, 0.004), trim) for side in SIDES),
        box((0, 0.66, 0.06), (0.74, 0.30, 0.19), body, 0.05),
        *(box((0.33 * a, 0.72 * b, 0), (0.08, 0.08, 0.05), BLACK) for a, b in CORNERS),
    ]
    for side in SIDES:
        x = 0.35 * side
        parts += [
            rod((x, 0.66, 0.10), (x, 0.48, 1.18), 0.035, body),
            tube([(x, 0.50, 1.14), (x, 0.40, 1.10), (x, 0.18, 1.02), (x, 0.02, 0.98)], 0.022, BLACK),
        ]
    console = [
        box((0, 0, 0), (0.78, 0.10, 0.34), body, 0.03),
        box((0, -0.052, 0.08), (0.40, 0.006, 0.20), (0.10, 0.26, 0.36)).lit(0.35),
        box((-0.08, -0.057, 0.20), (0.18, 0.004, 0.03), (0.55, 0.90, 0.95)).lit(0.5),
        *(
            box((x, -0.057, 0.11), (0.05, 0.004, h), (0.95, 0.75, 0.30)).lit(0.5)
            for x, h in ((-0.12, 0.03), (-0.04, 0.06), (0.04, 0.05), (0.12, 0.07))
        ),
        *(
            box((x, -0.052, 0.12), (0.06, 0.01, 0.06), colour, 0.004)
            for x, colour in ((-0.29, (0.30, 0.70, 0.35)), (0.29, (0.82, 0.20, 0.18)))
        ),
    ]
    return [*parts, *(part.spun(-22, "x").moved(0, 0.44, 1.12) for part in console)]


def toy_ball(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a big exercise ball with grooves, a beach ball, or a football."""
    if variant == 0:
        parts = [ball((0, 0, 0.325), 0.32, palette.fabric, fine=2).shiny(0.25)]
        groove = shade(palette.fabric, 0.82)
        parts += [
            hoop((0, 0, 0.325 + 0.319 * float(np.sin(turn))), 0.319 * float(np.cos(turn)), 0.004, groove)
            for turn in np.linspace(-0.9, 0.9, 7)
        ]
        return [part.spun(20, "x") for part in parts]
    if variant == 1:
        colours = np.array([WHITE, (0.85, 0.22, 0.20), WHITE, (0.20, 0.42, 0.75), WHITE, (0.95, 0.78, 0.22)])

        def segments(at: FloatArray) -> FloatArray:
            turn = np.arctan2(at[:, 1], at[:, 0])
            return np.asarray(colours[np.floor((turn / (2 * np.pi) + 0.5) * 5.999).astype(int)])

        return [ball((0, 0, 0), 0.20, WHITE, fine=3).tiled(segments).shiny(0.3).spun(50, "x").spun(20, "y")]
    golden = (1 + 5**0.5) / 2
    tips = np.array([roll for a, b in CORNERS for roll in ((0, a, b * golden), (a, b * golden, 0), (b * golden, 0, a))])
    tips = tips / np.linalg.norm(tips[0])

    def patches(at: FloatArray) -> FloatArray:
        near = (at / np.linalg.norm(at, axis=1, keepdims=True) @ tips.T).max(axis=1)
        return np.where((near > np.cos(0.36))[:, None], BLACK, WHITE)

    return [ball((0, 0, 0), 0.11, WHITE, fine=3).painted(patches).shiny(0.2).spun(25, "x")]


def ladder(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a stepladder of metal with broad steps, or of wood with rungs."""
    colour = STEEL if variant == 0 else palette.wood
    tall, steps = (1.75, 5) if variant == 0 else (1.95, 6)
    parts = []
    for side in SIDES:
        parts += [
            _rail((0.26 * side, -0.48, 0), (0.18 * side, -0.04, tall), colour),
            _rail((0.26 * side, 0.48, 0), (0.18 * side, 0.04, tall), shade(colour, 0.85)),
            rod((0.235 * side, -0.31, 0.6), (0.235 * side, 0.31, 0.6), 0.008, GREY),
            box((0.26 * side, -0.48, 0), (0.06, 0.06, 0.04), BLACK),
            box((0.26 * side, 0.48, 0), (0.06, 0.06, 0.04), BLACK),
        ]
    for number in range(1, steps + 1):
        share = number / (steps + 1)
        y, width = -0.48 + 0.44 * share, 0.52 - 0.16 * share
        parts.append(box((0, y, tall * share), (width, 0.10 if variant == 0 else 0.05, 0.028), shade(colour, 0.95)))
        if number in (2, 4):
            parts.append(rod((-width / 2, -y, tall * share), (width / 2, -y, tall * share), 0.014, shade(colour, 0.8)))
    return [*parts, box((0, 0, tall - 0.02), (0.42, 0.26, 0.04), palette.accent if variant == 0 else colour, 0.01)]


def _wheel(hub: Place) -> list[SolidPart]:
    x, y, z = hub
    parts = [
        hoop(hub, WHEEL - 0.018, 0.018, BLACK, "y"),
        hoop(hub, WHEEL - 0.042, 0.008, STEEL, "y"),
        rod((x, y - 0.06, z), (x, y + 0.06, z), 0.02, STEEL),
    ]
    spoke = tube([(0, 0, 0), (0, 0, WHEEL - 0.045)], 0.0028, STEEL)
    return [*parts, *(spoke.spun(360.0 * number / SPOKES, "y").moved(*hub) for number in range(SPOKES))]


def _rail(start: Place, end: Place, colour: Colour) -> SolidPart:
    return rod(start, end, 0.026, colour, 0.022)

"""Sports equipment: bicycles, treadmills, balls, ladders."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, GREY, STEEL, WHITE, Palette
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
    tube,
    turned,
)
from fmp_models.sim.rendering.light import Array, Colour

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

        def segments(at: Array) -> Array:
            turn = np.arctan2(at[:, 1], at[:, 0])
            return np.asarray(colours[np.floor((turn / (2 * np.pi) + 0.5) * 5.999).astype(int)])

        return [ball((0, 0, 0), 0.20, WHITE, fine=3).tiled(segments).shiny(0.3).spun(50, "x").spun(20, "y")]
    golden = (1 + 5**0.5) / 2
    tips = np.array([roll for a, b in CORNERS for roll in ((0, a, b * golden), (a, b * golden, 0), (b * golden, 0, a))])
    tips = tips / np.linalg.norm(tips[0])

    def patches(at: Array) -> Array:
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

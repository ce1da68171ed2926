"""Wall furniture: windows, doors, paintings, curtains, mirrors, clocks, radiators."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fmp_models.sim.furniture.palette import (
    BLACK,
    BRASS,
    PAPER,
    STEEL,
    WHITE,
    Palette,
    bouquet,
    circles,
    daylight,
    frosted,
    glass,
    hills,
    sea,
)
from fmp_models.sim.furniture.shapes import (
    SIDES,
    SolidPart,
    around,
    ball,
    box,
    hoop,
    mix,
    picture,
    prism,
    rod,
    shade,
    sheet,
    tube,
    turned,
)
from fmp_models.sim.light import Colour, FloatArray

NUMERALS = 12


def window(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a window: four panes, three wide panes, or a wooden frame between curtains."""
    if variant == 0:
        return _casement(1.0, 1.25, WHITE, uprights=(0.0,), bars=(0.68,))
    if variant == 1:
        return _casement(1.7, 1.20, WHITE, uprights=(-0.33, 0.33), bars=())
    glass = [part.moved(0, 0, 0.12) for part in _casement(1.0, 1.30, palette.wood, uprights=(0.0,), bars=(0.5,))]
    cloths = [_folds(x, 0.36, 1.62, palette.fabric).moved(0, -0.13) for x in (-0.66, 0.66)]
    return [*glass, *cloths, *_curtain_rod(1.8, 1.64, -0.13, palette.metal)]


def door(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a door: white with four panels, wooden with four glass panes, or painted with two long panels."""
    leaf = (WHITE, palette.wood, palette.accent)[variant]
    frame = shade(palette.wood, 0.85) if variant == 1 else WHITE
    parts = [
        box((0, 0, 0), (0.82, 0.045, 2.03), leaf),
        *(box((0.455 * side, 0, 0), (0.09, 0.06, 2.12), frame, 0.008) for side in SIDES),
        box((0, 0, 2.03), (1.0, 0.06, 0.09), frame, 0.008),
    ]
    panels = (
        ((-0.18, 0.16, 0.27, 0.70), (0.18, 0.16, 0.27, 0.70), (-0.18, 1.02, 0.27, 0.86), (0.18, 1.02, 0.27, 0.86)),
        ((0, 0.18, 0.54, 0.60),),
        ((0, 0.18, 0.54, 0.66), (0, 1.02, 0.54, 0.84)),
    )[variant]
    for x, z, width, height in panels:
        parts += [
            box((x, -0.018, z), (width, 0.014, height), shade(leaf, 0.72)),
            box((x, -0.024, z + 0.02), (width - 0.04, 0.018, height - 0.04), shade(leaf, 1.03), 0.012),
        ]
    if variant == 1:
        for x, z in ((-0.14, 1.0), (0.14, 1.0), (-0.14, 1.45), (0.14, 1.45)):
            parts.append(picture((x, -0.024, z), (0.26, 0.42), frosted, (6, 8)).shiny(0.3).lit(0.2))
    metal = BRASS if variant == 1 else STEEL
    plate = box((0.35, -0.026, 0.96), (0.045, 0.01, 0.18), metal)
    parts += [plate, rod((0.35, -0.075, 1.06), (0.35, -0.02, 1.06), 0.012, metal)]
    return [*parts, rod((0.355, -0.07, 1.06), (0.23, -0.07, 1.06), 0.012, metal).shiny(0.3)]


def painting(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a painting: hills at sunset, circles, the sea with a sail, or a bunch of flowers."""
    art, width, height = (
        (hills, 0.85, 0.62),
        (circles, 0.60, 0.60),
        (sea, 0.95, 0.62),
        (bouquet, 0.50, 0.66),
    )[variant]
    colour = (palette.wood, BLACK, WHITE, BRASS)[variant]
    bar = 0.045
    parts = [
        *(box((side * (width - bar) / 2, 0, 0), (bar, 0.035, height), colour, 0.008) for side in SIDES),
        *(box((0, 0, z), (width, 0.035, bar), colour, 0.008) for z in (0, height - bar)),
        box((0, 0.008, 0.01), (width - 0.03, 0.018, height - 0.02), PAPER),
    ]
    margin = 0.10 if variant in (1, 3) else 0.03
    inside = (width - bar - 2 * margin, height - bar - 2 * margin)
    return [*parts, picture((0, -0.003, bar / 2 + margin), inside, art, (40, 36))]


def curtain(variant: int, palette: Palette) -> list[SolidPart]:
    """Build two long curtains gathered at the sides, one drawn across, or a striped pair."""
    tall = 2.25
    bar = _curtain_rod((1.9, 1.5, 1.7)[variant], tall + 0.02, 0.0, palette.metal)
    if variant == 1:
        return [*bar, _folds(0, 1.30, tall, palette.accent, folds=11)]
    cloths = [_folds(x, 0.72 if variant == 0 else 0.66, tall, palette.fabric, folds=6) for x in (-0.40, 0.40)]
    if variant == 0:
        return [
            *bar,
            *(_gathered(cloth, side) for cloth, side in zip(cloths, SIDES, strict=True)),
            *(hoop((0.62 * side, 0, 1.0), 0.11, 0.018, palette.accent) for side in SIDES),
        ]

    def stripes(at: FloatArray) -> FloatArray:
        band = (np.floor((at[:, 0] + 2) / 0.11) % 2)[:, None]
        return np.where(band == 0, palette.fabric, mix(palette.fabric, WHITE, 0.7))

    return [*bar, *(cloth.painted(stripes) for cloth in cloths)]


def mirror(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a tall mirror in a frame, or an oval one."""
    if variant == 0:
        parts = [picture((0, -0.012, 0.03), (0.50, 1.34), glass, (14, 30)).shiny(0.3)]
        parts += [box((0.265 * side, 0, 0), (0.05, 0.035, 1.40), palette.wood, 0.010) for side in SIDES]
        parts += [box((0, 0, z), (0.58, 0.035, 0.05), palette.wood, 0.010) for z in (0, 1.35)]
        return [*parts, box((0, 0.008, 0.01), (0.52, 0.016, 1.38), palette.wood)]
    turn = around(48)
    rim = np.stack([0.30 * np.cos(turn), np.zeros(48), 0.42 * np.sin(turn)], axis=1)
    pane = prism([(x, z) for x, _, z in rim], 0.02, WHITE)
    flat = sheet(np.linspace(0.02, 1, 12)[:, None, None] * np.concatenate([rim, rim[:1]]) - [0, 0.012, 0], WHITE)
    reflection = flat.painted(lambda at: glass(np.asarray(at[:, [0, 2]] / np.array([0.30, 0.42])))).shiny(0.3)
    return [pane, reflection, tube(rim - [0, 0.01, 0], 0.024, BRASS, closed=True).shiny(0.2)]


def clock(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a round white clock, a wooden square one, or one with a pendulum in a case."""
    if variant == 0:
        rim = [(0.15, -0.02), (0.17, -0.02), (0.175, 0.0), (0.175, 0.03)]
        return [_upright(turned(rim, (0, 0, 0), BLACK, 40), flip=True), *_clock_face(0.165, PAPER, BLACK)]
    if variant == 1:
        case = box((0, 0.0, -0.17), (0.34, 0.04, 0.34), palette.wood, 0.012)
        return [case, *(part.moved(0, -0.02, 0) for part in _clock_face(0.145, PAPER, BLACK))]
    wood = palette.wood
    parts = [
        box((0, 0, -0.52), (0.26, 0.10, 0.50), wood, 0.008),
        box((0, 0, -0.16), (0.34, 0.12, 0.34), wood, 0.012),
        prism([(-0.19, 0.18), (0.19, 0.18), (0, 0.30)], 0.13, shade(wood, 0.85)),
        box((0, -0.052, -0.48), (0.18, 0.006, 0.30), shade(wood, 0.35)),
        rod((0, -0.06, -0.18), (0.02, -0.06, -0.38), 0.006, BRASS),
        ball((0.02, -0.06, -0.39), 0.035, BRASS).shiny(0.3),
    ]
    return [*parts, *(part.moved(0, -0.06, 0) for part in _clock_face(0.14, PAPER, BLACK))]


def radiator(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a radiator: white ribs between two pipes, or a flat panel with grooves."""
    colour = mix(WHITE, palette.wall, 0.15)
    if variant == 0:
        parts = [box((x, 0, 0.10), (0.060, 0.13, 0.56), colour, 0.028) for x in np.arange(13) * 0.07 - 0.42]
        parts += [rod((-0.47, 0, z), (0.47, 0, z), 0.02, colour) for z in (0.16, 0.60)]
        parts += [rod((x, 0, 0), (x, 0, 0.16), 0.014, STEEL) for x in (-0.47, 0.47)]
        return [*parts, rod((0.47, 0, 0.60), (0.53, 0, 0.60), 0.028, WHITE)]
    parts = [
        box((0, 0, 0.12), (1.10, 0.07, 0.50), colour, 0.01),
        box((0, 0, 0.61), (1.12, 0.10, 0.02), shade(colour, 0.9)),
    ]
    parts += [
        box((x, -0.04, 0.15), (0.034, 0.02, 0.44), shade(colour, 1.04), 0.008) for x in np.arange(17) * 0.06 - 0.48
    ]
    parts += [rod((x, 0, 0), (x, 0, 0.14), 0.012, STEEL) for x in (-0.50, 0.50)]
    return [*parts, rod((0.55, 0, 0.20), (0.62, 0, 0.20), 0.026, WHITE)]


def _casement(
    width: float, height: float, colour: Colour, *, uprights: tuple[float, ...], bars: tuple[float, ...]
) -> list[SolidPart]:
    """Build a frame with a bright view, bars (shares of the half width, and of the height) and a sill."""
    thick, sill = 0.06, 0.14
    parts = [
        box((0, 0, 0.04 + height - thick), (width + 0.05, 0.06, thick + 0.02), colour, 0.006),
        box((0, 0, 0.04), (width, 0.06, thick), colour, 0.006),
        box((0, 0.03 - sill / 2, 0), (width + 0.16, sill, 0.04), colour, 0.008),
        *(box(((width - thick) / 2 * side, 0, 0.04), (thick, 0.06, height), colour, 0.006) for side in SIDES),
        *(box((share * width / 2, 0, 0.04), (0.04, 0.05, height - 0.02), colour, 0.004) for share in uprights),
        *(box((0, 0, 0.04 + share * height), (width - 0.02, 0.045, 0.035), colour, 0.004) for share in bars),
    ]
    view = picture((0, 0.012, 0.06), (width - 0.04, height - 0.05), daylight, (40, 32)).lit(0.45)
    backing = box((0, 0.026, 0.06), (width - 0.02, 0.006, height - 0.05), WHITE)
    return [*parts, view, backing]


def _curtain_rod(width: float, z: float, y: float, colour: Colour) -> list[SolidPart]:
    ends = [ball((width / 2 * side, y, z), 0.035, colour) for side in SIDES]
    holders = [rod((width * 0.44 * side, y, z), (width * 0.44 * side, y + 0.10, z), 0.008, colour) for side in SIDES]
    return [rod((-width / 2, y, z), (width / 2, y, z), 0.014, colour), *ends, *holders]


def _folds(x: float, width: float, height: float, colour: Colour, folds: int = 5) -> SolidPart:
    """Build a cloth that hangs down to z = 0 in folds that are darker in their depths."""
    across, up = np.meshgrid(np.linspace(0, 1, folds * 8 + 1), np.linspace(0, 1, 12))
    wave = np.sin(across * folds * 2 * np.pi)
    deep = (0.030 + 0.02 * (1 - up)) * (wave + 0.25 * np.sin(across * folds * 3.1 + 4 * up))
    grid = np.stack([x + (across - 0.5) * width, deep, up * height], axis=-1)
    cloth = sheet(grid, colour)
    light = (0.92 - 0.16 * wave).reshape(-1, 1)
    return cloth.painted(lambda _: np.asarray(colour) * light)


def _gathered(cloth: SolidPart, side: float) -> SolidPart:
    """Return the cloth pulled to one side at a tie-back."""
    at = cloth.points
    pull = np.exp(-(((at[:, 2] - 1.0) / 0.62) ** 2))
    outer = 0.64 * side
    moved = np.stack([at[:, 0] + (outer - at[:, 0]) * 0.72 * pull, at[:, 1], at[:, 2]], axis=1)
    return replace(cloth, points=moved)


def _upright(part: SolidPart, *, flip: bool = False) -> SolidPart:
    """Rotate a part that was turned about z so that it faces -y."""
    return part.spun(-90 if flip else 90, "x")


def _clock_face(radius: float, face: Colour, ink: Colour) -> list[SolidPart]:
    """Build a dial around the origin that faces -y: twelve marks, ten past ten."""
    parts = [_upright(turned([(0, 0), (radius, 0), (radius, 0.012), (0, 0.012)], (0, 0, 0), face, 40))]
    for number in range(NUMERALS):
        long = 0.22 if number % 3 == 0 else 0.12
        mark = box(
            (0, -0.013, radius * (0.92 - long)), (0.014 if number % 3 == 0 else 0.008, 0.004, radius * long), ink
        )
        parts.append(mark.spun(number * 30, "y"))
    hour = box((0, -0.017, -0.02), (0.018, 0.004, radius * 0.58), ink).spun(-55, "y")
    minute = box((0, -0.021, -0.02), (0.012, 0.004, radius * 0.85), ink).spun(60, "y")
    return [*parts, hour, minute, _upright(turned([(0, 0), (0.014, 0), (0.014, 0.026), (0, 0.026)], (0, 0, 0), ink))]

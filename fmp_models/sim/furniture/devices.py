"""Electrical devices: lamps, televisions, computers, fans."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, GREY, STEEL, WHITE, Palette, desktop, screen
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
    picture,
    rod,
    shade,
    tube,
    turned,
)
from fmp_models.sim.light import Colour

GLOWING: Colour = (1.0, 0.90, 0.70)


def lamp(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a floor lamp: on a pole, on three legs, an arc, or a paper globe."""
    metal = palette.metal
    if variant == 0:
        foot = [(0, 0), (0.15, 0), (0.15, 0.015), (0.03, 0.03), (0.013, 0.06), (0.013, 1.38)]
        return [turned(foot, (0, 0, 0), metal), *_lampshade((0, 0, 1.28), 0.22, 0.13, 0.28)]
    if variant == 1:
        feet = [
            rod((0.27 * np.cos(t), 0.27 * np.sin(t), 0), (0, 0, 1.18), 0.015, palette.wood, 0.02)
            for t in np.radians([-90, 30, 150])
        ]
        hub = turned([(0, 1.10), (0.04, 1.10), (0.04, 1.22), (0, 1.22)], (0, 0, 0), BLACK)
        return [*feet, hub, *_lampshade((0, 0, 1.16), 0.23, 0.21, 0.30)]
    if variant == 2:  # noqa: PLR2004 - the bow
        t = np.linspace(0, 1, 24)
        bow = np.stack([-0.45 + 0.95 * t**1.6, np.zeros(24), 0.04 + 1.78 * np.sin(t * 1.95)], axis=1)
        weight = turned([(0, 0), (0.17, 0), (0.17, 0.04), (0, 0.045)], (-0.45, 0, 0), BLACK)
        x, _, z = bow[-1]
        dome = [(0.20, 0), (0.19, 0.06), (0.14, 0.13), (0.06, 0.17), (0, 0.18)]
        glow = turned([(0, 0.01), (0.19, 0.01)], (x, 0, z - 0.18), GLOWING).lit(0.8)
        bulb = ball((x, 0, z - 0.17), 0.075, GLOWING).lit(0.8)
        return [weight, tube(bow, 0.013, metal), turned(dome, (x, 0, z - 0.18), palette.accent).shiny(0.1), glow, bulb]
    pole = turned([(0, 0), (0.14, 0), (0.14, 0.02), (0.015, 0.03), (0.012, 1.25)], (0, 0, 0), metal)
    globe = cushion((0, 0, 1.18), (0.42, 0.42, 0.40), GLOWING, 2).lit(0.45)
    rings = [
        hoop((0, 0, 1.38 + 0.202 * float(np.sin(a))), 0.212 * float(np.cos(a)), 0.002, shade(GLOWING, 0.8))
        for a in np.linspace(-1.1, 1.1, 5)
    ]
    return [pole, globe, *rings]


def television(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a wide dark screen on a low cabinet, on a small stand of its own, or between loudspeakers."""
    if variant == 0:
        stand = [box((0, 0, 0.10), (1.50, 0.40, 0.34), palette.wood, 0.006)]
        stand += [
            box((x, -0.205, 0.13), (0.46, 0.02, 0.28), shade(palette.wood, 1.15), 0.004) for x in (-0.49, 0, 0.49)
        ]
        stand += [box((0.65 * a, 0.14 * b, 0), (0.05, 0.05, 0.10), BLACK) for a, b in CORNERS]
        return [*stand, *_screen(1.22, 0.70, 0.44)]
    if variant == 1:
        glass = mix(palette.metal, BLACK, 0.5)
        stand = [box((0, 0, z), (1.0, 0.42, 0.03), glass).shiny(0.3) for z in (0.02, 0.26, 0.50)]
        stand += [rod((0.44 * a, 0.16 * b, 0), (0.44 * a, 0.16 * b, 0.51), 0.022, palette.metal) for a, b in CORNERS]
        box_below = [
            box((0, -0.02, 0.29), (0.42, 0.28, 0.07), BLACK),
            box((0.12, -0.162, 0.315), (0.08, 0.006, 0.02), (0.3, 0.8, 0.5)).lit(0.4),
        ]
        return [*stand, *box_below, *_screen(1.05, 0.61, 0.53)]
    white = mix(WHITE, palette.wall, 0.2)
    stand = [
        box((0, 0, 0.04), (1.30, 0.42, 0.36), white, 0.006),
        box((0, 0.02, 0), (1.2, 0.34, 0.04), BLACK),
        box((0, -0.212, 0.24), (1.24, 0.01, 0.13), shade(white, 0.45)),
    ]
    for side in SIDES:
        x = 0.83 * side
        stand.append(box((x, 0, 0), (0.24, 0.28, 0.95), palette.wood, 0.008))
        stand.append(box((x, -0.141, 0.04), (0.20, 0.008, 0.87), BLACK))
        for z, radius in ((0.22, 0.085), (0.48, 0.085), (0.74, 0.045)):
            cone = [(radius, 0), (radius, 0.012), (radius * 0.85, 0.014), (radius * 0.3, 0.002), (0, 0.008)]
            stand.append(turned(cone, (0, 0, 0), (0.32, 0.33, 0.35)).spun(90, "x").moved(x, -0.145, z))
    return [*stand, *_screen(1.16, 0.67, 0.40)]


def computer(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a screen with a keyboard and a mouse, or an open laptop."""
    if variant == 0:
        parts = [
            box((0, 0.10, 0), (0.24, 0.18, 0.012), STEEL, 0.004).shiny(0.2),
            box((0, 0.14, 0), (0.05, 0.02, 0.20), STEEL).shiny(0.2),
            box((0, 0.11, 0.10), (0.60, 0.03, 0.37), BLACK, 0.006),
            picture((0, 0.0945, 0.125), (0.57, 0.33), desktop, (48, 30)).lit(0.5),
            box((-0.05, -0.12, 0), (0.42, 0.14, 0.016), WHITE, 0.004),
            cushion((0.24, -0.12, 0), (0.06, 0.10, 0.032), WHITE, 2.6),
        ]
        return [*parts, *_keys((-0.05, -0.12, 0.016), 0.39, 0.12, GREY)]
    shell = mix(palette.metal, STEEL, 0.7)
    parts = [
        box((0, 0, 0), (0.36, 0.25, 0.016), shell, 0.004),
        box((0, -0.085, 0.016), (0.10, 0.06, 0.001), shade(shell, 0.85)),
    ]
    lid = [
        box((0, 0, 0), (0.36, 0.010, 0.24), shell, 0.004),
        picture((0, -0.0055, 0.012), (0.335, 0.215), desktop, (48, 30)).lit(0.5),
    ]
    return [
        *parts,
        *_keys((0, 0.03, 0.016), 0.32, 0.11, BLACK),
        *(part.spun(-18, "x").moved(0, 0.12, 0.014) for part in lid),
    ]


def fan(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a fan with a round cage on a tall pole, or a large one close to the floor."""
    if variant == 0:
        foot = [(0, 0), (0.20, 0), (0.20, 0.015), (0.05, 0.03), (0.018, 0.06), (0.018, 1.05)]
        return [turned(foot, (0, 0, 0), WHITE, 32), *_cage((0, -0.02, 1.12), 0.23, palette.accent, WHITE)]
    metal = palette.metal
    feet = [rod((0.20 * side, y, 0.015), (0.20 * side, -y, 0.015), 0.015, metal) for side in SIDES for y in (-0.16,)]
    props = [rod((0.20 * side, 0, 0.015), (0.285 * side, 0, 0.32), 0.014, metal) for side in SIDES]
    return [*feet, *props, *_cage((0, 0, 0.32), 0.27, STEEL, metal)]


def _lampshade(place: tuple[float, float, float], low: float, high: float, height: float) -> list[SolidPart]:
    x, y, z = place
    return [
        turned([(low, 0), (high, height)], place, GLOWING, 32).lit(0.5),
        turned([(high * 0.99, height), (0, height)], place, shade(GLOWING, 0.9), 32).lit(0.3),
        ball((x, y, z + height * 0.4), 0.05, GLOWING).lit(0.9),
    ]


def _screen(width: float, height: float, z: float) -> list[SolidPart]:
    """Build a thin television on a foot, switched off."""
    return [
        box((0, 0, z), (width * 0.42, 0.22, 0.014), BLACK, 0.004).shiny(0.2),
        box((0, 0.02, z), (0.10, 0.04, 0.08), BLACK),
        box((0, 0, z + 0.06), (width, 0.045, height), BLACK, 0.006).shiny(0.2),
        picture((0, -0.0235, z + 0.075), (width - 0.03, height - 0.03), screen, (32, 16)).shiny(0.35),
    ]


def _keys(place: Place, width: float, depth: float, colour: Colour) -> list[SolidPart]:
    """Build four rows of twelve keys around a position."""
    x, y, z = place
    return [
        box(
            (x + (k + 0.5) / 12 * width - width / 2, y + (row + 0.5) / 4 * depth - depth / 2, z),
            (width / 15, depth / 5, 0.005),
            colour,
        )
        for k in range(12)
        for row in range(4)
    ]


def _cage(centre: Place, radius: float, blades: Colour, wire: Colour) -> list[SolidPart]:
    """Build four blades between two domes of wire, facing -y."""
    parts = [
        hoop((0, 0, 0), radius, 0.011, wire, "y"),
        ball((0, -0.075, 0), 0.045, wire),
        rod((0, -0.06, 0), (0, 0.12, 0), 0.05, wire),
    ]
    out = np.linspace(0.03, radius, 6)
    bent = tube(np.stack([out, -0.085 * np.cos(out / radius * np.pi / 2), np.zeros(6)], axis=1), 0.0022, wire)
    parts += [bent.spun(18.0 * number, "y") for number in range(20)]
    parts += [
        hoop((0, -0.085 * float(np.cos(inner * np.pi / 2)), 0), radius * inner, 0.0022, wire, "y")
        for inner in (0.45, 0.75)
    ]
    for number in range(4):
        blade = cushion((radius * 0.52, -0.005, -radius * 0.24), (radius * 0.78, 0.012, radius * 0.48), blades, 2.6)
        parts.append(blade.spun(25, "x").spun(90 * number + 45, "y"))
    return [part.moved(*centre) for part in parts]

"""Decoration: rugs, plants, vases, aquariums, fireplaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np

from fmp_models.sim.furniture.palette import BLACK, CREAM, FLAME, LEAF, WHITE, Palette
from fmp_models.sim.furniture.shapes import (
    CORNERS,
    SIDES,
    SolidPart,
    box,
    cushion,
    leaf,
    mix,
    prism,
    rod,
    shade,
    sheet,
    tube,
    turned,
)
from fmp_models.sim.light import Colour, FloatArray

CELL = 0.05  # metres, the squares of a pattern
GOLDEN = 137.5  # degrees from one leaf to the next, the golden angle
PILE = 0.006  # metres: thin enough to stand on
FISH: tuple[Colour, ...] = ((0.96, 0.48, 0.12), (0.95, 0.82, 0.25), (0.86, 0.26, 0.26))
SOIL: Colour = (0.24, 0.17, 0.12)


def rug(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a rug: bordered with a diamond, round with rings, striped with fringes, or checked."""
    main, other = palette.fabric, palette.accent
    pale = mix(other, (1, 1, 1), 0.6)
    if variant == 1:
        parts = [turned([(0.0, PILE), (0.28, PILE)], (0, 0, 0), main, 48)]
        rings = ((0.28, 0.40, pale), (0.40, 0.72, main), (0.72, 0.82, other), (0.82, 0.95, pale), (0.95, 1.0, main))
        parts += [turned([(inner, PILE), (outer, PILE)], (0, 0, 0), colour, 64) for inner, outer, colour in rings]
        return [_facing_up(part) for part in parts] + [turned([(1.0, 0), (1.0, PILE)], (0, 0, 0), main, 64)]
    width, depth = ((2.0, 1.4), (0, 0), (1.8, 1.2), (2.0, 1.5))[variant]

    def bordered(x: FloatArray, y: FloatArray) -> FloatArray:
        inside = np.minimum(width / 2 - np.abs(x), depth / 2 - np.abs(y))
        diamond = np.abs(x) / 0.62 + np.abs(y) / 0.42
        shape = np.select(
            [inside < 0.10, inside < 0.16, inside < 0.20, diamond < 0.5, diamond < 0.75, diamond < 1.0],  # noqa: PLR2004
            [0, 1, 2, 1, 2, 1],
            0,
        )
        return np.asarray(np.array([main, pale, other])[shape])

    def striped(x: FloatArray, _: FloatArray) -> FloatArray:
        band = np.floor((x + width / 2) / 0.15).astype(int) % 4
        return np.asarray(np.array([main, pale, other, pale])[band])

    def checked(x: FloatArray, y: FloatArray) -> FloatArray:
        step = (np.floor((x + width / 2) / 0.25) + np.floor((y + depth / 2) / 0.25)).astype(int)
        edge = np.minimum(width / 2 - np.abs(x), depth / 2 - np.abs(y)) < 0.05  # noqa: PLR2004
        return np.asarray(np.where(edge[:, None], other, np.array([main, pale])[step % 2]))

    pattern = {0: bordered, 2: striped, 3: checked}[variant]
    parts = [_carpet(width, depth, pattern), box((0, 0, 0), (width, depth, PILE - 0.001), main)]
    if variant == 2:  # noqa: PLR2004 - the striped one
        rows = np.arange(24) * depth / 24 - depth / 2 + depth / 48
        parts += [box(((width / 2 + 0.03) * side, y, 0), (0.06, 0.014, 0.003), CREAM) for side in SIDES for y in rows]
    return parts


def plant(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a plant: broad leaves in a pot, upright blades, a small tree, or a fan of palm leaves."""
    pot_colour = (CREAM, palette.accent, (0.72, 0.42, 0.30), palette.metal)[variant]
    random = Random(f"plant {variant}")
    if variant == 0:
        parts = _pot(0.17, 0.29, pot_colour)
        for number in range(18):
            length = 0.80 * random.uniform(0.65, 1.05)
            blade = _leaf(length, random.uniform(0.25, 0.95), 0.15 * length + 0.02).shaded(random.uniform(0.8, 1.3))
            parts.append(blade.spun(number * GOLDEN).moved(0, 0, 0.22))
        return parts
    if variant == 1:
        parts = _pot(0.15, 0.24, pot_colour)
        for number in range(13):
            blade = _blade(
                random.uniform(0.45, 0.78), 0.075, random.uniform(0.02, 0.22), shade(LEAF, random.uniform(0.9, 1.25))
            )
            parts.append(blade.moved(0.03 + 0.06 * number / 13, 0, 0.20).spun(number * GOLDEN))
        return parts
    if variant == 2:  # noqa: PLR2004 - the tree
        parts = [*_pot(0.20, 0.32, pot_colour), rod((0, 0, 0.28), (0.03, 0.01, 1.0), 0.022, (0.40, 0.28, 0.18), 0.016)]
        small = _leaf(0.26, 0.9, 0.055, rows=6, columns=3)
        for number in range(64):
            up = 1 - 2 * (number + 0.5) / 64
            tilted = (
                small.shaded(random.uniform(0.75, 1.35))
                .spun(float(np.degrees(np.arccos(up))) * 0.85 - 20, "y")
                .moved(0.12, 0, 0.05 + 0.30 * up)
            )
            parts.append(tilted.spun(number * GOLDEN).moved(0.03, 0.01, 1.18))
        return parts
    parts = _pot(0.19, 0.30, pot_colour)
    for number in range(9):
        frond = _frond(1.05 * random.uniform(0.8, 1.1), random.uniform(0.35, 1.0), random)
        parts += [part.spun(number * GOLDEN) for part in frond]
    return parts


def _carpet(width: float, depth: float, pattern: Callable[[FloatArray, FloatArray], FloatArray]) -> SolidPart:
    """Build a flat cloth of small squares, each of one colour, in a pattern."""
    columns, rows = round(width / CELL), round(depth / CELL)
    x, y = np.meshgrid((np.arange(columns + 1) / columns - 0.5) * width, (np.arange(rows + 1) / rows - 0.5) * depth)
    cloth = sheet(np.stack([x, y, np.full_like(x, PILE)], axis=-1), (1, 1, 1))
    return _facing_up(cloth.tiled(lambda at: pattern(at[:, 0], at[:, 1])))


def _facing_up(part: SolidPart) -> SolidPart:
    return replace(part, normals=np.tile([0.0, 0.0, 1.0], (len(part.points), 1)))


def _pot(radius: float, height: float, colour: Colour) -> list[SolidPart]:
    outline = [(0, 0), (0.72, 0), (0.80, 0.1), (1, 1.0), (0.90, 1.0), (0.88, 0.9)]
    clay = turned([(r * radius, z * height) for r, z in outline], (0, 0, 0), colour, 28)
    return [clay, turned([(0.89 * radius, 0.9 * height), (0, 0.9 * height)], (0, 0, 0), SOIL)]


def _leaf(length: float, lean: float, width: float, *, rows: int = 14, columns: int = 5) -> SolidPart:
    """Build a leaf whose middle is lighter than its edges."""
    blade = sheet(leaf(length, lean, width, rows, columns), LEAF)
    vein = np.tile(1.12 - 0.16 * np.abs(np.linspace(-1, 1, columns)), rows)[:, None]
    return blade.painted(lambda _: np.asarray(LEAF) * vein).shiny(0.06)


def _blade(length: float, width: float, lean: float, colour: Colour) -> SolidPart:
    """Build a stiff pointed leaf with pale edges."""
    t, s = np.meshgrid(np.linspace(0, 1, 12), np.linspace(-1, 1, 5), indexing="ij")
    half = width / 2 * np.minimum(1, 3.2 * (1 - t)) * (0.7 + 0.3 * np.sin(np.pi * t))
    turn = 0.6 * t
    out = lean * length * t**1.5 + 0.3 * half * np.abs(s)
    grid = np.stack([out + s * half * np.sin(turn), s * half * np.cos(turn), length * t], axis=-1)
    edge = (np.abs(s) > 0.9).reshape(-1, 1)  # noqa: PLR2004
    return sheet(grid, colour).painted(lambda _: np.where(edge, (0.80, 0.78, 0.45), colour)).shiny(0.06)


def _frond(length: float, lean: float, random: Random) -> list[SolidPart]:
    """Build a curved stalk with narrow leaves on both sides."""
    t = np.linspace(0, 1, 12)
    bend = lean * 1.5 * t**1.3
    out, up = length * np.cumsum(np.sin(bend)) / 12, length * np.cumsum(np.cos(bend)) / 12
    stalk = np.stack([out, np.zeros(12), 0.27 + up], axis=1)
    parts = [tube(stalk, 0.006, shade(LEAF, 0.8))]
    pair = [_leaf(1.0, 1.3, 0.09, rows=6, columns=3).spun(75.0 * side) for side in SIDES]
    for step in range(3, 12):
        long, light = 0.30 * float(np.sin(np.pi * (0.15 + 0.8 * step / 13))), random.uniform(0.85, 1.3)
        parts += [half.scaled(long).shaded(light).moved(*stalk[step]) for half in pair]
    return parts


def vase(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a bunch of flowers in a round vase, or tulips in a tall one."""
    random = Random(f"vase {variant}")
    if variant == 0:
        belly = [
            (0, 0),
            (0.05, 0),
            (0.085, 0.06),
            (0.09, 0.10),
            (0.05, 0.17),
            (0.042, 0.20),
            (0.055, 0.22),
            (0.045, 0.22),
        ]
        blooms, spread, rise = 12, 0.75, 0.20
        colours: tuple[Colour, ...] = ((0.86, 0.28, 0.30), (0.95, 0.80, 0.35), (0.96, 0.92, 0.88), (0.90, 0.55, 0.65))
    else:
        belly = [(0, 0), (0.055, 0), (0.06, 0.02), (0.045, 0.16), (0.065, 0.30), (0.055, 0.30)]
        blooms, spread, rise = 8, 0.42, 0.26
        colours = ((0.93, 0.45, 0.30), (0.95, 0.75, 0.28), (0.72, 0.30, 0.52))
    base = belly[-1][1]
    parts = [turned(belly, (0, 0, 0), palette.accent, 32).shiny(0.25)]
    for number in range(blooms):
        turn, lean = np.radians(number * GOLDEN), spread * np.sqrt((number + 0.3) / blooms)
        long = rise * random.uniform(0.85, 1.1)
        x, y = (float(long * np.sin(lean) * wave) for wave in (np.cos(turn), np.sin(turn)))
        z = base + float(long * np.cos(lean))
        parts.append(
            tube([(x * 0.1, y * 0.1, base - 0.03), (x * 0.5, y * 0.5, base + (z - base) * 0.6), (x, y, z)], 0.004, LEAF)
        )
        colour = colours[number % len(colours)]
        if variant == 0:
            parts += [
                turned([(0, 0), (0.034, 0.004), (0.044, 0.018), (0.032, 0.034), (0, 0.036)], (x, y, z), colour, 12),
                turned([(0.014, 0.034), (0, 0.046)], (x, y, z), (0.55, 0.36, 0.12), 8),
            ]
        else:
            parts.append(
                turned([(0, 0), (0.028, 0.015), (0.032, 0.04), (0.018, 0.075), (0, 0.06)], (x, y, z - 0.01), colour, 12)
            )
    leaves = [
        _leaf(0.22, random.uniform(0.5, 1.2), 0.035, rows=8, columns=3).shaded(random.uniform(0.9, 1.3))
        for _ in range(7)
    ]
    return [*parts, *(blade.spun(number * GOLDEN + 60).moved(0, 0, base - 0.04) for number, blade in enumerate(leaves))]


def aquarium(variant: int, palette: Palette) -> list[SolidPart]:
    """Build a lit tank on a cabinet or on open legs, with fish, plants and stones."""
    width, depth, tall, base = ((1.0, 0.40, 0.50, 0.70), (0.80, 0.36, 0.45, 0.72))[variant]
    wood = palette.wood if variant == 0 else BLACK
    if variant == 0:
        parts = [
            box((0, 0, 0.05), (width, depth, base - 0.05), wood, 0.006),
            box((0, 0.02, 0), (width - 0.06, depth - 0.06, 0.05), BLACK),
        ]
        parts += [
            box(
                (0.25 * width * side, -depth / 2 - 0.008, 0.08),
                (width / 2 - 0.02, 0.016, base - 0.12),
                shade(wood, 1.15),
                0.004,
            )
            for side in SIDES
        ]
        parts += [
            rod((0.04 * side, -depth / 2 - 0.03, 0.36), (0.04 * side, -depth / 2 - 0.03, 0.48), 0.008, palette.metal)
            for side in SIDES
        ]
    else:
        parts = [box(((width / 2 - 0.02) * a, (depth / 2 - 0.02) * b, 0), (0.04, 0.04, base), wood) for a, b in CORNERS]
        parts += [box((0, 0, z), (width, depth, 0.04), wood) for z in (0.12, base - 0.04)]
    deep, light = np.array([0.12, 0.40, 0.56]), np.array([0.45, 0.78, 0.88])

    def water(at: FloatArray) -> FloatArray:
        up = (at[:, 2:] - base) / tall
        return np.asarray((1 - up) * deep + up * light)

    y = -depth / 2 + 0.006
    random = Random(f"aquarium {variant}")
    parts += [
        box((0, 0, base), (width - 0.02, depth - 0.02, tall - 0.03), WHITE).painted(water).lit(0.4),
        box((0, 0, base), (width - 0.016, depth - 0.016, 0.06), (0.82, 0.70, 0.48)).lit(0.2),
        box((0, 0, base + tall - 0.04), (width + 0.01, depth + 0.01, 0.05), BLACK, 0.006),
        box((0, 0, base - 0.01), (width + 0.01, depth + 0.01, 0.025), BLACK, 0.004),
        *(
            box(((width / 2 - 0.004) * a, (depth / 2 - 0.004) * b, base), (0.014, 0.014, tall), BLACK)
            for a, b in CORNERS
        ),
        *(
            cushion((width * share, y + 0.008, base + 0.03), (0.13, 0.03, rise), (0.45, 0.44, 0.46), 2.4)
            for share, rise in ((-0.16, 0.10), (-0.06, 0.07), (0.38, 0.08))
        ),
    ]
    for share in (-0.42, -0.36, -0.30, 0.14, 0.20, 0.26):
        weed = _blade(
            random.uniform(0.5, 0.8) * tall, 0.035, random.uniform(-0.2, 0.2), shade(LEAF, random.uniform(1.0, 1.5))
        )
        flat = replace(weed, points=weed.points * [1.0, 0.1, 1.0])
        parts.append(flat.moved(width * share, y - 0.002, base + 0.04))
    fish = (
        (-0.22, 0.66, 1, 1.0),
        (0.05, 0.42, -1, 1.2),
        (0.30, 0.70, -1, 0.9),
        (-0.02, 0.78, 1, 0.7),
        (0.36, 0.36, 1, 0.8),
    )
    for number, (right, up, heading, size) in enumerate(fish):
        swimmer = _fish(size * 0.13, FISH[number % len(FISH)])
        parts += [
            part.spun(0.0 if heading > 0 else 180.0).moved(width * right, y - 0.004, base + up * tall)
            for part in swimmer
        ]
    return parts


def fireplace(variant: int, palette: Palette) -> list[SolidPart]:
    """Build an open fire under a mantelpiece of brick or of white panels."""
    stone = (0.62, 0.34, 0.26) if variant == 0 else WHITE
    wide, tall, deep = 1.40, 1.15, 0.36
    open_wide, open_tall = 0.74, 0.70
    side = (wide - open_wide) / 2
    soot = (0.10, 0.09, 0.09)
    parts = [
        *(box(((wide - side) / 2 * k, 0, 0), (side, deep, tall), shade(stone, 0.8)) for k in SIDES),
        box((0, 0, open_tall), (wide, deep, tall - open_tall), shade(stone, 0.8)),
        box((0, deep / 2 - 0.01, 0), (open_wide, 0.02, open_tall), soot),
        *(box((open_wide / 2 * k, 0.01, 0), (0.012, deep - 0.03, open_tall), shade(soot, 1.8)) for k in SIDES),
        box(
            (0, -0.12, 0),
            (wide + 0.06, deep + 0.24, 0.05),
            shade(stone, 0.7) if variant == 0 else (0.30, 0.30, 0.32),
            0.006,
        ),
        box((0, -0.04, tall), (wide + 0.16, deep + 0.10, 0.07), palette.wood if variant == 0 else stone, 0.012),
    ]
    jar = [(0, 0), (0.05, 0), (0.08, 0.08), (0.04, 0.17), (0.055, 0.20)]
    ornaments = [turned(jar, (0.5 * k, -0.02, tall + 0.07), palette.accent) for k in SIDES]
    front = -deep / 2
    if variant == 0:
        parts += _bricks((wide, tall), (open_wide, open_tall), front, stone)
    else:
        parts += [
            box(((wide - side) / 2 * k, front - 0.01, 0.05), (side - 0.04, 0.05, tall - 0.10), stone, 0.012)
            for k in SIDES
        ]
        parts += [
            box(((wide - side) / 2 * k, front - 0.035, 0.18), (side - 0.14, 0.02, 0.72), shade(stone, 0.93), 0.010)
            for k in SIDES
        ]
        parts += [box((0, front - 0.01, open_tall + 0.08), (open_wide - 0.02, 0.04, 0.26), stone, 0.010)]
        parts += [box((0, front - 0.012, open_tall), (open_wide, 0.02, 0.05), (0.30, 0.30, 0.32))]
    return [*parts, *_fire(), *ornaments]


def _bricks(wall: tuple[float, float], opening: tuple[float, float], front: float, colour: Colour) -> list[SolidPart]:
    """Build rows of bricks around the opening, offset by half a brick from row to row."""
    (wide, tall), (open_wide, open_tall) = wall, opening
    random = Random("bricks")
    long, high, parts = 0.20, 0.075, []
    for row in range(int(tall / high)):
        z = row * high
        walls = [(-wide / 2, -open_wide / 2), (open_wide / 2, wide / 2)] if z < open_tall else [(-wide / 2, wide / 2)]
        for start, end in walls:
            at = start - (long / 2 if row % 2 else 0)
            while at < end - 0.01:
                left, right = max(at, start), min(at + long, end)
                at += long
                if right - left > 0.02:  # noqa: PLR2004
                    shape = box(
                        ((left + right) / 2, front, z),
                        (right - left - 0.012, 0.02, high - 0.012),
                        shade(colour, random.uniform(0.85, 1.2)),
                    )
                    parts.append(shape)
    return parts


def _fire() -> list[SolidPart]:
    """Build logs, embers and flames."""
    logs = [
        rod((-0.24, -0.06, 0.10), (0.24, -0.04, 0.10), 0.05, (0.30, 0.20, 0.13)),
        rod((-0.22, 0.06, 0.10), (0.22, 0.08, 0.10), 0.05, (0.26, 0.17, 0.11)),
        rod((-0.18, -0.06, 0.18), (0.20, 0.08, 0.18), 0.045, (0.34, 0.22, 0.14)),
        cushion((0, 0.0, 0.03), (0.56, 0.24, 0.06), (0.95, 0.32, 0.10), 2.6).lit(0.6),
    ]
    flames = ((-0.17, 0.26), (-0.08, 0.40), (0.02, 0.48), (0.11, 0.36), (0.19, 0.24))
    for number, (x, tall) in enumerate(flames):
        y = 0.03 if number % 2 else -0.02
        for scale, colour in ((1.0, (0.95, 0.40, 0.10)), (0.62, FLAME), (0.34, (1.0, 0.88, 0.50))):
            outline = [(0, 0), (0.055, 0.14), (0.065, 0.28), (0.04, 0.60), (0.012, 0.88), (0, 1.0)]
            flame = turned(
                [(r, z * tall * scale) for r, z in outline], (x, y - 0.06 * (1 - scale), 0.14), colour, 12, depth=0.6
            )
            logs.append(flame.lit(0.75))
    return logs


def _fish(length: float, colour: Colour) -> list[SolidPart]:
    """Build a flat fish that swims towards +x."""
    body = cushion((0, 0, -0.25 * length), (length, 0.012, 0.5 * length), colour, 2)
    tail = prism(
        [(-0.42 * length, 0), (-0.78 * length, 0.26 * length), (-0.70 * length, 0), (-0.78 * length, -0.26 * length)],
        0.008,
        shade(colour, 0.85),
    )
    stripe = box((0.1 * length, 0, -0.2 * length), (0.1 * length, 0.014, 0.4 * length), CREAM)
    eye = box((0.30 * length, 0, 0.03 * length), (0.06 * length, 0.014, 0.06 * length), BLACK)
    return [part.lit(0.25) for part in (body, tail, stripe, eye)]

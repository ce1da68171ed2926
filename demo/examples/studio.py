"""Six rooms for the example pictures: a wall, a wooden floor, a mat or rug and some objects.

The person stands at the origin on the floor z = 0 and faces -y, towards the camera; the wall is behind them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyvista as pv

from fmp_models.sim.furniture.art import circles, hills
from fmp_models.sim.furniture.shapes import leaf
from fmp_models.sim.rendering.light import Array, Colour, Surface, sharp, smooth

WALL = 1.25  # y of the wall
PLANK, PLANK_LENGTH = 0.13, 1.5
MAT = 0.006
WHITE: Colour = (0.93, 0.92, 0.89)
WOOD: Colour = (0.70, 0.52, 0.35)


def sunlit() -> tuple[list[Surface], float]:
    """Return a room in warm white with a teal mat, a tall plant and a print, and the height of its standing surface."""
    things = _shell((0.90, 0.86, 0.79), (0.76, 0.58, 0.40))
    things += [*_mat((0.42, 0.55, 0.60), 1.75, 0.66), *_plant((0.90, 1.0, 0), 0.98, 0.16, seed=3)]
    things += _print(-0.62, 1.62, 0.42, 0.56, hills)
    return things, MAT


def gym() -> tuple[list[Surface], float]:
    """Return a room in sage green with a dark rubber mat, a bench and a pair of kettlebells."""
    things = _shell((0.70, 0.76, 0.69), (0.63, 0.50, 0.38))
    things += [*_mat((0.26, 0.28, 0.30), 1.7, 1.25), *_bench(-0.80, 1.0)]
    things += [*_kettlebell(0.72, 0.95, 0.11, (0.20, 0.21, 0.23)), *_kettlebell(0.98, 0.88, 0.085, (0.72, 0.33, 0.22))]
    things += _print(0.62, 1.62, 0.46, 0.46, circles)
    return things, MAT


def quiet() -> tuple[list[Surface], float]:
    """Return a room in dusty blue with a round rug, a window and a small plant on a stool."""
    things = _shell((0.66, 0.74, 0.80), (0.72, 0.56, 0.41))
    things += [*_rug(0.80), *_window(-0.66, 1.62, 0.62, 0.95), *_stool(0.78, 0.98, 0.46)]
    things += _plant((0.78, 0.98, 0.46), 0.42, 0.085, seed=8)
    return things, 0.008


def loft() -> tuple[list[Surface], float]:
    """Return a room in lavender with a cream mat, a shelf with books and a bowl, and a plant on the floor."""
    things = _shell((0.75, 0.71, 0.80), (0.56, 0.42, 0.31))
    things += [*_mat((0.87, 0.83, 0.74), 1.75, 0.75), *_shelf(-0.55, 1.62), *_plant((0.92, 1.0, 0), 0.85, 0.16, seed=5)]
    return things, MAT


def evening() -> tuple[list[Surface], float]:
    """Return a room in deep blue-green with a grey mat, a print and a plant on a stool."""
    things = _shell((0.36, 0.47, 0.50), (0.66, 0.49, 0.34))
    things += [*_mat((0.72, 0.71, 0.69), 1.75, 0.70), *_stool(0.76, 0.98, 0.46)]
    things += _plant((0.76, 0.98, 0.46), 0.45, 0.09, seed=11)
    things += _print(0.62, 1.66, 0.44, 0.58, hills)
    return things, MAT


def dawn() -> tuple[list[Surface], float]:
    """Return a room in apricot with a violet mat long enough to lie on, a window, a print of hills and a tall plant."""
    things = _shell((0.93, 0.80, 0.68), (0.66, 0.46, 0.32))
    things += [*_mat((0.36, 0.38, 0.52), 2.15, 0.72), *_window(0.42, 1.68, 0.62, 0.95)]
    things += [*_plant((-1.42, 1.0, 0), 0.95, 0.16, seed=3), *_print(-1.30, 1.62, 0.40, 0.52, hills)]
    return things, MAT


def _shell(wall: Colour, floor: Colour) -> list[Surface]:
    ground = pv.Plane(center=(0, 0, 0), i_size=9, j_size=9)
    back = pv.Plane(center=(0, WALL, 2.5), direction=(0, -1, 0), i_size=9, j_size=5)
    board = _box((0, WALL - 0.009, 0.05), (9, 0.018, 0.10))
    return [
        Surface(sharp(ground), _planks(floor), gloss=0.05, shadow=False),
        Surface(sharp(back), _paint(wall), shadow=False),
        Surface(board, WHITE),
    ]


def _paint(wall: Colour) -> Callable[[Array], Array]:
    """Return the colours of a painted wall, brighter towards the window at the left."""

    def colour(place: Array) -> Array:
        near = 1.03 - 0.07 * np.clip((place[:, 0] + 1.2) / 2.4, 0, 1) - 0.05 * np.clip(place[:, 2] - 1.4, 0, 1)
        return np.asarray(np.clip(np.asarray(wall) * near[:, None], 0, 1))

    return colour


def _planks(floor: Colour) -> Callable[[Array], Array]:
    """Return the colours of planks that run to the wall, each with its own shade and grain."""

    def colour(place: Array) -> Array:
        across = place[:, 0] / PLANK + 40
        row = np.floor(across)
        along = place[:, 1] / PLANK_LENGTH + 40 + _chance(row)
        piece = np.floor(along)
        shade = 0.90 + 0.16 * _chance(row * 7.3 + piece * 3.1)
        x, y = (across - row), place[:, 1]
        grain = np.sin(55 * x + 6 * np.sin(3.1 * y + 11 * _chance(row + piece)) + 20 * _chance(piece - row))
        gap = np.minimum(np.minimum(x, 1 - x) * PLANK, np.minimum(along - piece, piece + 1 - along) * PLANK_LENGTH)
        shade = shade * (1 + 0.018 * grain) * (1 - 0.30 * np.exp(-((gap / 0.0022) ** 2)))
        return np.asarray(np.clip(np.asarray(floor) * shade[:, None], 0, 1))

    return colour


def _chance(number: Array) -> Array:
    """Return a pseudo-random number between 0 and 1, the same for the same input."""
    return np.asarray(np.mod(np.sin(number * 12.9898) * 43758.5453, 1.0))


def _box(centre: tuple[float, float, float], size: tuple[float, float, float]) -> pv.PolyData:
    low, high = np.subtract(centre, np.array(size) / 2), np.add(centre, np.array(size) / 2)
    return sharp(pv.Box(bounds=tuple(np.stack([low, high], axis=1).ravel())))


def _turned(outline: Array, centre: tuple[float, float]) -> pv.PolyData:
    """Return a body of revolution from (radius, height) pairs."""
    turn = np.linspace(0, 2 * np.pi, 65)
    radius, height = outline[:, :1], outline[:, 1:]
    x, y = centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn)
    grid = pv.StructuredGrid(x[..., None], y[..., None], np.broadcast_to(height, x.shape)[..., None])
    return sharp(grid.extract_surface(algorithm="dataset_surface").clean())


def _mat(colour: Colour, width: float, depth: float) -> list[Surface]:
    slab = _box((0, 0, MAT / 2), (width, depth, MAT))
    edge = np.asarray(colour) * 0.82

    def woven(place: Array) -> Array:
        inside = np.minimum(width / 2 - np.abs(place[:, 0]), depth / 2 - np.abs(place[:, 1]))
        return np.asarray(np.where((np.abs(inside - 0.03) < 0.006)[:, None], edge, colour))  # noqa: PLR2004 - a line

    return [Surface(slab, woven)]


def _rug(radius: float) -> list[Surface]:
    disc = _turned(np.array([[0, 0.008], [radius, 0.008], [radius, 0.0]]), (0, 0))

    def rings(place: Array) -> Array:
        out = np.hypot(place[:, 0], place[:, 1]) / radius
        ring = np.select([out < 0.30, out < 0.36, out < 0.80, out < 0.86], [0, 1, 0, 1], 2)  # noqa: PLR2004
        return np.asarray(np.array([(0.86, 0.80, 0.70), (0.70, 0.48, 0.36), (0.80, 0.72, 0.60)])[ring])

    return [Surface(disc, rings)]


def _plant(place: tuple[float, float, float], height: float, pot: float, seed: int) -> list[Surface]:
    """Return a potted plant with broad leaves that bend outwards; ``pot`` is the radius of the pot."""
    x, y, base = place
    rise = pot * 1.7
    outline = np.array([[0, 0], [0.72, 0], [0.80, 0.1], [1, 1.0], [0.90, 1.0], [0.88, 0.9], [0, 0.9]]) * [pot, rise]
    things = [Surface(_turned(np.add(outline, [0, base]), (x, y)), (0.88, 0.83, 0.76))]
    random = np.random.default_rng(seed)
    leaves, greens = [], []
    for i in range(16):
        turn = i * 2.4 + random.uniform(-0.3, 0.3)  # about the golden angle, as leaves grow
        length = (height - rise) * random.uniform(0.75, 1.05)
        blade = _leaf(length, lean=random.uniform(0.25, 0.85), width=0.13 * length + 0.02)
        spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
        blade.points = np.asarray(blade.points) @ spin.T + [x, y, base + rise * 0.85]
        leaves.append(blade)
        greens.append(np.tile(np.array([0.20, 0.40, 0.24]) * random.uniform(0.8, 1.25), (blade.n_points, 1)))
    return [*things, Surface(pv.merge(leaves, merge_points=False), np.concatenate(greens), gloss=0.06)]


def _leaf(length: float, lean: float, width: float) -> pv.PolyData:
    """Return one leaf on its stalk, which grows up and bends to +x."""
    x, y, z = np.moveaxis(leaf(length, lean, width, 60, 13), -1, 0)
    grid = pv.StructuredGrid(x[..., None], y[..., None], z[..., None])
    return smooth(grid.extract_surface(algorithm="dataset_surface"))


def _print(x: float, z: float, width: float, height: float, art: Callable[[Array], Array]) -> list[Surface]:
    """Return a framed print; ``art`` paints (N, 2) points between -1 and 1."""
    frame = _box((x, WALL - 0.012, z), (width, 0.024, height))
    paper = _box((x, WALL - 0.020, z), (width - 0.03, 0.012, height - 0.03))

    def colour(place: Array) -> Array:
        here = np.stack([(place[:, 0] - x) / width * 2.6, (place[:, 2] - z) / height * 2.6], axis=1)
        return np.asarray(np.where((np.abs(here).max(axis=1) < 1)[:, None], art(here), 0.95))

    return [Surface(frame, (0.45, 0.33, 0.22)), Surface(paper, colour, shadow=False)]


def _window(x: float, z: float, width: float, height: float) -> list[Surface]:
    """Return a bright pane in a white frame with a sill."""
    y = WALL - 0.02
    bars = [
        ((x, y, z + height / 2), (width + 0.10, 0.04, 0.05)),
        ((x, y - 0.03, z - height / 2), (width + 0.16, 0.12, 0.035)),
        ((x - width / 2, y, z), (0.05, 0.04, height)),
        ((x + width / 2, y, z), (0.05, 0.04, height)),
        ((x, y, z), (0.025, 0.03, height)),
        ((x, y, z + height * 0.12), (width, 0.03, 0.025)),
    ]
    pane = pv.Plane(center=(x, WALL - 0.004, z), direction=(0, -1, 0), i_size=height, j_size=width)

    def sky(place: Array) -> Array:
        up = np.clip((place[:, 2] - z) / height + 0.5, 0, 1)[:, None]
        return np.asarray((1 - up) * [0.93, 0.95, 0.93] + up * [0.74, 0.86, 0.95])

    return [*(Surface(_box(*bar), WHITE) for bar in bars), Surface(sharp(pane), sky, glow=0.45, shadow=False)]


def _bench(x: float, y: float) -> list[Surface]:
    seat = _box((x, y, 0.43), (0.85, 0.30, 0.05))
    legs = [_box((x + dx, y, 0.2), (0.05, 0.26, 0.41)) for dx in (-0.34, 0.34)]
    towel = _box((x + 0.12, y, 0.475), (0.26, 0.22, 0.04))
    return [Surface(seat, WOOD, gloss=0.04), *(Surface(leg, WOOD) for leg in legs), Surface(towel, (0.93, 0.90, 0.84))]


def _stool(x: float, y: float, height: float) -> list[Surface]:
    seat = _turned(np.array([[0, height - 0.035], [0.155, height - 0.035], [0.16, height], [0, height]]), (x, y))
    legs = [
        pv.Cylinder(
            center=(x + 0.12 * a, y + 0.12 * b, height / 2),
            direction=(-0.04 * a, -0.04 * b, height),
            radius=0.015,
            height=height,
        )
        for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
    ]
    return [Surface(seat, WOOD, gloss=0.04), *(Surface(sharp(leg), WOOD) for leg in legs)]


def _kettlebell(x: float, y: float, size: float, colour: Colour) -> list[Surface]:
    ball = pv.Sphere(radius=size, center=(x, y, size * 0.93), theta_resolution=48, phi_resolution=48)
    handle = pv.ParametricTorus(ringradius=size * 0.62, crosssectionradius=size * 0.16)
    handle.rotate_x(90, inplace=True)
    handle.translate((x, y, size * 1.95), inplace=True)
    return [Surface(smooth(ball), colour, gloss=0.15), Surface(smooth(handle), colour, gloss=0.15)]


def _shelf(x: float, z: float) -> list[Surface]:
    """Return a board on the wall with books and a bowl."""
    things = [Surface(_box((x, WALL - 0.10, z), (0.75, 0.20, 0.03)), WOOD, gloss=0.04)]
    at = x - 0.33
    for thick, tall, colour in (
        (0.035, 0.22, (0.28, 0.36, 0.42)),
        (0.045, 0.25, (0.88, 0.80, 0.66)),
        (0.030, 0.20, (0.72, 0.40, 0.30)),
        (0.040, 0.23, (0.35, 0.42, 0.34)),
        (0.030, 0.21, (0.90, 0.87, 0.80)),
    ):
        book = _box((at + thick / 2, WALL - 0.09, z + 0.015 + tall / 2), (thick - 0.003, 0.15, tall))
        things.append(Surface(book, colour))
        at += thick
    bowl = np.array([[0, 0], [0.05, 0], [0.09, 0.05], [0.11, 0.10], [0.10, 0.10], [0.08, 0.05], [0, 0.02]])
    return [*things, Surface(_turned(np.add(bowl, [0, z + 0.015]), (x + 0.2, WALL - 0.11)), (0.87, 0.84, 0.78))]

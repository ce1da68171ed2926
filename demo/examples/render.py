"""Render the example pictures of the page.

Usage: ``python -m demo.examples.render [NAME ...] [--out FOLDER] [--lamps N]``, where a name is a pair, one pose of the
sun salutation, or ``share``: the preview picture of links to the page, made of pictures rendered before. It is a
development command that needs anny, pyvista (requirements-dev.txt) and an OpenGL that renders without a screen (Mesa's
EGL does). The app never imports it. A picture takes about a minute on two cores; the same versions of both libraries
reproduce the same pictures.

From the top: six rooms, each a wall, a wooden floor, a mat or rug and some objects; the people, their clothes and the
two poses of each pair; the sun salutation, eight poses in order; the rendering. In a room the person stands at the
origin on the floor z = 0 and faces -y, towards the camera; the wall is behind them.

In the sun salutation one person on a mat in one room is seen obliquely from the front. She faces along the mat, to the
right of the picture. The camera is on her right, a little ahead of her, where a pose estimator can distinguish near
limbs from far ones. The hands are placed so that they are on the mat when the feet are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyvista as pv
from PIL import Image, ImageDraw, ImageFont, ImageOps

from demo.examples.catalogue import FOLDER, SIDED
from fmp_models.sim import (
    Appearance,
    Arm,
    BodyPose,
    Bottoms,
    Build,
    Camera,
    Cloth,
    Colour,
    FloatArray,
    Lamps,
    Leg,
    Reach,
    Shoes,
    Surface,
    Top,
    Turn,
    bottoms_field,
    circles,
    covered,
    embody,
    eyes,
    hair,
    hills,
    leaf,
    render_picture,
    sharp,
    shoe_field,
    shoemaker,
    skin,
    smooth,
    tailor_bottoms,
    tailor_top,
    top_field,
)

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


def _paint(wall: Colour) -> Callable[[FloatArray], FloatArray]:
    """Return the colours of a painted wall, brighter towards the window at the left."""

    def colour(place: FloatArray) -> FloatArray:
        near = 1.03 - 0.07 * np.clip((place[:, 0] + 1.2) / 2.4, 0, 1) - 0.05 * np.clip(place[:, 2] - 1.4, 0, 1)
        return np.asarray(np.clip(np.asarray(wall) * near[:, None], 0, 1))

    return colour


def _planks(floor: Colour) -> Callable[[FloatArray], FloatArray]:
    """Return the colours of planks that run to the wall, each with its own shade and grain."""

    def colour(place: FloatArray) -> FloatArray:
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


def _chance(number: FloatArray) -> FloatArray:
    """Return a pseudo-random number between 0 and 1, the same for the same input."""
    return np.asarray(np.mod(np.sin(number * 12.9898) * 43758.5453, 1.0))


def _box(centre: tuple[float, float, float], size: tuple[float, float, float]) -> pv.PolyData:
    low, high = np.subtract(centre, np.array(size) / 2), np.add(centre, np.array(size) / 2)
    return sharp(pv.Box(bounds=tuple(np.stack([low, high], axis=1).ravel())))


def _turned(outline: FloatArray, centre: tuple[float, float]) -> pv.PolyData:
    """Return a body of revolution from (radius, height) pairs."""
    turn = np.linspace(0, 2 * np.pi, 65)
    radius, height = outline[:, :1], outline[:, 1:]
    x, y = centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn)
    grid = pv.StructuredGrid(x[..., None], y[..., None], np.broadcast_to(height, x.shape)[..., None])
    return sharp(grid.extract_surface(algorithm="dataset_surface").clean())


def _mat(colour: Colour, width: float, depth: float) -> list[Surface]:
    slab = _box((0, 0, MAT / 2), (width, depth, MAT))
    edge = np.asarray(colour) * 0.82

    def woven(place: FloatArray) -> FloatArray:
        inside = np.minimum(width / 2 - np.abs(place[:, 0]), depth / 2 - np.abs(place[:, 1]))
        return np.asarray(np.where((np.abs(inside - 0.03) < 0.006)[:, None], edge, colour))  # noqa: PLR2004 - a line

    return [Surface(slab, woven)]


def _rug(radius: float) -> list[Surface]:
    disc = _turned(np.array([[0, 0.008], [radius, 0.008], [radius, 0.0]]), (0, 0))

    def rings(place: FloatArray) -> FloatArray:
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


def _print(x: float, z: float, width: float, height: float, art: Callable[[FloatArray], FloatArray]) -> list[Surface]:
    """Return a framed print; ``art`` paints (N, 2) points between -1 and 1."""
    frame = _box((x, WALL - 0.012, z), (width, 0.024, height))
    paper = _box((x, WALL - 0.020, z), (width - 0.03, 0.012, height - 0.03))

    def colour(place: FloatArray) -> FloatArray:
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

    def sky(place: FloatArray) -> FloatArray:
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


@dataclass(frozen=True)
class Person:
    """A body and its clothes; without shoes the feet are bare."""

    build: Build
    looks: Appearance
    top: Top
    bottoms: Bottoms
    shoes: Shoes | None = None


@dataclass(frozen=True)
class ExampleShot:
    """One pair: a person in a room, in poses ``current`` and ``target``; ``height`` metres fit into the picture."""

    person: Person
    room: Callable[[], tuple[list[Surface], float]]
    poses: Mapping[str, BodyPose]
    height: float = 2.4
    centre: tuple[float, float] = (0.0, 0.95)


ASHA = Person(
    Build(
        {"gender": 1.0, "age": 0.66, "muscle": 0.6, "weight": 0.42, "asian": 0.45, "caucasian": 0.45, "african": 0.1}
    ),
    Appearance(skin=(0.70, 0.49, 0.37), hair=(0.11, 0.08, 0.07), style="bun", lips=(0.60, 0.30, 0.28)),
    Top(Cloth((0.12, 0.45, 0.47), (0.09, 0.37, 0.39), loose=0.005), sleeve=0.42),
    Bottoms(Cloth((0.17, 0.18, 0.26), (0.14, 0.15, 0.21), loose=0.003), hem=1.80),
)
SAMUEL = Person(
    Build(
        {
            "gender": 0.0,
            "age": 0.72,
            "muscle": 0.62,
            "weight": 0.62,
            "height": 0.4,
            "african": 0.9,
            "caucasian": 0.1,
            "asian": 0.0,
        }
    ),
    Appearance(skin=(0.42, 0.28, 0.20), hair=(0.07, 0.06, 0.06), style="cropped", lips=(0.42, 0.23, 0.20), beard=0.5),
    Top(Cloth((0.84, 0.47, 0.24), (0.74, 0.39, 0.18), loose=0.009), sleeve=0.66, hang=0.012),
    Bottoms(Cloth((0.33, 0.36, 0.40), (0.29, 0.31, 0.35), loose=0.009), hem=0.88, flare=0.012),
    Shoes((0.22, 0.32, 0.50)),
)
INGRID = Person(
    Build({"gender": 1.0, "age": 0.92, "muscle": 0.42, "weight": 0.55, "caucasian": 1.0, "african": 0.0, "asian": 0.0}),
    Appearance(
        skin=(0.86, 0.67, 0.57), hair=(0.66, 0.65, 0.64), style="pixie", lips=(0.72, 0.42, 0.40), iris=(0.30, 0.42, 0.5)
    ),
    Top(Cloth((0.52, 0.31, 0.44), (0.46, 0.26, 0.38), loose=0.009), sleeve=1.90, hang=0.010),
    Bottoms(Cloth((0.80, 0.77, 0.71), (0.74, 0.71, 0.65), loose=0.007), hem=1.82, flare=0.016),
)
KENJI = Person(
    Build({"gender": 0.0, "age": 0.62, "muscle": 0.6, "weight": 0.42, "asian": 1.0, "african": 0.0, "caucasian": 0.0}),
    Appearance(skin=(0.80, 0.61, 0.47), hair=(0.09, 0.07, 0.06), style="short", lips=(0.66, 0.40, 0.35)),
    Top(Cloth((0.92, 0.91, 0.88), (0.24, 0.33, 0.52), stripe=(0.24, 0.33, 0.52), loose=0.008), sleeve=0.60, hang=0.010),
    Bottoms(Cloth((0.24, 0.28, 0.38), (0.2, 0.24, 0.33), loose=0.008), hem=0.72, flare=0.014),
    Shoes((0.90, 0.90, 0.88), sole=(0.80, 0.55, 0.35)),
)
CLARA = Person(
    Build({"gender": 1.0, "age": 0.6, "muscle": 0.62, "weight": 0.45, "caucasian": 0.7, "african": 0.3, "asian": 0.0}),
    Appearance(skin=(0.76, 0.55, 0.42), hair=(0.36, 0.21, 0.12), style="ponytail", lips=(0.66, 0.36, 0.33)),
    Top(Cloth((0.93, 0.78, 0.42), (0.86, 0.70, 0.34), loose=0.005), sleeve=0.40),
    Bottoms(Cloth((0.36, 0.22, 0.30), (0.31, 0.18, 0.26), loose=0.003), hem=1.55),
    Shoes((0.30, 0.45, 0.48)),
)

HANGING = Arm(upper=(0.20, -1.0, 0.02), bend=14, crease=(-0.1, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))
SIDEWAYS = Arm(upper=(1.0, 0.02, 0.0), bend=3, crease=(0.0, 0.0, 1.0), palm=(0.0, -1.0, 0.1))
ON_HIP = Reach(wrist=(0.13, -0.66, -0.03), elbow=(1.0, 0.0, -0.6), palm=(-0.9, -0.1, -0.45), fingers=(-0.4, -0.5, 0.75))
TOGETHER = Reach(wrist=(-0.245, 0.90, 0.06), elbow=(1.0, 0.0, 0.1), palm=(-1.0, 0.0, 0.0), fingers=(-0.02, 1.0, 0.0))
HIP_WIDE = Leg((0.14, 0.0, 0.0))


def both(arm: Arm | Reach) -> dict[str, Arm | Reach]:
    """Return the same arm for both sides."""
    return {"L": arm, "R": arm}


def ahead(lean: float) -> Arm:
    """Return an arm in front at shoulder height, level even if the trunk leans ``lean`` degrees forward."""
    rise = lean / 57.3
    return Arm(upper=(0.02, rise, 1.0), bend=4, crease=(-0.5, 0.5, 0.0), palm=(-0.4, -1.0, 0.0))


STANDING = BodyPose(0.994, both(HANGING), {"L": HIP_WIDE, "R": HIP_WIDE})
SHOTS: dict[str, ExampleShot] = {
    "warrior": ExampleShot(
        ASHA,
        sunlit,
        {
            "current": STANDING,
            "target": BodyPose(
                0.63,
                both(SIDEWAYS),
                {
                    "L": Leg((0.62, 0.0, 0.0), knee=(1.0, 0.0, 0.15), toes=(1.0, 0.0, 0.1)),
                    "R": Leg((0.895, 0.0, 0.0), knee=(0.2, 0.0, 1.0), toes=(0.5, 0.0, 1.0)),
                },
                head=Turn(round=40),
            ),
        },
        height=2.5,
        centre=(-0.02, 0.98),
    ),
    "squat": ExampleShot(
        SAMUEL,
        gym,
        {
            "current": BodyPose(
                0.86,
                both(HANGING),
                {"L": Leg((0.22, 0.0, 0.08), toes=(0.3, 0.0, 1.0)), "R": Leg((0.22, 0.0, 0.08), toes=(0.3, 0.0, 1.0))},
                pelvis=Turn(18),
                chest=Turn(24),
                head=Turn(10),
                heading=32,
            ),
            "target": BodyPose(
                0.50,
                both(ahead(34)),
                {
                    "L": Leg((0.25, 0.0, 0.24), knee=(0.45, 0.0, 1.0), toes=(0.35, 0.0, 1.0)),
                    "R": Leg((0.25, 0.0, 0.24), knee=(0.45, 0.0, 1.0), toes=(0.35, 0.0, 1.0)),
                },
                pelvis=Turn(28),
                chest=Turn(34),
                head=Turn(8),
                heading=32,
            ),
        },
        centre=(0.14, 0.95),
    ),
    "tree": ExampleShot(
        INGRID,
        quiet,
        {
            "current": BodyPose(0.994, both(ON_HIP), {"L": HIP_WIDE, "R": HIP_WIDE}),
            "target": BodyPose(
                0.986,
                both(TOGETHER),
                {
                    "L": Leg((0.10, 0.50, 0.02), knee=(1.0, 0.0, 0.2), toes=(-0.15, -1.0, 0.1), sole=(-1.0, 0.1, 0.0)),
                    "R": Leg((0.07, 0.0, 0.0)),
                },
                hip_shift=(-0.05, 0.0),
            ),
        },
        height=2.5,
        centre=(0.0, 1.03),
    ),
    "side_stretch": ExampleShot(
        KENJI,
        loft,
        {
            "current": BodyPose(
                0.86,
                both(ON_HIP),
                {
                    "L": Leg((0.45, 0.0, 0.0), knee=(0.7, 0.0, 0.7), toes=(0.7, 0.0, 0.7)),
                    "R": Leg((0.62, 0.0, 0.0), knee=(0.2, 0.0, 1.0), toes=(0.2, 0.0, 1.0)),
                },
            ),
            "target": BodyPose(
                0.66,
                {
                    "L": Arm(upper=(0.35, -1.0, 0.35), bend=70, crease=(-0.9, 0.0, 0.6), palm=(0.2, -1.0, 0.0)),
                    "R": Arm(upper=(0.12, 1.0, 0.0), bend=12, crease=(-1.0, 0.0, 0.0), palm=(-1.0, 0.0, 0.2)),
                },
                {
                    "L": Leg((0.62, 0.0, 0.0), knee=(1.0, 0.0, 0.4), toes=(1.0, 0.0, 0.4)),
                    "R": Leg((0.85, 0.0, 0.0), knee=(0.2, 0.0, 1.0), toes=(0.35, 0.0, 1.0)),
                },
                pelvis=Turn(side=12),
                chest=Turn(forward=4, side=38),
                head=Turn(side=28),
            ),
        },
    ),
    "lunge": ExampleShot(
        CLARA,
        evening,
        {
            "current": BodyPose(
                0.78,
                both(HANGING),
                {
                    "L": Leg((0.13, 0.0, 0.38), knee=(0.1, 0.0, 1.0)),
                    "R": Leg((0.13, 0.147, -0.48), knee=(0.0, 0.0, 1.0), toes=(0.0, -0.8, 0.6), sole=(0.0, -0.6, -0.8)),
                },
                pelvis=Turn(20),
                chest=Turn(32),
                head=Turn(20),
                heading=-62,
            ),
            "target": BodyPose(
                0.62,
                both(Arm(upper=(0.10, 1.0, 0.08), bend=6, crease=(-0.5, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))),
                {
                    "L": Leg((0.13, 0.0, 0.50), knee=(0.1, 0.0, 1.0)),
                    "R": Leg((0.13, 0.147, -0.70), knee=(0.0, 0.0, 1.0), toes=(0.0, -0.8, 0.6), sole=(0.0, -0.6, -0.8)),
                },
                pelvis=Turn(6),
                chest=Turn(0),
                head=Turn(-4),
                heading=-62,
            ),
        },
    ),
}


ASIDE = 22.0  # degrees of the camera ahead of the perpendicular to the mat
SALUTATION_DISTANCE, SALUTATION_EYE_LEVEL = 6.0, 1.2
PERSON = ASHA


@dataclass(frozen=True)
class SalutationShot:
    """A pose; ``along`` is the distance of her hips ahead of the middle of the mat, in metres."""

    pose: BodyPose
    along: float = 0.0
    upright: bool = False

    @property
    def camera(self) -> Camera:
        """A camera with a portrait picture for upright poses, else with a square one."""
        turn = np.radians(ASIDE)
        place = (
            SALUTATION_DISTANCE * float(np.sin(turn)),
            -SALUTATION_DISTANCE * float(np.cos(turn)),
            SALUTATION_EYE_LEVEL,
        )
        if self.upright:
            return Camera(place, (0.0, 0.0, 1.0), 2.45, (480, 640))
        return Camera(place, (0.0, 0.0, 0.8), 2.1, (480, 480))


AT_SIDES = Arm(upper=(0.20, -1.0, 0.0), bend=8, crease=(-0.1, 0.0, 1.0), palm=(-1.0, 0.0, 0.2))
UPWARD = Arm(upper=(0.05, 1.0, 0.02), bend=4, crease=(-0.5, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))
AT_THE_HEART = Reach(wrist=(-0.31, -0.242, 0.392), elbow=(1.0, -0.6, -0.1), palm=(-1.0, 0, 0), fingers=(0, 1.0, 0.12))
FEET_TOGETHER = Leg((0.075, 0.0, 0.0), toes=(0.05, 0.0, 1.0))
UPRIGHT = BodyPose(0.994, both(AT_SIDES), {"L": FEET_TOGETHER, "R": FEET_TOGETHER}, heading=90)
ON_TOES = Leg((0.09, 0.0, -0.9696), knee=(0.0, -1.0, 0.3), toes=(0.0, -0.88, 0.47), sole=(0.0, -0.47, -0.88))
TOPS_DOWN = Leg((0.08, -0.045, -0.985), knee=(0.1, -1.0, 0.0), toes=(0.0, -0.25, -1.0), sole=(0.0, 1.0, -0.25))
SET_BACK = Leg((0.11, 0.0, -0.594), toes=(0.05, 0.0, 1.0))

SALUTATION_SHOTS: Mapping[str, SalutationShot] = {
    # Pranamasana
    "prayer": SalutationShot(replace(UPRIGHT, arms=both(AT_THE_HEART)), upright=True),
    # Hasta Uttanasana
    "raised_arms": SalutationShot(
        replace(
            UPRIGHT,
            arms=both(UPWARD),
            pelvis=Turn(-8),
            chest=Turn(-26),
            head=Turn(-34),
            hip_shift=(0.0, 0.06),
        ),
        along=0.1,
        upright=True,
    ),
    # Ardha Uttanasana: in the full fold the head is below the hips, where no correction describes the lean
    "half_forward_fold": SalutationShot(
        replace(
            UPRIGHT,
            hip_height=0.985,
            arms=both(
                Reach(
                    wrist=(-0.123, -0.413, 0.891),
                    elbow=(1.0, 0.23, -0.36),
                    palm=(0, -0.96, 0.31),
                    fingers=(0.12, 0.16, 0.99),
                )
            ),
            pelvis=Turn(84),
            chest=Turn(102),
            head=Turn(84),
            hip_shift=(0.0, -0.09),
        ),
        along=-0.22,
    ),
    # Ashwa Sanchalanasana
    "low_lunge": SalutationShot(
        BodyPose(
            0.30,
            both(
                Reach(
                    wrist=(0.109, -0.458, 0.826),
                    elbow=(1.0, -0.56, -0.21),
                    palm=(0, -0.61, 0.79),
                    fingers=(0, 0.79, 0.61),
                )
            ),
            {
                "L": Leg((0.10, -0.017, 0.52), knee=(0.08, 0.3, 1.0)),
                "R": Leg((0.12, -0.068, -0.88), knee=(0.05, -1.0, 0.3), toes=(0, -0.05, -1.0), sole=(0, 1.0, -0.05)),
            },
            pelvis=Turn(52),
            chest=Turn(70),
            head=Turn(2),
            heading=90,
        ),
        along=0.15,
    ),
    # Phalakasana
    "plank": SalutationShot(
        BodyPose(
            0.2417,
            both(
                Reach(
                    wrist=(0.008, -0.334, 0.8864),
                    elbow=(1.0, -0.48, -0.14),
                    palm=(0, -0.28, 0.96),
                    fingers=(0, 0.96, 0.28),
                )
            ),
            {"L": ON_TOES, "R": ON_TOES},
            pelvis=Turn(76),
            chest=Turn(74),
            head=Turn(62),
            heading=90,
        ),
        along=0.05,
    ),
    # Bhujangasana
    "cobra": SalutationShot(
        BodyPose(
            0.12,
            both(
                Reach(
                    wrist=(0.091, -0.851, 0.2985),
                    elbow=(0.3, -0.36, -0.95),
                    palm=(0, -0.85, 0.53),
                    fingers=(0, 0.53, 0.85),
                )
            ),
            {"L": TOPS_DOWN, "R": TOPS_DOWN},
            pelvis=Turn(80),
            chest=Turn(32),
            head=Turn(4),
            heading=90,
        ),
        along=0.22,
    ),
    # Adho Mukha Shvanasana
    "downward_dog": SalutationShot(
        BodyPose(
            0.80,
            both(
                Reach(
                    wrist=(0.068, 0.864, -0.055),
                    elbow=(1.0, -0.22, -0.2),
                    palm=(0, 0.74, 0.67),
                    fingers=(0, 0.67, -0.74),
                )
            ),
            {"L": SET_BACK, "R": SET_BACK},
            pelvis=Turn(130),
            chest=Turn(138),
            head=Turn(150),
            heading=90,
        ),
        along=-0.16,
    ),
    # Tadasana
    "mountain": SalutationShot(UPRIGHT, upright=True),
}


SIZE = (480, 640)
QUALITY = 85
DISTANCE = 6.0
EYE_LEVEL = 1.25
SUN_SALUTATION = "sun_salutation"  # folder
SHARE = "share"
SHARE_FILE = f"{SHARE}.jpg"
SHARE_SIZE = (1200, 630)
_SHOWN = "warrior"
_GROUND, _INK, _SOFT, _ACCENT, _RED = "#f5f2ec", "#1b2a2e", "#4d5f64", "#0b5a63", "#b3311a"
_LINES = ("See what to change", "in a pose,", "step by step.")
_SHARE_QUALITY = 84
_CARD = (300, 400)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write ``NAME_current.jpg`` and ``NAME_target.jpg`` of pairs, ``sun_salutation/NAME.jpg`` of poses."""
    names = [*SHOTS, *SALUTATION_SHOTS]  # without SHARE, which needs their pictures
    parser = argparse.ArgumentParser(prog="python -m demo.examples.render", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", choices=[*names, SHARE, []], metavar="NAME", help=f"one of {', '.join([*names, SHARE])}"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder (default: this package)")
    parser.add_argument("--lamps", type=int, default=Lamps.count, help="fewer are faster and rougher")
    options = parser.parse_args(arguments)
    (options.out / SUN_SALUTATION).mkdir(parents=True, exist_ok=True)
    lamps = Lamps(count=options.lamps)
    for name in options.names or names:
        if name == SHARE:
            _write(share_picture(), options.out / SHARE_FILE, _SHARE_QUALITY)
        elif name in SHOTS:
            for which, pose in SHOTS[name].poses.items():
                _write(photograph(SHOTS[name], pose, lamps), options.out / f"{name}_{which}.jpg")
        else:
            drawn = salutation_photograph(SALUTATION_SHOTS[name], lamps)
            _write(drawn, options.out / SUN_SALUTATION / f"{name}.jpg")
            if name in SIDED:
                _write(ImageOps.mirror(drawn), options.out / SUN_SALUTATION / f"{name}_left.jpg")


def photograph(shot: ExampleShot, pose: BodyPose, lamps: Lamps) -> Image.Image:
    """Render one picture of a pair."""
    things, ground = shot.room()
    x, z = shot.centre
    camera = Camera((x, -DISTANCE, EYE_LEVEL), (x, 0.0, z), shot.height, SIZE)
    return render_picture([*things, *_stand(_dress(shot.person, pose), ground)], camera, lamps)


def salutation_photograph(shot: SalutationShot, lamps: Lamps) -> Image.Image:
    """Render one picture of the sun salutation."""
    things, ground = dawn()
    person = _stand(_dress(PERSON, shot.pose), ground, shot.along)
    return render_picture([*things, *person], shot.camera, lamps)


def _write(image: Image.Image, path: Path, quality: int = QUALITY) -> None:
    image.save(path, quality=quality, optimize=True)
    print(f"{path}  {path.stat().st_size / 1000:.0f} kB")


def _dress(person: Person, pose: BodyPose) -> list[Surface]:
    body = embody(person.build, pose)
    fields = [top_field(body, person.top), bottoms_field(body, person.bottoms)]
    worn = [tailor_bottoms(body, person.bottoms), tailor_top(body, person.top)]
    if person.shoes:
        worn += shoemaker(body, person.shoes)
        fields.append(shoe_field(body))
    return [
        *worn,
        skin(body, person.looks, covered(body, fields)),
        *eyes(body, person.looks),
        *hair(body, person.looks),
    ]


def _stand(person: list[Surface], ground: float, along: float = 0.0) -> list[Surface]:
    """Move a person so that their lowest point touches the ground, and ``along`` metres to +x."""
    rise = ground - min(surface.mesh.points[:, 2].min() for surface in person)
    return [replace(surface, mesh=surface.mesh.translate((along, 0, rise), inplace=False)) for surface in person]


def share_picture() -> Image.Image:
    """Draw the preview picture of links to the page: both poses of an example with an arrow between them."""
    image = Image.new("RGB", SHARE_SIZE, _GROUND)
    draw = ImageDraw.Draw(image)
    draw.text((64, 130), "FixMyPose", _INK, ImageFont.load_default(76))
    for number, line in enumerate(_LINES):
        draw.text((64, 246 + 54 * number), line, _SOFT, ImageFont.load_default(42))
    draw.text((64, 446), "English · Hindi · live coach", _ACCENT, ImageFont.load_default(30))
    for left, which, edge in ((520, "current", _ACCENT), (852, "target", _RED)):
        with Image.open(FOLDER / f"{_SHOWN}_{which}.jpg") as opened:
            card = ImageOps.fit(opened, _CARD)
        place = (left, 115, left + _CARD[0], 115 + _CARD[1])
        image.paste(card, place[:2])
        draw.rectangle(place, outline=edge, width=6)
    draw.ellipse((806, 285, 866, 345), fill=_GROUND, outline=_RED, width=5)
    draw.line((820, 315, 848, 315), fill=_RED, width=6)
    draw.polygon(((844, 302), (859, 315), (844, 328)), fill=_RED)
    return image


if __name__ == "__main__":
    main()

"""The few coloured shapes that all furniture is assembled from, as plain arrays.

Positions are metres, x right, y to the back, z up. The position of a shape is the middle of its lower side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pyvista as pv
from numpy.typing import NDArray

from fmp_models.sim.light import SHARP, Colour, FloatArray, Surface

Place = tuple[float, float, float]
Triangles = NDArray[np.integer]
CORNERS = tuple(product((1, -1), repeat=2))  # signs of x and y
SIDES = (-1, 1)
CREASE = float(np.cos(np.radians(SHARP)))
ROUND = 2.0  # exponent of a superellipse that is an ellipse


@dataclass(frozen=True)
class SolidPart:
    """A mesh: points, unit normals and sRGB colours (N, 3), triangles (F, 3); gloss and glow as in a ``Surface``."""

    points: FloatArray
    normals: FloatArray
    triangles: Triangles
    colours: FloatArray
    gloss: float = 0.0
    glow: float = 0.0

    def shiny(self, gloss: float) -> SolidPart:
        """Return the part with highlights."""
        return replace(self, gloss=gloss)

    def lit(self, glow: float) -> SolidPart:
        """Return the part with light of its own."""
        return replace(self, glow=glow)

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> SolidPart:
        """Return the part translated."""
        return replace(self, points=self.points + np.array([x, y, z]))

    def scaled(self, factor: float) -> SolidPart:
        """Return the part scaled about the origin."""
        return replace(self, points=self.points * factor)

    def shaded(self, factor: float) -> SolidPart:
        """Return the part darker (below 1) or lighter (above 1)."""
        return replace(self, colours=self.colours * factor)

    def spun(self, degrees: float, axis: str = "z") -> SolidPart:
        """Return the part rotated about an axis through the origin, counterclockwise as seen from the axis' end."""
        first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
        angle = np.radians(degrees)
        matrix = np.eye(3)
        matrix[first, first] = matrix[second, second] = np.cos(angle)
        matrix[second, first], matrix[first, second] = np.sin(angle), -np.sin(angle)
        return self.carried(matrix)

    def carried(self, matrix: FloatArray) -> SolidPart:
        """Return the part rotated by a matrix (3, 3)."""
        return replace(self, points=self.points @ matrix.T, normals=self.normals @ matrix.T)

    def painted(self, paint: Callable[[FloatArray], FloatArray]) -> SolidPart:
        """Return the part coloured by position: ``paint`` maps points (N, 3) to colours (N, 3)."""
        return replace(self, colours=np.asarray(paint(self.points)))

    def tiled(self, paint: Callable[[FloatArray], FloatArray]) -> SolidPart:
        """Return the part ``painted`` with one colour for each triangle, that of its middle: edges are crisp."""
        corners = self.triangles.reshape(-1)
        middles = self.points[self.triangles].mean(axis=1)
        return replace(
            self,
            points=self.points[corners],
            normals=self.normals[corners],
            triangles=np.arange(len(corners)).reshape(-1, 3),
            colours=np.repeat(np.asarray(paint(middles)), 3, axis=0),
        )


def surfaces(parts: Iterable[SolidPart]) -> tuple[Surface, ...]:
    """Merge the parts into one surface for each material."""
    kinds: dict[tuple[float, float], list[SolidPart]] = {}
    for part in parts:
        kinds.setdefault((part.gloss, part.glow), []).append(part)
    return tuple(_merged(alike, gloss, glow) for (gloss, glow), alike in kinds.items())


def shade(colour: Colour, factor: float) -> Colour:
    """Return the colour darker (below 1) or lighter (above 1)."""
    red, green, blue = (min(1.0, max(0.0, channel * factor)) for channel in colour)
    return red, green, blue


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Return the first colour with ``share`` of the second mixed in."""
    red, green, blue = (a + (b - a) * share for a, b in zip(first, second, strict=True))
    return red, green, blue


def around(count: int) -> FloatArray:
    """Return ``count`` evenly spaced angles of a circle, from 0."""
    return np.asarray(np.arange(count) / count * 2 * np.pi)


def box(place: Place, size: Place, colour: Colour, edge: float = 0.0) -> SolidPart:
    """Return a box whose edges are rounded by ``edge`` metres."""
    half = np.array(size) / 2
    inner = half - min(edge, float(half.min()) * 0.9)
    points = np.where(_BOX_AXES, half, inner) * _BOX_SIGNS + np.array(place) + [0, 0, half[2]]
    return _part(points, _BOX_SIGNS * _BOX_AXES, _BOX_TRIANGLES if edge else _BOX_TRIANGLES[:_BOX_FLAT], colour)


def cushion(place: Place, size: Place, colour: Colour, square: float = 5.0, fine: int = 1) -> SolidPart:
    """Return a puffed box; ``square`` 2 is an ellipsoid, more is boxier; ``fine`` multiplies its rows of triangles."""
    turn = around(22 * fine)
    rise = np.linspace(-np.pi / 2, np.pi / 2, 10 * fine + 1)[:, None]
    power = 2 / square
    half = np.array(size) / 2
    soft = 1 - 0.6 * (1 - power)
    flat = [_bent(np.cos(rise), soft) * _bent(wave, power) for wave in (np.cos(turn), np.sin(turn))]
    points = np.stack([*flat, np.broadcast_to(_bent(np.sin(rise), soft), flat[0].shape)], axis=-1)
    steep = [_bent(np.cos(rise), 2 - soft) * _bent(wave, 2 - power) for wave in (np.cos(turn), np.sin(turn))]
    normals = np.stack([*steep, np.broadcast_to(_bent(np.sin(rise), 2 - soft), flat[0].shape)], axis=-1) / half
    triangles = _net(len(rise), len(turn), wraps=True)
    return _part((points * half + np.array(place) + [0, 0, half[2]]), normals, triangles, colour)


def ball(centre: Place, radius: float, colour: Colour, fine: int = 1) -> SolidPart:
    """Return a sphere around its centre."""
    x, y, z = centre
    return cushion((x, y, z - radius), (2 * radius, 2 * radius, 2 * radius), colour, ROUND, fine)


def turned(  # noqa: PLR0913
    outline: Sequence[tuple[float, float]],
    place: Place,
    colour: Colour,
    sides: int = 24,
    *,
    depth: float = 1.0,
    square: float = ROUND,
) -> SolidPart:
    """Return a body of revolution from (radius, height) pairs that go up on the outside.

    ``depth`` stretches it along y; ``square`` above 2 makes its rings boxier.
    """
    turn = around(sides)
    power = 2 / square
    ring = np.stack([_bent(np.cos(turn), power), depth * _bent(np.sin(turn), power)], axis=1)
    facing = np.stack([depth * _bent(np.cos(turn), 2 - power), _bent(np.sin(turn), 2 - power)], axis=1)
    facing /= np.linalg.norm(facing, axis=1, keepdims=True)
    line = np.asarray(outline, dtype=float)
    ends = np.stack([line[:-1], line[1:]], axis=1)
    slopes = _edge_normals(line)
    points = np.empty((len(ends), 2, sides, 3))
    points[..., :2] = ends[..., None, :1] * ring
    points[..., 2] = ends[..., 1:]
    normals = np.empty_like(points)
    normals[..., :2] = slopes[..., None, :1] * facing
    normals[..., 2] = slopes[..., 1:]
    strip = _net(2, sides, wraps=True)
    triangles = np.concatenate([strip + 2 * sides * number for number in range(len(ends))])
    return _part(points + np.array(place), normals, triangles, colour)


def rod(start: Place, end: Place, radius: float, colour: Colour, end_radius: float | None = None) -> SolidPart:
    """Return a round bar between two points."""
    last = radius if end_radius is None else end_radius
    along = np.subtract(end, start)
    length = float(np.linalg.norm(along))
    bar = turned([(0, 0), (radius, 0), (last, length), (0, length)], (0, 0, 0), colour, sides=12)
    up = along / length
    side = _across(up)
    return bar.carried(np.stack([side, np.cross(up, side), up], axis=1)).moved(*start)


def tube(path: Sequence[Place] | FloatArray, radius: float, colour: Colour, *, closed: bool = False) -> SolidPart:
    """Return a round bar along a path (K, 3)."""
    line = np.asarray(path, dtype=float)
    along = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0) if closed else np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = _across(along[0])
    sides = []
    for direction in along:
        side = side - (side @ direction) * direction
        side = side / np.linalg.norm(side)
        sides.append(side)
    first = np.array(sides)
    second = np.cross(along, first)
    turn = around(8)
    normals = first[:, None] * np.cos(turn)[:, None] + second[:, None] * np.sin(turn)[:, None]
    triangles = _net(len(line) + closed, len(turn), wraps=True) % (len(line) * len(turn))
    return _part(line[:, None] + radius * normals, normals, triangles, colour)


def hoop(centre: Place, radius: float, thickness: float, colour: Colour, axis: str = "z") -> SolidPart:
    """Return a ring about an axis; ``radius`` is that of its middle line, ``thickness`` that of the bar."""
    turn = around(32)
    flat = np.stack([radius * np.cos(turn), radius * np.sin(turn), np.zeros(32)], axis=1)
    ring = tube(flat, thickness, colour, closed=True)
    spun = {"z": ring, "y": ring.spun(90, "x"), "x": ring.spun(90, "y")}[axis]
    return spun.moved(*centre)


def sheet(grid: FloatArray, colour: Colour) -> SolidPart:
    """Return a smooth surface through a grid of points (R, C, 3), visible from both sides."""
    normals = np.cross(np.gradient(grid, axis=1), np.gradient(grid, axis=0))
    for edge, inner in ((0, 1), (-1, -2)):  # a row of points that meets in a tip has no normals of its own
        meets = np.linalg.norm(normals[edge], axis=-1, keepdims=True) < 1e-9  # noqa: PLR2004
        normals[edge] = np.where(meets, normals[inner], normals[edge])
    return _part(grid, normals, _net(*grid.shape[:2], wraps=False), colour)


def leaf(length: float, lean: float, width: float, rows: int, columns: int) -> FloatArray:
    """Return points (rows, columns, 3) of a broad leaf on its stalk from the origin, growing up and bending to +x."""
    t, s = np.meshgrid(np.linspace(0, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
    bend = lean * t**1.6
    out, up = length * np.sin(bend) * t * 0.9, length * np.cos(bend) * t
    blade = width * np.sin(np.pi * np.clip((t - 0.25) / 0.75, 0, 1)) + 0.006 * (1 - t)
    fold = 0.25 * blade * np.abs(s)
    return np.stack([out + fold * -np.sin(bend), s * blade, up + fold], axis=-1)


def prism(outline: Sequence[tuple[float, float]], depth: float, colour: Colour) -> SolidPart:
    """Return a board from y = -depth / 2 to depth / 2 with an outline of (x, z) pairs, star-shaped about their mean."""
    line = np.asarray([*outline, outline[0]], dtype=float)
    turning = np.sum(line[:-1, 0] * line[1:, 1] - line[1:, 0] * line[:-1, 1])
    line = line if turning > 0 else line[::-1]
    rims = np.stack([line[:-1], line[1:]], axis=1)
    slopes = _edge_normals(line, closed=True)
    middle = np.broadcast_to(line[:-1].mean(axis=0), (len(rims), 1, 2))
    faces = np.concatenate([rims, middle], axis=1)
    points, normals = [], []
    for side in (-1, 1):
        points.append(np.insert(faces, 1, side * depth / 2, axis=2).reshape(-1, 3))
        normals.append(np.tile([0.0, float(side), 0.0], (faces.shape[0] * 3, 1)))
    for side in (-1, 1):
        points.append(np.insert(rims, 1, side * depth / 2, axis=2).reshape(-1, 3))
        normals.append(np.insert(slopes, 1, 0.0, axis=2).reshape(-1, 3))
    edges = len(rims)
    caps = np.arange(edges * 6).reshape(-1, 3)
    near = edges * 6 + np.arange(edges * 2).reshape(-1, 2)
    far = near + edges * 2
    walls = np.concatenate([np.column_stack([near, far[:, 1]]), np.column_stack([near[:, 0], far[:, ::-1]])])
    return _part(np.concatenate(points), np.concatenate(normals), np.concatenate([caps, walls]), colour)


def picture(
    place: Place, size: tuple[float, float], art: Callable[[FloatArray], FloatArray], cells: tuple[int, int] = (32, 32)
) -> SolidPart:
    """Return an upright picture that faces -y; ``art`` maps positions (N, 2) in -1 to 1 (right, up) to colours."""
    across, up = np.linspace(-1, 1, cells[0] + 1), np.linspace(-1, 1, cells[1] + 1)
    flat = np.stack(np.meshgrid(across, up), axis=-1)
    x, y, z = place
    grid = np.stack(
        [x + flat[..., 0] * size[0] / 2, np.full(flat.shape[:2], y), z + (flat[..., 1] + 1) * size[1] / 2], axis=-1
    )
    plane = sheet(grid, (1.0, 1.0, 1.0))
    front = np.tile([0.0, -1.0, 0.0], (len(plane.points), 1))
    return replace(plane, normals=front, colours=np.asarray(art(flat.reshape(-1, 2))))


def _merged(parts: Sequence[SolidPart], gloss: float, glow: float) -> Surface:
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    triangles = np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=False)])
    points = np.concatenate([part.points for part in parts]).astype(np.float32)
    mesh = pv.PolyData(points, faces=np.insert(triangles, 0, 3, axis=1).ravel())
    normals = np.concatenate([part.normals for part in parts])
    mesh.point_data["Normals"] = normals.astype(np.float32)
    colours = np.concatenate([part.colours for part in parts]).astype(np.float32)
    return Surface(mesh, np.clip(colours, 0, 1), gloss, glow)


def _part(points: FloatArray, normals: FloatArray, triangles: Triangles, colour: Colour) -> SolidPart:
    """Return a part of one colour, without degenerate triangles, with all triangles wound to their normals."""
    points, normals = points.reshape(-1, 3), normals.reshape(-1, 3)
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    triangles = np.where(
        (np.einsum("ij,ij->i", across, normals[triangles].sum(axis=1)) < 0)[:, None], triangles[:, ::-1], triangles
    )
    solid = np.linalg.norm(across, axis=1) > 1e-12  # noqa: PLR2004 - square metres
    return SolidPart(points, normals, triangles[solid], np.tile(np.asarray(colour, dtype=float), (len(points), 1)))


def _across(direction: FloatArray) -> FloatArray:
    """Return a unit vector perpendicular to a unit vector."""
    side = np.cross(direction, np.eye(3)[np.abs(direction).argmin()])
    return np.asarray(side / np.linalg.norm(side))


def _bent(wave: FloatArray, power: float) -> FloatArray:
    """Return a sine or cosine raised to the power of a superellipse, with its sign kept."""
    return np.asarray(np.sign(wave) * np.abs(wave) ** power)


def _net(rows: int, columns: int, *, wraps: bool) -> Triangles:
    """Return triangles of a grid of points numbered by rows; with ``wraps`` the last column joins the first."""
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns if wraps else columns - 1), indexing="ij")
    beside = (column + 1) % columns
    a, b = row * columns + column, row * columns + beside
    quads = np.stack([a, b, b + columns, a, b + columns, a + columns], axis=-1)
    return quads.reshape(-1, 3)


def _edge_normals(line: FloatArray, *, closed: bool = False) -> FloatArray:
    """Return outward normals (K - 1, 2, 2) at both ends of each edge of a line (K, 2), averaged at gentle bends."""
    step = np.diff(line, axis=0)
    out = np.stack([step[:, 1], -step[:, 0]], axis=1)
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
    before, after = np.roll(out, 1, axis=0), np.roll(out, -1, axis=0)
    if not closed:
        before[0], after[-1] = out[0], out[-1]
    ends = [np.where((near * out).sum(axis=1, keepdims=True) > CREASE, near + out, out) for near in (before, after)]
    both = np.stack(ends, axis=1)
    return np.asarray(both / np.maximum(np.linalg.norm(both, axis=2, keepdims=True), 1e-12))


def _box_faces() -> tuple[FloatArray, NDArray[np.bool_], Triangles, int]:
    """Return the 24 corners of a box (one per corner and face): signs, face axis, triangles, number of flat ones."""
    corners = [(signs, axis) for signs in product((-1, 1), repeat=3) for axis in range(3)]
    number = {corner: index for index, corner in enumerate(corners)}
    flat, edges, tips = [], [], []
    for axis, side in product(range(3), (-1, 1)):
        a, b, c, d = [number[signs, axis] for signs in product((-1, 1), repeat=3) if signs[axis] == side]
        flat += [(a, b, d), (a, d, c)]
    for along in range(3):
        first, second = [axis for axis in range(3) if axis != along]
        for one, two in product((-1, 1), repeat=2):
            low, high = [signs for signs in product((-1, 1), repeat=3) if signs[first] == one and signs[second] == two]
            a, b, c, d = number[low, first], number[high, first], number[high, second], number[low, second]
            edges += [(a, b, c), (a, c, d)]
    for signs in product((-1, 1), repeat=3):
        tips.append(tuple(number[signs, axis] for axis in range(3)))  # noqa: PERF401
    axes = np.array([np.arange(3) == axis for _, axis in corners])
    signs_of = np.array([signs for signs, _ in corners], dtype=float)
    return signs_of, axes, np.array([*flat, *edges, *tips]), len(flat)


_BOX_SIGNS, _BOX_AXES, _BOX_TRIANGLES, _BOX_FLAT = _box_faces()

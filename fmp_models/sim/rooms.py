"""Twenty-five furnished rooms with three spots each where a person stands in front of a camera.

A plan is a TOML file, ``room_plans/<number>_<theme>.toml``. ``size`` is width (x), depth (y), height in metres; the
origin is the middle of the floor. ``walls`` and ``floor`` name a finish and its colours; ``accent`` is the finish of
one wall. ``along`` lists groups of columns, wall by wall and from left to right as seen facing that wall. A column is
the thing that ``stands`` on the floor, the one on ``top`` of it, the one in ``front`` of it, and the ones that
``hangs`` lists above it. A thing is written ``kind`` or ``kind/variant``. ``loose`` things stand at a position, rotated
from "front along -y". A spot is a position, and the direction (counterclockwise from -y) and distance of the camera;
``turn`` is how far the person looks past the camera.

Finishes are functions from flat positions (N, 2) in metres and two colours to sRGB colours (N, 3); a wall's second
coordinate is the height above the floor. Joints are drawn at least a centimetre wide, the size of a pixel in the
pictures, so that they do not flicker from view to view.

The shell faces inwards: a camera outside the room looks through the back of the nearest wall. Light comes from the
``sun`` side: the opposite wall is brightest, and corners are darker. Each wall is filled from left to right, with gaps
between groups and the columns of a group close together. A wall that comes later in the plan leaves out corners that
are occupied already.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyvista as pv
from numpy.typing import NDArray

from fmp_models.data import PICTURE_REACH, PICTURE_SIZE
from fmp_models.sim.furniture import Palette, Piece, build_piece
from fmp_models.sim.light import Camera, Colour, FloatArray, Surface, sharp

SIDES = ("north", "east", "south", "west")
_FOLDER = Path(__file__).parent / "room_plans"
_FILES = sorted(_FOLDER.glob("*.toml"))
COUNT = len(_FILES)


@dataclass(frozen=True)
class FurniturePlan:
    """A piece of furniture to build."""

    kind: str
    variant: int


@dataclass(frozen=True)
class WallColumn:
    """Things above and in front of each other at a wall; ``space`` is its minimum width in metres."""

    stands: FurniturePlan | None
    top: FurniturePlan | None
    front: FurniturePlan | None
    hangs: tuple[FurniturePlan, ...]
    space: float


@dataclass(frozen=True)
class LooseFurniture:
    """A thing away from the walls."""

    thing: FurniturePlan
    at: tuple[float, float]
    turn: float


@dataclass(frozen=True)
class Finish:
    """A pattern and its two colours."""

    pattern: str
    colours: tuple[Colour, Colour]


@dataclass(frozen=True)
class SpotPlan:
    """A spot as written in a plan: position, direction and distance of the camera, rotation of the person."""

    at: tuple[float, float]
    camera: float
    distance: float
    turn: float


@dataclass(frozen=True)
class RoomPlan:
    """A room as written in a plan."""

    theme: str
    size: tuple[float, float, float]
    sun: str
    walls: Mapping[str, Finish]
    floor: Finish
    ceiling: Colour
    trim: Colour
    palette: Palette
    along: Mapping[str, tuple[tuple[WallColumn, ...], ...]]
    loose: tuple[LooseFurniture, ...]
    views: tuple[SpotPlan, ...]


def read_plan(number: int) -> RoomPlan:
    """Return the plan of a room between 0 and ``COUNT`` - 1; raise ``ValueError`` for any other number."""
    if not 0 <= number < COUNT:
        raise ValueError(f"There are rooms 0 to {COUNT - 1}, but no room {number}.")
    return _plan(tomllib.loads(_FILES[number].read_text(encoding="utf-8")), number)


def _plan(data: dict[str, Any], number: int) -> RoomPlan:
    wall, floor = _finish(data["walls"]), _finish(data["floor"])
    walls = dict.fromkeys(SIDES, wall)
    if "accent" in data:
        walls[data["accent"]["side"]] = _finish(data["accent"])
    colours = {name: _colour(value) for name, value in data["palette"].items()}
    return RoomPlan(
        theme=data["theme"],
        size=tuple(data["size"]),
        sun=data["sun"],
        walls=walls,
        floor=floor,
        ceiling=_colour(data.get("ceiling", [0.94, 0.93, 0.91])),
        trim=_colour(data.get("trim", [0.93, 0.92, 0.90])),
        palette=Palette(**colours, wall=wall.colours[0]),
        along={
            side: tuple(
                tuple(_column(column, number) for column in (group if isinstance(group, list) else [group]))
                for group in groups
            )
            for side, groups in data["along"].items()
        },
        loose=tuple(
            LooseFurniture(_thing(entry["stands"], number), tuple(entry["at"]), float(entry.get("turn", 0)))
            for entry in data.get("loose", [])
        ),
        views=tuple(
            SpotPlan(tuple(view["at"]), view["camera"], view["distance"], view["turn"]) for view in data["spots"]
        ),
    )


def _column(data: dict[str, Any], number: int) -> WallColumn:
    stands, top, front = (_thing(data[name], number) if name in data else None for name in ("stands", "top", "front"))
    hangs = tuple(_thing(word, number) for word in data.get("hangs", []))
    return WallColumn(stands, top, front, hangs, float(data.get("space", 0)))


def _thing(word: str, number: int) -> FurniturePlan:
    """Return a thing of a plan; without a variant, the room's number selects it."""
    kind, _, variant = word.partition("/")
    return FurniturePlan(kind, int(variant) if variant else number)


def _finish(data: dict[str, Any]) -> Finish:
    first, second = (_colour(colour) for colour in data["colours"])
    return Finish(data["finish"], (first, second))


def _colour(values: list[float]) -> Colour:
    red, green, blue = values
    return red, green, blue


_EYE = 1.08  # height of the camera in metres; low, so that a foot placed forward stays in the picture


@dataclass(frozen=True)
class Spot:
    """A position (x, y), the heading of the person (degrees counterclockwise from -y), and the camera."""

    at: tuple[float, float]
    heading: float
    camera: Camera


def find_spot(view: SpotPlan) -> Spot:
    """Return the spot that a plan describes; the camera is level and aimed at the person."""
    angle = np.radians(view.camera)
    x, y = view.at
    place = (x + view.distance * float(np.sin(angle)), y - view.distance * float(np.cos(angle)), _EYE)
    heading = (view.camera + view.turn + 180) % 360 - 180
    return Spot(view.at, float(heading), Camera(place, (x, y, _EYE), PICTURE_REACH, PICTURE_SIZE))


Pattern = Callable[[FloatArray, Colour, Colour], FloatArray]
_FAR = 40.0  # metres added so that no place is negative
_DADO = 0.95  # height of panels and half-tiled walls
_TILED = 1.55
_PLANK, _PLANK_LENGTH = 0.16, 1.5
_STAVE, _STAVES = 0.11, 5
_BRICK, _COURSE = 0.30, 0.11
_JOINT = 0.008  # half the width of a joint


def paint(place: FloatArray, first: Colour, _second: Colour) -> FloatArray:
    """Return one even colour."""
    return np.tile(np.asarray(first, dtype=float), (len(place), 1))


def stripes(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return upright stripes of wallpaper."""
    return _mixed(first, second, np.mod(place[:, 0] + _FAR, 0.36) < 0.18)  # noqa: PLR2004 - half of them


def dots(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return wallpaper with dots in rows that are offset."""
    return _mixed(first, second, _from_lattice(place, 0.26) < 0.038)  # noqa: PLR2004 - radius


def diamonds(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return wallpaper with a lattice of thin slanted lines."""
    along = np.stack([place[:, 0] + 0.6 * place[:, 1], place[:, 0] - 0.6 * place[:, 1]], axis=1) + _FAR
    from_line = np.abs(np.mod(along, 0.34) - 0.17).min(axis=1)
    return _mixed(first, second, from_line < 0.012)  # noqa: PLR2004 - half the width of a line


def wainscot(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return paint above panels."""
    across, up = np.mod(place[:, 0] + _FAR, 0.62), place[:, 1]
    inside = np.minimum(np.minimum(across, 0.62 - across) - 0.08, np.minimum(up - 0.20, _DADO - 0.14 - up))
    groove = (np.abs(inside) < 0.011) | (np.abs(up - _DADO + 0.05) < 0.008)  # noqa: PLR2004
    panel = np.asarray(second) * np.where(groove, 0.80, 1.0)[:, None]
    return np.where((up < _DADO)[:, None], panel, np.asarray(first))


def brick(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return courses of bricks of varying shade; the second colour is the mortar's."""
    up = place[:, 1] / _COURSE + _FAR
    row = np.floor(up)
    along = place[:, 0] / _BRICK + _FAR + 0.5 * np.mod(row, 2)
    piece = np.floor(along)
    gap = np.minimum(_to_edge(up) * _COURSE, _to_edge(along) * _BRICK)
    shaded = np.asarray(first) * (0.86 + 0.24 * _chance(row * 3.7 + piece * 9.1))[:, None]
    return np.where((gap < _JOINT)[:, None], np.asarray(second), shaded)


def tiles(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return square tiles all over; the second colour is the grout's."""
    return _tiled(place, first, second, 0.30)


def half_tiles(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return small tiles of the second colour below, paint above."""
    grout = np.asarray(second) * 0.82
    low = _tiled(place, second, (grout[0], grout[1], grout[2]), 0.155)
    return np.where((place[:, 1] < _TILED)[:, None], low, np.asarray(first))


def boards(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return upright boards with grooves of the second colour."""
    across = place[:, 0] / 0.20 + _FAR
    shaded = np.asarray(first) * (0.95 + 0.08 * _chance(np.floor(across)))[:, None]
    return np.where((_to_edge(across) * 0.20 < _JOINT)[:, None], np.asarray(second), shaded)


def planks(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return long planks, each with its own shade between the two colours."""
    across = place[:, 0] / _PLANK + _FAR
    row = np.floor(across)
    along = place[:, 1] / _PLANK_LENGTH + _FAR + _chance(row)
    piece = np.floor(along)
    gap = np.minimum(_to_edge(across) * _PLANK, _to_edge(along) * _PLANK_LENGTH)
    return _wooden(first, second, _chance(row * 7.3 + piece * 3.1), gap)


def parquet(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return squares of parallel staves, rotated by a quarter turn from one square to the next."""
    square = _STAVE * _STAVES
    cell = np.floor(place / square + _FAR)
    within = np.mod(place / square + _FAR, 1.0)
    turned = np.mod(cell.sum(axis=1), 2) < 1
    stave = np.where(turned, within[:, 0], within[:, 1]) * _STAVES
    shade = _chance(cell[:, 0] * 5.7 + cell[:, 1] * 3.3 + np.floor(stave) * 1.9)
    gap = np.minimum(_to_edge(stave) * _STAVE, _to_edge(within).min(axis=1) * square)
    return _wooden(first, second, 0.6 * shade + 0.4 * turned, gap)


def checker(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return large squares of two colours."""
    return _mixed(first, second, np.mod(np.floor(place / 0.5 + _FAR).sum(axis=1), 2) < 1)


def carpet(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return soft patches of two similar colours."""
    x, y = place.T
    soft = np.sin(2.1 * x + 1.3 * np.sin(1.7 * y)) * np.sin(1.9 * y + 1.1 * np.sin(1.3 * x))
    fleck = _chance(np.floor(x * 60) * 1.7 + np.floor(y * 60) * 5.3) - 0.5
    return _between(first, second, np.clip(0.5 + 0.35 * soft + 0.35 * fleck, 0, 1))


def concrete(place: FloatArray, first: Colour, second: Colour) -> FloatArray:
    """Return cloudy slabs; the second colour is that of clouds and joints."""
    x, y = place.T
    cloud = sum(
        np.sin(f * x + 1.7 * np.sin(0.7 * f * y + p)) * np.sin(f * y + 1.3 * np.sin(0.8 * f * x - p)) / 2**i
        for i, (f, p) in enumerate(((1.1, 0.4), (2.7, 1.9), (6.1, 3.2)))
    )
    joint = (_to_edge(place / 1.6 + _FAR + 0.5) * 1.6).min(axis=1) < _JOINT
    return _between(first, second, np.where(joint, 1.0, np.clip(0.25 + 0.28 * cloud, 0, 1)))


PATTERNS: dict[str, Pattern] = {
    pattern.__name__: pattern
    for pattern in (
        *(paint, stripes, dots, diamonds, wainscot, brick, tiles, half_tiles, boards),
        *(planks, parquet, checker, carpet, concrete),
    )
}


def _tiled(place: FloatArray, first: Colour, second: Colour, side: float) -> FloatArray:
    cell = place / side + _FAR
    gap = (_to_edge(cell) * side).min(axis=1)
    tile = np.floor(cell)
    shaded = np.asarray(first) * (0.97 + 0.05 * _chance(tile[:, 0] * 2.3 + tile[:, 1] * 7.9))[:, None]
    return np.where((gap < _JOINT)[:, None], np.asarray(second), shaded)


def _wooden(first: Colour, second: Colour, shade: FloatArray, gap: FloatArray) -> FloatArray:
    return _between(first, second, shade) * np.where(gap < _JOINT, 0.78, 1.0)[:, None]


def _from_lattice(place: FloatArray, step: float) -> FloatArray:
    """Return the distance to the nearest point of a lattice whose every second row is offset by half a step."""
    row = np.round(place[:, 1] / step)
    shifted = place[:, 0] / step + 0.5 * np.mod(row, 2)
    return np.asarray(np.hypot(shifted - np.round(shifted), place[:, 1] / step - row) * step)


def _to_edge(cells: FloatArray) -> FloatArray:
    """Return the distance of a position from the nearer edge of its cell, in cells."""
    within = np.mod(cells, 1.0)
    return np.asarray(np.minimum(within, 1 - within))


def _mixed(first: Colour, second: Colour, use_second: NDArray[np.bool_]) -> FloatArray:
    return np.where(use_second[:, None], np.asarray(second), np.asarray(first))


def _between(first: Colour, second: Colour, share: FloatArray) -> FloatArray:
    return np.asarray(first) + share[:, None] * np.subtract(second, first)


def _chance(number: FloatArray) -> FloatArray:
    """Return a pseudo-random number between 0 and 1, the same for the same input."""
    return np.asarray(np.mod(np.sin(number * 12.9898) * 43758.5453, 1.0))


INWARD = {"north": (0, -1), "east": (-1, 0), "south": (0, 1), "west": (1, 0)}
_SKIRTING, _THICK = 0.09, 0.012
_CORNER, _REACH = 0.14, 0.30  # how much darker a corner is, and the decay length of this in metres


def build_shell(plan: RoomPlan) -> tuple[Surface, ...]:
    """Return the six planes and the skirting of a room whose floor lies on z = 0 around the origin."""
    width, depth, height = plan.size
    floor = _plane((0, 0, 0), (0, 0, 1), (width, depth))
    ceiling = _plane((0, 0, height), (0, 0, -1), (width, depth))
    shell = [
        Surface(floor, _floor(plan), gloss=0.04, shadow=False),
        Surface(ceiling, plan.ceiling, shadow=False),
    ]
    for side in SIDES:
        shell += _wall(plan, side)
    return tuple(shell)


def _wall(plan: RoomPlan, side: str) -> list[Surface]:
    width, depth, height = plan.size
    inward = np.array(INWARD[side])
    far = (depth if inward[1] else width) / 2
    length = width if inward[1] else depth
    middle = -inward * far
    wall = _plane((*middle, height / 2), (*inward, 0), (length, height))
    board = _plane((*(middle + inward * _THICK), _SKIRTING / 2), (*inward, 0), (length - 2 * _THICK, _SKIRTING))
    ledge = _plane((*(middle + inward * _THICK / 2), _SKIRTING), (0, 0, 1), _ledge(inward, length))
    daylight = _daylight(plan.sun, inward)
    return [
        Surface(wall, _painted(plan.walls[side], inward, length, height, daylight), shadow=False),
        Surface(board, _dimmed(plan.trim, daylight), shadow=False),
        Surface(ledge, plan.trim, shadow=False),
    ]


def _ledge(inward: FloatArray, length: float) -> tuple[float, float]:
    return (length, _THICK) if inward[1] else (_THICK, length)


def _daylight(sun: str, inward: FloatArray) -> float:
    """Return the brightness of a wall, highest for a wall that faces the light."""
    return 0.96 + 0.07 * float(-np.dot(INWARD[sun], inward))


def _painted(
    finish: Finish, inward: FloatArray, length: float, height: float, daylight: float
) -> Callable[[FloatArray], FloatArray]:
    pattern = PATTERNS[finish.pattern]

    def colour(place: FloatArray) -> FloatArray:
        along, up = place[:, 0 if inward[1] else 1], place[:, 2]
        edge = np.minimum(length / 2 - np.abs(along), height - up)
        shade = daylight * (1 - _CORNER * np.exp(-np.maximum(edge, 0) / _REACH))
        return np.asarray(np.clip(pattern(np.stack([along, up], axis=1), *finish.colours) * shade[:, None], 0, 1))

    return colour


def _floor(plan: RoomPlan) -> Callable[[FloatArray], FloatArray]:
    pattern = PATTERNS[plan.floor.pattern]
    half = np.array(plan.size[:2]) / 2
    towards = -np.array(INWARD[plan.sun])

    def colour(place: FloatArray) -> FloatArray:
        flat = place[:, :2]
        edge = (half - np.abs(flat)).min(axis=1)
        near = 0.98 + 0.05 * (flat / half) @ towards
        shade = near * (1 - _CORNER * np.exp(-np.maximum(edge, 0) / _REACH))
        return np.asarray(np.clip(pattern(flat, *plan.floor.colours) * shade[:, None], 0, 1))

    return colour


def _dimmed(colour: Colour, daylight: float) -> Colour:
    red, green, blue = (min(1.0, channel * daylight) for channel in colour)
    return red, green, blue


def _plane(middle: tuple[float, ...], facing: tuple[float, ...], size: tuple[float, float]) -> pv.PolyData:
    """Return a rectangle; ``size`` is along the horizontal and then the vertical of a wall, or x and y of a floor."""
    normal = np.asarray(facing, dtype=float)
    across = np.array([1.0, 0, 0]) if normal[2] else np.array([-normal[1], normal[0], 0.0])
    up = np.cross(normal, across)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    points = np.asarray(middle) + np.array([across * a * size[0] / 2 + up * b * size[1] / 2 for a, b in corners])
    return sharp(pv.PolyData(points, faces=[4, 0, 1, 2, 3]))


_TURNS = {"north": 0.0, "east": -90.0, "south": 180.0, "west": 90.0}
_TOGETHER = 0.05  # metres between the columns of a group
_OFF_WALL = 0.02  # metres: the skirting keeps furniture from the wall
_ABOVE = 0.10  # metres between a thing and the thing that hangs above it
_TIGHT = 0.04  # minimum metres between groups
_BEFORE = {"chair": 0.06, "stool": 0.10, "rug": 0.10}  # metres between a thing and the table behind it
_MIDDLE = {"clock": 2.0, "mirror": 1.45, "window": 1.55, "shelf": 1.6}  # height of its middle, metres
_EYE_LEVEL = 1.6
_LOW = {"door": 0.0, "radiator": 0.12, "curtain": 0.04}  # height of its lower edge, metres


@dataclass(frozen=True)
class PlacedObject:
    """A thing in the room: ``corners`` (4, 2) of its footprint, ``low`` and ``high`` above the floor, metres."""

    kind: str
    surfaces: tuple[Surface, ...]
    centre: tuple[float, float, float]
    corners: tuple[tuple[float, float], ...]
    low: float
    high: float


def furnish(plan: RoomPlan) -> tuple[PlacedObject, ...]:
    """Build and place everything that a plan lists; raise ``ValueError`` if a wall is too short for its things."""
    items: list[PlacedObject] = []
    for side in plan.along:
        items += _along(plan, side, items)
    for loose in plan.loose:
        items.append(_loose(loose, plan))
    return tuple(items)


@dataclass(frozen=True)
class _Built:
    """A column with its pieces."""

    stands: Piece | None
    top: Piece | None
    front: Piece | None
    hangs: tuple[Piece, ...]
    width: float

    @property
    def depth(self) -> float:
        return self.stands.size[1] if self.stands else 0.0


def _along(plan: RoomPlan, side: str, before: Sequence[PlacedObject]) -> list[PlacedObject]:
    """Return everything at one wall."""
    groups = [[_build(column, plan.palette) for column in group] for group in plan.along[side]]
    turn = _TURNS[side]
    width, depth, _ = plan.size
    length, wall = (width, depth / 2) if side in {"north", "south"} else (depth, width / 2)
    strip = wall - max((built.depth for group in groups for built in group), default=0.0) - _OFF_WALL
    left, right = _free(length, strip, turn, before)
    taken = [sum(built.width for built in group) + _TOGETHER * (len(group) - 1) for group in groups]
    gap = (right - left - sum(taken)) / max(1, len(groups))
    if gap < _TIGHT:
        raise ValueError(f"{plan.theme}: the things at the {side} wall need {_TIGHT - gap:.2f} m more for each group.")
    items: list[PlacedObject] = []
    at = left + gap / 2
    for group in groups:
        for built in group:
            items += _placed_column(built, at + built.width / 2, wall, turn)
            at += built.width + _TOGETHER
        at += gap - _TOGETHER
    return items


def _free(length: float, strip: float, turn: float, before: Sequence[PlacedObject]) -> tuple[float, float]:
    """Return the ends of the free stretch of a wall, along it from its middle."""
    left, right = -length / 2, length / 2
    for item in before:
        local = np.asarray(item.corners) @ _rotation(turn)
        if local[:, 1].max() <= strip:
            continue
        if local[:, 0].mean() < 0:
            left = max(left, float(local[:, 0].max()))
        else:
            right = min(right, float(local[:, 0].min()))
    return left, right


def _build(column: WallColumn, palette: Palette) -> _Built:
    stands, top, front = (_piece(thing, palette) for thing in (column.stands, column.top, column.front))
    hangs = tuple(piece for thing in column.hangs if (piece := _piece(thing, palette)))
    widths = [piece.size[0] for piece in (stands, front, *hangs) if piece]
    return _Built(stands, top, front, hangs, max([column.space, *widths]))


def _piece(thing: FurniturePlan | None, palette: Palette) -> Piece | None:
    return build_piece(thing.kind, thing.variant, palette) if thing else None


def _placed_column(built: _Built, across: float, wall: float, turn: float) -> list[PlacedObject]:
    """Return the things of one column; ``across`` runs along the wall, ``wall`` is its distance from the middle."""
    items: list[PlacedObject] = []
    high, front = 0.0, wall
    if built.stands:
        _, depth, high = built.stands.size
        front = wall - _OFF_WALL - depth
        items.append(_place(built.stands, (across, front + depth / 2, 0.0), turn))
        if built.top:
            items.append(_place(built.top, (across, front + depth / 2, high), turn))
            high += built.top.size[2]
    if built.front:
        away = front - _BEFORE.get(built.front.kind, 0.35) - built.front.size[1] / 2
        facing = 180.0 if built.front.kind in {"chair", "stool"} else 0.0
        items.append(_place(built.front, (across, away, 0.0), turn, facing))
    for piece in built.hangs:
        low = max(_height(piece), high + _ABOVE if high else 0.0)
        items.append(_place(piece, (across, wall - piece.size[1] / 2, low), turn))
    return items


def _height(piece: Piece) -> float:
    """Return the height of the lower edge of a wall thing with nothing below it."""
    if piece.kind in _LOW:
        return _LOW[piece.kind]
    return max(0.05, _MIDDLE.get(piece.kind, _EYE_LEVEL) - piece.size[2] / 2)


def _loose(loose: LooseFurniture, plan: RoomPlan) -> PlacedObject:
    piece = build_piece(loose.thing.kind, loose.thing.variant, plan.palette)
    return _place(piece, (*loose.at, 0.0), 0.0, loose.turn)


def _place(piece: Piece, at: tuple[float, float, float], wall_turn: float, own_turn: float = 0.0) -> PlacedObject:
    """Place a piece in the frame of a wall, which is rotated about the middle of the room by ``wall_turn``."""
    x, y = np.asarray(at[:2]) @ _rotation(wall_turn).T
    turn = _rotation(wall_turn + own_turn)
    width, depth, height = piece.size
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width / 2, depth / 2]
    corners = half @ turn.T + [x, y]
    shift = np.array([x, y, at[2]])
    return PlacedObject(
        kind=piece.kind,
        surfaces=tuple(_moved(surface, turn, shift) for surface in piece.surfaces),
        centre=(float(x), float(y), at[2] + height / 2),
        corners=tuple((float(a), float(b)) for a, b in corners),
        low=at[2],
        high=at[2] + height,
    )


def _moved(surface: Surface, turn: FloatArray, shift: FloatArray) -> Surface:
    """Return a surface rotated and shifted, with its colours kept."""
    matrix = np.eye(3)
    matrix[:2, :2] = turn
    mesh = surface.mesh.copy()
    mesh.points = np.asarray(mesh.points) @ matrix.T + shift
    mesh.point_data["Normals"] = np.asarray(mesh.point_data["Normals"]) @ matrix.T
    return Surface(mesh, surface.colour, surface.gloss, surface.glow, surface.shadow)


def _rotation(degrees: float) -> FloatArray:
    """Return the matrix (2, 2), counterclockwise from above."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[cos, -sin], [sin, cos]])


@dataclass(frozen=True)
class Room:
    """A furnished room around the origin: its shell, its items and its spots."""

    number: int
    theme: str
    shell: tuple[Surface, ...]
    items: tuple[PlacedObject, ...]
    spots: tuple[Spot, Spot, Spot]


@functools.cache
def make_room(number: int) -> Room:
    """Return the room with this number, always the same; raise ``ValueError`` if it does not exist."""
    plan = read_plan(number)
    first, second, third = (find_spot(view) for view in plan.views)
    return Room(number, plan.theme, build_shell(plan), furnish(plan), (first, second, third))

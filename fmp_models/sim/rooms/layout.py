"""The layout of a room: from its plan to placed furniture.

Each wall is filled from left to right, with gaps between groups and the columns of a group close together. A wall that
comes later in the plan leaves out corners that are occupied already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmp_models.sim.furniture import Palette, Piece, build_piece
from fmp_models.sim.rendering.light import Array, Surface
from fmp_models.sim.rooms.plans import FurniturePlan, LooseFurniture, RoomPlan, WallColumn

_TURNS = {"north": 0.0, "east": -90.0, "south": 180.0, "west": 90.0}
_TOGETHER = 0.05  # metres between the columns of a group
_OFF_WALL = 0.02  # metres: the skirting keeps furniture from the wall
_ABOVE = 0.10  # metres between a thing and the thing that hangs above it
_TIGHT = 0.04  # minimum metres between groups
_BEFORE = {"chair": 0.06, "stool": 0.10, "rug": 0.10}  # metres between a thing and the table behind it
_MIDDLE = {"clock": 2.0, "mirror": 1.45, "window": 1.55, "shelf": 1.6}  # height of its middle, metres
_EYE = 1.6
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
            items += _column(built, at + built.width / 2, wall, turn)
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


def _column(built: _Built, across: float, wall: float, turn: float) -> list[PlacedObject]:
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
    return max(0.05, _MIDDLE.get(piece.kind, _EYE) - piece.size[2] / 2)


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


def _moved(surface: Surface, turn: Array, shift: Array) -> Surface:
    """Return a surface rotated and shifted, with its colours kept."""
    matrix = np.eye(3)
    matrix[:2, :2] = turn
    mesh = surface.mesh.copy()
    mesh.points = np.asarray(mesh.points) @ matrix.T + shift
    mesh.point_data["Normals"] = np.asarray(mesh.point_data["Normals"]) @ matrix.T
    return Surface(mesh, surface.colour, surface.gloss, surface.glow, surface.shadow)


def _rotation(degrees: float) -> Array:
    """Return the matrix (2, 2), counterclockwise from above."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[cos, -sin], [sin, cos]])

"""Room plans: size, surfaces, colours, furniture and spots.

A plan is a TOML file, ``plans/<number>_<theme>.toml``. ``size`` is width (x), depth (y), height in metres; the origin
is the middle of the floor. ``walls`` and ``floor`` name a finish and its colours; ``accent`` is the finish of one wall.
``along`` lists groups of columns, wall by wall and from left to right as seen facing that wall. A column is the thing
that ``stands`` on the floor, the one on ``top`` of it, the one in ``front`` of it, and the ones that ``hangs`` lists
above it. A thing is written ``kind`` or ``kind/variant``. ``loose`` things stand at a position, rotated from "front
along -y". A spot is a position, and the direction (counterclockwise from -y) and distance of the camera; ``turn`` is
how far the person looks past the camera.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fmp_models.sim.furniture import Palette
from fmp_models.sim.rendering.light import Colour

SIDES = ("north", "east", "south", "west")
_FOLDER = Path(__file__).parent / "plans"
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

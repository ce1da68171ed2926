"""The furniture of the simulator's rooms: each kind of object in a few shapes and colours.

A piece stands on z = 0, centred in x and y, and its front faces -y. Things that hang on a wall touch it with their
back, y = depth / 2, and their lowest point is at z = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fmp_models.sim.furniture import (
    bathroom_kitchen,
    decoration,
    devices,
    hobbies,
    seats_tables,
    storage,
    wall_things,
)
from fmp_models.sim.furniture.palette import PALETTES, Palette
from fmp_models.sim.furniture.shapes import SolidPart, surfaces
from fmp_models.sim.light import Surface

__all__ = ["KINDS", "MOUNTS", "PALETTES", "VARIANTS", "Mount", "Palette", "Piece", "build_piece"]

Mount = Literal["floor", "wall", "on_top", "ceiling"]


@dataclass(frozen=True)
class Piece:
    """One object in its own frame; ``size`` is (width, depth, height) in metres."""

    kind: str
    surfaces: tuple[Surface, ...]
    size: tuple[float, float, float]


@dataclass(frozen=True)
class _Kind:
    make: Callable[[int, Palette], list[SolidPart]]
    variants: int
    mount: Mount = "floor"


_CATALOGUE: dict[str, _Kind] = {
    "sofa": _Kind(seats_tables.sofa, 3),
    "armchair": _Kind(seats_tables.armchair, 3),
    "chair": _Kind(seats_tables.chair, 4),
    "table": _Kind(seats_tables.table, 3),
    "coffee_table": _Kind(seats_tables.coffee_table, 3),
    "desk": _Kind(seats_tables.desk, 2),
    "bed": _Kind(seats_tables.bed, 3),
    "lamp": _Kind(devices.lamp, 4),
    "rug": _Kind(decoration.rug, 4),
    "window": _Kind(wall_things.window, 3, "wall"),
    "door": _Kind(wall_things.door, 3, "wall"),
    "television": _Kind(devices.television, 3),
    "bookshelf": _Kind(storage.bookshelf, 3),
    "plant": _Kind(decoration.plant, 4),
    "piano": _Kind(hobbies.piano, 3),
    "painting": _Kind(wall_things.painting, 4, "wall"),
    "curtain": _Kind(wall_things.curtain, 3, "wall"),
    "fridge": _Kind(bathroom_kitchen.fridge, 2),
    "mirror": _Kind(wall_things.mirror, 2, "wall"),
    "clock": _Kind(wall_things.clock, 3, "wall"),
    "box": _Kind(storage.cardboard, 3),
    "bathtub": _Kind(bathroom_kitchen.bathtub, 2),
    "sink": _Kind(bathroom_kitchen.sink, 2),
    "toilet": _Kind(bathroom_kitchen.toilet, 2),
    "stove": _Kind(bathroom_kitchen.stove, 2),
    "cabinet": _Kind(storage.cabinet, 3),
    "wardrobe": _Kind(storage.wardrobe, 2),
    "fireplace": _Kind(decoration.fireplace, 2),
    "guitar": _Kind(hobbies.guitar, 2),
    "computer": _Kind(devices.computer, 2, "on_top"),
    "stool": _Kind(seats_tables.stool, 2),
    "bench": _Kind(seats_tables.bench, 2),
    "basket": _Kind(storage.basket, 2),
    "vase": _Kind(decoration.vase, 2, "on_top"),
    "bicycle": _Kind(hobbies.bicycle, 2),
    "treadmill": _Kind(hobbies.treadmill, 2),
    "radiator": _Kind(wall_things.radiator, 2, "wall"),
    "shelf": _Kind(storage.shelf, 2, "wall"),
    "nightstand": _Kind(storage.nightstand, 2),
    "aquarium": _Kind(decoration.aquarium, 2),
    "suitcase": _Kind(storage.suitcase, 2),
    "fan": _Kind(devices.fan, 2),
    "washing_machine": _Kind(bathroom_kitchen.washing_machine, 2),
    "ladder": _Kind(hobbies.ladder, 2),
    "ball": _Kind(hobbies.toy_ball, 3),
}

KINDS: tuple[str, ...] = tuple(_CATALOGUE)
MOUNTS: dict[str, Mount] = {name: kind.mount for name, kind in _CATALOGUE.items()}
VARIANTS: dict[str, int] = {name: kind.variants for name, kind in _CATALOGUE.items()}


def build_piece(kind: str, variant: int = 0, palette: Palette | None = None) -> Piece:
    """Build a piece of a kind; variants wrap around, and without a palette each variant has its own colours.

    Raises ``ValueError`` for a kind that is not in ``KINDS``.
    """
    if kind not in _CATALOGUE:
        raise ValueError(f"There is no furniture of the kind {kind!r}.")
    entry = _CATALOGUE[kind]
    parts = entry.make(variant % entry.variants, palette or PALETTES[variant % len(PALETTES)])
    points = np.concatenate([part.points for part in parts])
    low, high = points.min(axis=0), points.max(axis=0)
    offset = np.array([*(low + high)[:2] / 2, low[2]])
    placed = [replace(part, points=part.points - offset) for part in parts]
    width, depth, height = (float(length) for length in high - low)
    return Piece(kind, surfaces(placed), (width, depth, height))

"""Twenty-five furnished rooms with three spots each where a person stands in front of a camera."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from fmp_models.sim.rendering.light import Surface
from fmp_models.sim.rooms.layout import PlacedObject, furnish
from fmp_models.sim.rooms.plans import COUNT, read_plan
from fmp_models.sim.rooms.shell import build_shell
from fmp_models.sim.rooms.spots import Spot, find_spot

__all__ = ["COUNT", "PlacedObject", "Room", "Spot", "make_room"]


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

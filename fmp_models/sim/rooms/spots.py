"""Spots of a room: where a person stands, and the level camera that shows them whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmp_models.data.camera import REACH, SIZE
from fmp_models.sim.rendering.light import Camera
from fmp_models.sim.rooms.plans import SpotPlan

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
    return Spot(view.at, float(heading), Camera(place, (x, y, _EYE), REACH, SIZE))

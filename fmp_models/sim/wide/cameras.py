"""Cameras of a unit's wide pairs: on every side of the person, low and high, near and far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmp_models.pose import Array
from fmp_models.sim.rendering.light import Camera, Lamps
from fmp_models.sim.rendering.perspective import to_camera
from fmp_models.sim.rendering.stage import ROOM_LAMPS
from fmp_models.sim.rooms import PlacedObject, Room
from fmp_models.sim.rooms.plans import read_plan

SIZE = (420, 360)  # pixels that are rendered; a picture is a part of them
CAMERAS = 4  # of each unit: an empty room takes longer to render than fifty people
_HEIGHTS = ((0.15, 0.7), (0.8, 1.7), (0.9, 1.8), (1.9, 2.9))  # metres: low, at the chest twice, near the ceiling
_DISTANCES = (1.9, 4.4)  # metres from the person, along the floor
_SHOWN = (2.2, 3.9)  # metres of height that the picture shows at the person's distance
_AIM = (0.45, 1.0)  # height in metres that the camera looks at
_UNDER_CEILING = 0.2  # metres
_OUTSIDE = 0.9  # metres that a camera may stand behind a wall and look through its back
_STEEPEST = 58.0  # degrees
_TRIES = 60
_BLOCKED = 0.12  # share of the lines of sight that furniture may cut
_NEAR = 0.25  # minimum distance in metres of a camera from furniture


@dataclass(frozen=True)
class CameraView:
    """A camera and the lamps that light the room for it."""

    camera: Camera
    lamps: Lamps

    @property
    def level(self) -> Array:
        """Rows right, down along gravity and away along the floor: the levelled frame that joints are stored in."""
        right, _, forward = self.camera.axes
        away = np.array([forward[0], forward[1], 0.0])
        return np.stack([right, [0.0, 0.0, -1.0], away / np.linalg.norm(away)])

    @property
    def pitch(self) -> float:
        """Degrees that the camera looks down."""
        return float(np.degrees(np.arcsin(-self.camera.axes[2][2])))

    def joints(self, world: Array) -> Array:
        """Return world points (..., 3) in metres in the levelled frame, with the camera at the origin."""
        return np.asarray((world - self.camera.place) @ self.level.T)


def views_of(
    random: np.random.Generator, room: Room, at: tuple[float, float], count: int = CAMERAS
) -> list[CameraView]:
    """Return ``count`` cameras around a place, each in its own sector, where furniture blocks few lines of sight."""
    width, depth, height = read_plan(room.number).size
    first = random.uniform(0, 360)
    views = []
    for number in range(count):
        best: tuple[float, Camera] | None = None
        for attempt in range(_TRIES):
            spread = 45 + attempt  # degrees to either side; the sector widens with every attempt
            angle = np.radians(first + 360 * number / count + random.uniform(-spread, spread))
            far = random.uniform(*_DISTANCES)
            x, y = at[0] + far * float(np.sin(angle)), at[1] - far * float(np.cos(angle))
            high = min(float(random.uniform(*_HEIGHTS[number % len(_HEIGHTS)])), height - _UNDER_CEILING)
            aim = float(random.uniform(*_AIM))
            camera = Camera((x, y, high), (*at, aim), float(random.uniform(*_SHOWN)), SIZE)
            if max(abs(x) - width / 2, abs(y) - depth / 2) > _OUTSIDE or _pitch(camera) > _STEEPEST:
                continue
            share = _blocked(camera, room.items, at)
            if best is None or share < best[0]:
                best = share, camera
            if share <= _BLOCKED:
                break
        camera = best[1] if best is not None and best[0] < 0.5 else _own(room, at, random)  # noqa: PLR2004
        views.append(CameraView(camera, _lamps(random)))
    return views


def _own(room: Room, at: tuple[float, float], random: np.random.Generator) -> Camera:
    """Return the plan's camera of the nearest spot, which nothing hides."""
    spot = min(room.spots, key=lambda spot: np.hypot(spot.at[0] - at[0], spot.at[1] - at[1]))
    return Camera(spot.camera.place, (*at, float(random.uniform(*_AIM))), float(random.uniform(*_SHOWN)), SIZE)


def _pitch(camera: Camera) -> float:
    return float(np.degrees(np.arcsin(-camera.axes[2][2])))


def _blocked(camera: Camera, items: Sequence[PlacedObject], at: tuple[float, float]) -> float:
    """Return the share of lines from camera to person that furniture cuts; 1 if the camera is in furniture."""
    place = np.array(camera.place)
    spread = np.array([-0.6, 0.0, 0.6])
    targets = np.array([(at[0] + a, at[1] + b, z) for a in spread for b in spread for z in (0.15, 0.7, 1.4)])
    share = np.linspace(0.0, 0.9, 24)[:, None, None]
    lines = place + share * (targets - place)  # (24, targets, 3)
    cut = np.zeros(len(targets), dtype=bool)
    for item in items:
        low = np.array([*np.min(item.corners, axis=0), item.low])
        high = np.array([*np.max(item.corners, axis=0), item.high])
        if (place > low - _NEAR).all() and (place < high + _NEAR).all():
            return 1.0
        cut |= ((lines > low) & (lines < high)).all(axis=2).any(axis=0)
    return float(cut.mean())


def _lamps(random: np.random.Generator) -> Lamps:
    """Return random lamps: daylight from some side, lamplight in the evening, or a dull day."""
    usual = ROOM_LAMPS
    side, front, high = random.uniform(-1.1, 1.1), random.uniform(-1.0, 0.1), random.uniform(0.5, 1.3)
    warm = float(random.normal(0.0, 0.06))
    bright = float(random.uniform(0.75, 1.2))
    share = float(random.uniform(0.3, 1.15))
    red, green, blue = usual.key_tint
    return Lamps(
        key=(float(side), float(front), float(high)),
        key_strength=usual.key_strength * bright * share,
        key_tint=(min(red * (1 + warm), 1.0), green, float(np.clip(blue * (1 - warm), 0, 1))),
        sky_strength=usual.sky_strength * bright * (1.6 - 0.6 * share),
        bounce=usual.bounce * bright,
        bounce_tint=usual.bounce_tint,
        spread=usual.spread,
    )


def seen_whole(points: Array, camera: Camera, margin: float) -> bool:
    """Return whether all world points (..., 3) are in front of the camera and ``margin`` pixels within the picture."""
    local = to_camera(points, camera)
    if (local[..., 2] < 0.3).any():  # noqa: PLR2004 - metres
        return False
    scale = camera.size[1] / 2 / camera.slope
    places = local[..., :2] / local[..., 2:] * scale + np.array(camera.size) / 2
    return bool((places > margin).all() and (places < np.array(camera.size) - margin).all())

"""Photographs of a dressed person in a room.

``Stage(surfaces, items, camera)`` renders the room once (seconds). ``stage.photograph(body, placed)`` then renders a
person into it in some hundredths of a second, any number of times and with any body. Things in front hide the person,
and the person casts shadows on floor, walls and furniture; the room itself never changes. ``stage.visible`` is the
share of the picture that each item fills in the empty room. A stage holds some 20 MB; make it in the process that uses
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

from fmp_models.sim.rendering.backdrop import at, paint
from fmp_models.sim.rendering.figure import NEAREST, Box, Mesh, PosedMesh, appear, figure
from fmp_models.sim.rendering.lamplight import ALL, Shadows, cast, lamplight, leaving, reach
from fmp_models.sim.rendering.light import Array, Camera, Lamps, Surface, developed
from fmp_models.sim.rendering.perspective import finer, project, to_camera

OVER = 2  # rendered pixels per picture pixel, in rows and in columns
COUNTS = (4, 9)  # lamps of window and sky
ROOM_LAMPS = Lamps(key_strength=1.5, sky_strength=0.8, bounce=0.5, bounce_tint=(1.0, 0.96, 0.9), spread=0.22)
SHADOW_PIXELS = 160
SOFTNESS = (0.012, 0.14)  # metres, and metres per metre
BLUR = 0.8  # pixels; removes the noise of a person's shadow
FAINT = np.float32(1e-3)  # light below which a shadow is invisible
UNSEEN = 0.006  # share of the light: a weaker shadow changes no byte
LOW = 0.2  # sine of elevation; shadows of lower lamps are not followed to the floor
AROUND = 6  # pixels around a person and their shadow
TONES, BRIGHTEST = 4096, np.float32(4.0)


class StageObject(Protocol):
    """An item in a room whose share of the picture is measured."""

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """Its meshes in the world."""


class Stage:
    """A room seen from one camera: ``surfaces`` around ``items``, lit by ``lamps`` placed relative to the camera.

    Surrounding surfaces that turn their backs to the camera are left out.
    """

    def __init__(
        self, surfaces: Sequence[Surface], items: Sequence[StageObject], camera: Camera, lamps: Lamps = ROOM_LAMPS
    ) -> None:
        self.camera, self.lamps = camera, lamps
        self._light = lamplight(lamps, camera, COUNTS)
        around = [surface for surface in surfaces if _faces(surface, camera)]
        owned = [surface for item in items for surface in item.surfaces]
        owners = np.repeat(np.arange(len(items)), [len(item.surfaces) for item in items])
        self._room = paint([*around, *owned], camera, OVER, lamps, self._light)
        surface_numbers = self._room.surface - len(around)
        pixels = np.bincount(owners[surface_numbers[surface_numbers >= 0]], minlength=len(items))
        self.visible = {item: float(count / surface_numbers.size) for item, count in enumerate(pixels)}
        self._empty = _printed(self._room.light)

    def photograph(self, body: Mesh, placed: PosedMesh) -> Image.Image:
        """Return the picture of the person in the room: RGB of the camera's size."""
        person = figure(body, placed)
        shadows = cast(self._light, (person.points, person.triangles), SHADOW_PIXELS, SOFTNESS, solid=True)
        box = self._box(person.points)
        share = self._shade(shadows, box)
        fine = _times(box, OVER)
        rows, columns, person_pixels = appear(person, finer(self.camera, OVER), fine, self._room.depth[fine])
        changed = np.abs(1 - share).max(axis=2, initial=0) > UNSEEN
        changed[rows // OVER, columns // OVER] = True
        picture = self._empty.copy()
        if changed.any():
            # Only the part that a person or their shadow changes is rendered again.
            part = _around(changed)
            light = share[part].repeat(OVER, axis=0).repeat(OVER, axis=1)
            small, (first_row, first_column) = _moved(part, box), (side.start * OVER for side in part)
            light *= self._room.light[_times(small, OVER)]
            count = len(rows)
            reached = reach(
                self._light, shadows, person_pixels, np.full(count, ALL), rows * (OVER * self.camera.size[0]) + columns
            )
            light[rows - first_row, columns - first_column] = leaving(person_pixels, reached, self.lamps)
            picture[small] = _printed(light)
        return Image.fromarray(picture)

    def _box(self, points: Array) -> Box:
        """Return the part of the picture that can show a person and their shadow."""
        some = points[:: max(1, len(points) // 1000)]
        high = [toward for toward in self._light.towards if toward[2] > LOW]
        shade = [some - toward * (some[:, 2:] / toward[2]) for toward in high]
        places = np.concatenate([some, *shade])
        if to_camera(places, self.camera)[:, 2].min() < NEAREST:
            return slice(0, self.camera.size[1]), slice(0, self.camera.size[0])
        spots = project(places, self.camera)
        first, last = (
            np.clip(edge, 0, self.camera.size).astype(int)
            for edge in (spots.min(axis=0) - AROUND, spots.max(axis=0) + AROUND)
        )
        return slice(first[1], last[1]), slice(first[0], last[0])

    def _shade(self, shadows: Shadows, box: Box) -> NDArray[np.float32]:
        """Return the share (rows, columns, 3) of the room's light that remains within a box in a person's shadow."""
        room, (width, height) = self._room, self.camera.size
        numbers = np.arange(width * height).reshape(height, width)[box]
        flat = numbers.ravel()
        pixels = at(room.coarse, flat)
        reached = reach(self._light, shadows, pixels, room.lamps[flat], flat * OVER)
        lit = leaving(pixels, reached.dimmed(room.openness[flat]), self.lamps)
        share = (lit + FAINT) / (room.coarse_light[flat] + FAINT)
        return np.asarray(gaussian_filter(share.reshape(*numbers.shape, 3), (BLUR, BLUR, 0)), np.float32)


def _faces(surface: Surface, camera: Camera) -> bool:
    """Return whether a camera sees the front of any part of a surface: cameras may look through the back of a wall."""
    toward = np.asarray(camera.place) - np.asarray(surface.mesh.points)
    normals = np.asarray(surface.mesh.point_data["Normals"])
    return bool((np.einsum("vi,vi->v", toward, normals) > 0).any())


def _times(box: Box, factor: int) -> Box:
    rows, columns = (slice(side.start * factor, side.stop * factor) for side in box)
    return rows, columns


def _moved(part: Box, box: Box) -> Box:
    rows, columns = (slice(a.start + b.start, a.stop + b.start) for a, b in zip(part, box, strict=True))
    return rows, columns


def _around(chosen: NDArray[np.bool_]) -> Box:
    """Return the rows and columns from the first to the last chosen pixel."""
    rows, columns = (np.flatnonzero(chosen.any(axis=axis)) for axis in (1, 0))
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


_TONES = (developed(np.linspace(0, BRIGHTEST, TONES + 1, dtype=np.float32)) * 255).astype(np.float32)


def _printed(light: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Convert fine light to the bytes of the picture."""
    tones = _TONES[(np.clip(light, 0, BRIGHTEST) * (TONES / BRIGHTEST) + np.float32(0.5)).astype(np.int32)]
    height, width, _ = tones.shape
    small = tones.reshape(height // OVER, OVER, width // OVER, OVER, 3).mean(axis=(1, 3))
    return np.asarray(small + np.float32(0.5), np.uint8)

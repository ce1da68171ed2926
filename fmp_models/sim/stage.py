"""Photographs of a dressed person in a room.

``Stage(surfaces, items, camera)`` renders the room once (seconds). ``stage.photograph(body, placed)`` then renders a
person into it in some hundredths of a second, any number of times and with any body. Things in front hide the person,
and the person casts shadows on floor, walls and furniture; the room itself never changes. ``stage.visible`` is the
share of the picture that each item fills in the empty room. A stage holds some 20 MB; make it in the process that uses
it.

One set of lamps lights a room once and a person in every picture. The lamps that furniture hides are stored per pixel
as one bit for each lamp; a person's shadow clears further bits.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

from fmp_models.sim import kernels
from fmp_models.sim.kernels import Ids, carried, depths, nearest, shares
from fmp_models.sim.light import (
    GLOW,
    Camera,
    FloatArray,
    Lamps,
    PixelSurfaces,
    Surface,
    developed,
    directions,
    finer,
    linear,
    look,
    merged,
    pixels_per_slope,
    project,
    to_camera,
)

ALL = np.uint32(0xFFFFFFFF)
HIDDEN = np.float32(0.15)  # share of the bounced light that remains where no lamp is visible
MARGIN = 2  # pixels around the mesh in a shadow map


@dataclass(frozen=True)
class Lamplight:
    """Unit ``towards`` (L, 3) in the world, linear ``strengths`` (L, 3); the first ``keys`` lamps are the window's."""

    towards: FloatArray
    strengths: FloatArray
    keys: int
    eye: tuple[float, float, float]


@dataclass(frozen=True)
class Shadows:
    """Shadow maps: depths (L, pixels, pixels) and frames (L, 3, 4) that transform the world there.

    ``softness`` is the noise in pixels of a map: at the caster, and its growth per metre behind the caster's middle.
    """

    maps: NDArray[np.float32]
    frames: NDArray[np.float32]
    softness: tuple[float, float]


@dataclass(frozen=True)
class LitArea:
    """Linear light (N, 3) on points, the visible lamps (N) as bits, and the share (N) of the light that arrives."""

    light: NDArray[np.float32]
    lamps: NDArray[np.uint32]
    openness: NDArray[np.float32]

    def dimmed(self, openness: NDArray[np.float32]) -> LitArea:
        """Return the same light with the openness multiplied by ``openness``."""
        return LitArea(self.light, self.lamps, self.openness * openness)


def lamplight(lamps: Lamps, camera: Camera, counts: tuple[int, int]) -> Lamplight:
    """Return ``counts`` lamps for window and sky in the camera's heading: +y of ``lamps`` points away from it."""
    window, sky = (lamp_directions[:count] for lamp_directions, count in zip(directions(lamps), counts, strict=True))
    right = camera.axes[0]
    level = np.cross([0.0, 0.0, 1.0], right)
    turn = np.stack([right, level, [0.0, 0.0, 1.0]])
    strengths = [
        np.tile(linear(tint) * strength / count, (count, 1))
        for tint, strength, count in (
            (lamps.key_tint, lamps.key_strength, counts[0]),
            (lamps.sky_tint, lamps.sky_strength, counts[1]),
        )
    ]
    return Lamplight(np.concatenate([window, sky]) @ turn, np.concatenate(strengths), counts[0], camera.place)


def cast(
    light: Lamplight, mesh: tuple[FloatArray, Ids], pixels: int, softness: tuple[float, float], *, solid: bool
) -> Shadows:
    """Return the shadow maps of a mesh (points, triangles); ``softness`` in metres and metres per metre.

    Of a ``solid`` mesh, triangles that face away from the lamp are skipped, which is faster.
    """
    points, triangles = mesh
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    frames = np.empty((len(light.towards), 3, 4), np.float32)
    scales = []
    corners = np.stack(np.meshgrid(*np.stack([points.min(axis=0), points.max(axis=0)]).T), axis=-1).reshape(-1, 3)
    for frame, toward in zip(frames, light.towards, strict=True):
        across = np.cross(toward, [0.0, 0.0, 1.0])
        across /= np.linalg.norm(across)
        axes = np.stack([across, np.cross(across, toward), -toward])
        reach = np.abs((corners - middle) @ axes[:2].T).max()
        axes[:2] *= (pixels / 2 - MARGIN) / reach
        scales.append((pixels / 2 - MARGIN) / reach)
        frame[:, :3] = axes
        frame[:, 3] = [pixels / 2, pixels / 2, 0] - axes @ middle
    scale = float(np.mean(scales))
    return Shadows(
        depths(points, triangles, frames, pixels, solid=solid), frames, (softness[0] * scale, softness[1] * scale)
    )


def reach(light: Lamplight, shadows: Shadows, pixels: PixelSurfaces, lamps: NDArray[np.uint32], seeds: Ids) -> LitArea:
    """Return the light on points (N); ``lamps`` (N) are the bits of the lamps that nothing else hides."""
    count = len(pixels.position)
    reached = LitArea(np.empty((count, 3), np.float32), np.array(lamps), np.empty(count, np.float32))
    lamps_of_kernel = kernels.bundle(
        kernels.KernelLamps,
        directions=kernels.vectors(light.towards),
        strengths=kernels.vectors(light.strengths),
        frames=kernels.vectors(shadows.frames),
        maps=shadows.maps,
        keys=light.keys,
        jitter=shadows.softness,
        eye=light.eye,
    )
    lit = kernels.bundle(
        kernels.LitPixels,
        points=kernels.vectors(pixels.position),
        normals=kernels.vectors(pixels.normal),
        gloss=np.ascontiguousarray(pixels.gloss, np.float32),
        seeds=np.ascontiguousarray(seeds, np.int32),
        lamps=reached.lamps,
        reached=kernels.vectors(reached.light),
        openness=reached.openness,
    )
    kernels.launch(kernels.shine, count, lamps_of_kernel, lit)
    return reached


def leaving(pixels: PixelSurfaces, reached: LitArea, ambient: Lamps) -> NDArray[np.float32]:
    """Return the linear light (N, 3) towards the camera; bounced light is dimmer where lamps are hidden."""
    around = (
        np.float32(ambient.bounce) * (0.75 - 0.25 * pixels.normal[:, 2]) * (HIDDEN + (1 - HIDDEN) * reached.openness)
    )
    diffuse = reached.light + around[:, None] * linear(ambient.bounce_tint)
    glow = pixels.glow[:, None]
    return np.asarray(pixels.albedo * (diffuse * (1 - glow) + GLOW * glow), np.float32)


CACHED_BODIES = 8
NEAREST = 0.1  # near clipping distance in metres
Box = tuple[slice, slice]  # rows and columns


class Mesh(Protocol):
    """A dressed body; two are equal only if they are the same object."""

    def __hash__(self) -> int:
        """Return the identity hash, the default of a class."""

    @property
    def triangles(self) -> Ids:
        """Point indices (F, 3)."""

    @property
    def colours(self) -> FloatArray:
        """Colours (V, 3) in sRGB."""

    @property
    def gloss(self) -> FloatArray:
        """Strength (V) of highlights."""


class PosedMesh(Protocol):
    """A dressed body in a pose."""

    @property
    def points(self) -> FloatArray:
        """Positions (V, 3) in the world, metres."""

    @property
    def normals(self) -> FloatArray:
        """Unit normals (V, 3)."""


@dataclass(frozen=True)
class RenderedBody:
    """A body in a pose, ready to render; albedo is linear."""

    triangles: Ids
    albedo: NDArray[np.float32]
    gloss: NDArray[np.float32]
    points: NDArray[np.float32]
    normals: NDArray[np.float32]


def figure(body: Mesh, posed: PosedMesh) -> RenderedBody:
    """Return a body and its pose in the types that rendering needs."""
    points, normals = (np.ascontiguousarray(rows, np.float32) for rows in (posed.points, posed.normals))
    triangles, albedo, gloss = _worn(body)
    return RenderedBody(triangles, albedo, gloss, points, normals)


def appear(figure: RenderedBody, camera: Camera, box: Box, behind: FloatArray) -> tuple[Ids, Ids, PixelSurfaces]:
    """Return the rows and columns (N) of a box where a figure is nearer than ``behind``, and their surface values."""
    corners = _corners(figure.points, camera, box)
    ahead = corners[:, 2] > -1 / NEAREST
    triangles = figure.triangles if ahead.all() else figure.triangles[ahead[figure.triangles].all(axis=1)]
    ids = nearest(corners, triangles, (behind.shape[1], behind.shape[0]))
    row, column = np.nonzero(ids >= 0)
    share = shares(corners, triangles, np.stack([ids[row, column], column, row], axis=1))
    of = triangles[ids[row, column]]
    depth = -np.einsum("nc,nc->n", share, 1 / corners[of, 2])
    front = np.flatnonzero(depth < behind[row, column])
    return row[front], column[front], _between(figure, camera, share[front], of[front], depth[front])


def _corners(points: FloatArray, camera: Camera, box: Box) -> NDArray[np.float32]:
    """Return column, row and depth (linear on the screen) of points within a box of the picture."""
    right, up, forward = camera.axes
    frame = np.stack([right, -up, forward])
    local = carried(points, np.column_stack([frame, -frame @ camera.place]))
    width, height = camera.size
    inverse = np.float32(1) / np.maximum(local[:, 2:], np.float32(NEAREST))
    middle = np.array([width / 2 - box[1].start, height / 2 - box[0].start], np.float32)
    local[:, :2] = local[:, :2] * inverse * np.float32(pixels_per_slope(camera)) + middle
    local[:, 2:] = -inverse
    return local


def _between(figure: RenderedBody, camera: Camera, share: FloatArray, of: Ids, depth: FloatArray) -> PixelSurfaces:
    """Return the surface values of pixels, interpolated between the points ``of`` (N, 3) with weights ``share``."""
    position, normal, albedo = (
        np.einsum("nc,nci->ni", share, values[of]) for values in (figure.points, figure.normals, figure.albedo)
    )
    gloss = np.einsum("nc,nc->n", share, figure.gloss[of])
    ray = position - np.asarray(camera.place, np.float32)
    # Normals that point away from the camera at a silhouette are mirrored, as in the example pictures.
    away = np.einsum("ni,ni->n", normal, ray) / np.einsum("ni,ni->n", ray, ray)
    normal -= 2 * np.maximum(away, 0)[:, None] * ray
    normal /= np.sqrt(np.einsum("ni,ni->n", normal, normal))[:, None] + np.float32(1e-6)
    return PixelSurfaces(albedo, normal, position, depth, gloss, np.zeros_like(gloss), of[:, 0].astype(np.int32))


@functools.lru_cache(maxsize=CACHED_BODIES)
def _worn(body: Mesh) -> tuple[Ids, NDArray[np.float32], NDArray[np.float32]]:
    albedo = np.asarray(linear(np.asarray(body.colours)), np.float32)
    return np.ascontiguousarray(body.triangles, np.int32), albedo, np.asarray(body.gloss, np.float32)


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

    def _box(self, points: FloatArray) -> Box:
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


DRAWN = (0.08, 40.0)  # near and far clipping distance in metres
BACK = -0.15  # cosine below which the camera sees the back of a sheet, not a rounded edge
ROOM_LAMP_COUNTS = (14, 18)  # lamps of window and sky
ROOM_SHADOW_PIXELS = 1024
ROOM_SOFTNESS = (0.02, 0.0)
RINGS = (0.06, 0.16, 0.35)  # radii in metres around a point in which protruding geometry darkens it
TURNS = 8
DARK, DARKEST = 1.6, 0.55


@dataclass(frozen=True)
class Backdrop:
    """A rendered room at ``over`` times the resolution of the picture, and coarser data for shadows.

    ``light`` (rows, columns, 3), ``depth`` and ``surface`` (rows, columns) are fine. ``coarse`` has one pixel of every
    ``over`` x ``over``, row by row. ``coarse_light``, ``lamps`` (bits of the visible lamps) and ``openness`` (the share
    of the emitted light that arrives) belong to it and to the few lamps that people cast shadows from.
    """

    light: NDArray[np.float32]
    depth: NDArray[np.float32]
    surface: NDArray[np.int32]
    coarse: PixelSurfaces
    coarse_light: NDArray[np.float32]
    lamps: NDArray[np.uint32]
    openness: NDArray[np.float32]


def paint(surfaces: Sequence[Surface], camera: Camera, over: int, lamps: Lamps, light: Lamplight) -> Backdrop:
    """Render surfaces as an empty room at ``over`` times the camera's resolution.

    ``light`` has fewer lamps than the room is rendered with: those that people will cast shadows from.
    """
    width, height = camera.size
    large = finer(camera, over)
    pixels = look(surfaces, large, DRAWN, turned=BACK)
    mesh = merged([surface for surface in surfaces if surface.shadow] or surfaces)
    casting = np.asarray(mesh.points, np.float32), np.asarray(mesh.regular_faces, np.int32)
    pixels = replace(pixels, albedo=pixels.albedo * _openness(pixels, large)[:, None])
    numbers = np.arange(len(pixels.depth)).reshape(height * over, width * over)[::over, ::over].ravel()
    coarse, room_light = at(pixels, numbers), lamplight(lamps, camera, ROOM_LAMP_COUNTS)
    fine_light, coarse_light = (
        reach(
            lamp_set,
            cast(lamp_set, casting, ROOM_SHADOW_PIXELS, ROOM_SOFTNESS, solid=False),
            visible_pixels,
            np.full(len(visible_pixels.depth), ALL),
            np.arange(len(visible_pixels.depth)),
        )
        for lamp_set, visible_pixels in ((room_light, pixels), (light, coarse))
    )
    return Backdrop(
        leaving(pixels, fine_light, lamps).reshape(height * over, width * over, 3),
        np.asarray(pixels.depth.reshape(height * over, width * over), np.float32),
        pixels.surface.reshape(height * over, width * over),
        coarse,
        leaving(coarse, coarse_light, lamps),
        coarse_light.lamps,
        coarse_light.openness,
    )


def at(pixels: PixelSurfaces, numbers: NDArray[np.integer]) -> PixelSurfaces:
    """Return the pixels with these indices."""
    return PixelSurfaces(*(np.asarray(getattr(pixels, field.name)[numbers]) for field in fields(PixelSurfaces)))


_VIEW_PIXELS = 192  # of a shadow map
_VIEW_COUNTS = (2, 4)  # lamps of window and sky


def flat_mesh(surfaces: Sequence[Surface]) -> RenderedBody:
    """Return surfaces as one mesh; those that are coloured by position are white."""
    mesh = merged(surfaces)
    colours = [
        np.broadcast_to((1.0, 1.0, 1.0) if callable(one.colour) else one.colour, (one.mesh.n_points, 3))
        for one in surfaces
    ]
    gloss = np.repeat([one.gloss for one in surfaces], [one.mesh.n_points for one in surfaces])
    normals = np.concatenate([np.asarray(one.mesh.point_data["Normals"], np.float32) for one in surfaces])
    triangles = np.ascontiguousarray(mesh.regular_faces, np.int32)
    albedo = np.asarray(linear(np.concatenate(colours)), np.float32)
    return RenderedBody(triangles, albedo, gloss.astype(np.float32), np.asarray(mesh.points, np.float32), normals)


def render_view(
    shell: Sequence[Surface], things: Sequence[RenderedBody], camera: Camera, lamps: Lamps
) -> tuple[NDArray[np.uint8], list[float]]:
    """Return a quickly rendered picture (rows, columns, 3), and the share of it that shows each thing.

    Only things cast shadows, and nothing may be behind the camera.
    """
    light, large = lamplight(lamps, camera, _VIEW_COUNTS), finer(camera, OVER)
    width, height = large.size
    shown = [surface for surface in shell if _faces(surface, camera)]
    whole = _joined([*(flat_mesh([surface]) for surface in shown), *things])
    ends = np.cumsum([*(surface.mesh.n_points for surface in shown), *(len(thing.points) for thing in things)])
    box = slice(0, height), slice(0, width)
    rows, columns, pixels = appear(whole, large, box, np.full((height, width), np.inf, np.float32))
    owners = np.searchsorted(ends, pixels.surface, side="right")
    for number, surface in enumerate(shown):
        if callable(surface.colour):
            pixels.albedo[owners == number] = linear(surface.colour(pixels.position[owners == number]))
    casting = _joined(things)
    shadows = cast(light, (casting.points, casting.triangles), _VIEW_PIXELS, ROOM_SOFTNESS, solid=False)
    reached = reach(light, shadows, pixels, np.full(len(rows), ALL), rows * width + columns)
    emitted = np.zeros((height, width, 3), np.float32)
    emitted[rows, columns] = leaving(pixels, reached, lamps)
    counts = np.bincount(owners, minlength=len(ends))[len(shown) :]
    return _printed(emitted), [float(count / (width * height)) for count in counts]


def _joined(meshes: Sequence[RenderedBody]) -> RenderedBody:
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    triangles = [mesh.triangles + np.int32(start) for mesh, start in zip(meshes, starts, strict=False)]
    rest = (
        np.concatenate([getattr(mesh, name) for mesh in meshes]) for name in ("albedo", "gloss", "points", "normals")
    )
    return RenderedBody(np.concatenate(triangles), *rest)


def _openness(picture_pixels: PixelSurfaces, camera: Camera) -> FloatArray:
    """Return the openness (N) of every pixel (ambient occlusion): geometry in front of a surface darkens it."""
    width, height = camera.size
    depth = picture_pixels.depth.reshape(height, width)
    position, normal = (values.reshape(height, width, 3) for values in (picture_pixels.position, picture_pixels.normal))
    rows, columns = np.indices(depth.shape, dtype=np.float32)
    dark = np.zeros_like(depth)
    for ring, radius in enumerate(RINGS):
        pixels = radius * height / 2 / (camera.slope * depth)
        for turn in np.arange(TURNS) * 2 * np.pi / TURNS + 0.26 * ring:
            row = np.clip(rows + pixels * np.sin(turn), 0, height - 1).astype(np.intp)
            column = np.clip(columns + pixels * np.cos(turn), 0, width - 1).astype(np.intp)
            offset = position[row, column] - position
            far = np.sqrt(np.einsum("ijk,ijk->ij", offset, offset)) + 1e-6
            rise = np.einsum("ijk,ijk->ij", offset, normal) / far
            dark += np.clip(rise - 0.1, 0, 1) * np.clip(2 - far / radius, 0, 1)
    dark = gaussian_filter(dark / (TURNS * len(RINGS)), 1.5)
    return np.asarray(np.maximum(1 - DARK * dark, DARKEST)).ravel()

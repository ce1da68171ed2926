"""Surfaces, lamps and cameras, and their rendering to a picture with soft shadows.

PyVista draws the camera's view (colour, normal, material, distance) and the view of each lamp (distance). The sum over
many small lamps that stand for a window and a bright ceiling is then taken per pixel, in linear light. VTK's own shadow
pass lets light leak under a foot on the floor; without that contact shadow a body seems to float.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyvista as pv
from numpy.typing import NDArray
from PIL import Image
from scipy.stats import qmc

from fmp_models.data import in_picture
from fmp_models.geometry import unit

FloatArray = NDArray[np.floating]
Colour = tuple[float, float, float]
OVER = 3
SHARP = 40.0  # degrees between faces; an edge above it stays sharp
SHADOW_PIXELS = 1400
BIAS = 0.006  # metres that a point is lifted off its surface before the shadow test
SHINE = 24.0  # exponent of a highlight
GLOW = 2.2  # light of a surface that emits light
CEILING_FRONT = 0.25  # the wall behind the person hides sky directions with a larger y


@dataclass(frozen=True)
class Surface:
    """A triangle mesh with one colour, colours per point (N, 3) or colours by position, all sRGB between 0 and 1."""

    mesh: pv.PolyData
    colour: Colour | FloatArray | Callable[[FloatArray], FloatArray]
    gloss: float = 0.0
    glow: float = 0.0
    shadow: bool = True


@dataclass(frozen=True)
class Camera:
    """Position and focal point of a camera in metres; ``height`` is what fits into the picture at the focal point."""

    place: tuple[float, float, float]
    focus: tuple[float, float, float]
    height: float
    size: tuple[int, int]  # pixels

    @property
    def axes(self) -> FloatArray:
        """Rows right, up, forward."""
        forward = np.subtract(self.focus, self.place)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    @property
    def slope(self) -> float:
        """Half the height of the picture at a distance of one metre."""
        return self.height / 2 / float(np.linalg.norm(np.subtract(self.focus, self.place)))


@dataclass(frozen=True)
class Lamps:
    """A distant window in ``key`` direction and the sky above; strengths and sRGB tints."""

    key: tuple[float, float, float] = (-0.75, -0.85, 0.85)
    key_strength: float = 2.0
    key_tint: Colour = (1.0, 0.95, 0.87)
    sky_strength: float = 0.75
    sky_tint: Colour = (0.93, 0.96, 1.0)
    bounce: float = 0.16
    bounce_tint: Colour = (1.0, 0.9, 0.78)
    spread: float = 0.16
    count: int = 64  # of either kind


@dataclass(frozen=True)
class PixelSurfaces:
    """Per pixel, row by row: linear albedo, unit normal, world position, distance, gloss, glow, surface (-1: none)."""

    albedo: FloatArray
    normal: FloatArray
    position: FloatArray
    depth: FloatArray
    gloss: FloatArray
    glow: FloatArray
    surface: NDArray[np.int32]


def render_picture(surfaces: Sequence[Surface], camera: Camera, lamps: Lamps) -> Image.Image:
    """Render ``OVER`` times as large and average, for smooth edges."""
    width, height = camera.size
    large = Camera(camera.place, camera.focus, camera.height, (width * OVER, height * OVER))
    pixels = look(surfaces, large)
    light = _light(pixels, surfaces, large, lamps)
    toned = developed(light).reshape(height, OVER, width, OVER, 3).mean(axis=(1, 3))
    return Image.fromarray(_bytes(toned * 255))


def smooth(mesh: pv.PolyData) -> pv.PolyData:
    """Return the triangulated mesh with normals per point, smooth everywhere."""
    rounded: pv.PolyData = mesh.triangulate().compute_normals(split_vertices=False, cell_normals=False)
    return rounded


def sharp(mesh: pv.PolyData) -> pv.PolyData:
    """Return the triangulated mesh with normals per point and sharp edges."""
    edged: pv.PolyData = mesh.triangulate().compute_normals(
        split_vertices=True, feature_angle=SHARP, cell_normals=False
    )
    return edged


def linear(colour: Colour | FloatArray) -> FloatArray:
    """Convert sRGB colours to linear light."""
    return np.power(_float(colour), np.float32(2.2))


def _float(values: FloatArray | Sequence[float] | NDArray[np.uint8]) -> FloatArray:
    return np.asarray(values, dtype=np.float32)


def _bytes(values: FloatArray) -> NDArray[np.uint8]:
    return np.asarray(np.clip(values + 0.5, 0, 255), dtype=np.uint8)


def developed(light: FloatArray) -> FloatArray:
    """Convert linear light to sRGB, 0 to 1, by the usual film curve (Narkowicz' fit of ACES): highlights roll off."""
    x = light * 0.62
    film = np.asarray((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14))
    return np.asarray(np.power(np.clip(film, 0, 1), np.float32(1 / 2.2)))


def _plotter(size: tuple[int, int]) -> pv.Plotter:
    plotter = pv.Plotter(off_screen=True, window_size=list(size), lighting=None)
    plotter.disable_anti_aliasing()
    plotter.background_color = pv.Color("black")
    return plotter


def _aim(plotter: pv.Plotter, camera: Camera, reach: tuple[float, float]) -> None:
    plotter.camera.position, plotter.camera.focal_point, plotter.camera.up = camera.place, camera.focus, (0, 0, 1)
    plotter.camera.view_angle = 2 * np.degrees(np.arctan(camera.slope))
    plotter.camera.clipping_range = reach


def look(
    surfaces: Sequence[Surface], camera: Camera, reach: tuple[float, float] = (0.5, 12.0), *, turned: float = -2.0
) -> PixelSurfaces:
    """Render colours, normals and surface numbers of the scene without light, and distances between ``reach``.

    Normals whose cosine with the direction to the camera is below ``turned`` are reversed: a sheet has two sides.
    """
    mesh = merged(surfaces)
    plotter = _plotter(camera.size)
    mesh.point_data["layer"] = np.zeros((mesh.n_points, 3), np.uint8)
    plotter.add_mesh(mesh, scalars="layer", rgb=True, lighting=False, interpolate_before_map=False)
    _aim(plotter, camera, reach)
    plotter.show(auto_close=False)
    layers = []
    for layer in (_colours, _normals, _numbers):
        mesh.point_data["layer"] = np.concatenate([layer(surface, n) for n, surface in enumerate(surfaces)])
        plotter.render()
        layers.append(np.asarray(plotter.screenshot(return_img=True)).reshape(-1, 3))
    depth = -np.asarray(plotter.get_image_depth(fill_value=None, reset_camera_clipping_range=False)).ravel()
    plotter.close()
    colour, normal, number = layers
    position = _positions(camera, depth)
    albedo = linear(_float(colour) / 255)
    surface = number.astype(np.int32) @ np.array([1, 256, 65536], np.int32) - 1
    for index, drawn_surface in enumerate(surfaces):
        if callable(drawn_surface.colour):
            here = surface == index
            albedo[here] = linear(drawn_surface.colour(position[here]))
    direction = _float(normal) / 127.5 - 1
    direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-6
    # Normals that face away (the inside of a sleeve, or a rounded silhouette) are mirrored, not reversed: at
    # silhouettes, reversed normals would put dark dots next to bright ones.
    to_camera = _float(camera.place) - position
    to_camera /= np.linalg.norm(to_camera, axis=1, keepdims=True)
    direction[(direction * to_camera).sum(axis=1) < turned] *= -1
    direction -= 2 * np.minimum((direction * to_camera).sum(axis=1, keepdims=True), 0) * to_camera
    gloss, glow = (
        (_float(_bytes(_float([*material, 0]) * 255)) / 255)[surface]
        for material in (
            [drawn_surface.gloss for drawn_surface in surfaces],
            [drawn_surface.glow for drawn_surface in surfaces],
        )
    )
    return PixelSurfaces(albedo, direction, position, depth, gloss, glow, surface)


def merged(surfaces: Sequence[Surface]) -> pv.PolyData:
    """Return one mesh of all the triangles, with points in the order of the surfaces."""
    starts = np.cumsum([0, *(surface.mesh.n_points for surface in surfaces)])
    faces = [surface.mesh.regular_faces + start for surface, start in zip(surfaces, starts, strict=False)]
    points = np.concatenate([np.asarray(surface.mesh.points, np.float32) for surface in surfaces])
    mesh: pv.PolyData = pv.PolyData.from_regular_faces(points, np.concatenate(faces))
    return mesh


def _colours(surface: Surface, _number: int) -> NDArray[np.uint8]:
    colour = (1.0, 1.0, 1.0) if callable(surface.colour) else surface.colour
    return _bytes(np.broadcast_to(_float(colour), (surface.mesh.n_points, 3)) * 255)


def _normals(surface: Surface, _number: int) -> NDArray[np.uint8]:
    return _bytes(np.asarray(surface.mesh.point_data["Normals"]) * 127.5 + 127)


def _numbers(surface: Surface, number: int) -> NDArray[np.uint8]:
    code = [(number + 1) >> shift & 255 for shift in (0, 8, 16)]
    return np.tile(np.array(code, np.uint8), (surface.mesh.n_points, 1))


def _positions(camera: Camera, depth: FloatArray) -> FloatArray:
    width, height = camera.size
    right, up, forward = camera.axes
    x = (np.arange(width) + 0.5 - width / 2) / (height / 2) * camera.slope
    y = (height / 2 - np.arange(height) - 0.5) / (height / 2) * camera.slope
    rays = forward + x[None, :, None] * right + y[:, None, None] * up
    return np.asarray(camera.place + rays.reshape(-1, 3) * depth[:, None], dtype=np.float32)


def _light(pixels: PixelSurfaces, surfaces: Sequence[Surface], camera: Camera, lamps: Lamps) -> FloatArray:
    """Return the linear light (pixels, 3) that reaches the camera."""
    random = np.random.default_rng(0)
    eye = _float(camera.place) - pixels.position
    eye /= np.linalg.norm(eye, axis=1, keepdims=True)
    lifted = pixels.position + pixels.normal * np.float32(BIAS)
    window, sky = directions(lamps)
    shadows = _plotter((SHADOW_PIXELS, SHADOW_PIXELS))
    shadows.add_mesh(merged([surface for surface in surfaces if surface.shadow]), color="white", lighting=False)
    shadows.show(auto_close=False)
    diffuse = np.zeros_like(pixels.albedo)
    shine = np.zeros_like(pixels.gloss)
    glossy = np.flatnonzero(pixels.gloss)
    for towards, strength, tint in (
        (window, lamps.key_strength, lamps.key_tint),
        (sky, lamps.sky_strength, lamps.sky_tint),
    ):
        share, colour = np.float32(strength / len(towards)), linear(tint)
        for direction in _float(towards):
            falling = pixels.normal @ direction
            facing = np.flatnonzero(falling > 0)
            lit = np.zeros_like(falling)
            lit[facing] = falling[facing] * _lit(shadows, lifted[facing], direction, random)
            diffuse += (share * lit)[:, None] * colour
            if towards is window:
                half = direction + eye[glossy]
                half /= np.linalg.norm(half, axis=1, keepdims=True)
                peak = np.maximum(np.einsum("ij,ij->i", pixels.normal[glossy], half), 0) ** np.float32(SHINE)
                shine[glossy] += share * np.where(lit[glossy] > 0, peak, 0)
    shadows.close()
    upward = pixels.normal[:, 2:3]
    ambient = np.float32(lamps.bounce) * (linear(lamps.bounce_tint) * (0.75 - 0.25 * upward))
    lit = pixels.albedo * (diffuse + ambient) + (pixels.gloss * shine)[:, None]
    return np.asarray(lit * (1 - pixels.glow[:, None]) + pixels.albedo * pixels.glow[:, None] * GLOW)


def directions(lamps: Lamps) -> tuple[FloatArray, FloatArray]:
    """Return unit vectors towards parts of the window and of the sky, cosine-weighted so that each counts the same."""
    points = qmc.Sobol(2, seed=1).random(128)[: lamps.count]
    key = np.asarray(lamps.key) / np.linalg.norm(lamps.key)
    across = np.cross(key, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    offset = (points - 0.5) * 2 * lamps.spread
    window = key + offset[:, :1] * across + offset[:, 1:] * np.cross(across, key)
    more = qmc.Sobol(2, seed=2).random(512)
    radius, angle = np.sqrt(more[:, 0]) * 0.98, more[:, 1] * 2 * np.pi
    sky = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.sqrt(1 - radius**2)], axis=1)
    sky = sky[sky[:, 1] < CEILING_FRONT][: lamps.count]
    # Tilted towards the camera: the open side of a room is brighter than its back wall.
    sky = sky + np.array([0.0, -0.35, 0.0])
    return unit(window), unit(sky)


def _lit(shadows: pv.Plotter, points: FloatArray, direction: FloatArray, random: np.random.Generator) -> FloatArray:
    """Return 1 where a point (N, 3) sees a distant lamp in ``direction``, else 0."""
    middle, reach, far = _float([0, 0, 0.9]), np.float32(2.1), np.float32(6)
    camera = shadows.camera
    camera.position, camera.focal_point = tuple(middle + direction * far), tuple(middle)
    camera.up = (0.0, 1.0, 0.0) if abs(direction[2]) > abs(direction[1]) else (0.0, 0.0, 1.0)
    camera.parallel_projection, camera.parallel_scale = True, float(reach)
    camera.clipping_range = (0.5, float(2 * far))
    shadows.render()
    depth = -np.asarray(shadows.get_image_depth(fill_value=None, reset_camera_clipping_range=False))
    right = np.cross(-direction, _float(camera.up))
    right /= np.linalg.norm(right)
    up = np.cross(right, -direction)
    local = points - middle
    half = np.float32(SHADOW_PIXELS / 2)
    # Half a pixel of noise hides the steps between the maps' pixels.
    column = (local @ right / reach + 1) * half + random.random(len(points), dtype=np.float32) - np.float32(0.5)
    row = (1 - local @ up / reach) * half + random.random(len(points), dtype=np.float32) - np.float32(0.5)
    inside = (column >= 0) & (column < SHADOW_PIXELS) & (row >= 0) & (row < SHADOW_PIXELS)
    nearest = depth[
        np.clip(row, 0, SHADOW_PIXELS - 1).astype(np.intp), np.clip(column, 0, SHADOW_PIXELS - 1).astype(np.intp)
    ]
    distance = far - local @ direction
    return np.where(inside & (distance > nearest + np.float32(BIAS)), np.float32(0), np.float32(1))


def to_camera(points: FloatArray, camera: Camera) -> FloatArray:
    """Convert world points (..., 3) to metres in the camera's frame: x right, y down, z away."""
    right, up, forward = camera.axes
    return np.asarray(np.einsum("...i,ji->...j", np.asarray(points) - camera.place, [right, -up, forward]))


def project(points: FloatArray, camera: Camera) -> FloatArray:
    """Project world points (..., 3) to pixels (..., 2) right of and below the picture's top left corner."""
    return in_picture(to_camera(points, camera), pixels_per_slope(camera), camera.size)


def pixels_per_slope(camera: Camera) -> float:
    """Return the camera's focal length in pixels."""
    return camera.size[1] / 2 / camera.slope


def finer(camera: Camera, over: int) -> Camera:
    """Return the same camera with ``over`` times as many rows and columns."""
    return replace(camera, size=(camera.size[0] * over, camera.size[1] * over))

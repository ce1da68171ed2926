"""The loops over triangles and pixels that Warp compiles, and rasterisation with them.

A dressed person has a hundred thousand triangles, most of them smaller than a pixel. A software OpenGL spends more time
on setting up each triangle than on drawing it; these loops do not, and they compute the same bytes every time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from fmp_models.sim.light import BIAS, SHINE, FloatArray

# Warp reads a kernel's annotations as values; a type checker cannot read them.
# mypy: disable-error-code="valid-type,operator,arg-type,index,type-var,misc,no-any-return,assignment"


wp.config.log_level = wp.LOG_WARNING
wp.config.enable_backward = False
STEEPEST = 3.0  # maximum slant, as a tangent, that the depth bias corrects


def launch(kernel: Any, count: int, *inputs: Any) -> None:  # noqa: ANN401 - any argument of the kernel
    """Run a kernel ``count`` times on the CPU, in order; NumPy arrays among ``inputs`` are used in place."""
    wp.launch(kernel, dim=count, inputs=[_kernel_input(value) for value in inputs], device="cpu")


def bundle(kind: Any, **values: Any) -> Any:  # noqa: ANN401 - one of the structs below
    """Return a struct of a kernel with these values; NumPy arrays are used in place."""
    made = kind()
    for name, value in values.items():
        setattr(made, name, _kernel_input(value))
    return made


def _kernel_input(value: Any) -> Any:  # noqa: ANN401 - returns anything but arrays unchanged
    return wp.array(value, device="cpu", copy=False) if isinstance(value, np.ndarray) else value


def vectors(rows: NDArray[Any]) -> Any:  # noqa: ANN401 - a Warp array's type is a value
    """Return rows of 3 or 4 numbers as Warp vectors; contiguous float32 or int32 rows share their memory."""
    if np.issubdtype(rows.dtype, np.integer):
        return wp.array(np.ascontiguousarray(rows, np.int32), dtype=wp.vec3i, device="cpu", copy=False)
    kind = wp.vec3 if rows.shape[-1] == 3 else wp.vec4  # noqa: PLR2004 - three coordinates
    return wp.array(np.ascontiguousarray(rows, np.float32), dtype=kind, device="cpu", copy=False)


@wp.func
def _first(low: float) -> int:
    """Return the first pixel whose centre is not below ``low``."""
    return wp.max(int(wp.ceil(low - 0.5)), 0)


@wp.func
def _last(high: float, count: int) -> int:
    return wp.min(int(wp.floor(high - 0.5)), count - 1)


@wp.func
def _shares(a: wp.vec3, b: wp.vec3, c: wp.vec3, column: int, row: int) -> wp.vec3:
    """Return the barycentric weights of a pixel's centre; all are between 0 and 1 inside the triangle."""
    x, y = float(column) + 0.5, float(row) + 0.5
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    second = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
    third = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
    return wp.vec3(1.0 - second - third, second, third)


@wp.kernel
def carry(points: wp.array(dtype=wp.vec3), frame: wp.array(dtype=wp.vec4), places: wp.array(dtype=wp.vec3)) -> None:
    """Transform points into a frame of three rows."""
    number = wp.tid()
    point = points[number]
    place = wp.vec4(point[0], point[1], point[2], 1.0)
    places[number] = wp.vec3(wp.dot(frame[0], place), wp.dot(frame[1], place), wp.dot(frame[2], place))


@wp.kernel
def draw(
    corners: wp.array(dtype=wp.vec3),
    triangles: wp.array(dtype=wp.vec3i),
    low: float,
    steps: float,
    best: wp.array2d(dtype=wp.int64),
) -> None:
    """Keep the nearest triangle of every pixel: depth in steps in the upper bits, index in the lower."""
    number = wp.tid()
    a, b, c = corners[triangles[number][0]], corners[triangles[number][1]], corners[triangles[number][2]]
    least, most = wp.min(a, wp.min(b, c)), wp.max(a, wp.max(b, c))
    last_row, last_column = _last(most[1], best.shape[0]), _last(most[0], best.shape[1])
    for row in range(_first(least[1]), last_row + 1):
        for column in range(_first(least[0]), last_column + 1):
            shares = _shares(a, b, c, column, row)
            if wp.min(shares) >= 0.0:
                depth = wp.int64((shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2] - low) * steps)
                wp.atomic_min(best, row, column, (depth << wp.int64(32)) | wp.int64(number))


@wp.kernel
def share(
    corners: wp.array(dtype=wp.vec3),
    triangles: wp.array(dtype=wp.vec3i),
    pixels: wp.array(dtype=wp.vec3i),
    pixel_shares: wp.array(dtype=wp.vec3),
) -> None:
    """Compute the perspective-correct weights of a pixel (triangle, column, row); depths are -1 / metres."""
    number = wp.tid()
    pixel = pixels[number]
    triangle = triangles[pixel[0]]
    a, b, c = corners[triangle[0]], corners[triangle[1]], corners[triangle[2]]
    flat = _shares(a, b, c, pixel[1], pixel[2])
    shares = wp.vec3(flat[0] * a[2], flat[1] * b[2], flat[2] * c[2])
    pixel_shares[number] = shares / (shares[0] + shares[1] + shares[2])


@wp.kernel
def deepen(
    corners: wp.array(dtype=wp.vec3),
    triangles: wp.array(dtype=wp.vec3i),
    solid: wp.bool,
    depths: wp.array2d(dtype=wp.float32),
) -> None:
    """Keep the smallest depth of every pixel; of a ``solid`` mesh, triangles that face away are skipped."""
    number = wp.tid()
    a, b, c = corners[triangles[number][0]], corners[triangles[number][1]], corners[triangles[number][2]]
    if solid and (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]):
        return
    least, most = wp.min(a, wp.min(b, c)), wp.max(a, wp.max(b, c))
    last_row, last_column = _last(most[1], depths.shape[0]), _last(most[0], depths.shape[1])
    for row in range(_first(least[1]), last_row + 1):
        for column in range(_first(least[0]), last_column + 1):
            shares = _shares(a, b, c, column, row)
            if wp.min(shares) >= 0.0:
                wp.atomic_min(depths, row, column, shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2])


@wp.struct
class KernelLamps:
    """Distant lamps: unit ``directions`` towards them, linear ``strengths``; the first ``keys`` give highlights.

    ``maps`` (lamps, rows, columns) are the depths that they see; ``frames`` (lamps, 3) transform points (x, y, z, 1)
    there. ``jitter`` is the softness of shadows in pixels of a map: at the caster's middle, and its growth per metre
    behind it.
    """

    directions: wp.array(dtype=wp.vec3)
    strengths: wp.array(dtype=wp.vec3)
    frames: wp.array2d(dtype=wp.vec4)
    maps: wp.array3d(dtype=wp.float32)
    keys: int
    jitter: wp.vec2
    eye: wp.vec3


@wp.struct
class LitPixels:
    """Points with normals and gloss, ``seeds`` of their noise, and the results.

    ``lamps`` are bits: on input one per lamp that may be visible, on output one per visible lamp. ``reached`` is the
    light, ``openness`` its share of the light without occlusion.
    """

    points: wp.array(dtype=wp.vec3)
    normals: wp.array(dtype=wp.vec3)
    gloss: wp.array(dtype=wp.float32)
    seeds: wp.array(dtype=wp.int32)
    lamps: wp.array(dtype=wp.uint32)
    reached: wp.array(dtype=wp.vec3)
    openness: wp.array(dtype=wp.float32)


@wp.func
def _blocked(light: KernelLamps, lamp: int, place: wp.vec4, falling: float, seed: int) -> bool:
    """Return whether the shadow map has something between a point and a lamp."""
    depth = wp.dot(place, light.frames[lamp, 2])
    x, y = wp.dot(place, light.frames[lamp, 0]), wp.dot(place, light.frames[lamp, 1])
    # Shadows soften with distance, and noise hides the steps between the maps' pixels.
    softness = light.jitter[0] + light.jitter[1] * wp.max(depth, 0.0)
    if wp.min(x, y) < -softness or wp.max(x, y) > float(light.maps.shape[1]) + softness:
        return False
    state = wp.rand_init(seed, lamp)
    column = int(wp.floor(x + softness * (wp.randf(state) - 0.5)))
    row = int(wp.floor(y + softness * (wp.randf(state) - 0.5)))
    if column < 0 or row < 0 or column >= light.maps.shape[2] or row >= light.maps.shape[1]:
        return False
    # On a slanted surface, neighbouring map pixels are this much nearer to the lamp.
    slant = wp.min(wp.sqrt(wp.max(1.0 - falling * falling, 0.0)) / falling, STEEPEST)
    slack = (
        (1.0 + 0.5 * softness)
        * slant
        / wp.length(wp.vec3(light.frames[lamp, 0][0], light.frames[lamp, 0][1], light.frames[lamp, 0][2]))
    )
    return light.maps[lamp, row, column] < depth - BIAS - slack


@wp.kernel
def shine(light: KernelLamps, lit: LitPixels) -> None:
    """Compute the light on every point."""
    pixel = wp.tid()
    point, normal, may = lit.points[pixel], lit.normals[pixel], lit.lamps[pixel]
    lifted = point + normal * BIAS
    place = wp.vec4(lifted[0], lifted[1], lifted[2], 1.0)
    toward = wp.normalize(light.eye - point)
    total = wp.vec3(0.0, 0.0, 0.0)
    possible = float(0.0)  # noqa: UP018 - declares a variable that the loop changes
    actual = float(0.0)  # noqa: UP018
    lamps_seen = wp.uint32(0)
    for lamp in range(light.directions.shape[0]):
        falling = wp.dot(normal, light.directions[lamp])
        bit = wp.uint32(1) << wp.uint32(lamp)
        if falling > 0.0 and (may & bit) != wp.uint32(0):
            possible += wp.length(light.strengths[lamp]) * falling
            if not _blocked(light, lamp, place, falling, lit.seeds[pixel]):
                lamps_seen = lamps_seen | bit
                actual += wp.length(light.strengths[lamp]) * falling
                total += light.strengths[lamp] * falling
                if lamp < light.keys and lit.gloss[pixel] > 0.0:
                    peak = wp.max(wp.dot(normal, wp.normalize(light.directions[lamp] + toward)), 0.0)
                    glint = lit.gloss[pixel] * wp.pow(peak, SHINE) * light.strengths[lamp][1]
                    total += wp.vec3(glint, glint, glint)
    lit.lamps[pixel] = lamps_seen
    lit.reached[pixel] = total
    lit.openness[pixel] = wp.where(possible > 0.0, actual / wp.max(possible, 1.0e-6), 1.0)


Ids = NDArray[np.integer]
NOTHING = np.int64(1 << 62)
NUMBER = np.int64(0xFFFFFFFF)
STEPS = 1e6  # number of depth steps between the nearest and the farthest point


def nearest(corners: FloatArray, triangles: Ids, size: tuple[int, int]) -> Ids:
    """Return the visible triangle of every pixel: (height, width), -1 for none.

    ``corners`` (V, 3) are column, row (pixel i spans i to i + 1) and a depth that is linear on the screen.
    """
    width, height = size
    best = np.full((height, width), NOTHING)
    low, high = float(corners[:, 2].min()), float(corners[:, 2].max())
    steps = STEPS / max(high - low, 1e-9)
    launch(draw, len(triangles), vectors(corners), vectors(triangles), low, steps, best)
    return np.where(best == NOTHING, np.int64(-1), best & NUMBER).astype(np.int32)


def shares(corners: FloatArray, triangles: Ids, pixels: Ids) -> NDArray[np.float32]:
    """Return perspective-correct weights (N, 3) of pixels (N, 3: triangle, column, row); depths are -1 / metres."""
    corner_shares = np.empty((len(pixels), 3), np.float32)
    launch(share, len(pixels), vectors(corners), vectors(triangles), vectors(pixels), vectors(corner_shares))
    return corner_shares


def depths(points: FloatArray, triangles: Ids, frames: FloatArray, pixels: int, *, solid: bool) -> NDArray[np.float32]:
    """Return shadow maps of triangles: (L, pixels, pixels) depths, infinite where nothing is.

    ``points`` are (V, 3) in the world; ``frames`` (L, 3, 4) transform them to column, row and depth of each lamp. Of a
    ``solid`` mesh, triangles that face away from the lamp are skipped.
    """
    maps = np.full((len(frames), pixels, pixels), np.inf, np.float32)
    corners, ids = np.empty((len(points), 3), np.float32), vectors(triangles)
    world, carried_points = vectors(points), vectors(corners)
    for lamp, frame in enumerate(frames):
        launch(carry, len(points), world, vectors(frame), carried_points)
        launch(deepen, len(triangles), carried_points, ids, solid, maps[lamp])
    return maps


def carried(points: FloatArray, frame: FloatArray) -> NDArray[np.float32]:
    """Transform points (V, 3) by a frame (3, 4) whose rows multiply (x, y, z, 1)."""
    places = np.empty((len(points), 3), np.float32)
    launch(carry, len(points), vectors(points), vectors(frame), vectors(places))
    return places

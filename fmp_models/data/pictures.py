"""The pictures of pairs: the cameras of simulated ones, and the difference picture of the paper's Figure 9.

The cameras are level, aimed at the person, at the distance given by the room's plan. The simulator renders with
these numbers; training needs them to project joints into a picture. The cameras of ``wide`` pairs stand anywhere
and are tilted; their rows store the image positions of the joints and the camera's tilt.

The difference picture shows the target person in red over the current picture. Releases hold only pictures, so the
target person is found by comparison: where the two pictures differ, the one that looks less like the surrounding
room shows a person. Parts that do not move stay as they are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageFilter

from fmp_models.data.pairs import Uid
from fmp_models.errors import BadInputError

PICTURE_SIZE = (448, 224)  # pixels of every picture, width and height
PICTURE_REACH = (
    2.9  # metres of height that the picture shows at the person's distance: room for a jump with raised arms
)

_PLANS = Path(__file__).parents[1] / "sim" / "room_plans"


def focal_length(uid: Uid) -> float:
    """Return the focal length of a pair's pictures in pixels.

    Raises ``KeyError`` for a room or spot that the simulator does not have.
    """
    return PICTURE_SIZE[1] * _distances()[uid.room, uid.spot] / PICTURE_REACH


def in_picture(
    points: NDArray[np.floating], focal: ArrayLike, size: tuple[int, int] = PICTURE_SIZE
) -> NDArray[np.floating]:
    """Project camera-frame points (..., 3) to pixels (..., 2) right of and below the picture's top left corner.

    ``focal`` is a focal length in pixels, or an array that matches ``points`` without its last axis.
    """
    return np.asarray(
        points[..., :2] / points[..., 2:] * np.asarray(focal)[..., None] + np.array(size, dtype=points.dtype) / 2
    )


def tilted_joints(joints: ArrayLike, pitch: ArrayLike, roll: ArrayLike) -> NDArray[np.floating]:
    """Return levelled joints (..., 20, 3) in the frames of cameras that look down by ``pitch`` and roll by ``roll``.

    Both angles (...) are degrees; ``roll`` is clockwise. The levelled joints of ``wide`` pairs have a vertical axis
    along gravity; joints that an estimator measures in a tilted camera do not.
    """
    p, r = np.radians(np.asarray(pitch))[..., None], np.radians(np.asarray(roll))[..., None]
    x, down, away = np.moveaxis(np.asarray(joints), -1, 0)
    y, z = np.cos(p) * down - np.sin(p) * away, np.sin(p) * down + np.cos(p) * away
    return np.stack([np.cos(r) * x + np.sin(r) * y, np.cos(r) * y - np.sin(r) * x, z], axis=-1)


@cache
def _distances() -> Mapping[tuple[int, int], float]:
    """Return the metres from the camera to the person, by room and spot."""
    plans = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_PLANS.glob("*.toml"))]
    return {
        (room, spot): float(view["distance"])
        for room, plan in enumerate(plans)
        for spot, view in enumerate(plan["spots"])
    }


RED = (225, 20, 20)
OPACITY = 0.62
NOTICED = 24  # of 255, in the channel that differs most: soft shadows and JPEG noise stay below
SPECK = 3  # pixels across: smaller differences are noise
AS_STRANGE = 0.7  # the target shows a person where its difference from the room is this share of the current picture's
WIDER = 3  # pixels around a difference that may still belong to it

Floats = NDArray[np.floating]


def picture_difference(current: Image.Image, target: Image.Image) -> Image.Image:
    """Return the current picture with the moved parts of the target person in translucent red; RGB of the same size.

    Raises BadInputError ``pictures_differ_in_size``.
    """
    if current.size != target.size:
        raise BadInputError("pictures_differ_in_size")
    now, then = (np.asarray(picture.convert("RGB"), np.float32) for picture in (current, target))
    changed = _cleaned(np.abs(now - then).max(axis=2) > NOTICED)
    near = changed.filter(ImageFilter.MaxFilter(2 * WIDER + 1))
    room = _filled((now + then) / 2, 1 - np.asarray(near, np.float32) / 255)
    strange_now, strange_then = (np.abs(picture - room).max(axis=2) for picture in (now, then))
    person = (np.asarray(changed) > 0) & (strange_then > AS_STRANGE * strange_now)
    share = np.asarray(_cleaned(person).filter(ImageFilter.BoxBlur(1)), np.float32)[..., None] / 255 * OPACITY
    red = np.asarray(RED, np.float32) * (0.5 + 0.5 * then.mean(axis=2, keepdims=True) / 255)
    return Image.fromarray((now * (1 - share) + red * share + 0.5).astype(np.uint8))


def _cleaned(mask: NDArray[np.bool_]) -> Image.Image:
    """Return the mask (rows, columns) as a picture without specks and pinholes."""
    return Image.fromarray(mask.astype(np.uint8) * 255).filter(ImageFilter.MedianFilter(SPECK))


def _filled(picture: Floats, known: Floats) -> Floats:
    """Return a picture (rows, columns, 3) whose unknown pixels are filled from their surroundings, coarse to fine."""
    if min(known.shape) == 1 or known.all():
        weight = max(float(known.sum()), 1e-6)
        mean = (picture * known[..., None]).sum(axis=(0, 1)) / weight
        return np.asarray(picture * known[..., None] + mean * (1 - known[..., None]), np.float32)
    smaller, weights = _halved(picture * known[..., None]), _halved(known[..., None])
    guess = _filled(
        smaller / np.maximum(weights, np.float32(1e-6)), np.minimum(weights[..., 0] * 4, 1).astype(np.float32)
    )
    rows, columns = known.shape
    guess = guess.repeat(2, axis=0).repeat(2, axis=1)[:rows, :columns]
    return np.asarray(picture * known[..., None] + guess * (1 - known[..., None]), np.float32)


def _halved(values: Floats) -> Floats:
    rows, columns = values.shape[:2]
    even = np.pad(values, ((0, rows % 2), (0, columns % 2), (0, 0)))
    return np.asarray(even.reshape((rows + 1) // 2, 2, (columns + 1) // 2, 2, -1).mean(axis=(1, 3)))

"""Random poses and pairs of poses: training data beyond the motions.

``drawn_poses`` and ``drawn_pairs`` give whole bodies in their own world: z up, the floor at 0, looking along -y. The
joints that a camera sees are in :mod:`fmp_models.sim.drawing.views`. Every pose keeps within the joint limits and lies
or stands on the floor, and no limb passes through trunk or head; poses that break this are redrawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import Array
from fmp_models.sim.drawing.library import Library
from fmp_models.sim.poses.families import FAMILIES
from fmp_models.sim.poses.frames import SEGMENTS, Frame, Segments
from fmp_models.sim.poses.numbers import PoseNumbers, changed_a_little, changed_limbs, drawn
from fmp_models.sim.poses.resting import put_down

MOTIONS_SHARE = 0.2  # share of poses from performed motions
NAMES = ("motions", *FAMILIES)
CHANGES = {"little": 0.5, "limbs": 0.25, "other": 0.25}  # how a target differs from its current pose
_SIZES = (0.08, 0.3)  # standard deviation of the numbers of a slightly changed pose
_SUNK = -0.03  # metres: tolerated depth of skin below the floor
_TIP = -0.01  # metres: tolerated depth of joints below the floor
_FLOATS = 0.05  # metres above the floor; a higher pose counts as floating
_TRUNK, _HEAD, _LIMB = 0.075, 0.075, 0.04  # minimum distance in metres of an arm's joints from the middle of these
_TRIES = 12
_ONE = 1 - 1e-9
Change = Callable[[NDArray[np.intp]], tuple[Array, NDArray[np.int64]]]


@dataclass(frozen=True)
class DrawnPoses:
    """Poses (n): their bodies, the numbers that made them, and the family (n,) of each, an index of :data:`NAMES`."""

    bodies: Segments
    numbers: Array
    families: NDArray[np.int64]


def drawn_poses(random: np.random.Generator, count: int, body: Frame, library: Library) -> DrawnPoses:
    """Draw ``count`` poses of one body; the same generator state gives the same poses."""
    families = _families(random, count)

    def again(rows: NDArray[np.intp]) -> tuple[Array, NDArray[np.int64]]:
        return drawn(random, len(rows)), families[rows]

    return _drawn(drawn(random, count), families, again, body, library)


def drawn_pairs(
    random: np.random.Generator, count: int, body: Frame, library: Library
) -> tuple[DrawnPoses, DrawnPoses, NDArray[np.str_]]:
    """Draw current and target poses; return also how (n,) they differ, a key of :data:`CHANGES`.

    "little" changes the numbers slightly, "limbs" redraws some limbs, "other" takes another family.
    """
    current = drawn_poses(random, count, body, library)
    kinds = random.choice(list(CHANGES), count, p=list(CHANGES.values()))
    size = random.uniform(*_SIZES, (count, 1))
    others = _families(random, count)

    def change(rows: NDArray[np.intp]) -> tuple[Array, NDArray[np.int64]]:
        of, kind = current.numbers[rows], kinds[rows]
        numbers = np.select(
            [(kind == "little")[:, None], (kind == "limbs")[:, None]],
            [changed_a_little(random, of, size[rows]), changed_limbs(random, of)],
            drawn(random, len(rows)),
        )
        return numbers, np.where(kind == "other", others[rows], current.families[rows])

    def afresh(rows: NDArray[np.intp]) -> tuple[Array, NDArray[np.int64]]:
        # An invalid target is drawn again from the current pose, with smaller changes each time.
        size[rows] *= 0.7
        return change(rows)

    target = _drawn(*change(np.arange(count)), afresh, body, library)
    return current, target, kinds


def _families(random: np.random.Generator, count: int) -> NDArray[np.int64]:
    shares = np.array([share for _, share in FAMILIES.values()])
    shares = np.concatenate([[MOTIONS_SHARE], shares / shares.sum() * (1 - MOTIONS_SHARE)])
    return random.choice(len(NAMES), count, p=shares)


def made_of(
    numbers: Array, families: NDArray[np.int64], body: Frame, library: Library
) -> tuple[Segments, NDArray[np.bool_]]:
    """Return the bodies of rows of numbers, and which (n,) of them are valid poses."""
    count = len(numbers)
    made = Segments(np.tile(np.eye(3), (count, len(SEGMENTS), 1, 1)), np.zeros((count, 3)))
    good = np.zeros(count, dtype=bool)
    for which, name in enumerate(NAMES):
        here = np.flatnonzero(families == which)
        if not len(here):
            continue
        read = PoseNumbers(numbers[here])
        if name == "motions":
            some = library.posed(read.raw("whole", 0), read.raw("whole", 1), read.raw("whole", 2), body)
            able = np.ones(len(here), dtype=bool)
        else:
            some, able = put_down(FAMILIES[name][0](read, body), read, body)
            able &= _grounded(some, body) & _clear(some, body)
        made.turns[here], made.roots[here], good[here] = some.turns, some.roots, able
    return made, good


def _drawn(numbers: Array, families: NDArray[np.int64], again: Change, body: Frame, library: Library) -> DrawnPoses:
    """Return the poses of these numbers; ``again`` redraws the rows whose pose is invalid."""
    numbers, families = numbers.copy(), families.copy()
    made, good = made_of(numbers, families, body, library)
    for _ in range(_TRIES):
        bad = np.flatnonzero(~good)
        if not len(bad):
            break
        numbers[bad], families[bad] = again(bad)
        some, able = made_of(numbers[bad], families[bad], body, library)
        made.turns[bad], made.roots[bad], good[bad] = some.turns, some.roots, able
    bad = np.flatnonzero(~good)
    if len(bad):  # a performed motion is always valid
        numbers[bad], families[bad] = np.clip(numbers[bad], 0, _ONE), NAMES.index("motions")
        made.turns[bad], made.roots[bad] = (
            getattr(made_of(numbers[bad], families[bad], body, library)[0], name) for name in ("turns", "roots")
        )
    return DrawnPoses(made, numbers, families)


def _grounded(made: Segments, body: Frame) -> NDArray[np.bool_]:
    """Return which bodies are neither below nor entirely above the floor."""
    lowest = body.lowest(made)
    joints = body.joints(made)[:, :, 2].min(axis=1)
    return np.asarray((lowest > _SUNK) & (lowest < _FLOATS) & (joints > _TIP))


def _clear(made: Segments, body: Frame) -> NDArray[np.bool_]:
    """Return which bodies have arms clear of trunk, head and thighs, and legs clear of each other and the trunk."""
    places = body.skeleton(made)
    hips = (places["thigh.L"] + places["thigh.R"]) / 2
    shoulders = (places["upperarm.L"] + places["upperarm.R"]) / 2
    good = np.ones(len(hips), dtype=bool)
    for side in "LR":
        for joint in (f"forearm.{side}", f"hand.{side}", f"knuckles.{side}"):
            good &= _away(places[joint], hips, shoulders) > _TRUNK
            good &= np.linalg.norm(places[joint] - places["ears"], axis=1) > _HEAD
            for leg in "LR":
                good &= _away(places[joint], places[f"thigh.{leg}"], places[f"shank.{leg}"]) > _LIMB
        middle = (places[f"forearm.{side}"] + places[f"hand.{side}"]) / 2
        good &= _away(middle, hips, shoulders) > _TRUNK
        good &= np.linalg.norm(middle - places["ears"], axis=1) > _HEAD
        other = "R" if side == "L" else "L"
        for joint, upper, lower in (("foot", "thigh", "shank"), ("foot", "shank", "foot"), ("shank", "thigh", "shank")):
            good &= _away(places[f"{joint}.{side}"], places[f"{upper}.{other}"], places[f"{lower}.{other}"]) > 0.05
        good &= _away(places[f"shank.{side}"], hips, shoulders) > 0.1
    return good


def _away(point: Array, start: Array, end: Array) -> Array:
    """Return the distances (n,) in metres from points to line segments."""
    bone = end - start
    along = ((point - start) * bone).sum(axis=1) / np.maximum((bone * bone).sum(axis=1), 1e-9)
    return np.asarray(np.linalg.norm(point - start - np.clip(along, 0, 1)[:, None] * bone, axis=1))

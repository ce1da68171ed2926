"""The bodies that poses are drawn for, the numbers of poses, and rotations, all in batches.

A batch of poses is the rotations of seventeen segments, from rest, in a world with z up. The floor is z = 0. The first
axis of every array is the pose, (n, ...). Of each body a few lengths and points are held, so that batches are cheap.

The parameters of a pose are a row of numbers between 0 and 1, in blocks by part of the body. Because a pose is a point
in a cube, it is easy to change slightly (every number a little), in one limb (redraw that limb's numbers), and to
mirror (exchange the limbs' numbers).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry import unit
from fmp_models.pose import INDEX, JOINTS, Array
from fmp_models.sim.body import Body, Build, at_rest, faces
from fmp_models.sim.characters import CHARACTERS
from fmp_models.sim.dressing import KNUCKLES, NECK_SHARE, ears_of, toes_of
from fmp_models.sim.posing import FORWARD, NECK, SIDES, SPINE, UP


def about(axis: Array, degrees: Array) -> Array:
    """Return rotations (n, 3, 3) by degrees (n,) about unit axes (3,) or (n, 3), after Rodrigues."""
    angle = np.radians(np.atleast_1d(degrees))
    x, y, z = np.asarray(axis).T
    sine, cosine = np.sin(angle), np.cos(angle)
    rest = 1 - cosine
    rotations = np.empty((len(angle), 3, 3))
    rotations[:, 0, 0], rotations[:, 1, 1], rotations[:, 2, 2] = (
        cosine + x * x * rest,
        cosine + y * y * rest,
        cosine + z * z * rest,
    )
    for i, j, first, second, third in ((0, 1, x, y, z), (2, 0, z, x, y), (1, 2, y, z, x)):
        rotations[:, i, j] = first * second * rest - third * sine
        rotations[:, j, i] = first * second * rest + third * sine
    return rotations


def applied(turns: Array, vectors: Array) -> Array:
    """Apply rotations (n, 3, 3) to vectors (3,) or (n, 3)."""
    if vectors.ndim == 1:
        return np.asarray(turns @ vectors)
    return np.asarray((turns @ vectors[..., None])[..., 0])


def across(vectors: Array, axes: Array) -> Array:
    """Return the components of vectors (n, 3) perpendicular to unit axes (n, 3)."""
    return np.asarray(vectors - (vectors * axes).sum(axis=-1, keepdims=True) * axes)


def carry(rest: tuple[Array, Array], want: tuple[Array, Array]) -> Array:
    """Return rotations (n, 3, 3) that map one direction (3,) exactly to (n, 3) and a second one as near as possible."""
    return np.asarray(_frames(*want) @ np.swapaxes(_frames(rest[0][None], rest[1][None]), -1, -2))


def _frames(first: Array, second: Array) -> Array:
    x = unit(first)
    y = unit(across(second, x))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def shares_of_turn(first: Array, last: Array, count: int) -> Array:
    """Return rotations (count, n, 3, 3) in equal steps after ``first`` (n, 3, 3) up to and including ``last``."""
    turn = last @ np.swapaxes(first, -1, -2)
    twice = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], -1)
    size = np.sqrt((twice * twice).sum(axis=-1))
    degrees = np.degrees(np.arctan2(size, np.trace(turn, axis1=1, axis2=2) - 1))
    axis = twice / np.maximum(size, 1e-9)[:, None]
    shares = np.arange(1, count + 1)[:, None] / count
    turns = about(np.tile(axis, (count, 1)), (shares * degrees).ravel()).reshape(count, len(first), 3, 3)
    return np.asarray(turns @ first)


def two_bones(end: Array, lengths: tuple[float, float], pole: Array, most_bend: float) -> tuple[Array, Array]:
    """Return unit directions (n, 3) of two bones from the origin to ``end``, with their joint on the side of ``pole``.

    An ``end`` out of reach, or nearer than a joint bent by ``most_bend`` degrees allows, is approached.
    """
    first, second = lengths
    least = np.sqrt(first**2 + second**2 + 2 * first * second * np.cos(np.radians(most_bend)))
    reach = np.clip(np.sqrt((end * end).sum(axis=-1)), least, 0.999 * (first + second))
    axis = unit(end)
    along = (first**2 - second**2 + reach**2) / (2 * reach)
    aside = np.sqrt(np.maximum(first**2 - along**2, 0.0))
    joint = along[:, None] * axis + aside[:, None] * unit(across(pole, axis))
    return unit(joint), unit(reach[:, None] * axis - joint)


def seen_from(frames: Array, side: float, out: Array, up: Array, forward: Array) -> Array:
    """Return world vectors (n, 3) of (out, up, forward) in body frames (n, 3, 3); ``side`` is 1 (left) or -1."""
    local = np.stack(np.broadcast_arrays(side * np.asarray(out), -np.asarray(forward), np.asarray(up)), axis=-1)
    return np.asarray((frames @ np.broadcast_to(local, (len(frames), 3))[..., None])[..., 0])


def level_frames(frames: Array) -> Array:
    """Return frames (n, 3, 3) rotated about the vertical only; forward is where the body looks.

    For a body that looks steeply up forward is towards its head, for one that looks steeply down towards its feet.
    """
    ahead = -frames[:, :, 1] + np.where(
        np.abs(frames[:, 2:, 1]) > 0.8, -np.sign(frames[:, 2:, 1]) * frames[:, :, 2], 0.0
    )
    ahead = unit(ahead * [1.0, 1.0, 0.0] + 1e-6 * FORWARD)
    back = -ahead
    return np.stack([np.cross(back, UP), back, np.broadcast_to(UP, back.shape)], axis=-1)


_WIDTHS = {"whole": 8, "trunk": 8, "head": 3, "arm.L": 10, "arm.R": 10, "leg.L": 10, "leg.R": 10}
BLOCKS: dict[str, slice] = {}
for _name, _width in _WIDTHS.items():
    _first = sum(_WIDTHS[name] for name in BLOCKS)
    BLOCKS[_name] = slice(_first, _first + _width)
WIDTH = sum(_WIDTHS.values())
_ALIKE = {"arm": 6, "leg": 7}  # columns of "whole" that decide whether both limbs do the same
_ALIKE_SHARE = 0.4
# The first columns of a block choose between kinds: a small change leaves them as they are.
CHOICES = [BLOCKS["whole"].start + i for i in (0, 1, 6, 7)] + [BLOCKS[name].start for name in BLOCKS if name != "whole"]


class PoseNumbers:
    """Rows (n, WIDTH) of numbers, read by block and column."""

    def __init__(self, rows: Array) -> None:
        self._rows = rows
        self.count = len(rows)

    def raw(self, block: str, column: int) -> Array:
        """Return a column (n,) as it is; a right limb that copies the left one returns the left one's numbers."""
        own = self._rows[:, BLOCKS[block].start + column]
        limb, _, side = block.partition(".")
        if side == "R":
            alike = self._rows[:, BLOCKS["whole"].start + _ALIKE[limb]] < _ALIKE_SHARE
            own = np.where(alike, self._rows[:, BLOCKS[f"{limb}.L"].start + column], own)
        return np.asarray(own)

    def between(self, block: str, column: int, low: float, high: float) -> Array:
        """Return a column scaled uniformly to ``low`` to ``high``."""
        return low + (high - low) * self.raw(block, column)

    def around(self, block: str, column: int, middle: float, most: float) -> Array:
        """Return a column distributed around ``middle``, seldom as far away as ``most``."""
        x = 2 * self.raw(block, column) - 1
        return middle + most * (0.35 * x + 0.65 * x**3)

    def kind(self, block: str, shares: dict[str, float], column: int = 0) -> Array:
        """Return the kind (n,) that a column selects, with probabilities in proportion to the shares."""
        ends = np.cumsum(list(shares.values())) / sum(shares.values())
        chosen = np.minimum(np.searchsorted(ends, self.raw(block, column), side="right"), len(ends) - 1)
        return np.array(list(shares), dtype=object)[chosen]

    def subset(self, rows: NDArray[np.intp]) -> PoseNumbers:
        """Return only these rows."""
        return PoseNumbers(self._rows[rows])


def drawn(random: np.random.Generator, count: int) -> Array:
    """Draw rows (count, WIDTH) of uniform numbers."""
    return random.random((count, WIDTH))


def changed_a_little(random: np.random.Generator, rows: Array, size: Array | float) -> Array:
    """Return rows of the same kinds with noise of standard deviation ``size``; half of the blocks are kept."""
    strayed = rows + random.normal(0.0, size, rows.shape)
    strayed = np.abs(strayed)
    strayed = 1 - np.abs(1 - strayed)
    strayed[:, CHOICES] = rows[:, CHOICES]
    for block in BLOCKS.values():
        left = random.random(len(rows)) < 0.5
        strayed[left, block] = rows[left, block]
    return np.clip(strayed, 0.0, 1.0 - 1e-9)


def changed_limbs(random: np.random.Generator, rows: Array) -> Array:
    """Return rows with one to three of trunk, head, arms and legs redrawn and the others kept."""
    parts = [name for name in BLOCKS if name != "whole"]
    order = random.random((len(rows), len(parts))).argsort(axis=1)
    count = random.integers(1, 4, len(rows))
    changed = rows.copy()
    for i, name in enumerate(parts):
        new = (order[:, i] < count)[:, None]
        block = BLOCKS[name]
        changed[:, block] = np.where(new, random.random((len(rows), block.stop - block.start)), rows[:, block])
    # Limbs of which one side was redrawn must not be copies of each other.
    for limb, column in _ALIKE.items():
        once = np.ones(len(rows), dtype=bool)
        for side in SIDES:
            once &= order[:, parts.index(f"{limb}.{side}")] >= count
        changed[~once, BLOCKS["whole"].start + column] = np.where(
            random.random(int((~once).sum())) < 0.5, 0.999, changed[~once, BLOCKS["whole"].start + column]
        )
    return changed


SEGMENTS = (
    "pelvis",
    "chest",
    "head",
    *(
        f"{name}.{side}"
        for side in SIDES
        for name in ("girdle", "upperarm", "forearm", "hand", "thigh", "shank", "foot")
    ),
)
AT = {name: i for i, name in enumerate(SEGMENTS)}
# The bone whose rotation each segment has.
BONE_OF = {
    "pelvis": "root",
    "chest": "spine01",
    "head": "head",
    "girdle": "clavicle",
    "upperarm": "upperarm02",
    "forearm": "lowerarm01",
    "hand": "wrist",
    "thigh": "upperleg02",
    "shank": "lowerleg01",
    "foot": "foot",
}
_SEGMENT_OF_BONE = {  # by prefix of a bone's name, longer ones first
    "upperarm": "upperarm",
    "lowerarm": "forearm",
    "wrist": "hand",
    "finger": "hand",
    "metacarpal": "hand",
    "clavicle": "girdle",
    "shoulder01": "girdle",
    "upperleg": "thigh",
    "lowerleg": "shank",
    "foot": "foot",
    "toe": "foot",
    "pelvis": "pelvis",
    "root": "pelvis",
    "spine05": "pelvis",
    "spine04": "pelvis",
    "spine": "chest",
    "neck": "head",
    "head": "head",
    "eye": "head",
}
_DIRECTIONS = 26  # directions in which the outermost skin point of every segment is kept
FURTHER_BUILDS = 8  # bodies in addition to the six characters, for joints without pictures


@dataclass(frozen=True)
class Segments:
    """Rotations (n, 17, 3, 3) from rest and positions (n, 3) of the root: whole bodies, in metres."""

    turns: Array
    roots: Array

    def of(self, name: str) -> Array:
        """Return the rotations (n, 3, 3) of one segment."""
        return self.turns[:, AT[name]]


class BodyModel:
    """One body: the positions of its joints and skin in any pose.

    ``arm`` and ``leg`` are (upper, lower) lengths, ``hips`` half the distance of the hip joints, in metres.
    """

    def __init__(self, build: Build) -> None:
        body = at_rest(build)
        skeleton = body.skeleton
        self._at = {name: np.array(skeleton.at(name)) for name in skeleton.names if "finger" not in name}
        self._knuckles = {side: np.mean([skeleton.at(f"{bone}.{side}") for bone in KNUCKLES], axis=0) for side in SIDES}
        self._ears, self._toes = ears_of(body), toes_of(body)
        self.fingers = {side: skeleton.at(f"finger3-1.{side}") - self._at[f"wrist.{side}"] for side in SIDES}
        self.palms = {
            side: np.cross(skeleton.at(f"finger2-1.{side}") - skeleton.at(f"finger5-1.{side}"), self.fingers[side])
            * -sign
            for side, sign in SIDES.items()
        }
        self.arm = self._length("upperarm01", "lowerarm01"), self._length("lowerarm01", "wrist")
        self.leg = self._length("upperleg01", "lowerleg01"), self._length("lowerleg01", "foot")
        self.hips = float(self._at["upperleg01.L"][0])
        self.trunk = float(np.linalg.norm(self._at["upperarm01.L"] - self._at["upperleg01.L"]))
        self._touching, self._touches = _touching(body)

    def rest(self, start: str, end: str) -> Array:
        """Return the vector (3,) between two bones' heads at rest."""
        return np.asarray(self._at[end] - self._at[start])

    def skeleton(self, body: Segments) -> dict[str, Array]:
        """Return positions (n, 3) of segment origins by name, and of the tips, such as "knuckles.L" and "ears"."""
        origins = {"pelvis": body.roots}
        place = body.roots
        spine = shares_of_turn(body.of("pelvis"), body.of("chest"), len(SPINE))
        for turn, start, end in zip(spine, SPINE, SPINE[1:], strict=False):
            place = place + applied(turn, self.rest(start, end))
        origins["chest"] = place
        origins["neck"] = place = place + applied(body.of("chest"), self.rest("spine01", "neck01"))
        neck = shares_of_turn(body.of("chest"), body.of("head"), len(NECK))
        for turn, start, end in zip(neck, NECK, NECK[1:], strict=False):
            place = place + applied(turn, self.rest(start, end))
        origins["head"] = place
        origins["ears"] = place + applied(body.of("head"), self._ears - self._at["head"])
        for side in SIDES:
            self._limbs(body, side, origins)
        return origins

    def shoulder(self, body: Segments, chest: Array, side: str) -> Array:
        """Return the position (n, 3) of a shoulder joint, given that of the ``chest`` (n, 3)."""
        girdle = chest + applied(body.of("chest"), self.rest("spine01", f"clavicle.{side}"))
        return girdle + applied(body.of(f"girdle.{side}"), self.rest(f"clavicle.{side}", f"upperarm01.{side}"))

    def _limbs(self, body: Segments, side: str, origins: dict[str, Array]) -> None:
        def follow(start: str, segment: str, first: str, last: str) -> Array:
            return origins[start] + applied(
                body.of(f"{segment}.{side}"), self.rest(f"{first}.{side}", f"{last}.{side}")
            )

        girdle = origins["chest"] + applied(body.of("chest"), self.rest("spine01", f"clavicle.{side}"))
        origins[f"girdle.{side}"] = girdle
        origins[f"upperarm.{side}"] = follow(f"girdle.{side}", "girdle", "clavicle", "upperarm01")
        origins[f"forearm.{side}"] = follow(f"upperarm.{side}", "upperarm", "upperarm01", "lowerarm01")
        origins[f"hand.{side}"] = follow(f"forearm.{side}", "forearm", "lowerarm01", "wrist")
        tip = self._knuckles[side] - self._at[f"wrist.{side}"]
        origins[f"knuckles.{side}"] = origins[f"hand.{side}"] + applied(body.of(f"hand.{side}"), tip)
        origins[f"thigh.{side}"] = body.roots + applied(body.of("pelvis"), self.rest("root", f"upperleg01.{side}"))
        origins[f"shank.{side}"] = follow(f"thigh.{side}", "thigh", "upperleg01", "lowerleg01")
        origins[f"foot.{side}"] = follow(f"shank.{side}", "shank", "lowerleg01", "foot")
        toes = self._toes[side] - self._at[f"foot.{side}"]
        origins[f"toes.{side}"] = origins[f"foot.{side}"] + applied(body.of(f"foot.{side}"), toes)

    def joints(self, body: Segments) -> Array:
        """Return the twenty joints (n, 20, 3) in the world; they differ from a dressed body's by some millimetres."""
        return _joints(self.skeleton(body))

    def lowest(self, body: Segments, segments: tuple[str, ...] = SEGMENTS) -> Array:
        """Return the height (n,) above the floor of the lowest skin of these segments."""
        places = self.skeleton(body)
        chosen = np.isin(self._touching, [AT[name] for name in segments])
        which = self._touching[chosen]
        origins = np.stack([places[name][:, 2] for name in SEGMENTS], axis=1)
        heights = origins[:, which] + np.einsum("npi,pi->np", body.turns[:, which, 2, :], self._touches[chosen])
        return np.asarray(heights.min(axis=1))

    def under(self, segment: str, turns: Array) -> Array:
        """Return how far (n,) the skin of one segment reaches below its origin under rotations (n, 3, 3)."""
        points = self._touches[self._touching == AT[segment]]
        return np.asarray(-np.einsum("ni,pi->np", turns[:, 2, :], points).min(axis=1))

    def _length(self, start: str, end: str) -> float:
        return float(np.linalg.norm(self.rest(f"{start}.L", f"{end}.L")))


@functools.cache
def body_model(number: int) -> BodyModel:
    """Return the body of a character (0 to 5), or one of :data:`FURTHER_BUILDS` others; the first call takes 0.1 s."""
    if number < len(CHARACTERS):
        return BodyModel(CHARACTERS[number].build)
    random = np.random.default_rng([17, number])
    shares = random.dirichlet([1.0, 1.0, 1.0])
    return BodyModel(
        Build(
            {
                **dict(zip(("african", "asian", "caucasian"), map(float, shares), strict=True)),
                "gender": float(random.integers(2)),
                "age": float(random.uniform(0.5, 0.95)),
                "muscle": float(random.uniform(0.3, 0.8)),
                "weight": float(random.uniform(0.35, 0.9)),
                "height": float(random.uniform(0.2, 0.6)),
            }
        )
    )


def _joints(places: dict[str, Array]) -> Array:
    joint_places: dict[str, Array] = {}
    for side, word in (("L", "left"), ("R", "right")):
        for joint, origin in (
            ("shoulder", "upperarm"),
            ("elbow", "forearm"),
            ("wrist", "hand"),
            ("hand", "knuckles"),
            ("hip", "thigh"),
            ("knee", "shank"),
            ("ankle", "foot"),
            ("foot", "toes"),
        ):
            joint_places[f"{word}_{joint}"] = places[f"{origin}.{side}"]
    shoulders = (joint_places["left_shoulder"] + joint_places["right_shoulder"]) / 2
    joint_places["hip"] = (joint_places["left_hip"] + joint_places["right_hip"]) / 2
    joint_places["spine"] = (joint_places["hip"] + shoulders) / 2
    joint_places["head"] = places["ears"]
    joint_places["neck"] = shoulders + NECK_SHARE * (joint_places["head"] - shoulders)
    joints = np.empty((len(places["ears"]), len(JOINTS), 3))
    for joint, place in joint_places.items():
        joints[:, INDEX[joint]] = place
    return joints


def _touching(body: Body) -> tuple[NDArray[np.intp], Array]:
    """Return the segment (p,) of every point that may touch the floor, and its offset (p, 3) from the origin there."""
    names = body.skeleton.names
    skin = np.unique(faces("skin"))
    carrier = body.weights[skin].argmax(axis=1)
    segment = np.array([AT[_segment(name)] for name in names])[carrier]
    directions = _spread(_DIRECTIONS)
    which, points = [], []
    for number, name in enumerate(SEGMENTS):
        base, _, side = name.partition(".")
        origin = body.skeleton.at(
            {"girdle": "clavicle", "upperarm": "upperarm01", "thigh": "upperleg01"}.get(base, BONE_OF[base])
            + (f".{side}" if side else "")
        )
        own = body.rest[skin[segment == number]] - origin
        extremes = np.unique((own @ directions.T).argmax(axis=0))
        which.append(np.full(len(extremes), number))
        points.append(own[extremes])
    return np.concatenate(which), np.concatenate(points)


def _segment(bone: str) -> str:
    name, _, side = bone.partition(".")
    base = next(segment for begin, segment in _SEGMENT_OF_BONE.items() if name.startswith(begin))
    return f"{base}.{side}" if side and f"{base}.{side}" in AT else base


def _spread(count: int) -> Array:
    """Return unit vectors (count, 3) spread evenly over the sphere."""
    i = np.arange(count) + 0.5
    polar, turn = np.arccos(1 - 2 * i / count), np.pi * (1 + 5**0.5) * i
    return np.stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)], axis=-1)

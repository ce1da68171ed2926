"""The bodies that poses are drawn for: a few lengths and points of each, so that batches of poses are cheap.

A batch of poses is the rotations of seventeen segments, from rest, in a world with z up. The floor is z = 0.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import INDEX, JOINTS, Array
from fmp_models.sim.people.body import Body, Build, at_rest, faces
from fmp_models.sim.people.characters import CHARACTERS
from fmp_models.sim.people.dressing import KNUCKLES, NECK_SHARE, ears_of, toes_of
from fmp_models.sim.people.posing import NECK, SIDES, SPINE
from fmp_models.sim.poses.turning import applied, shares_of_turn

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


class Frame:
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
def frame(number: int) -> Frame:
    """Return the body of a character (0 to 5), or one of :data:`FURTHER_BUILDS` others; the first call takes 0.1 s."""
    if number < len(CHARACTERS):
        return Frame(CHARACTERS[number].build)
    random = np.random.default_rng([17, number])
    shares = random.dirichlet([1.0, 1.0, 1.0])
    return Frame(
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

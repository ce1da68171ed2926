"""Arm poses: free directions within the range of a shoulder, and hands that rest on something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmp_models.pose import Array
from fmp_models.sim.people.posing import SIDES, Triple
from fmp_models.sim.poses.numbers import PoseNumbers
from fmp_models.sim.poses.turning import about, across, seen_from, unit

MAX_ELBOW_BEND = 148.0  # maximum bend of an elbow in degrees
OTHER = {"L": "R", "R": "L"}

# Relative frequency of arm poses for a standing body; families override it.
FREE = {
    "free": 6.0,
    "hanging": 2.0,
    "raised": 2.0,
    "sideways": 1.0,
    "ahead": 1.0,
    "hip": 1.0,
    "head": 1.0,
    "back": 0.7,
    "crossed": 0.6,
    "joined": 0.6,
    "clasped": 0.5,
    "belly": 0.4,
    "thigh": 0.6,
    "knee": 0.7,
    "shin": 0.4,
}


@dataclass(frozen=True)
class FreeArm:
    """Unit directions (n, 3) of upper arm, forearm and palm in the world."""

    upper: Array
    fore: Array
    palm: Array


def free_arm(numbers: PoseNumbers, side: str, kinds: Array, chest: Array) -> FreeArm:
    """Return an arm from its elevation, the direction it is raised in, its twist, and the bend of the elbow."""
    block, sign = f"arm.{side}", SIDES[side]
    random: dict[str, Array] = {
        # degrees from hanging; from sideways (0) to ahead (90) and across, or behind (negative)
        "elevation": numbers.between(block, 1, 0.0, 178.0),
        "way": numbers.between(block, 2, -50.0, 112.0),
        "turn": numbers.between(block, 3, -65.0, 75.0),
        "bend": np.asarray(numbers.raw(block, 4) ** 1.3 * 142.0),
    }
    special = {
        "hanging": (numbers.around(block, 1, 10, 14), None, numbers.around(block, 3, 5, 40), 30.0),
        "raised": (numbers.around(block, 1, 160, 24), numbers.between(block, 2, -5, 100), None, 60.0),
        "sideways": (numbers.around(block, 1, 92, 20), numbers.around(block, 2, 4, 20), None, 50.0),
        "ahead": (numbers.around(block, 1, 92, 22), numbers.around(block, 2, 88, 18), None, 50.0),
    }
    for kind, (elevation, way, turn, most) in special.items():
        here = kinds == kind
        random["elevation"] = np.where(here, elevation, random["elevation"])
        random["way"] = random["way"] if way is None else np.where(here, way, random["way"])
        random["turn"] = random["turn"] if turn is None else np.where(here, turn, random["turn"])
        random["bend"] = np.where(here, numbers.raw(block, 4) ** 2 * most, random["bend"])
    # Behind the body the elevation of an arm is limited.
    elevation = np.where(random["way"] < -15, np.minimum(random["elevation"], 110 + random["way"]), random["elevation"])
    rise, way, turn, bend = (np.radians(x) for x in (elevation, random["way"], random["turn"], random["bend"]))
    upper = seen_from(chest, sign, np.sin(rise) * np.cos(way), -np.cos(rise), np.sin(rise) * np.sin(way))
    # Raised from hanging by the shortest rotation, with the elbow's crease in front; then twisted inward.
    axis = seen_from(chest, sign, -np.sin(way), np.zeros_like(way), np.cos(way))
    crease = _lifted(
        axis, elevation * sign, seen_from(chest, 1.0, np.zeros_like(way), np.zeros_like(way), np.ones_like(way))
    )
    crease = unit(across(crease, upper))
    inward = np.cross(upper, crease) * sign
    crease = np.cos(turn)[:, None] * crease + np.sin(turn)[:, None] * inward
    fore = np.cos(bend)[:, None] * upper + np.sin(bend)[:, None] * crease
    twist = np.radians(numbers.around(block, 5, 0, 80))
    palm = np.cross(upper, crease) * sign
    palm = np.cos(twist)[:, None] * palm + np.sin(twist)[:, None] * unit(across(crease, fore))
    return FreeArm(upper, fore, palm)


def _lifted(axis: Array, degrees: Array, vectors: Array) -> Array:
    return np.asarray((about(axis, degrees) @ vectors[..., None])[..., 0])


@dataclass(frozen=True)
class WristTarget:
    """Target of a wrist (n, 3) in the world, the side of the elbow, and the direction of the palm."""

    wrist: Array
    elbow: Array
    palm: Array


@dataclass(frozen=True)
class _Rest:
    """The resting place of a hand: metres (out, up, forward) from an origin in a segment's frame, and their deviation.

    ``further`` is added in proportion to the fourth number of an arm. ``elbow`` and ``palm`` are directions (out, up,
    forward) in the frames of the chest and of the segment.
    """

    origin: str
    segment: str
    at: Triple
    strays: Triple
    elbow: Triple
    palm: Triple
    further: Triple = (0.0, 0.0, 0.0)


_RESTS = {
    "hip": _Rest("thigh.{side}", "pelvis", (0.10, 0.10, 0.01), (0.02, 0.03, 0.04), (1.0, 0.1, -0.5), (-1.0, 0.0, -0.2)),
    "head": _Rest(
        "ears", "head", (0.11, -0.02, -0.08), (0.02, 0.02, 0.02), (1.0, 0.25, 0.2), (-1.0, -0.2, 0.5), (0.0, 0.17, 0.08)
    ),
    "back": _Rest("pelvis", "pelvis", (0.05, 0.12, -0.19), (0.06, 0.1, 0.02), (0.9, 0.0, -0.8), (0.0, 0.0, -1.0)),
    "crossed": _Rest(
        "upperarm.{other}",
        "chest",
        (0.02, -0.08, 0.17),
        (0.03, 0.0, 0.03),
        (0.6, -1.0, 0.5),
        (0.0, 0.0, -1.0),
        (0.0, -0.18, 0.0),
    ),
    "joined": _Rest("chest", "chest", (0.035, 0.06, 0.34), (0.0, 0.1, 0.09), (1.0, -0.7, 0.0), (-1.0, 0.0, 0.0)),
    "clasped": _Rest("ears", "head", (0.05, 0.34, 0.02), (0.0, 0.1, 0.06), (1.0, 0.2, 0.1), (-1.0, 0.0, 0.0)),
    "belly": _Rest("pelvis", "pelvis", (0.02, 0.14, 0.2), (0.04, 0.08, 0.02), (1.0, -0.1, 0.1), (0.0, 0.0, -1.0)),
    "knee": _Rest(
        "shank.{side}", "thigh.{side}", (0.0, 0.0, 0.10), (0.03, 0.0, 0.0), (1.0, -0.2, 0.0), (0.0, 0.0, -1.0)
    ),
    "across": _Rest(
        "shank.{other}", "thigh.{other}", (0.0, 0.0, 0.09), (0.0, 0.0, 0.0), (1.0, 0.0, 0.2), (0.0, 0.0, -1.0)
    ),
    "foot": _Rest(
        "foot.{side}", "shank.{side}", (0.055, 0.0, 0.065), (0.035, 0.0, 0.0), (1.0, -0.2, 0.0), (0.0, 0.0, -1.0)
    ),
    "thigh": _Rest(
        "thigh.{side}",
        "thigh.{side}",
        (0.0, -0.1, 0.12),
        (0.03, 0.0, 0.0),
        (1.0, -0.2, 0.0),
        (0.0, 0.0, -1.0),
        (0.0, -0.2, 0.0),
    ),
    "shin": _Rest(
        "shank.{side}",
        "shank.{side}",
        (0.0, -0.1, 0.09),
        (0.04, 0.0, 0.0),
        (1.0, -0.2, 0.0),
        (0.0, 0.0, -1.0),
        (0.0, -0.2, 0.0),
    ),
}
GOALS = tuple(_RESTS)


def goals(kind: str, numbers: PoseNumbers, side: str, places: dict[str, Array], turns: dict[str, Array]) -> WristTarget:
    """Return the goals of arms of one kind; ``places`` and ``turns`` are those of the segments without the arms."""
    rest, block, sign = _RESTS[kind], f"arm.{side}", SIDES[side]
    segment = turns[rest.segment.format(side=side, other=OTHER[side])]
    share = numbers.raw(block, 4)
    place = [
        at + numbers.around(block, column, 0.0, strays) + share * further
        for column, at, strays, further in zip((1, 2, 3), rest.at, rest.strays, rest.further, strict=True)
    ]
    origin = places[rest.origin.format(side=side, other=OTHER[side])]
    return WristTarget(
        origin + seen_from(segment, sign, *place),
        seen_from(turns["chest"], sign, *(np.full(numbers.count, way) for way in rest.elbow)),
        seen_from(segment, sign, *(np.full(numbers.count, way) for way in rest.palm)),
    )

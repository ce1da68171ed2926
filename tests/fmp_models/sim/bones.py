"""The skeletons of the simulated people, reduced to the bones that the twenty joints hang on."""

from __future__ import annotations

import functools
import itertools

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import INDEX, JOINTS
from fmp_models.sim.body import at_rest
from fmp_models.sim.characters import CHARACTERS
from fmp_models.sim.posing import SIDES, BodyPose, Skeleton

Array = NDArray[np.float64]

NAMES = ("upperarm01", "lowerarm01", "wrist", "finger3-1", "upperleg01", "lowerleg01", "foot", "toe1-1")
KINDS = ("shoulder", "elbow", "wrist", "hand", "hip", "knee", "ankle", "foot")
MIDDLE = {"spine": "spine03", "neck": "neck01", "head": "head"}


class Bones:
    """The bones of one person that the joints hang on, and where the joints are in a pose."""

    def __init__(self, number: int) -> None:
        full = at_rest(CHARACTERS[number].build).skeleton
        wanted = {f"{name}.{side}" for name in (*NAMES, "finger2-1", "finger5-1") for side in SIDES} | set(
            MIDDLE.values()
        )
        kept = sorted({i for name in wanted for i in _line(full, full.names.index(name))})
        at = {old: new for new, old in enumerate(kept)}
        names = [full.names[i] for i in kept]
        heads = full.heads[kept]
        heads[:, 0] = [_symmetric(names, heads, i) for i in range(len(names))]
        self.skeleton = Skeleton(names, [at.get(full.parents[i], -1) for i in kept], heads)
        chain = [self.skeleton.at(f"{name}.L") for name in ("upperleg01", "lowerleg01", "foot")]
        self.leg = sum(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(chain))

    def joints(self, pose: BodyPose) -> Array:
        """Joints (20, 3) in metres; the floor's z is that of a standing ankle, 0."""
        names, parents, rest = self.skeleton.names, self.skeleton.parents, self.skeleton.heads
        turned, heads = self.skeleton.pose(pose), np.zeros((len(names), 3))
        for i, parent in enumerate(parents):
            if parent >= 0:
                heads[i] = heads[parent] + turned[parent] @ (rest[i] - rest[parent])
        places = np.zeros((len(JOINTS), 3))
        for word, side in (("left", "L"), ("right", "R")):
            for name, kind in zip(NAMES, KINDS, strict=True):
                places[INDEX[f"{word}_{kind}"]] = heads[names.index(f"{name}.{side}")]
        for name, bone in MIDDLE.items():
            places[INDEX[name]] = heads[names.index(bone)]
        places[INDEX["hip"]] = (places[INDEX["left_hip"]] + places[INDEX["right_hip"]]) / 2
        left, forward = pose.hip_shift
        c, s = np.cos(np.radians(pose.heading)), np.sin(np.radians(pose.heading))
        place = self.leg * np.array([c * left + s * forward, s * left - c * forward, pose.hip_height])
        return places + place - [0.0, 0.0, places[INDEX["hip"], 2]]


def _line(skeleton: Skeleton, i: int) -> list[int]:
    return [i, *_line(skeleton, skeleton.parents[i])] if i >= 0 else []


def _symmetric(names: list[str], heads: Array, i: int) -> float:
    bone, _, side = names[i].partition(".")
    if not side:
        return 0.0
    other = heads[names.index(f"{bone}.{'R' if side == 'L' else 'L'}"), 0]
    return float((heads[i, 0] - other) / 2)


@functools.cache
def bones(number: int = 3) -> Bones:
    return Bones(number)

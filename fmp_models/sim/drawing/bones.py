"""Bone rotations of a drawn pose: from segments to all bones of a skeleton, as a dressed body needs them."""

from __future__ import annotations

import numpy as np

from fmp_models.pose import Array
from fmp_models.sim.people.posing import NECK, SIDES, SPINE, Skeleton, half_twist
from fmp_models.sim.poses.frames import AT
from fmp_models.sim.poses.turning import shares_of_turn


def bone_turns(skeleton: Skeleton, turns: Array) -> Array:
    """Return world rotations (bones, 3, 3) from rest, given those of the segments (17, 3, 3).

    The twist of a limb is spread over two bones, as in :mod:`fmp_models.sim.people.posing`.
    """
    rotations: dict[str, Array] = {"root": turns[AT["pelvis"]]}
    for names, first, last in ((SPINE, "pelvis", "chest"), (NECK, "chest", "head")):
        steps = shares_of_turn(turns[None, AT[first]], turns[None, AT[last]], len(names))
        rotations |= {name: steps[i, 0] for i, name in enumerate(names)}
    for side in SIDES:
        upper, fore, hand, thigh, shank, foot = (
            turns[AT[f"{name}.{side}"]] for name in ("upperarm", "forearm", "hand", "thigh", "shank", "foot")
        )
        girdle = turns[AT[f"girdle.{side}"]]
        arm, forearm, leg, lower = (
            _along(skeleton, turn, f"{start}.{side}", f"{end}.{side}")
            for turn, start, end in (
                (upper, "upperarm01", "lowerarm01"),
                (fore, "lowerarm01", "wrist"),
                (thigh, "upperleg01", "lowerleg01"),
                (shank, "lowerleg01", "foot"),
            )
        )
        rotations |= {
            f"clavicle.{side}": girdle,
            f"shoulder01.{side}": girdle,
            f"upperarm01.{side}": half_twist(girdle, upper, arm),
            f"upperarm02.{side}": upper,
            f"lowerarm01.{side}": fore,
            f"lowerarm02.{side}": half_twist(hand, fore, forearm),
            f"wrist.{side}": hand,
            f"upperleg01.{side}": half_twist(turns[AT["pelvis"]], thigh, leg),
            f"upperleg02.{side}": thigh,
            f"lowerleg01.{side}": shank,
            f"lowerleg02.{side}": half_twist(foot, shank, lower),
            f"foot.{side}": foot,
        }
    every: list[Array] = []
    for name, parent in zip(skeleton.names, skeleton.parents, strict=True):
        every.append(rotations.get(name, every[parent] if parent >= 0 else rotations["root"]))
    return np.stack(every)


def _along(skeleton: Skeleton, turn: Array, start: str, end: str) -> Array:
    way = turn @ (skeleton.at(end) - skeleton.at(start))
    return np.asarray(way / np.linalg.norm(way))

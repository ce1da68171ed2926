"""Pose planning shared by the families: trunks that bend and turn, legs by their angles, feet and hands on the floor.

A person looks along -y. A lying body has its head at +y or, on the front, at -y; the view sets the heading later.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fmp_models.pose import Array
from fmp_models.sim.people.posing import BACK_AXIS, FORWARD, SIDE_AXIS, SIDES, UP
from fmp_models.sim.poses.numbers import PoseNumbers
from fmp_models.sim.poses.resting import MAX_KNEE_BEND, BodyPlan, Flags, LegPlan
from fmp_models.sim.poses.turning import about, applied, seen_from


def turn(forward: Array | float, side: Array | float = 0.0, around: Array | float = 0.0) -> Array:
    """Return rotations (n, 3, 3) of a part of the trunk: degrees forward, to its left side, round to its left."""
    forward, side, around = np.broadcast_arrays(np.atleast_1d(forward), side, around)
    return np.asarray(about(UP, around) @ about(BACK_AXIS, side) @ about(SIDE_AXIS, forward))


def leg(  # noqa: PLR0913 - a leg has that many degrees of freedom
    frames: Array,
    side: str,
    flex: Array | float,
    aside: Array | float,
    bend: Array | float,
    *,
    roll: Array | float = 0.0,
    point: Array | float = 10.0,
    rests: bool | Flags = False,
) -> LegPlan:
    """Return a leg in frames (n, 3, 3): degrees of hip flexion, abduction, outward roll, knee bend and toe pointing."""
    count = len(frames)
    flex, aside, bend, roll, point = (
        np.broadcast_to(np.asarray(x, float), count) for x in (flex, aside, bend, roll, point)
    )
    f, a, r = np.radians(flex), np.radians(aside), np.radians(roll)
    thigh = seen_from(frames, SIDES[side], np.sin(a), -np.cos(a) * np.cos(f), np.cos(a) * np.sin(f))
    front = seen_from(frames, SIDES[side], np.zeros(count), np.sin(f), np.cos(f))
    outward = seen_from(frames, SIDES[side], np.cos(a), np.sin(a) * np.cos(f), -np.sin(a) * np.sin(f))
    front = np.cos(r)[:, None] * front + np.sin(r)[:, None] * outward
    return with_shank(thigh, front, bend, point, rests=rests)


def with_shank(
    thigh: Array, front: Array, bend: Array | float, point: Array | float = 10.0, *, rests: bool | Flags = False
) -> LegPlan:
    """Return a leg with these directions of the thigh and of the knee's front; the knee bends by degrees (n,)."""
    count = len(thigh)
    b = np.radians(np.clip(np.broadcast_to(np.asarray(bend, float), count), 0, MAX_KNEE_BEND))[:, None]
    nothing = np.zeros(count)
    return LegPlan(
        thigh,
        np.cos(b) * thigh - np.sin(b) * front,
        front,
        np.broadcast_to(np.asarray(point, float), count),
        np.zeros(count, dtype=bool),
        np.broadcast_to(np.asarray(rests), count).copy(),
        np.zeros((count, 3)),
        np.broadcast_to(FORWARD, (count, 3)),
        nothing,
    )


def stand(plan: LegPlan, spot: Array, toes: Array, heel: Array | float = 0.0, *, where: Flags | bool = True) -> LegPlan:
    """Return the leg with its foot on the floor at a spot (n, 2), toes along (n, 3), and the heel raised."""
    count = len(spot)
    plan.stands = np.broadcast_to(np.asarray(where), count).copy()
    plan.spot = np.column_stack([spot, np.zeros(count)])
    plan.toes = toes
    plan.heel = np.broadcast_to(np.asarray(heel, float), count)
    return plan


def spine(
    numbers: PoseNumbers, pelvis: Array, *, forward: tuple[float, float], side: float = 20.0, twist: float = 30.0
) -> Array:
    """Return chests (n, 3, 3) bent relative to pelvises: around a middle forward, to both sides and round."""
    return np.asarray(
        pelvis
        @ turn(
            numbers.around("trunk", 3, *forward),
            numbers.around("trunk", 4, 0, side),
            numbers.around("trunk", 5, 0, twist),
        )
    )


def heads(numbers: PoseNumbers, chest: Array, nod: float = 0.0, most: float = 35.0) -> Array:
    """Return heads (n, 3, 3) that nod, lean and turn relative to chests."""
    return np.asarray(
        chest
        @ turn(numbers.around("head", 0, nod, most), numbers.around("head", 1, 0, 25), numbers.around("head", 2, 0, 60))
    )


def arms(numbers: PoseNumbers, shares: Mapping[str, float]) -> dict[str, Array]:
    """Return the kinds of both arms."""
    return {side: numbers.kind(f"arm.{side}", dict(shares)) for side in SIDES}


def hands(numbers: PoseNumbers, out: tuple[float, float], forward: tuple[float, float]) -> dict[str, Array]:
    """Return offsets of palms on the floor: metres out from below the shoulder and forward, around a middle."""
    palms = {}
    for side in SIDES:
        block = f"arm.{side}"
        palms[side] = np.stack(
            [numbers.around(block, 1, *out), np.zeros(numbers.count), numbers.around(block, 2, *forward)], axis=-1
        )
    return palms


def plan_of(
    numbers: PoseNumbers, pelvis: Array, chest: Array, head: Array, legs: dict[str, LegPlan], **rest: object
) -> BodyPlan:
    """Return a plan of these parts, with defaults for the rest."""
    defaults = {"hands": hands(numbers, (0, 0.05), (0, 0.05)), "height": np.full(numbers.count, np.nan)}
    return BodyPlan(pelvis, chest, head, legs, **{**defaults, **rest})  # type: ignore[arg-type]


def toes(degrees_out: Array, side: str) -> Array:
    """Return level directions (n, 3) of toes that point ``degrees_out`` outward."""
    return applied(about(UP, degrees_out * SIDES[side]), FORWARD)

"""Lying poses: on the back, on the front and on the sides."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.people.posing import FORWARD, SIDES, UP
from fmp_models.sim.poses.frames import Frame
from fmp_models.sim.poses.numbers import PoseNumbers
from fmp_models.sim.poses.planning import arms, hands, leg, plan_of, stand, turn
from fmp_models.sim.poses.resting import BodyPlan
from fmp_models.sim.poses.turning import about, applied, unit


def supine(numbers: PoseNumbers, body: Frame) -> BodyPlan:
    """Plan bodies on the back: legs along the floor, drawn up or in the air; curled up, flat, or a bridge."""
    kind = numbers.kind("whole", {"flat": 5, "curl": 3, "bridge": 2.5})
    tip = np.where(kind == "bridge", numbers.between("trunk", 0, 8, 34), 0)
    pelvis = turn(-90 - tip, 0, 0) @ turn(0, 0, numbers.around("trunk", 2, 0, 14))
    bent = np.select(
        [kind == "curl", kind == "bridge"],
        [numbers.between("trunk", 3, 10, 48), numbers.between("trunk", 3, -4, 8)],
        numbers.around("trunk", 3, 2, 8),
    )
    chest = pelvis @ turn(bent, numbers.around("trunk", 4, 0, 12), numbers.around("trunk", 5, 0, 18))
    nod = np.where(
        kind == "curl",
        numbers.between("head", 0, 0, 35),
        np.where(kind == "bridge", tip, 0) + numbers.around("head", 0, 5, 20),
    )
    head = chest @ turn(nod, 0, numbers.around("head", 2, 0, 50))
    legs = {}
    for side in SIDES:
        block = f"leg.{side}"
        does = numbers.kind(block, {"along": 3, "foot": 3, "up": 2, "air": 2, "chest": 1})
        does = np.where(kind == "bridge", np.where(does == "up", "up", "foot"), does)
        foot = does == "foot"
        flex = np.select(
            [does == "along", does == "up", does == "air", does == "chest"],
            [
                0 * tip,
                numbers.between(block, 1, 15, 100),
                numbers.between(block, 1, 60, 105),
                numbers.between(block, 1, 100, 125),
            ],
            55.0,
        ) - np.where(does == "up", tip * 0.5, 0)
        bend = np.select(
            [does == "along", does == "up", does == "air", does == "chest"],
            [
                numbers.raw(block, 3) ** 3 * 25,
                numbers.raw(block, 3) ** 2 * 40,
                numbers.between(block, 3, 60, 120),
                numbers.between(block, 3, 80, 140),
            ],
            90.0,
        )
        aside = np.where(foot, 4, numbers.around(block, 2, 8, 26))
        plan = leg(
            pelvis,
            side,
            flex,
            aside,
            bend,
            roll=numbers.around(block, 4, 4, 22),
            point=numbers.between(block, 5, 5, 45),
            rests=does == "along",
        )
        reach = numbers.between(block, 6, 0.42, 0.8) * sum(body.leg)
        spot = np.stack([SIDES[side] * (body.hips + numbers.around(block, 2, 0.02, 0.12)), -reach], axis=-1)
        along = applied(about(UP, SIDES[side] * numbers.around(block, 7, 4, 20)), FORWARD)
        plan.front = np.where(foot[:, None], unit(0.25 * FORWARD + UP + 0 * plan.front), plan.front)
        legs[side] = stand(plan, spot, along, where=foot)
    shares = {
        "free": 4.0,
        "raised": 1.5,
        "sideways": 1.5,
        "hanging": 2.5,
        "ahead": 1.0,
        "head": 1.5,
        "belly": 1.0,
        "crossed": 0.5,
        "knee": 0.7,
        "thigh": 0.5,
    }
    carriers = ("pelvis", "chest", "head", "girdle.L", "girdle.R")
    return plan_of(numbers, pelvis, chest, head, legs, arms=arms(numbers, shares), carriers=carriers)


def prone(numbers: PoseNumbers, body: Frame) -> BodyPlan:  # noqa: ARG001
    """Plan bodies on the front: flat, heels to the seat, legs raised, chest raised; or the cobra on straight arms."""
    cobra = numbers.raw("whole", 0) < 0.4
    pelvis = turn(np.where(cobra, numbers.between("trunk", 0, 60, 84), 90), 0, 0) @ turn(
        0, 0, numbers.around("trunk", 2, 0, 10)
    )
    arched = np.where(cobra, numbers.between("trunk", 3, -38, -8), -(numbers.raw("trunk", 3) ** 2) * 26)
    chest = pelvis @ turn(arched, numbers.around("trunk", 4, 0, 8), numbers.around("trunk", 5, 0, 10))
    head = chest @ turn(
        np.where(cobra, numbers.around("head", 0, -12, 25), numbers.around("head", 0, -22, 18)),
        0,
        numbers.around("head", 2, 0, 45),
    )
    legs = {}
    for side in SIDES:
        block = f"leg.{side}"
        does = numbers.kind(block, {"along": 4, "up": 1.5, "heel": 1.5, "frog": 0.8})
        flex = np.select(
            [does == "up", does == "frog"], [numbers.between(block, 1, -28, -6), numbers.between(block, 1, 15, 60)], 0.0
        ) - np.where(cobra, 3, 0)
        aside = np.where(does == "frog", numbers.between(block, 2, 30, 50), numbers.around(block, 2, 7, 16))
        bend = np.select(
            [does == "heel", does == "frog"],
            [numbers.between(block, 3, 30, 135), numbers.between(block, 3, 40, 110)],
            numbers.raw(block, 3) ** 3 * 15,
        )
        roll = np.where(does == "frog", 75, numbers.around(block, 4, 0, 20))
        legs[side] = leg(
            pelvis,
            side,
            flex,
            aside,
            bend,
            roll=roll,
            point=numbers.between(block, 5, 40, 62),
            rests=(does == "along") | (does == "frog"),
        )
    shares = {"free": 2.0, "raised": 3.0, "sideways": 2.0, "hanging": 2.5, "back": 0.8, "head": 1.2}
    chosen = {side: np.where(cobra, "floor", kinds) for side, kinds in arms(numbers, shares).items()}
    return plan_of(
        numbers,
        pelvis,
        chest,
        head,
        legs,
        arms=chosen,
        hands=hands(numbers, (0.05, 0.1), (0.1, 0.14)),
        carriers=("pelvis", "chest", "head"),
    )


def on_side(numbers: PoseNumbers, body: Frame) -> BodyPlan:  # noqa: ARG001
    """Plan bodies on one side: straight or curled, the upper leg raised or in front, the head on the arm."""
    left = numbers.raw("whole", 2) < 0.5
    down = np.where(left, 1.0, -1.0)
    pelvis = turn(0, 84 * down, 0) @ about(UP, numbers.around("trunk", 0, 0, 18))
    chest = pelvis @ turn(
        numbers.around("trunk", 3, 8, 30),
        -down * (3 + numbers.raw("trunk", 4) ** 2 * 24),
        numbers.around("trunk", 5, 0, 22),
    )
    head = chest @ turn(numbers.around("head", 0, 5, 25), down * numbers.around("head", 1, -4, 18), 0)
    legs = {}
    both = numbers.between("leg.L", 1, 0, 80) * (numbers.raw("whole", 3) < 0.6)
    for side in SIDES:
        block, lower = f"leg.{side}", left == (side == "L")
        lifted = np.where(lower, 0, np.where(numbers.raw(block, 0) < 0.5, numbers.between(block, 2, 8, 55), 0))
        flex = both + np.where(lower, 0, numbers.around(block, 3, 0, 30))
        bend = np.where(
            numbers.raw(block, 0) < 0.7, both * 1.1 * numbers.raw(block, 4), numbers.between(block, 4, 0, 110)
        )
        legs[side] = leg(pelvis, side, flex, lifted, bend, point=numbers.between(block, 5, 5, 40))
        legs[side].rests = lower & (flex < 200)
    shares = {"free": 2.0, "hanging": 2.5, "ahead": 2.0, "hip": 1.0, "raised": 1.0, "head": 1.2}
    upper = arms(numbers, shares)
    for side in SIDES:
        lower = left == (side == "L")
        under = numbers.kind(f"arm.{side}", {"raised": 2.0, "ahead": 1.5, "head": 1.0})
        upper[side] = np.where(lower, under, upper[side])
    return plan_of(numbers, pelvis, chest, head, legs, arms=upper, carriers=("pelvis", "chest", "thigh.L", "thigh.R"))

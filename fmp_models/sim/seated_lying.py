"""Seated and lying poses: on the floor or a chair, kneeling, on the back, on the front and on the sides."""

from __future__ import annotations

import numpy as np

from fmp_models.geometry import unit
from fmp_models.sim.frames import BodyModel, PoseNumbers, about, applied, seen_from
from fmp_models.sim.placement import (
    FREE,
    MAX_KNEE_BEND,
    BodyPlan,
    arms,
    hands,
    heads,
    leg,
    plan_of,
    spine,
    stand,
    toes,
    turn,
    with_shank,
)
from fmp_models.sim.posing import FORWARD, SIDES, UP


def floor_sitting(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies on the floor: legs ahead, apart, crossed, drawn up, aside or raised; turned, bent, leaning."""
    kind = numbers.kind(
        "whole", {"long": 3, "apart": 2, "crossed": 3, "knees": 2, "butterfly": 1, "side": 1, "boat": 1}
    )
    back = np.where(kind == "boat", numbers.between("trunk", 0, 25, 48), numbers.between("trunk", 0, -14, 20))
    pelvis = turn(-back, numbers.around("trunk", 1, 0, 6), 0)
    ahead = np.select(
        [(kind == "long") | (kind == "apart"), kind == "boat"],
        [numbers.between("trunk", 3, -8, 62), 4.0 + 0 * back],
        numbers.around("trunk", 3, 8, 26),
    )
    chest = pelvis @ turn(ahead, numbers.around("trunk", 4, 0, 26), numbers.around("trunk", 5, 0, 42))
    head = heads(numbers, chest, -4, 28)
    upright = turn(0 * back, 0, 0)
    legs = {}
    for side in SIDES:
        block = f"leg.{side}"
        a, b, c = (numbers.raw(block, i) for i in (1, 2, 3))
        lower = (side == "L") == (numbers.raw("whole", 2) < 0.5)
        conditions = [kind == name for name in ("long", "apart", "crossed", "knees", "butterfly", "side")]
        flex = np.select(
            conditions, [88 + 0 * a, 88 + 0 * a, 95 + 0 * a, 118 + 8 * a, 95 + 0 * a, 88 + 0 * a], 48 + 30 * a
        )
        aside = np.select(
            conditions,
            [2 + 10 * b, 20 + 32 * b, 42 + 12 * b, 2 + 12 * b, 44 + 14 * b, np.where(lower, 30 + 12 * b, 8 - 18 * b)],
            2 + 10 * b,
        )
        bend = np.select(
            conditions,
            [
                c**2 * 20,
                c**2 * 25,
                122 + 16 * c,
                75 + 50 * c,
                108 + 24 * c,
                np.where(lower, 120 + 15 * c, 110 + 25 * c),
            ],
            c**1.5 * 90,
        )
        roll = np.select(conditions, [0 * a, 5 + 0 * a, 74 + 0 * a, 5 * a, 72 + 0 * a, np.where(lower, 72, -62)], 0 * a)
        drawn_up = (kind == "long") & (numbers.raw(block, 0) < 0.3)  # one leg drawn up
        flex, bend = np.where(drawn_up, 120, flex), np.where(drawn_up, 80 + 45 * c, bend)
        rests = np.isin(kind, ["long", "apart", "crossed", "butterfly", "side"]) & ~drawn_up
        plan = leg(upright, side, flex, aside, bend, roll=roll, point=numbers.between(block, 5, 0, 40), rests=rests)
        foot = (kind == "knees") | drawn_up
        reach = numbers.between(block, 6, 0.38, 0.75) * sum(body.leg)
        spot = np.stack([SIDES[side] * (body.hips + 0.1 * numbers.raw(block, 2)), -reach], axis=-1)
        plan.front = np.where(foot[:, None], unit(0.3 * FORWARD + UP + 0 * plan.front), plan.front)
        legs[side] = stand(plan, spot, toes(numbers.around(block, 7, 5, 20), side), where=foot)
    shares = {
        "free": 3.0,
        "raised": 1.5,
        "hanging": 0.6,
        "sideways": 1.0,
        "ahead": 1.5,
        "knee": 2.0,
        "thigh": 1.5,
        "shin": 1.5,
        "foot": 0.8,
        "floor": 2.5,
        "hip": 0.4,
        "head": 0.8,
        "joined": 0.7,
        "crossed": 0.4,
        "across": 0.8,
        "back": 0.3,
    }
    spots = hands(numbers, (0.16, 0.1), (-0.16, 0.16))
    tips = {side: seen_from(upright, SIDES[side], 0.7 + 0 * back, 0 * back, 0.7 + 0 * back) for side in SIDES}
    return plan_of(
        numbers, pelvis, chest, head, legs, arms=arms(numbers, shares), hands=spots, tips=tips, carriers=("pelvis",)
    )


def chair_sitting(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies on a chair: feet under the knees, apart, one raised or crossed over the other; leaning, turning."""
    count = numbers.count
    seat = numbers.between("whole", 5, 0.4, 0.5)
    pelvis = turn(numbers.around("trunk", 0, -2, 24), numbers.around("trunk", 1, 0, 5), 0)
    chest = spine(numbers, pelvis, forward=(6, 34), side=24, twist=38)
    head = heads(numbers, chest, 0, 30)
    upright = turn(np.zeros(count), 0, 0)
    legs, lifted = {}, {}
    for side in SIDES:
        lifted[side] = numbers.kind(f"leg.{side}", {"floor": 5, "straight": 1.2, "knee": 0.8, "over": 0.8})
    lifted["R"] = np.where(lifted["L"] != "floor", "floor", lifted["R"])
    for side in SIDES:
        block, does = f"leg.{side}", lifted[side]
        a, b, c = (numbers.raw(block, i) for i in (1, 2, 3))
        conditions = [does == "straight", does == "knee", does == "over"]
        plan = leg(
            upright,
            side,
            np.select(conditions, [80 + 20 * a, 96 + 20 * a, 96 + 6 * a], 88.0),
            np.select(conditions, [14 * b, 10 * b, 4 - 10 * b], 8.0),
            np.select(conditions, [c**2 * 40, 60 + 50 * c, 70 + 25 * c], 90.0),
            roll=np.select(conditions, [0 * a, 0 * a, 40 * (b - 0.3)], 0.0),
            point=numbers.between(block, 5, 0, 35),
        )
        spot = np.stack(
            [SIDES[side] * (body.hips + 0.26 * b * (numbers.raw("whole", 4) + 0.1)), -body.leg[0] * (0.75 + 0.45 * a)],
            axis=-1,
        )
        foot = ~np.isin(does, ["straight", "knee", "over"])
        plan.front = np.where(foot[:, None], unit(1.0 * FORWARD + 0.8 * UP + 0 * plan.front), plan.front)
        legs[side] = stand(
            plan,
            spot,
            toes(numbers.around(block, 7, 8, 20), side),
            np.maximum(numbers.around(block, 8, 0, 40) - 15, 0),
            where=foot,
        )
    shares = {**FREE, "thigh": 2.5, "knee": 2.0, "hanging": 1.5}
    return plan_of(numbers, pelvis, chest, head, legs, arms=arms(numbers, shares), height=seat + 0.1)


def kneeling(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies on both knees, upright, on the heels or folded to the floor; or on one knee, the other foot ahead."""
    count = numbers.count
    kind = numbers.kind("whole", {"tall": 3, "half": 4, "heels": 2.5, "folded": 1.5})
    ahead_left = numbers.raw("whole", 2) < 0.5
    lean = np.select(
        [kind == "heels", kind == "folded"],
        [numbers.around("trunk", 0, 0, 15), numbers.between("trunk", 0, 60, 84)],
        numbers.around("trunk", 0, 0, 22),
    )
    pelvis = turn(lean, numbers.around("trunk", 1, 0, 8), numbers.around("trunk", 2, 0, 16))
    bent = np.where(kind == "folded", numbers.between("trunk", 3, 10, 28), numbers.around("trunk", 3, 2, 28))
    chest = pelvis @ turn(bent, numbers.around("trunk", 4, 0, 26), numbers.around("trunk", 5, 0, 40))
    head = heads(numbers, chest, 0, 32)
    upright = turn(np.zeros(count), 0, 0)
    thigh_lean = np.select(
        [(kind == "heels") | (kind == "folded")],
        [numbers.between("leg.L", 1, 48, 59)],
        numbers.around("leg.L", 1, -4, 24),
    )
    legs = {}
    for side in SIDES:
        block = f"leg.{side}"
        foot = (kind == "half") & (ahead_left == (side == "L"))
        apart = np.radians(numbers.between(block, 2, 0, 14) + np.where(kind == "folded", 8, 0))
        f = np.radians(thigh_lean)
        thigh = unit(seen_from(upright, SIDES[side], np.sin(apart), -np.cos(f), np.sin(f)))
        plan = with_shank(
            thigh,
            seen_from(upright, SIDES[side], 0 * f, np.sin(f), np.cos(f)),
            np.minimum(97 + thigh_lean, MAX_KNEE_BEND),
            80.0,
        )
        reach = numbers.between(block, 3, 0.75, 1.3) * body.leg[0]
        spot = np.stack([SIDES[side] * (body.hips + numbers.around(block, 4, 0.02, 0.14)), -reach], axis=-1)
        plan.front = np.where(foot[:, None], unit(1.0 * FORWARD + 0.7 * UP + 0 * plan.front), plan.front)
        # The shank lies on the floor; a foot ahead is placed later and does not carry the body yet.
        legs[side] = stand(plan, spot, toes(numbers.around(block, 5, 5, 16), side), where=foot)
    shares = {**FREE, "thigh": 1.5, "knee": 0.8}
    kinds = arms(numbers, shares)
    low = numbers.kind("arm.L", {"floor": 3, "hanging": 1})
    for side in SIDES:
        kinds[side] = np.where(kind == "folded", low, kinds[side])
    spots = hands(numbers, (0.04, 0.1), (0.4, 0.1))
    return plan_of(
        numbers, pelvis, chest, head, legs, arms=kinds, hands=spots, carriers=("shank.L", "shank.R", "foot.L", "foot.R")
    )


def supine(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
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


def prone(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:  # noqa: ARG001
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


def on_side(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:  # noqa: ARG001
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

"""Poses on the feet or on hands and feet: standing, squatting, lunging, folded; planks and all fours."""

from __future__ import annotations

import numpy as np

from fmp_models.geometry import unit
from fmp_models.sim.frames import BodyModel, PoseNumbers, about, seen_from
from fmp_models.sim.placement import (
    FREE,
    BodyPlan,
    LegPlan,
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
from fmp_models.sim.posing import FORWARD, SIDE_AXIS, SIDES, UP


def standing(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies on both feet: upright, squatting, lunging ahead, back or aside, leaning and turning any way."""
    count, leg_length = numbers.count, sum(body.leg)
    kind = numbers.kind("whole", {"upright": 4, "squat": 2, "lunge": 2, "aside": 1.2, "lean": 1.2})
    pelvis = turn(
        np.select(
            [kind == "squat", kind == "lean"],
            [numbers.between("trunk", 0, 5, 50), numbers.between("trunk", 0, 10, 75)],
            numbers.around("trunk", 0, 4, 18),
        ),
        numbers.around("trunk", 1, 0, 12),
        numbers.around("trunk", 2, 0, 25),
    )
    chest = spine(numbers, pelvis, forward=(4, 28), side=30, twist=42)
    apart = np.select(
        [kind == "squat", kind == "lunge", kind == "aside"],
        [
            numbers.between("leg.L", 1, 0.1, 0.4),
            numbers.between("leg.L", 1, 0.06, 0.2),
            numbers.between("leg.L", 1, 0.35, 0.62),
        ],
        numbers.between("leg.L", 1, 0.07, 0.36),
    )
    ahead = np.select(
        [kind == "lunge"],
        [np.where(numbers.raw("whole", 2) < 0.5, 1.0, -1.0) * numbers.between("leg.L", 2, 0.2, 0.5)],
        numbers.around("leg.L", 2, 0, 0.12),
    )
    spots, farthest = {}, np.full(count, np.inf)
    shift = np.where(
        kind == "aside", numbers.between("whole", 3, -1, 1) * apart * 0.9, numbers.around("whole", 3, 0, 0.06)
    )
    shift_ahead = np.where(
        kind == "lunge", numbers.between("whole", 4, -0.3, 0.9) * ahead, numbers.around("whole", 4, 0, 0.05)
    )
    for side, sign in SIDES.items():
        spots[side] = leg_length * np.stack([sign * apart - shift, -(sign * ahead - shift_ahead)], axis=-1)
        hip = pelvis @ (SIDE_AXIS * body.hips * sign)
        gap = np.hypot(spots[side][:, 0] - hip[:, 0], spots[side][:, 1] - hip[:, 1])
        height = np.sqrt(np.maximum((0.992 * leg_length) ** 2 - gap**2, 0.01)) - hip[:, 2]
        farthest = np.minimum(farthest, height)
    deep = np.select(
        [kind == "squat", kind == "lunge", kind == "aside"],
        [
            numbers.between("whole", 5, 0.36, 0.85),
            numbers.between("whole", 5, 0.62, 1),
            numbers.between("whole", 5, 0.6, 1),
        ],
        1 - 0.14 * numbers.raw("whole", 5) ** 2,
    )
    height = farthest * deep + 0.085
    level = about(UP, np.zeros(count))
    legs = {}
    for side in SIDES:
        block = f"leg.{side}"
        out = numbers.around(block, 3, 12, 30) + np.where(kind == "squat", 12, 0)
        behind = (kind == "lunge") & (ahead * SIDES[side] < 0)
        heel = np.where(behind, numbers.between(block, 4, 10, 60), np.maximum(numbers.around(block, 4, 0, 40) - 22, 0))
        plan = leg(level, side, 0, 0, 0, roll=out * 0.8)
        legs[side] = stand(plan, spots[side], toes(np.where(behind, out * 0.4, out), side), heel)
    return plan_of(numbers, pelvis, chest, heads(numbers, chest), legs, arms=arms(numbers, FREE), height=height)


def one_leg(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies on one leg: knee raised, foot against the other leg, kicks to all sides, or the level warrior."""
    count = numbers.count
    left_free = numbers.raw("whole", 2) < 0.5
    lean = np.where(
        numbers.raw("whole", 0) < 0.25, numbers.between("trunk", 0, 15, 85), numbers.around("trunk", 0, 0, 15)
    )
    pelvis = turn(lean, numbers.around("trunk", 1, 0, 15), numbers.around("trunk", 2, 0, 15))
    chest = spine(numbers, pelvis, forward=(0, 20), twist=35)
    height = np.zeros(count)
    legs = {}
    leg_length = sum(body.leg)
    for side, sign in SIDES.items():
        block, free = f"leg.{side}", left_free == (side == "L")
        hip = pelvis @ (SIDE_AXIS * body.hips * sign)
        shift = np.stack([numbers.around(block, 1, 0, 0.05), numbers.around(block, 2, 0.02, 0.05)], axis=-1)
        spot = hip[:, :2] * [0.4, 1.0] + shift
        gap = np.linalg.norm(spot - hip[:, :2], axis=1)
        straight = np.sqrt(np.maximum((0.992 * leg_length) ** 2 - gap**2, 0.01)) - hip[:, 2]
        height = np.where(free, height, straight * (1 - 0.3 * numbers.raw("whole", 5) ** 3) + 0.085)
        kind = numbers.kind(block, {"knee": 3, "kick": 2, "aside": 1.2, "back": 1.6, "tree": 1.2})
        swung = leg(
            pelvis,
            side,
            np.select(
                [kind == "knee", kind == "kick", kind == "aside", kind == "back"],
                [
                    numbers.between(block, 3, 40, 118),
                    numbers.between(block, 3, 20, 95),
                    numbers.around(block, 3, 5, 20),
                    numbers.between(block, 3, -28, 5),
                ],
                numbers.between(block, 3, 30, 70),
            ),
            np.select(
                [kind == "aside", kind == "tree"],
                [numbers.between(block, 4, 15, 60), numbers.between(block, 4, 35, 55)],
                numbers.around(block, 4, 4, 18),
            ),
            np.select(
                [kind == "knee", kind == "back", kind == "tree"],
                [
                    numbers.between(block, 5, 30, 135),
                    numbers.between(block, 5, 0, 140),
                    numbers.between(block, 5, 105, 140),
                ],
                numbers.raw(block, 5) ** 2 * 60,
            ),
            roll=np.where(kind == "tree", 55, numbers.around(block, 6, 0, 30)),
            point=numbers.between(block, 7, 0, 45),
        )
        legs[side] = stand(swung, spot, toes(numbers.around(block, 8, 8, 20), side), where=~free)
        standing_front = leg(about(UP, np.zeros(count)), side, 0, 0, 0, roll=10).front
        legs[side].front = np.where(free[:, None], legs[side].front, standing_front)
    return plan_of(numbers, pelvis, chest, heads(numbers, chest), legs, arms=arms(numbers, FREE), height=height)


def folded(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies bent over both feet: hands on the floor, shins or ankles, or behind; and the downward dog."""
    count, leg_length = numbers.count, sum(body.leg)
    dog = numbers.raw("whole", 0) < 0.4
    pelvis = turn(np.where(dog, numbers.between("trunk", 0, 98, 128), numbers.between("trunk", 0, 70, 112)), 0, 0)
    chest = spine(numbers, pelvis, forward=(18, 26), side=8, twist=12)
    chest = np.where(dog[:, None, None], spine(numbers, pelvis, forward=(0, 16), side=6, twist=8), chest)
    height = (
        np.where(dog, numbers.between("whole", 5, 0.72, 0.86), numbers.between("whole", 5, 0.8, 0.98)) * leg_length
        + 0.085
    )
    back = np.where(dog, numbers.between("leg.L", 2, -0.55, -0.3), numbers.around("leg.L", 2, 0.1, 0.08)) * leg_length
    apart = numbers.between("leg.L", 1, 0.07, 0.3) * leg_length
    height = np.minimum(height, np.sqrt((0.985 * leg_length) ** 2 - back**2 - (apart - body.hips) ** 2) + 0.085)
    legs = {}
    for side, sign in SIDES.items():
        spot = np.stack([sign * apart, -back], axis=-1)
        plan = leg(about(UP, np.zeros(count)), side, 20, 0, 0)
        heel = np.where(dog, numbers.between(f"leg.{side}", 4, 0, 55), 0)
        legs[side] = stand(plan, spot, toes(numbers.around(f"leg.{side}", 3, 6, 18), side), heel)
    shares = {"floor": 5.0, "shin": 2.0, "foot": 1.0, "free": 0.8, "back": 0.5, "knee": 0.5}
    chosen = {side: np.where(dog, "floor", kinds) for side, kinds in arms(numbers, shares).items()}
    spots = hands(numbers, (0.02, 0.12), (0.05, 0.25))
    for side in SIDES:
        spots[side][dog, 2] = numbers.around(f"arm.{side}", 2, 0.33, 0.14)[dog]
    return plan_of(numbers, pelvis, chest, heads(numbers, chest, 5, 30), legs, arms=chosen, hands=spots, height=height)


def plank(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies on hands and toes: high, low, hips up or sagging, a knee drawn in, a leg or a hand raised."""
    count, leg_length = numbers.count, sum(body.leg)
    arm = sum(body.arm) + 0.02
    low = np.where(
        numbers.raw("whole", 0) < 0.45, numbers.between("whole", 5, 0.2, 0.85), numbers.between("whole", 5, 0.9, 0.97)
    )
    shoulder = low * arm + 0.03
    bow = numbers.around("trunk", 0, 0, 1.0) * 14  # hips up is positive
    line = leg_length + body.trunk
    rise = np.degrees(np.arcsin(np.clip((shoulder - 0.09) / line, -1, 0.9)))
    legs_tilt, trunk_tilt = 90 - rise - bow, 90 - rise + bow
    pelvis = turn(trunk_tilt + 0 * bow, numbers.around("trunk", 1, 0, 5), 0)
    chest = pelvis @ turn(numbers.around("trunk", 3, 0, 9), 0, numbers.around("trunk", 5, 0, 8))
    head = heads(numbers, chest, -18, 25)
    frames = turn(legs_tilt, 0, 0)
    height = leg_length * np.cos(np.radians(legs_tilt)) + 0.115
    legs = {}
    for side, sign in SIDES.items():
        block = f"leg.{side}"
        does = numbers.kind(block, {"toes": 5, "in": 1, "up": 1})
        plan = leg(
            np.where((does == "toes")[:, None, None], frames, pelvis),
            side,
            np.select(
                [does == "in", does == "up"],
                [numbers.between(block, 1, 50, 118), numbers.between(block, 1, -28, -5)],
                0,
            ),
            numbers.around(block, 2, 3, 10),
            np.select([does == "in"], [numbers.between(block, 3, 70, 135)], numbers.raw(block, 3) ** 3 * 20),
            point=numbers.between(block, 4, 5, 35),
        )
        apart = sign * numbers.between(block, 2, 0.03, 0.22)
        back = np.sqrt((0.99 * leg_length) ** 2 - (height - 0.12) ** 2 - (apart - sign * body.hips) ** 2)
        legs[side] = stand(
            plan,
            np.stack([apart, back], axis=-1),
            np.tile(FORWARD, (count, 1)),
            numbers.between(block, 5, 52, 74),
            where=does == "toes",
        )
        legs[side].front = np.where((does == "toes")[:, None], frames @ FORWARD, legs[side].front)
    both_in = ~(legs["L"].stands | legs["R"].stands)
    legs["L"].stands |= both_in
    kinds = arms(numbers, {"floor": 9.0, "ahead": 0.5, "sideways": 0.5, "hip": 0.3})
    kinds["L"] = np.where(kinds["R"] != "floor", "floor", kinds["L"])
    return plan_of(
        numbers, pelvis, chest, head, legs, arms=kinds, hands=hands(numbers, (0.04, 0.14), (0.02, 0.14)), height=height
    )


def side_plank(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies on one hand and the feet, or the knee, facing sideways."""
    count = numbers.count
    left = numbers.raw("whole", 2) < 0.5
    down = np.where(left, 1.0, -1.0)
    arm = sum(body.arm)
    shoulder = arm * numbers.between("whole", 5, 0.62, 0.95)
    leg_length = sum(body.leg)
    rise = np.degrees(np.arcsin(np.clip((shoulder - 0.05) / (leg_length + body.trunk), 0, 0.9)))
    pelvis = turn(0, (90 - rise + numbers.around("trunk", 0, 0, 10)) * down, 0)
    chest = pelvis @ turn(
        numbers.around("trunk", 3, 0, 10), numbers.around("trunk", 4, 0, 10), numbers.around("trunk", 5, 0, 18)
    )
    head = heads(numbers, chest, 0, 18)
    frames = turn(0, (90 - rise) * down, 0)
    legs = {}
    for side in SIDES:
        block, lower = f"leg.{side}", left == (side == "L")
        up = np.where(lower, 0, np.where(numbers.raw(block, 0) < 0.4, numbers.between(block, 1, 8, 45), 0))
        knee = np.where(lower & (numbers.raw(block, 0) < 0.3), numbers.between(block, 3, 60, 100), 0.0)
        legs[side] = leg(
            frames, side, numbers.around(block, 2, 4, 14), up, knee, point=numbers.between(block, 4, 0, 20)
        )
    kinds = arms(numbers, {"hip": 2.0, "sideways": 3.0, "raised": 1.5, "hanging": 1.0, "free": 1.0})
    tips = {}
    spots = hands(numbers, (0.0, 0.06), (0.0, 0.08))
    for side, sign in SIDES.items():
        kinds[side] = np.where(left == (side == "L"), "floor", kinds[side])
        tips[side] = np.tile(SIDE_AXIS * sign, (count, 1))
    feet = ("foot.L", "foot.R", "shank.L", "shank.R")
    return plan_of(numbers, pelvis, chest, head, legs, arms=kinds, hands=spots, tips=tips, carriers=feet)


def all_fours(numbers: PoseNumbers, body: BodyModel) -> BodyPlan:
    """Plan bodies on hands and knees: flat, arched like a cat, an arm or a leg stretched out."""
    count = numbers.count
    arch = numbers.around("trunk", 0, 0, 1.0)
    drop = np.degrees(np.arctan2(body.leg[0] - sum(body.arm) * 0.92 + 0.03, body.trunk))
    pelvis = turn(90 + drop - 20 * arch + numbers.around("trunk", 1, 0, 8), numbers.around("trunk", 2, 0, 6), 0)
    chest = pelvis @ turn(28 * arch, numbers.around("trunk", 4, 0, 8), numbers.around("trunk", 5, 0, 12))
    head = heads(numbers, chest, -10, 35)
    upright = turn(np.zeros(count), 0, 0)
    legs, raised = {}, {}
    for side in SIDES:
        block = f"leg.{side}"
        raised[side] = numbers.raw(block, 0) > 0.68
    raised["R"] &= ~raised["L"]
    for side in SIDES:
        block = f"leg.{side}"
        lean = numbers.around(block, 1, 0, 20)
        down = with_shank(
            seen_from(
                upright,
                SIDES[side],
                np.sin(np.radians(numbers.around(block, 2, 4, 10))),
                -np.cos(np.radians(lean)),
                np.sin(np.radians(lean)),
            ),
            np.tile(FORWARD, (count, 1)),
            97 + lean,
            80.0,
        )
        up = leg(
            pelvis,
            side,
            numbers.between(block, 3, -22, 60),
            numbers.around(block, 4, 6, 30),
            np.where(numbers.raw(block, 5) < 0.5, numbers.raw(block, 6) * 20, numbers.between(block, 6, 40, 110)),
            point=20.0,
        )
        r = raised[side][:, None]
        legs[side] = LegPlan(
            np.where(r, up.thigh, unit(down.thigh)),
            np.where(r, up.shank, down.shank),
            np.where(r, up.front, down.front),
            np.where(raised[side], up.flexion, down.flexion),
            up.stands,
            up.rests,
            up.spot,
            up.toes,
            up.heel,
        )
    kinds = arms(numbers, {"floor": 7.0, "raised": 2.0, "sideways": 0.6, "head": 0.5, "hanging": 0.3, "across": 0.2})
    kinds["L"] = np.where(kinds["R"] != "floor", "floor", kinds["L"])
    return plan_of(
        numbers,
        pelvis,
        chest,
        head,
        legs,
        arms=kinds,
        hands=hands(numbers, (0.02, 0.1), (0.02, 0.14)),
        carriers=("shank.L", "shank.R", "foot.L", "foot.R", "thigh.L", "thigh.R"),
    )

"""Poses supported by hands and feet or knees: planks and all fours."""

from __future__ import annotations

import numpy as np

from fmp_models.sim.people.posing import FORWARD, SIDE_AXIS, SIDES
from fmp_models.sim.poses.frames import Frame
from fmp_models.sim.poses.numbers import PoseNumbers
from fmp_models.sim.poses.planning import arms, hands, heads, leg, plan_of, stand, turn, with_shank
from fmp_models.sim.poses.resting import BodyPlan, LegPlan
from fmp_models.sim.poses.turning import seen_from, unit


def plank(numbers: PoseNumbers, body: Frame) -> BodyPlan:
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


def side_plank(numbers: PoseNumbers, body: Frame) -> BodyPlan:
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


def all_fours(numbers: PoseNumbers, body: Frame) -> BodyPlan:
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

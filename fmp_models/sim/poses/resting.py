"""Placement of a planned body on the floor: legs that stand or rest, hands that reach, nothing below the floor.

A plan gives the trunk, the legs by their directions or by the positions of the feet, and the kinds of the arms. The
body is put down first, on the trunk and the legs that carry it; then feet and hands move to their targets.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import Array
from fmp_models.sim.people.posing import BACK_AXIS, CLAVICLE_FROM, CLAVICLE_SHARE, FORWARD, SIDES, UP
from fmp_models.sim.poses.arms import GOALS, MAX_ELBOW_BEND, FreeArm, WristTarget, free_arm, goals
from fmp_models.sim.poses.frames import AT, SEGMENTS, Frame, Segments
from fmp_models.sim.poses.numbers import PoseNumbers
from fmp_models.sim.poses.turning import about, across, applied, carry, level_frames, seen_from, two_bones, unit

MAX_KNEE_BEND = 156.0  # maximum bend of a knee in degrees
_HAND_ROOM = 0.012  # minimum distance in metres of a free hand from the floor
_SHOULDER = 0.06  # minimum height in metres of a shoulder joint above the floor
_BENT = 0.05  # sine of the bend above which a knee counts as bent
_ALMOST = 0.97  # of an arm's length: an arm on the floor keeps its elbow a little bent
Flags = NDArray[np.bool_]


@dataclass
class LegPlan:
    """Directions (n, 3) of thigh, shank and the knee's front in the world, and the foot.

    Where ``stands`` (n,), the foot goes flat to ``spot`` (n, 3), with toes along ``toes``. ``spot`` is the ankle's
    (x, y) from the pelvis and its height above that of a foot on the floor. Where ``rests`` (n,), the leg is lowered
    until it lies on the floor.
    """

    thigh: Array
    shank: Array
    front: Array
    flexion: Array  # degrees that the toes point down from the shank's front
    stands: Flags
    rests: Flags
    spot: Array
    toes: Array
    heel: Array  # degrees that the heel is raised


@dataclass
class BodyPlan:
    """A whole body before it is put down: trunk rotations (n, 3, 3), legs, the kinds (n,) of both arms.

    ``height`` (n,) is that of the root above the floor; where it is NaN, ``carriers`` lie on the floor. ``hands`` are
    spots (n, 3) from below the shoulder, in the level frame of the pelvis (out, up, forward), for arms of the kind
    "floor".
    """

    pelvis: Array
    chest: Array
    head: Array
    legs: dict[str, LegPlan]
    arms: dict[str, Array]
    hands: dict[str, Array]
    height: Array
    carriers: tuple[str, ...] = SEGMENTS
    tips: dict[str, Array] = field(default_factory=dict)  # level directions (n, 3) of fingers on the floor
    flying: Array | None = None  # metres (n,) over the floor


def put_down(plan: BodyPlan, numbers: PoseNumbers, body: Frame) -> tuple[Segments, Flags]:
    """Return the bodies of a plan on the floor, and which (n,) of them could carry out the plan."""
    count = numbers.count
    turns = np.tile(np.eye(3), (count, len(SEGMENTS), 1, 1))
    turns[:, AT["pelvis"]], turns[:, AT["chest"]], turns[:, AT["head"]] = plan.pelvis, plan.chest, plan.head
    for side in SIDES:
        _directed(turns, side, plan.legs[side], body)
        turns[:, AT[f"girdle.{side}"]] = plan.chest
    made = Segments(turns, np.zeros((count, 3)))
    known = ~np.isnan(plan.height)
    drop = np.where(known, np.nan_to_num(plan.height), -body.lowest(made, plan.carriers))
    shoulders = body.skeleton(made)
    low = np.minimum(shoulders["upperarm.L"][:, 2], shoulders["upperarm.R"][:, 2])
    drop = np.maximum(drop, _SHOULDER - low)  # a shoulder joint cannot be nearer to the floor than its flesh
    made = Segments(turns, np.stack([np.zeros(count), np.zeros(count), drop], axis=-1))
    able = np.ones(count, dtype=bool)
    for side in SIDES:
        able &= _stood(made, side, plan, body)
    able &= _armed(made, plan, numbers, body)
    return made, able


def _directed(turns: Array, side: str, leg: LegPlan, body: Frame) -> None:
    """Set the rotations of a leg from its directions."""
    rest_thigh = body.rest(f"upperleg01.{side}", f"lowerleg01.{side}")
    rest_shank = body.rest(f"lowerleg01.{side}", f"foot.{side}")
    hinge = np.cross(leg.front, leg.thigh)
    turns[:, AT[f"thigh.{side}"]] = carry((rest_thigh, np.cross(FORWARD, rest_thigh)), (leg.thigh, hinge))
    turns[:, AT[f"shank.{side}"]] = carry((rest_shank, np.cross(FORWARD, rest_shank)), (leg.shank, hinge))
    ahead = unit(np.cross(leg.shank, hinge))  # the front of the shin
    bend = np.radians(leg.flexion)[:, None]
    toes = np.cos(bend) * ahead + np.sin(bend) * leg.shank
    sole = np.cos(bend) * leg.shank - np.sin(bend) * ahead
    turns[:, AT[f"foot.{side}"]] = carry((FORWARD, -UP), (toes, sole))


def _stood(made: Segments, side: str, plan: BodyPlan, body: Frame) -> Flags:
    """Move standing and resting feet to the floor and lift those below it; return which succeeded."""
    leg, count = plan.legs[side], len(made.roots)
    places = body.skeleton(made)
    hip, ankle = places[f"thigh.{side}"], places[f"foot.{side}"]
    heel = np.radians(leg.heel)[:, None]
    flat = unit(leg.toes * [1.0, 1.0, 0.0] + 1e-9 * FORWARD)
    foot = carry((FORWARD, -UP), (np.cos(heel) * flat - np.sin(heel) * UP, -np.cos(heel) * UP - np.sin(heel) * flat))
    stands = leg.stands
    turned = np.where(stands[:, None, None], foot, made.of(f"foot.{side}"))
    under = np.maximum(body.under(f"foot.{side}", turned), 0.0)
    lowest = body.lowest(made, (f"shank.{side}", f"foot.{side}"))
    sunk = lowest < 0
    goal = ankle.copy()
    goal[:, 2] = np.where(leg.rests, under, ankle[:, 2])
    raised = ankle[:, 2] - lowest + 0.005
    goal[:, 2] = np.where(sunk & ~leg.rests, raised, goal[:, 2])
    # Keep the distance from the hip, so that the knee does not bend on the way to the floor.
    away = goal[:, :2] - hip[:, :2]
    far = np.sqrt(np.maximum(((ankle - hip) ** 2).sum(axis=1) - (goal[:, 2] - hip[:, 2]) ** 2, 0.0))
    goal[:, :2] = hip[:, :2] + away * (far / np.maximum(np.linalg.norm(away, axis=1), 1e-6))[:, None]
    spot = leg.spot.copy()
    spot[:, 2] += under
    goal = np.where(stands[:, None], spot, goal)
    moved = stands | leg.rests | sunk
    thigh, shank = two_bones(goal - hip, body.leg, leg.front, MAX_KNEE_BEND)
    reached = np.linalg.norm(hip + thigh * body.leg[0] + shank * body.leg[1] - goal, axis=1) < 0.012
    if not moved.any():
        return np.ones(count, dtype=bool)
    # The front of a bent knee follows from its bend; that of a straight one from the plan.
    folded = across(shank, thigh)
    bent = np.linalg.norm(folded, axis=1, keepdims=True) > _BENT
    changed = replace(leg, thigh=thigh, shank=shank, front=np.where(bent, -unit(folded), leg.front))
    turns = made.turns.copy()
    _directed(turns, side, changed, body)
    made.turns[moved] = turns[moved]
    made.turns[stands, AT[f"foot.{side}"]] = foot[stands]
    return np.asarray(~moved | reached)


def _armed(made: Segments, plan: BodyPlan, numbers: PoseNumbers, body: Frame) -> Flags:
    """Set the arms by their kinds; return which reach their goals."""
    able = np.ones(numbers.count, dtype=bool)
    level = level_frames(plan.pelvis)
    for side in SIDES:
        kinds = plan.arms[side]
        free = free_arm(numbers, side, kinds, plan.chest)
        _place(made, side, free, body)
        places = body.skeleton(made)
        for kind in (*GOALS, "floor"):
            here = np.flatnonzero(kinds == kind)
            if len(here):
                if kind == "floor":
                    goal = _floor(side, plan, body, places, level, here)
                else:
                    some = {name: place[here] for name, place in places.items()}
                    turned = {name: made.turns[here, AT[name]] for name in SEGMENTS}
                    goal = goals(kind, numbers.subset(here), side, some, turned)
                able[here] &= _reach(
                    made, side, goal, body, places, here, floor=kind == "floor", tips=plan.tips.get(side)
                )
        _lifted_off(made, side, body)
    return able


def _place(made: Segments, side: str, arm: FreeArm, body: Frame) -> None:
    """Set an arm by its directions; the shoulder girdle rises with it."""
    sign, chest = SIDES[side], made.of("chest")
    elevation = np.degrees(np.arccos(np.clip(-(arm.upper * chest[:, :, 2]).sum(axis=-1), -1.0, 1.0)))
    lift = np.maximum(elevation - CLAVICLE_FROM, 0.0) * CLAVICLE_SHARE
    made.turns[:, AT[f"girdle.{side}"]] = chest @ about(FORWARD, lift * sign)
    rest_upper = body.rest(f"upperarm01.{side}", f"lowerarm01.{side}")
    rest_fore = body.rest(f"lowerarm01.{side}", f"wrist.{side}")
    rest_hinge = np.cross(rest_upper, rest_fore)
    hinge = np.cross(arm.upper, arm.fore)
    straight = np.linalg.norm(hinge, axis=1) < 0.02
    hinge[straight] = np.cross(arm.upper[straight], -chest[straight, :, 1])
    made.turns[:, AT[f"upperarm.{side}"]] = carry((rest_upper, rest_hinge), (arm.upper, hinge))
    made.turns[:, AT[f"forearm.{side}"]] = carry((rest_fore, rest_hinge), (arm.fore, hinge))
    made.turns[:, AT[f"hand.{side}"]] = carry((body.fingers[side], body.palms[side]), (arm.fore, arm.palm))


def _floor(  # noqa: PLR0913, PLR0917
    side: str,
    plan: BodyPlan,
    body: Frame,
    places: dict[str, Array],
    level: Array,
    here: NDArray[np.intp],
) -> WristTarget:
    """Return the goal of a palm on the floor at its spot."""
    out, _, forward = plan.hands[side][here].T
    spot = places[f"upperarm.{side}"][here] + seen_from(level[here], SIDES[side], out, np.zeros(len(here)), forward)
    fingers = plan.tips[side][here] if side in plan.tips else -level[here][:, :, 1]
    hand = carry((body.fingers[side], body.palms[side]), (fingers, np.broadcast_to(-UP, fingers.shape)))
    spot[:, 2] = body.under(f"hand.{side}", hand)
    # Limit the spot to the reach of the arm.
    shoulder = places[f"upperarm.{side}"][here]
    longest = np.sqrt(np.maximum((_ALMOST * sum(body.arm)) ** 2 - (shoulder[:, 2] - spot[:, 2]) ** 2, 0.0))
    away = spot[:, :2] - shoulder[:, :2]
    spot[:, :2] = (
        shoulder[:, :2] + away * np.minimum(longest / np.maximum(np.linalg.norm(away, axis=1), 1e-6), 1)[:, None]
    )
    elbow = seen_from(level[here], SIDES[side], np.ones(len(here)), np.zeros(len(here)), np.full(len(here), -0.9))
    return WristTarget(spot, elbow, np.broadcast_to(-UP, spot.shape))


def _reach(  # noqa: PLR0913, PLR0917
    made: Segments,
    side: str,
    goal: WristTarget,
    body: Frame,
    places: dict[str, Array],
    here: NDArray[np.intp],
    *,
    floor: bool,
    tips: Array | None,
) -> Flags:
    """Bend arms until their wrists are at their goals; iterate, because the shoulder girdle follows the arm."""
    part = Segments(made.turns[here], made.roots[here])
    shoulder = places[f"upperarm.{side}"][here]
    for _ in range(3):
        upper, fore = two_bones(goal.wrist - shoulder, body.arm, goal.elbow, MAX_ELBOW_BEND)
        _place(part, side, FreeArm(upper, fore, goal.palm), body)
        shoulder = body.shoulder(part, places["chest"][here], side)
    wrist = shoulder + upper * body.arm[0] + fore * body.arm[1]
    missed = np.linalg.norm(wrist - goal.wrist, axis=1)
    if floor:
        fingers = tips[here] if tips is not None else -level_frames(part.of("pelvis"))[:, :, 1]
        part.turns[:, AT[f"hand.{side}"]] = carry(
            (body.fingers[side], body.palms[side]), (fingers, np.broadcast_to(-UP, fingers.shape))
        )
    made.turns[here] = part.turns
    return np.asarray(missed < (0.02 if floor else np.inf))


def _lifted_off(made: Segments, side: str, body: Frame) -> None:
    """Lift arms that are below the floor onto it."""
    arm = (f"upperarm.{side}", f"forearm.{side}", f"hand.{side}")
    low = np.flatnonzero(body.lowest(made, arm) < 0)
    if not len(low):
        return
    part = Segments(made.turns[low], made.roots[low])
    places = body.skeleton(part)
    shoulder, elbow, wrist = (places[name] for name in arm)
    goal = wrist.copy()
    hands = part.of(f"hand.{side}")
    # A hand on the floor lies flat or on its side.
    fingers = unit(applied(hands, body.fingers[side]) * [1.0, 1.0, 0.0] + 1e-6 * BACK_AXIS)
    palm = applied(hands, body.palms[side])
    palm = unit(across(palm, fingers) + 1e-6 * UP)
    flat = carry((body.fingers[side], body.palms[side]), (fingers, palm))
    goal[:, 2] = np.maximum(goal[:, 2], np.maximum(body.under(f"hand.{side}", flat), 0.045) + _HAND_ROOM)
    pole = (elbow - shoulder) + 0.35 * UP
    for _ in range(2):
        upper, fore = two_bones(goal - shoulder, body.arm, pole, MAX_ELBOW_BEND)
        _place(part, side, FreeArm(upper, fore, palm), body)
        shoulder = body.shoulder(part, places["chest"], side)
    sunk = body.lowest(part, (f"hand.{side}",)) < 0
    part.turns[sunk, AT[f"hand.{side}"]] = flat[sunk]
    made.turns[low] = part.turns

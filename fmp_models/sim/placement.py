"""Plans of whole bodies, and their placement: trunks, legs and arms, with nothing below the floor.

A plan gives the trunk, the legs by their directions or by the positions of the feet, and the kinds of the arms: free
directions within the range of a shoulder, or hands that rest on something. The body is put down first, on the trunk and
the legs that carry it; then feet and hands move to their targets.

A person looks along -y. A lying body has its head at +y or, on the front, at -y; the view sets the heading later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry import unit
from fmp_models.pose import Array
from fmp_models.sim.frames import (
    AT,
    SEGMENTS,
    BodyModel,
    PoseNumbers,
    Segments,
    about,
    across,
    applied,
    carry,
    level_frames,
    seen_from,
    two_bones,
)
from fmp_models.sim.posing import BACK_AXIS, CLAVICLE_FROM, CLAVICLE_SHARE, FORWARD, SIDE_AXIS, SIDES, UP, Triple

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


def put_down(plan: BodyPlan, numbers: PoseNumbers, body: BodyModel) -> tuple[Segments, Flags]:
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


def _directed(turns: Array, side: str, leg: LegPlan, body: BodyModel) -> None:
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


def _stood(made: Segments, side: str, plan: BodyPlan, body: BodyModel) -> Flags:
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


def _armed(made: Segments, plan: BodyPlan, numbers: PoseNumbers, body: BodyModel) -> Flags:
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


def _place(made: Segments, side: str, arm: FreeArm, body: BodyModel) -> None:
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
    body: BodyModel,
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
    body: BodyModel,
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


def _lifted_off(made: Segments, side: str, body: BodyModel) -> None:
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

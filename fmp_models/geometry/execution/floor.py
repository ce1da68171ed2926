"""The floor under a body, and what of the body rests: feet that stand, knees, a seat, the back of somebody who lies.

What rests stays where it is while a clause is carried out, unless the clause moves it: a foot that steps may slide, one
that is lifted may leave the floor. Nothing sinks below the floor, which is where the lowest joint of the pose was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fmp_models.geometry.attitudes import is_sitting
from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.geometry.pose_values import is_lying
from fmp_models.pose import INDEX, Array

_SIDES = (Side.LEFT, Side.RIGHT)
_DOWN = 1  # the axis of the camera that points down
_FOOT, _KNEE, _FLESH = 0.06, 0.1, 0.25  # metres over the floor of what rests on it: toes or heel, a knee, a trunk
_ROOM = frozenset({Direction.FORWARD, Direction.BACKWARD, Direction.LEFT, Direction.RIGHT})
_TURNS = frozenset({Direction.TURN_LEFT, Direction.TURN_RIGHT})
_BENDS = frozenset({Direction.BEND, Direction.STRAIGHTEN})


@dataclass(frozen=True)
class Support:
    """Joints that rest; where it ``slides`` only their height is held."""

    part: Part
    side: Side
    joints: tuple[int, ...]
    slides: bool = False


def floor_level(joints: Array) -> float:
    """Where the floor is under a body (20, 3), downwards in metres of the camera."""
    return float(joints[:, _DOWN].max())


def supports(joints: Array, floor: float) -> tuple[Support, ...]:
    """What of a body (20, 3) rests."""
    over = floor - joints[:, _DOWN]
    lies, sits = bool(is_lying(joints)), bool(is_sitting(joints))
    resting = []
    for side in _SIDES:
        foot = INDEX[f"{side.value}_ankle"], INDEX[f"{side.value}_foot"]
        if over[list(foot)].min() < _FOOT:
            resting.append(Support(Part.FOOT, side, foot))
        knee = INDEX[f"{side.value}_knee"]
        if over[knee] < _KNEE:
            resting.append(Support(Part.KNEE, side, (knee,)))
        hand = INDEX[f"{side.value}_wrist"], INDEX[f"{side.value}_hand"]
        if lies and over[list(hand)].min() < _KNEE:
            resting.append(Support(Part.HAND, side, hand))
    hips = tuple(INDEX[name] for name in ("hip", "left_hip", "right_hip"))
    if sits or (lies and over[hips[0]] < _FLESH):
        resting.append(Support(Part.HIPS, Side.NONE, hips))
    chest = tuple(INDEX[name] for name in ("neck", "head", "left_shoulder", "right_shoulder"))
    if lies and over[chest[0]] < _FLESH:
        resting.append(Support(Part.TRUNK, Side.NONE, chest))
    return tuple(resting)


def held(resting: tuple[Support, ...], clause: Clause) -> tuple[Support, ...]:
    """What still rests while a clause is carried out; what carries the whole body never leaves the floor."""
    kept = tuple(_still(resting, clause))
    return kept or resting


def _still(resting: tuple[Support, ...], clause: Clause) -> Iterator[Support]:
    seated = any(support.part in {Part.HIPS, Part.TRUNK} for support in resting)
    for support in resting:
        if _lifted(support, clause, seated=seated):
            continue
        yield Support(support.part, support.side, _kept_joints(support, clause), _steps(support, clause))


def _lifted(support: Support, clause: Clause, *, seated: bool) -> bool:
    """Whether the clause takes it off the floor; who is ``seated`` has feet to spare."""
    part, sides = clause.part, clause.side.each
    if part is Part.BODY:
        rises = clause.direction in {Direction.UP, Direction.DOWN} or clause.relations
        return bool(rises) and support.part is not Part.FOOT
    if support.part is Part.HAND:
        return part in {Part.ARM, Part.ELBOW, Part.FOREARM, Part.HAND} and support.side in sides
    if support.part is Part.TRUNK:
        return part in {Part.TRUNK, Part.HEAD}
    if support.part is Part.HIPS:
        return part is Part.HIPS
    if support.side not in sides:
        return False
    # Of one leg alone, a knee bends by lifting its foot; of both, by lowering the hips.
    alone = seated or clause.side is not Side.BOTH or support.part is Part.KNEE
    return part is Part.LEG or (part is Part.KNEE and alone)


def _steps(support: Support, clause: Clause) -> bool:
    """Whether the clause moves it along the floor."""
    if clause.part is Part.BODY:
        return clause.direction in _ROOM | _TURNS
    foot = clause.part is Part.FOOT and support.part in {Part.FOOT, Part.KNEE}
    turned = clause.direction in {Direction.TURN_OUT, Direction.TURN_IN}
    return foot and not turned and support.side in clause.side.each


def _kept_joints(support: Support, clause: Clause) -> tuple[int, ...]:
    """A foot that turns out stands on its heel."""
    turned = clause.part is Part.FOOT and clause.direction in {Direction.TURN_OUT, Direction.TURN_IN}
    return support.joints[:1] if turned and support.part is Part.FOOT else support.joints


def offsets(resting: tuple[Support, ...], joints: Array, bodies: Array) -> Array:
    """Metres (..., n) that what rests has left its place by, from ``joints`` (20, 3) to ``bodies`` (..., 20, 3)."""
    fixed = [joint for support in resting if not support.slides for joint in support.joints]
    sliding = [joint for support in resting if support.slides for joint in support.joints]
    away = (bodies - joints)[..., fixed, :]
    height = (bodies - joints)[..., sliding, _DOWN]
    return np.concatenate([away.reshape(*away.shape[:-2], -1), height], axis=-1)


def sunk(joints: Array, floor: float) -> Array:
    """Metres (..., 20) that each joint lies below the floor."""
    return np.asarray(np.maximum(joints[..., _DOWN] - floor, 0.0))


def set_down(joints: Array, floor: float) -> Array:
    """The body with its lowest joint on the floor."""
    standing = np.array(joints)
    standing[:, _DOWN] += floor - floor_level(joints)
    return standing

"""The body as a tree of stiff bones: how joints move when the bones beyond a pivot are turned about it.

Turns are rotation vectors in the axes of the camera, the root's last three numbers are metres. Joints of one row of
numbers are (20, 3); bones keep their lengths exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fmp_models.common.rotations import CROSS_PRODUCT, rotations
from fmp_models.pose import BODY_SIDES, INDEX, JOINTS, PARENTS, Array


class JointTurn(NamedTuple):
    """A turn of the joints ``carried`` about ``pivot``, within that of ``within`` (a place in :data:`TURNS`, or -1).

    ``effort`` is what people do not do for nothing: the cost of one radian, against a middle step of a measure.
    """

    pivot: int
    carried: tuple[int, ...]
    within: int
    effort: tuple[float, float, float] = (0.12, 0.12, 0.12)


def _turns() -> tuple[JointTurn, ...]:
    def turn(
        pivot: str, *carried: str, within: int, effort: tuple[float, float, float] = (0.12, 0.12, 0.12)
    ) -> JointTurn:
        return JointTurn(INDEX[pivot], tuple(INDEX[name] for name in carried), within, effort)

    arms = {side: [f"{side}_{name}" for name in ("shoulder", "elbow", "wrist", "hand")] for side in BODY_SIDES}
    legs = {side: [f"{side}_{name}" for name in ("hip", "knee", "ankle", "foot")] for side in BODY_SIDES}
    chest = ["neck", "head", *arms["left"], *arms["right"]]
    turns = [
        # Limbs move first: nobody leans, twists or shrugs for what an arm or a leg can do by itself.
        turn("hip", *JOINTS[1:], within=-1, effort=(1.0, 0.6, 1.0)),
        turn("hip", "spine", *chest, within=0, effort=(1.0, 0.6, 1.0)),
        turn("spine", *chest, within=1, effort=(1.5, 0.8, 1.5)),
        turn("neck", "head", within=2, effort=(0.4, 0.4, 0.4)),
    ]
    turns += [turn("neck", *arms[side], within=2, effort=(1.0, 1.0, 1.0)) for side in BODY_SIDES]
    turns += [turn(arms[side][0], *arms[side][1:], within=4 + i) for i, side in enumerate(BODY_SIDES)]
    turns += [turn(arms[side][1], *arms[side][2:], within=6 + i) for i, side in enumerate(BODY_SIDES)]
    turns += [turn(legs[side][0], *legs[side][1:], within=0) for side in BODY_SIDES]
    turns += [turn(legs[side][1], *legs[side][2:], within=10 + i) for i, side in enumerate(BODY_SIDES)]
    turns += [turn(legs[side][2], *legs[side][3:], within=12 + i) for i, side in enumerate(BODY_SIDES)]
    return tuple(turns)


TURNS = _turns()
UNKNOWNS = 3 * len(TURNS) + 3
_SHIFT_EFFORT = 0.12  # of one metre of the whole body
# What a mirror makes of each number: turns about the upright and the forward axis, and a shift to a side, change sign.
_MIRRORED = np.array([*((1.0, -1.0, -1.0) * len(TURNS)), -1.0, 1.0, 1.0])
_RIGHT = [any(JOINTS[joint].startswith("right") for joint in turn.carried[:1]) for turn in TURNS]
# The way in which each number is tried, so that mirrored bodies are tried mirrored; and those, of the middle of the
# body, that are tried both ways for it.
TRIED: Array = np.where(np.repeat([*_RIGHT, False], 3), _MIRRORED, 1.0)
_MIDDLE = [len({JOINTS[joint].split("_")[0] for joint in turn.carried} & {*BODY_SIDES}) != 1 for turn in TURNS]
BOTH_WAYS = np.flatnonzero(np.repeat([*_MIDDLE, True], 3) & (_MIRRORED < 0))
EFFORT: Array = np.array([*(effort for turn in TURNS for effort in turn.effort), *3 * (_SHIFT_EFFORT,)])
_INNERMOST = [max((i for i, turn in enumerate(TURNS) if joint in turn.carried), default=-1) for joint in range(20)]
_PIVOTS = [turn.pivot for turn in TURNS]
_CARRIED = np.array([[joint in turn.carried for joint in range(len(JOINTS))] for turn in TURNS])


def moved(joints: Array, numbers: Array) -> Array:
    """The joints (20, 3) after the turns and the shift in ``numbers`` (UNKNOWNS,)."""
    rotations_of_turns = rotations(numbers[:-3].reshape(-1, 3))
    frames: list[Array] = []
    for turn, rotation in zip(TURNS, rotations_of_turns, strict=True):
        frames.append(rotation if turn.within < 0 else frames[turn.within] @ rotation)
    after = np.array(joints)
    after[0] = joints[0] + numbers[-3:]
    for joint in range(1, len(JOINTS)):
        parent = PARENTS[joint]
        after[joint] = after[parent] + frames[_INNERMOST[joint]] @ (joints[joint] - joints[parent])
    return after


def slopes(joints: Array) -> Array:
    """How the joints move with each number at first: (UNKNOWNS, 20, 3)."""
    arms = (joints[None] - joints[_PIVOTS][:, None]) * _CARRIED[..., None]
    turns = np.einsum("ijk,tnk->tjni", CROSS_PRODUCT, arms).reshape(-1, len(JOINTS), 3)
    shift = np.broadcast_to(np.eye(3)[:, None], (3, len(JOINTS), 3))
    return np.concatenate([turns, shift])

"""Measured labels: what changes between two moments of a film, in the slots of ``docs/real_pairs.md``.

Joints are metres in a room whose z axis is up. Nothing here uses the product's own measurements: each slot is
an angle or a length defined here. A change between small and clear has no label, since labelling by eye would
give none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fmp_models.evaluation.real.pairs import SIDES, Truth
from fmp_models.pose import INDEX, Array

# Up to the first threshold a change counts as none, from the second as a change, from the third as one to mention.
_DEGREES, _LENGTH = (10.0, 20.0, 45.0), (0.05, 0.12, 0.25)
_LEAN, _HEIGHT = (6.0, 14.0, 25.0), (0.04, 0.09, 0.25)
_STEPS: Mapping[str, tuple[float, float, float]] = {
    "arm_up": _DEGREES,
    "elbow_bend": _DEGREES,
    "knee_bend": _DEGREES,
    "trunk_forward": _LEAN,
    "trunk_left": _LEAN,
    "trunk_twist_left": _DEGREES,
    "body_turn_left": _DEGREES,
    "hips_down": _HEIGHT,
}
_STANCE, _FEET_AHEAD = "feet_apart", (("left_foot_forward", 1), ("right_foot_forward", -1))
# People mention these first in a description; foot positions, arm directions and trunk turns come later.
_MENTIONED = ("arm_up", "hand_up", "elbow_bend", "knee_bend", "leg_up", _STANCE, "trunk_forward", "trunk_left")
_MAX_REQUIRED = 4
_HALF_TURN = 180.0


def measured_truth(current: Array, target: Array) -> tuple[Truth, tuple[str, ...]]:
    """Return the label of every measured slot, and the slots to mention first, by decreasing size of the change.

    If an upper arm and its hand move in different directions, out or forward, that slot has no label. If a stride
    moves the feet more forward or backward than apart, ``feet_apart`` has no label.
    """
    before, after = _values(current), _values(target)
    truth: dict[str, int | None] = {}
    sizes: dict[str, float] = {}
    for slot, (value, *also) in before.items():
        changes = [_wrapped(slot, new - old) for old, new in zip((value, *also), after[slot], strict=True)]
        nothing, surely, much = _steps(slot)
        signs = {0 if abs(change) <= nothing else int(np.sign(change)) for change in changes}
        clear = abs(changes[0]) <= nothing or abs(changes[0]) >= surely
        truth[slot] = signs.pop() if clear and len(signs) == 1 else None
        sizes[slot] = abs(changes[0]) / much
    stride = sum(sign * (after[slot][0] - before[slot][0]) for slot, sign in _FEET_AHEAD)
    if truth[_STANCE] and abs(stride) > abs(after[_STANCE][0] - before[_STANCE][0]):
        truth[_STANCE] = None
    must: list[str] = []
    for slot in sorted(sizes, key=lambda name: -sizes[name]):
        if sizes[slot] >= 1 and truth[slot] and _plain(slot) in _MENTIONED and not _repeats(slot, must):
            must.append(slot)
    return truth, tuple(must[:_MAX_REQUIRED])


def _plain(slot: str) -> str:
    return next((slot.removeprefix(f"{side}_") for side in SIDES if slot.startswith(f"{side}_")), slot)


def _steps(slot: str) -> tuple[float, float, float]:
    return _STEPS.get(_plain(slot), _LENGTH)


def _repeats(slot: str, mentioned: list[str]) -> bool:
    """Return whether the arm of this hand, or the hand of this arm, is mentioned already."""
    twin = slot.replace("hand_up", "arm_up") if slot.endswith("hand_up") else slot.replace("arm_up", "hand_up")
    return twin != slot and twin in mentioned


def _wrapped(slot: str, change: float) -> float:
    turns = slot in {"trunk_twist_left", "body_turn_left"}
    return _HALF_TURN - (_HALF_TURN - change) % (2 * _HALF_TURN) if turns else change


def _values(room: Array) -> dict[str, tuple[float, ...]]:
    """Return degrees and metres by slot; if a slot has a second number, both must change in the same direction."""
    left = (room[INDEX["left_hip"]] - room[INDEX["right_hip"]]) * [1, 1, 0]
    left = left / np.linalg.norm(left)
    axes = np.stack([left, [0.0, 0.0, 1.0], np.cross(left, [0.0, 0.0, 1.0])])  # left, up, forward
    body = (room - room[INDEX["hip"]]) @ axes.T
    joint = {name: body[number] for name, number in INDEX.items()}
    floor = min(joint[f"{side}_{part}"][1] for side in SIDES for part in ("ankle", "foot"))
    values: dict[str, tuple[float, ...]] = {}
    for side, outward in zip(SIDES, (1, -1), strict=True):
        arm = joint[f"{side}_elbow"] - joint[f"{side}_shoulder"]
        hand = (joint[f"{side}_wrist"] + joint[f"{side}_hand"]) / 2 - joint[f"{side}_shoulder"]
        ankle = joint[f"{side}_ankle"]
        values |= {
            f"{side}_arm_up": (float(np.degrees(np.arctan2(arm[1], np.hypot(arm[0], arm[2])))),),
            f"{side}_hand_up": (hand[1],),
            f"{side}_arm_out": (hand[0] * outward, 2 * arm[0] * outward),
            f"{side}_arm_forward": (hand[2], 2 * arm[2]),
            f"{side}_elbow_bend": (_bend(joint, side, "shoulder", "elbow", "wrist"),),
            f"{side}_knee_bend": (_bend(joint, side, "hip", "knee", "ankle"),),
            f"{side}_leg_up": (ankle[1] - floor,),
            f"{side}_foot_side": (ankle[0],),
            f"{side}_foot_forward": (ankle[2],),
        }
    trunk = joint["neck"]
    hips, shoulders = (_heading(room, part) for part in ("hip", "shoulder"))
    return values | {
        _STANCE: (abs(joint["left_ankle"][0] - joint["right_ankle"][0]),),
        "hips_down": (floor,),  # heights are relative to the hips
        "trunk_forward": (float(np.degrees(np.arctan2(trunk[2], trunk[1]))),),
        # Relative to both other axes: for a trunk bent below level, "up" alone would make a slight lean half a turn.
        "trunk_left": (float(np.degrees(np.arctan2(trunk[0], np.hypot(trunk[1], trunk[2])))),),
        "trunk_twist_left": (shoulders - hips,),
        "body_turn_left": (hips,),
    }


def _bend(joint: Mapping[str, Array], side: str, upper: str, middle: str, lower: str) -> float:
    first, second = (joint[f"{side}_{end}"] - joint[f"{side}_{middle}"] for end in (upper, lower))
    cosine = first @ second / (np.linalg.norm(first) * np.linalg.norm(second))
    return _HALF_TURN - float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def _heading(room: Array, part: str) -> float:
    across = room[INDEX[f"left_{part}"]] - room[INDEX[f"right_{part}"]]
    return float(np.degrees(np.arctan2(across[1], across[0])))

"""Measured truth: what changes between two moments of a film, in the slots of ``docs/real_pairs.md``.

Joints are metres in a room whose z axis is up. Nothing here knows how the product measures: each slot is an angle or a
length of its own. What changes by neither little nor much has no label, as nobody who labels by eye would give one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fmp_models.evaluation.real.pairs import SIDES, Truth
from fmp_models.pose import INDEX, Array

# Below the first a change is none, from the second it is one, from the third anybody would mention it.
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
# Who describes a pose mentions these first; where a foot stands, which way an arm points or a trunk turns, later.
_MENTIONED = ("arm_up", "hand_up", "elbow_bend", "knee_bend", "leg_up", _STANCE, "trunk_forward", "trunk_left")
_MAX_REQUIRED = 4
_HALF_TURN = 180.0


def measured_truth(current: Array, target: Array) -> tuple[Truth, tuple[str, ...]]:
    """The label of every slot that is measured, and those that anybody would mention first, largest first.

    A pair in which an upper arm goes one way and its hand another, out or forward, has no label for that slot, and one
    with a stride none for feet that come apart or together by it, further ahead than aside.
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
    """Whether the arm of a hand, or the hand of an arm, is mentioned."""
    twin = slot.replace("hand_up", "arm_up") if slot.endswith("hand_up") else slot.replace("arm_up", "hand_up")
    return twin != slot and twin in mentioned


def _wrapped(slot: str, change: float) -> float:
    turns = slot in {"trunk_twist_left", "body_turn_left"}
    return _HALF_TURN - (_HALF_TURN - change) % (2 * _HALF_TURN) if turns else change


def _values(room: Array) -> dict[str, tuple[float, ...]]:
    """Degrees and metres by slot; a second number must change the same way as the first."""
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
        "hips_down": (floor,),  # the hips are at 0
        "trunk_forward": (float(np.degrees(np.arctan2(trunk[2], trunk[1]))),),
        # Against both others: in a fold below level, up alone would turn a slight lean into half a turn.
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

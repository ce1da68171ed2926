"""What a bystander sees of a body that was told to move, as measures with the range that counts as done."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from fmp_models.pose import BODY_SIDES, CAMERA_UP, INDEX, Array, angle, body_axes, in_pelvis_frame, wrap_degrees, yaw

_OTHER = dict(zip(BODY_SIDES, BODY_SIDES[::-1], strict=True))
_LIMBS = {
    "arm": ("shoulder", "wrist"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
    "leg": ("hip", "ankle"),
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
}
_TIPS = {"hand": ("wrist", "hand"), "foot": ("ankle", "foot")}
# The lines of the body that a hand or foot may be put on, as pairs of joints; {} is the side of the limb.
_PLACES = {
    "hip": (("{}_hip", "spine"), ("spine", "spine")),  # the waist as well
    "head": (("head", "head"), ("neck", "head")),
    "neck": (("neck", "head"), ("neck", "neck")),
    "chest": (("spine", "neck"),),
    "belly": (("hip", "spine"),),
    "back": (("hip", "neck"),),
    "shoulder": (("{}_shoulder", "{}_shoulder"),),
    "elbow": (("{}_elbow", "{}_elbow"),),
    "thigh": (("{}_hip", "{}_knee"),),
    "knee": (("{}_knee", "{}_knee"),),
    "shank": (("{}_knee", "{}_ankle"),),
    "leg": (("{}_hip", "{}_knee"), ("{}_knee", "{}_ankle")),
    "foot": (("{}_ankle", "{}_foot"),),
    "toes": (("{}_foot", "{}_foot"),),
    "seat": (("left_hip", "right_hip"),),
}


class Expectation(NamedTuple):
    """A measure of what was and what is, and the range it shall lie in; ``{side}`` stands in a sided one's words."""

    measure: Callable[..., float]
    low: float = -math.inf
    high: float = math.inf
    sided: bool = False


class Missed(NamedTuple):
    """An expectation that is not met, with the value measured."""

    expectation: str
    value: float


def _at(joints: Array, name: str) -> Array:
    return joints[INDEX[name]]


def _height(joints: Array, *names: str) -> float:
    """Metres of the lowest of some joints over the lowest of all."""
    return float(joints[:, 1].max() - max(_at(joints, name)[1] for name in names))


def _trunk(joints: Array) -> Array:
    return _at(joints, "neck") - _at(joints, "hip")


def _limb(joints: Array, limb: str, side: str) -> Array:
    start, end = (_at(joints, f"{side}_{part}") for part in _LIMBS[limb])
    return np.asarray(end - start)


def _chest(joints: Array) -> Array:
    return np.cross(_at(joints, "left_shoulder") - _at(joints, "right_shoulder"), _trunk(joints))


def _lean(joints: Array, vector: Array, towards: str) -> float:
    """Signed degrees that a vector is tipped from straight up towards a side of the person, ahead or back."""
    left, up, forward = body_axes(joints) @ vector
    across = {"left": left, "right": -left, "forward": forward, "back": -forward}[towards]
    return math.degrees(math.atan2(across, up))


def _head_lean(joints: Array, towards: str) -> float:
    """Signed degrees that the head is tipped against the trunk."""
    trunk, head = _trunk(joints), _at(joints, "head") - _at(joints, "neck")
    across = _at(joints, "left_shoulder") - _at(joints, "right_shoulder")
    axis = {"left": across, "right": -across, "forward": _chest(joints), "back": -_chest(joints)}[towards]
    return math.degrees(math.atan2(head @ axis / np.linalg.norm(axis), head @ trunk / np.linalg.norm(trunk)))


def _shoulder_yaw(joints: Array) -> float:
    across = _at(joints, "left_shoulder") - _at(joints, "right_shoulder")
    return math.degrees(math.atan2(across[2], across[0]))


def _bend(joints: Array, root: str, middle: str, end: str) -> float:
    """Degrees that a joint is bent; 0 is straight."""
    return float(angle(_at(joints, middle) - _at(joints, root), _at(joints, end) - _at(joints, middle)))


def _distance(joints: Array, one: str, other: str) -> float:
    return float(np.linalg.norm(_at(joints, one) - _at(joints, other)))


def _level_distance(joints: Array, one: str, other: str) -> float:
    return float(np.linalg.norm((_at(joints, one) - _at(joints, other))[[0, 2]]))


def _to_place(joints: Array, tip: str, side: str, place: str) -> float:
    """Metres from a hand or foot to a place on the body; ``other_`` is on the other side, ``any_`` on either."""
    sides = [_OTHER[side]] if place.startswith("other_") else BODY_SIDES if place.startswith("any_") else [side]
    lines = _PLACES[place.removeprefix("other_").removeprefix("any_")]
    distances = []
    for start, end in ((a.format(where), b.format(where)) for where in sides for a, b in lines):
        a, b = _at(joints, start), _at(joints, end)
        for name in _TIPS[tip]:
            point = _at(joints, f"{side}_{name}")
            share = np.clip((point - a) @ (b - a) / max((b - a) @ (b - a), 1e-9), 0, 1)
            distances.append(float(np.linalg.norm(point - a - share * (b - a))))
    return min(distances)


def _moved(before: Array, after: Array, *names: str) -> float:
    """Return the largest distance in metres that joints move in the frame of the hips."""
    moved = np.linalg.norm(in_pelvis_frame(after) - in_pelvis_frame(before), axis=-1)
    return float(max(moved[INDEX[name]] for name in names))


def _points(_: Array, after: Array, side: str, limb: str, direction: str) -> float:
    """Degrees between a limb and a direction of the person; of ``level``, any direction along the floor."""
    vector = _limb(after, limb, side)
    left, up, forward = body_axes(after)
    out = left if side == "left" else -left
    if direction == "level":
        return abs(90 - float(angle(vector, CAMERA_UP)))
    axis = {"up": up, "down": -up, "forward": forward, "back": -forward, "out": out, "in": -out}[direction]
    return float(angle(vector, axis))


def _feet_moved(before: Array, after: Array) -> float:
    """Metres by which the feet change their places to each other or rise."""
    apart = [_at(joints, "left_ankle") - _at(joints, "right_ankle") for joints in (before, after)]
    rises = [_height(after, f"{side}_ankle") - _height(before, f"{side}_ankle") for side in BODY_SIDES]
    return max(float(np.linalg.norm(apart[1] - apart[0])), *rises)


def _wrists_above(joints: Array, side: str, name: str) -> float:
    return float(_at(joints, name)[1] - _at(joints, f"{side}_wrist")[1])


def _ahead(joints: Array, side: str) -> float:
    apart = _at(joints, f"{side}_ankle") - _at(joints, f"{_OTHER[side]}_ankle")
    return float(apart @ body_axes(joints)[2])


def _hand_in_frame(joints: Array, side: str, axis: int) -> float:
    """Metres of the wrist from the line of the trunk: to its own side (axis 0) or before the chest (axis 2)."""
    trunk = _trunk(joints) / np.linalg.norm(_trunk(joints))
    across = _at(joints, f"{side}_shoulder") - _at(joints, f"{_OTHER[side]}_shoulder")
    direction = across if axis == 0 else _chest(joints)
    direction = direction - (direction @ trunk) * trunk
    return float((_at(joints, f"{side}_wrist") - _at(joints, "spine")) @ direction / np.linalg.norm(direction))


def _body_bend(joints: Array) -> float:
    """Degrees between the trunk and the line from the hips to the middle of the ankles, 0 where they are in line."""
    ankles = (_at(joints, "left_ankle") + _at(joints, "right_ankle")) / 2
    return float(angle(_trunk(joints), _at(joints, "hip") - ankles))


def _heels(joints: Array, side: str) -> float:
    return _height(joints, f"{side}_ankle") - _height(joints, f"{side}_foot")


def _shoulder_rise(joints: Array, side: str) -> float:
    trunk = _trunk(joints)
    return float((_at(joints, f"{side}_shoulder") - _at(joints, "neck")) @ trunk / np.linalg.norm(trunk))


def _seat_lacks(joints: Array) -> float:
    """Degrees that the straighter knee lacks of a bend as on a seat; 0 on the floor."""
    bends = (_bend(joints, *(f"{side}_{part}" for part in ("hip", "knee", "ankle"))) for side in BODY_SIDES)
    return 0.0 if _height(joints, "hip") <= 0.2 else max(0.0, 55 - min(bends))


def _highest(joints: Array) -> float:
    """Metres of the hips over the highest other joint that is not of the hips or spine."""
    others = [i for name, i in INDEX.items() if "hip" not in name and name != "spine"]
    return float(joints[others, 1].min() - _at(joints, "hip")[1])


# Of both bodies: (before, after), after them the side of a sided one, then further words. Degrees or metres.
EXPECTATIONS: dict[str, Expectation] = {
    # What stays as it was.
    "floor_stays": Expectation(lambda b, a: abs(float(a[:, 1].max() - b[:, 1].max())), high=0.08),
    "still": Expectation(lambda b, a: _moved(b, a, *INDEX), high=0.08),
    "trunk_stays": Expectation(lambda b, a: float(angle(_trunk(b), _trunk(a))), high=15),
    "feet_stay": Expectation(_feet_moved, high=0.15),
    "leg_stays": Expectation(lambda b, a, s: _moved(b, a, f"{s}_knee", f"{s}_ankle"), high=0.15, sided=True),
    "arm_stays": Expectation(
        lambda b, a, s: float(np.linalg.norm(_limb(b, "arm", s) - _limb(a, "arm", s))), high=0.2, sided=True
    ),
    # The trunk and the head.
    "upright": Expectation(lambda _, a: float(angle(_trunk(a), CAMERA_UP)), high=20),
    "tilted": Expectation(lambda _, a: float(angle(_trunk(a), CAMERA_UP)), 20, 70),
    "leans": Expectation(lambda _, a, towards: _lean(a, _trunk(a), towards), 15, 170),
    "back_level": Expectation(lambda _, a: abs(90 - float(angle(_trunk(a), CAMERA_UP))), high=20),
    "twisted": Expectation(
        lambda b, a, to: (1 if to == "left" else -1) * float(wrap_degrees(_shoulder_yaw(a) - _shoulder_yaw(b))), 20, 100
    ),
    "turned": Expectation(lambda b, a, to: (1 if to == "left" else -1) * float(wrap_degrees(yaw(a) - yaw(b))), 25, 135),
    "turned_round": Expectation(lambda b, a: abs(float(wrap_degrees(yaw(a) - yaw(b)))), 140, 180),
    "head_tips": Expectation(lambda b, a, towards: _head_lean(a, towards) - _head_lean(b, towards), 12, 80),
    "chest_up": Expectation(lambda _, a: float(angle(_chest(a), CAMERA_UP)), high=45),
    "chest_down": Expectation(lambda _, a: float(angle(_chest(a), -CAMERA_UP)), high=45),
    "chest_level": Expectation(lambda _, a: abs(90 - float(angle(_chest(a), CAMERA_UP))), high=45),
    "side_under": Expectation(
        lambda _, a, s: float(_at(a, f"{s}_shoulder")[1] - _at(a, f"{_OTHER[s]}_shoulder")[1]), 0.12, sided=True
    ),
    "body_straight": Expectation(lambda _, a: _body_bend(a), high=30),
    # The hips.
    "hips_drop": Expectation(lambda b, a: _height(b, "hip") - _height(a, "hip"), 0.2),
    "hips_rise": Expectation(lambda b, a: _height(a, "hip") - _height(b, "hip"), 0.2),
    "hips_down": Expectation(lambda _, a: _height(a, "hip"), high=0.2),
    "hip_height": Expectation(lambda _, a: _height(a, "hip")),
    "seated": Expectation(lambda _, a: _seat_lacks(a), high=0),
    "hips_highest": Expectation(lambda _, a: _highest(a), -0.02),
    "hips_near_heels": Expectation(
        lambda _, a: min(_distance(a, f"{side}_hip", f"{side}_ankle") for side in BODY_SIDES), high=0.35
    ),
    "head_height": Expectation(lambda _, a: _height(a, "head")),
    "shoulders_height": Expectation(lambda _, a: _height(a, "left_shoulder", "right_shoulder")),
    # The arms.
    "points": Expectation(_points, high=35, sided=True),
    "hand_high": Expectation(lambda _, a, s: _wrists_above(a, s, "head"), 0.0, sided=True),
    "hand_raised": Expectation(lambda _, a, s: _wrists_above(a, s, f"{s}_shoulder"), -0.12, sided=True),
    "elbow_bend": Expectation(
        lambda _, a, s: _bend(a, *(f"{s}_{p}" for p in ("shoulder", "elbow", "wrist"))), sided=True
    ),
    "arm_straight": Expectation(
        lambda _, a, s: _bend(a, *(f"{s}_{p}" for p in ("shoulder", "elbow", "wrist"))), high=35, sided=True
    ),
    "hand_at": Expectation(lambda _, a, s, place: _to_place(a, "hand", s, place), high=0.2, sided=True),
    "hand_down": Expectation(lambda _, a, s: min(_height(a, f"{s}_{p}") for p in _TIPS["hand"]), high=0.15, sided=True),
    "hand_behind": Expectation(lambda _, a, s: _hand_in_frame(a, s, 2), high=-0.04, sided=True),
    "hand_before": Expectation(lambda _, a, s: _hand_in_frame(a, s, 2), 0.08, sided=True),
    "hand_crosses": Expectation(lambda _, a, s: _hand_in_frame(a, s, 0), high=0.02, sided=True),
    "hands_together": Expectation(
        lambda _, a: min(_distance(a, f"left_{p}", f"right_{p}") for p in _TIPS["hand"]), high=0.2
    ),
    "hands_apart": Expectation(lambda _, a: _distance(a, "left_wrist", "right_wrist"), 1.1),
    "shoulder_rises": Expectation(lambda b, a, s: _shoulder_rise(a, s) - _shoulder_rise(b, s), 0.015, sided=True),
    # The legs.
    "knee_bend": Expectation(lambda _, a, s: _bend(a, *(f"{s}_{p}" for p in ("hip", "knee", "ankle"))), sided=True),
    "leg_straight": Expectation(
        lambda _, a, s: _bend(a, *(f"{s}_{p}" for p in ("hip", "knee", "ankle"))), high=30, sided=True
    ),
    "foot_up": Expectation(
        lambda _, a, s: _height(a, f"{s}_ankle") - _height(a, f"{_OTHER[s]}_ankle"), 0.15, sided=True
    ),
    "foot_height": Expectation(lambda _, a, s: _height(a, f"{s}_ankle"), sided=True),
    "foot_down": Expectation(lambda _, a, s: min(_height(a, f"{s}_{p}") for p in _TIPS["foot"]), high=0.12, sided=True),
    "knee_down": Expectation(lambda _, a, s: _height(a, f"{s}_knee"), high=0.15, sided=True),
    "knee_high": Expectation(lambda _, a, s: _height(a, f"{s}_knee") - _height(a, f"{s}_hip"), -0.15, sided=True),
    "foot_at": Expectation(lambda _, a, s, place: _to_place(a, "foot", s, place), high=0.22, sided=True),
    "foot_ahead": Expectation(lambda _, a, s: _ahead(a, s), 0.25, sided=True),
    "heel_rises": Expectation(lambda b, a, s: _heels(a, s) - _heels(b, s), 0.04, sided=True),
    "feet_apart": Expectation(lambda _, a: _level_distance(a, "left_ankle", "right_ankle"), 0.45),
    "feet_together": Expectation(lambda _, a: _level_distance(a, "left_ankle", "right_ankle"), high=0.25),
    "knees_apart": Expectation(lambda _, a: _distance(a, "left_knee", "right_knee"), 0.4),
}
ALWAYS = ("floor_stays",)  # whatever is said


def missed(expected: list[str], before: Array, after: Array) -> list[Missed]:
    """List the expectations that are not met, with ``one`` side and the ``other`` chosen for the body.

    What is expected ``ALWAYS`` is added.
    """
    choices = ({"one": side, "other": _OTHER[side]} for side in BODY_SIDES)
    return min(([*_missed([*ALWAYS, *expected], before, after, sides)] for sides in choices), key=len)


def _missed(expected: list[str], before: Array, after: Array, sides: dict[str, str]) -> Iterator[Missed]:
    for text in expected:
        name, words, low, high = parse(text)
        expectation = EXPECTATIONS[name]
        whose: list[list[str]] = [words]
        if expectation.sided:
            asked = BODY_SIDES if words[0] == "both" else [sides.get(words[0], words[0])]
            whose = [[side, *words[1:]] for side in asked]
        values = [expectation.measure(before, after, *(sides.get(word, word) for word in each)) for each in whose]
        worst = max(values, key=lambda value: max(low - value, value - high))
        if not low <= worst <= high:
            yield Missed(text, worst)


def parse(text: str) -> tuple[str, list[str], float, float]:
    """Split ``name [side] [words] [low..high]`` into name, words and range; a bound left out is the table's own."""
    name, *words = text.split()
    low, high = EXPECTATIONS[name].low, EXPECTATIONS[name].high
    if words and ".." in words[-1]:
        bounds = words.pop().split("..")
        low, high = (float(bound) if bound else usual for bound, usual in zip(bounds, (low, high), strict=True))
    return name, words, low, high

"""Landmarks: objects of the room that a movement goes towards or away from, a body faces or an arm points at.

All directions are seen from above, in the horizontal plane of the camera frame. The bearing of an object
is taken from the part that moves, or from the hips of a body that turns.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

import numpy as np
from numpy.typing import ArrayLike

from fmp_models.geometry.lexicon import BODY_TURNS, HORIZONTAL, SWINGS, BodyAxis, Clause, Direction, Part, Side
from fmp_models.geometry.pose_values import elbow_angle
from fmp_models.pose import INDEX, Array, PosePair, body_axes, wrap_degrees, yaw


@dataclass(frozen=True)
class Landmark:
    """An object: its ``kind``, the camera-frame ``place`` of its centre and its horizontal ``radius``, in metres."""

    kind: str
    place: tuple[float, float, float]
    radius: float


class Bearing(StrEnum):
    """Relation of a clause to an object; the values name the phrases in every language."""

    TOWARDS = "towards"
    AWAY = "away"
    FACING = "facing"
    CHEST = "chest facing"
    BACK = "back to"
    POINTING = "pointing at"
    STILL = "still facing"


@dataclass(frozen=True)
class VisibleLandmark:
    """One object that a clause may name; ``off`` is the angle in degrees between its bearing and the direction."""

    bearing: Bearing
    kind: str
    off: float


_NEAR = 25.0  # degrees within which an object lies in a direction
_TRAVELLED = 40.0  # degrees within which the part itself must have moved there, whatever the rest of the body did
_POINTED = 14.0  # degrees between an arm and what it points at
_STRAIGHT = 145.0  # minimum degrees at the elbow of a pointing arm
_LEVEL_ARM = 0.35  # minimum horizontal metres that a pointing arm reaches
_NEWLY = 10.0  # degrees by which a turn must bring the body nearer to facing something
_ROOM = 0.2  # metres that must remain between a part and the edge of an object that it goes towards
_AFAR = 1.6  # an object must be at least this many times as far as the part moves
_MOVED = 0.06  # metres that a part must move for its direction to count
_SIDEWAYS = 90.0  # degrees beyond which an object lies behind
_SHRUNK = 0.5  # share of a part's movement that must bring it nearer to the object

_TRACKED = {
    Part.ARM: "{side}_elbow",
    Part.HAND: "{side}_wrist",
    Part.FOOT: "{side}_ankle",
    Part.TRUNK: "neck",
    Part.HIPS: "hip",
    Part.BODY: "hip",
}
# "The chair" may also mean the armchair.
_ALSO = {"chair": "armchair", "table": "coffee_table", "shelf": "bookshelf", "wardrobe": "bookshelf"}
_UNDERFOOT = frozenset({"rug"})  # a person moves towards it but does not face it


def unmistakable_kinds(kinds: Sequence[str]) -> frozenset[str]:
    """Return the kinds that identify one object: there is one of the kind, and no other kind shares its word."""
    count = Counter(kinds)
    return frozenset(kind for kind, number in count.items() if number == 1 and _ALSO.get(kind) not in count)


def plain(landmarks: Sequence[Landmark]) -> list[Landmark]:
    """Return the landmarks that are identified by their kind."""
    kinds = unmistakable_kinds([landmark.kind for landmark in landmarks])
    return [landmark for landmark in landmarks if landmark.kind in kinds]


def sights(clause: Clause, pair: PosePair, landmarks: Sequence[Landmark]) -> list[VisibleLandmark]:
    """Return all objects that the clause may name, smallest angle first; empty unless the poses share a room."""
    if not pair.placed:
        return []
    candidates: list[VisibleLandmark] = []
    for landmark in plain(landmarks):
        for bearing, off in _bearings(clause, pair, landmark):
            candidates.append(VisibleLandmark(bearing, landmark.kind, off))
    return sorted(candidates, key=lambda sight: (sight.off, sight.kind, sight.bearing))


def still_faced(pair: PosePair, landmarks: Sequence[Landmark]) -> list[VisibleLandmark]:
    """Return the objects that the body faces both before and after."""
    if not pair.placed:
        return []
    candidates = []
    for landmark in plain(landmarks):
        if landmark.kind in _UNDERFOOT:
            continue
        off = max(_off_facing(pose.joints, landmark) for pose in (pair.current, pair.target))
        if (
            off <= _NEAR
            and min(_distance(pose.joints, "hip", landmark) for pose in (pair.current, pair.target)) > _ROOM
        ):
            candidates.append(VisibleLandmark(Bearing.STILL, landmark.kind, off))
    return sorted(candidates, key=lambda sight: (sight.off, sight.kind))


def _bearings(clause: Clause, pair: PosePair, landmark: Landmark) -> Iterator[tuple[Bearing, float]]:
    if clause.direction in BODY_TURNS:
        if landmark.kind not in _UNDERFOOT:
            yield from _faced(clause, pair, landmark)
        return
    if clause.part is Part.ARM and clause.direction is Direction.UP:
        yield from _pointed(clause, pair, landmark)
    commanded = _commanded(clause, pair.current.joints)
    if commanded is None:
        return
    offs = []
    for joint in joints_of(clause):
        start = _level(pair.current.joints[INDEX[joint]])
        shift = _level(pair.target.joints[INDEX[joint]]) - start
        to = _level(landmark.place) - start
        travelled = float(np.linalg.norm(shift))
        if travelled < _MOVED or np.linalg.norm(to) < max(landmark.radius + _ROOM, _AFAR * travelled):
            return
        offs.append((_between(commanded, to), _between(shift, to)))
    if all(commanded_off <= _NEAR and travelled_off <= _TRAVELLED for commanded_off, travelled_off in offs):
        yield Bearing.TOWARDS, max(commanded_off for commanded_off, _ in offs)
    elif all(
        commanded_off >= 180 - _NEAR and travelled_off >= 180 - _TRAVELLED for commanded_off, travelled_off in offs
    ):
        yield Bearing.AWAY, max(180 - commanded_off for commanded_off, _ in offs)


def joints_of(clause: Clause) -> list[str]:
    """Return the joints whose path shows where the clause's part goes; empty if the part has no path of its own."""
    name = _TRACKED.get(clause.part, "")
    if "{side}" not in name:
        return [name] if name else []
    sides = ("left", "right") if clause.side is Side.BOTH else (clause.side.value,)
    return [name.format(side=side) for side in sides]


def _commanded(clause: Clause, joints: Array) -> Array | None:
    """Return the horizontal direction that the clause means to the person in the current pose."""
    way = clause.direction.of_person(clause.side)
    if clause.part not in _TRACKED or way not in HORIZONTAL:
        return None
    left, _, forward = body_axes(joints)
    return _level(forward if way.axis is BodyAxis.SAGITTAL else left) * way.sign


def _faced(clause: Clause, pair: PosePair, landmark: Landmark) -> Iterator[tuple[Bearing, float]]:
    measure = _off_facing if clause.part is Part.BODY else _off_chest
    before, after = measure(pair.current.joints, landmark), measure(pair.target.joints, landmark)
    if _distance(pair.target.joints, "hip", landmark) < landmark.radius * 0.5 + _ROOM:
        return
    if after <= _NEAR and before >= max(_NEAR, after) + _NEWLY:
        yield Bearing.FACING if clause.part is Part.BODY else Bearing.CHEST, after
    elif clause.part is Part.BODY and 180 - after <= _NEAR and 180 - before >= max(_NEAR, 180 - after) + _NEWLY:
        yield Bearing.BACK, 180 - after


def _pointed(clause: Clause, pair: PosePair, landmark: Landmark) -> Iterator[tuple[Bearing, float]]:
    if clause.side not in {Side.LEFT, Side.RIGHT} or not SWINGS.keys() & set(clause.relations):
        return
    side = clause.side.of_body[0]
    joints = pair.target.joints
    shoulder = _level(joints[INDEX[f"{side}_shoulder"]])
    arm = _level(joints[INDEX[f"{side}_wrist"]]) - shoulder
    to = _level(landmark.place) - shoulder
    clear = np.linalg.norm(to) > landmark.radius + _ROOM + np.linalg.norm(arm)
    if clear and elbow_angle(joints, side) > _STRAIGHT and np.linalg.norm(arm) > _LEVEL_ARM:
        off = _between(arm, to)
        if off <= _POINTED:
            yield Bearing.POINTING, off


def _off_facing(joints: Array, landmark: Landmark) -> float:
    return _between(_level(body_axes(joints)[2]), _level(landmark.place) - _level(joints[INDEX["hip"]]))


def _off_chest(joints: Array, landmark: Landmark) -> float:
    line = _level(joints[INDEX["left_shoulder"]] - joints[INDEX["right_shoulder"]])
    chest = np.array([line[1], -line[0]])  # as body_axes: left x up
    return _between(chest, _level(landmark.place) - _level(joints[INDEX["neck"]]))


def _distance(joints: Array, joint: str, landmark: Landmark) -> float:
    return float(np.linalg.norm(_level(landmark.place) - _level(joints[INDEX[joint]])))


def _level(point: ArrayLike) -> Array:
    return np.asarray(point, dtype=np.float64)[[0, 2]]


def _between(a: Array, b: Array) -> float:
    """Return the degrees between two horizontal vectors."""
    return abs(math.degrees(math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])))


def bearing_agrees(bearing: Bearing, clause: Clause | None, pair: PosePair, landmark: Landmark) -> bool:
    """Return whether the joints confirm a statement about an object.

    The test uses distances and turns, not the angles by which :func:`sights` chooses.
    *Towards* means that the part ends nearer to the object by at least half of the distance that it moves, *away* the
    reverse. *Facing* means that a turn of at most about 25 degrees would be left, and less than before.
    """
    if bearing is Bearing.STILL:
        return max(abs(_left_to_turn(pose.joints, landmark)) for pose in (pair.current, pair.target)) < _NEAR + 1
    if clause is None:
        return False
    match bearing:
        case Bearing.FACING | Bearing.BACK:
            around = 180.0 if bearing is Bearing.BACK else 0.0
            left = [
                abs(float(wrap_degrees(np.asarray(_left_to_turn(pose.joints, landmark) + around))))
                for pose in (pair.current, pair.target)
            ]
            return left[1] < _NEAR + 1 and left[1] < left[0]
        case Bearing.CHEST:
            return _chest_agrees(pair, landmark)
        case Bearing.POINTING:
            shoulder, wrist = (pair.target.joints[INDEX[f"{clause.side}_{name}"]] for name in ("shoulder", "wrist"))
            gaps = [float(np.linalg.norm(_level(landmark.place) - _level(p))) for p in (shoulder, wrist)]
            return gaps[0] - gaps[1] > 0.9 * float(np.linalg.norm(_level(wrist) - _level(shoulder)))
        case Bearing.TOWARDS | Bearing.AWAY:
            return _brought_nearer(1 if bearing is Bearing.TOWARDS else -1, clause, pair, landmark)
        case _:
            assert_never(bearing)


def _brought_nearer(sign: int, clause: Clause, pair: PosePair, landmark: Landmark) -> bool:
    """Return whether each joint of the clause ends nearer to the object, or with sign -1 further from it."""
    nearer = []
    for joint in joints_of(clause):
        before, after = (_distance(pose.joints, joint, landmark) for pose in (pair.current, pair.target))
        travelled = float(np.linalg.norm(_level(pair.target.joints[INDEX[joint]] - pair.current.joints[INDEX[joint]])))
        nearer.append(sign * (before - after) > _SHRUNK * travelled)
    return bool(nearer) and all(nearer)


def _left_to_turn(joints: Array, landmark: Landmark) -> float:
    """Return the degrees that the body would still have to turn to its left to face the object."""
    to = np.asarray(landmark.place) - joints[INDEX["hip"]]
    return float(wrap_degrees(np.asarray(math.degrees(math.atan2(to[0], -to[2])) - float(yaw(joints)))))


def _chest_agrees(pair: PosePair, landmark: Landmark) -> bool:
    """Return whether the chest newly faces the object: it is in front, and both shoulders are about as far from it."""
    after = _shoulder_bias(pair.target.joints, landmark)
    return (
        _off_chest(pair.target.joints, landmark) < _SIDEWAYS
        and after < math.sin(math.radians(_NEAR + 5))
        and _off_chest(pair.current.joints, landmark) > _NEAR
    )


def _shoulder_bias(joints: Array, landmark: Landmark) -> float:
    gaps = [_distance(joints, f"{side}_shoulder", landmark) for side in ("left", "right")]
    line = _level(joints[INDEX["left_shoulder"]] - joints[INDEX["right_shoulder"]])
    return abs(gaps[0] - gaps[1]) / max(float(np.linalg.norm(line)), 1e-6)

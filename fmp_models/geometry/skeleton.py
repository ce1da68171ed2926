"""Skeleton: the body as a tree of rigid bones, how far its joints go, and named postures on a person's own bones.

Turns are rotation vectors in the axes of the camera; the last three numbers are a translation in metres.
Bone lengths are preserved exactly.

Joint limits are angles in degrees computed from the joints of a body. Ranges are those of healthy adults: American
Academy of Orthopaedic Surgeons, Joint Motion: Method of Measuring and Recording (1965), with the means of Boone and
Azen (J. Bone Joint Surg. 1979; arms and legs) and Youdas et al. (Phys. Ther. 1992; neck), widened for flexible people.
The thigh reaches 150 from hanging: 120 in the hip, the rest in the lower back, which the joints do not show separately.
Elbows and knees are hinges: the turn of the upper arm or thigh determines the direction in which they bend, so its
range prevents backward bending. A photograph may show a body beyond a range: the joint then goes no further, and may
stay.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fmp_models.geometry.pose_values import other, outward, unit
from fmp_models.pose import (
    BODY_SIDES,
    INDEX,
    JOINTS,
    PARENTS,
    Array,
    BodySide,
    angle,
    body_axes,
    bone_lengths,
    mirrored_joints,
    rotations,
)


class JointTurn(NamedTuple):
    """A rotation of the joints ``carried``, relative to that of ``within`` (an index of :data:`TURNS`, or -1 for none).

    ``effort`` is the cost of one radian: limbs move first, the trunk last.
    """

    name: str
    carried: frozenset[str]
    within: int
    effort: float = 0.1


def _turns() -> tuple[JointTurn, ...]:
    arms, legs = (
        [[f"{side}_{name}" for name in names] for side in BODY_SIDES]
        for names in (("shoulder", "elbow", "wrist", "hand"), ("hip", "knee", "ankle", "foot"))
    )
    chest = frozenset({"neck", "head", *arms[0], *arms[1]})
    turns = [
        JointTurn("body", frozenset(JOINTS[1:]), -1, 0.6),
        JointTurn("waist", chest | {"spine"}, 0, 0.6),
        JointTurn("spine", chest, 1, 0.8),
        JointTurn("neck", frozenset({"head"}), 2, 0.3),
    ]
    turns += [JointTurn(f"{side}_girdle", frozenset(arm), 2, 0.8) for side, arm in zip(BODY_SIDES, arms, strict=True)]
    for chain, root, count in ((arms[0], 4, 2), (arms[1], 5, 2), (legs[0], 0, 3), (legs[1], 0, 3)):
        for place in range(count):
            within = root if place == 0 else len(turns) - 1
            turns.append(JointTurn(chain[place], frozenset(chain[place + 1 :]), within))
    return tuple(turns)


TURNS = _turns()
UNKNOWNS = 3 * len(TURNS) + 3
_SHIFT_EFFORT = 0.3  # cost of one metre of translation
EFFORT: Array = np.append(np.repeat([turn.effort for turn in TURNS], 3), 3 * [_SHIFT_EFFORT])
_INNERMOST = [max((i for i, turn in enumerate(TURNS) if joint in turn.carried), default=0) for joint in JOINTS]


def unknowns_of(names: frozenset[str]) -> list[int]:
    """Return the indices of the numbers that turn about these pivots; ``shift`` stands for the translation."""
    numbered = enumerate([*(turn.name for turn in TURNS), "shift"])
    return [3 * i + axis for i, name in numbered if name in names for axis in range(3)]


def moved(joints: Array, numbers: Array) -> Array:
    """Return the bodies (n, 20, 3) that result from joints (20, 3) by turns and translations (n, UNKNOWNS)."""
    turned = rotations(numbers[:, :-3].reshape(-1, 3)).reshape(len(numbers), len(TURNS), 3, 3)
    for i, turn in enumerate(TURNS):
        if turn.within >= 0:
            turned[:, i] = turned[:, turn.within] @ turned[:, i]
    bones = joints - joints[list(PARENTS)]
    bodies = (turned[:, _INNERMOST] @ bones[:, :, None])[..., 0]
    bodies[:, INDEX["hip"]] = joints[0] + numbers[:, -3:]
    for joint in range(1, len(JOINTS)):
        bodies[:, joint] += bodies[:, PARENTS[joint]]
    return bodies


# Joint limits.
_PLAIN_BEND = np.sin(np.radians(25.0))  # sine of the bend of an elbow or knee from which its direction is certain
_NEAR_TOP = 0.3  # near an arm that points straight up, where its turn is undefined
_DOWN = np.array([0.0, -1.0, 0.0])


class Limit(NamedTuple):
    """A range in degrees of one angle of a body."""

    name: str
    low: float
    high: float


_OF_A_SIDE = (
    Limit("elbow flexion", 0, 150),
    Limit("shoulder extension", -180, 60),
    Limit("shoulder across the chest", -180, 60),
    Limit("upper arm turned out", -100, 115),
    Limit("knee flexion", 0, 150),
    Limit("hip flexion", 0, 150),
    Limit("hip extension", -180, 30),
    Limit("hip outward", -30, 60),
    Limit("thigh turned out", -75, 75),
    Limit("foot from shank", 10, 130),
)
# In the order of :func:`angles`.
LIMITS: tuple[Limit, ...] = (
    *(Limit(f"{side} {limit.name}", limit.low, limit.high) for side in BODY_SIDES for limit in _OF_A_SIDE),
    Limit("spine aside", -45, 45),
    Limit("spine kink", 0, 60),
    Limit("spine twist", -50, 50),
    Limit("neck forward", -65, 60),
    Limit("neck aside", -45, 45),
)


def ranges(*bodies: Array) -> tuple[Array, Array]:
    """Return the lowest and the highest value of each angle; angles that ``bodies`` already have are always allowed."""
    reached = [angles(body) for body in bodies]
    low, high = np.array([limit[1:] for limit in LIMITS], dtype=np.float64).T
    return np.minimum.reduce([low, *reached]), np.maximum.reduce([high, *reached])


def angles(joints: Array) -> Array:
    """Return the angles (..., n) of bodies (..., 20, 3) in the order of :data:`LIMITS`."""
    pelvis, chest = frames(joints)
    hips, shoulders = (_bone(joints, f"right_{part}", f"left_{part}") for part in ("hip", "shoulder"))
    lower, upper = pelvis[..., 1, :], chest[..., 1, :]
    degrees: list[Array] = []
    for side in BODY_SIDES:
        flip = np.array([outward(side), 1.0, 1.0])
        arm, forearm, thigh, shank = (
            _in(axes, _bone(joints, f"{side}_{start}", f"{side}_{end}")) * flip
            for axes, start, end in (
                (chest, "shoulder", "elbow"),
                (chest, "elbow", "wrist"),
                (pelvis, "hip", "knee"),
                (pelvis, "knee", "ankle"),
            )
        )
        foot = _in(pelvis, _bone(joints, f"{side}_ankle", f"{side}_foot")) * flip
        degrees += [angle(arm, forearm), _arcsine(-arm[..., 2]), _arcsine(-arm[..., 0]), _turned(arm, forearm, 1.0)]
        degrees += [angle(thigh, shank), angle(thigh, _DOWN), _arcsine(-thigh[..., 2]), _arcsine(thigh[..., 0])]
        degrees += [-_turned(thigh, shank, -1.0), angle(shank, foot)]
    head = _in(chest, _bone(joints, "neck", "head"))
    whole = _in(_axes(_bone(joints, "hip", "neck"), hips), shoulders)
    degrees += [
        _arcsine((lower * hips).sum(axis=-1)),
        angle(lower, upper),
        np.degrees(np.arctan2(-whole[..., 2], whole[..., 0])),
        _arcsine(head[..., 2]),
        _arcsine(head[..., 0]),
    ]
    return np.stack(degrees, axis=-1)


def frames(joints: Array) -> tuple[Array, Array]:
    """Return the rows (left, up, forward) of the pelvis and of the chest (..., 3, 3)."""
    hips, shoulders = (_bone(joints, f"right_{part}", f"left_{part}") for part in ("hip", "shoulder"))
    return _axes(_bone(joints, "hip", "spine"), hips), _axes(_bone(joints, "spine", "neck"), shoulders)


def _turned(upper: Array, lower: Array, forward: float) -> Array:
    """Return the degrees that a limb is turned about its upper bone, outward if the lower bone bends out.

    The bend is compared with that of the hanging limb, to the front or (-1) to the back, rotated to the upper
    bone by the shortest swing. It fades to 0 for a straight limb and for one that points straight up.
    """
    bend = lower - (lower * upper).sum(axis=-1, keepdims=True) * upper
    below = np.maximum(1.0 - upper[..., 1], 1e-6)
    swung = (bend * (upper + _DOWN)).sum(axis=-1) / below
    ahead, aside = forward * (bend[..., 2] - upper[..., 2] * swung), bend[..., 0] - upper[..., 0] * swung
    surely = np.minimum(np.linalg.norm(bend, axis=-1) / _PLAIN_BEND, 1.0) * np.minimum(below / _NEAR_TOP, 1.0)
    return np.asarray(np.degrees(np.arctan2(aside, ahead)) * surely)


def _axes(up: Array, across: Array) -> Array:
    left = unit(across - (across * up).sum(axis=-1, keepdims=True) * up)
    return np.stack([left, up, np.cross(left, up)], axis=-2)


def _in(axes: Array, vector: Array) -> Array:
    return np.asarray((axes @ vector[..., None])[..., 0])


def _bone(joints: Array, start: str, end: str) -> Array:
    return unit(joints[..., INDEX[end], :] - joints[..., INDEX[start], :])


def _arcsine(value: Array) -> Array:
    return np.asarray(np.degrees(np.arcsin(np.clip(value, -1.0, 1.0))))


Posture = Mapping[str, Any]  # joint angles of a named end state: a row of postures.toml

_HANGING = 40.0  # degrees from hanging below which an arm stays hanging while the trunk leans
_FACING_UP = 0.4  # cosine of the chest's front with up from which arms move with the chest
_FLAT = (73.0, 0.0)  # degrees of a standing foot: from the line of the shank, and outward
_ACROSS, _UP, _AHEAD = np.eye(3)
_ARM, _LEG = ("elbow", "wrist", "hand"), ("knee", "ankle", "foot")


@cache
def postures() -> Mapping[str, Posture]:
    """Return the rows of the table, by the names of shapes and the words of clauses."""
    rows = tomllib.loads(Path(__file__).with_name("postures.toml").read_text(encoding="utf-8"))

    def of(row: Posture) -> Posture:
        return of(rows[row["like"]]) if "like" in row else row

    return {name: of(row) for name, row in rows.items()}


def rest_of(posture: Posture, side: BodySide) -> tuple[int, ...]:
    """Return the joints that bear a body in a posture that is held on a side."""
    names = [name.format(side=side, other=other(side)) for name in posture.get("rest", ("ankle", "foot"))]
    return tuple(
        i for i, joint in enumerate(JOINTS) if joint in names or ("_" in joint and joint.split("_")[1] in names)
    )


def posed(joints: Array, posture: Posture, side: BodySide, sides: Sequence[BodySide] = BODY_SIDES) -> Array:
    """Return the body (20, 3) in a posture held on a ``side``, with the hips in place.

    Only the limbs of ``sides`` move. Parts that the posture does not define stay: arms relative to the chest,
    legs in the room.
    """
    if side == "right":
        return mirrored_joints(posed(mirrored_joints(joints), posture, "left", [other(one) for one in sides]))
    room, (pelvis, chest) = body_axes(joints), frames(joints)
    now = joints - joints[list(PARENTS)]
    bones = np.array(now)
    new_pelvis = _tilted(room, *posture["pelvis"]) if "pelvis" in posture else pelvis
    new_chest = _tilted(new_pelvis, *posture["trunk"]) if "trunk" in posture else chest @ pelvis.T @ new_pelvis
    of_chest = ["neck", "head", "left_shoulder", "right_shoulder"]
    for of_side in BODY_SIDES:
        upper = now[INDEX[f"{of_side}_elbow"]]
        hangs = upper[1] > np.cos(np.radians(_HANGING)) * np.linalg.norm(upper)
        if not hangs or new_chest[2] @ room[1] > _FACING_UP:
            of_chest += [f"{of_side}_{name}" for name in _ARM]
    of_pelvis = ["spine", "left_hip", "right_hip"]
    for of_part, before, after in ((of_pelvis, pelvis, new_pelvis), (of_chest, chest, new_chest)):
        carried = [INDEX[name] for name in of_part]
        bones[carried] = now[carried] @ before.T @ after
    if "head" in posture:
        bones[INDEX["head"]] = _tilted(new_chest, *posture["head"])[1]
    for of_side in sides:
        for limb, axes, names in (("arm", new_chest, _ARM), ("leg", new_pelvis, _LEG)):
            flipped = axes * np.array([[1.0 if of_side == "left" else -1.0], [1.0], [1.0]])  # left points outward
            angles, foot = (_of_side(posture, name, of_side) for name in (limb, "foot"))
            if angles is not None:
                chain = [INDEX[f"{of_side}_{name}"] for name in names]
                bones[chain] = _limb(limb, angles, foot or _FLAT, flipped @ bones[chain[0]]) @ flipped
    return joined(bones, joints)


def joined(bones: Array, joints: Array) -> Array:
    """Return joints (20, 3) with bones in the directions ``bones`` and the lengths and hips of ``joints``."""
    bones = bones * (bone_lengths(joints) / np.maximum(np.linalg.norm(bones, axis=-1), 1e-9))[:, None]
    put = np.array(joints)
    for child, parent in enumerate(PARENTS):
        if child != parent:
            put[child] = put[parent] + bones[child]
    return put


def _of_side(posture: Posture, name: str, side: BodySide) -> Sequence[float] | None:
    return (posture.get(f"other_{name}") if side == "right" else None) or posture.get(name)


def _rotation(axis: Array, degrees: float) -> Array:
    return np.asarray(rotations(np.radians(degrees) * axis[None])[0])


def _tilted(axes: Array, forward: float, aside: float, turned: float = 0.0) -> Array:
    """Return the rows (left, up, forward) of a part that leans and turns to the left, from the axes of another part."""
    turn = _rotation(_AHEAD, -aside) @ _rotation(_ACROSS, forward) @ _rotation(_UP, turned)
    return np.asarray(turn.T @ axes)


def _limb(limb: str, angles: Sequence[float], foot: Sequence[float], upper: Array) -> Array:
    """Return the bones (3, 3) of an arm or leg as (outward, up, forward); a ``nan`` lift means that of ``upper``."""
    lift, swing, bend, turned = angles
    if np.isnan(lift):
        lift = np.degrees(np.arccos(np.clip(-upper[1] / np.linalg.norm(upper), -1, 1)))
        swing = np.degrees(np.arctan2(upper[2], upper[0]))
    around, (pointed, out) = np.radians(swing), np.radians(foot)
    frame = _rotation(np.array([-np.sin(around), 0.0, np.cos(around)]), lift) @ _rotation(_UP, turned)
    hinge = _rotation(_ACROSS, bend if limb == "leg" else -bend)
    toes = np.sin(pointed) * np.array([np.sin(out), 0.0, np.cos(out)]) - np.cos(pointed) * _UP
    lower = hinge @ -_UP
    return np.array([-_UP, lower, hinge @ toes if limb == "leg" else lower]) @ frame.T

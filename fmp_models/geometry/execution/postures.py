"""Postures: joint angles of named end states, applied to a person's own bones."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fmp_models.common.rotations import rotations
from fmp_models.geometry.execution.joint_limits import frames
from fmp_models.geometry.pose_values import other
from fmp_models.pose import (
    BODY_SIDES,
    INDEX,
    JOINTS,
    PARENTS,
    Array,
    BodySide,
    body_axes,
    bone_lengths,
    mirrored_joints,
)

Posture = Mapping[str, Any]

_HANGING = 40.0  # degrees from hanging below which an arm stays hanging while the trunk leans
_FACING_UP = 0.4  # cosine of the chest's front with up from which arms move with the chest
_FLAT = (73.0, 0.0)  # degrees of a standing foot: from the line of the shank, and outward
_ACROSS, _UP, _AHEAD = np.eye(3)
_ARM, _LEG = ("elbow", "wrist", "hand"), ("knee", "ankle", "foot")


@cache
def postures() -> Mapping[str, Posture]:
    """Return the rows of the table, by the names of shapes and the words of clauses."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

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

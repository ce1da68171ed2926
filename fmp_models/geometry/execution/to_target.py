"""Execution towards a known target: each step moves the parts that it names to their place in the target.

A correction of two photographs knows both bodies, and a person who follows it sees the target too. A step
is therefore done when the bones of its parts point as in the target. Bones keep their lengths, the
bearing joints stay in place, no step undoes an earlier one, and the last pose is the target on the bones
of the current body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import assert_never

import numpy as np

from fmp_models.geometry.clauses import Clause, Part, Side
from fmp_models.geometry.execution.postures import joined
from fmp_models.geometry.execution.progress import bearing_joints, on_bones_of
from fmp_models.geometry.lexicon import BODY_TURNS, HORIZONTAL
from fmp_models.geometry.pose_values import unit
from fmp_models.pose import (
    BODY_SIDES,
    INDEX,
    PARENTS,
    Array,
    Pose,
    bone_lengths,
)

ARRIVED = 0.03  # metres of the joint furthest from the target below which nothing is left to move
_FIRST_SHARE = 2 / 3  # share of the way if a later step goes the rest
_SPINE = ("spine", "neck", "left_shoulder", "right_shoulder", "left_hip", "right_hip")
# Parts attached to the trunk that move with it unless a step names them.
_CARRIED = (("head",), *(tuple(f"{side}_{name}" for name in ("elbow", "wrist", "hand")) for side in BODY_SIDES))


def steps_to_target(steps: Sequence[Collection[Clause]], current: Pose, target: Pose) -> list[Array]:
    """Return the joints (20, 3) after each step, in sequence, in the camera frame.

    The last pose is :func:`on_bones_of`. If a joint is further than ``ARRIVED`` from it after the steps, one
    more pose is added.
    """
    goal = on_bones_of(current, target)
    lengths, aims = bone_lengths(current.joints), _directions(goal)
    bearing = bearing_joints(current.joints, goal)
    place, floor = current.joints[bearing].mean(axis=0), current.joints[:, 1].max()
    bones = _directions(current.joints)
    moved: set[int] = set()
    poses = [current.joints]
    for clauses, shares in zip(steps, _shares(steps), strict=True):
        whole_body = {clause.direction for clause in clauses if clause.part is Part.BODY}
        if whole_body & HORIZONTAL:
            place = goal[bearing].mean(axis=0)
        moved |= shares.keys()
        before, bones = bones, _brought(bones, aims, shares)
        if shares.keys() & {INDEX[name] for name in _SPINE}:
            bones = _carried_along(before, bones, None if whole_body & BODY_TURNS else aims * lengths[:, None], moved)
        joints = joined(bones, current.joints)
        shift = place - joints[bearing].mean(axis=0)
        shift[1] = floor - joints[:, 1].max()
        poses.append(joints + shift)
    if np.linalg.norm(poses[-1] - goal, axis=-1).max() > ARRIVED:
        poses.append(goal)
    elif len(poses) > 1:
        poses[-1] = goal
    return poses[1:]


def _shares(steps: Sequence[Collection[Clause]]) -> list[dict[int, float]]:
    """Return for each step the bones that it moves, by their outer joint, and the share of their way that they go.

    The share is 1 unless a later step names no other bones: the earlier steps then leave something for that
    one, of the legs rather than of the trunk.
    """
    trunk = {INDEX[name] for name in _SPINE}
    named = [{INDEX[name] for clause in clauses for name in _joints_of(clause)} for clauses in steps]
    last: dict[int, int] = {}
    for number, joints in enumerate(named):
        if joints <= set().union(*named[:number]):
            last |= dict.fromkeys(joints - trunk or joints, number)
    return [
        {joint: 1.0 if number >= last.get(joint, 0) else _FIRST_SHARE for joint in joints}
        for number, joints in enumerate(named)
    ]


def _brought(bones: Array, aims: Array, shares: Mapping[int, float]) -> Array:
    """Return the directions (20, 3) of bones after some of them moved towards their aims by a share of the way."""
    share = np.array([[shares.get(joint, 0.0)] for joint in range(len(PARENTS))])
    return unit(bones + share * (aims - bones))


def _joints_of(clause: Clause) -> Iterable[str]:
    """Return the joints at the ends of the bones that a clause moves."""
    match clause.part:
        case Part.ARM | Part.FOREARM | Part.HAND | Part.ELBOW | Part.LEG | Part.KNEE | Part.FOOT:
            return [name for side in clause.side.of_body for name in clause.part.limb.joints(Side(side))[1:]]
        case Part.HEAD:
            return ("head",)
        case Part.SHOULDER:
            return clause.part.joints(clause.side)
        case Part.TRUNK:
            return _SPINE
        case Part.BODY | Part.HIPS:
            return [*_SPINE, *(f"{side}_{name}" for side in BODY_SIDES for name in ("knee", "ankle", "foot"))]
        case _:
            assert_never(clause.part)


def _directions(joints: Array) -> Array:
    """Return unit vectors (20, 3) from each joint's parent to it; zero for the root."""
    return unit(joints - joints[list(PARENTS)])


def _carried_along(before: Array, directions: Array, aims: Array | None, but: Collection[int]) -> Array:
    """Turn unmoved arms and an unmoved head with the chest; with ``aims``, only those that come nearer to them.

    A hanging arm stays hanging while the trunk bends, and an arm held overhead moves with the trunk.
    """
    turn = _chest(directions).T @ _chest(before)
    carried = directions.copy()
    for names in _CARRIED:
        bones = [INDEX[name] for name in names if INDEX[name] not in but]
        along = before[bones] @ turn.T
        if aims is None or np.sum(along * aims[bones]) > np.sum(directions[bones] * aims[bones]):
            carried[bones] = along
    return carried


def _chest(directions: Array) -> Array:
    """Return the axes (3, 3) of the chest as rows: across, forward, and along the trunk."""
    along = directions[INDEX["neck"]]
    ahead = np.cross(directions[INDEX["left_shoulder"]] - directions[INDEX["right_shoulder"]], along)
    ahead /= max(float(np.linalg.norm(ahead)), 1e-9)
    return np.stack([np.cross(along, ahead), ahead, along])

"""Measurements of a pair for programs and figures: the joints, and the movement of each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fmp_models.pose import BODY_PARTS, INDEX, JOINTS, Array, PosePair, joint_distances

_MICROMETRES = 6  # decimal digits of metres

# Body parts with the joints that show their movement. Poses are aligned at the hips, so hips show none.
PARTS = {part: tuple(name for name in names if not name.endswith("hip")) for part, names in BODY_PARTS.items()}


@dataclass(frozen=True)
class PartMovement:
    """The distance that one body part moves between the poses, with hips aligned, and its joint that moves furthest."""

    part: str
    centimetres: float
    joint: str


def movements(pair: PosePair) -> tuple[PartMovement, ...]:
    """Return every part with the movement of its furthest-moving joint, largest first."""
    distances = joint_distances(pair) * 100
    movements = [
        PartMovement(part, *max((float(distances[INDEX[name]]), name) for name in names))
        for part, names in PARTS.items()
    ]
    return tuple(sorted(movements, key=lambda movement: -movement.centimetres))


def measured(pair: PosePair | None) -> dict[str, Any]:
    """Return ``joints`` to the micrometre and ``distances`` to the millimetre for ``json.dumps``; null without joints.

    ``joints`` holds the ``names`` of the 20 joints and, in this order, the joints of the ``current`` and the
    ``target`` pose in metres of the camera frame (x to the right of the picture, y down along gravity, z away from
    the camera), with the ``visibility`` (0 to 1) of each. ``distances`` are the centimetres that each body part
    moves, largest first.
    """
    if pair is None:
        return {"joints": None, "distances": None}
    poses = {"current": pair.current, "target": pair.target}
    return {
        "joints": {
            "names": list(JOINTS),
            **{which: joints_as_json(pose.joints) for which, pose in poses.items()},
            "visibility": {
                which: [round(float(visibility), 2) for visibility in pose.visibility] for which, pose in poses.items()
            },
        },
        "distances": {movement.part: round(movement.centimetres, 1) for movement in movements(pair)},
    }


def joints_as_json(joints: Array) -> list[list[float]]:
    """Return joints (20, 3) as plain lists, to the micrometre.

    Coarser values are not enough: half a millimetre can change the result of the search for the pose that a text
    leads to.
    """
    # Adding 0 turns negative zero into zero, since some programs print its sign.
    return [[round(float(metres), _MICROMETRES) + 0.0 for metres in joint] for joint in joints]

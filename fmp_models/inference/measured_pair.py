"""The measurements of a pair, for programs and figures: the joints, and how far each part moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fmp_models.pose import BODY_PARTS, INDEX, JOINTS, Array, PosePair, joint_distances

_MICROMETRES = 6  # digits of metres

# What is said to move. Hips lie on hips, so that they say nothing of it.
PARTS = {part: tuple(name for name in names if not name.endswith("hip")) for part, names in BODY_PARTS.items()}


@dataclass(frozen=True)
class PartMovement:
    """How far one body part moves between the poses, hips on hips, and which of its joints goes that far."""

    part: str
    centimetres: float
    joint: str


def movements(pair: PosePair) -> tuple[PartMovement, ...]:
    """Every part with the way of its joint that moves furthest, furthest part first."""
    distances = joint_distances(pair) * 100
    movements = [
        PartMovement(part, *max((float(distances[INDEX[name]]), name) for name in names))
        for part, names in PARTS.items()
    ]
    return tuple(sorted(movements, key=lambda movement: -movement.centimetres))


def measured(pair: PosePair | None) -> dict[str, Any]:
    """``joints`` to the micrometre, ``distances`` to the millimetre, ready for ``json.dumps``; null without joints.

    ``joints`` are the ``names`` of the 20 joints and, in their order, those of the ``current`` and the ``target`` pose
    in metres of the camera frame (x to the right of the picture, y down along gravity, z away from the camera) with the
    ``visibility`` (0 to 1) of each. ``distances`` are the centimetres that each body part moves, the furthest first.
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
    """Joints (20, 3) as plain lists, to the micrometre.

    Coarser is not enough: from joints half a millimetre off, the search for the pose a text leads to may end elsewhere.
    """
    # Adding 0 turns a negative zero, which some programs print, into a plain one.
    return [[round(float(metres), _MICROMETRES) + 0.0 for metres in joint] for joint in joints]

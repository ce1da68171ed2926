"""Highlighted joints: the joints of the figures and the rows of the chart that a step concerns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.pose import BODY_PARTS, INDEX, JOINTS

# Joints of each limb without their side, by the part of a clause. Parts without a side are in ``_OTHERS``.
_OF_LIMBS = {
    Part.ARM: ("shoulder", "elbow", "wrist", "hand"),
    Part.FOREARM: ("elbow", "wrist", "hand"),
    Part.HAND: ("wrist", "hand"),
    Part.ELBOW: ("elbow",),
    Part.SHOULDER: ("shoulder",),
    Part.LEG: ("hip", "knee", "ankle", "foot"),
    Part.KNEE: ("knee",),
    Part.FOOT: ("ankle", "foot"),
}
_OTHERS = {
    Part.HEAD: ("head",),
    Part.TRUNK: BODY_PARTS["trunk"],
    Part.HIPS: ("hip", "left_hip", "right_hip"),
    Part.BODY: JOINTS,
}
_SIDES = {Side.LEFT: ("left",), Side.RIGHT: ("right",), Side.BOTH: ("left", "right")}
_JOINTS = {Clause(Side.NONE, part, Direction.MOVE).part_name: names for part, names in _OTHERS.items()} | {
    Clause(side, part, Direction.MOVE).part_name: tuple(
        f"{side_name}_{name}" for side_name in of_side for name in names
    )
    for part, names in _OF_LIMBS.items()
    for side, of_side in _SIDES.items()
}


@dataclass(frozen=True)
class HighlightedJoints:
    """Indices of joints in ascending order, and the names of the chart's rows."""

    joints: tuple[int, ...] = ()
    rows: tuple[str, ...] = ()


NOTHING = HighlightedJoints()


def highlighted_joints(parts: Iterable[str]) -> HighlightedJoints:
    """Return the joints and rows that clauses about these parts concern; parts are named as in ``Clause.part_name``."""
    names = {name for part in parts for name in _JOINTS.get(part, ())}
    rows = tuple(row for row, of_row in BODY_PARTS.items() if names & set(of_row))
    return HighlightedJoints(tuple(sorted(INDEX[name] for name in names)), rows)

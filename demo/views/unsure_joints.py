"""Unsure joints: what two photographs do not surely show; the figure dashes it, the chart calls its ways guesses.

The text and the figures say the same: a joint is unsure where its pose says so, or where it belongs to a limb that the
text could not judge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry.changes import VISIBLE
from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.inference.corrector import CheckedClause
from fmp_models.pose import INDEX, Array, Pose, PosePair

Mask = NDArray[np.bool_]

_FAR_OFF = 0.16  # metres along the picture: plausible bodies that differ by more show no place to draw a joint at
_AS_MUCH = 0.8  # of the doubt in the other photograph: a limb is then unsure in both

# The joints of a limb that could not be judged, by the limb's names in a clause.
_JOINTS = {
    Part.ARM: ("elbow", "wrist", "hand"),
    Part.FOREARM: ("wrist", "hand"),
    Part.LEG: ("knee", "ankle", "foot"),
}
_SIDES = {Side.LEFT: ("left",), Side.RIGHT: ("right",), Side.BOTH: ("left", "right")}
_LIMBS = {
    Clause(side, part, Direction.UNSEEN).part_name: [
        [INDEX[f"{side_name}_{joint}"] for joint in joints] for side_name in of_side
    ]
    for part, joints in _JOINTS.items()
    for side, of_side in _SIDES.items()
}


def unsure_joints(pair: PosePair, clauses: Sequence[CheckedClause]) -> tuple[Mask, Mask]:
    """Two masks (20,), of the current and of the target pose; ``clauses`` are those of the text about them."""
    unsure = _unsure(pair.current), _unsure(pair.target)
    unseen = {clause.part for clause in clauses if clause.direction == Direction.UNSEEN}
    for name in unseen & _LIMBS.keys():
        for joints in _LIMBS[name]:
            # The text does not say in which photograph: where the limb is doubted more, or in both alike.
            doubts = [float(_deviation(pose)[joints].mean()) for pose in (pair.current, pair.target)]
            for mask, doubt in zip(unsure, doubts, strict=True):
                mask[joints] |= doubt >= _AS_MUCH * max(doubts)
    return unsure


def _unsure(pose: Pose) -> Mask:
    """The mask by the pose itself: joints outside the picture, and those that may as well be somewhere else in it."""
    if pose.plausible is None:
        return np.asarray(pose.visibility < VISIBLE)
    return np.asarray((_deviation(pose, axes=2) > _FAR_OFF) | (pose.visibility <= 0))


def _deviation(pose: Pose, axes: int = 3) -> Array:
    """Metres (20,) by which half of the plausible bodies differ from their middle along the first axes, or by less.

    Few bodies that are seen far off do not count; 0 where nobody says which are plausible.
    """
    if pose.plausible is None:
        return np.zeros(len(INDEX))
    bodies = pose.plausible[..., :axes]
    return np.asarray(np.median(np.linalg.norm(bodies - np.median(bodies, axis=0), axis=-1), axis=0))

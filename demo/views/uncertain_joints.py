"""Uncertain joints: joints that two photographs do not clearly show.

The figure dashes their bones, and the chart marks their distances as guesses. Text and figures agree: a joint is
uncertain if its pose marks it so, or if it belongs to a limb that the text could not judge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fmp_models.geometry.lexicon import Direction, Part, Side
from fmp_models.geometry.measured_changes import VISIBLE
from fmp_models.inference.corrector import CheckedClause
from fmp_models.pose import INDEX, Array, Pose, PosePair

Mask = NDArray[np.bool_]

_FAR_OFF = 0.16  # metres in the picture plane: if pose samples deviate more, the position of the joint is uncertain
_AS_MUCH = 0.8  # of the deviation in the other photograph: from here a limb is uncertain in both


def uncertain_joints(pair: PosePair, clauses: Sequence[CheckedClause]) -> tuple[Mask, Mask]:
    """Return two masks (20,), of the current and the target pose; ``clauses`` are those of the text about them."""
    uncertain = _uncertain(pair.current), _uncertain(pair.target)
    unseen = {(one.clause.side, one.clause.part) for one in clauses if one.clause.direction is Direction.UNSEEN}
    for sides, part in unseen:
        for side in sides.each if part in {Part.ARM, Part.FOREARM, Part.LEG} and sides is not Side.NONE else ():
            joints = [INDEX[name] for name in part.joints(side)[1:]]
            # The text does not name the photograph: take the one with more deviation, or both if it is similar.
            doubts = [float(_deviation(pose)[joints].mean()) for pose in (pair.current, pair.target)]
            for mask, doubt in zip(uncertain, doubts, strict=True):
                mask[joints] |= doubt >= _AS_MUCH * max(doubts)
    return uncertain


def _uncertain(pose: Pose) -> Mask:
    """Return the mask from the pose itself: joints outside the picture or of uncertain position in it."""
    if pose.pose_samples is None:
        return np.asarray(pose.visibility < VISIBLE)
    return np.asarray((_deviation(pose, axes=2) > _FAR_OFF) | (pose.visibility <= 0))


def _deviation(pose: Pose, axes: int = 3) -> Array:
    """Return the median deviation (20,) in metres of the pose samples from their median, along the first ``axes``.

    A few outlying samples do not count. It is 0 if the pose has no samples.
    """
    if pose.pose_samples is None:
        return np.zeros(len(INDEX))
    bodies = pose.pose_samples[..., :axes]
    return np.asarray(np.median(np.linalg.norm(bodies - np.median(bodies, axis=0), axis=-1), axis=0))

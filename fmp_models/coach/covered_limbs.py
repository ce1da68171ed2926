"""Covered limbs: arms and legs that something hides, so that they cannot be compared with the goal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.coach.runs import RunLengths
from fmp_models.geometry.changes import VISIBLE
from fmp_models.geometry.clauses import Clause, Direction, Side
from fmp_models.geometry.lexicon import LIMBS
from fmp_models.pose import INDEX, Pose

_LONG = 1.5  # seconds that a limb is covered before it is reported
_JOINTS = {
    Clause(side, limb, Direction.UNSEEN): [INDEX[name] for name in limb.ends(side)]
    for limb in LIMBS
    for side in Side.BOTH.each
}


class CoveredLimbs:
    """Tracker of covered limbs over frames; times are in seconds and never decrease."""

    def __init__(self) -> None:
        self._runs = RunLengths[Clause]()

    def update(self, now: float, hidden: NDArray[np.bool_], goal: Pose) -> Clause | None:
        """Return a limb that ``goal`` shows and that was ``hidden`` (20,) for a while, as a clause, or ``None``."""
        visible = goal.visibility >= VISIBLE
        self._runs.keep(now, [limb for limb, ends in _JOINTS.items() if hidden[ends].any() and visible[ends].all()])
        long = self._runs.longer(now, _LONG)
        return next((limb for limb in _JOINTS if limb in long), None)

    def forget(self) -> None:
        """Restart the observation after a pause."""
        self._runs.clear()

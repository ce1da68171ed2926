"""Course of an exercise: the distance of each body part from the target over time, and the nearness now."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import BODY_PARTS, INDEX, Array, joint_distances, pose_pair

# Rows of the plot and the body parts in each.
ROWS: dict[str, tuple[str, ...]] = {
    "arms": ("left_elbow", "left_hand", "right_elbow", "right_hand"),
    "legs": ("left_knee", "left_foot", "right_knee", "right_foot"),
    "trunk": ("trunk",),
    "head": ("head",),
}
_JOINTS = {row: [INDEX[name] for part in parts for name in BODY_PARTS[part]] for row, parts in ROWS.items()}
_EVERY = 0.25  # seconds between two points of the plot
_MAX_POINTS = 2400  # points: ten minutes
_THERE, _FAR = 6.0, 25.0  # centimetres at which a person is practically there, and from which they are far
_CALM = 0.5  # time constant of the smoothing in seconds: two thirds of a change are shown after it
_STEP = 0.05  # smallest change of nearness that is shown


def distances(joints: Array, goal: Array, wanted: NDArray[np.bool_]) -> dict[str, float]:
    """Return the mean distance in centimetres, per row, between joints and ``goal``, both (20, 3) on equal bones.

    Joints that are not ``wanted`` (20,) are ignored; a row without wanted joints is 0.
    """
    apart = joint_distances(pose_pair(joints, goal, placed=False)) * 100 * wanted
    return {row: round(float(apart[which].sum() / max(wanted[which].sum(), 1)), 1) for row, which in _JOINTS.items()}


@dataclass
class Course:
    """Distances by row since the start; the time stands still while no person is present."""

    times: list[float] = field(default_factory=list)
    rows: dict[str, list[float]] = field(default_factory=lambda: {row: [] for row in ROWS})
    nearest: float = float("inf")

    def add(self, at: float, apart: dict[str, float]) -> bool:
        """Record the distances at ``at``, in seconds of the exercise; return whether they are the smallest so far."""
        if (not self.times or at - self.times[-1] >= _EVERY) and len(self.times) < _MAX_POINTS:
            self.times.append(round(at, 2))
            for row, values in self.rows.items():
                values.append(apart[row])
        mean = sum(apart.values()) / len(apart)
        if mean >= self.nearest:
            return False
        self.nearest = mean
        return True


@dataclass
class Nearness:
    """Nearness of a person to a goal: 0 at the largest distance so far, 1 when practically there, without flicker.

    While the person is still, a smaller distance never gives a smaller ``share``.
    """

    share: float = 0.0
    _calm: float | None = None  # smoothed distance in centimetres (root mean square over rows)
    _at: float = 0.0
    _furthest: float = _FAR

    def update(self, now: float, apart: dict[str, float]) -> None:
        """Process the distances at ``now``, in seconds; distances are in centimetres by row."""
        away = float(np.sqrt(np.mean(np.square(list(apart.values())))))
        weight = 1.0 if self._calm is None else 1 - float(np.exp(-max(0.0, now - self._at) / _CALM))
        self._calm = away if self._calm is None else self._calm + weight * (away - self._calm)
        self._at, self._furthest = now, max(self._furthest, self._calm)
        share = min(1.0, max(0.0, (self._furthest - self._calm) / (self._furthest - _THERE)))
        if abs(share - self.share) >= 0.8 * _STEP:  # hysteresis between two steps
            self.share = round(round(share / _STEP) * _STEP, 2)

"""The course of an exercise: how far each part of the body is from the target over time, and the best moment."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import BODY_PARTS, INDEX, Array, joint_distances, pose_pair

# Rows of the plot, and the parts of the body that each stands for.
ROWS: dict[str, tuple[str, ...]] = {
    "arms": ("left_elbow", "left_hand", "right_elbow", "right_hand"),
    "legs": ("left_knee", "left_foot", "right_knee", "right_foot"),
    "trunk": ("trunk",),
    "head": ("head",),
}
_JOINTS = {row: [INDEX[name] for part in parts for name in BODY_PARTS[part]] for row, parts in ROWS.items()}
_EVERY = 0.25  # seconds between two points of the plot
_MOST = 2400  # points: ten minutes


def distances(joints: Array, goal: Array, wanted: NDArray[np.bool_]) -> dict[str, float]:
    """Centimetres that the joints of each row are from those of the ``goal``, on mean; both (20, 3), on equal bones.

    Joints that are not ``wanted`` (20,) do not count; a row without others is 0.
    """
    apart = joint_distances(pose_pair(joints, goal, placed=False)) * 100 * wanted
    return {row: round(float(apart[which].sum() / max(wanted[which].sum(), 1)), 1) for row, which in _JOINTS.items()}


@dataclass
class Course:
    """Distances by row since the start; ``seconds`` stand still while nobody is there."""

    times: list[float] = field(default_factory=list)
    rows: dict[str, list[float]] = field(default_factory=lambda: {row: [] for row in ROWS})
    nearest: float = float("inf")

    def add(self, at: float, apart: dict[str, float]) -> bool:
        """Note the distances of the moment ``at``, in seconds of the exercise; whether they are the smallest so far."""
        if (not self.times or at - self.times[-1] >= _EVERY) and len(self.times) < _MOST:
            self.times.append(round(at, 2))
            for row, values in self.rows.items():
                values.append(apart[row])
        mean = sum(apart.values()) / len(apart)
        if mean >= self.nearest:
            return False
        self.nearest = mean
        return True

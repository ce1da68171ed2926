"""Gaze: how high a face looks above the horizon, and how far to a side of the trunk.

Joints alone do not show it, so only photographs in which an estimator saw faces have these measures. All
functions take camera-frame joints with a point in front of the face (..., 21, 3), as in ``Pose.faces``.
Turns are too imprecise for small ones: for people seen at an angle, a head that looks straight ahead is
measured as turned by 20 degrees.
"""

from __future__ import annotations

import numpy as np

from fmp_models.geometry.clauses import Direction, Part, Side
from fmp_models.geometry.measures import Measure, difference
from fmp_models.geometry.pose_values import FORWARD, LEFT, point, trunk_axes
from fmp_models.pose import BEFORE_FACE, Array


def gaze_height(faces: Array) -> Array:
    """Return the degrees (...,) that the face looks above the horizon."""
    return np.degrees(np.arcsin(np.clip(-_gaze(faces)[..., 1], -1.0, 1.0)))


def gaze_turn(faces: Array) -> Array:
    """Return the degrees (...,) that the face looks to the body's own left of the chest's direction."""
    along = np.einsum("...ij,...j->...i", trunk_axes(faces), _gaze(faces))
    return np.asarray(np.degrees(np.arctan2(along[..., LEFT], along[..., FORWARD])))


def _gaze(faces: Array) -> Array:
    return np.asarray(faces[..., BEFORE_FACE, :] - point(faces, "head"))


GAZE_MEASURES: tuple[Measure, ...] = (
    Measure(
        Side.NONE,
        Part.HEAD,
        Direction.UP,
        (18, 32, 55),
        difference(gaze_height),
        ("head",),
        "trunk",
        0.7,
        of_faces=True,
    ),
    Measure(
        Side.NONE,
        Part.HEAD,
        Direction.TURN_LEFT,
        (35, 50, 75),
        difference(gaze_turn, turns=True),
        ("head", "left_shoulder", "right_shoulder"),
        "trunk",
        0.6,
        of_faces=True,
    ),
)

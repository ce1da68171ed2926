"""The joint files of the release: one bone a line, ``name:(x, y, z)``; 21 of the lines give our 20 joints.

Axes. The paper says that positions are relative to the camera's position and angle. The release was made in Unity,
where a camera's own frame is left-handed: x to the right, y *up*, z away; so y changes sign to become ours (x right, y
down, z away, right-handed). Unity's rendering matrix gives another frame, x right, y up, z *towards* the viewer; points
in front of the camera then have a negative z. The sign of z tells the two frames apart; in the second both y and z
change sign. No joint file was at hand when this was written: the axes are Unity's convention and not measured.
:func:`toes_ahead` is the check that detects a frame of the wrong handedness.
"""

from __future__ import annotations

import re

import numpy as np

from fmp_models.data.features import Joints
from fmp_models.pose import INDEX, JOINTS, Array, body_axes

MIN_LINES = 50

# The line numbers of each joint, from 0. The skeleton is Mixamo's: line 39 is the base of the skull, line 40 the
# crown. The head is the midpoint between them, as in the released metric.
LINES: dict[str, tuple[int, ...]] = {
    "hip": (0,),
    "left_hip": (1,),
    "left_knee": (2,),
    "left_ankle": (3,),
    "left_foot": (4,),
    "right_hip": (6,),
    "right_knee": (7,),
    "right_ankle": (8,),
    "right_foot": (9,),
    "spine": (11,),
    "left_shoulder": (15,),
    "left_elbow": (16,),
    "left_wrist": (17,),
    "left_hand": (22,),
    "neck": (38,),
    "head": (39, 40),
    "right_shoulder": (42,),
    "right_elbow": (43,),
    "right_wrist": (44,),
    "right_hand": (49,),
}

_UNITY_CAMERA = np.array([1.0, -1.0, 1.0])
_UNITY_RENDERING = np.array([1.0, -1.0, -1.0])
_POINT = re.compile(r":\s*\(([^()]*)\)\s*$")


def read_joints(text: str) -> Joints:
    """Return the joints (20, 3) of one file, metres in our camera frame; raise ``ValueError`` if it is malformed."""
    points_of_line = read_points(text)
    points = np.array([np.mean([points_of_line[line] for line in LINES[joint]], axis=0) for joint in JOINTS])
    flips = _UNITY_CAMERA if points[INDEX["hip"], 2] > 0 else _UNITY_RENDERING
    return np.asarray(points * flips, dtype=np.float32)


def read_points(text: str) -> dict[int, Array]:
    """Return the points (3,) of the lines in ``LINES``, as in the file; raise ``ValueError`` if it is malformed."""
    lines = text.strip().splitlines()
    if len(lines) < MIN_LINES:
        raise ValueError(f"{len(lines)} lines instead of {MIN_LINES} or more")
    return {line: np.array(_point(lines, line)) for joint in JOINTS for line in LINES[joint]}


def toes_ahead(joints: Joints) -> bool:
    """Return whether the feet point forwards from the body; this fails only in a mirrored frame."""
    forward = body_axes(np.asarray(joints, dtype=np.float64))[2]
    feet = [joints[INDEX[f"{side}_foot"]] - joints[INDEX[f"{side}_ankle"]] for side in ("left", "right")]
    return float(np.sum(feet, axis=0) @ forward) > 0


def _point(lines: list[str], number: int) -> list[float]:
    match = _POINT.search(lines[number])
    values = match[1].split(",") if match else []
    try:
        point = [float(value) for value in values]
    except ValueError:
        point = []
    if len(point) != 3 or not np.isfinite(point).all():  # noqa: PLR2004  x, y and z
        raise ValueError(f"line {number} is not “name:(x, y, z)”")
    return point

"""Names of the 33 landmarks of MediaPipe's pose model, and the mixtures of them that give 20 joints.

This module does not import MediaPipe, so that models can be trained on landmarks without it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import INDEX, JOINTS

LANDMARKS: tuple[str, ...] = (
    "nose",
    "left_eye_inner",
    "left_eye",
    "left_eye_outer",
    "right_eye_inner",
    "right_eye",
    "right_eye_outer",
    "left_ear",
    "right_ear",
    "mouth_left",
    "mouth_right",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
    "left_pinky",
    "right_pinky",
    "left_index",
    "right_index",
    "left_thumb",
    "right_thumb",
    "left_hip",
    "right_hip",
    "left_knee",
    "right_knee",
    "left_ankle",
    "right_ankle",
    "left_heel",
    "right_heel",
    "left_foot_index",
    "right_foot_index",
)
LANDMARK: dict[str, int] = {name: number for number, name in enumerate(LANDMARKS)}
LANDMARK_MIRROR: list[int] = [
    LANDMARK[name.replace("left", "*").replace("right", "left").replace("*", "right")] for name in LANDMARKS
]

# Joint: its landmarks with their shares. An unlisted joint is the landmark of the same name.
JOINT_SOURCES: dict[str, dict[str, float]] = {
    "hip": {"left_hip": 0.5, "right_hip": 0.5},
    "spine": {"left_hip": 0.25, "right_hip": 0.25, "left_shoulder": 0.25, "right_shoulder": 0.25},
    # The root of the neck lies a fifth of the way from the shoulder line to the ears.
    "neck": {"left_shoulder": 0.4, "right_shoulder": 0.4, "left_ear": 0.1, "right_ear": 0.1},
    "head": {"left_ear": 0.5, "right_ear": 0.5},
    "right_hand": {"right_index": 0.5, "right_pinky": 0.5},
    "left_hand": {"left_index": 0.5, "left_pinky": 0.5},
    "right_foot": {"right_foot_index": 1.0},
    "left_foot": {"left_foot_index": 1.0},
}

JOINT_SHARES = np.zeros((len(JOINTS), len(LANDMARKS)))
for _joint in JOINTS:
    for _landmark, _share in JOINT_SOURCES.get(_joint, {_joint: 1.0}).items():
        JOINT_SHARES[INDEX[_joint], LANDMARK[_landmark]] = _share


def joints_of(landmarks: NDArray[Any]) -> NDArray[Any]:
    """Return landmarks (..., 33, n) as joints (..., 20, n), mixtures of landmarks."""
    return np.asarray(JOINT_SHARES.astype(landmarks.dtype, copy=False) @ landmarks)

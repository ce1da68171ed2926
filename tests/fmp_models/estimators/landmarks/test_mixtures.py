"""The names of the landmarks are MediaPipe's, and their mirror exchanges sides."""

from __future__ import annotations

import numpy as np
from mediapipe.tasks.python.vision.pose_landmarker import PoseLandmark

from fmp_models.estimators.landmarks.mixtures import JOINT_SHARES, LANDMARK_MIRROR, LANDMARKS, joints_of
from fmp_models.pose import MIRROR


def test_landmarks_have_the_names_and_the_order_of_mediapipe() -> None:
    assert [mark.name.lower() for mark in PoseLandmark] == list(LANDMARKS)


def test_the_mirror_exchanges_sides_and_its_mirror_is_the_landmarks_themselves() -> None:
    assert [LANDMARK_MIRROR[number] for number in LANDMARK_MIRROR] == list(range(len(LANDMARKS)))
    assert LANDMARKS[LANDMARK_MIRROR[LANDMARKS.index("left_foot_index")]] == "right_foot_index"
    assert LANDMARKS[LANDMARK_MIRROR[0]] == "nose"


def test_joints_are_mixtures_and_those_of_mirrored_landmarks_are_mirrored() -> None:
    points = np.random.default_rng(1).normal(size=(2, len(LANDMARKS), 3))
    assert np.allclose(JOINT_SHARES.sum(axis=1), 1)
    assert np.allclose(joints_of(points[:, LANDMARK_MIRROR]), joints_of(points)[:, list(MIRROR)])

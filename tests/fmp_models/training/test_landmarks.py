"""Detected landmarks with the true joints, and varied ones: turned alike, limbs longer alike, all else as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks import BODY, LANDMARK, LANDMARKS, body_length, joints_of
from fmp_models.pose import BODY_SIDES, INDEX, JOINTS
from fmp_models.training.dataset_samples import WIDE_TEST, Dataset, PictureList, read_dataset
from fmp_models.training.landmarks import LOOKS, LandmarkVariation, landmark_looks, ray_truth, varied


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return read_dataset(FOLDER, "captioning", [WIDE_TEST])


def test_people_are_seen_in_the_samples_pictures_where_their_joints_lie(
    dataset: Dataset, tmp_path: Path, pose_model: Path
) -> None:
    looks = landmark_looks(dataset, tmp_path, pose_model)
    assert looks.landmarks.shape[:2] == (len(dataset.pictures), LOOKS)
    assert looks.seen.mean() > 0.5
    picture, look = np.nonzero(looks.seen)
    joints = joints_of(looks.landmarks[picture, look, :, :2])
    off = np.linalg.norm(joints - dataset.pictures.places[picture], axis=-1)
    assert np.median(off) < 12  # pixels, of people some hundred and fifty long


def test_what_was_seen_once_is_not_looked_at_again(
    dataset: Dataset, tmp_path: Path, pose_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = landmark_looks(dataset, tmp_path, pose_model)

    monkeypatch.setattr(
        "fmp_models.estimators.mediapipe.MediaPipeEstimator.looks_at", lambda *_: pytest.fail("it was looked at again")
    )
    again = landmark_looks(dataset, tmp_path, pose_model)
    assert np.array_equal(first.landmarks, again.landmarks, equal_nan=True)


def test_a_pose_model_that_is_not_there_is_told(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as refused:
        landmark_looks(dataset, tmp_path, tmp_path / "no.task")
    assert refused.value.code == "pose_model_unreadable"


def test_truth_is_of_one_size_from_the_hip_and_straight_ahead_it_is_not_turned() -> None:
    random = np.random.default_rng(0)
    body = random.normal(0, 0.4, (len(JOINTS), 3))
    body -= body.mean(axis=0)
    ahead, aside = body + np.array([0, 0, 3.0]), body + np.array([3.0, 0, 3.0])
    names = tuple("abc")
    joints = np.stack([ahead, aside, 0 * body]).astype(np.float32)
    truth = ray_truth(PictureList(names, joints, np.array([True, True, False])))
    own = (body - body[INDEX["hip"]]) * (BODY / body_length(body[None]))
    assert np.allclose(body_length(truth[:2]), BODY, atol=1e-4)
    assert np.allclose(truth[0], own, atol=1e-5)
    # Half to the right of the camera, what is away from the person is half to the right as well.
    cos = np.sqrt(0.5)
    assert np.allclose(truth[1], own @ np.array([[cos, 0, cos], [0, 1, 0], [-cos, 0, cos]]), atol=1e-5)
    assert np.isnan(truth[2]).all()


EXACT = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("elbow", "wrist", "knee", "ankle", "foot")]


def looks(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Landmarks of three bodies as a camera far away sees them, 100 pixels a metre, and their joints."""
    dice = np.random.default_rng(seed)
    metres = dice.normal(0, 0.4, (3, len(LANDMARKS), 3))
    landmarks = np.concatenate([metres[..., :2] * 100, metres, dice.uniform(0, 1, (3, len(LANDMARKS), 1))], axis=-1)
    return landmarks.astype(np.float32), joints_of(metres).astype(np.float32)


def chance(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def length(points: np.ndarray, start: int, end: int) -> np.ndarray:
    return np.asarray(np.linalg.norm(points[:, end] - points[:, start], axis=-1))


@given(st.integers(0, 2**16))
def test_pixels_metres_and_joints_still_go_together(seed: int) -> None:
    landmarks, joints = varied(*looks(seed), LandmarkVariation(turn=30, limbs=0.3), chance(seed))
    assert np.allclose(landmarks[..., :2], landmarks[..., 2:4] * 100, atol=1e-3)
    assert np.allclose(joints_of(landmarks[..., 2:5])[:, EXACT], joints[:, EXACT], atol=1e-5)


def test_a_body_that_is_turned_keeps_its_depths_and_lengths() -> None:
    before, after = looks(1)[1], varied(*looks(1), LandmarkVariation(turn=30, limbs=0), chance(1))[1]
    assert np.allclose(after[..., 2], before[..., 2])
    assert np.allclose(np.linalg.norm(after, axis=-1), np.linalg.norm(before, axis=-1), atol=1e-5)
    assert not np.allclose(after, before, atol=0.01)


def test_limbs_of_both_sides_grow_alike_and_the_trunk_does_not() -> None:
    marks, before = looks(2)
    varied_marks, after = varied(marks, before, LandmarkVariation(turn=0, limbs=0.3), chance(2))
    for start, end in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle")):
        factors = [
            length(after, INDEX[f"{side}_{start}"], INDEX[f"{side}_{end}"])
            / length(before, INDEX[f"{side}_{start}"], INDEX[f"{side}_{end}"])
            for side in BODY_SIDES
        ]
        assert np.allclose(*factors, atol=1e-4)
        assert not np.allclose(factors[0], 1, atol=0.01)
    trunk = [INDEX[name] for name in ("hip", "spine", "neck", "head", "left_shoulder", "right_hip")]
    assert np.array_equal(after[:, trunk], before[:, trunk])
    hand = LANDMARK["left_index"], LANDMARK["left_wrist"]
    assert np.allclose(length(varied_marks[..., 2:5], *hand), length(marks[..., 2:5], *hand), atol=1e-5)


def test_nothing_varies_where_nothing_is_asked_for_and_what_was_given_stays_as_it_was() -> None:
    landmarks, joints = looks(3)
    same = varied(landmarks, joints, LandmarkVariation(turn=0, limbs=0), chance(3))
    assert np.array_equal(same[0], landmarks)
    assert np.array_equal(same[1], joints)
    varied(landmarks, joints, LandmarkVariation(), chance(3))
    assert np.array_equal(landmarks, looks(3)[0])

"""Looks at a dataset's pictures are kept, and truth is told along the ray to the person."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks.lifting import BODY, body_length
from fmp_models.estimators.landmarks.mixtures import joints_of
from fmp_models.pose import INDEX, JOINTS
from fmp_models.training.samples.dataset_samples import WIDE_TEST, Dataset, PictureList, read_dataset
from fmp_models.training.samples.landmark_looks import LOOKS, landmark_looks, ray_truth


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

"""Errors of estimators, and the joints that models are given."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.landmarks import (
    LANDMARK_MIRROR,
    LANDMARK_VALUES,
    in_body_size,
    lifting_inputs,
    mirrored_landmarks,
)
from fmp_models.evaluation.pose_estimation import GivenEstimator, given_joints, lifter_scores
from fmp_models.networks.lifting_network import LiftingConfig, LiftingNetwork
from fmp_models.pose import INDEX, JOINTS, MIRROR, Pose
from fmp_models.preprocessing import Photograph
from fmp_models.training.dataset_samples import NO_PICTURE, Dataset, read_dataset
from fmp_models.training.landmarks import LandmarkLooks
from fmp_models.training.pictures import joint_places

SPLIT = "test_unseen"


class Knowing(LiftingNetwork):
    """Gives the offsets that it was told, whatever it sees."""

    def __init__(self, offsets: Tensor) -> None:
        super().__init__(LiftingConfig(size=8, blocks=1))
        self.offsets = offsets

    def forward(self, features: Tensor) -> Tensor:
        assert len(features) == len(self.offsets)
        return self.offsets


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return read_dataset(FOLDER, "captioning", [SPLIT])


@pytest.fixture
def looks(dataset: Dataset) -> LandmarkLooks:
    """Give two looks at every picture, in the first of which nobody is seen; bodies are any points at all."""
    random = np.random.default_rng(5)
    shape = len(dataset.pictures), 2, len(LANDMARK_MIRROR), LANDMARK_VALUES
    landmarks = random.normal(size=shape).astype(np.float32)
    landmarks[0] = np.nan
    landmarks[1, 1, 7] = np.nan
    truth = random.normal(size=(len(dataset.pictures), len(JOINTS), 3)).astype(np.float32)
    truth -= truth[:, :1]
    return LandmarkLooks(landmarks, in_body_size(truth), {"id": "mediapipe-1/full", "revision": "ab"})


def test_a_lifter_that_moves_nothing_is_as_far_off_as_what_it_is_given(dataset: Dataset, looks: LandmarkLooks) -> None:
    scores = lifter_scores(LiftingNetwork(LiftingConfig(size=8, blocks=1)).eval(), looks, dataset, SPLIT)
    assert scores["n"] == 2 * len(dataset.pictures) - 3
    assert scores["error"] == pytest.approx(scores["error_unlifted"])
    assert scores["elbow"] == pytest.approx(scores["elbow_unlifted"])
    assert scores["elbow"] > 10
    assert sum(scores["joints"].values()) / len(JOINTS) == pytest.approx(scores["error"])
    assert scores["joints"]["hip"] == 0
    assert scores["estimator"] == {"id": "mediapipe-1/full", "revision": "ab"}


def test_a_lifter_that_knows_the_truth_is_not_off(dataset: Dataset, looks: LandmarkLooks) -> None:
    landmarks, truth = looks.landmarks[looks.seen], looks.truth[np.nonzero(looks.seen)[0]]
    plain, in_mirror = (lifting_inputs(seen)[1] for seen in (landmarks, mirrored_landmarks(landmarks)))
    mirrored_truth = truth[:, list(MIRROR)] * np.array([-1, 1, 1], dtype=np.float32)
    offsets = torch.from_numpy(np.concatenate([truth - plain, mirrored_truth - in_mirror]))
    scores = lifter_scores(Knowing(offsets), looks, dataset, SPLIT)
    assert scores["error"] == pytest.approx(0, abs=1e-5)
    assert scores["elbow"] == pytest.approx(0, abs=0.1)
    assert scores["error_unlifted"] > 0.1
    assert scores["elbow_unlifted"] > 10

    offsets[:, INDEX["left_elbow"], 2] += 0.3  # to the back in the mirror too, where it is the right elbow
    scores = lifter_scores(Knowing(offsets), looks, dataset, SPLIT)
    assert scores["joints"]["left_elbow"] == pytest.approx(0.15, abs=0.05)
    assert scores["elbow"] > 0.5


def test_looks_at_people_whose_joints_are_not_known_do_not_count(dataset: Dataset, looks: LandmarkLooks) -> None:
    truth = looks.truth.copy()
    truth[2] = np.nan
    fewer = replace(looks, truth=truth)
    network = LiftingNetwork(LiftingConfig(size=8, blocks=1)).eval()
    assert lifter_scores(network, fewer, dataset, SPLIT)["n"] == 2 * len(dataset.pictures) - 5


def test_where_nobody_is_seen_there_is_nothing_to_judge(dataset: Dataset, looks: LandmarkLooks) -> None:
    nobody = replace(looks, landmarks=np.full_like(looks.landmarks, np.nan))
    with pytest.raises(BadInputError, match="that MediaPipe detects"):
        lifter_scores(LiftingNetwork(LiftingConfig(size=8, blocks=1)).eval(), nobody, dataset, SPLIT)


@dataclass
class Counting:
    """Sees somebody in every picture but the ``blind`` ones, and breaks off at the ``last``."""

    blind: tuple[int, ...] = ()
    last: int | None = None
    code: str = "no_person"
    name: str = "counting"
    seen: list[int] = field(default_factory=list)

    def estimate(self, _: Photograph) -> PoseEstimate:
        number = len(self.seen)
        if number == self.last:
            raise KeyboardInterrupt
        self.seen.append(number)
        if number in self.blind:
            raise BadInputError(self.code, which="given")
        joints = np.full((len(JOINTS), 3), number + 1.0)
        return PoseEstimate(Pose(joints, np.ones(len(JOINTS))), joints[:, :2] * 10, (0, 0, 1, 1), 1)


@pytest.fixture(scope="module")
def given_dataset() -> Dataset:
    return read_dataset(FOLDER, "captioning", ["val_unseen"])


def test_by_default_they_are_the_datasets_own(given_dataset: Dataset, tmp_path: Path) -> None:
    samples = given_dataset.splits["val_unseen"]
    given = given_joints(given_dataset, None, tmp_path)
    assert given.placed
    assert np.array_equal(given.of(samples).joints, samples.joints)
    assert given.of(samples).known.all()


def test_none_leaves_the_joints_out_and_frames_the_person_all_the_same(given_dataset: Dataset, tmp_path: Path) -> None:
    given = given_joints(given_dataset, None, tmp_path, none=True)
    shown = given.of(given_dataset.splits["val_unseen"])
    assert not shown.known.any()
    assert not shown.joints.any()
    assert np.array_equal(given.places, joint_places(given_dataset.pictures))


@pytest.mark.parametrize("code", ["no_person", "body_hidden"])
def test_an_estimator_sees_each_picture_alone_and_may_see_nobody(
    given_dataset: Dataset, tmp_path: Path, code: str
) -> None:
    samples = given_dataset.splits["val_unseen"]
    given = given_joints(given_dataset, GivenEstimator(Counting(blind=(0,), code=code), "one"), tmp_path)
    assert not given.placed
    assert given.known.tolist() == [False, *[True] * (len(given_dataset.pictures) - 1)]
    assert np.isnan(given.places[0]).all()
    shown = given.of(samples)
    for row, column in np.ndindex(samples.pictures.shape):
        number = samples.pictures[row, column]
        assert (shown.joints[row, column] == (number + 1 if number else 0)).all()
        assert shown.known[row, column] == bool(number)


def test_what_it_finds_is_kept_and_a_killed_look_goes_on(given_dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        given_joints(given_dataset, GivenEstimator(Counting(last=3), "one"), tmp_path)
    whole = Counting()
    first = given_joints(given_dataset, GivenEstimator(whole, "one"), tmp_path)
    again = Counting()
    assert np.array_equal(first.joints, given_joints(given_dataset, GivenEstimator(again, "one"), tmp_path).joints)
    assert again.seen == []
    other = Counting()
    given_joints(given_dataset, GivenEstimator(other, "one", "another revision"), tmp_path)
    assert len(other.seen) == len(given_dataset.pictures)


def test_a_pose_without_a_picture_has_no_estimated_joints(given_dataset: Dataset, tmp_path: Path) -> None:
    samples = given_dataset.splits["val_unseen"].subset([0, 1])
    samples.pictures[0, 1] = NO_PICTURE
    shown = given_joints(given_dataset, GivenEstimator(Counting(), "one"), tmp_path).of(samples)
    assert shown.known.tolist() == [[True, False], [True, True]]
    assert not shown.joints[0, 1].any()


def test_another_refusal_than_that_nobody_is_there_ends_the_evaluation(given_dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="pose model"):
        given_joints(
            given_dataset,
            GivenEstimator(Counting(blind=(0,), code="pose_model_unreadable"), "one"),
            tmp_path,
        )

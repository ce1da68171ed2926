from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.evaluation.given_joints import GivenEstimator, given_joints
from fmp_models.pose import JOINTS, Pose
from fmp_models.preprocessing import Photograph
from fmp_models.training.dataset_samples import NO_PICTURE, Dataset, read_dataset
from fmp_models.training.pictures import joint_places


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
def dataset() -> Dataset:
    return read_dataset(FOLDER, "captioning", ["val_unseen"])


def test_by_default_they_are_the_datasets_own(dataset: Dataset, tmp_path: Path) -> None:
    samples = dataset.splits["val_unseen"]
    given = given_joints(dataset, None, tmp_path)
    assert given.placed
    assert np.array_equal(given.of(samples).joints, samples.joints)
    assert given.of(samples).known.all()


def test_none_leaves_the_joints_out_and_frames_the_person_all_the_same(dataset: Dataset, tmp_path: Path) -> None:
    given = given_joints(dataset, None, tmp_path, none=True)
    shown = given.of(dataset.splits["val_unseen"])
    assert not shown.known.any()
    assert not shown.joints.any()
    assert np.array_equal(given.places, joint_places(dataset.pictures))


@pytest.mark.parametrize("code", ["no_person", "body_hidden"])
def test_an_estimator_sees_each_picture_alone_and_may_see_nobody(dataset: Dataset, tmp_path: Path, code: str) -> None:
    samples = dataset.splits["val_unseen"]
    given = given_joints(dataset, GivenEstimator(Counting(blind=(0,), code=code), "one"), tmp_path)
    assert not given.placed
    assert given.known.tolist() == [False, *[True] * (len(dataset.pictures) - 1)]
    assert np.isnan(given.places[0]).all()
    shown = given.of(samples)
    for row, column in np.ndindex(samples.pictures.shape):
        number = samples.pictures[row, column]
        assert (shown.joints[row, column] == (number + 1 if number else 0)).all()
        assert shown.known[row, column] == bool(number)


def test_what_it_finds_is_kept_and_a_killed_look_goes_on(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        given_joints(dataset, GivenEstimator(Counting(last=3), "one"), tmp_path)
    whole = Counting()
    first = given_joints(dataset, GivenEstimator(whole, "one"), tmp_path)
    again = Counting()
    assert np.array_equal(first.joints, given_joints(dataset, GivenEstimator(again, "one"), tmp_path).joints)
    assert again.seen == []
    other = Counting()
    given_joints(dataset, GivenEstimator(other, "one", "another revision"), tmp_path)
    assert len(other.seen) == len(dataset.pictures)


def test_a_pose_without_a_picture_has_no_estimated_joints(dataset: Dataset, tmp_path: Path) -> None:
    samples = dataset.splits["val_unseen"].subset([0, 1])
    samples.pictures[0, 1] = NO_PICTURE
    shown = given_joints(dataset, GivenEstimator(Counting(), "one"), tmp_path).of(samples)
    assert shown.known.tolist() == [[True, False], [True, True]]
    assert not shown.joints[0, 1].any()


def test_another_refusal_than_that_nobody_is_there_ends_the_evaluation(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="pose model"):
        given_joints(dataset, GivenEstimator(Counting(blind=(0,), code="pose_model_unreadable"), "one"), tmp_path)

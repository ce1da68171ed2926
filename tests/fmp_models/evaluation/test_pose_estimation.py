from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks.lifting import VALUES, in_size, lifting_inputs, mirrored_landmarks
from fmp_models.estimators.landmarks.mixtures import LANDMARK_MIRROR
from fmp_models.evaluation.pose_estimation import lifter_scores
from fmp_models.networks.lifting_network import LiftingConfig, LiftingNetwork
from fmp_models.pose import INDEX, JOINTS, MIRROR
from fmp_models.training.dataset_samples import Dataset, read_dataset
from fmp_models.training.landmarks import LandmarkLooks

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
    shape = len(dataset.pictures), 2, len(LANDMARK_MIRROR), VALUES
    landmarks = random.normal(size=shape).astype(np.float32)
    landmarks[0] = np.nan
    landmarks[1, 1, 7] = np.nan
    truth = random.normal(size=(len(dataset.pictures), len(JOINTS), 3)).astype(np.float32)
    truth -= truth[:, :1]
    return LandmarkLooks(landmarks, in_size(truth), {"id": "mediapipe-1/full", "revision": "ab"})


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

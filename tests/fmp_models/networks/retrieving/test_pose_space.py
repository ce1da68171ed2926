from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.geometry.measured_changes import FEATURE_PARTS, FEATURE_SIZES, pose_changes
from fmp_models.networks.retrieving.pose_space import PoseSpace, make_retriever
from fmp_models.networks.retrieving.retriever import RetrievalBatch, Retriever
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig
from fmp_models.pose import JOINTS
from tests.bodies import random_pairs
from tests.thoroughness import examples

CONFIG = RetrieverConfig({"en": 30, "hi": 40}, hidden=16, embedding=8, images=False, space=True)
BODIES = np.stack([pose.joints for pair in random_pairs(4, seed=2) for pose in (pair.current, pair.target)])
WORDS = torch.tensor([[5, 6, 7, 0], [8, 9, 10, 11]])
JOINTS_OF_TWO = torch.from_numpy(np.stack([BODIES[:4], BODIES[4:]]).astype(np.float32))


@pytest.fixture(scope="module")
def space() -> PoseSpace:
    torch.manual_seed(1)
    return PoseSpace(CONFIG).eval().requires_grad_(requires_grad=False)


def test_a_configuration_says_which_network_it_describes() -> None:
    assert isinstance(make_retriever(CONFIG), PoseSpace)
    assert isinstance(make_retriever(RetrieverConfig({"en": 30}, hidden=16, embedding=8, images=False)), Retriever)


@pytest.mark.parametrize("wrong", [{"images": True}, {"joints": False, "images": True}, {"missing": True}], ids=str)
def test_a_space_sees_joints_and_nothing_else(wrong: dict[str, bool]) -> None:
    with pytest.raises(ValueError, match="space of texts"):
        RetrieverConfig({"en": 30}, hidden=16, embedding=8, space=True, **{"images": False, **wrong})


def test_every_word_and_joint_says_what_it_gave(space: PoseSpace) -> None:
    match = space.match(RetrievalBatch(words=WORDS, joints=JOINTS_OF_TWO), "en")

    reasons = match.joints
    assert match.scores.shape == (2, 3)
    assert reasons is not None
    assert reasons.words is not None
    assert reasons.looks is not None
    for shares in (reasons.words, reasons.places, reasons.looks):
        assert shares.sum(dim=-1) == pytest.approx(torch.ones(shares.shape[:-1]), abs=1e-4)
    assert reasons.words[0, :, 3].abs().max() < 1e-6  # padding
    assert reasons.looks.shape == (2, 3, 4, len(JOINTS))


def test_who_is_not_known_has_the_least_score_and_who_is_not_there_none(space: PoseSpace) -> None:
    known = torch.tensor([[True, True, False, True], [False, True, True, True]])
    present = torch.tensor([[True, True, False], [True, True, True]])
    asked = RetrievalBatch(words=WORDS, joints=JOINTS_OF_TWO, joints_known=known, present=present)

    first, second = space.match(asked, "en").scores

    assert first[1] == min(first[:2])
    assert first[2] == -torch.inf
    assert second.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("lacking", ["words", "joints", "language"])
def test_what_it_cannot_do_without_is_refused(space: PoseSpace, lacking: str) -> None:
    given_parts = {"words": WORDS, "joints": JOINTS_OF_TWO}
    batch = RetrievalBatch(**{name: value for name, value in given_parts.items() if name != lacking})

    with pytest.raises(ValueError, match="needs a text, its language and joints"):
        space.match(batch, None if lacking == "language" else "en")


@examples(20)
@given(st.floats(-180, 180))
def test_where_the_camera_stands_changes_no_score(space: PoseSpace, degrees: float) -> None:
    turn = np.radians(degrees)
    about = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    turned = torch.from_numpy((JOINTS_OF_TWO.numpy() @ about.T).astype(np.float32))

    plain, seen = (space(RetrievalBatch(words=WORDS, joints=joints), "hi") for joints in (JOINTS_OF_TWO, turned))

    assert seen == pytest.approx(plain, abs=2e-3)


def test_the_numbers_of_a_change_are_those_of_its_parts() -> None:
    changes = pose_changes(BODIES[:4], BODIES[4:])

    assert changes.shape == (4, sum(FEATURE_SIZES.values()))
    assert np.isfinite(changes).all()
    assert {joint for joints, _ in FEATURE_PARTS.values() for joint in joints} == set(JOINTS)
    begin = 0
    still = pose_changes(BODIES, BODIES)
    for part, (_, measures) in FEATURE_PARTS.items():
        assert (still[:, begin : begin + len(measures)] == 0).all()
        begin += FEATURE_SIZES[part]


def test_a_body_without_any_size_still_gives_numbers() -> None:
    assert np.isfinite(pose_changes(np.zeros((20, 3)), np.zeros((20, 3)))).all()
    assert pose_changes(BODIES[:1, None], BODIES[None, :3]).shape == (1, 3, sum(FEATURE_SIZES.values()))

"""Drawn pairs: told truly and the same again, seen by cameras that are held anyhow, without pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmp_models.geometry.lexicon import Direction, Part
from fmp_models.geometry.verdicts import agrees
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import pose_pair
from fmp_models.training.samples.dataset_samples import NO_PICTURE
from fmp_models.training.texts.drawn_poses import DrawnPairs, described_drawn_pairs, drawn_samples

COUNT = 40


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def drawn(cache: Path) -> DrawnPairs:
    return described_drawn_pairs(COUNT, 3, cache)


def test_drawn_poses_are_told_truly_and_the_same_again(drawn: DrawnPairs, cache: Path) -> None:
    again = described_drawn_pairs(COUNT, 3, cache)
    assert (drawn.joints == again.joints).all()
    assert drawn.texts == again.texts
    for joints, (text,) in zip(drawn.joints, drawn.texts["en"], strict=True):
        pair = pose_pair(*joints, placed=False)
        assert all(agrees(clause, pair) is not False for clause in read_plan(text, grammar("en")))


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_text_of_drawn_poses_tells_a_step(drawn: DrawnPairs, code: str) -> None:
    clauses = [clause for (text,) in drawn.texts[code] for clause in read_plan(text, grammar(code))]
    ways = {Direction.FORWARD, Direction.BACKWARD, Direction.LEFT, Direction.RIGHT}
    assert clauses
    assert not [clause for clause in clauses if clause.part is Part.BODY and clause.direction in ways]


def test_cameras_tilt_poses_and_leave_them_whole(drawn: DrawnPairs) -> None:
    def lengths(joints: np.ndarray) -> np.ndarray:
        return np.linalg.norm(joints[:, :, 1:] - joints[:, :, :-1], axis=-1)

    assert np.allclose(lengths(drawn.camera_joints), lengths(drawn.joints), atol=1e-4)
    assert np.linalg.norm(drawn.camera_joints - drawn.joints, axis=-1).max() > 0.1


def test_samples_of_drawn_poses_have_joints_and_no_pictures(drawn: DrawnPairs, cache: Path) -> None:
    samples = drawn_samples(COUNT, 3, cache)
    assert len(samples) == COUNT
    assert (samples.pictures == NO_PICTURE).all()
    assert samples.known.all()
    assert not samples.placed.any()
    assert (samples.joints == drawn.camera_joints).all()
    assert samples.texts == drawn.texts

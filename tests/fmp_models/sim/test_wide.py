from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from fmp_models.data.pairs import WIDE_FROM, captioning_split, retrieval_split
from fmp_models.data.pictures import tilted_joints
from fmp_models.data.statistics import broken_rules
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.verdicts import agrees
from fmp_models.pose import pose_pair
from fmp_models.sim.capture import Unit
from fmp_models.sim.film import PictureCrop
from fmp_models.sim.wide import WidePair, WideRenderJob
from tests.nonempty import nonempty
from tests.thoroughness import thorough

UNIT, COUNT = Unit(7, 3), 10


@pytest.fixture(scope="module")
def shoot() -> WideRenderJob:
    return WideRenderJob(UNIT, 0, 6)


@pytest.fixture(scope="module")
def pairs(shoot: WideRenderJob) -> list[WidePair]:
    return list(shoot.pairs(COUNT, 1))


@thorough
def test_a_unit_gives_what_is_asked_for(pairs: list[WidePair]) -> None:
    assert [pair.uid.capture for pair in pairs] == [WIDE_FROM + i for i in range(COUNT)]
    assert all(retrieval_split(pair.uid) == captioning_split(pair.uid) == "train" for pair in pairs)


@thorough
def test_pictures_are_upright_and_wide_and_hold_every_joint(pairs: list[WidePair]) -> None:
    shapes = set()
    for pair in pairs:
        for data, places in zip(pair.pictures, pair.places, strict=True):
            with Image.open(io.BytesIO(data)) as picture:
                assert picture.format == "JPEG"
                shapes.add(picture.width > picture.height)
                assert (places > 0).all()
                assert (places < np.array(picture.size)).all()
    assert shapes == {True, False}


@thorough
def test_places_are_where_a_tilted_camera_sees_the_levelled_joints(pairs: list[WidePair]) -> None:
    """Up to scale, middle and the bend of the lens, the picture is the projection of the tilted joints."""
    for pair in nonempty(pairs):
        for joints, places, (pitch, roll) in nonempty(zip(pair.joints, pair.places, pair.tilts, strict=True)):
            seen = tilted_joints(joints.astype(np.float64), pitch, roll)
            assert (seen[:, 2] > 0.3).all()
            slopes = seen[:, :2] / seen[:, 2:]
            across = np.stack([slopes[:, 0], slopes[:, 1], np.ones(20)], axis=1)
            solved, *_ = np.linalg.lstsq(across, places, rcond=None)
            assert np.abs(across @ solved - places).max() < 0.06 * np.ptp(places, axis=0).max() + 4
            # Neither turned nor squeezed: one scale, and nothing across.
            assert abs(solved[0, 0] - solved[1, 1]) < 0.12 * abs(solved[0, 0])
            assert abs(solved[0, 1]) + abs(solved[1, 0]) < 0.15 * abs(solved[0, 0])


@thorough
def test_texts_keep_the_rules_and_plans_are_true(pairs: list[WidePair]) -> None:
    for pair in nonempty(pairs):
        assert all(not broken_rules(text) for texts in pair.texts.values() for text in texts)
        poses = pose_pair(*pair.joints, placed=pair.placed)
        assert all(agrees(clause, poses) is not False for clause in make_plan(poses))


@thorough
def test_other_streams_draw_other_poses(pairs: list[WidePair]) -> None:
    held_out = next(WideRenderJob(UNIT, 0, 7).pairs(1, 1))
    assert not np.allclose(held_out.joints, pairs[0].joints)


@pytest.mark.parametrize("bend", [-0.1, 0.0, 0.1])
def test_a_part_finds_places_again_through_its_lens(bend: float) -> None:
    part = PictureCrop((200.0, 170.0), (180.0, 240.0), (150, 200), 7.0, bend)
    there = np.random.default_rng(0).uniform((10, 10), (140, 190), (50, 2))
    np.testing.assert_allclose(part.places(part.source(there)), there, atol=0.02)

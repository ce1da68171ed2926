"""Where heads look: measured where photographs show faces, and said only where it is plain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.estimators.base import sampled_gazes
from fmp_models.geometry.lexicon import Direction, Part
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.verdicts import agrees, confidence
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.languages.realiser import compose_text, realise
from fmp_models.pose import Pose, PosePair, mirror
from tests.bodies import Body
from tests.fmp_models.geometry.test_pose_values import STANDING, on_back, photographed
from tests.plans import mirror_plan


def looking(height: float, turn: float = 0.0, joints: np.ndarray | None = None) -> Pose:
    """Somebody who faces the camera and looks so many degrees up and to their own left."""
    up, left = np.radians([height, turn])
    gaze = np.array([np.cos(up) * np.sin(left), -np.sin(up), -np.cos(up) * np.cos(left)])
    pose = photographed(STANDING.pose().joints if joints is None else joints)
    return replace(pose, gazes=np.concatenate([gaze[None], sampled_gazes(gaze[None])]))


def head(current: Pose, target: Pose) -> set[Direction]:
    return {clause.direction for clause in make_plan(PosePair(current, target)) if clause.part is Part.HEAD}


@pytest.mark.parametrize(
    ("before", "after", "ways"),
    [
        ((0, 0), (45, 0), {Direction.UP}),
        ((0, 0), (-45, 0), {Direction.DOWN}),
        ((30, 0), (-10, 0), {Direction.DOWN}),
        ((0, 0), (0, 70), {Direction.TURN_LEFT}),
        ((0, 0), (0, -70), {Direction.TURN_RIGHT}),
        ((0, -60), (0, 30), {Direction.TURN_LEFT}),
        ((0, 0), (8, 15), set()),
    ],
)
def test_where_a_head_looks_is_said_where_it_plainly_changes(
    before: tuple[float, float], after: tuple[float, float], ways: set[Direction]
) -> None:
    assert head(looking(*before), looking(*after)) == ways


def test_nothing_is_said_of_faces_that_were_not_measured() -> None:
    unseen = replace(looking(45), gazes=None)
    assert not head(looking(0), unseen)
    assert not head(unseen, looking(-45))
    known = PosePair(STANDING.pose(), STANDING.pose())
    lowered = next(c for c in make_plan(PosePair(looking(0), looking(-45))) if c.part is Part.HEAD)
    assert agrees(lowered, known) is None
    assert confidence(lowered, known) == 0.5


def test_a_head_that_is_outside_the_picture_looks_nowhere() -> None:
    visibility = np.ones(20)
    visibility[3] = 0.0
    assert not head(looking(0), replace(looking(45), visibility=visibility, gazes=None))


def test_a_face_that_goes_along_with_a_body_that_lies_down_is_not_told_to_look() -> None:
    assert not head(looking(0), looking(80, joints=on_back(STANDING)))


heights, turns = st.floats(-60, 60), st.floats(-80, 80)


@given(heights, turns, heights, turns)
def test_gazes_reverse_on_the_way_back_and_mirror(a: float, b: float, c: float, d: float) -> None:
    pair = PosePair(looking(a, b), looking(c, d))
    plan = make_plan(pair)
    assert {clause.direction.reverse for clause in make_plan(pair.swapped) if clause.part is Part.HEAD} == {
        clause.direction for clause in plan if clause.part is Part.HEAD
    }
    assert make_plan(pair.mirrored) == mirror_plan(plan)


def test_a_mirror_shows_the_face_in_the_mirror() -> None:
    pose = looking(20, 50)
    gazes, mirrored = pose.gazes, mirror(pose).gazes
    assert gazes is not None
    assert mirrored is not None
    assert np.allclose(mirrored[0] * (-1, 1, 1), gazes[0])
    assert np.allclose(mirror(mirror(pose)).faces, pose.faces)


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_is_said_of_a_gaze_is_read_as_it_was_meant(code: str) -> None:
    words = grammar(code)
    for target in (looking(25), looking(50), looking(-35, 75), looking(-90)):
        plan = tuple(clause for clause in make_plan(PosePair(looking(0), target)) if clause.part is Part.HEAD)
        assert plan
        for seed in (None, 1, 2, 3, 4):
            assert read_plan(compose_text(realise(plan, words, seed), words, seed), words) == plan


@pytest.mark.parametrize("tip", [30.0, -30.0])
def test_a_head_is_told_to_tilt_where_both_people_face_one_way(tip: float) -> None:
    straight, tilted = Body(), Body(tip=tip)
    way = Direction.LEFT if tip < 0 else Direction.RIGHT
    for yaw in (0.0, 60.0):
        current, target = (photographed(body.change(yaw=yaw).pose().joints) for body in (straight, tilted))
        assert head(current, target) in ({way}, {way.reverse})
        elsewhere = photographed(tilted.change(yaw=yaw - 60.0).pose().joints)
        assert not head(current, elsewhere) & {Direction.LEFT, Direction.RIGHT}


def test_a_person_who_bends_to_a_side_with_a_straight_neck_tilts_no_head() -> None:
    current, target = (photographed(Body(lean=lean, yaw=20.0).pose().joints) for lean in (0.0, 35.0))
    assert not head(current, target)

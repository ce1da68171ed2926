from dataclasses import replace

import numpy as np
import pytest

from fmp_models.geometry.execution.progress import on_bones_of, progress_towards
from fmp_models.pose import BONES, INDEX, Pose
from tests.bodies import Arm, Body, random_pairs


def test_the_way_is_whole_at_the_target_none_at_the_start_and_below_zero_beyond_it() -> None:
    pair = random_pairs(1, seed=1)[0]
    assert progress_towards(pair.current, pair.target.joints, pair.target) == pytest.approx(1)
    assert progress_towards(pair.current, pair.current.joints, pair.target) == pytest.approx(0)
    away = 2 * pair.current.joints - pair.target.joints
    assert progress_towards(pair.current, away, pair.target) == pytest.approx(-1)
    assert progress_towards(pair.current, pair.current.joints, pair.current) is None


def test_half_the_joints_there_is_half_the_way_and_where_one_stands_does_not_matter() -> None:
    start, end = Body().pose(), Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90)).pose()
    half = Body(left_arm=Arm(lift=90)).pose().joints
    assert progress_towards(start, half, end) == pytest.approx(0.5, abs=0.01)
    assert progress_towards(start, half + np.array([1.0, 0.2, -3.0]), end) == pytest.approx(0.5, abs=0.01)


def test_nobody_has_to_grow_to_reach_a_target() -> None:
    pair = random_pairs(1, seed=2)[0]
    taller = Pose(pair.target.joints * 1.4, pair.target.visibility)
    assert progress_towards(pair.current, pair.target.joints, taller) == pytest.approx(1)
    target = on_bones_of(pair.current, taller)
    for a, b in BONES:
        assert np.linalg.norm(target[a] - target[b]) == pytest.approx(
            np.linalg.norm(pair.current.joints[a] - pair.current.joints[b])
        )


def test_what_no_photograph_shows_weighs_nothing() -> None:
    start, end = Body().pose(), Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90)).pose()
    visibility = np.ones(20)
    visibility[[INDEX[f"right_{name}"] for name in ("elbow", "wrist", "hand")]] = 0
    half = Body(left_arm=Arm(lift=90)).pose().joints
    assert progress_towards(start, half, replace(end, visibility=visibility)) == pytest.approx(1, abs=0.01)


def test_a_turn_of_the_whole_body_is_a_way_to_go() -> None:
    start, end = Body().pose(), Body(yaw=80).pose()
    assert progress_towards(start, Body(yaw=40).pose().joints, end) == pytest.approx(0.5, abs=0.05)


def test_the_target_stands_on_the_foot_that_stays_and_on_the_same_floor() -> None:
    start = Body().pose()
    end = Body(pitch=40, left_arm=Arm(lift=100)).pose(at=(2.0, -0.5, 1.0))
    target = on_bones_of(start, end)
    assert target[:, 1].max() == pytest.approx(start.joints[:, 1].max())
    for side in ("left", "right"):
        assert target[INDEX[f"{side}_ankle"]] == pytest.approx(start.joints[INDEX[f"{side}_ankle"]], abs=0.01)


def test_in_one_room_the_target_stands_where_it_is() -> None:
    start, end = Body().pose(placed=True), Body().pose(placed=True, at=(0.5, 0.0, 1.0))
    assert on_bones_of(start, end) == pytest.approx(end.joints, abs=1e-6)

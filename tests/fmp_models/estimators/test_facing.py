"""Which way round a person stands: front or back as both photographs agree, and never on nothing but their head."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.camera_tilt import LEVEL, CameraTilt
from fmp_models.estimators.facing import face_opposite_ways, facing_alike, facing_as, upside_down
from fmp_models.pose import MIRROR, Pose
from tests.bodies import Arm, Body, Leg
from tests.nonempty import nonempty

FRONT = Body().pose()
# What a look sees that takes a front for a back: the outline stays, left and right and near and far change places.
BACK = Pose(FRONT.joints[list(MIRROR)] * np.array([1.0, 1.0, -1.0]), FRONT.visibility)


def estimate(pose: Pose, turned: Pose | None = None, share: float = 0.0) -> PoseEstimate:
    plain = PoseEstimate(pose, pose.joints[:, :2] * 100, (0.0, 0.0, 100.0, 200.0), 1)
    return plain if turned is None else replace(plain, turned=estimate(turned), turned_share=share)


def test_a_back_is_known_from_a_front() -> None:
    assert face_opposite_ways(FRONT.joints, BACK.joints)
    assert not face_opposite_ways(FRONT.joints, FRONT.joints)


@pytest.mark.parametrize("doubted", [0, 1])
def test_a_doubtful_back_becomes_the_front_that_the_other_photograph_shows(doubted: int) -> None:
    given = [estimate(FRONT), estimate(FRONT)]
    given[doubted] = estimate(BACK, FRONT, 0.4)
    seen = facing_alike(*given)
    assert all(one is not None and np.array_equal(one.pose.joints, FRONT.joints) for one in seen)
    assert seen[1 - doubted] is given[1 - doubted]


def test_who_is_surely_seen_from_behind_once_has_turned() -> None:
    given = estimate(FRONT), estimate(BACK)
    assert facing_alike(*given) == given


def test_a_person_who_agrees_already_stays_as_seen() -> None:
    given = estimate(BACK, FRONT, 0.4), estimate(BACK, FRONT, 0.4)
    assert facing_alike(*given) == given


def test_of_two_doubtful_ones_the_way_counts_that_most_looks_saw() -> None:
    current, target = facing_alike(estimate(FRONT, BACK, 0.25), estimate(BACK, FRONT, 0.45))
    assert current is not None
    assert target is not None
    assert np.array_equal(current.pose.joints, FRONT.joints)
    assert np.array_equal(target.pose.joints, FRONT.joints)


def test_of_ways_that_as_many_looks_saw_the_front_counts_in_either_order() -> None:
    front, back = estimate(FRONT, BACK, 0.25), estimate(BACK, FRONT, 0.25)
    for first, second in ((front, back), (back, front)):
        for one in nonempty(facing_alike(first, second)):
            assert one is not None
            assert np.array_equal(one.pose.joints, FRONT.joints)


def test_who_lies_on_a_side_faces_no_way() -> None:
    lying = FRONT.joints[:, [1, 0, 2]]
    noise = np.random.default_rng(0).normal(scale=0.03, size=(50, 20, 3))
    assert not any(face_opposite_ways(lying + one, lying - one) for one in noise)


def test_a_candidate_faces_as_a_known_person_who_stays_as_seen() -> None:
    known, doubtful = estimate(FRONT, BACK, 0.4), estimate(BACK, FRONT, 0.3)
    assert facing_as(known, doubtful) is doubtful.turned
    assert facing_as(known, known) is known
    assert facing_as(None, doubtful) is doubtful
    assert facing_as(known, None) is None


def test_where_nobody_is_measured_nothing_is_compared() -> None:
    doubtful = estimate(BACK, FRONT, 0.4)
    assert facing_alike(None, doubtful) == (None, doubtful)
    assert facing_alike(doubtful, None) == (doubtful, None)


@pytest.mark.parametrize("tilts", [(None, None), (LEVEL, LEVEL), (LEVEL, replace(LEVEL, pitch=3.0))])
def test_photographs_of_two_cameras_say_so_and_those_of_one_do_not(tilts: tuple[CameraTilt | None, ...]) -> None:
    people = [replace(estimate(FRONT, BACK, 0.3), tilt=tilt) for tilt in tilts]
    apart = tilts[0] != tilts[1]
    for person in nonempty(facing_alike(people[0], people[1])):
        assert person is not None
        assert person.pose.own_camera is apart
        assert person.turned is not None
        assert person.turned.pose.own_camera is apart


TURNED_OVER = np.array([-1.0, -1.0, 1.0])
ARMS = {
    "hanging": Arm(),
    "level": Arm(lift=90),
    "hands_on_hips": Arm(lift=45, bend=100, roll=-90),
    "overhead": Arm(lift=175),
}


@pytest.mark.parametrize("arms", ["hanging", "level", "hands_on_hips"])
@pytest.mark.parametrize("yaw", [0, 50, 180])
def test_a_person_who_stands_is_upside_down_in_a_photograph_that_is(arms: str, yaw: float) -> None:
    body = Body(yaw=yaw, left_arm=ARMS[arms], right_arm=ARMS[arms]).pose().joints
    assert upside_down(body * TURNED_OVER)
    assert not upside_down(body)


def test_a_handstand_is_not_upside_down() -> None:
    body = Body(left_arm=ARMS["overhead"], right_arm=ARMS["overhead"]).pose().joints
    assert not upside_down(body * TURNED_OVER)


def test_a_shoulder_stand_is_not_upside_down() -> None:
    body = Body(left_arm=Arm(), right_arm=Arm(), nod=80).pose().joints  # the head lies level with the shoulders
    assert not upside_down(body * TURNED_OVER)


@pytest.mark.parametrize("pitch", [90, 130])
def test_a_person_who_bends_over_on_their_feet_is_not_upside_down(pitch: float) -> None:
    assert not upside_down(Body(pitch=pitch, left_leg=Leg(), right_leg=Leg()).pose().joints)

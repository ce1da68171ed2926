"""Looks that contradict each other are never averaged, and a limb about which they differ is not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.estimators.agreement import agreed, disputed_joints, same_body
from fmp_models.estimators.landmark_joints import FoundPerson
from fmp_models.pose import INDEX, JOINTS, MIRROR, mirrored_joints
from tests.bodies import Body, Leg, bodies

LEGS = [INDEX[f"{side}_{part}"] for side in ("left", "right") for part in ("knee", "ankle", "foot")]
LEFT_LIFTED = Body(left_leg=Leg(lift=80)).pose().joints
RIGHT_LIFTED = Body(right_leg=Leg(lift=80)).pose().joints


def look_at(joints: np.ndarray, visibility: float = 0.9) -> FoundPerson:
    return FoundPerson(joints[:, :2] * 100 + 200, joints, np.full(len(JOINTS), visibility), (100.0, 50.0, 300.0, 350.0))


def mirrored(look: FoundPerson) -> FoundPerson:
    left, top, right, bottom = look.box
    return replace(
        look,
        pixels=(look.pixels * (-1, 1) + (400, 0))[list(MIRROR)],
        metres=mirrored_joints(look.metres),
        box=(400 - right, top, 400 - left, bottom),
    )


def moved(joints: np.ndarray, name: str, metres: float) -> np.ndarray:
    result = joints.copy()
    result[INDEX[name]] += (0, metres, 0)
    return result


def test_looks_that_agree_are_averaged_and_a_strange_one_is_dropped() -> None:
    joints = Body().pose().joints
    assert agreed([look_at(joints), look_at(joints + 0.02)]).metres == pytest.approx(joints + 0.01)
    strange = look_at(joints[::-1], 0.5)
    assert np.array_equal(agreed([strange, look_at(joints)]).metres, joints)


@pytest.mark.parametrize("metres", [0.1, 0.3, 0.45])
def test_looks_that_err_to_either_side_are_of_one_mode(metres: float) -> None:
    joints = Body().pose().joints
    looks = [look_at(joints), look_at(moved(joints, "left_wrist", metres))]
    assert agreed(looks).metres == pytest.approx(moved(joints, "left_wrist", metres / 2))
    assert not disputed_joints(looks).any()


def test_a_body_that_most_looks_see_counts_more_than_one_clear_look() -> None:
    joints = Body().pose().joints
    looks = [look_at(joints, 0.4), look_at(joints, 0.4), look_at(joints[::-1], 0.95)]
    assert agreed(looks).metres == pytest.approx(joints)


@given(bodies, st.sampled_from(["left_wrist", "right_wrist", "left_ankle", "right_ankle"]), st.floats(0.5, 1.0))
def test_a_limb_that_changed_its_place_is_where_most_looks_see_it(body: Body, name: str, metres: float) -> None:
    joints = body.pose().joints
    looks = [look_at(joints)] * 5 + [look_at(moved(joints, name, metres))] * 3
    assert agreed(looks).metres == pytest.approx(joints)
    assert agreed(looks[::-1]).metres == pytest.approx(joints)


@given(st.lists(st.sampled_from([LEFT_LIFTED, RIGHT_LIFTED]), min_size=1, max_size=9))
def test_no_body_is_between_two_legs_that_looks_call_the_lifted_one(seen: list[np.ndarray]) -> None:
    body = agreed([look_at(joints) for joints in seen]).metres
    assert min(np.abs(body - LEFT_LIFTED).max(), np.abs(body - RIGHT_LIFTED).max()) < 1e-9


@given(st.lists(st.tuples(bodies, st.floats(0.1, 1)), min_size=1, max_size=5))
def test_mirrored_looks_agree_on_the_mirrored_body_and_differ_about_the_mirrored_limbs(
    seen: list[tuple[Body, float]],
) -> None:
    looks = [look_at(body.pose().joints, visibility) for body, visibility in seen]
    other = [mirrored(look) for look in looks]
    assert agreed(other).metres == pytest.approx(mirrored(agreed(looks)).metres)
    assert np.array_equal(disputed_joints(other), disputed_joints(looks)[list(MIRROR)])


@pytest.mark.parametrize(("left", "right", "disputed"), [(4, 4, True), (5, 4, True), (7, 1, False), (8, 0, False)])
def test_legs_are_disputed_where_looks_cannot_tell_left_from_right(left: int, right: int, *, disputed: bool) -> None:
    looks = [look_at(LEFT_LIFTED)] * left + [look_at(RIGHT_LIFTED)] * right
    found = disputed_joints(looks)
    assert found[LEGS].all() if disputed else not found.any()
    assert not found[[joint for joint in range(len(JOINTS)) if joint not in LEGS]].any()


def test_what_hangs_on_a_disputed_joint_is_disputed_too() -> None:
    joints = Body().pose().joints
    looks = [look_at(joints)] * 4 + [look_at(moved(joints, "left_elbow", 0.5))] * 4
    assert [JOINTS[joint] for joint in np.flatnonzero(disputed_joints(looks))] == [
        "left_elbow",
        "left_wrist",
        "left_hand",
    ]


def test_looks_that_call_another_leg_the_lifted_one_still_see_one_body() -> None:
    looks = [look_at(LEFT_LIFTED)] * 4 + [look_at(RIGHT_LIFTED)] * 4
    assert len(same_body(looks)) == len(looks)
    assert len(same_body([*looks, look_at(LEFT_LIFTED[::-1])])) == len(looks)

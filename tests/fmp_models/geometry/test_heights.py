"""Heights over the floor of photographed bodies: hips that rise, legs that are lifted, and who rolls over."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fmp_models.geometry.clauses import Direction
from fmp_models.geometry.heights import foot_height, leant, raised, turned
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.pose import PosePair, mirrored_joints
from tests.bodies import Arm, Body, Leg
from tests.fmp_models.geometry.test_attitudes import ON_THE_FLOOR, SITTING, STANDING, on_back, photographed

BENT = Leg(lift=55, bend=105)
FLAT = Body(left_leg=BENT, right_leg=BENT)
LONG_SIT = ON_THE_FLOOR.change(yaw=90.0).pose().joints


def rolled(joints: np.ndarray, degrees: float) -> np.ndarray:
    """Return the body turned to its own left about the length of its trunk."""
    length = joints[2] - joints[0]
    turn = Rotation.from_rotvec(np.radians(degrees) * length / np.linalg.norm(length))
    return np.asarray(turn.apply(joints))


def tipped(joints: np.ndarray, degrees: float) -> np.ndarray:
    """Return the body seen from its side and rotated in the picture, head up if positive."""
    towards_head = np.sign(joints[2, 0])
    return np.asarray(Rotation.from_euler("z", -towards_head * degrees, degrees=True).apply(joints))


def bridge(slope: float) -> np.ndarray:
    """On the back with feet on the floor, the hips lifted so that the trunk slopes by so many degrees."""
    shin = 80.0
    thigh = np.degrees(np.arcsin(np.sin(np.radians(shin)) + (0.02 - 0.5 * np.sin(np.radians(slope))) / 0.42))
    legs = Leg(lift=float(thigh) - slope, bend=float(thigh) + shin)
    return tipped(on_back(Body(left_leg=legs, right_leg=legs)), -slope)


def plank(elbows: float) -> np.ndarray:
    """Face down on straight legs, upper arms down, elbows bent by so many degrees."""
    arms = Arm(lift=90, swing=90, bend=elbows)
    level = Rotation.from_euler("y", 90, degrees=True) * Rotation.from_euler("x", 90, degrees=True)
    joints = np.asarray(level.apply(Body(left_arm=arms, right_arm=arms).pose().joints.copy()))
    hands_down = 0.53 * np.cos(np.radians(elbows / 2))
    return tipped(joints, float(np.degrees(np.arcsin(hands_down / 1.34))))


def said(current: np.ndarray, target: np.ndarray) -> set[tuple[str, str]]:
    plan = make_plan(PosePair(photographed(current), photographed(target)))
    still = {Direction.KEEP, Direction.UNSEEN}
    return {(clause.part_name, clause.direction.value) for clause in plan if clause.direction not in still}


def test_hips_that_rise_into_a_bridge_are_said_and_sink_again() -> None:
    for slope in (15, 25):
        assert ("body", "up") in said(on_back(FLAT), bridge(slope))
        assert ("body", "down") in said(bridge(slope), on_back(FLAT))
        assert not {part for part, _ in said(on_back(FLAT), bridge(slope))} & {"trunk", "hips", "both legs"}


def test_shoulders_that_leave_the_floor_lean_the_trunk_forward_and_lift_no_hips() -> None:
    flat, up = (
        on_back(FLAT),
        tipped(on_back(Body(left_leg=Leg(lift=85, bend=105), right_leg=Leg(lift=85, bend=105))), 30),
    )
    assert ("trunk", "forward") in said(flat, up)
    assert ("trunk", "backward") in said(up, flat)
    assert "body" not in {part for part, _ in said(flat, up)}


def test_hips_that_rise_with_the_legs_in_the_air_are_said() -> None:
    legs = Leg(lift=85, bend=20)
    rolled_up = tipped(on_back(Body(left_leg=legs, right_leg=legs)), -28)
    assert {("body", "up"), ("both legs", "up")} <= said(on_back(FLAT), rolled_up)


@pytest.mark.parametrize("pose", [on_back(STANDING), on_back(FLAT)])
def test_legs_that_are_lifted_lift_no_hips(pose: np.ndarray) -> None:
    lifted = on_back(Body(left_leg=Leg(lift=85), right_leg=Leg(lift=85)))
    assert abs(float(raised(pose, lifted))) < 0.03
    assert ("both legs", "up") in said(pose, lifted)


def test_a_trunk_that_lies_on_its_back_and_then_on_its_belly_leans_nowhere() -> None:
    lying = on_back(STANDING)
    assert "trunk" not in {part for part, _ in said(lying, rolled(tipped(lying, 10), 180))}
    assert float(leant(lying, rolled(tipped(lying, 10), 180))) == 0


def test_a_push_up_lowers_the_body_and_pushes_it_up_again() -> None:
    assert float(raised(plank(0), plank(110))) < -0.1
    assert ("body", "down") in said(plank(0), plank(110))
    assert ("body", "up") in said(plank(110), plank(0))


def test_a_person_who_sits_up_is_not_told_to_raise_or_lower_the_hips() -> None:
    parts = {part for part, _ in said(on_back(STANDING), LONG_SIT)}
    assert "body" not in parts
    assert ("trunk", "forward") in said(on_back(STANDING), LONG_SIT)


def test_both_legs_that_leave_the_floor_are_lifted_while_somebody_sits() -> None:
    legs = Leg(lift=125, bend=0)
    boat = Body(pitch=-35, left_leg=legs, right_leg=legs).change(yaw=90.0).pose().joints
    assert ("both legs", "up") in said(LONG_SIT, boat)
    assert float(foot_height(boat, "left")) > 0.3
    assert float(foot_height(LONG_SIT, "left")) < 0.1


@pytest.mark.parametrize(("degrees", "way"), [(90, "turn left"), (-90, "turn right")])
def test_a_person_who_rolls_over_is_told_to_turn(degrees: float, way: str) -> None:
    lying = on_back(STANDING)
    assert said(lying, rolled(lying, degrees)) == {("body", way)}
    assert not any("turn" in direction for _, direction in said(lying, rolled(lying, 15)))
    assert float(turned(lying, rolled(lying, degrees))) == pytest.approx(degrees, abs=2)


def test_a_heel_that_leaves_the_floor_lifts_no_foot() -> None:
    joints = STANDING.pose().joints.copy()
    joints[[18, 17], 1] -= (0.09, 0.03)  # the left heel up, the toes where they were
    assert float(foot_height(joints, "left")) < 0.05
    joints[19, 1] -= 0.3
    joints[18, 1] -= 0.2
    assert float(foot_height(joints, "left")) > 0.2


lying_bodies = st.sampled_from([on_back(STANDING), on_back(FLAT), bridge(25), plank(0), plank(80), LONG_SIT])
standing_bodies = st.sampled_from([body.pose().joints for body in (STANDING, SITTING, Body(yaw=70, pitch=40))])


@given(lying_bodies | standing_bodies, lying_bodies | standing_bodies)
def test_heights_reverse_on_the_way_back_and_mirror(one: np.ndarray, other: np.ndarray) -> None:
    assert float(raised(one, other)) == pytest.approx(-float(raised(other, one)), abs=1e-6)
    mirrored = [mirrored_joints(joints) for joints in (one, other)]
    assert float(raised(*mirrored)) == pytest.approx(float(raised(one, other)), abs=1e-6)
    assert abs(float(turned(*mirrored))) == pytest.approx(abs(float(turned(one, other))), abs=1e-6)
    assert float(foot_height(mirrored[0], "left")) == pytest.approx(float(foot_height(one, "right")), abs=1e-6)

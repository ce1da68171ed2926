"""Attitudes, heights over the floor and ways of resting: bodies are told apart, and a rest is named only if sure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fmp_models.estimators.base import sampled_joints
from fmp_models.geometry.lexicon import Direction, Part, Relation
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.pose_values import (
    body_height,
    foot_height,
    foot_lift,
    foot_to_other_leg,
    is_kneeling,
    is_lying,
    is_sitting,
    is_standing,
    lean_forward,
    leant,
    raised,
    turned,
)
from fmp_models.geometry.relations import rest_of
from fmp_models.pose import Pose, PosePair, mirrored_joints
from tests.bodies import Arm, Body, Leg

STANDING = Body()
SITTING = Body(left_leg=Leg(lift=88, bend=92), right_leg=Leg(lift=88, bend=92))
ON_THE_FLOOR = Body(left_leg=Leg(lift=90, bend=0), right_leg=Leg(lift=90, bend=0))
KNEELING = Body(left_leg=Leg(lift=0, bend=90), right_leg=Leg(lift=0, bend=90))
SQUAT = Body(pitch=40, left_leg=Leg(lift=75, bend=100), right_leg=Leg(lift=75, bend=100))
BOW = Body(pitch=80)
SHOE = Body(pitch=95, left_leg=Leg(lift=100, bend=125), right_leg=Leg(lift=100, bend=125))


def on_back(body: Body) -> np.ndarray:
    """Return the body fallen backwards, seen from its side."""
    turned = Rotation.from_euler("y", 90, degrees=True) * Rotation.from_euler("x", -90, degrees=True)
    return np.asarray(turned.apply(body.pose().joints.copy()))


def photographed(joints: np.ndarray) -> Pose:
    visibility = np.ones(20)
    pose = Pose(joints, visibility)
    return replace(pose, pose_samples=sampled_joints(joints[None], visibility, visibility.astype(bool)))


def movements(current: np.ndarray, target: np.ndarray) -> set[tuple[str, str]]:
    plan = make_plan(PosePair(photographed(current), photographed(target)))
    return {(clause.part_name, clause.direction.value) for clause in plan if clause.direction is not Direction.KEEP}


@pytest.mark.parametrize(
    ("body", "rests"),
    [
        (STANDING, is_standing),
        (Body(right_leg=Leg(lift=80, bend=80)), is_standing),
        (SITTING, is_sitting),
        (ON_THE_FLOOR, is_sitting),
        (KNEELING, is_kneeling),
        (SQUAT, None),
        (BOW, None),
        (SHOE, None),
    ],
)
def test_a_body_rests_in_one_way_or_in_none(body: Body, rests: object) -> None:
    joints = body.pose().joints
    attitudes = [one for one in (is_standing, is_sitting, is_kneeling, is_lying) if one(joints)]
    assert attitudes == ([] if rests is None else [rests])


def test_who_lies_is_lying_however_legs_and_arms_are_held() -> None:
    for body in (STANDING, SITTING, Body(left_arm=Arm(lift=170), right_leg=Leg(lift=80))):
        assert is_lying(on_back(body))


def test_a_lying_leg_is_lifted_off_the_floor_and_the_hips_stay() -> None:
    flat, raised = on_back(STANDING), on_back(Body(left_leg=Leg(lift=80)))
    assert foot_lift(raised, "left") - foot_lift(flat, "left") == pytest.approx(0.8, abs=0.1)
    assert foot_lift(raised, "right") == pytest.approx(foot_lift(flat, "right"), abs=0.05)
    assert body_height(raised) == pytest.approx(body_height(flat), abs=0.05)
    assert movements(flat, raised) == {("left leg", "up")}


def test_both_legs_lifted_while_lying_are_both_said() -> None:
    legs = {"left_leg": Leg(lift=80), "right_leg": Leg(lift=80)}
    assert ("both legs", "up") in movements(on_back(STANDING), on_back(Body(**legs)))


def test_a_lying_body_is_never_told_to_step_to_turn_or_to_shift_its_hips() -> None:
    moved = Body(left_leg=Leg(lift=60, bend=90), right_leg=Leg(lift=20), left_arm=Arm(lift=90, swing=90))
    parts = {part for part, _ in movements(on_back(STANDING), on_back(moved))}
    assert not parts & {"left foot", "right foot", "both feet", "hips", "body"}


def test_sitting_up_bends_the_trunk_forward_and_lying_back_leans_it_back() -> None:
    lying, up = on_back(STANDING), ON_THE_FLOOR.change(yaw=90.0).pose().joints
    plan = make_plan(PosePair(photographed(lying), photographed(up)))
    assert (Part.TRUNK, Direction.FORWARD) in {(clause.part, clause.direction) for clause in plan}


@pytest.mark.parametrize(
    ("before", "pitch"),
    [*((STANDING, pitch) for pitch in (100, 120, 140, 160, 175)), *((BOW, pitch) for pitch in (140, 160, 175))],
)
def test_a_person_who_hangs_lower_leans_further_forward_and_back_on_the_way_up(before: Body, pitch: float) -> None:
    up, down = before.pose().joints, Body(pitch=pitch).pose().joints
    assert ("trunk", "forward") in movements(up, down)
    assert ("trunk", "backward") in movements(down, up)
    assert not {part for part, _ in movements(up, down)} & {"head"}


def test_nothing_is_said_of_how_somebody_leans_who_stands_on_their_hands() -> None:
    up = STANDING.pose().joints
    handstand = up * (1, -1, -1)
    assert not {part for part, _ in movements(up, handstand)} & {"trunk", "head"}
    assert ("trunk", "forward") in movements(up, BOW.pose().joints)


@pytest.mark.parametrize(
    "body",
    [
        Body(pitch=-140),
        Body(pitch=-160),
        Body(lean=120),
        Body(lean=-140),
        Body(pitch=-130, left_leg=Leg(lift=60, bend=70), right_leg=Leg(lift=60, bend=70)),
    ],
)
def test_a_person_who_hangs_backward_or_sideways_is_not_told_to_lean_forward_or_back(body: Body) -> None:
    up, hanging = STANDING.pose().joints, body.pose().joints
    assert not {part for one in ((up, hanging), (hanging, up)) for part, _ in movements(*one)} & {"trunk", "head"}
    way = float(lean_forward(up, hanging))
    assert way == pytest.approx(body.pitch if body.lean == 0 else 0, abs=2)


@pytest.mark.parametrize("pitch", [85, 89, 91, 95, 114, 116])
def test_between_two_deep_bends_nothing_jumps(pitch: float) -> None:
    one, other = (Body(pitch=angle).pose().joints for angle in (pitch, pitch + 3))
    assert abs(float(lean_forward(one, other))) < 4
    hanging = Body(pitch=125).pose().joints
    assert float(lean_forward(one, hanging)) == pytest.approx(125 - pitch, abs=2)


def test_the_nearest_place_of_the_other_leg_counts() -> None:
    joints = STANDING.pose().joints.copy()
    shin = (joints[13] + joints[14]) / 2
    joints[18] = np.add(shin, (0.1, 0.0, 0.0))
    assert foot_to_other_leg(joints, "left") == pytest.approx(0.1, abs=0.01)


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


def rests(current: np.ndarray, target: np.ndarray) -> set[tuple[Direction, Relation]]:
    plan = make_plan(PosePair(photographed(current), photographed(target)))
    return {(c.direction, relation) for c in plan if c.part is Part.BODY for relation in c.relations}


def test_nobody_is_lowered_until_they_sit_who_lies() -> None:
    for lying in (on_back(STANDING), on_back(FLAT), bridge(25), plank(0)):
        for seat in (LONG_SIT, SITTING.change(yaw=90.0).pose().joints):
            assert not {relation for direction, relation in rests(lying, seat) if direction is Direction.DOWN}
            assert not {relation for direction, relation in rests(seat, lying) if direction is Direction.UP}


def test_a_rest_is_named_where_it_is_sure_alone() -> None:
    sitting = SITTING.change(yaw=90.0).pose().joints
    standing = STANDING.change(yaw=90.0).pose().joints
    assert (Direction.DOWN, Relation.SITTING) in rests(standing, sitting)
    squat = Body(yaw=90.0, left_leg=Leg(lift=75, bend=90), right_leg=Leg(lift=75, bend=90)).pose().joints
    assert not rests(standing, squat)


def test_knees_drawn_up_under_a_bar_are_no_seat() -> None:
    up = {"left_arm": Arm(lift=175), "right_arm": Arm(lift=175), "yaw": 90.0}
    assert not rests(STANDING.change(**up).pose().joints, SITTING.change(**up).pose().joints)


def test_the_way_a_body_rests_is_told_apart_or_not_at_all() -> None:
    known = {Relation.SITTING: SITTING, Relation.KNEELING: KNEELING, Relation.STANDING: STANDING}
    for relation, body in known.items():
        assert rest_of(photographed(body.change(yaw=90.0).pose().joints)) is relation
    assert rest_of(photographed(LONG_SIT)) is Relation.SITTING
    assert rest_of(photographed(on_back(STANDING))) is Relation.LYING
    for between in (Leg(lift=75, bend=95), Leg(lift=60, bend=80)):
        assert rest_of(photographed(Body(yaw=90.0, left_leg=between, right_leg=between).pose().joints)) is None

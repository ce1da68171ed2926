"""Bodies that lie, sit, kneel and crouch: how they are told apart, and what is said of them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fmp_models.estimators.pose_samples import sampled_joints
from fmp_models.geometry.attitudes import foot_to_other_leg, is_kneeling, is_sitting, is_standing
from fmp_models.geometry.clauses import Direction, Part
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.pose_values import body_height, foot_lift, is_lying, lean_forward
from fmp_models.pose import Pose, PosePair
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

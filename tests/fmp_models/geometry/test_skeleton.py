"""Bones keep their lengths in every turn, and joints have the limits of people."""

import numpy as np
import pytest
from hypothesis import given

from fmp_models.geometry.skeleton import LIMITS, UNKNOWNS, angles, moved, ranges, unknowns_of
from fmp_models.pose import BONES, INDEX, Array, PosePair
from tests.bodies import Arm, Body, Leg, bodies, random_pairs
from tests.thoroughness import examples


def moved_joints(names: set[str]) -> set[int]:
    joints = Body().pose().joints
    numbers = np.zeros((1, UNKNOWNS))
    numbers[:, unknowns_of(frozenset(names))] = 0.3
    return {*np.flatnonzero(np.abs(moved(joints, numbers)[0] - joints).max(axis=-1) > 1e-9)}


def indices(*names: str) -> set[int]:
    return {INDEX[name] for name in names}


def lengths(joints: Array) -> Array:
    return np.array([np.linalg.norm(joints[a] - joints[b]) for a, b in BONES])


def test_turned_bodies_keep_their_bones() -> None:
    joints = random_pairs(1, seed=1)[0].current.joints
    bodies = moved(joints, np.random.default_rng(1).normal(size=(3, UNKNOWNS)))
    assert np.array([lengths(body) for body in bodies]) == pytest.approx(np.tile(lengths(joints), (3, 1)), abs=1e-9)
    assert np.abs(bodies - joints).max() > 0.3


def test_no_turn_and_no_shift_leave_the_body_where_it_is() -> None:
    joints = random_pairs(1, seed=2)[0].current.joints
    assert moved(joints, np.zeros((1, UNKNOWNS)))[0] == pytest.approx(joints, abs=1e-12)


def test_a_turn_moves_what_hangs_on_its_pivot() -> None:
    assert moved_joints({"neck"}) == indices("head")
    assert moved_joints({"left_elbow"}) == indices("left_wrist", "left_hand")
    assert moved_joints({"right_hip"}) == indices("right_knee", "right_ankle", "right_foot")
    assert not moved_joints({"waist", "spine"}) & indices("left_knee", "right_hip", "hip")
    assert moved_joints({"shift"}) == {*range(20)}


NAMES = [limit.name for limit in LIMITS]


def angle_of(body: Body, name: str) -> float:
    return float(angles(body.pose().joints)[NAMES.index(name)])


def inside(body: Body) -> list[str]:
    """Give the names of the angles that lie beyond their limits."""
    degrees = angles(body.pose().joints)
    return [one.name for one, value in zip(LIMITS, degrees, strict=True) if not one.low <= value <= one.high]


@pytest.mark.parametrize(
    "body",
    [
        Body(),
        Body(pitch=80),
        Body(left_arm=Arm(lift=175), right_arm=Arm(lift=175, swing=90)),
        Body(left_arm=Arm(lift=90, swing=90, bend=140), right_arm=Arm(lift=90, bend=90)),
        Body(left_leg=Leg(lift=90, bend=90), right_leg=Leg(lift=30, swing=0)),
        Body(left_leg=Leg(lift=100, bend=130), right_leg=Leg(lift=100, bend=130)),
    ],
)
def test_what_people_do_lies_within_the_limits(body: Body) -> None:
    assert inside(body) == []


def test_an_elbow_or_knee_that_bends_backwards_lies_beyond_the_limits() -> None:
    assert "left upper arm turned out" in inside(Body(left_arm=Arm(lift=10, bend=-60)))
    assert "right thigh turned out" in inside(Body(right_leg=Leg(lift=5, bend=-50)))


@pytest.mark.parametrize(
    ("body", "name", "degrees"),
    [
        (Body(left_arm=Arm(bend=70)), "left elbow flexion", 70),
        (Body(right_leg=Leg(lift=60, bend=70)), "right knee flexion", 70),
        (Body(right_leg=Leg(lift=60, bend=70)), "right hip flexion", 60),
        (Body(left_leg=Leg(lift=40, swing=0)), "left hip outward", 40),
        (Body(twist=30), "spine twist", 30),
        (Body(nod=25), "neck forward", 25),
        (Body(pitch=40, nod=25), "neck forward", 25),
    ],
)
def test_an_angle_is_read_off_the_joints(body: Body, name: str, degrees: float) -> None:
    assert angle_of(body, name) == pytest.approx(degrees, abs=3)


@examples(30)
@given(bodies, bodies)
def test_a_mirrored_body_has_the_mirrored_angles(one: Body, other: Body) -> None:
    pair = PosePair(one.pose(), other.pose())
    of_sides = [NAMES.index(name.replace("left", "X").replace("right", "left").replace("X", "right")) for name in NAMES]
    signs = np.array([-1 if name in {"spine aside", "spine twist", "neck aside"} else 1 for name in NAMES])
    for pose, mirrored in ((pair.current, pair.mirrored.current), (pair.target, pair.mirrored.target)):
        assert angles(mirrored.joints) == pytest.approx(angles(pose.joints)[of_sides] * signs, abs=1e-6)


def test_a_body_that_starts_beyond_a_limit_may_stay_there_and_go_no_further() -> None:
    start = Body(left_arm=Arm(lift=10, bend=-60)).pose().joints
    low, high = ranges(start)
    now = angles(start)
    assert ((low <= now) & (now <= high)).all()
    knee = NAMES.index("left knee flexion")
    assert (low[knee], high[knee]) == (0, 150)

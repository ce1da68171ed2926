"""Shapes are named of photographed bodies that hold them, and of no others."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fmp_models.geometry.lexicon import ShapeRegion, Side
from fmp_models.geometry.measures import BY_AXIS
from fmp_models.geometry.shape import near
from fmp_models.geometry.shapes import SHAPES, SHAPES_BY_NAME, held_shapes
from fmp_models.pose import INDEX, Pose, mirror
from tests.bodies import Arm, Body, Leg
from tests.fmp_models.geometry.test_pose_values import bridge, on_back, photographed, plank
from tests.nonempty import nonempty

Place = tuple[float, float, float]

HANGING: dict[str, Place] = {
    "hip": (0.1, 0, 0),
    "knee": (0.1, -0.42, 0),
    "ankle": (0.1, -0.84, 0),
    "foot": (0.1, -0.88, 0.14),
    "elbow": (0.2, 0.2, 0),
    "wrist": (0.2, -0.05, 0.02),
}
LEVEL, OVERHEAD, HALF_UP = Arm(lift=90, bend=2), Arm(lift=172, bend=3), Arm(lift=135, bend=2)
AHEAD, GOALPOST = Arm(lift=90, swing=90, bend=2), Arm(lift=90, bend=90, roll=-90)
ON_HIP = Arm(lift=30, bend=80, roll=90)
SQUAT_LEG, GODDESS_LEG = Leg(lift=80, swing=88, bend=105), Leg(lift=65, swing=35, bend=72, toes=45)
FRONT, BACK = Leg(lift=70, swing=90, bend=75), Leg(lift=45, swing=-90)
APART = Leg(lift=30, swing=0)

BODIES = {
    "squat": Body(pitch=40, left_leg=SQUAT_LEG, right_leg=SQUAT_LEG),
    "goddess": Body(left_leg=GODDESS_LEG, right_leg=GODDESS_LEG),
    "chair": Body(
        pitch=30,
        left_arm=Arm(lift=165, swing=90),
        right_arm=Arm(lift=165, swing=90),
        left_leg=Leg(lift=60, bend=85),
        right_leg=Leg(lift=60, bend=85),
    ),
    "lunge": Body(left_leg=Leg(lift=75, bend=85), right_leg=Leg(lift=40, swing=-90, bend=30)),
    "warrior_one": Body(left_leg=FRONT, right_leg=BACK, left_arm=OVERHEAD, right_arm=OVERHEAD),
    "warrior_two": Body(
        left_leg=Leg(lift=70, swing=5, bend=75, toes=80),
        right_leg=Leg(lift=50, swing=0),
        left_arm=LEVEL,
        right_arm=LEVEL,
    ),
    "star": Body(left_arm=Arm(lift=100), right_arm=Arm(lift=100), left_leg=APART, right_leg=APART),
    "triangle": Body(
        lean=60, left_arm=Arm(lift=60), right_arm=Arm(lift=120), left_leg=Leg(38, 0), right_leg=Leg(38, 0)
    ),
    "forward_fold": Body(pitch=140, left_arm=Arm(140, 90), right_arm=Arm(140, 90)),
    "half_fold": Body(pitch=90),
    "seated": Body(left_leg=Leg(lift=88, bend=90), right_leg=Leg(lift=88, bend=90)),
    "arms_t": Body(left_arm=LEVEL, right_arm=LEVEL),
    "arms_v": Body(left_arm=HALF_UP, right_arm=HALF_UP),
    "arms_front": Body(left_arm=AHEAD, right_arm=AHEAD),
    "arms_overhead": Body(left_arm=OVERHEAD, right_arm=OVERHEAD),
    "arms_goalpost": Body(left_arm=GOALPOST, right_arm=GOALPOST),
    "arms_down": Body(),
    "hands_hips": Body(left_arm=ON_HIP, right_arm=ON_HIP),
}
LYING = {"lying_back": on_back(Body()), "bridge": bridge(25), "plank": plank(5)}
KNEE_DOWN = {"knee": (0.1, -0.42, -0.02), "ankle": (0.1, -0.42, -0.44), "foot": (0.1, -0.46, -0.56)}


def placed(
    neck: Place = (0, 0.5, 0), left: Mapping[str, Place] = {}, right: Mapping[str, Place] = {}, **both: Place
) -> np.ndarray:
    """Joints at (outward, up, forward) metres from the hips, of one side or of both; the others hang."""
    joints = np.zeros((20, 3))
    joints[INDEX["neck"]], joints[INDEX["spine"]] = neck, np.array(neck) / 2
    joints[INDEX["head"]] = 1.4 * np.array(neck)
    for side, sign, own in (("left", 1, left), ("right", -1, right)):
        places = {part: np.array(place) for part, place in (HANGING | both | dict(own)).items()}
        places["shoulder"] = np.add(neck, (0.18, 0, 0))
        places.setdefault("hand", 1.3 * places["wrist"] - 0.3 * places["elbow"])
        for part, place in places.items():
            joints[INDEX[f"{side}_{part}"]] = place * [sign, 1, 1]
    return joints * [1, -1, -1]  # as the camera sees whoever faces it


PLACED = {
    "tree": placed(left={"knee": (0.38, -0.2, 0.15), "ankle": (-0.02, -0.38, 0.03), "foot": (-0.05, -0.5, 0.05)}),
    "low_lunge": placed(
        left={"knee": (0.1, -0.03, 0.42), "ankle": (0.1, -0.42, 0.45), "foot": (0.1, -0.45, 0.58)},
        right={"knee": (0.1, -0.38, -0.22), "ankle": (0.1, -0.4, -0.64), "foot": (0.1, -0.42, -0.76)},
    ),
    "half_kneeling": placed(
        left={"knee": (0.1, 0, 0.42), "ankle": (0.1, -0.42, 0.42), "foot": (0.1, -0.46, 0.55)}, right=KNEE_DOWN
    ),
    "kneeling": placed(**KNEE_DOWN),
    "cross_legged": placed(knee=(0.33, -0.06, 0.25), ankle=(-0.06, -0.08, 0.27), foot=(-0.1, -0.1, 0.3)),
    "long_sitting": placed(knee=(0.1, -0.02, 0.42), ankle=(0.1, -0.04, 0.84), foot=(0.1, 0.1, 0.88)),
    "boat": placed((0, 0.38, -0.32), knee=(0.1, 0.21, 0.36), ankle=(0.1, 0.42, 0.73), foot=(0.1, 0.5, 0.85)),
    "childs_pose": placed((0, 0, 0.5), knee=(0.12, -0.12, 0.35), ankle=(0.1, -0.1, -0.06), foot=(0.1, -0.12, -0.2)),
    "cobra": placed((0, 0.36, 0.35), knee=(0.1, 0, -0.42), ankle=(0.1, 0, -0.84), foot=(0.1, -0.02, -0.98)),
    "all_fours": placed((0, 0.02, 0.5), elbow=(0.18, -0.24, 0.5), wrist=(0.18, -0.49, 0.5), **KNEE_DOWN),
    "downward_dog": placed(
        (0, -0.32, 0.38),
        knee=(0.1, -0.36, -0.22),
        ankle=(0.1, -0.71, -0.44),
        foot=(0.1, -0.75, -0.3),
        elbow=(0.18, -0.5, 0.6),
        wrist=(0.18, -0.66, 0.79),
    ),
    "forearm_plank": placed(
        (0, 0.1, 0.49),
        knee=(0.1, -0.08, -0.41),
        ankle=(0.1, -0.16, -0.82),
        foot=(0.1, -0.2, -0.9),
        elbow=(0.18, -0.18, 0.49),
        wrist=(0.15, -0.19, 0.74),
    ),
    "push_up_low": placed(
        (0, 0.03, 0.5),
        knee=(0.1, -0.03, -0.42),
        ankle=(0.1, -0.06, -0.84),
        foot=(0.1, -0.12, -0.9),
        elbow=(0.32, 0.1, 0.27),
        wrist=(0.3, -0.14, 0.35),
    ),
    "lying_front": placed(
        (0, 0.02, 0.5),
        knee=(0.1, 0, -0.42),
        ankle=(0.1, 0, -0.84),
        foot=(0.1, 0, -0.96),
        elbow=(0.35, 0, 0.55),
        wrist=(0.3, 0, 0.78),
    ),
    "palms_chest": placed(elbow=(0.28, 0.27, 0.1), wrist=(0.02, 0.3, 0.22), hand=(0.01, 0.38, 0.24)),
    "palms_overhead": placed(elbow=(0.22, 0.76, 0.02), wrist=(0.03, 0.95, 0), hand=(0.01, 1.03, 0)),
    "hands_head": placed(elbow=(0.42, 0.6, 0.02), wrist=(0.16, 0.66, -0.06), hand=(0.08, 0.68, -0.08)),
    "arms_crossed": placed(elbow=(0.26, 0.25, 0.1), wrist=(-0.1, 0.3, 0.2), hand=(-0.16, 0.3, 0.18)),
}
PLACED["side_plank"] = Rotation.from_euler("z", 67, degrees=True).apply(
    placed(elbow=(0.46, 0.5, 0), wrist=(0.71, 0.5, 0))
)
# What may be named beside a shape: it holds the other one too.
ALONG = {
    "chair": {"squat", "arms_overhead"},
    "warrior_one": {"lunge", "arms_overhead"},
    "warrior_two": {"arms_t"},
    "star": {"arms_t"},
    "palms_overhead": {"arms_overhead"},
    "half_kneeling": {"low_lunge"},
    "low_lunge": {"half_kneeling", "lunge"},
    "downward_dog": {"forward_fold"},
}
FREE_ARMS = {"squat", "goddess", "lunge", "half_fold", "forward_fold", "seated"}


def names(pose: Pose) -> set[str]:
    return {held.shape.name for held in held_shapes(pose)}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("yaw", [0.0, 35.0, -70.0])
def test_a_body_that_holds_a_shape_is_given_its_name_and_no_other(name: str, yaw: float) -> None:
    found = names(photographed(BODIES[name].change(yaw=yaw).pose().joints))
    assert name in found
    assert found - {name} <= ALONG.get(name, set()) | ({"arms_down"} if name in FREE_ARMS else set())


@pytest.mark.parametrize("name", PLACED)
@pytest.mark.parametrize("yaw", [0.0, 40.0, -80.0])
def test_a_body_whose_joints_are_placed_in_a_shape_is_given_its_name(name: str, yaw: float) -> None:
    joints = Rotation.from_euler("y", yaw, degrees=True).apply(PLACED[name])
    found = names(photographed(joints))
    assert name in found
    of_arms = {shape.name for shape in SHAPES if shape.regions == {ShapeRegion.ARMS}}
    free = set[str]() if name in of_arms else of_arms
    assert found - {name} <= ALONG.get(name, set()) | free


@pytest.mark.parametrize("name", LYING)
def test_a_body_on_the_floor_is_given_its_name(name: str) -> None:
    assert names(photographed(LYING[name])) & set(LYING) == {name}


def test_a_person_who_sits_bent_forward_does_not_squat() -> None:
    legs = Leg(lift=85, bend=80)
    seated = Body(pitch=40, left_leg=legs, right_leg=legs)
    assert "squat" not in names(photographed(seated.pose().joints))


def test_a_knee_that_is_lifted_is_no_lunge() -> None:
    assert "lunge" not in names(photographed(Body(left_leg=Leg(lift=95, bend=90)).pose().joints))


def test_a_forward_fold_with_hanging_hands_is_no_downward_dog() -> None:
    assert "downward_dog" not in names(photographed(BODIES["forward_fold"].pose().joints))


@pytest.mark.parametrize("name", ["lunge", "warrior_one", "warrior_two", "triangle"])
def test_the_mirrored_body_holds_the_shape_on_the_other_side(name: str) -> None:
    pose = photographed(BODIES[name].pose().joints)
    sides = [{held.side for held in held_shapes(body) if held.shape.name == name} for body in (pose, mirror(pose))]
    assert sides == [{Side.LEFT}, {Side.RIGHT}]


def test_no_shape_is_named_by_joints_that_are_not_seen() -> None:
    pose = photographed(BODIES["squat"].pose().joints)
    visibility = pose.visibility.copy()
    visibility[INDEX["left_ankle"]] = 0.0
    cut = Pose(pose.joints, visibility, pose_samples=pose.pose_samples)
    assert "squat" in names(pose)
    assert names(cut) <= {"arms_down"}


@given(st.sampled_from(sorted(BODIES)), st.floats(0.6, 1.6))
def test_shapes_are_the_same_of_large_and_small_bodies(name: str, size: float) -> None:
    joints = BODIES[name].pose().joints
    assert names(Pose(joints * size, np.ones(20))) == names(Pose(joints, np.ones(20)))


def test_what_a_shape_watches_is_measured() -> None:
    for part, direction in nonempty(watched for shape in SHAPES for watched in shape.watched):
        assert any((side, part, direction) in BY_AXIS for side in Side)


def test_a_person_on_a_bench_lies_on_their_back_and_one_who_bends_over_or_rests_face_down_does_not() -> None:
    feet_down = {"knee": (0.1, -0.05, 0.4), "ankle": (0.1, -0.45, 0.45), "foot": (0.1, -0.5, 0.57)}
    on_bench = placed((0, 0.03, -0.5), elbow=(0.2, 0.25, -0.5), wrist=(0.2, 0.5, -0.5), **feet_down)

    assert "lying_back" in held_names(on_bench)
    lying = SHAPES_BY_NAME["lying"]
    assert near(lying.ranges, on_bench, Side.BOTH)
    assert not near(lying.ranges, Body(pitch=100).pose().joints, Side.BOTH)
    assert "lying_back" not in held_names(Body(pitch=100).pose().joints) | held_names(PLACED["all_fours"])


def held_names(joints: np.ndarray) -> set[str]:
    return {held.shape.name for held in held_shapes(Pose(joints, np.ones(20)))}

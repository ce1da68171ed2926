"""The estimator sees in every example picture what the pair is meant to show."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from demo.examples.catalogue import EXAMPLES, STUDIO
from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.pose import INDEX, angle, in_pelvis_frame
from fmp_models.preprocessing import read_photograph
from tests.thoroughness import some, thorough

pytestmark = pytest.mark.real

LEFT_RIGHT = (("left", 1.0), ("right", -1.0))
PICTURES = [(example.name, which) for example in EXAMPLES for which in ("current", "target")]
TRUNK_AND_LEGS = ["head", "neck", "hip"] + [
    f"{side}_{part}" for side, _ in LEFT_RIGHT for part in ("shoulder", "hip", "knee", "ankle", "foot")
]
MARGIN = 15  # pixels


class Seen:
    """One picture as the estimator sees it; places are (left, up, forward) metres from the hips."""

    def __init__(self, estimate: PoseEstimate) -> None:
        self.estimate = estimate
        self.places = in_pelvis_frame(estimate.pose.joints)

    def place(self, joint: str) -> np.ndarray:
        return self.places[INDEX[joint]]

    def up(self, joint: str, above: str) -> float:
        return float((self.place(joint) - self.place(above))[1])

    def apart(self, one: str, other: str) -> float:
        return float(np.linalg.norm(self.place(one) - self.place(other)))

    def knee(self, side: str) -> float:
        """Degrees; 180 is straight."""
        hip, knee, ankle = (self.place(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
        return float(angle(hip - knee, ankle - knee))


See = Callable[[str, str], Seen]


@pytest.fixture(scope="module")
def see(estimator: MediaPipeEstimator) -> See:
    examples = {example.name: example for example in EXAMPLES}
    return cache(lambda name, which: Seen(estimator.estimate(read_photograph(getattr(examples[name], which)))))


@pytest.mark.parametrize(("name", "which"), some(PICTURES, 4))
def test_there_is_one_person_whose_head_trunk_and_legs_are_in_clear_sight(name: str, which: str, see: See) -> None:
    estimate = see(name, which).estimate

    assert estimate.people == 1
    hidden = [joint for joint in TRUNK_AND_LEGS if estimate.pose.visibility[INDEX[joint]] < 0.5]
    assert hidden == []


@pytest.mark.parametrize(("name", "which"), some(PICTURES, 4))
def test_the_whole_person_is_in_the_picture_with_a_margin(name: str, which: str, see: See) -> None:
    joints = see(name, which).estimate.image_joints

    assert joints.min() > MARGIN
    size = (480, 640) if name in STUDIO else (448, 224)
    assert (joints.max(axis=0) < np.array(size) - MARGIN).all()


def test_warrior_goes_from_standing_to_arms_out_feet_wide_and_the_left_knee_bent(see: See) -> None:
    current, target = see("warrior", "current"), see("warrior", "target")

    for side, out in LEFT_RIGHT:
        assert current.up(f"{side}_wrist", above=f"{side}_shoulder") < -0.35
        assert current.knee(side) > 145
        assert abs(target.up(f"{side}_wrist", above=f"{side}_shoulder")) < 0.12
        assert out * (target.place(f"{side}_wrist") - target.place(f"{side}_shoulder"))[0] > 0.35
    assert current.apart("left_ankle", "right_ankle") < 0.4
    assert target.apart("left_ankle", "right_ankle") > 0.6
    assert target.knee("left") < 130
    assert target.knee("right") > 135


@thorough
def test_squat_goes_deep_with_the_arms_in_front_at_shoulder_height(see: See) -> None:
    current, target = see("squat", "current"), see("squat", "target")

    for side, _ in LEFT_RIGHT:
        assert current.knee(side) > 115
        assert target.knee(side) < 105
        assert current.up("hip", above=f"{side}_ankle") - target.up("hip", above=f"{side}_ankle") > 0.15
        assert current.up(f"{side}_wrist", above=f"{side}_shoulder") < -0.3
        assert abs(target.up(f"{side}_wrist", above=f"{side}_shoulder")) < 0.2
        assert (target.place(f"{side}_wrist") - target.place(f"{side}_shoulder"))[2] > 0.3


@thorough
def test_tree_goes_from_hands_on_hips_to_hands_overhead_on_the_right_foot(see: See) -> None:
    current, target = see("tree", "current"), see("tree", "target")

    for side, out in LEFT_RIGHT:
        assert current.apart(f"{side}_wrist", f"{side}_hip") < 0.25
        assert out * (current.place(f"{side}_elbow") - current.place(f"{side}_wrist"))[0] > 0.02
        assert target.up(f"{side}_wrist", above="head") > 0.15
    assert abs(current.up("left_ankle", above="right_ankle")) < 0.1
    assert target.up("left_ankle", above="right_ankle") > 0.2
    assert target.knee("left") < 110
    assert target.knee("right") > 140


@thorough
def test_side_stretch_lunges_lower_leans_to_the_left_and_lifts_the_right_arm(see: See) -> None:
    current, target = see("side_stretch", "current"), see("side_stretch", "target")

    assert abs(current.place("neck")[0]) < 0.1
    assert target.place("neck")[0] > 0.15
    assert current.up("right_wrist", above="right_shoulder") < -0.25
    assert target.up("right_wrist", above="head") > 0.1
    assert target.up("left_wrist", above="left_shoulder") < -0.15
    assert current.up("hip", above="left_ankle") - target.up("hip", above="left_ankle") > 0.08
    assert target.apart("left_ankle", "right_ankle") > 0.8
    assert target.knee("left") < 130
    assert target.knee("right") > 135


def test_lunge_rights_the_trunk_and_lifts_both_arms(see: See) -> None:
    current, target = see("lunge", "current"), see("lunge", "target")

    for side, _ in LEFT_RIGHT:
        assert current.up(f"{side}_wrist", above=f"{side}_shoulder") < -0.3
        assert target.up(f"{side}_wrist", above="head") > 0.1
    assert current.place("neck")[2] - target.place("neck")[2] > 0.1
    assert target.knee("left") < 130
    assert target.apart("left_ankle", "right_ankle") > 0.6

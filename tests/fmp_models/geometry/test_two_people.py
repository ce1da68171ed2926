"""Two people in one pose: bones of other lengths, another size, another distance from the camera are no change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fmp_models.geometry.lexicon import Direction
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.verdicts import confidence
from fmp_models.pose import BONES, INDEX, MIRROR, Pose, PosePair, mirror, with_bones
from tests.bodies import Body, Leg, bodies
from tests.fmp_models.geometry.test_pose_values import KNEELING, SITTING, STANDING, on_back, photographed

_STILL = {Direction.KEEP, Direction.UNSEEN}
shares = st.lists(st.floats(0.75, 1.3), min_size=20, max_size=20).map(np.array)
WARRIOR = Body(left_leg=Leg(lift=70, swing=20, bend=70), right_leg=Leg(lift=45, swing=0, bend=0))
poses = bodies.map(lambda body: body.pose().joints) | st.sampled_from(
    [body.pose().joints for body in (WARRIOR, SITTING, KNEELING)] + [on_back(STANDING), on_back(SITTING)]
)


def built(joints: np.ndarray, bones: np.ndarray, size: float) -> np.ndarray:
    """Return the same angles on a body with other bones, equal on both sides."""
    lengths = np.zeros(20)
    for parent, child in BONES:
        lengths[child] = np.linalg.norm(joints[child] - joints[parent])
    return with_bones(joints, size * lengths * (bones + bones[list(MIRROR)]) / 2)


@settings(max_examples=60, deadline=None)
@given(poses, shares, st.floats(0.7, 1.5), st.floats(-1, 3))
def test_another_build_size_or_distance_is_no_change(
    joints: np.ndarray, bones: np.ndarray, size: float, away: float
) -> None:
    other = built(joints, bones, size) + np.array([0.0, 0.0, away])
    for pair in (
        PosePair(photographed(joints), photographed(other)),
        PosePair(photographed(other), photographed(joints)),
        PosePair(photographed(joints), Pose(other, np.ones(20))),
    ):
        moved = [clause for clause in make_plan(pair) if clause.direction not in _STILL]
        assert not moved


def test_a_wide_stance_of_a_small_person_is_as_wide_as_that_of_a_tall_one() -> None:
    joints = WARRIOR.pose().joints
    narrow = Body(left_leg=Leg(lift=10, swing=0), right_leg=Leg(lift=10, swing=0)).pose().joints
    small = built(joints, np.ones(20), 0.6)
    pair = PosePair(photographed(narrow), photographed(small))
    said = [clause for clause in make_plan(pair) if clause.direction is Direction.APART]
    assert said
    assert confidence(said[0], pair) > 0.9


def test_both_bodies_get_the_same_bones_and_keep_their_angles() -> None:
    one, other = STANDING.pose().joints, built(WARRIOR.pose().joints, np.linspace(0.8, 1.2, 20), 1.1)
    alike = PosePair(photographed(one), photographed(other)).of_one_build
    for parent, child in BONES:
        lengths = [np.linalg.norm(pose.joints[child] - pose.joints[parent]) for pose in (alike.current, alike.target)]
        assert lengths[0] == pytest.approx(lengths[1])
        before, after = other[child] - other[parent], alike.target.joints[child] - alike.target.joints[parent]
        assert np.allclose(before / np.linalg.norm(before), after / np.linalg.norm(after))
    assert alike.target.pose_samples is not None
    thighs = alike.target.pose_samples[:, INDEX["left_knee"]] - alike.target.pose_samples[:, INDEX["left_hip"]]
    assert np.ptp(np.linalg.norm(thighs, axis=-1)) < 1e-9


def test_bodies_that_are_known_keep_their_bones() -> None:
    pair = PosePair(STANDING.pose(), WARRIOR.pose())
    assert pair.of_one_build is pair


def _turns(current: Pose, target: Pose) -> set[Direction]:
    return {clause.direction for clause in make_plan(PosePair(current, target)) if "turn" in clause.direction}


def test_nobody_is_told_to_turn_round_because_another_camera_stood_elsewhere() -> None:
    front, side = (photographed(body.pose().joints) for body in (STANDING, STANDING.change(yaw=90.0)))
    assert _turns(front, side) == {Direction.TURN_LEFT}
    elsewhere = replace(side, own_camera=True)
    for pair in ((front, elsewhere), (elsewhere, front), (mirror(elsewhere), mirror(front))):
        assert not _turns(*pair)


def test_a_person_who_rolls_over_is_told_so_by_any_camera() -> None:
    lying = on_back(STANDING)
    length = (lying[2] - lying[0]) / np.linalg.norm(lying[2] - lying[0])
    rolled = np.asarray(Rotation.from_rotvec(np.radians(90) * length).apply(lying))
    assert _turns(photographed(lying), replace(photographed(rolled), own_camera=True)) == {Direction.TURN_LEFT}

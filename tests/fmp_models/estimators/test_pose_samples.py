import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.estimators.pose_samples import sampled_joints
from fmp_models.geometry.pose_values import elbow_angle, elevation, knee_angle
from fmp_models.pose import INDEX, MIRROR
from tests.bodies import Arm, Body, Leg, bodies

FLIP = np.array([-1.0, 1.0, 1.0])
SEEN, INSIDE = np.ones(20), np.ones(20, dtype=bool)


def spread(joint: str, pose_samples: np.ndarray) -> np.ndarray:
    """Deviations of a joint along x, y and z in metres."""
    return np.asarray(pose_samples[:, INDEX[joint]].std(axis=0))


def as_set(pose_samples: np.ndarray) -> list[list[float]]:
    return sorted(np.round(pose_samples, 9).reshape(len(pose_samples), -1).tolist())


@given(bodies, st.integers(1, 4))
def test_a_mirrored_look_has_the_mirrored_bodies(body: Body, count: int) -> None:
    joints = body.pose().joints
    looks = np.stack([joints + 0.01 * number for number in range(count)])
    dim = np.linspace(0.2, 1.0, 20)
    plain = sampled_joints(looks, dim, INSIDE)
    mirrored = sampled_joints(looks[:, list(MIRROR)] * FLIP, dim[list(MIRROR)], INSIDE)
    assert as_set(mirrored) == as_set(plain[:, list(MIRROR)] * FLIP)


def test_depth_is_less_sure_than_the_picture_and_hidden_joints_less_than_seen_ones() -> None:
    looks = Body().pose().joints[None]
    seen = sampled_joints(looks, SEEN, INSIDE)
    hidden = sampled_joints(looks, np.zeros(20), INSIDE)
    assert spread("left_wrist", seen)[2] > 1.5 * spread("left_wrist", seen)[:2].max()
    assert (spread("left_wrist", hidden) > 2 * spread("left_wrist", seen)).all()
    assert (spread("left_hip", seen) < spread("left_wrist", seen)).all()


def test_a_joint_outside_the_picture_may_be_nearly_anywhere() -> None:
    outside = INSIDE.copy()
    outside[INDEX["left_ankle"]] = False
    found = sampled_joints(Body().pose().joints[None], SEEN, outside)
    assert (spread("left_ankle", found) > 2 * spread("right_ankle", found)).all()
    assert (spread("left_ankle", found) > 0.2).all()


def test_the_whole_body_may_lean_otherwise_since_nobody_knows_how_the_camera_was_held() -> None:
    trunk = sampled_joints(Body().pose().joints[None], SEEN, INSIDE)
    along = trunk[:, INDEX["neck"]] - trunk[:, INDEX["hip"]]
    leans = np.degrees(np.arctan2(along[:, 2], -along[:, 1]))
    assert 4 < leans.std() < 15


@pytest.mark.parametrize("lift", [3, 45, 90, 176])
@pytest.mark.parametrize("bend", [3, 30, 100])
def test_as_many_errors_straighten_a_limb_as_bend_it_and_lower_it_as_raise_it(lift: int, bend: int) -> None:
    joints = Body(left_arm=Arm(lift=lift, bend=bend), left_leg=Leg(lift=lift / 2, bend=bend)).pose().joints
    found = sampled_joints(joints[None], SEEN, INSIDE)
    for value in (elbow_angle, knee_angle):
        assert np.median(value(found, "left")) == pytest.approx(value(joints, "left"), abs=6)
    for bone in (("left_shoulder", "left_elbow"), ("left_elbow", "left_wrist")):
        assert np.median(elevation(found, *bone)) == pytest.approx(elevation(joints, *bone), abs=6)


def test_now_and_then_a_whole_limb_is_seen_far_off() -> None:
    joints = Body().pose().joints
    errors = np.linalg.norm(sampled_joints(joints[None], SEEN, INSIDE) - joints, axis=-1)
    wrists = np.concatenate([errors[:, INDEX[f"{side}_wrist"]] for side in ("left", "right")])
    assert np.percentile(wrists, 98) > 3 * np.median(wrists)  # of a normal distribution twice
    assert np.median(wrists) < 0.1


def test_looks_that_differ_are_all_plausible() -> None:
    joints = Body().pose().joints
    bent = Body(left_arm=Body().left_arm).pose().joints.copy()
    bent[INDEX["left_wrist"]] += (0.4, 0.0, 0.0)
    found = sampled_joints(np.stack([joints, bent]), SEEN, INSIDE)
    wrists = found[:, INDEX["left_wrist"], 0] - joints[INDEX["left_wrist"], 0]
    assert (wrists < 0.2).sum() == (wrists > 0.2).sum()


def test_joints_between_others_move_with_them() -> None:
    found = sampled_joints(Body().pose().joints[None], SEEN, INSIDE)
    errors = found - Body().pose().joints
    hips = (errors[:, INDEX["left_hip"]] + errors[:, INDEX["right_hip"]]) / 2
    np.testing.assert_allclose(errors[:, INDEX["hip"]], hips, atol=1e-12)

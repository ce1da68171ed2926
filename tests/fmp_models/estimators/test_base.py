"""What the border of a picture cuts off is not seen, however sure an estimator is of the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import TRUNK, PoseEstimate, estimate_of, inside, sampled_joints, shown
from fmp_models.geometry.pose_values import elbow_angle, elevation, knee_angle
from fmp_models.pose import INDEX, JOINTS, MIRROR
from tests.bodies import Arm, Body, Leg, bodies

SIZE = (400, 300)
LEGS = [INDEX[f"{side}_{part}"] for side in ("left", "right") for part in ("knee", "ankle", "foot")]

SQUARE = (300, 300)
shares = st.floats(0, 1)
places = st.integers(-30, 330)  # pixels


def seen_at(place: tuple[float, float], visibility: float, size: tuple[int, int] = SIZE) -> bool:
    """Whether a joint at this pixel is seen."""
    return bool(inside(np.array([place], dtype=np.float64), np.array([visibility]), size)[0])


@given(places, places, shares, shares, shares)
def test_a_joint_that_is_seen_stays_seen_further_from_the_border_and_more_visible(
    x: int, y: int, visibility: float, inwards: float, more: float
) -> None:
    further = (x + inwards * (150 - x), y + inwards * (150 - y))
    clearer = visibility + more * (1 - visibility)
    assert seen_at(further, clearer, SQUARE) >= seen_at((x, y), visibility, SQUARE)


@given(places, places, shares)
def test_a_joint_outside_the_picture_is_never_seen(x: int, y: int, visibility: float) -> None:
    outside = not (0 <= x <= 300 and 0 <= y <= 300)
    assert not (outside and seen_at((x, y), visibility, SQUARE))


@given(places, places, shares)
def test_every_border_cuts_alike(x: int, y: int, visibility: float) -> None:
    mirrored = ((x, y), (300 - x, y), (x, 300 - y), (y, x))
    assert len({seen_at(place, visibility, SQUARE) for place in mirrored}) == 1


@pytest.mark.parametrize(("visibility", "seen"), [(0.03, False), (0.4, False), (0.95, True)])
def test_ankles_a_few_pixels_inside_the_lower_border_are_seen_only_if_they_are_clear(
    visibility: float, *, seen: bool
) -> None:
    assert seen_at((200, 297), visibility) is seen
    assert seen_at((200, 240), visibility)


def measured(pixels: np.ndarray, visibility: np.ndarray) -> PoseEstimate:
    joints = Body().pose().joints
    return estimate_of(joints, pixels, visibility, (0.0, 0.0, 400.0, 300.0), SIZE, looks=[joints])


def test_legs_below_the_picture_are_not_seen_and_may_be_anywhere() -> None:
    pixels, visibility = np.full((len(JOINTS), 2), 150.0), np.ones(len(JOINTS))
    pixels[LEGS, 1] = 297
    visibility[LEGS] = 0.2
    pose = measured(pixels, visibility).pose
    assert not pose.visibility[LEGS].any()
    assert pose.visibility[TRUNK].all()
    assert pose.pose_samples is not None
    assert (pose.pose_samples[:, LEGS].std(axis=0) > 0.15).all()


def test_a_trunk_that_the_border_cuts_off_is_too_little_of_a_body() -> None:
    pixels = np.full((len(JOINTS), 2), 150.0)
    pixels[TRUNK, 1] = 301
    with pytest.raises(BadInputError) as refused:
        measured(pixels, np.ones(len(JOINTS)))
    assert refused.value.code == "body_hidden"


def test_disputed_joints_are_not_seen_and_nobody_is_refused_for_them() -> None:
    joints = Body().pose().joints
    pixels, disputed = np.full((len(JOINTS), 2), 150.0), np.ones(len(JOINTS), dtype=bool)
    disputed[TRUNK] = False
    box = (0.0, 0.0, 400.0, 300.0)
    pose = estimate_of(joints, pixels, np.ones(len(JOINTS)), box, SIZE, looks=[joints], disputed=disputed).pose
    assert np.array_equal(pose.visibility == 0, disputed)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_leg_of_which_nothing_can_be_seen_is_not_shown(knee: float, ankle: float, foot: float) -> None:
    visibility = np.ones(len(JOINTS))
    leg = [INDEX[f"left_{part}"] for part in ("knee", "ankle", "foot")]
    visibility[leg] = knee, ankle, foot
    joints = shown(np.full((len(JOINTS), 2), 150.0), visibility, SQUARE)
    assert joints[leg].tolist() == [max(knee, ankle, foot) >= 0.1] * 3
    assert np.delete(joints, leg).all()


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

"""What the border of a picture cuts off is not seen, however sure an estimator is of the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import TRUNK, PoseEstimate, estimate_of, inside, shown
from fmp_models.pose import INDEX, JOINTS
from tests.bodies import Body

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

"""The camera's tilt is told by upright lines and by balance, and where neither shows it the camera counts as level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageOps

from fmp_models.data.pictures import tilted_joints
from fmp_models.estimators.camera_tilt import LEVEL, CameraTilt, camera_tilt, mean_tilt, tilt_by, tilt_evidence
from fmp_models.pose import INDEX, MIRROR, Array
from tests.bodies import Arm, Body
from tests.tilted_rooms import NOWHERE, SIZE, room

FLIP = np.array([-1.0, 1.0, 1.0])
LYING = Body().pose().joints[:, [1, 0, 2]]  # shows no balance

pitches = st.floats(-30, 30)
rolls = st.floats(-20, 20)


def off(found: CameraTilt, pitch: float, roll: float) -> float:
    """Degrees between gravity as it was found and as it is."""
    down = [
        tilted_joints(np.array([[0.0, 1.0, 0.0]]), *angles)[0] for angles in ((found.pitch, found.roll), (pitch, roll))
    ]
    return float(np.degrees(np.arccos(np.clip(down[0] @ down[1], -1, 1))))


@given(pitches, rolls)
def test_levelling_undoes_what_a_tilted_camera_does(pitch: float, roll: float) -> None:
    joints = Body().pose().joints
    tilt = CameraTilt(pitch, roll, 1, 1)
    assert np.allclose(tilt.levelled(tilted_joints(joints, pitch, roll)), joints)
    assert np.allclose(tilt.tilted(joints), tilted_joints(joints, pitch, roll))


@pytest.mark.parametrize(("pitch", "roll"), [(0, 0), (14, 0), (-14, 0), (22, -6), (-9, 7), (3, 12)])
def test_upright_lines_of_a_room_show_how_the_camera_is_held(pitch: float, roll: float) -> None:
    found = camera_tilt(room(pitch, roll), LYING, NOWHERE)
    assert off(found, pitch, roll) < 4
    assert found.roll_deviation < 2


@given(st.floats(10, 25), st.sampled_from([-1, 1]), st.booleans())
def test_who_stands_shows_where_up_is_without_any_line(degrees: float, sign: int, looks: bool) -> None:  # noqa: FBT001
    pitch, roll = (sign * degrees, 0.0) if looks else (0.0, sign * degrees * 0.7)
    found = camera_tilt(Image.new("RGB", SIZE, "white"), tilted_joints(Body().pose().joints, pitch, roll), NOWHERE)
    # Cameras are seldom turned, so that a turn is believed less.
    assert off(found, pitch, roll) < (0.8 if looks else 0.97) * off(LEVEL, pitch, roll)


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (500, 3), SIZE])
def test_where_nothing_shows_it_a_camera_counts_as_held_level(size: tuple[int, int]) -> None:
    found = camera_tilt(Image.new("RGB", size, (120, 130, 110)), LYING, NOWHERE)
    assert off(found, 0, 0) < 1
    assert found.pitch_deviation > 7


def test_noise_shows_nothing() -> None:
    pixels = np.random.default_rng(3).integers(0, 255, (*SIZE[::-1], 3)).astype(np.uint8)
    assert off(camera_tilt(Image.fromarray(pixels), LYING, NOWHERE), 0, 0) < 3


def test_lines_further_round_than_any_camera_is_held_are_not_followed() -> None:
    turned = room(0, 0).rotate(40)
    assert off(camera_tilt(turned, LYING, NOWHERE), 0, 0) < 3


@pytest.mark.parametrize(("pitch", "roll"), [(12, 8), (-10, -5)])
def test_a_mirrored_picture_is_turned_the_other_way(pitch: float, roll: float) -> None:
    joints = tilted_joints(Body(left_arm=Arm(150, 60)).pose().joints, pitch, roll)
    plain = camera_tilt(room(pitch, roll), joints, NOWHERE)
    mirrored = camera_tilt(ImageOps.mirror(room(pitch, roll)), joints[list(MIRROR)] * FLIP, NOWHERE)
    assert mirrored.pitch == pytest.approx(plain.pitch, abs=0.5)
    assert mirrored.roll == pytest.approx(-plain.roll, abs=0.5)


def test_edges_of_the_person_are_no_lines_of_the_room() -> None:
    image = Image.new("RGB", SIZE, (200, 200, 200))
    places = person_across(image)
    assert off(camera_tilt(image, LYING, places), 0, 0) < 1
    assert off(camera_tilt(image, LYING, NOWHERE), 0, 0) > 3


def person_across(image: Image.Image) -> Array:
    """Draw somebody who leans far aside, and return where their joints are."""
    body = Body().pose().joints[:, :2]
    turn = np.radians(14)
    leaning = (body - body[INDEX["hip"]]) @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    places = leaning * 280 + np.array(SIZE) / 2
    draw = ImageDraw.Draw(image)
    for upper, lower in (("neck", "hip"), ("left_hip", "left_ankle"), ("right_hip", "right_ankle")):
        draw.line([*places[INDEX[upper]], *places[INDEX[lower]]], fill=(20, 30, 60), width=26)
    return np.asarray(places)


def test_moments_of_one_camera_are_weighed_by_how_surely_they_tell_its_tilt() -> None:
    sure, unsure = CameraTilt(20, 4, 2, 0.5), CameraTilt(0, 0, 10, 4)
    mean = mean_tilt([sure, unsure])
    assert 18 < mean.pitch < 20
    assert 3.6 < mean.roll < 4
    assert mean_tilt([unsure]) == unsure


def test_stripes_that_all_agree_are_still_not_wholly_sure() -> None:
    columns = np.where(np.arange(SIZE[0]) // 6 % 2, 220, 30).astype(np.uint8)
    found = camera_tilt(Image.fromarray(np.tile(columns, (SIZE[1], 1))).convert("RGB"), LYING, NOWHERE)
    assert off(found, 0, 0) < 2
    assert mean_tilt([found, found]) == found


def test_the_same_lines_twice_are_no_surer_and_a_photograph_without_any_takes_nothing_from_them() -> None:
    lines = tilt_evidence(room(12, 5), LYING, NOWHERE)
    nothing = tilt_evidence(Image.new("RGB", SIZE, "white"), LYING, NOWHERE)
    alone = tilt_by([lines])
    assert tilt_by([lines, lines]) == tilt_by([lines, nothing]) == tilt_by([nothing, lines]) == alone


def test_who_stands_anew_in_each_photograph_balances_anew() -> None:
    plain = Image.new("RGB", SIZE, "white")
    left, right = (tilt_evidence(plain, tilted_joints(Body().pose().joints, 0, roll), NOWHERE) for roll in (12, -12))
    assert tilt_by([left]).roll == pytest.approx(-tilt_by([right]).roll, abs=0.1)
    assert abs(tilt_by([left]).roll) > 1
    assert tilt_by([left, right]).roll == pytest.approx(0, abs=0.1)
    assert abs(tilt_by([left, left]).roll) > abs(tilt_by([left]).roll)

"""Photographs are decoded and turned upright, squares keep a picture's proportions, and joints get one origin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from fmp_models.pose import INDEX, Pose, PosePair
from fmp_models.preprocessing import (
    AS_TAKEN,
    GREY,
    PERSON,
    Orientation,
    PersonCrop,
    Photograph,
    PicturesConfig,
    Pixels,
    centred,
    centred_pair,
    cut,
    upright,
)
from tests.bodies import pairs

PICTURE = Image.fromarray(np.random.default_rng(0).integers(0, 256, (4, 6, 3), dtype=np.uint8))


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
@pytest.mark.parametrize("mirrored", [False, True])
def test_what_was_done_to_a_photograph_is_undone(degrees: int, *, mirrored: bool) -> None:
    taken = (ImageOps.mirror(PICTURE) if mirrored else PICTURE).rotate(-degrees, expand=True)  # clockwise
    restored = upright(Photograph(taken), Orientation(degrees, mirrored))
    assert np.array_equal(np.asarray(restored.image), np.asarray(PICTURE))


def test_a_photograph_as_taken_stays_itself() -> None:
    photograph = Photograph(PICTURE)
    assert upright(photograph, AS_TAKEN) is photograph


@pytest.mark.parametrize("degrees", [45, -90, 360])
def test_other_turns_are_refused(degrees: int) -> None:
    with pytest.raises(ValueError, match="one of \\[0, 90"):
        Orientation(degrees)


sides = st.integers(1, 90)
squares = st.builds(PersonCrop, st.floats(-60, 60), st.floats(-60, 60), st.floats(1, 200))


def plain(width: int, height: int, colour: tuple[int, int, int] = (200, 10, 60)) -> Image.Image:
    return Image.new("RGB", (width, height), colour)


def letterbox(image: Image.Image, size: int) -> Pixels:
    return cut(image, PersonCrop.of_whole(*image.size), size)


def test_a_wide_picture_has_grey_above_and_below() -> None:
    pixels = letterbox(plain(40, 20), 20)
    assert (pixels[:5] == GREY).all()
    assert (pixels[15:] == GREY).all()
    assert (pixels[5:15] == (200, 10, 60)).all()


@given(sides, sides, st.integers(1, 50))
def test_a_letterbox_shows_every_edge_of_the_picture(width: int, height: int, size: int) -> None:
    assume(size * min(width, height) >= 3 * max(width, height))  # a thinner strip may fall between whole pixels
    pixels = letterbox(plain(width, height), size)
    assert pixels.shape == (size, size, 3)
    shown = (pixels == (200, 10, 60)).all(axis=-1)
    tall, wide = shown.any(axis=1).sum(), shown.any(axis=0).sum()
    assert abs(tall - size * min(1, height / width)) <= 2
    assert abs(wide - size * min(1, width / height)) <= 2


@given(squares, sides, sides, st.integers(1, 40))
def test_any_square_can_be_cut_from_any_picture(square: PersonCrop, width: int, height: int, size: int) -> None:
    pixels = cut(plain(width, height), square, size)
    assert pixels.shape == (size, size, 3)
    grey, coloured = (pixels == GREY).all(axis=-1), (pixels == (200, 10, 60)).all(axis=-1)
    assert (grey | coloured).all()


def test_a_square_beside_the_picture_is_grey() -> None:
    assert (cut(plain(30, 30), PersonCrop(40, 0, 20), 8) == GREY).all()


@given(st.floats(-30, 30), st.floats(-30, 30), st.floats(30, 120))
def test_a_spot_lies_where_places_say(left: float, top: float, side: float) -> None:
    spot = np.array([45.0, 33.0])
    pixels = np.zeros((80, 100, 3), dtype=np.uint8)
    pixels[29:37, 41:49] = 255
    square = PersonCrop(left, top, side)
    place = square.places(spot) * 64
    assume(((place > 8) & (place < 56)).all())
    brightness = cut(Image.fromarray(pixels), square, 64)[..., 0].astype(float)
    brightness[(cut(plain(100, 80, (0, 0, 0)), square, 64) != 0).all(axis=-1)] = 0  # the grey beyond the picture
    rows, columns = np.mgrid[:64, :64] + 0.5
    centre = np.array([(brightness * columns).sum(), (brightness * rows).sum()]) / brightness.sum()
    assert np.abs(centre - place).max() < 0.75


@given(squares)
def test_places_and_pixels_are_each_others_way_back(square: PersonCrop) -> None:
    points = np.array([[3.0, 4.0], [-7.0, 55.5]], dtype=np.float32)
    assert square.pixels(square.places(points)) == pytest.approx(points, abs=1e-2)


def test_a_square_around_points_has_them_in_its_middle_and_room_as_asked() -> None:
    square = PersonCrop.around(np.array([[10.0, 20.0], [30.0, 100.0]]), zoom=1.5)
    assert square == PersonCrop(20 - 60, 60 - 60, 120)


def test_a_square_around_one_point_is_still_a_square() -> None:
    assert PersonCrop.around(np.array([[5.0, 5.0]]), zoom=2).side == 1


# How pictures reach a backbone

PERSON_POINTS = np.array([[10.0, 20.0], [40.0, 80.0]], dtype=np.float32).repeat(10, axis=0)


def test_a_letterbox_is_of_the_whole_picture_wherever_the_person_is() -> None:
    assert PicturesConfig(64).square(120, 90, PERSON_POINTS) == PersonCrop.of_whole(120, 90) == PersonCrop(0, -15, 120)


def test_a_person_is_cut_out_with_room_around_them() -> None:
    square = PicturesConfig(64, "person").square(120, 90, PERSON_POINTS)
    assert square == PersonCrop.around(PERSON_POINTS, PERSON)
    assert square.side == pytest.approx(60 * PERSON)


@pytest.mark.parametrize("unknown", [slice(None), slice(3, 4)])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_person_of_whom_a_joint_is_unknown_is_seen_in_the_whole_picture(unknown: slice, value: float) -> None:
    points = PERSON_POINTS.copy()
    points[unknown] = value
    assert PicturesConfig(64, "person").square(120, 90, points) == PersonCrop.of_whole(120, 90)


@pytest.mark.parametrize("size", [-1, 0, 31, 2049, 10**9])
def test_a_size_that_no_backbone_can_see_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="from 32 to 2048"):
        PicturesConfig(size)


HIP = INDEX["hip"]


def placed(pair: PosePair, *, moved: float = 0.0) -> PosePair:
    def at(pose: Pose) -> Pose:
        return Pose(pose.joints + moved, pose.visibility, placed=True)

    return PosePair(at(pair.current), at(pair.target))


@given(pairs)
def test_a_step_across_the_room_stays_and_the_room_does_not(pair: PosePair) -> None:
    joints = centred_pair(placed(pair))
    assert joints[0, HIP] == pytest.approx(np.zeros(3))
    step = pair.target.joints[HIP] - pair.current.joints[HIP]
    assert joints[1, HIP] == pytest.approx(step, abs=1e-5)
    assert joints == pytest.approx(centred_pair(placed(pair, moved=2.5)), abs=1e-5)


@given(pairs)
def test_bodies_of_two_photographs_have_each_its_own_hip_as_origin(pair: PosePair) -> None:
    unplaced = PosePair(*(Pose(p.joints, p.visibility, placed=False) for p in (pair.current, pair.target)))
    joints = centred_pair(unplaced)
    assert joints[:, HIP] == pytest.approx(np.zeros((2, 3)))
    assert joints.dtype == np.float32


def test_a_batch_may_hold_both_and_any_number_of_candidates() -> None:
    joints = np.random.default_rng(0).normal(size=(2, 11, 20, 3)).astype(np.float32)
    centred_joints = centred(joints, placed=np.array([True, False]))
    assert centred_joints[0] == pytest.approx(joints[0] - joints[0, 0, HIP])
    assert centred_joints[1] == pytest.approx(joints[1] - joints[1, :, None, HIP])

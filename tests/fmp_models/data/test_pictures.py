"""Cameras of simulated pictures, and the difference picture."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from fmp_models.data.folder import SPLITS
from fmp_models.data.pairs import MOMENTS, Uid, parse_uid
from fmp_models.data.pictures import PICTURE_SIZE, focal_length, in_picture, picture_difference
from fmp_models.data.sample import sample_rows
from fmp_models.errors import BadInputError
from fmp_models.sim.light import project, to_camera
from fmp_models.sim.rooms import COUNT, find_spot, read_plan
from tests.nonempty import nonempty

places = st.lists(st.floats(-1, 1), min_size=3, max_size=3)


@given(st.integers(0, COUNT - 1), st.integers(0, 2), places)
def test_a_point_is_where_the_simulator_sees_it(room: int, spot: int, off: list[float]) -> None:
    seen_from = find_spot(read_plan(room).views[spot])
    point = np.array([*seen_from.at, 1.0]) + off
    focal = focal_length(Uid(0, room, 0, 0, spot))
    place = in_picture(to_camera(point, seen_from.camera), focal)
    assert place == pytest.approx(project(point, seen_from.camera))


def test_every_joint_of_the_sample_lies_in_its_picture_on_the_person() -> None:
    for row in nonempty([row for split in SPLITS for row in sample_rows("captioning", split)]):
        focal = focal_length(parse_uid(row["uid"]))
        both = [in_picture(np.array(row[f"{moment}_joints"]), focal) for moment in MOMENTS]
        assert all(((points > 0) & (points < PICTURE_SIZE)).all() for points in both)
        # The pictures of a pair differ where the person was and is, so around every hand that has moved far.
        images = [np.asarray(Image.open(io.BytesIO(row[moment]["bytes"])), dtype=float) for moment in MOMENTS]
        change = np.abs(images[1] - images[0]).sum(axis=-1)
        moved = np.linalg.norm(both[1] - both[0], axis=-1) > 15
        for x, y in both[1][moved].round().astype(int):
            assert change[max(y - 4, 0) : y + 5, max(x - 4, 0) : x + 5].max() > 40


def test_many_cameras_at_once_give_what_each_gives() -> None:
    points = np.random.default_rng(0).normal(size=(4, 20, 3)) + np.array([0, 0, 4])
    focal = np.array([300.0, 310.0, 320.0, 330.0])
    together = in_picture(points, focal[:, None])
    assert together == pytest.approx(np.stack([in_picture(p, f) for p, f in zip(points, focal, strict=True)]))


def test_a_room_that_the_simulator_does_not_have_has_no_camera() -> None:
    with pytest.raises(KeyError):
        focal_length(Uid(0, COUNT, 0, 0, 0))


WALL, SHIRT = (150, 170, 160), (40, 60, 150)


def room_with(box: tuple[int, int, int, int] | None) -> Image.Image:
    picture = Image.new("RGB", (120, 80), WALL)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 60, 119, 79), fill=(120, 90, 60))
    if box:
        pen.rectangle(box, fill=SHIRT)
    return picture


def redness(picture: Image.Image, box: tuple[int, int, int, int]) -> float:
    red, green, _ = np.asarray(picture.crop(box), float).reshape(-1, 3).mean(axis=0)
    return float(red - green)


def test_target_person_is_red_and_current_person_stays() -> None:
    current, target = room_with((20, 20, 35, 70)), room_with((80, 20, 95, 70))
    difference_picture = picture_difference(current, target)
    assert redness(difference_picture, (83, 24, 93, 66)) > 60
    assert difference_picture.crop((23, 24, 33, 58)).tobytes() == current.crop((23, 24, 33, 58)).tobytes()


def test_current_picture_shows_through_the_red() -> None:
    current, target = room_with(None), room_with((40, 20, 60, 70))
    difference_picture = np.asarray(picture_difference(current, target), float)
    on_wall, on_floor = difference_picture[40, 50], difference_picture[66, 50]
    assert on_wall[1] - on_floor[1] > 15


def test_what_does_not_move_keeps_its_colours() -> None:
    current = room_with((20, 20, 45, 70))
    target = current.copy()
    ImageDraw.Draw(target).rectangle((46, 26, 80, 33), fill=(205, 150, 120))
    difference_picture = picture_difference(current, target)
    assert redness(difference_picture, (50, 27, 78, 32)) > 80
    for untouched in ((0, 0, 40, 80), (50, 40, 120, 80)):
        assert difference_picture.crop(untouched).tobytes() == current.crop(untouched).tobytes()


def test_equal_pictures_show_no_red() -> None:
    current = room_with((20, 20, 35, 70))
    assert picture_difference(current, current.copy()).tobytes() == current.tobytes()


def test_faint_noise_is_no_difference() -> None:
    current = room_with((20, 20, 35, 70))
    noise = np.random.default_rng(3).integers(-6, 7, (80, 120, 3))
    target = Image.fromarray(np.clip(np.asarray(current, int) + noise, 0, 255).astype(np.uint8))
    assert picture_difference(current, target).tobytes() == current.tobytes()


def test_completely_different_pictures_are_accepted() -> None:
    difference_picture = picture_difference(Image.new("RGB", (7, 5), "black"), Image.new("L", (7, 5), 255))
    assert (difference_picture.size, difference_picture.mode) == ((7, 5), "RGB")


def test_pictures_of_two_sizes_are_refused() -> None:
    with pytest.raises(BadInputError) as caught:
        picture_difference(Image.new("RGB", (8, 8)), Image.new("RGB", (8, 9)))
    assert caught.value.code == "pictures_differ_in_size"

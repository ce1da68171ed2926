from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from fmp_models.data.difference import difference
from fmp_models.errors import BadInputError

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
    difference_picture = difference(current, target)
    assert redness(difference_picture, (83, 24, 93, 66)) > 60
    assert difference_picture.crop((23, 24, 33, 58)).tobytes() == current.crop((23, 24, 33, 58)).tobytes()


def test_current_picture_shows_through_the_red() -> None:
    current, target = room_with(None), room_with((40, 20, 60, 70))
    difference_picture = np.asarray(difference(current, target), float)
    on_wall, on_floor = difference_picture[40, 50], difference_picture[66, 50]
    assert on_wall[1] - on_floor[1] > 15


def test_what_does_not_move_keeps_its_colours() -> None:
    current = room_with((20, 20, 45, 70))
    target = current.copy()
    ImageDraw.Draw(target).rectangle((46, 26, 80, 33), fill=(205, 150, 120))
    difference_picture = difference(current, target)
    assert redness(difference_picture, (50, 27, 78, 32)) > 80
    for untouched in ((0, 0, 40, 80), (50, 40, 120, 80)):
        assert difference_picture.crop(untouched).tobytes() == current.crop(untouched).tobytes()


def test_equal_pictures_show_no_red() -> None:
    current = room_with((20, 20, 35, 70))
    assert difference(current, current.copy()).tobytes() == current.tobytes()


def test_faint_noise_is_no_difference() -> None:
    current = room_with((20, 20, 35, 70))
    noise = np.random.default_rng(3).integers(-6, 7, (80, 120, 3))
    target = Image.fromarray(np.clip(np.asarray(current, int) + noise, 0, 255).astype(np.uint8))
    assert difference(current, target).tobytes() == current.tobytes()


def test_completely_different_pictures_are_accepted() -> None:
    difference_picture = difference(Image.new("RGB", (7, 5), "black"), Image.new("L", (7, 5), 255))
    assert (difference_picture.size, difference_picture.mode) == ((7, 5), "RGB")


def test_pictures_of_two_sizes_are_refused() -> None:
    with pytest.raises(BadInputError) as caught:
        difference(Image.new("RGB", (8, 8)), Image.new("RGB", (8, 9)))
    assert caught.value.code == "pictures_differ_in_size"

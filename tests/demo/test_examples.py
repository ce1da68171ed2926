"""The example pictures fit the page."""

from __future__ import annotations

import io

from PIL import Image

from demo.examples import EXAMPLES, FOLDER, OTHER_LEG, SALUTATION, SIMULATED, STUDIO, SUN_SALUTATION
from demo.examples import salutation as sun_salutation
from demo.examples.cast import SHOTS


def test_every_shot_of_the_studio_is_an_example_of_the_page_and_the_simulator_has_one_too() -> None:
    assert list(STUDIO) == list(SHOTS)
    assert SIMULATED
    assert [example.name for example in EXAMPLES] == [*STUDIO, *SIMULATED]


def test_pictures_are_small_jpeg_files_without_metadata() -> None:
    files = [(example.name, file) for example in EXAMPLES for file in (example.current, example.target)]
    for name, file in files:
        assert len(file) < 60_000
        with Image.open(io.BytesIO(file)) as picture:
            assert (picture.format, picture.mode) == ("JPEG", "RGB")
            assert picture.size == ((480, 640) if name in STUDIO else (448, 224))
            assert not picture.getexif()
    assert sum(len(file) for _, file in files) < 550_000


def test_the_sun_salutation_has_eight_small_pictures_in_the_order_in_which_they_are_drawn() -> None:
    assert len(SUN_SALUTATION) == 8
    others = [pose.name for pose in OTHER_LEG.values()]
    assert [pose.name for pose in SUN_SALUTATION] == list(SALUTATION)
    assert list(SALUTATION) == list(sun_salutation.SHOTS)
    assert {path.stem for path in (FOLDER / "sun_salutation").iterdir()} == {*SALUTATION, *others}
    for pose in (*SUN_SALUTATION, *OTHER_LEG.values()):
        assert len(pose.picture) < 45_000
        with Image.open(io.BytesIO(pose.picture)) as picture:
            assert (picture.format, picture.mode) == ("JPEG", "RGB")
            assert picture.size == sun_salutation.SHOTS[pose.name.removesuffix("_left")].camera.size
            assert not picture.getexif()

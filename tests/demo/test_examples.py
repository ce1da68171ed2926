"""The example pictures fit the page."""

from __future__ import annotations

from PIL import Image

from demo.examples import EXAMPLES
from demo.examples.cast import SHOTS


def test_every_shot_of_the_studio_is_an_example_of_the_page() -> None:
    assert [example.name for example in EXAMPLES] == list(SHOTS)


def test_pictures_are_small_portraits_of_one_size_without_metadata() -> None:
    paths = [path for example in EXAMPLES for path in (example.current, example.target)]
    for path in paths:
        assert path.stat().st_size < 60_000
        with Image.open(path) as picture:
            assert (picture.format, picture.mode, picture.size) == ("JPEG", "RGB", (480, 640))
            assert not picture.getexif()
    assert sum(path.stat().st_size for path in paths) < 500_000

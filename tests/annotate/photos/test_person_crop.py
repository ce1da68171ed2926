"""One square about the person for all pictures of a question, and none where it would cut somebody off."""

from __future__ import annotations

import pytest

from annotate.photos.person_crop import CropPosition, SeenPerson, person_crop

SIZE = (448, 224)


def shows(square: CropPosition, seen: SeenPerson) -> bool:
    """Whether a person lies within the window."""
    side = 100 * seen.size[0] / square.width
    left, top = -square.left * side / 100, -square.top * side / 100
    x, y, to_x, to_y = seen.box
    return left <= x and top <= y and to_x <= left + side and to_y <= top + side


def test_everybody_lies_within_the_one_square_and_is_larger_than_in_the_whole() -> None:
    seen = [SeenPerson(SIZE, (200, 80, 250, 200)), SeenPerson(SIZE, (150, 60, 220, 205))]

    square = person_crop(seen)

    assert square is not None
    assert all(shows(square, one) for one in seen)
    assert square.width > 200


@pytest.mark.parametrize("box", [(0, 10, 60, 120), (390, 100, 448, 224), (200, 0, 260, 100)])
def test_the_square_stays_within_the_picture(box: tuple[float, ...]) -> None:
    square = person_crop([SeenPerson(SIZE, box)])  # type: ignore[arg-type]

    assert square is not None
    assert square.left <= 0
    assert square.top <= 0
    assert -square.left + 100 <= square.width + 1e-6
    assert -square.top + 100 <= square.width / 2 + 1e-6


@pytest.mark.parametrize(
    "seen",
    [
        [],
        [None],
        [SeenPerson(SIZE, (200, 80, 250, 200)), None],
        [SeenPerson(SIZE, (200, 80, 250, 200)), SeenPerson((224, 224), (100, 80, 150, 200))],
        [SeenPerson(SIZE, (10, 0, 440, 224))],
        [SeenPerson(SIZE, (100, 100, 100, 100))],
    ],
)
def test_pictures_stay_whole_where_no_square_serves_all(seen: list[SeenPerson | None]) -> None:
    assert person_crop(seen) is None

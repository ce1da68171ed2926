import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.data.uids import MOMENTS, PictureName, Uid, parse_picture, parse_uid
from fmp_models.errors import BadInputError

NUMBERS = st.integers(0, 9999)
UIDS = st.builds(Uid, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)


@given(UIDS)
def test_a_uid_reads_back_as_it_was_written(uid: Uid) -> None:
    assert parse_uid(str(uid)) == uid


@given(UIDS, st.sampled_from(MOMENTS), st.sampled_from(("", "yoga_images/", "/a_1/b.c/", "C:\\yoga\\")))
def test_a_picture_is_read_from_any_path_that_ends_in_its_name(uid: Uid, moment: str, folder: str) -> None:
    picture = PictureName(uid, moment)  # type: ignore[arg-type]
    assert parse_picture(f"{folder}{picture}.png") == picture


def test_the_numbers_of_a_uid_are_animation_room_character_capture_and_spot() -> None:
    assert parse_uid("13_19_4_13_1") == Uid(animation=13, room=19, character=4, capture=13, spot=1)


def test_uids_are_ordered_by_number_and_not_by_letter() -> None:
    assert parse_uid("2_0_0_0_0") < parse_uid("10_0_0_0_0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1_2_3_4",
        "1_2_3_4_5_6",
        "1_2_3_4_x",
        "-1_2_3_4_5",
        "01_2_3_4_5",
        " 1_2_3_4_5",
        "1_2_3_4_5\n",
        "१_2_3_4_5",
        "1" * 99,
    ],
)
def test_anything_else_is_no_uid(text: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        parse_uid(text)
    assert refusal.value.code == "uid_malformed"


@pytest.mark.parametrize("path", ["", "1_2_3_4_5.png", "before_1_2_3_4_5.png", "current_1_2_3.png", "current_"])
def test_anything_else_is_no_picture(path: str) -> None:
    with pytest.raises(BadInputError):
        parse_picture(path)

"""Names of pairs, and the splits that they belong to."""

import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.data.pairs import (
    CAPTIONING_SIZES,
    MOMENTS,
    PAPER_PAIRS,
    RETRIEVAL_SIZES,
    TEST_UNSEEN_ROOMS,
    TRAIN_ROOMS,
    VAL_UNSEEN_ROOMS,
    PictureName,
    Uid,
    captioning_split,
    draw_captioning,
    draw_retrieval,
    parse_picture,
    parse_uid,
    retrieval_split,
    scaled_sizes,
)
from fmp_models.errors import BadInputError
from tests.nonempty import nonempty

NUMBERS = st.integers(0, 9999)
ANY_UID = st.builds(Uid, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)


@given(ANY_UID)
def test_a_uid_reads_back_as_it_was_written(uid: Uid) -> None:
    assert parse_uid(str(uid)) == uid


@given(ANY_UID, st.sampled_from(MOMENTS), st.sampled_from(("", "yoga_images/", "/a_1/b.c/", "C:\\yoga\\")))
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


# As in the release: three of the six characters in each room.
UIDS = [
    Uid(animation, room, character, capture, character % 3)
    for animation, room, character, capture in product(range(20), range(25), range(6), range(4))
    if character // 3 == room % 2
]


def test_rooms_are_those_of_the_paper_which_counts_them_from_one() -> None:
    assert {room + 1 for room in TRAIN_ROOMS} == {*range(1, 20), 24, 25}
    assert {room + 1 for room in VAL_UNSEEN_ROOMS} == {20, 21}
    assert {room + 1 for room in TEST_UNSEEN_ROOMS} == {22, 23}


def test_the_paper_collected_7691_pairs() -> None:
    assert PAPER_PAIRS == 7691


def test_no_room_leaks_into_an_unseen_captioning_split() -> None:
    drawn = draw_captioning(UIDS, seed=1, sizes=scaled_sizes(5000))
    rooms = {split: {uid.room for uid in uids} for split, uids in drawn.items()}
    assert rooms["train"] == rooms["val_seen"] == TRAIN_ROOMS
    assert rooms["val_unseen"] == VAL_UNSEEN_ROOMS
    assert rooms["test_unseen"] == TEST_UNSEEN_ROOMS


def test_no_animation_leaks_into_an_unseen_retrieval_split() -> None:
    drawn = draw_retrieval(UIDS, seed=1, sizes=scaled_sizes(2000, RETRIEVAL_SIZES))
    animations = {split: {uid.animation for uid in uids} for split, uids in drawn.items()}
    assert animations == {"train": set(range(20)) - {6, 7, 16}, "val_unseen": {6, 16}, "test_unseen": {7}}


def test_no_pair_is_in_two_splits_and_every_split_has_its_size() -> None:
    sizes = scaled_sizes(5000)
    drawn = draw_captioning(UIDS, seed=1, sizes=sizes)
    assert {split: len(uids) for split, uids in drawn.items()} == sizes
    assert len({uid for uids in drawn.values() for uid in uids}) == 5000
    assert all(captioning_split(uid) == split for split, uids in drawn.items() if split != "val_seen" for uid in uids)


def test_characters_are_in_balance_in_every_split() -> None:
    for drawn in (draw_captioning(UIDS, 3, scaled_sizes(4000)), draw_retrieval(UIDS, 3, {"train": 3000})):
        for uids in nonempty(drawn.values()):
            shares = Counter(uid.character for uid in uids)
            assert max(shares.values()) - min(shares.values()) <= 1


def test_the_draw_depends_on_the_seed_and_on_nothing_else() -> None:
    shuffled = random.Random(0).sample(UIDS, len(UIDS))
    sizes = scaled_sizes(1000)
    assert draw_captioning(shuffled, 1, sizes) == draw_captioning(UIDS, 1, sizes)
    assert draw_captioning(UIDS, 2, sizes) != draw_captioning(UIDS, 1, sizes)


def test_where_pairs_run_out_the_evaluation_is_filled_before_the_training() -> None:
    few = [uid for uid in UIDS if captioning_split(uid) == "train"][:600]
    drawn = draw_captioning(few, 1)
    assert {split: len(uids) for split, uids in drawn.items()} == {
        "train": 38,
        "val_seen": 562,
        "val_unseen": 0,
        "test_unseen": 0,
    }


@given(st.integers(0, 20_000))
def test_scaled_sizes_add_up_and_keep_the_proportions(pairs: int) -> None:
    sizes = scaled_sizes(pairs)
    assert list(sizes) == list(CAPTIONING_SIZES)
    assert sum(sizes.values()) == pairs
    assert min(sizes.values()) >= (pairs >= 4)
    assert all(abs(size - CAPTIONING_SIZES[split] * pairs / PAPER_PAIRS) < 4 for split, size in sizes.items())


@pytest.mark.parametrize("sizes", [CAPTIONING_SIZES, RETRIEVAL_SIZES])
def test_the_paper_s_number_of_pairs_gives_the_paper_s_sizes(sizes: dict[str, int]) -> None:
    assert scaled_sizes(PAPER_PAIRS, sizes) == sizes


def test_retrieval_splits_go_by_animation_whatever_the_room() -> None:
    assert retrieval_split(Uid(6, 0, 0, 0, 0)) == retrieval_split(Uid(16, 21, 3, 0, 0)) == "val_unseen"
    assert retrieval_split(Uid(7, 0, 0, 0, 0)) == "test_unseen"
    assert retrieval_split(Uid(0, 21, 3, 0, 0)) == "train"

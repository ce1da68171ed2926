import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.data.splits import (
    CAPTIONING_SIZES,
    PAIRS,
    RETRIEVAL_SIZES,
    TEST_UNSEEN_ROOMS,
    TRAIN_ROOMS,
    VAL_UNSEEN_ROOMS,
    captioning_split,
    draw_captioning,
    draw_retrieval,
    retrieval_split,
    scaled_sizes,
)
from fmp_models.data.uids import Uid
from tests.nonempty import nonempty

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
    assert PAIRS == 7691


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
    assert all(abs(size - CAPTIONING_SIZES[split] * pairs / PAIRS) < 4 for split, size in sizes.items())


@pytest.mark.parametrize("sizes", [CAPTIONING_SIZES, RETRIEVAL_SIZES])
def test_the_paper_s_number_of_pairs_gives_the_paper_s_sizes(sizes: dict[str, int]) -> None:
    assert scaled_sizes(PAIRS, sizes) == sizes


def test_retrieval_splits_go_by_animation_whatever_the_room() -> None:
    assert retrieval_split(Uid(6, 0, 0, 0, 0)) == retrieval_split(Uid(16, 21, 3, 0, 0)) == "val_unseen"
    assert retrieval_split(Uid(7, 0, 0, 0, 0)) == "test_unseen"
    assert retrieval_split(Uid(0, 21, 3, 0, 0)) == "train"

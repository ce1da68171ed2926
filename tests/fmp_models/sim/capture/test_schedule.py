from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.data.splits import MAX_PAIRS, PAIRS, scaled_sizes
from fmp_models.data.uids import WIDE_FROM
from fmp_models.sim.capture.schedule import (
    OFFSET,
    Unit,
    all_units,
    captures_of,
    share_for,
    units_for,
    wide_counts,
)
from fmp_models.sim.motions import MOTIONS

KITCHEN = Unit(0, 1)


def test_every_room_is_visited_by_three_characters_at_a_spot_each_as_in_the_release() -> None:
    units = all_units()
    assert len(units) == 75
    assert Counter(unit.character for unit in units) == {0: 13, 1: 13, 2: 13, 3: 12, 4: 12, 5: 12}
    for room in range(25):
        assert {unit.spot for unit in units if unit.room == room} == {0, 1, 2}


def test_a_pair_is_captured_every_twenty_frames_ten_frames_apart_in_one_take() -> None:
    captures = captures_of(KITCHEN, seed=0)
    assert len(captures) == sum(motion.captures for motion in MOTIONS)
    for capture in captures:
        assert capture.current.performance == capture.target.performance
        assert capture.target.frame - capture.current.frame == OFFSET
        assert capture.current.frame == 20 * capture.uid.capture


def test_the_planned_captures_are_enough_for_the_papers_sizes_with_some_to_spare() -> None:
    units = units_for(PAIRS, seed=0)
    share = share_for(PAIRS, units)
    assert share <= 1  # nothing is performed twice
    assert sum(len(captures_of(unit, 0, share)) for unit in units) > 1.05 * PAIRS


@given(st.integers(4, 2 * PAIRS), st.integers(0, 5))
def test_any_number_of_pairs_has_units_of_every_split_and_captures_enough(pairs: int, seed: int) -> None:
    units = units_for(pairs, seed)
    assert {unit.split for unit in units} == {"train", "val_unseen", "test_unseen"}
    each = len(captures_of(units[0], seed, share_for(pairs, units)))
    sizes = scaled_sizes(pairs)
    wanted = {**sizes, "train": sizes["train"] + sizes["val_seen"]}
    for split, number in Counter(unit.split for unit in units).items():
        assert each * number >= 1.04 * wanted[split]
    characters = Counter(unit.character for unit in units if unit.split == "train")
    assert max(characters.values()) - min(characters.get(i, 0) for i in range(6)) <= 3


@given(st.integers(4, MAX_PAIRS))
def test_no_uid_is_given_twice(pairs: int) -> None:
    share = share_for(pairs, all_units())
    captures = captures_of(KITCHEN, 0, share)
    uids = [capture.uid for capture in captures]
    assert len(set(uids)) == len(uids)
    assert max(uid.capture for uid in uids) < WIDE_FROM


def test_a_long_recording_keeps_plain_and_wide_uids_apart() -> None:
    class Long:
        number, captures = 20, 200

    motions = (*MOTIONS, Long())
    share = share_for(MAX_PAIRS, all_units(), motions)  # type: ignore[arg-type]
    most = max(capture.uid.capture for capture in captures_of(KITCHEN, 0, share, motions))  # type: ignore[arg-type]
    assert most < WIDE_FROM


def test_more_pairs_than_the_paper_has_are_further_performances_not_the_same_again() -> None:
    once, twice = captures_of(KITCHEN, 0, 1.0), captures_of(KITCHEN, 0, 2.0)
    assert len(twice) == 2 * len(once)
    performances = {(c.current.performance, c.current.frame) for c in twice}
    assert len(performances) == len(twice)


def test_wide_pairs_train_in_training_rooms_and_are_evaluated_on_in_test_rooms_alone() -> None:
    counts = wide_counts(all_units(), PAIRS)
    assert {unit.split for unit in counts["train"]} == {"train"}
    assert {unit.split for unit in counts["test_unseen"]} == {"test_unseen"}
    assert sum(counts["train"].values()) == round(0.65 * PAIRS)
    assert sum(counts["test_unseen"].values()) == 300
    for of_units in counts.values():
        assert max(of_units.values()) - min(of_units.values()) <= 1
    least = wide_counts(units_for(4, 0), 4)
    assert all(sum(of_units.values()) for of_units in least.values())


@pytest.mark.parametrize("seed", [0, 7])
def test_the_schedule_depends_on_nothing_but_the_seed(seed: int) -> None:
    assert captures_of(KITCHEN, seed) == captures_of(KITCHEN, seed)
    assert captures_of(KITCHEN, seed) != captures_of(KITCHEN, seed + 1)

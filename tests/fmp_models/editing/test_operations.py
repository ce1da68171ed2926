"""Edit operations: replaying, rounds and editing steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.editing.operations import (
    EditOperation,
    TokenOperation,
    combined,
    count_rounds,
    editing_steps,
    oracle,
    replay,
    taken_apart,
)

TOKENS = st.lists(st.sampled_from(["raise", "your", "left", "right", "arm", "बायाँ", "हाथ"]), max_size=12)


@given(TOKENS, TOKENS)
def test_replaying_the_oracle_gives_both_texts(ref: list[str], gt: list[str]) -> None:
    operations = oracle(ref, gt)
    assert (list(replay(operations, 0)), list(replay(operations))) == (ref, gt)


@given(TOKENS, TOKENS)
def test_editing_steps_are_none_for_equal_texts_and_at_most_both_lengths(ref: list[str], gt: list[str]) -> None:
    steps = editing_steps(oracle(ref, gt))
    assert steps <= len(ref) + len(gt)
    assert (steps == 0) == (ref == gt)


@given(TOKENS, TOKENS)
def test_words_added_before_and_words_added_after_replay_to_the_same_text(ref: list[str], gt: list[str]) -> None:
    operations = oracle(ref, gt)
    before, after = combined(operations, "before"), combined(operations, "after")
    assert replay(taken_apart(before, "before")) == replay(taken_apart(after, "after")) == tuple(gt)
    assert editing_steps(before) == editing_steps(after) == editing_steps(operations)
    assert [one.token for one in before] == [*ref, ""]
    assert [one.token for one in after] == ["", *ref]


@given(TOKENS, TOKENS)
def test_every_round_adds_at_most_one_word_in_a_gap_and_the_last_one_ends_at_the_text(
    ref: list[str], gt: list[str]
) -> None:
    operations = oracle(ref, gt)
    rounds = count_rounds(operations)
    kept = len([one for one in operations if one.op == "KEEP"])
    lengths = [len(replay(operations, number)) for number in range(1, rounds + 1)]
    assert all(longer - shorter <= kept + 1 for shorter, longer in zip([kept, *lengths], lengths, strict=False))
    assert replay(operations, rounds) == tuple(gt)


def test_a_gap_of_three_words_takes_three_rounds() -> None:
    operations = oracle(["lift", "arm"], ["lift", "your", "other", "left", "arm", "up"])
    assert [" ".join(replay(operations, number)) for number in range(4)] == [
        "lift arm",
        "lift your arm up",
        "lift your other arm up",
        "lift your other left arm up",
    ]


@pytest.mark.parametrize(
    ("operations", "steps"),
    [
        ([TokenOperation("DELETE", "arm", ("left", "leg", "up"))], 4),
        ([TokenOperation("KEEP", "arm", ("up", "high"))], 2),
        ([TokenOperation("REPLACE", "left", ("right",))], 2),
        ([TokenOperation("REORDER", "left")], 1),
        ([TokenOperation("KEEP", "arm")], 0),
        ([EditOperation("DELETE", "left", 1), EditOperation("ADD", "right", 1), EditOperation("KEEP", "arm")], 2),
    ],
)
def test_combined_operations_are_taken_apart(operations: list[TokenOperation], steps: int) -> None:
    assert editing_steps(operations) == steps

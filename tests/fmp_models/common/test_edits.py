"""Word edits: the fewest, and both texts restored to the letter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.common.edits import Edit, text_after, text_before, word_edits
from tests.spaced_texts import ENGLISH, SPACED


def restored(edits: tuple[Edit, ...]) -> tuple[str, str]:
    return text_before(edits), text_after(edits)


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("raise your arm", "raise your arm", "KEEP raise, KEEP your, KEEP arm"),
        ("raise your left arm", "raise your arm", "KEEP raise, KEEP your, DELETE left, KEEP arm"),
        ("raise your arm", "raise your arm slowly", "KEEP raise, KEEP your, KEEP arm, ADD slowly"),
        ("raise your left arm", "raise your right arm", "KEEP raise, KEEP your, DELETE left, ADD right, KEEP arm"),
        ("अपना हाथ उठाएँ।", "अपना दायाँ हाथ उठाएँ।", "KEEP अपना, ADD दायाँ, KEEP हाथ, KEEP उठाएँ।"),
        ("", "raise", "ADD raise"),
        ("raise", "", "DELETE raise"),
        ("", "", ""),
        ("raise", "raise\n", "KEEP raise, ADD \n"),
    ],
)
def test_each_word_is_kept_deleted_or_added(old: str, new: str, edits: str) -> None:
    assert ", ".join(f"{operation} {word}" for operation, word in word_edits(old, new)) == edits
    assert restored(word_edits(old, new)) == (old, new)


@given(SPACED, SPACED)
def test_applying_the_edits_gives_the_second_text_to_the_letter(old: str, new: str) -> None:
    assert restored(word_edits(old, new)) == (old, new)


@given(st.text(max_size=60), st.text(max_size=60))
def test_that_holds_for_any_two_texts(old: str, new: str) -> None:
    assert restored(word_edits(old, new)) == (old, new)


@given(st.lists(ENGLISH, max_size=12), st.lists(ENGLISH, max_size=12))
def test_no_fewer_edits_would_do(old: list[str], new: list[str]) -> None:
    edits = word_edits(" ".join(old), " ".join(new))
    kept = sum(operation == "KEEP" for operation, _ in edits)
    assert kept == longest_common(old, new)
    assert len(edits) == len(old) + len(new) - kept


def longest_common(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for word in old:
        row_before = row[:]
        for j, other in enumerate(new):
            row[j + 1] = row_before[j] + 1 if word == other else max(row_before[j + 1], row[j])
    return row[-1]


def test_texts_of_the_largest_length_are_compared() -> None:
    old, new = "a b " * 2500, "b c " * 2500
    assert restored(word_edits(old, new)) == (old, new)

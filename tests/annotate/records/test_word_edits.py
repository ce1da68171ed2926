from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.kinds.real_pair import RealPair
from annotate.records.fields import cleaned_text
from annotate.records.word_edits import Edit, word_edits

ODD_SPACE = st.sampled_from([" ", "  ", "\n", "\t", " \n ", " ", " ", "", "　", "\x1c"])
ENGLISH = st.sampled_from(["raise", "your", "left", "arm", "arm.", "a", "little"])
HINDI = st.sampled_from(["अपना", "बायाँ", "हाथ", "ऊपर", "उठाएँ।", "थोड़ा", "थोड़ा"])
SPACED = st.lists(st.tuples(ODD_SPACE, st.one_of(ENGLISH, HINDI)), max_size=30).map(
    lambda pieces: "".join(space + word for space, word in pieces)
)


def edited(old: str, edits: Iterable[Edit]) -> str:
    """Do the edits by the rule of the module: one space between two words goes without saying."""
    done = list(edits)
    assert joined(word for operation, word in done if operation != "ADD") == old
    return joined(word for operation, word in done if operation != "DELETE")


def joined(words: Iterable[str]) -> str:
    text, after_word = "", False
    for word in words:
        text += f" {word}" if after_word and not word.isspace() else word
        after_word = not word.isspace()
    return text


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
    assert edited(old, word_edits(old, new)) == new


@given(SPACED, SPACED)
def test_applying_the_edits_gives_the_second_text_to_the_letter(old: str, new: str) -> None:
    assert edited(old, word_edits(old, new)) == new


@given(st.text(max_size=60), st.text(max_size=60))
def test_that_holds_for_any_two_texts(old: str, new: str) -> None:
    assert edited(old, word_edits(old, new)) == new


@given(SPACED, SPACED)
def test_edits_of_texts_as_they_are_kept_survive_being_kept(old: str, new: str) -> None:
    old, new = cleaned_text(old), cleaned_text(new)
    kept = RealPair(b"\xff\xd8\xff", b"\xff\xd8\xff", pair="pair", text="new", edits=word_edits(old, new))
    assert edited(old, kept.edits) == new


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
    assert edited(old, word_edits(old, new)) == new

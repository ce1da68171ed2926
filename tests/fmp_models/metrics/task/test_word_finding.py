import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.metrics.task.word_finding import phrases_in, plain_words, released_entries

PHRASES = {("pizza", "box"), ("box",), ("pizza",), ("first", "aid", "kit")}


def test_the_release_finds_an_entry_inside_a_word() -> None:
    assert list(released_entries("a candle", ["lamp", "can"])) == ["can"]


def test_the_release_minds_case_and_keeps_marks() -> None:
    assert list(released_entries("the Sofa", ["sofa"])) == []


def test_the_second_word_of_a_found_entry_is_not_looked_for_after_it() -> None:
    assert list(released_entries("pizza box", ["pizza box", "pizza", "box"])) == ["pizza box", "pizza"]
    assert list(released_entries("pizza box", ["box", "pizza box"])) == ["box", "pizza box"]


def test_an_entry_is_found_once() -> None:
    assert list(released_entries("knee knee", ["knee", "knee"])) == ["knee"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Raise your Left knee.", ["raise", "your", "left", "knee"]),
        ("knee,elbow? (head)/neck", ["knee", "elbow", "head", "neck"]),
        ("अपना सिर झुकाएं। ऊपर॥", ["अपना", "सिर", "झुकाएं", "ऊपर"]),
        ("don't half-turn", ["don't", "half-turn"]),
        ("  ", []),
        ("", []),
    ],
)
def test_plain_words_are_without_case_and_marks(text: str, words: list[str]) -> None:
    assert plain_words(text) == words


def test_the_longest_phrase_is_found_and_its_words_are_not() -> None:
    words = ["a", "pizza", "box", "box", "pizza", "first", "aid", "box"]
    assert list(phrases_in(words, PHRASES)) == [
        (1, ("pizza", "box")),
        (3, ("box",)),
        (4, ("pizza",)),
        (7, ("box",)),
    ]


@given(st.lists(st.sampled_from(["pizza", "box", "first", "aid", "kit", "the"])))
def test_found_phrases_stand_where_they_are_found_and_never_overlap(words: list[str]) -> None:
    free = 0
    for start, phrase in phrases_in(words, PHRASES):
        assert tuple(words[start : start + len(phrase)]) == phrase
        assert start >= free
        free = start + len(phrase)
    assert sum(word == "box" for word in words) == sum("box" in phrase for _, phrase in phrases_in(words, PHRASES))

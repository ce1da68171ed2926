"""Where verbs come last, one that is said first takes what follows it."""

import pytest

from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_plan


@pytest.mark.parametrize(
    ("said", "ordered"),
    [
        ("झुको आगे।", "आगे झुको।"),
        ("घूम जाओ बाईं ओर।", "बाईं ओर घूम जाओ।"),
        ("उठाओ अपना बायां हाथ ऊपर।", "अपना बायां हाथ ऊपर उठाओ।"),
        ("बायां हाथ ले जाओ सिर के ऊपर और मोड़ो दायां घुटना।", "बायां हाथ सिर के ऊपर ले जाओ और दायां घुटना मोड़ो।"),
    ],
)
def test_a_verb_said_first_is_read_as_if_it_came_last(said: str, ordered: str) -> None:
    words = grammar("hi")
    assert read_plan(said, words) == read_plan(ordered, words) != ()


@pytest.mark.parametrize(
    "said",
    [
        "बायां हाथ ऊपर उठाओ बिना कोहनी मोड़े।",
        "बायां हाथ ऊपर उठाओ।",
        "बायां हाथ ऊपर नहीं, नीचे लाओ।",
        "बायां हाथ ऊपर उठाओ थोड़ा।",
    ],
)
def test_what_has_its_verb_behind_it_is_left_as_it_is(said: str) -> None:
    words = grammar("hi")
    assert [(one.side, one.part) for one in read_plan(said, words)] == [("left", "hand")]

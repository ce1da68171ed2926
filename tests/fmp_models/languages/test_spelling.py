"""Slips are mended to the word that was meant; words that a language writes itself are none."""

import re

import pytest

from fmp_models.languages.grammar import LANGUAGES, grammar, normalised
from fmp_models.languages.spelling import corrected

_WORD = re.compile(r"[^\s,.{}]+")


@pytest.mark.parametrize(
    ("code", "slip", "meant"),
    [("en", "strighten", "straighten"), ("en", "forwrad", "forward"), ("en", "donw", "down"), ("en", "hand", "hand")],
)
def test_a_slip_is_read_as_the_word_that_was_meant(code: str, slip: str, meant: str) -> None:
    assert corrected(slip, grammar(code)) == meant


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_name_of_a_thing_in_a_room_is_no_slip_of_a_part(code: str) -> None:
    """A stove is चूल्हा, one letter from a hip."""
    words = grammar(code)
    names = [name for names in words.scene.objects.values() for name in names]
    said = {word for name in names for word in _WORD.findall(normalised(name))}
    assert {word: corrected(word, words) for word in said} == {word: word for word in said}

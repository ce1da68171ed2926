"""Misspellings are corrected to the intended word, and synonyms become the canonical term."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fmp_models.languages
from fmp_models.languages.language_data import LANGUAGES, grammar, normalised
from fmp_models.languages.reader import read_plan
from fmp_models.languages.realiser import realise
from fmp_models.languages.spelling import corrected, with_canonical_terms
from tests.plans import plans

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


FILES = sorted(Path(fmp_models.languages.__file__).parent.glob("*/house.toml"))
NAMES = {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["words"] for path in FILES}


def said(text: str, language: str) -> str:
    return " ".join(word for one in text.split() for word in with_canonical_terms(one, language))


@pytest.mark.parametrize(
    ("text", "house"),
    [
        ("अपनी बाईं अग्रबाहु को उठाएं।", "अपनी बाईं निचली बांह को उठाएं।"),
        ("अपनी दोनों अग्रबाहुओं, फिर", "अपनी दोनों निचली बांहों, फिर"),
        ("आपकी “अग्रबाहुएँ” ज़मीन", "आपकी “निचली बांहें” ज़मीन"),  # with the other spelling of the nasal
        ("अपनी बाईं बांह को उठाएं।", "अपनी बाईं बांह को उठाएं।"),
        ("। , —", "। , —"),
    ],
)
def test_a_thing_has_one_name_and_marks_stay(text: str, house: str) -> None:
    assert said(text, "hi") == house


@pytest.mark.parametrize("language", LANGUAGES)
@given(plan=plans, seed=st.integers(0, 50))
def test_a_text_in_the_words_of_the_house_is_read_as_before_and_stays_in_them(
    language: str, plan: tuple, seed: int
) -> None:
    words = grammar(language)
    text = ". ".join(realise(plan, words, seed=seed))

    house = said(text, language)

    assert read_plan(house, words) == read_plan(text, words)
    assert said(house, language) == house
    assert not {normalised(name) for name in NAMES.get(language, {})} & {
        normalised(word.strip(".,।")) for word in house.split()
    }

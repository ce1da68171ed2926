"""A text's language by its letters, its canonical spelling, and Hindi typed in Latin letters."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from fmp_models.languages import scripts
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_plan
from fmp_models.languages.scripts import folded, is_foreign, language_of, share_in_script, spellings_of, transliterated
from tests.nonempty import nonempty


@pytest.mark.parametrize(
    ("text", "language", "foreign"),
    [
        ("bend your knees", "en", False),
        ("अपने घुटने मोड़ें।", "hi", False),
        ("अपने घुटने मोड़ें।", "en", True),
        ("согните колени", "hi", True),
        ("bend your knees", "hi", False),  # the release has untranslated texts among the Hindi ones
        ("12 %", "en", False),
        ("", "hi", False),
    ],
)
def test_most_letters_of_another_script_make_a_foreign_text(text: str, language: str, *, foreign: bool) -> None:
    assert is_foreign(text, language) == foreign


def test_the_share_counts_letters_and_not_signs() -> None:
    assert share_in_script("bend, bend: मोमो", "en") == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("bend your knees", "en"),
        ("अपने घुटने मोड़ें।", "hi"),
        ("अपने घुटने squat में मोड़ें और नीचे बैठें।", "hi"),
        ("Do the पद्मासन as well as you can", "en"),
        ("согните колени", None),
        ("膝を曲げて bend", None),
        ("12 %", None),
        ("", None),
    ],
)
def test_a_text_is_in_the_language_of_most_of_its_letters(text: str, language: str | None) -> None:
    assert language_of(text) == language


DEVANAGARI = re.compile("[\u0900-\u097f]+")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("apna bayan haath upar uthao", "अपना बायां हाथ ऊपर उठाओ"),
        ("Apna baayaan hath uper uthaao.", "अपना बायां हाथ ऊपर उठाओ."),
        ("dono ghutne thoda modo aur aage jhuko", "दोनों घुटने थोड़ा मोड़ो और आगे झुको"),
        ("apne dahine pair ko peeche le jaiye", "अपने दाहिने पैर को पीछे ले जाइए"),
        ("apne left hand ko upar karo", "अपने बाएं हाथ को ऊपर करो"),  # as people mix them
        ("left hand ko right shoulder tak lao", "बाएं हाथ को दाएं कंधे तक लाओ"),
        ("bina ghutne mode aage jhuko", "बिना घुटने मोड़ें आगे झुको"),
        ("haath itna upar mat uthao", "हाथ इतना ऊपर मत उठाओ"),
        ("pair mat hilao", "पैर मत हिलाओ"),  # two of three are English words too
    ],
)
def test_hindi_in_latin_letters_is_written_in_its_own(typed: str, meant: str) -> None:
    assert transliterated(typed) == ("hi", meant)


@pytest.mark.parametrize(
    "text",
    [
        "Raise both arms to the sides until they are at shoulder height.",
        "Put the left foot a pace or two in front, do not let it turn out so much.",
        "Pair me up, sir, at your age",
        "Do the mat, sir",
        "Pair up, jhuko",
        "Arms per side, hands on the mat",
        "Left hand on the mat, right shoulder in the main mode",
        "Heb je linkerarm op",
        "Hate the lake, hat on, more or less",
        "Mud, banana and a hill in the lane",
        "अपना बायां हाथ ऊपर उठाओ",
        "",
    ],
)
def test_what_is_not_hindi_in_latin_letters_stays_what_it_is(text: str) -> None:
    assert transliterated(text) is None


def test_what_is_read_of_it_is_what_the_reader_understands() -> None:
    typed, written = "apna bayan haath upar uthao", "अपना बायां हाथ ऊपर उठाओ"
    found = transliterated(typed)

    assert found is not None
    plan = read_plan(found[1], grammar("hi"))
    assert plan == read_plan(written, grammar("hi"))
    assert [(clause.part_name, clause.direction.value) for clause in plan] == [("left hand", "up")]


def test_no_spelling_stands_for_two_words_and_every_word_is_in_the_script() -> None:
    path = Path(scripts.__file__).parent / "hi" / "latin.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))

    for table in ("words", "borrowed"):
        meant: dict[str, str] = {}
        for word, spellings in nonempty(data[table].items()):
            assert DEVANAGARI.fullmatch(word), word
            for spelling in spellings:
                assert meant.setdefault(folded(spelling), word) == word, spelling


def test_a_page_is_told_the_same_folding() -> None:
    spellings = spellings_of("hi")
    assert spellings is not None
    told = spellings.for_scripts()
    folds = told["folds"]
    assert isinstance(folds, list)
    for word in ("Baayaan", "uthaao", "phailao", "zyada", "neeche", "pichhe"):
        key = word.lower()
        for several, one in folds:
            key = re.sub(several, one.replace("$1", r"\1"), key)
        assert key == folded(word)

"""Words that visitors stumbled over stay out of what the page says, and each thing has one name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from demo.i18n import interface_texts
from fmp_models.geometry.lexicon import Plan
from fmp_models.languages.language_data import grammar
from fmp_models.languages.realiser import realise
from tests.nonempty import nonempty
from tests.plans import plans

UNWANTED = {
    "hi": ["हलचल", "ज्यामिति", "कूल्हे पर कूल्हा", "अग्रबाहु"],
    "en": [
        "chosen at first",
        "Kept is only",
        "(captioner)",
        "({name})",
        "so many of its",
        "average joint",
        "{people} people.",
        "about a minute",
    ],
}


@pytest.mark.parametrize("language", ["en", "hi"])
def test_no_word_that_visitors_stumbled_over_is_said(language: str) -> None:
    unwanted_words = {
        (key, word)
        for key, value in interface_texts()[language].items()
        for word in UNWANTED[language]
        if word in value
    }

    assert unwanted_words == set()


def test_a_joint_is_one_of_the_body_and_a_pair_is_called_otherwise() -> None:
    agreed = {"real_pair.term_used"}  # terms stay in the words that people have agreed to
    hindi = interface_texts()["hi"].items()
    found = [(key, match) for key, value in hindi for match in re.finditer("जोड़", value)]
    for key, match in nonempty(found):
        pair = match.string[match.end() : match.end() + 1] in {"ी", "ि"}
        joint = "शरीर" in match.string[max(0, match.start() - 16) : match.start()]
        assert pair or joint or key in agreed, key


@given(plans)
def test_what_a_hindi_voice_reads_aloud_has_no_latin_letter_and_one_word_for_the_forearm(plan: Plan) -> None:
    sentence = " ".join(realise(plan, grammar("hi")))

    assert not re.search("[A-Za-z]", sentence)
    assert "अग्रबाहु" not in sentence

"""Leads stay where they lead somewhere, and go where the sentences around them have gone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.languages.grammar import LANGUAGES, grammar
from fmp_models.languages.reader.lead_words import in_order
from fmp_models.languages.reader.parse import read_plan
from fmp_models.languages.realiser.draft_sentences import mended

SENTENCES = {
    "en": ["Raise your left arm.", "Bend your right knee.", "Lower your head.", "Lean forward."],
    "hi": ["अपनी बाईं बांह उठाएं।", "अपने दाहिने घुटने को मोड़ें।", "अपना सिर झुकाएं।", "आगे झुकें।"],
}


@pytest.mark.parametrize(
    ("code", "said", "left"),
    [
        ("en", ["Then raise your arm.", "Lower it."], ["Raise your arm.", "Lower it."]),
        ("en", ["First, raise your arm."], ["Raise your arm."]),
        ("en", ["First, raise your arm.", "Then lower it."], ["First, raise your arm.", "Then lower it."]),
        ("en", ["Bend.", "Finally, raise it.", "First, lower it."], ["Bend.", "Raise it.", "Lower it."]),
        ("en", ["Bend.", "Finally, raise it."], ["Bend.", "Finally, raise it."]),
        ("hi", ["इसके बाद हाथ उठाएं।", "सबसे पहले सिर झुकाएं।"], ["हाथ उठाएं।", "सिर झुकाएं।"]),
        ("hi", ["पहले की तरह सिर झुकाएं।"], ["पहले की तरह सिर झुकाएं।"]),
        ("hi", ["अब आप हाथ उठाएं।"], ["हाथ उठाएं।"]),
    ],
)
def test_a_lead_stays_only_where_it_belongs(code: str, said: list[str], left: list[str]) -> None:
    assert list(in_order(said, grammar(code))) == left


def test_what_more_follows_is_no_end_and_the_first_of_it_still_begins() -> None:
    words = grammar("en")
    assert list(in_order(["First, bend.", "Finally, rise."], words, ends=False)) == ["First, bend.", "Rise."]
    assert list(in_order(["First, bend."], words, ends=False)) == ["First, bend."]


@given(st.sampled_from(LANGUAGES), st.data())
def test_clauses_are_read_as_before_and_nothing_is_left_to_change(code: str, data: st.DataObject) -> None:
    words = grammar(code)
    leads = [lead for kind in ("first", "next", "last") for lead in words.scene.leads[kind]]
    plain = data.draw(st.lists(st.sampled_from(SENTENCES[code]), min_size=1, max_size=4, unique=True))
    said = [
        lead[:1].upper() + lead[1:] + text[:1].lower() + text[1:] if lead else text
        for text in plain
        for lead in [data.draw(st.sampled_from(leads))]
    ]
    left = list(in_order(said, words))
    assert list(in_order(left, words)) == left
    assert read_plan(" ".join(left), words) == read_plan(" ".join(plain), words)


def test_a_text_that_lost_its_beginning_does_not_go_on() -> None:
    text = "Raise your left arm. Then lower your left arm. Finally, bend your right knee."
    words = grammar("en")
    assert (
        mended(text, words, lambda entry: float(entry.start)) == "Lower your left arm. Finally, bend your right knee."
    )

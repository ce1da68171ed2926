"""Wording: every answer and program has words in both languages."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmp_models.dialogue.programs import execute, parse_program
from fmp_models.dialogue.wording import answer_text, explanation_text, value_text
from fmp_models.languages import LANGUAGES, share_in_script
from tests.dialogues import lunge, random_program


@given(st.integers(0, 2**32), st.sampled_from(LANGUAGES))
@settings(max_examples=300, deadline=None)
def test_every_answer_is_a_sentence_in_the_language(seed: int, language: str) -> None:
    program = random_program("question", Random(seed))
    answer = execute(program, lunge())
    said = [answer_text(answer, program, language), explanation_text(program, answer, lunge(), language)]
    assert [text[-1] for text in said] == ["।" if language == "hi" else "."] * 2
    assert share_in_script(" ".join(said), language) == 1.0
    assert not set("{}") & set(" ".join([*said, value_text(answer, program, language)]))


@pytest.mark.parametrize(
    ("text", "english", "hindi", "short"),
    [
        ("count(filter(direction, bend, parts()))", "One: your right knee.", "एक: आपका दाहिना घुटना।", "1"),
        ("seek(direction, node(right knee))", "Bend your right knee.", "अपने दाहिने घुटने को मोड़ें।", "bend"),
        ("seek(direction, node(left knee))", "Keep your left knee still.", "आपके बाएं घुटने को वहीं रखना है।", "none"),
        ("seek(moves, node(head))", "No, keep your head still.", "नहीं, आपके सिर को वहीं रखना है।", "no"),
        (
            "exist(filter(direction, bend, these(left knee)))",
            "There is no need to bend your left knee.",
            "इसकी ज़रूरत नहीं: अपने बाएं घुटने को मोड़ें।",
            "no",
        ),
        (
            "exist(except(these(right knee), filter(direction, bend, these(right knee))))",
            "Not yet. Bend your right knee.",
            "अभी नहीं। अपने दाहिने घुटने को मोड़ें।",
            "no",
        ),
        (
            "compare(node(right knee), node(left knee))",
            "There is more to change in your right knee.",
            "आपके दाहिने घुटने में ज़्यादा बदलाव है।",
            "your right knee",
        ),
    ],
)
def test_answers_are_said_as_people_say_them(text: str, english: str, hindi: str, short: str) -> None:
    program = parse_program(text)
    answer = execute(program, lunge())
    assert [answer_text(answer, program, language) for language in ("en", "hi")] == [english, hindi]
    assert value_text(answer, program, "en") == short

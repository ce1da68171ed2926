"""Wording: every answer and program has words in both languages."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmp_models.dialogue import converse
from fmp_models.dialogue.programs import execute, parse_program
from fmp_models.dialogue.wording import answer_text, explanation_text, value_text
from fmp_models.languages import LANGUAGES, share_in_script
from tests.dialogues import graph_of, lunge, random_program


@given(st.integers(0, 2**32), st.sampled_from(LANGUAGES))
@settings(max_examples=300, deadline=None)
def test_every_answer_is_a_sentence_in_the_language(seed: int, language: str) -> None:
    program = random_program("question", Random(seed))
    answer = execute(program, lunge())
    said = [answer_text(answer, program, lunge(), language), explanation_text(program, answer, lunge(), language)]
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
    assert [answer_text(answer, program, lunge(), language) for language in ("en", "hi")] == [english, hindi]
    assert value_text(answer, program, "en") == short


def _said(current: str, target: str, question: str, language: str = "en") -> str:
    return converse(graph_of(current, target), [question], language)[0].answer


GODDESS = ("standing, feet apart, right arm out", "goddess, arms as a goalpost")
DOG = ("downward dog, left knee and right elbow bent", "downward dog")


@pytest.mark.parametrize(
    ("pair", "question", "answer"),
    [
        (GODDESS, "Is my right leg okay?", "Bend your right knee."),  # the leg itself keeps its height
        (GODDESS, "Which way do my hips go?", "Lower your body."),
        (GODDESS, "Are my knees bent enough?", "Not yet. Bend your left knee and bend your right knee."),
        (DOG, "Is my left knee bent enough?", "More than enough. Bend your left knee less."),
        (DOG, "Should I bend my left knee more?", "No. Bend your left knee less."),
        (DOG, "Is my right elbow okay?", "No. Bend your right elbow less."),
        (DOG, "How far do I raise my arms?", "Keep your left arm still. Your right arm: only slightly."),
    ],
)
def test_no_answer_contradicts_what_the_correction_asks(pair: tuple[str, str], question: str, answer: str) -> None:
    assert _said(*pair, question).startswith(answer)


def test_a_place_in_the_correction_does_not_hide_how_far_a_part_goes() -> None:
    said = _said("cross-legged, left arm forward", "cross-legged, arms overhead", "How far do I raise my right arm?")
    assert said == "Your right arm: a lot."


@pytest.mark.parametrize(
    ("text", "explained"),
    [
        (
            "exist(except(these(head), filter(direction, up, these(head))))",
            "I looked at your head and measured the direction of the change. Measured: your head: no change.",
        ),
        (
            "exist(filter(direction, bend, these(right knee)))",
            "I looked at your right knee and measured the direction of the change. Measured: your right knee: bend by",
        ),
    ],
)
def test_how_an_answer_about_named_parts_was_found_is_plain(text: str, explained: str) -> None:
    program = parse_program(text)
    assert explanation_text(program, execute(program, lunge()), lunge(), "en").startswith(explained)

"""Accuracy of answers in generated dialogues, and suggestions that are read as they are meant."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from fmp_models.dialogue import converse, first_questions
from fmp_models.dialogue.accuracy import dialogue_accuracy
from fmp_models.dialogue.generation import Dialogue, generate, next_questions, phrasings
from fmp_models.dialogue.history import Knowledge, round_of
from fmp_models.dialogue.programs import execute, parse_program
from fmp_models.dialogue.wording import value_text
from fmp_models.languages import LANGUAGES
from tests.dialogues import lunge


@cache
def dialogues() -> list[Dialogue]:
    return generate(lunge(), 0)


def rows(language: str, number: int, dialogue: Dialogue) -> list[dict[str, Any]]:
    about = {
        "language": language,
        "dialogue_id": f"{language}-{number}",
        "caption_program": str(dialogue.caption.program),
    }
    return [
        {
            **about,
            "round": n,
            "question": phrasings(turn.kind, str(turn.program), language)[-1],
            "answer": value_text(turn.answer, turn.program, language),
            "program": str(turn.program),
            "kind": turn.kind.name,
            "dependence": turn.dependence,
            "distance": turn.distance,
        }
        for n, turn in enumerate(dialogue.turns, 1)
    ]


def test_generated_questions_are_answered_with_true_and_own_history() -> None:
    told = [(lunge(), rows(code, n, one)) for code in LANGUAGES for n, one in enumerate(dialogues())]
    found = dialogue_accuracy(told)
    answers = found["answers"]
    assert found["questions"] == 10 * len(told) > 0
    assert [answers[way]["accuracy"] for way in ("true history", "own history")] == [1.0, 1.0]
    assert answers["own history"]["first_failure"] is None
    assert answers["without history"]["by_dependence"]["coref"] < 0.6
    assert answers["random"]["accuracy"] < answers["random answer of the question's kind"]["accuracy"] < 0.6


def test_a_wrong_reading_shows_in_the_round_of_the_first_failure() -> None:
    wrong = rows("en", 0, dialogues()[0])
    wrong[2] |= {"question": "what is the capital of France?"}
    own = dialogue_accuracy([(lunge(), wrong)])["answers"]["own history"]
    assert (own["first_failure"], own["dialogues_without_failure"]) == (3, 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_suggested_question_is_read_as_it_is_meant(language: str) -> None:
    known = Knowledge(lunge())
    asked = [first_questions(lunge(), language)[0]]
    for _ in range(6):
        asked.append(converse(lunge(), asked, language)[-1].suggestions[-1])
    replies = converse(lunge(), asked, language)
    assert {reply.outcome for reply in replies} == {"answer"}
    assert set(first_questions(lunge(), language)[:2]) < set(next_questions(lunge(), language, (), known))
    program = parse_program(replies[0].program)
    history = [round_of(program, execute(program, lunge()), lunge())]
    known.learn(program, execute(program, lunge()))
    assert replies[0].suggestions == next_questions(lunge(), language, history, known)

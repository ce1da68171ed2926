"""The bundled retriever on real photographs, asked in words that were written before any ranking was seen."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.evaluation.questions import ask_questions, read_questions
from fmp_models.evaluation.real_scores import RememberingEstimator
from fmp_models.inference.retrievers import Retrievers
from fmp_models.inference.target_finder import TargetFinder
from fmp_models.languages.language_data import LANGUAGES
from tests.nonempty import nonempty
from tests.thoroughness import thorough

pytestmark = pytest.mark.real

QUESTIONS = Path(__file__).with_name("questions_of_real_pairs.json")
# The held half is for final figures only. One leg includes lunges and strides; hanging includes leaning and lying on
# a bench or a ball.
EXERCISES = [Path(__file__).with_name(f"questions_of_exercises{half}.json") for half in ("", "_held")]
KINDS = ("standing", "one_leg", "floor", "seated", "hanging")


@thorough
def test_most_photographs_are_found_by_everyday_words(estimator: MediaPipeEstimator, shared: Path) -> None:
    folder = shared / "data" / "realbench"
    questions, _ = read_questions(QUESTIONS, folder)
    finder = TargetFinder(RememberingEstimator(estimator), Retrievers())

    for language in nonempty(LANGUAGES):
        result = ask_questions(questions, folder, finder, language)
        assert result.refused == []
        assert result.first >= 0.75
        assert result.in_three >= 0.85


def test_questions_of_exercises_are_of_every_kind_and_halved_by_exercise(shared: Path) -> None:
    halves = [read_questions(path, shared / "data" / "exercises")[0] for path in EXERCISES]
    used = [
        {
            picture.rsplit("_", 1)[0]
            for question in half
            for picture in (question.current, question.candidates[question.answer])
        }
        for half in halves
    ]

    assert [Counter(question.kind for question in half) for half in halves] == [dict.fromkeys(KINDS, 8)] * 2
    assert {len({*question.candidates} - {question.current}) for half in halves for question in half} == {10}
    assert used[0].isdisjoint(used[1])

"""The bundled retriever on real photographs, asked in words that were written before any ranking was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.evaluation.real.answers import RememberingEstimator
from fmp_models.evaluation.real.questions import ask_questions, read_questions
from fmp_models.inference.retrieval.retriever_registry import Retrievers
from fmp_models.inference.retrieval.target_finder import TargetFinder
from fmp_models.languages.grammar import LANGUAGES
from tests.thoroughness import thorough

pytestmark = pytest.mark.real

QUESTIONS = Path(__file__).with_name("questions_of_real_pairs.json")


@thorough
def test_most_photographs_are_found_by_everyday_words(estimator: MediaPipeEstimator, shared: Path) -> None:
    folder = shared / "data" / "realbench"
    questions, _ = read_questions(QUESTIONS, folder)
    finder = TargetFinder(RememberingEstimator(estimator), Retrievers())

    for language in LANGUAGES:
        result = ask_questions(questions, folder, finder, language, lambda _: None)
        assert result.refused == []
        assert result.first >= 0.75
        assert result.in_three >= 0.85

"""The bundled retriever on the case of the paper's own repository: rendered rooms that it has never seen."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.inference.retrievers import Retrievers
from fmp_models.inference.target_finder import TargetFinder
from tests.thoroughness import one_of

pytestmark = pytest.mark.real

PLAIN = "move both feet apart. raise both arms out to the sides."


@pytest.mark.parametrize(
    ("words", "worst", "others"),
    one_of([(None, 2, 9), (PLAIN, 1, 9), (PLAIN, 1, 3)], 2),
    ids=["the annotator's", "plain", "plain, of few"],
)
def test_the_answer_comes_first_by_plain_words_and_near_the_first_by_the_annotators(
    estimator: MediaPipeEstimator,
    shared_photograph_bytes: Callable[[str], bytes],
    words: str | None,
    worst: int,
    others: int,
) -> None:
    """MediaPipe measures, from whose joints no retriever has learned; a change of the detector moves some places."""
    case = json.loads(shared_photograph_bytes("fixmypose_retrieval/retrieval.json"))
    numbers = [number for number in range(10) if number != case["answer"]][:others]
    numbers.insert(others // 2, case["answer"])
    names = ("current", *(f"candidate_{number}" for number in numbers))
    current, *candidates = (shared_photograph_bytes(f"fixmypose_retrieval/{name}.png") for name in names)
    finder = TargetFinder(estimator, Retrievers())
    ranking, _ = finder.find(current, words or case["description"], candidates)
    assert case["answer"] in [numbers[one.candidate] for one in ranking.ranking[:worst]]

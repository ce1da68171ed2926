"""The bundled retriever on the case of the paper's own repository: rendered rooms that it has never seen."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from fmp_models.choosing_estimator import estimator_for_retrieval
from fmp_models.estimators import PoseEstimator
from fmp_models.retrievers import Retrievers
from fmp_models.target_finder import TargetFinder

pytestmark = pytest.mark.real

PLAIN = "move both feet apart. raise both arms out to the sides."


@pytest.mark.parametrize("words", [None, PLAIN], ids=["the annotator's", "plain"])
def test_the_answer_comes_first(shared_photograph_bytes: Callable[[str], bytes], words: str | None) -> None:
    case = json.loads(shared_photograph_bytes("fixmypose_retrieval/retrieval.json"))
    names = ("current", *(f"candidate_{number}" for number in range(10)))
    current, *candidates = (shared_photograph_bytes(f"fixmypose_retrieval/{name}.png") for name in names)
    finder = TargetFinder(estimator_for_retrieval(not_needed), Retrievers())
    ranking, _ = finder.find(current, words or case["description"], candidates)
    assert ranking.ranking[0].candidate == case["answer"]


def not_needed() -> PoseEstimator:
    """Our own estimator is bundled."""
    raise AssertionError

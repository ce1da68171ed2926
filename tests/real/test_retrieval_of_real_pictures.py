"""The bundled retriever on the case of the paper's own repository: rendered rooms that it has never seen."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from fmp_models.estimators import PoseEstimator
from fmp_models.hub.models import load_estimator
from fmp_models.learned_estimator import LearnedEstimator
from fmp_models.mediapipe_estimator import MediaPipeEstimator
from fmp_models.retrievers import Retrievers
from fmp_models.target_finder import TargetFinder

pytestmark = pytest.mark.real

PLAIN = "move both feet apart. raise both arms out to the sides."


def place_of_the_answer(
    estimator: PoseEstimator, read: Callable[[str], bytes], description: str | None = None
) -> tuple[int, float]:
    """Where the right candidate stands, from 0, and its score; the annotator's words unless others are given."""
    case = json.loads(read("fixmypose_retrieval/retrieval.json"))
    names = ("current", *(f"candidate_{number}" for number in range(10)))
    current, *candidates = (read(f"fixmypose_retrieval/{name}.png") for name in names)
    ranking, _ = TargetFinder(estimator, Retrievers()).find(current, description or case["description"], candidates)
    place = [one.candidate for one in ranking.ranking].index(case["answer"])
    return place, ranking.ranking[place].score


def test_with_our_own_estimator_the_answer_is_among_the_first_three(
    shared_photograph_bytes: Callable[[str], bytes],
) -> None:
    place, _ = place_of_the_answer(LearnedEstimator(load_estimator("estimator")), shared_photograph_bytes)
    assert place < 3


def test_with_mediapipe_the_answer_comes_first_for_plain_words(
    estimator: MediaPipeEstimator, shared_photograph_bytes: Callable[[str], bytes]
) -> None:
    """The retriever learned from our estimator's joints and from simple words; the annotator's own are beyond it."""
    assert place_of_the_answer(estimator, shared_photograph_bytes, PLAIN)[0] == 0

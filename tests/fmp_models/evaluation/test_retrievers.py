from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.evaluation.retrievers import fitted, untrained_scores
from fmp_models.geometry.candidate_evidence import EvidenceWeights, candidate_log_odds
from fmp_models.training.dataset_samples import Samples, read_dataset


@pytest.fixture(scope="module")
def questions() -> Samples:
    """All of the sample."""
    first, *more = (
        read_dataset(FOLDER, "retrieval", [split]).splits[split] for split in ("train", "val_unseen", "test_unseen")
    )
    for one in more:
        first = first.joined(one)
    return first


def test_a_guess_finds_one_answer_in_ten_and_is_the_same_for_a_seed() -> None:
    samples = read_dataset(FOLDER, "retrieval", ["test_unseen"]).splits["test_unseen"].subset([0, 1] * 2000)
    scores = untrained_scores("chance", samples, "en", 5)
    assert scores["accuracy"] == pytest.approx(0.1, abs=0.02)
    assert scores["mean_rank"] == pytest.approx(5.5, abs=0.15)
    assert scores == untrained_scores("chance", samples, "hi", 5) != untrained_scores("chance", samples, "en", 6)


@pytest.mark.parametrize("language", ["en", "hi"])
@pytest.mark.parametrize(("way", "least"), [("clauses", 0.8), ("end-states", 0.5)])
def test_what_the_joints_say_of_a_text_finds_most_targets(
    questions: Samples, way: str, least: float, language: str
) -> None:
    scores = untrained_scores(way, questions, language, 5)
    assert scores["n"] == 6
    assert scores["accuracy"] > least


def test_end_states_are_told_without_the_current_pose_and_clauses_are_not(questions: Samples) -> None:
    elsewhere = questions.joints.copy()
    elsewhere[:, 0] = elsewhere[::-1, 0]
    other = replace(questions, joints=elsewhere)
    scores_by_way = {
        way: [untrained_scores(way, of, "en", 5) for of in (questions, other)] for way in ("clauses", "end-states")
    }
    assert scores_by_way["end-states"][0] == scores_by_way["end-states"][1]
    assert scores_by_way["clauses"][0]["accuracy"] > scores_by_way["clauses"][1]["accuracy"]


def test_what_nobody_sees_is_found_by_chance(questions: Samples) -> None:
    blind = replace(questions, known=np.zeros_like(questions.known))
    assert untrained_scores("clauses", blind, "en", 5)["accuracy"] == pytest.approx(0.1)


def test_the_fitted_weights_are_those_that_made_the_answers_likely() -> None:
    random = np.random.default_rng(0)
    scores, of_clauses = random.normal(size=(4000, 10)), random.normal(size=(4000, 10, 5))
    true = EvidenceWeights(1.5, 0.75, 0.0, 0.5, 1.0, 0.25)
    odds = np.array([candidate_log_odds(*one, true) for one in zip(scores, of_clauses, strict=True)])
    answers = (odds + random.gumbel(size=odds.shape)).argmax(axis=1)

    assert fitted(scores, of_clauses, answers) == pytest.approx(true, abs=0.08)

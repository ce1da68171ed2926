"""Scores of captioners and retrievers, and the votes of a retriever on texts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.evaluation import model_scores
from fmp_models.evaluation.change_scores import CHANGE_SCORES
from fmp_models.evaluation.model_scores import (
    CAPTION_SCORES,
    OTHERS,
    TargetVotes,
    caption_scores,
    fitted_weights,
    untrained_scores,
)
from fmp_models.geometry.candidate_evidence import EvidenceWeights, candidate_log_odds
from fmp_models.hub.models import load_retriever
from fmp_models.metrics.scoring import METRICS
from fmp_models.training.dataset_samples import Samples, read_dataset
from fmp_models.training.model_inputs import Views
from tests.thoroughness import one_of

RAISE, BEND = "Raise your left arm.", "Bend both of your knees."


SEEN = [
    ("The red chair has been removed.", ("removed", "chair", "red", None, None)),
    ("The red chair next to the blue ball is gone.", ("removed", "ball", "blue", None, None)),
    ("The red chair has been moved.", ("removed", "chair", "red", None, None)),
    ("The red chair has been replaced by a green sofa.", ("swapped", "chair", "red", "sofa", "green")),
    ("The red chair has been replaced by a white sofa.", ("swapped", "chair", "red", "sofa", "green")),
    ("Nothing has changed.", ("unchanged", None, None, None, None)),
]
CHANGES = [
    dict(
        zip(
            ("type", "kind", "colour", "new_kind", "new_colour", "light", "view"), (*of, number > 3, False), strict=True
        )
    )
    for number, (_, of) in enumerate(SEEN)
]


def test_a_text_about_a_room_is_right_if_it_names_the_type_and_the_thing(voted_pairs: Samples) -> None:
    samples = voted_pairs.subset([0] * len(SEEN))
    scores = caption_scores([text for text, _ in SEEN], "en", samples, CHANGES)
    assert [scores[name] for name in CHANGE_SCORES] == pytest.approx([5 / 6, 3 / 5, 2 / 5, 2 / 4, 0])
    assert {name: of["n"] for name, of in scores["groups"].items()} == {
        "plain": 4,
        "distracted": 2,
        "removed": 3,
        "swapped": 2,
        "unchanged": 1,
    }
    assert scores["groups"]["swapped"]["change_right"] == pytest.approx(1 / 2)
    assert "groups" not in caption_scores([RAISE], "en", voted_pairs.subset([0]))


@pytest.fixture
def voted_pairs() -> Samples:
    return read_dataset(FOLDER, "captioning", ["val_seen"]).splits["val_seen"]


@pytest.fixture
def votes(models: Path, voted_pairs: Samples) -> TargetVotes:
    return TargetVotes(load_retriever(str(models / "retriever")), voted_pairs, Views(), "en")


def test_every_text_of_every_pair_has_a_log_probability(votes: TargetVotes) -> None:
    log_probabilities = votes([2, 0], [[RAISE, BEND, ""], [RAISE]])
    assert [len(several) for several in log_probabilities] == [3, 1]
    assert all(vote <= 0 and math.isfinite(vote) for several in log_probabilities for vote in several)
    assert votes([], []) == []
    assert votes([1], [[]]) == [[]]


def test_a_vote_depends_on_the_pair_and_the_text_alone(votes: TargetVotes) -> None:
    (first,), (second,) = votes([0, 1], [[RAISE], [BEND]])
    assert votes([1, 0], [[BEND], [RAISE]]) == [[pytest.approx(second)], [pytest.approx(first)]]


def test_the_own_target_stands_first_among_different_ones(votes: TargetVotes, voted_pairs: Samples) -> None:
    asked = votes._questions([0, len(voted_pairs) - 1])
    choice = min(1 + OTHERS, len(voted_pairs))
    assert asked.pictures.shape == (2, 1 + choice)
    for row, shown in zip((0, len(voted_pairs) - 1), asked.pictures, strict=True):
        assert shown[:2].tolist() == voted_pairs.pictures[row].tolist()
        assert len(np.unique(shown[1:])) == len(
            np.unique(voted_pairs.pictures[:, 1][(row + np.arange(choice)) % len(voted_pairs)])
        )
    assert (asked.joints[0, 1] == voted_pairs.joints[0, 1]).all()


@pytest.fixture(scope="module")
def pairs() -> Samples:
    return read_dataset(FOLDER, "captioning", ["val_unseen"]).splits["val_unseen"]


def scored(texts: list[str], pairs: Samples, language: str = "en") -> dict[str, object]:
    return caption_scores(texts, language, pairs)


@pytest.mark.usefixtures("without_java")
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_the_references_themselves_score_best_and_are_true(pairs: Samples, language: str) -> None:
    own = scored([references[0] for references in pairs.texts[language]], pairs, language)
    others = scored([references[0] for references in pairs.texts[language]][::-1], pairs, language)
    assert own["clause_agreement"] == 1.0
    assert own["bleu4"] == pytest.approx(1.0)
    for name in (
        "bleu4",
        "cider",
        "rouge_l",
        "direction_match",
        "body_part_match",
        "clause_agreement",
        "goal_progress",
    ):
        assert own[name] > others[name], name  # type: ignore[operator]


@pytest.mark.usefixtures("without_java")
def test_every_score_is_there_and_what_could_not_be_measured_is_null_with_a_reason(pairs: Samples) -> None:
    report = scored(["bend your left knee"] * len(pairs), pairs)
    assert set(CAPTION_SCORES) < report.keys()
    assert report["meteor"] is None
    assert report["n"] == report["pairs_carried_out"] == len(pairs)
    assert any("METEOR" in note for note in report["notes"])  # type: ignore[attr-defined]


@pytest.mark.usefixtures("without_java")
def test_characters_are_measured_by_the_scale_of_the_whole_split(
    pairs: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_scores, "MAX_PAIRS", 1)
    texts = [references[0] for references in pairs.texts["en"]][::-1]
    report = scored(texts, pairs)
    characters: dict[str, dict[str, float]] = report["characters"]  # type: ignore[assignment]
    assert sorted(characters) == sorted({str(number) for number in pairs.characters.tolist()})
    assert sum(scores["n"] for scores in characters.values()) == len(pairs)
    mean = sum(scores["n"] * scores["cider"] for scores in characters.values()) / len(pairs)
    assert mean == pytest.approx(report["cider"])


@pytest.mark.usefixtures("without_java")
def test_a_dataset_without_joints_has_every_score_but_those_that_need_them(pairs: Samples) -> None:
    unknown = replace(pairs, joints=np.zeros_like(pairs.joints), known=np.zeros_like(pairs.known))
    report = scored([references[0] for references in pairs.texts["en"]], unknown)
    assert report["body_part_match"] is None
    assert report["clause_agreement"] is None
    assert report["clauses_judged"] == 0
    assert report["goal_progress"] is report["carried_out"] is None
    assert report["pairs_carried_out"] == 0
    assert all(report[name] is not None for name in METRICS if name not in {"meteor", "body_part_match"})


@pytest.mark.usefixtures("without_java")
def test_a_pair_that_a_dataset_has_twice_counts_twice(pairs: Samples) -> None:
    twice = pairs.subset([0, 0, 1])
    assert scored(["bend your left knee"] * 3, twice)["n"] == 3


@pytest.mark.usefixtures("without_java")
def test_of_a_large_split_some_texts_are_carried_out(pairs: Samples, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_scores, "MAX_PAIRS", 2)
    report = scored([references[0] for references in pairs.texts["en"]], pairs)
    assert report["pairs_carried_out"] == 2
    assert report["goal_progress"] == report["carried_out"] is not None


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

    assert fitted_weights(scores, of_clauses, answers) == pytest.approx(true, abs=0.08)

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fmp_models.candidates import Decoding
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.evaluation.evaluating import Evaluation, Question, evaluate
from fmp_models.evaluation.reading_out import evaluation_table
from fmp_models.hub.references import resolve
from fmp_models.pose import JOINTS
from fmp_models.training.samples import read_dataset

pytestmark = pytest.mark.usefixtures("without_java")


def asked(models: Path, cache: Path, name: str, *splits: str, **more: object) -> Evaluation:
    question = replace(Question(str(models / name), FOLDER, splits, longest=20), **more)  # type: ignore[arg-type]
    return evaluate(question, cache, lambda _: None)


def test_a_captioner_is_scored_in_every_language_on_every_split_it_may_be_judged_by(models: Path, cache: Path) -> None:
    evaluation = asked(models, cache, "captioner")
    told = json.loads(json.dumps(evaluation.told, allow_nan=False))
    assert (told["model"], told["kind"]) == ("captioner", "captioner")
    assert told["revision"] == resolve(str(models / "captioner")).revision
    assert {split: set(scores) for split, scores in told["splits"].items()} == {
        split: {"en", "hi"} for split in ("val_seen", "val_unseen", "test_unseen")
    }
    assert told["dataset"]["name"] == "FixMyPose-Sim, a sample"
    uids = read_dataset(FOLDER, "captioning", ["test_unseen"]).splits["test_unseen"].uids
    assert tuple(evaluation.predictions["test_unseen", "hi"]) == uids
    table = evaluation_table(told)
    assert "test_unseen hi" in table
    assert "The data differ from the paper's" in table


def test_one_split_is_evaluated_alone_and_the_command_says_so(models: Path, cache: Path) -> None:
    told = asked(models, cache, "captioner", "val_seen", decoding=Decoding("beam", 3, rerank=True)).told
    assert list(told["splits"]) == ["val_seen"]
    assert told["command"] == (
        "python -m fmp_models evaluate captioner sample --split val_seen --decoding beam --texts 3 --rerank"
    )
    assert told["decoding"] == {"method": "beam", "rerank": True, "texts": 3}


def test_the_same_question_has_the_same_answer(models: Path, cache: Path) -> None:
    first, second = (asked(models, cache, "captioner", "val_seen").told for _ in range(2))
    assert first == second


@pytest.mark.parametrize("source", ["learned", "none"])
def test_a_captioner_of_photographs_is_given_estimated_joints_or_none(models: Path, cache: Path, source: str) -> None:
    own = asked(models, cache, "captioner", "val_seen")
    other = asked(models, cache, "captioner", "val_seen", joints=source, estimator=str(models / "estimator"))
    assert own.predictions != other.predictions
    scores = other.told["splits"]["val_seen"]["en"]
    assert 0 <= scores["joints_found"] <= (scores["n"] if source == "learned" else 0)
    assert scores["body_part_match"] is not None  # by the true joints all the same


def test_one_that_cannot_do_without_joints_is_not_asked_to(models: Path, cache: Path) -> None:
    with pytest.raises(BadInputError, match="cannot do without joints"):
        asked(models, cache, "whole", "val_seen", joints="none")
    with pytest.raises(BadInputError, match="--pose-model"):
        asked(models, cache, "whole", "val_seen", joints="mediapipe")


def test_the_geometry_is_scored_like_a_captioner_and_every_clause_of_it_agrees(models: Path, cache: Path) -> None:
    evaluation = evaluate(Question("geometry", FOLDER, ("val_seen",)), cache, lambda _: None)
    told = json.loads(json.dumps(evaluation.told, allow_nan=False))
    assert (told["model"], told["kind"], "decoding" in told) == ("geometry", "captioner", False)
    for language in ("en", "hi"):
        scores = told["splits"]["val_seen"][language]
        assert scores["clause_agreement"] == 1
        assert scores["clauses_judged"] > 2 * scores["n"]
        assert all(evaluation.predictions["val_seen", language].values())
    seen = Question("geometry", FOLDER, ("val_seen",), "learned", str(models / "estimator"))
    by_sight = evaluate(seen, cache, lambda _: None)
    found = by_sight.told["splits"]["val_seen"]["en"]["joints_found"]
    assert sum(bool(text) for text in by_sight.predictions["val_seen", "en"].values()) == found
    with pytest.raises(BadInputError, match="cannot do without joints"):
        evaluate(replace(seen, joints="none"), cache, lambda _: None)
    assert "clause" in evaluation_table(told)


def test_a_retriever_is_scored_by_language_and_one_without_text_alike_in_all(models: Path, cache: Path) -> None:
    told = asked(models, cache, "retriever").told
    assert list(told["splits"]) == ["val_unseen", "test_unseen"]
    for scores in told["splits"].values():
        for of_language in scores.values():
            assert 0 <= of_language["accuracy"] <= of_language["recall_3"] <= of_language["recall_5"] <= 1
            assert 1 <= of_language["mean_rank"] <= 10
            assert 0 <= of_language["accuracy_clauses"] <= 1 <= of_language["mean_rank_clauses"]
            assert set(of_language["best_weights"]) == {"score", "verdict", "chance"}
    printed = evaluation_table(told)
    assert "mean rank" in printed
    assert "accuracy, clauses too" in printed
    blind = asked(models, cache, "looking", "test_unseen").told
    assert blind["splits"]["test_unseen"]["en"] == blind["splits"]["test_unseen"]["hi"]
    assert "looking" in evaluation_table(blind)


def test_an_estimator_is_measured_joint_by_joint_and_in_whole_photographs(models: Path, cache: Path) -> None:
    told = asked(models, cache, "estimator", "test_unseen").told
    scores = told["splits"]["test_unseen"]
    assert tuple(scores["joints"]) == JOINTS
    assert scores["joints"]["hip"] == 0
    assert sum(scores["joints"].values()) / len(JOINTS) == pytest.approx(scores["error"])
    assert 0 <= scores["photographs"]["found"] <= scores["photographs"]["n"] == scores["n"]
    assert "found" in evaluation_table(told)


@pytest.mark.parametrize(
    ("name", "split", "said"),
    [
        ("captioner", "train", "learns from"),
        ("retriever", "train", "learns from"),
        ("retriever", "val_seen", "no split “val_seen” to judge a retriever by"),
        ("estimator", "somewhere", "no split “somewhere”"),
        ("nowhere", "val_seen", "no folder"),
    ],
)
def test_what_a_model_is_not_judged_by_is_refused(models: Path, cache: Path, name: str, split: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        asked(models, cache, name, split)


def test_a_folder_that_is_no_dataset_is_refused(models: Path, cache: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="has no split"):
        asked(models, cache, "captioner", "val_seen", dataset=tmp_path)

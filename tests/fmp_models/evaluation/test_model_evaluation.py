from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fmp_models.data.folder import ShardWriter, dataset_contents
from fmp_models.data.sample import FOLDER, sample_rows
from fmp_models.errors import BadInputError
from fmp_models.evaluation.model_evaluation import Evaluation, EvaluationRequest, evaluate_model
from fmp_models.evaluation.paper_tables import RunStore, TableRequest, reproduce
from fmp_models.evaluation.pose_estimation import kept_joints
from fmp_models.evaluation.reports import evaluation_table
from fmp_models.geometry.candidate_evidence import EvidenceWeights
from fmp_models.hub.models import save_speaking
from fmp_models.hub.references import resolve_model
from fmp_models.inference.neural_captioner import Decoding
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.networks.backbone import Backbone, VisionModel
from fmp_models.networks.captioner import Captioner, CaptionerConfig
from fmp_models.pose import JOINTS
from fmp_models.training.dataset_samples import read_dataset
from fmp_models.training.estimated_joints import MeasuringEstimator, measure_dataset
from fmp_models.workers import Workers
from tests.fmp_models.evaluation.conftest import BACKBONE, PICTURES
from tests.knowing_estimators import Knowing
from tests.thoroughness import thorough

pytestmark = pytest.mark.usefixtures("without_java")


def asked(models: Path, cache: Path, name: str, *splits: str, **more: object) -> Evaluation:
    question = replace(EvaluationRequest(str(models / name), FOLDER, splits, longest=20), **more)  # type: ignore[arg-type]
    return evaluate_model(question, cache)


def test_a_captioner_is_scored_in_every_language_on_every_split_it_may_be_judged_by(models: Path, cache: Path) -> None:
    evaluation = asked(models, cache, "captioner")
    report = json.loads(json.dumps(evaluation.report, allow_nan=False))
    assert (report["model"], report["kind"]) == ("captioner", "captioner")
    assert report["revision"] == resolve_model(str(models / "captioner")).revision
    assert {split: set(scores) for split, scores in report["splits"].items()} == {
        split: {"en", "hi"} for split in ("val_seen", "val_unseen", "test_unseen")
    }
    assert report["dataset"]["name"] == "FixMyPose-Sim, a sample"
    uids = read_dataset(FOLDER, "captioning", ["test_unseen"]).splits["test_unseen"].uids
    assert tuple(evaluation.predictions["test_unseen", "hi"]) == uids
    table = evaluation_table(report)
    assert "test_unseen hi" in table
    assert "test_unseen hi, references" in table
    assert report["splits"]["test_unseen"]["hi"]["properties"]["predictions"]["n"] == len(uids)
    assert "The data differ from the paper's" in table


def test_one_split_is_evaluated_alone_and_the_command_says_so(models: Path, cache: Path) -> None:
    report = asked(models, cache, "captioner", "val_seen", decoding=Decoding("beam", 3, rerank=True)).report
    assert list(report["splits"]) == ["val_seen"]
    assert report["command"] == (
        "python -m fmp_models evaluate captioner sample --split val_seen --decoding beam --texts 3 --rerank"
    )
    assert report["decoding"] == {"method": "beam", "rerank": True, "texts": 3}


def test_the_same_question_has_the_same_answer(models: Path, cache: Path) -> None:
    first, second = (asked(models, cache, "captioner", "val_seen").report for _ in range(2))
    assert first == second


@pytest.mark.parametrize("source", ["learned", "none"])
def test_a_captioner_of_photographs_is_given_estimated_joints_or_none(models: Path, cache: Path, source: str) -> None:
    own = asked(models, cache, "captioner", "val_seen")
    other = asked(models, cache, "captioner", "val_seen", joints=source, estimator=str(models / "estimator"))
    assert own.predictions != other.predictions
    scores = other.report["splits"]["val_seen"]["en"]
    assert 0 <= scores["joints_found"] <= (scores["n"] if source == "learned" else 0)
    assert scores["body_part_match"] is not None  # by the true joints all the same


def test_one_that_cannot_do_without_joints_is_not_asked_to(models: Path, cache: Path) -> None:
    with pytest.raises(BadInputError, match="needs joints"):
        asked(models, cache, "whole", "val_seen", joints="none")
    with pytest.raises(BadInputError, match="--pose-model"):
        asked(models, cache, "whole", "val_seen", joints="mediapipe")


def test_the_geometry_is_scored_like_a_captioner_and_every_clause_of_it_agrees(models: Path, cache: Path) -> None:
    evaluation = evaluate_model(EvaluationRequest("geometry", FOLDER, ("val_seen",)), cache)
    report = json.loads(json.dumps(evaluation.report, allow_nan=False))
    assert (report["model"], report["kind"], "decoding" in report) == ("geometry", "captioner", False)
    for language in ("en", "hi"):
        scores = report["splits"]["val_seen"][language]
        assert scores["clause_agreement"] == 1
        assert scores["clauses_judged"] > 2 * scores["n"]
        assert all(evaluation.predictions["val_seen", language].values())
    seen = EvaluationRequest("geometry", FOLDER, ("val_seen",), "learned", str(models / "estimator"))
    by_sight = evaluate_model(seen, cache)
    joints_found = by_sight.report["splits"]["val_seen"]["en"]["joints_found"]
    assert sum(bool(text) for text in by_sight.predictions["val_seen", "en"].values()) == joints_found
    with pytest.raises(BadInputError, match="needs joints"):
        evaluate_model(replace(seen, joints="none"), cache)
    assert "clause" in evaluation_table(report)


def test_a_retriever_is_scored_by_language_and_one_without_text_alike_in_all(models: Path, cache: Path) -> None:
    report = asked(models, cache, "retriever").report
    assert list(report["splits"]) == ["val_unseen", "test_unseen"]
    for scores in report["splits"].values():
        for of_language in scores.values():
            assert 0 <= of_language["accuracy"] <= of_language["recall_3"] <= of_language["recall_5"] <= 1
            assert 1 <= of_language["mean_rank"] <= 10
            assert 0 <= of_language["accuracy_clauses"] <= 1 <= of_language["mean_rank_clauses"]
            assert 0 <= of_language["accuracy_text_alone"] <= 1
            assert set(of_language["best_weights"]) == set(EvidenceWeights._fields)
    printed = evaluation_table(report)
    assert "mean rank" in printed
    assert "accuracy with clauses" in printed
    assert "accuracy without the current pose" in printed
    blind = asked(models, cache, "looking", "test_unseen").report
    assert blind["splits"]["test_unseen"]["en"] == blind["splits"]["test_unseen"]["hi"]
    assert "looking" in evaluation_table(blind)


def test_an_estimator_is_measured_joint_by_joint_and_in_whole_photographs(models: Path, cache: Path) -> None:
    report = asked(models, cache, "estimator", "test_unseen").report
    scores = report["splits"]["test_unseen"]
    assert tuple(scores["joints"]) == JOINTS
    assert scores["joints"]["hip"] == 0
    assert sum(scores["joints"].values()) / len(JOINTS) == pytest.approx(scores["error"])
    assert 0 <= scores["photographs"]["found"] <= scores["photographs"]["n"] == scores["n"]
    assert "found" in evaluation_table(report)


def test_a_lifter_is_judged_by_what_mediapipe_sees(models: Path, cache: Path, pose_model: Path) -> None:
    report = asked(models, cache, "lifter", "test_unseen", pose_model=pose_model).report
    scores = report["splits"]["test_unseen"]
    assert scores["error"] == pytest.approx(scores["error_unlifted"])  # nobody has trained it
    assert scores["elbow"] == pytest.approx(scores["elbow_unlifted"], abs=1e-3)
    assert tuple(scores["joints"]) == JOINTS
    assert report["command"].endswith(f"--split test_unseen --pose-model {pose_model.name}")
    assert "estimator" not in report
    assert "error before (m)" in evaluation_table(report)


def test_a_lifter_without_a_landmarker_is_not_judged(models: Path, cache: Path) -> None:
    with pytest.raises(BadInputError, match="--pose-model"):
        asked(models, cache, "lifter")


@pytest.mark.parametrize(
    ("name", "split", "message"),
    [
        ("captioner", "train", "training pairs"),
        ("retriever", "train", "training pairs"),
        ("retriever", "val_seen", "no split “val_seen” to evaluate a retriever on"),
        ("estimator", "somewhere", "no split “somewhere”"),
        ("lifter", "val_seen", "no split “val_seen” to evaluate a lifter on"),
        ("nowhere", "val_seen", "no folder"),
    ],
)
def test_what_a_model_is_not_judged_by_is_refused(
    models: Path, cache: Path, name: str, split: str, message: str
) -> None:
    with pytest.raises(BadInputError, match=message):
        asked(models, cache, name, split)


def test_a_folder_that_is_no_dataset_is_refused(models: Path, cache: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="has no split"):
        asked(models, cache, "captioner", "val_seen", dataset=tmp_path)


def test_whose_joints_were_given_is_told(models: Path, cache: Path) -> None:
    own = asked(models, cache, "captioner", "val_seen").report
    assert "estimator" not in own
    assert own["longest"] == 20
    report = asked(models, cache, "captioner", "val_seen", joints="learned", estimator=str(models / "estimator")).report
    assert report["command"].endswith("--joints learned --estimator estimator")
    assert report["estimator"] == {"id": "./estimator", "revision": resolve_model(str(models / "estimator")).revision}


@thorough
def test_joints_that_measure_joints_kept_are_given(models: Path, cache: Path, tmp_path: Path) -> None:
    for model in ("captioner", "retriever"):
        with pytest.raises(BadInputError, match="measure-joints first"):
            asked(models, cache, model, joints="estimated")
    dataset = shutil.copytree(FOLDER, tmp_path / "dataset")
    measure_dataset(dataset, MeasuringEstimator(partial(Knowing, tmp_path / "log"), "knowing"), Workers(2))
    kept = kept_joints(read_dataset(dataset, "captioning", ["val_seen"]), cache)
    assert not kept.placed
    assert kept.known.all()
    whole = asked(models, cache, "whole", "val_seen", joints="estimated", dataset=dataset)
    assert whole.report["command"].endswith("--joints estimated")
    assert whole.report["splits"]["val_seen"]["en"]["joints_found"] == whole.report["splits"]["val_seen"]["en"]["n"]
    true = asked(models, cache, "whole", "val_seen", dataset=dataset)
    assert whole.predictions != true.predictions
    assert set(asked(models, cache, "retriever", joints="estimated", dataset=dataset).report["splits"]) == {
        "val_unseen",
        "test_unseen",
    }


def test_candidates_are_judged_by_no_joints_that_nobody_has(models: Path, cache: Path) -> None:
    several = Decoding("beam", 3)
    plain = asked(models, cache, "captioner", "val_seen", joints="none", decoding=several)
    judged = asked(models, cache, "captioner", "val_seen", joints="none", decoding=replace(several, rerank=True))
    assert judged.predictions == plain.predictions


def derived(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """Write the sample with every row changed."""
    for config, splits in dataset_contents(FOLDER).items():
        for split in splits:
            with ShardWriter(folder, config, split) as writer:
                for row in sample_rows(config, split):
                    writer.add(change(dict(row)))
    return folder


def without_pictures(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"current": None, "target": None, **({"candidates": [None] * 10} if "candidates" in row else {})}


def without_joints(row: dict[str, Any]) -> dict[str, Any]:
    candidates = {"candidate_joints": [None] * 10} if "candidates" in row else {}
    return row | {"current_joints": None, "target_joints": None, **candidates}


def without_paths(row: dict[str, Any]) -> dict[str, Any]:
    def nameless(image: dict[str, Any]) -> dict[str, Any]:
        return {"bytes": image["bytes"], "path": None}

    candidates = {"candidates": list(map(nameless, row["candidates"]))} if "candidates" in row else {}
    return row | {"current": nameless(row["current"]), "target": nameless(row["target"]), **candidates}


@pytest.mark.parametrize(
    ("name", "split", "change"),
    [
        ("captioner", "val_seen", without_pictures),
        ("captioner", "val_seen", without_joints),
        ("captioner", "val_seen", without_paths),
        ("retriever", "val_unseen", without_pictures),
        ("retriever", "val_unseen", without_paths),
    ],
)
def test_models_that_can_do_without_are_scored_on_a_dataset_without(
    models: Path, tmp_path: Path, name: str, split: str, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    dataset = derived(tmp_path / "dataset", change)
    report = asked(models, tmp_path / "cache", name, split, dataset=dataset).report
    assert report["splits"][split]["en"]["n"] > 0


@pytest.mark.parametrize("change", [without_pictures, without_joints])
def test_an_estimator_needs_pictures_with_joints(
    models: Path, tmp_path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    dataset = derived(tmp_path / "dataset", change)
    with pytest.raises(BadInputError, match="pictures, joints"):
        asked(models, tmp_path / "cache", "estimator", "val_unseen", dataset=dataset)


def test_a_damaged_shard_is_refused(models: Path, cache: Path, tmp_path: Path) -> None:
    dataset = shutil.copytree(FOLDER, tmp_path / "dataset")
    for shard in (dataset / "captioning").glob("val_seen*"):
        shard.write_bytes(b"PAR1 nonsense")
    with pytest.raises(BadInputError, match="of the dataset cannot be read"):
        asked(models, cache, "captioner", "val_seen", dataset=dataset)


def test_questions_without_a_text_are_not_judged_by_it(tmp_path: Path) -> None:
    rows = iter(range(10_000))

    def every_other_without_hindi(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"descriptions_hi": [""]} if next(rows) % 2 else row

    dataset = derived(tmp_path / "dataset", every_other_without_hindi)
    run_store = RunStore(dataset, tmp_path / "runs", "small", None, tmp_path / "cache")
    results = reproduce(TableRequest("7", ("V+L, by geometry",)), run_store)
    assert all(line["values"]["accuracy"][0] is not None for line in results["rows"])


@pytest.mark.parametrize("name", ["captioner", "geometry", "retriever"])
def test_each_language_is_scored_on_the_rows_with_texts_in_it(models: Path, tmp_path: Path, name: str) -> None:
    rows = iter(range(10_000))

    def every_other_without_hindi(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"descriptions_hi": []} if next(rows) % 2 else row

    dataset = derived(tmp_path / "dataset", every_other_without_hindi)
    model = name if name == "geometry" else str(models / name)
    evaluation = evaluate_model(EvaluationRequest(model, dataset, ("val_unseen",), longest=20), tmp_path / "cache")
    scores = evaluation.report["splits"]["val_unseen"]
    assert scores["hi"]["n"] == scores["en"]["n"] / 2
    assert f"val_unseen hi  {scores['hi']['n']}" in evaluation_table(evaluation.report)
    english = derived(tmp_path / "english", lambda row: row | {"descriptions_hi": []})
    alone = evaluate_model(EvaluationRequest(model, english, ("val_unseen",), longest=20), tmp_path / "cache")
    assert set(alone.report["splits"]["val_unseen"]) == {"en"}


def test_joints_that_a_captioner_predicts_are_compared_with_the_true_ones(
    vocabularies: dict[str, Vocabulary], cache: Path, tmp_path: Path
) -> None:
    sizes = {code: len(vocabulary) for code, vocabulary in vocabularies.items()}
    seen = {"backbone": BACKBONE, "pictures": PICTURES, "image_channels": Backbone(BACKBONE).channels}
    config = CaptionerConfig(sizes, hidden=32, embedding=16, joint_prediction=True, **seen)
    save_speaking(tmp_path / "predicting", VisionModel(Captioner(config), Backbone(BACKBONE)), vocabularies, "# Tiny\n")
    for joints in ("true", "none"):
        report = asked(tmp_path, cache, "predicting", "val_seen", joints=joints).report
        scores = report["splits"]["val_seen"]
        assert 0.1 < scores["en"]["predicted_joint_error"] == scores["hi"]["predicted_joint_error"] < 5
        assert "predicted joints off (m)" in evaluation_table(report)


def test_a_retriever_votes_among_the_texts_and_is_told(models: Path, cache: Path) -> None:
    several = Decoding("beam", 3)
    votes = (str(models / "retriever"),)
    alone = asked(models, cache, "captioner", "val_seen", decoding=several)
    voted = asked(models, cache, "captioner", "val_seen", decoding=several, votes=votes)
    assert voted.predictions != alone.predictions
    assert voted.report["command"].endswith("--decoding beam --texts 3 --votes retriever")
    assert voted.report["decoding"]["votes"] == ["retriever"]


@pytest.mark.parametrize("votes", ["looking", "estimator", "nowhere"])
def test_who_reads_no_text_or_is_no_retriever_does_not_vote(models: Path, cache: Path, votes: str) -> None:
    with pytest.raises(BadInputError):
        asked(models, cache, "captioner", "val_seen", decoding=Decoding("beam", 3), votes=(str(models / votes),))

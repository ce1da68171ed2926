"""A file, folder or name that cannot be used ends each command with 2 before any result is written."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmp_models.__main__ import _parser
from fmp_models.data.sample import FOLDER
from tests.commands import ROOT, run_here
from tests.fmp_models.evaluation.labelled_folders import EXAMPLES, SQUAT, make_folder
from tests.thoroughness import some

CURRENT, TARGET = EXAMPLES / "warrior_current.jpg", EXAMPLES / "warrior_target.jpg"
PAIRS_FILE = "NEW/train.json"
CONFIGS = ROOT / "fmp_models" / "training" / "configs"
TRAINED = ("--dataset", FOLDER, "--out", "NEW/run")
TABLE = ("--dataset", FOLDER, "--runs", "NEW/runs", "--seeds", "1")

# Options that name a model, a dataset or a folder, by command, with the command line that JUNK stands in.
CASES: dict[tuple[str, str], tuple[object, ...]] = {
    ("correct", "model"): (CURRENT, TARGET, "--model", "JUNK"),
    ("describe-motion", "file"): ("JUNK",),
    ("correct", "pairs"): ("--pairs", "JUNK", "--out", "NEW/pairs.jsonl"),
    ("measure", "images"): ("--images", "JUNK", "--out", "NEW/joints.parquet"),
    ("measure", "pose_model"): ("--images", EXAMPLES, "--out", "NEW/joints.parquet", "--pose-model", "JUNK"),
    ("retrieve", "model"): (CURRENT, "raise an arm", CURRENT, TARGET, "--model", "JUNK"),
    ("retrieve", "gallery"): (CURRENT, "raise an arm", "--gallery", "JUNK"),
    ("difference", "captioner"): (CURRENT, TARGET, "--captioner", "JUNK"),
    ("score", "joints"): ("NEW/p.json", "NEW/r.json", "--language", "en", "--joints", "JUNK"),
    ("edit", "model"): (CURRENT, TARGET, "raise an arm", "--model", "JUNK"),
    ("edit-oracle", "file"): ("JUNK",),
    ("edit-score", "file"): ("JUNK",),
    ("audit-choices", "file"): ("JUNK",),
    ("minimal-pairs", "dataset"): ("JUNK",),
    ("minimal-pairs", "model"): (FOLDER, "--edits", "1", "--model", "JUNK"),
    ("counterfactual-dataset", "dataset"): ("JUNK",),
    ("counterfactual-scores", "dataset"): ("JUNK",),
    ("train", "config"): ("captioner", "JUNK", *TRAINED),
    ("train", "dataset"): ("captioner", CONFIGS / "captioner_en.toml", "--dataset", "JUNK", "--out", "NEW/run"),
    ("train", "start"): ("captioner", CONFIGS / "captioner_en.toml", *TRAINED, "--start", "JUNK"),
    ("train", "backbone"): ("captioner", CONFIGS / "captioner_en.toml", *TRAINED, "--backbone", "JUNK"),
    ("train", "pose_model"): ("lifter", CONFIGS / "lifter.toml", *TRAINED, "--pose-model", "JUNK"),
    ("evaluate", "model"): ("JUNK", FOLDER),
    ("evaluate", "dataset"): ("geometry", "JUNK"),
    ("evaluate", "estimator"): ("geometry", FOLDER, "--joints", "learned", "--estimator", "JUNK"),
    ("evaluate", "pose_model"): ("geometry", FOLDER, "--joints", "mediapipe", "--pose-model", "JUNK"),
    ("evaluate", "votes"): ("captioner", FOLDER, "--votes", "JUNK"),
    ("evaluate-real", "folder"): ("JUNK",),
    ("evaluate-real", "of_film"): ("NEW/made", "--of-film", "JUNK"),
    ("evaluate-real", "models"): ("PAIRS", "--model", "JUNK"),
    ("evaluate-real", "pose_models"): ("PAIRS", "--pose-model", "JUNK"),
    ("evaluate-real", "against"): ("PAIRS", "--against", "JUNK"),
    ("evaluate-questions", "folder"): ("JUNK",),
    ("evaluate-questions", "questions"): ("PAIRS", "--questions", "JUNK"),
    ("evaluate-questions", "model"): ("PAIRS", "--model", "JUNK"),
    ("calibrate", "model"): ("JUNK", FOLDER),
    ("calibrate", "dataset"): ("captioner", "JUNK"),
    ("calibrate", "pose_model"): ("captioner", FOLDER, "--pairs", "2", "--pose-model", "JUNK"),
    ("table", "dataset"): ("2", "--dataset", "JUNK", "--runs", "NEW/runs"),
    ("table", "backbone"): ("2", *TABLE, "--backbone", "JUNK"),
    ("table", "model"): ("joints", *TABLE, "--model", "JUNK"),
    ("table", "estimator"): ("joints", *TABLE, "--estimator", "JUNK"),
    ("table", "real"): ("levers-captioner", *TABLE, "--real", "JUNK"),
    ("table", "questions"): ("levers-retriever", *TABLE, "--real", "PAIRS", "--questions", "JUNK"),
    ("simulate", "recordings"): ("NEW/made", "--pairs", "4", "--bvh", "JUNK"),
    ("edit-dataset", "dataset"): ("JUNK",),
    ("evaluate-edits", "editors"): ("JUNK", FOLDER),
    ("evaluate-edits", "dataset"): ("none", "JUNK"),
    ("evaluate-edits", "pose_model"): ("none", FOLDER, "--joints", "mediapipe", "--pose-model", "JUNK"),
    ("measure-joints", "dataset"): ("JUNK",),
    ("measure-joints", "pose_model"): (FOLDER, "--pose-model", "JUNK", "--processes", "1"),
    ("import-pairs", "pair_files"): ("JUNK", "NEW/made", "--split", "val"),
    ("import-pairs", "images"): (PAIRS_FILE, "NEW/made", "--images", "JUNK"),
    ("import-fixmypose", "annotations"): ("--annotations", "JUNK", "NEW/made"),
    ("import-fixmypose", "images"): ("--annotations", "PAIRS", "--images", "JUNK", "NEW/made"),
    ("import-fixmypose", "joints"): ("--annotations", "PAIRS", "--joints", "JUNK", "NEW/made"),
}
POSE_MODEL_OF_ENVIRONMENT: dict[str, tuple[object, ...]] = {
    "correct": (CURRENT, TARGET),
    "retrieve": (CURRENT, "raise an arm", CURRENT, TARGET),
    "edit": (CURRENT, TARGET, "raise an arm"),
    "ask": (CURRENT, TARGET, "how far?"),
    "imagine": (CURRENT, TARGET, "left hand at head height"),
    "evaluate-real": ("PAIRS",),
    "evaluate-questions": ("PAIRS",),
    "calibrate": ("captioner", FOLDER, "--pairs", "2"),
    "table": ("levers-captioner", *TABLE, "--real", "PAIRS"),
}
# What is made, and the files that tests of score, correct and retrieve give.
OTHERS = {"out", "files", "runs", "cache", "json", "predictions", "references", "current", "target", "candidates"}
NAMES = {
    "captioner",
    "editors",
    "gallery",
    "model",
    "models",
    "pose_model",
    "pose_models",
    "estimator",
    "votes",
    "start",
    "backbone",
}


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Give a folder of pairs and questions, one for what is made, and junk: a file, and a folder."""
    pairs, new = make_folder(tmp_path / "pairs", SQUAT), tmp_path / "new"
    new.mkdir()
    question = {"id": "a", "current": CURRENT.name, "candidates": [CURRENT.name, TARGET.name], "answer": 1}
    (pairs / "questions.json").write_text(json.dumps([{**question, "texts": {"en": "raise both arms"}}]))
    pair = {"img0": "a.png", "img1": "b.png", "sents": ["a cup is gone"], "uid": "1"}
    (new / "train.json").write_text(json.dumps([pair]))
    (new / "p.json").write_text('{"1_0_0_0_0": "bend"}')
    (new / "r.json").write_text('{"1_0_0_0_0": ["bend"]}')
    (tmp_path / "junk.task").write_bytes(b"junk" * 1000)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "config.json").write_text("{")
    return {"PAIRS": pairs, "NEW": new, "FILE": tmp_path / "junk.task", "FOLDER": tmp_path / "folder"}


def refused(command: str, arguments: tuple[object, ...], places: dict[str, Path], **environment: object) -> None:
    before = set(places["NEW"].rglob("*.json"))
    words = []
    for argument in arguments:
        word = str(argument)
        for name in ("PAIRS", "NEW"):
            word = word.replace(name, str(places[name]), 1) if word.startswith(name) else word
        words.append(word)
    done = run_here(command, *words, HF_HUB_OFFLINE=1, **environment)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.splitlines()[-1].endswith(".")
    assert "refused" not in done.stderr
    assert set(places["NEW"].rglob("*.json")) == before


@pytest.mark.parametrize("junk", ["FILE", "FOLDER"])
@pytest.mark.parametrize(("command", "option"), some(CASES, 12))
def test_what_cannot_be_used_ends_with_two_and_no_result(
    command: str, option: str, junk: str, places: dict[str, Path]
) -> None:
    arguments = tuple(str(places[junk]) if word == "JUNK" else word for word in CASES[command, option])
    refused(command, arguments, places)


@pytest.mark.parametrize("command", POSE_MODEL_OF_ENVIRONMENT)
def test_a_pose_model_of_the_environment_that_is_none_ends_with_two(command: str, places: dict[str, Path]) -> None:
    refused(command, POSE_MODEL_OF_ENVIRONMENT[command], places, FMP_POSE_MODEL=places["FILE"])


@pytest.mark.parametrize("option", ["pose_models", "model"])
def test_a_model_for_real_photographs_that_is_none_gives_no_table_of_refusals(
    option: str, places: dict[str, Path]
) -> None:
    command = "evaluate-real" if option == "pose_models" else "evaluate-questions"
    junk = places["FILE" if option == "pose_models" else "FOLDER"]
    refused(command, tuple(junk if word == "JUNK" else word for word in CASES[command, option]), places)


def test_an_estimator_that_is_none_is_refused_before_a_table_is_begun(places: dict[str, Path]) -> None:
    arguments = tuple(places["FILE"] if word == "JUNK" else word for word in CASES["table", "estimator"])
    refused("table", arguments, places)
    assert not (places["NEW"] / "runs").exists()


def test_every_option_that_names_a_file_a_folder_or_a_model_is_tried() -> None:
    assert {*named_options(_parser())} == {*CASES}


def named_options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command, of_command in action.choices.items():
                for option in of_command._actions:
                    if (option.type is Path or option.dest in NAMES) and option.dest not in OTHERS:
                        yield command, option.dest

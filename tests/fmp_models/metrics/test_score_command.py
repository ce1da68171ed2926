"""``python -m fmp_models score``: its one object and its silence about warnings in a process of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.data.folder import read_rows
from fmp_models.data.sample import FOLDER
from tests.commands import ROOT, run_command, run_here
from tests.thoroughness import one_of, thorough


@pytest.fixture(scope="module", params=one_of(["en", "hi"]))
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """Return the first description of each val-seen pair of the sample as prediction, the others as references."""
    folder = tmp_path_factory.mktemp("scored")
    column = f"descriptions_{request.param}"
    texts = {row["uid"]: row[column] for row in read_rows(FOLDER, "captioning", "val_seen", ["uid", column])}
    predictions, references = folder / "predictions.json", folder / "references.json"
    predictions.write_text(json.dumps({uid: several[0] for uid, several in texts.items()}), encoding="utf-8")
    references.write_text(json.dumps({uid: several[1:] for uid, several in texts.items()}), encoding="utf-8")
    return predictions, references, request.param


@thorough
def test_json_is_exactly_one_object_and_progress_goes_to_standard_error(files: tuple[Path, Path, str]) -> None:
    predictions, references, language = files
    asked = ("--language", language, "--joints", FOLDER, "--json", "--instances")
    done = run_command("score", predictions, references, *asked)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    report = json.loads(done.stdout)
    assert report["n"] == len(report["instances"]) == 4
    assert report["body_part_match"] > 0
    ways = [scores["goal_progress"] for scores in report["instances"].values()]
    assert report["goal_progress"] == report["carried_out"] == pytest.approx(sum(ways) / len(ways))
    assert max(ways) > 0  # the texts are about these joints
    assert 0 < report["bleu1"] < 1
    assert done.stderr.count("Tokenising") == 1


def test_without_json_a_table_is_printed_with_the_papers_beside(files: tuple[Path, Path, str], tmp_path: Path) -> None:
    predictions, references, language = files
    asked = ("--language", language, "--tokeniser", "regex", "--beside-paper", "val_seen", "--intervals")
    asked += ("--joints", FOLDER)
    done = run_here("score", predictions, references, *asked, PATH=tmp_path)  # without Java, which takes its time
    assert done.returncode == 0, done.stderr
    for phrase in ("BLEU-4", "95% interval", "as intended", "paper, V+L", "Tables 2 and 3", "goal progress"):
        assert phrase in done.stdout


def test_without_java_the_score_says_how_it_cut_and_leaves_meteor_out(
    files: tuple[Path, Path, str], tmp_path: Path
) -> None:
    predictions, references, language = files
    done = run_here("score", predictions, references, "--language", language, "--json", PATH=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["tokeniser"] == "regex"
    assert report["meteor"] is None
    assert report["goal_progress"] is report["carried_out"] is None  # without joints
    assert any(note.startswith("METEOR is left out: ") and "Java" in note for note in report["notes"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--language", "fr"], "one of: en, hi"),
        ([], "--language"),
        (["--language", "en", "--beside-paper", "val"], "no split called"),
        (["--language", "en", "--joints", "no such folder"], "no such folder"),
        (["--language", "en", "--joints", str(ROOT / "demo")], "neither joint files"),
        (["--language", "en", "--joints", str(FOLDER)], "None of the scored pairs"),
        (["--language", "en", "--instances"], "--json"),
        (["--language", "hi"], "script of “hi”"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(more: list[str], message: str, tmp_path: Path) -> None:
    predictions, references = tmp_path / "p.json", tmp_path / "r.json"
    predictions.write_text('{"99_0_0_0_0": "bend your knees"}')
    references.write_text('{"99_0_0_0_0": ["bend both knees"]}')
    done = run_here("score", predictions, references, *more)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_devanagari_said_to_be_english_is_refused(tmp_path: Path) -> None:
    predictions, references = tmp_path / "p.json", tmp_path / "r.json"
    predictions.write_text('{"a": "अपने घुटने मोड़ें।"}', encoding="utf-8")
    references.write_text('{"a": ["bend both knees"]}', encoding="utf-8")
    done = run_here("score", predictions, references, "--language", "en", "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.endswith("a text of “a” is not in the script of “en”; please check --language.\n")


@thorough
def test_few_pairs_with_joints_have_scores_without_an_interval(tmp_path: Path) -> None:
    """One pair is of the sample, the others of nobody."""
    row = next(iter(read_rows(FOLDER, "captioning", "val_seen", ["uid", "descriptions_en"])))
    texts = {row["uid"]: row["descriptions_en"], **{f"{i}_0_0_0_0": ["bend your knees"] for i in range(90, 99)}}
    predictions, references = tmp_path / "p.json", tmp_path / "r.json"
    predictions.write_text(json.dumps({uid: several[0] for uid, several in texts.items()}))
    references.write_text(json.dumps(texts))
    asked = ("--language", "en", "--joints", FOLDER, "--intervals", "--json")
    done = run_command("score", predictions, references, *asked, PATH=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["body_part_match"] > 0
    assert report["intervals"]["body_part_match"] is None
    assert report["intervals"]["goal_progress"] is report["intervals"]["carried_out"] is None
    assert len(report["intervals"]["bleu1"]) == 2
    assert "Warning" not in done.stderr

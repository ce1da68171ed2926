"""Evaluation of editors: what each score says of texts that are left, mended or made worse."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fmp_models.data.features import EDITING
from fmp_models.data.folder import ShardWriter
from fmp_models.data.sample import FOLDER
from fmp_models.editing.dataset import DescribedPair, read_pairs
from fmp_models.evaluation.edits import edit_scores, is_mended
from fmp_models.geometry import agrees
from fmp_models.languages import grammar, read_clauses
from fmp_models.pose import PosePair
from tests.commands import run_here
from tests.thoroughness import thorough

SPLIT = "test_unseen"
OTHER_SIDE = {"left": "right", "right": "left"}
Row = dict[str, Any]


def pairs_and_rows() -> tuple[list[DescribedPair], list[Row]]:
    """Give each English text with a side unchanged, and with that side turned where its clause is then false."""
    pairs = read_pairs(FOLDER, SPLIT)
    rows = []
    for described in pairs:
        for text in described.texts["en"]:
            rows.append(row(described, text, text, ()))
            turned = turned_side(text, described.pair)
            if turned:
                rows.append(row(described, *turned))
    return pairs, rows


def turned_side(text: str, pair: PosePair | None) -> tuple[str, str, tuple[str, ...]] | None:
    for place, read in enumerate(read_clauses(text, grammar("en"))):
        sides = [side for side in OTHER_SIDE if side in read.text.split()]
        if len(sides) == 1 and pair is not None and agrees(read.goal, pair):
            start, end = read.span
            ref = text[:start] + read.text.replace(sides[0], OTHER_SIDE[sides[0]]) + text[end:]
            clauses = read_clauses(ref, grammar("en"))
            if len(clauses) > place and agrees(clauses[place].goal, pair) is False:
                return ref, text, (clauses[place].text,)
    return None


def row(described: DescribedPair, ref: str, gt: str, turned: tuple[str, ...]) -> Row:
    return {
        "sample_id": f"{described.uid} {ref}",
        "uid": described.uid,
        "language": "en",
        "kind": "contradiction" if turned else "unchanged",
        "ref_cap": ref,
        "gt_cap": gt,
        "ref_uid": "",
        "turned": [{"by": "side", "text": text} for text in turned],
        "editing_steps": 2 * len(turned),
    }


PAIRS, ROWS = pairs_and_rows()
POSES = {described.uid: described.pair for described in PAIRS}
TURNED = [row for row in ROWS if row["turned"]]


def scores_of(texts: list[str]) -> dict[str, Any]:
    return edit_scores(ROWS, [[text] * 6 for text in texts], [POSES[row["uid"]] for row in ROWS])


def test_doing_nothing_leaves_all_that_is_right_and_mends_nothing() -> None:
    scores = scores_of([row["ref_cap"] for row in ROWS])
    assert (scores["left"], scores["mended"], scores["mean_es"], scores["es_ratio"]) == (100, 0, 0, 0)
    assert scores["kinds"]["unchanged"]["cider_d"] == pytest.approx(1000)
    assert scores["kinds"]["contradiction"]["cider_d"] < 1000
    assert scores["rounds"] == [scores["cider_d"]] * 5


def test_the_ground_truth_is_all_mended_and_as_short_an_edit_as_the_oracles() -> None:
    scores = scores_of([row["gt_cap"] for row in ROWS])
    assert (scores["left"], scores["mended"], scores["es_ratio"]) == (100, 100, 1)
    assert scores["cider_d"] == pytest.approx(1000)
    assert scores["n"] == scores["reproduced"] == len(ROWS)


def test_a_changed_right_text_counts_as_not_left() -> None:
    texts = [f"{row['ref_cap']} " for row in ROWS]
    assert scores_of(texts)["left"] == 0


def test_scores_without_joints_or_false_clauses_are_null() -> None:
    right = [row for row in ROWS if not row["turned"]]
    scores = edit_scores(right, [[row["gt_cap"]] * 6 for row in right], [None] * len(right))
    assert scores["mended"] is scores["clause_agreement"] is scores["es_ratio"] is None
    assert json.dumps(scores, allow_nan=False)


def test_a_false_clause_is_mended_when_its_words_are_gone_and_no_other_is_false_about_its_part() -> None:
    first = TURNED[0]
    pair = POSES[first["uid"]]
    assert pair is not None
    (turned,) = first["turned"]
    assert not is_mended(first, first["ref_cap"], pair)
    assert is_mended(first, first["ref_cap"].replace(turned["text"], ""), pair)
    again = first["ref_cap"].replace(turned["text"], turned["text"].replace(" ", "  ", 1))
    assert not is_mended(first, again, pair)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edits") / "dataset"
    shutil.copytree(FOLDER, folder)
    with ShardWriter(folder, EDITING, SPLIT) as writer:
        for one in ROWS:
            writer.add(one)
    return folder


def test_the_command_compares_editors_and_shows_the_papers(dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "edits.json"
    done = run_here("evaluate-edits", "none", "rules", dataset, "--out", out, "--examples", 2)
    assert done.returncode == 0, done.stderr
    examples = (tmp_path / "examples.md").read_text("utf-8")
    assert [examples.count(told) for told in ("| text to edit |", "| rules |", "| none |")] == [2, 2, 0]
    assert done.stdout.strip() in examples
    assert len(list((tmp_path / "examples").glob("*.jpg"))) == 4
    report = json.loads(out.read_text("utf-8"))
    scores = {name: of["en"] for name, of in report["editors"].items()}
    assert scores["none"]["n"] == len(ROWS)
    assert scores["none"]["clause_agreement"] < scores["rules"]["clause_agreement"] == 100
    assert scores["rules"]["multiply_adds"] is None
    assert scores["rules"]["left"] == scores["rules"]["mended"] == 100
    assert "TIger after 1 to 4 rounds 180.2" in done.stdout
    assert sum(line.startswith("rules ") for line in done.stdout.splitlines()) == 2
    fewer = run_here("evaluate-edits", "none", dataset, "--pairs", 2, "--json")
    assert json.loads(fewer.stdout)["pairs"] == 2


@thorough
def test_the_captioners_text_takes_the_place_of_any_given_one(dataset: Path) -> None:
    done = run_here("evaluate-edits", "captioner", dataset, "--pairs", 1, "--json")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["editors"]["captioner"]["en"]
    assert scores["left"] == 0
    assert scores["mean_es"] > scores["oracle_es"]


@thorough
def test_joints_of_photographs_are_given_to_editors_and_true_ones_judge(dataset: Path, pose_model: Path) -> None:
    asked = ("--pairs", 2, "--joints", "mediapipe", "--pose-model", pose_model, "--json")
    done = run_here("evaluate-edits", "none", "rules", dataset, *asked)
    assert done.returncode == 0, done.stderr
    scores = {name: of["en"] for name, of in json.loads(done.stdout)["editors"].items()}
    assert scores["none"]["left"] == 100
    assert scores["none"]["clause_agreement"] < 100
    assert scores["rules"]["n"] == scores["none"]["n"]


def test_a_dataset_without_texts_to_edit_names_the_command_that_makes_them() -> None:
    done = run_here("evaluate-edits", "none", FOLDER)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith("please run python -m fmp_models edit-dataset first.")
    assert run_here("evaluate-edits", "none", FOLDER, "--pairs", 0).returncode == 2
    assert "--out" in run_here("evaluate-edits", "none", FOLDER, "--examples", 2).stderr

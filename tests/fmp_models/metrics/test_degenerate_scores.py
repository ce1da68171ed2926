"""Scores that mean nothing are named, with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fmp_models.metrics.body_parts import MovedGroups
from fmp_models.metrics.score_tables import score_table, scores_as_json
from fmp_models.metrics.scoring import Scores, score_texts
from fmp_models.pose import JOINTS, pose_pair

FULL = {"a": "raise your left arm up to the chair", "b": "bend both of your knees down"}
REFERENCES = {
    "a": ["raise your left arm up", "lift your left arm up to the chair now"],
    "b": ["bend your knees down", "bend both knees down to the floor"],
}


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def of(predictions: dict[str, str], references: dict[str, list[str]]) -> Scores:
    return score_texts(predictions, references, "en", tokeniser="regex")


def test_of_scores_that_mean_something_nothing_is_said() -> None:
    scores = of(FULL, REFERENCES)
    assert scores.degenerate == {}
    assert scores_as_json(scores)["degenerate"] == {}
    assert all(note.startswith(("Tokenised", "METEOR", "Body-part-match")) for note in scores.notes)


def test_cider_of_one_pair_is_said_to_be_0_whatever_is_predicted() -> None:
    scores = of({"a": FULL["a"]}, {"a": REFERENCES["a"]})
    assert scores.measured["cider"].value == 0
    assert "there is only one pair" in scores.degenerate["cider"]
    assert scores.degenerate["cider"] in score_table(scores).splitlines()
    assert scores_as_json(scores)["degenerate"] == scores.degenerate
    assert any("no interval" in note for note in scores.notes)


def test_cider_of_pairs_with_the_same_references_is_said_to_be_0() -> None:
    scores = of(FULL, dict.fromkeys("ab", REFERENCES["a"]))
    assert "all pairs share the same words" in scores.degenerate["cider"]


def test_a_cider_of_0_that_another_text_could_raise_is_a_score() -> None:
    scores = of({"a": "x", "b": "y"}, REFERENCES)
    assert scores.measured["cider"].value == 0
    assert "cider" not in scores.degenerate


@pytest.mark.parametrize("short", ["prediction", "reference"])
def test_bleu_of_texts_shorter_than_its_sequences_is_said(short: str) -> None:
    few = {"a": "bend your knees", "b": "turn right"}
    scores = of(few, REFERENCES) if short == "prediction" else of(FULL, {uid: [text] for uid, text in few.items()})
    assert [name for name in scores.degenerate if name.startswith("bleu")] == ["bleu4"]
    assert f"no {short} has a sequence of four words" in scores.degenerate["bleu4"]


def test_matches_that_are_0_for_the_references_themselves_are_said() -> None:
    nothing = {"a": ["relax a little now"], "b": ["stay as calm as that"]}
    assert {"object_match", "direction_match"} <= of(FULL, nothing).degenerate.keys()
    assert "object_match" not in of({"a": "relax", "b": "stay"}, REFERENCES | {"a": ["touch the sofa now"]}).degenerate


def test_body_part_match_of_bodies_that_stand_still_is_said() -> None:
    moved = MovedGroups(np.ones(2, np.bool_), np.zeros((2, 22), np.bool_), np.zeros((2, 22), np.bool_))
    scores = score_texts(FULL, REFERENCES, "en", moved=moved, tokeniser="regex")
    assert "no body part that moves" in scores.degenerate["body_part_match"]


def test_how_far_texts_lead_where_nothing_moves_is_left_out_and_said() -> None:
    joints = np.random.default_rng(0).normal((0, 0, 3), size=(len(JOINTS), 3))
    still = pose_pair(joints, joints)
    scores = score_texts(FULL, REFERENCES, "en", pairs=[still, still], tokeniser="regex")
    assert "contains a movement" in scores.degenerate["goal_progress"]
    report = json.loads(json.dumps(scores_as_json(scores, intervals=True, instances=True), allow_nan=False))
    assert report["goal_progress"] is report["carried_out"] is None


def test_predictions_without_a_word_are_said() -> None:
    assert {"bleu1", "bleu4", "cider", "rouge_l"} <= of(dict.fromkeys("ab", "..."), REFERENCES).degenerate.keys()
    some = of({"a": "...", "b": FULL["b"]}, REFERENCES)
    assert some.degenerate == {}
    assert any(note.startswith("1 of 2 predictions contain no word") for note in some.notes)


@pytest.mark.parametrize(
    ("predictions", "references", "said"),
    [
        (FULL, {uid: several[:1] for uid, several in REFERENCES.items()}, "No pair has two different references"),
        (FULL, {uid: several[:1] * 3 for uid, several in REFERENCES.items()}, "No pair has two different references"),
        (dict.fromkeys("ab", "bend your knees now"), REFERENCES, "All 2 predictions are the same text."),
        ({uid: several[0] for uid, several in REFERENCES.items()}, REFERENCES, "Every prediction is one of its own"),
        (FULL, REFERENCES | {"a": ["", "raise it", "lift"]}, "1 of 5 references contain no word"),
    ],
)
def test_what_makes_scores_say_little_is_said(
    predictions: dict[str, str], references: dict[str, list[str]], said: str
) -> None:
    assert any(said in note for note in of(predictions, references).notes)

"""All scores together: parity with the released scripts, and what is said when something is left out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmp_models.errors import BadInputError
from fmp_models.metrics.ngram.tokens import Tokeniser
from fmp_models.metrics.scoring.scorer import METRICS, Scores, score
from fmp_models.metrics.task.moved_joints import MovedGroups
from tests.java import needs_java
from tests.thoroughness import thorough
from tests.without_unix import unix_alone

CORPUS = {"bleu1": 1e-4, "bleu2": 1e-4, "bleu3": 1e-4, "bleu4": 1e-4, "cider": 1e-4, "rouge_l": 1e-4, "meteor": 1e-3}
CORPUS |= {"object_match": 1e-6, "direction_match": 1e-6}
INSTANCE = {"bleu4": 1e-4, "cider": 1e-4, "rouge_l": 1e-4, "object_match": 1e-6, "direction_match": 1e-6}

PREDICTIONS = {"a": "bend your knees and raise your left hand", "b": "turn to the right"}
REFERENCES = {"a": ["bend both knees.", "raise the left hand"], "b": ["turn your body to the right.", "turn right"]}


def score_oracle(oracle: dict[str, Any], language: str, tokeniser: Tokeniser) -> Scores:
    instances = oracle["instances"]
    moved = MovedGroups(*(np.ones(shape, dtype=np.bool_) for shape in (562, (562, 22), (562, 22))))
    return score(
        {uid: instance["prediction"] for uid, instance in instances.items()},
        {uid: instance["references"] for uid, instance in instances.items()},
        language,
        moved=moved,
        tokeniser=tokeniser,
    )


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide every program of the machine; without them METEOR, which takes ten seconds to begin, is left out."""
    monkeypatch.setenv("PATH", str(tmp_path))


@needs_java
@thorough
def test_every_score_of_human_texts_is_the_released_one(oracle: dict[str, Any], language: str) -> None:
    scores = score_oracle(oracle, language, "ptb")
    values = {name: measurement.value for name, measurement in scores.measured.items()}
    assert set(values) == set(METRICS)
    for name, slack in CORPUS.items():
        print(f"{language} {name}: {values[name]:.6f}, released {oracle['corpus'][name]:.6f}")  # noqa: T201
        assert values[name] == pytest.approx(oracle["corpus"][name], abs=slack), name
    assert values["body_part_match"] == pytest.approx(oracle["corpus"]["body_part_match_all_moved"], abs=1e-6)
    for name, slack in INSTANCE.items():
        released = [oracle["instances"][uid]["scores"][name] for uid in scores.uids]
        np.testing.assert_allclose(scores.measured[name].instances, released, atol=slack, err_msg=name)


@pytest.mark.usefixtures("no_java")
def test_without_the_released_tokeniser_scores_stay_near(oracle: dict[str, Any], language: str) -> None:
    scores = score_oracle(oracle, language, "regex")
    for name in ("bleu4", "cider", "rouge_l"):
        assert scores.measured[name].value == pytest.approx(oracle["corpus"][name], abs=2e-3), name
    assert any("tokenise" in note.lower() for note in scores.notes)


@pytest.mark.usefixtures("no_java")
def test_a_prediction_that_is_a_reference_scores_full() -> None:
    scores = score(
        {"a": "bend your left knee a lot"}, {"a": ["bend your left knee a lot", "kneel"]}, "en", tokeniser="regex"
    )
    assert scores.measured["bleu4"].value == pytest.approx(1, abs=1e-6)
    assert scores.measured["rouge_l"].value == pytest.approx(1)


@pytest.mark.usefixtures("no_java")
def test_without_java_texts_are_cut_otherwise_and_meteor_is_left_out_in_words() -> None:
    scores = score(PREDICTIONS, REFERENCES, "en")
    assert scores.tokeniser == "regex"
    assert "meteor" not in scores.measured
    assert "METEOR is left out: Java is not installed." in scores.notes


@pytest.mark.usefixtures("no_java")
def test_a_tokeniser_that_was_asked_for_is_not_replaced() -> None:
    with pytest.raises(BadInputError, match=r"Java is not installed\. Omit --tokeniser"):
        score(PREDICTIONS, REFERENCES, "en", tokeniser="ptb")


@unix_alone
def test_a_java_that_fails_costs_no_other_score(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program of that name which knows its version and nothing else."""
    fake = tmp_path / "java"
    fake.write_text('#!/bin/sh\n[ "$1" = -version ] && exit 0\necho "Error: no memory" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    scores = score(PREDICTIONS, REFERENCES, "en")
    assert scores.tokeniser == "regex"
    assert scores.measured["bleu1"].value > 0
    assert any("Error: no memory" in note for note in scores.notes)


@pytest.mark.usefixtures("no_java")
def test_body_part_match_is_of_the_pairs_with_joints() -> None:
    known = np.array([True, False])
    moved = MovedGroups(known, np.ones((2, 22), dtype=np.bool_), np.ones((2, 22), dtype=np.bool_))
    scores = score(PREDICTIONS, REFERENCES, "en", moved=moved, tokeniser="regex")
    measured = scores.measured["body_part_match"]
    assert measured.value == measured.instances[0] > 0
    assert np.isnan(measured.instances[1])
    assert "Body-part-match is of the 1 of 2 pairs that have joints." in scores.notes


def test_a_language_without_word_lists_keeps_the_other_scores() -> None:
    scores = score({"a": "pliez les genoux"}, {"a": ["pliez un genou"]}, "fr", tokeniser="regex")
    assert "object_match" not in scores.measured
    assert "rouge_l" in scores.measured
    assert any("word lists" in note for note in scores.notes)


@pytest.mark.parametrize(("predictions", "references"), [({}, {}), ({"a": "x"}, {"b": ["x"]}), ({"a": "x"}, {"a": []})])
def test_what_does_not_match_is_refused(predictions: dict[str, str], references: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match=r"pairs|reference"):
        score(predictions, references, "en", tokeniser="regex")

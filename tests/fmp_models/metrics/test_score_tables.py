"""What a person reads, and what a program does."""

from __future__ import annotations

import json

import pytest

from fmp_models.errors import BadInputError
from fmp_models.metrics.score_tables import (
    TITLES,
    beside_paper,
    paper_columns,
    paper_scores,
    paper_splits,
    score_table,
    scores_as_json,
)
from fmp_models.metrics.scoring import METRICS, Scores, score_texts
from tests.thoroughness import thorough


@pytest.fixture(scope="module")
def scores() -> Scores:
    predictions = {"a": "bend your knees and raise your left hand", "b": "turn to the right"}
    references = {"a": ["bend both knees.", "raise the left hand"], "b": ["turn your body right", "turn to the right"]}
    return score_texts(predictions, references, "en", tokeniser="regex")


@thorough
def test_every_metric_has_a_line_and_columns_are_aligned(scores: Scores) -> None:
    lines = score_table(scores, intervals=True).splitlines()
    rows = [line for line in lines if line.startswith(tuple(TITLES.values()))]
    assert len(rows) == len(METRICS)
    assert len({len(row) for row in rows}) == 1
    assert f"{100 * scores.measured['bleu1'].value:.2f}" in rows[0]
    assert " to " in rows[0]


@thorough
def test_what_is_left_out_is_a_dash_and_a_sentence(scores: Scores) -> None:
    text = score_table(scores)
    line = next(line for line in text.splitlines() if line.startswith("body-part-match"))
    assert line.split()[1:] == ["-", "-"]
    assert "Body-part-match is left out" in text


@thorough
def test_the_papers_rows_are_printed_as_the_paper_prints_them(scores: Scores) -> None:
    rows = {line.split("  ")[0]: line.split() for line in beside_paper(scores, "val_seen").splitlines()}
    assert rows["paper, V+L"][2:] == ["17.55", "14.47", "21.29", "35.21", "0.18", "1.29", "0.13"]
    assert rows["paper, V+L, RL"][3:] == ["18.69", "16.04", "22.35", "36.18", "-", "-", "-"]


@thorough
def test_what_keeps_the_rows_from_being_compared_is_said(scores: Scores) -> None:
    text = beside_paper(scores, "test_unseen")
    assert "The paper scores 593 pairs; this run scores 2." in text
    assert "here 2 of 2 pairs have another number" in text
    assert "PTB" in text


@pytest.mark.parametrize("language", ["en", "hi"])
@pytest.mark.parametrize("split", paper_splits())
def test_every_row_of_the_paper_has_its_scores(split: str, language: str) -> None:
    paper = paper_scores(split, language)
    assert set(paper.rows["V+L"]) == set(paper_columns())
    assert all(0 <= value < 2 for row in paper.rows.values() for value in row.values())


@pytest.mark.parametrize(
    ("split", "language", "code"), [("val", "en", "unknown_split"), ("val_seen", "fr", "paper_without_language")]
)
def test_scores_that_the_paper_lacks_are_refused(split: str, language: str, code: str) -> None:
    with pytest.raises(BadInputError) as refused:
        paper_scores(split, language)
    assert refused.value.code == code


@thorough
def test_json_has_every_metric_and_null_for_what_is_left_out(scores: Scores) -> None:
    report = json.loads(json.dumps(scores_as_json(scores, "val_seen", intervals=True, instances=True), allow_nan=False))
    assert report["n"] == 2
    assert set(METRICS) <= set(report)
    assert report["body_part_match"] is None
    assert set(report["intended"]) == {"object_match", "direction_match"}
    low, high = report["intervals"]["bleu1"]
    assert low <= report["bleu1"] <= high
    assert list(report["instances"]) == ["a", "b"]
    assert report["instances"]["b"]["rouge_l"] == pytest.approx(1)
    assert report["paper"]["rows"]["V-only"]["bleu4"] == pytest.approx(0.069)
    assert report["notes"]

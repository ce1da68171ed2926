"""``audit-choices``: the figures of CoSIm's training questions, each bias alone, and files that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.metrics.choice_audit import BIASES, ChoiceQuestion, audit_choices
from tests.commands import run_here

FIGURES = {
    "medoid": 41.2,
    "shortest": 36.0,
    "longest": 17.7,
    "change_overlap": 49.3,
    "own_share_change_overlap": 55.3,
}
ENTRY = {
    "question": "Is it tidy?",
    "answer_orig": "No, it is not.",
    "change": "The bed is made.",
    "answer_choices": ["yes, the bed is made", "no", "it is a bed", "a wall"],
    "answer_label": 0,
}


def test_the_words_of_cosim_give_away_as_much_as_is_known(shared: Path) -> None:
    audit = json.loads(run_here("audit-choices", shared / "data" / "cosim" / "train.json", "--json").stdout)
    assert {bias: round(audit[bias], 1) for bias in BIASES} == FIGURES
    assert (audit["n"], audit["chance"]) == (1924, 25)


def scores(*choices: str, answer: int = 0, change: str = "The bed is made.") -> dict[str, float]:
    audit = audit_choices([ChoiceQuestion("", "", change, choices, answer)])
    return {bias: audit[bias] for bias in BIASES}


def test_each_bias_finds_what_it_looks_for() -> None:
    assert scores("a b c", "a b d", "a b e", "x y z")["medoid"] == 100
    assert scores("one", "one two", "one two three", "four five")["shortest"] == 100
    assert scores("one two three", "one two", "one", "four")["longest"] == 100
    assert scores("the bed", "a bed chair", "one", "four")["change_overlap"] == 100
    assert scores("a chair bed", "a chair", "a lamp", "green bed")["own_share_change_overlap"] == 100


def test_equal_choices_share_the_point_except_for_the_medoid() -> None:
    assert scores(*["same"] * 4, answer=2) == {bias: 0.0 if bias == "medoid" else 25.0 for bias in BIASES}
    assert scores(*["same"] * 4)["medoid"] == 100


def test_texts_without_words_are_counted() -> None:
    assert {*scores("", "!", "", "?", change="").values()} <= {0.0, 25.0, 100.0}


def test_lengths_and_vocabularies_are_those_of_each_text(tmp_path: Path) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([ENTRY, ENTRY]), encoding="utf-8")
    audit = json.loads(run_here("audit-choices", path, "--json").stdout)
    assert audit["lengths"] == {"question": 3, "response": 4, "change": 4, "right": 5, "wrong": pytest.approx(7 / 3)}
    assert audit["vocabularies"] == {"question": 3, "response": 4, "change": 4, "right": 5, "wrong": 6}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        json.dumps([ENTRY | {"answer_label": 4}]),
        json.dumps([ENTRY | {"answer_label": True}]),
        json.dumps([ENTRY | {"answer_choices": ["one", "two", "three"]}]),
        json.dumps([{name: value for name, value in ENTRY.items() if name != "change"}]),
        json.dumps([ENTRY | {"change": "word " * 10_000}]),
        "[" * 100_000,
    ],
    ids=range(9),
)
def test_a_file_of_another_form_is_refused_with_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "questions.json"
    path.write_text(content, encoding="utf-8")
    done = run_here("audit-choices", path, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith(".")

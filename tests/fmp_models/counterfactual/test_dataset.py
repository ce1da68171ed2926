"""Questions about imagined changes: one choice is right, words alone do not tell which, and the folder loads."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import datasets
import numpy as np
import pytest

from fmp_models.counterfactual.baselines import choice_scores, choice_scores_table
from fmp_models.counterfactual.dataset import (
    MAX_OFF,
    Imagined,
    _holds,
    choose_choices,
    imagine_questions,
    response_text,
)
from fmp_models.data.features import COUNTERFACTUAL_FEATURES
from fmp_models.data.folder import ShardWriter, read_rows
from fmp_models.data.sample import FOLDER
from fmp_models.dialogue import Attribute
from fmp_models.languages import LANGUAGES
from fmp_models.metrics import BIASES, audit_choices
from tests.bodies import random_pairs
from tests.commands import run_here
from tests.nonempty import nonempty

PAIRS = {str(number): pair for number, pair in enumerate(random_pairs(60, seed=12))}
Made = tuple[list[Imagined], Mapping[object, Counter[object]]]


@pytest.fixture(scope="module")
def made() -> Made:
    return imagine_questions(PAIRS, np.random.default_rng(1))


def test_both_kinds_turn_what_they_say_and_keep_the_other(made: Made) -> None:
    kinds = Counter(one.kind for one in made[0])
    assert kinds["answer stays"] > 3
    assert kinds["reason stays"] > 3
    for one in nonempty(made[0]):
        before, after = one.responses
        assert (before.direction == after.direction) is (one.kind == "answer stays")
        assert (before.value == after.value) is (one.kind == "reason stays")


@pytest.mark.parametrize("language", LANGUAGES)
def test_exactly_one_choice_is_right_of_the_edited_pose(made: Made, language: str) -> None:
    for one, question in nonempty(choose_choices(*made, language, 0)):
        texts = {
            response_text(each, one.node, one.when, language): each for each in {*made[1][one.topic], *one.responses}
        }
        truths = [_holds(one.after, one.node, one.when, texts[choice]) for choice in question.choices]
        assert truths == [place == question.answer for place in range(4)]
        assert question.choices[question.answer] != question.response
        assert len({*question.choices}) == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_alone_tell_little_of_the_right_choice(made: Made, language: str) -> None:
    audit = audit_choices([question for _, question in choose_choices(*made, language, 0)])
    off = {bias: abs(audit[bias] - audit["chance"]) for bias in BIASES}
    assert audit["n"] > 12
    assert max(off.values()) <= max(MAX_OFF, 100 / audit["n"]), off


def test_the_same_seed_makes_the_same_questions(made: Made) -> None:
    first, second = (choose_choices(*made, "en", 5) for _ in range(2))
    assert [question for _, question in first] == [question for _, question in second]


def test_reasons_are_places_or_degrees(made: Made) -> None:
    texts = [response_text(response, one.node, one.when, "en") or "" for one in made[0] for response in one.responses]
    assert any(text.endswith(" degrees.") for text in texts)
    assert any(" is now " in text for text in texts)
    assert any(" should end " in text for text in texts)
    assert all(", because your " in text for text in texts)
    assert {one.when for one in made[0]} == {Attribute.START, Attribute.END}


def test_a_folder_gets_a_configuration_that_loads_and_is_scored(made: Made, tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    shutil.copytree(FOLDER, folder)
    pairs = [*read_rows(folder, "captioning", "test_unseen", ["uid"])]
    with ShardWriter(folder, "counterfactual", "test_unseen") as writer:
        for place, (one, question) in enumerate(choose_choices(*made, "en", 0)[:6]):
            writer.add(one.row(question, "en") | {"uid": pairs[place % len(pairs)]["uid"]})
    done = run_here("counterfactual-dataset", folder, "--split", "train", "--seed", "2")
    assert done.returncode == 0, done.stderr
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.count("## What if") == 1
    loaded = datasets.load_dataset(str(folder), "counterfactual", cache_dir=str(tmp_path / "cache"))
    assert loaded["test_unseen"].features == COUNTERFACTUAL_FEATURES
    assert len(loaded["test_unseen"]) == 6
    report = choice_scores(folder, "test_unseen")
    assert {"responses", "text", "full", "geometry", "edited", "audits", "questions"} == {*report["scores"]["en"]}
    assert "CoSIm" in choice_scores_table(report)


def test_a_folder_without_questions_or_pairs_is_refused_with_one_sentence(tmp_path: Path) -> None:
    scored = run_here("counterfactual-scores", FOLDER)
    assert (scored.returncode, scored.stdout) == (2, "")
    assert "counterfactual-dataset first" in scored.stderr
    folder = tmp_path / "dataset"
    shutil.copytree(FOLDER, folder)
    made = run_here("counterfactual-dataset", folder, "--split", "nowhere")
    assert (made.returncode, made.stdout) == (2, "")
    assert len(made.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("minimal-pairs", "--split", "val_seen"),
        ("counterfactual-dataset",),
        ("evaluate", "--gallery", "--split", "val_seen"),
    ],
)
def test_a_dataset_without_joints_is_refused_and_left_as_it_is(command: tuple[str, ...], tmp_path: Path) -> None:
    entries = [{"img0": "a.png", "img1": "b.png", "sents": ["raise your left arm"], "uid": "1"}]
    (tmp_path / "val.json").write_text(json.dumps(entries))
    made = tmp_path / "made"
    assert run_here("import-pairs", tmp_path / "val.json", made, "--without-pictures").returncode == 0
    files = {path: path.read_bytes() for path in made.rglob("*") if path.is_file()}
    name, *options = command
    done = run_here(name, *["retriever-space"] * (name == "evaluate"), made, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "joints" in done.stderr.splitlines()[-1]
    assert {path: path.read_bytes() for path in made.rglob("*") if path.is_file()} == files

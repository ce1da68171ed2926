"""Pairs of rooms in which one thing changes: scenes, texts, and the dataset."""

from __future__ import annotations

from pathlib import Path

import datasets
import numpy as np
import pytest

from fmp_models.evaluation.change_scores import read_change
from fmp_models.languages import LANGUAGES, change_words
from fmp_models.sim.changes import (
    COLOURS,
    KINDS,
    TYPES,
    ChangedPair,
    Thing,
    describe_change,
    draw_pair,
    split_of,
    take_pair,
)
from tests.commands import run_here
from tests.nonempty import nonempty

PAIRS = [draw_pair(3, number) for number in range(400)]


def of_type(name: str) -> list[ChangedPair]:
    return nonempty([pair for pair in PAIRS if pair.type == name])


def differing(pair: ChangedPair) -> tuple[set[Thing], set[Thing]]:
    """Return the things that only the first scene has, and those that only the second has."""
    first, second = (set(scene.things) for scene in pair.scenes)
    return first - second, second - first


@pytest.mark.parametrize("name", TYPES)
def test_one_thing_changes_as_the_type_says(name: str) -> None:
    expected = [({pair.before} - {None}, {pair.after} - {None}) for pair in of_type(name)]
    assert [differing(pair) for pair in of_type(name)] == expected
    assert {(pair.before is None, pair.after is None) for pair in of_type(name)} == {
        (name in {"added", "unchanged"}, name in {"removed", "unchanged"})
    }


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("moved", {"kind", "colour", "offset", "turn"}),
        ("recoloured", {"kind", "place", "offset", "turn"}),
        ("swapped", {"place", "offset"}),
    ],
)
def test_the_rest_of_a_changed_thing_stays(name: str, same: set[str]) -> None:
    things = [(pair.before, pair.after) for pair in of_type(name)]
    fields = ("kind", "colour", "place", "offset", "turn")
    kept = {field for field in fields if all(getattr(a, field) == getattr(b, field) for a, b in things)}
    changed = {field for field in fields if all(getattr(a, field) != getattr(b, field) for a, b in things)}
    assert kept == same
    assert changed == {"moved": {"place"}, "recoloured": {"colour"}, "swapped": {"kind", "turn"}}[name]


def test_changes_of_light_and_view_are_marked_and_half_of_the_pairs_have_none() -> None:
    scenes = [pair.scenes for pair in PAIRS]
    assert [first.lamps != second.lamps for first, second in scenes] == [pair.light for pair in PAIRS]
    assert [first.eye != second.eye for first, second in scenes] == [pair.view for pair in PAIRS]
    assert 0.2 < np.mean([pair.light or pair.view for pair in PAIRS]) < 0.6


def test_the_rooms_of_the_test_split_are_not_those_of_training() -> None:
    rooms = [
        {pair.scenes[0].room for number, pair in enumerate(PAIRS) if (split_of(number) == "test_unseen") == test}
        for test in (True, False)
    ]
    assert all(rooms)
    assert not rooms[0] & rooms[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_differ_and_name_the_type_and_first_the_thing(language: str) -> None:
    assert set(change_words(language)["things"]) == set(KINDS)
    assert set(change_words(language)["colours"]) == set(COLOURS)
    texts = [describe_change(pair, language, np.random.default_rng(0)) for pair in PAIRS]
    assert all(len(set(of_pair)) == 5 for of_pair in texts)
    reads = [[read_change(text, language) for text in of_pair] for of_pair in texts]
    assert [{type_ for types, _ in of for type_ in types} for of in reads] == [{pair.type} for pair in PAIRS]
    first = [{things[0] for _, things in of if things} for of in reads]
    assert first == [{(pair.thing.kind, pair.thing.colour)} if pair.thing else set() for pair in PAIRS]
    swapped = [(of, pair.after) for of, pair in zip(reads, PAIRS, strict=True) if pair.type == "swapped"]
    assert all((new.kind, new.colour) == things[-1] for of, new in nonempty(swapped) if new for _, things in of)


def test_a_seed_and_a_number_make_the_same_bytes_and_another_seed_another_pair() -> None:
    assert take_pair((0, 5)) == take_pair((0, 5))
    assert draw_pair(0, 5) != draw_pair(1, 5)


def test_the_command_writes_a_dataset_that_loads_with_what_changes(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run_here("simulate-changes", out, "--pairs", 4, "--processes", 1)
    assert done.returncode == 0, done.stderr
    pairs = datasets.load_dataset(str(out), "captioning", cache_dir=str(tmp_path / "cache"))
    changes = datasets.load_dataset(str(out), "changes", cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in pairs.items()} == {"train": 1, "val_seen": 1, "test_unseen": 2}
    assert {split: rows["uid"] for split, rows in pairs.items()} == {
        split: rows["uid"] for split, rows in changes.items()
    }
    row = pairs["train"][0]
    assert row["current"].size == row["target"].size == (128, 128)
    assert row["current_joints"] is row["room"] is None
    assert len(row["descriptions_en"]) == len(row["descriptions_hi"]) == 5
    done = run_here("simulate-changes", out, "--pairs", 4)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "options", [("--pairs", 3), ("--pairs", 10**9), ("--seed", -1), ("--processes", 0), ("--pairs", "many")]
)
def test_options_out_of_range_are_refused_in_one_sentence(options: tuple[object, ...], tmp_path: Path) -> None:
    done = run_here("simulate-changes", tmp_path / "out", *options)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(".")
    assert not (tmp_path / "out").exists()

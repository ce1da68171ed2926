"""Texts to edit: what each kind promises, and a folder that loads."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest

from fmp_models.data.card import write_editing_card
from fmp_models.data.features import EDITING_FEATURES
from fmp_models.data.sample import FOLDER
from fmp_models.editing.dataset import (
    MAX_CLAUSE_F1,
    MIN_BLEU2,
    MIN_BLEU3,
    clause_f1,
    contradiction,
    read_pairs,
    write_editing,
)
from fmp_models.editing.edited import clause_verdict
from fmp_models.errors import BadInputError
from fmp_models.geometry import Clause
from fmp_models.languages import LANGUAGES, grammar, read_plan
from fmp_models.metrics import bleu
from fmp_models.pose import PosePair
from tests.commands import run_here
from tests.nonempty import nonempty

SPLITS = ("train", "val_seen", "val_unseen", "test_unseen")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("editing") / "dataset"
    shutil.copytree(FOLDER, folder)
    write_editing(folder, seed=3)
    return folder


@pytest.fixture(scope="module")
def rows(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Row]]:
    loaded = datasets.load_dataset(str(dataset), "editing", cache_dir=str(tmp_path_factory.mktemp("cache")))
    assert loaded["train"].features == EDITING_FEATURES
    return {split: [*of_split] for split, of_split in loaded.items()}


def test_every_description_is_a_ground_truth_and_stays_in_its_split(dataset: Path, rows: dict[str, list[Row]]) -> None:
    assert tuple(rows) == SPLITS
    for split, of_split in rows.items():
        known = {(one.uid, code): one.texts[code] for one in read_pairs(dataset, split) for code in LANGUAGES}
        unchanged = [row for row in of_split if row["kind"] == "unchanged"]
        assert len(unchanged) == sum(map(len, known.values()))
        assert all(row["gt_cap"] in known[row["uid"], row["language"]] for row in of_split)
        assert all(row["ref_cap"] == row["gt_cap"] and row["editing_steps"] == 0 for row in unchanged)
        similar = [row for row in of_split if row["kind"] == "similar"]
        assert all(row["ref_cap"] in known[row["ref_uid"], row["language"]] for row in similar)
        assert len({row["sample_id"] for row in of_split}) == len(of_split)


def test_a_similar_text_has_the_words_of_the_ground_truth_but_not_its_clauses(rows: dict[str, list[Row]]) -> None:
    similar = nonempty(row for of_split in rows.values() for row in of_split if row["kind"] == "similar")
    for row in similar:
        _, bleu2, bleu3, _ = bleu([row["ref_cap"].lower().split()], [[row["gt_cap"].lower().split()]])
        assert bleu2.value > MIN_BLEU2
        assert bleu3.value > MIN_BLEU3
        assert clause_f1(row["ref_cap"], row["gt_cap"], row["language"]) < MAX_CLAUSE_F1
        assert row["ref_uid"] != row["uid"]
        assert row["editing_steps"] > 0


def test_only_true_clauses_of_a_contradiction_are_turned_and_all_of_them_are_false(
    dataset: Path, rows: dict[str, list[Row]]
) -> None:
    ways = set()
    for split in SPLITS:
        pairs = {one.uid: one.pair for one in read_pairs(dataset, split)}
        for row in nonempty(row for row in rows[split] if row["kind"] == "contradiction"):
            turned = turned_clauses(row["ref_cap"], row["gt_cap"], row["language"])
            assert 1 <= len(turned) == len(row["turned"]) <= 3
            assert all(map(row["ref_cap"].__contains__, (one["text"] for one in row["turned"])))
            pair = pairs[row["uid"]]
            assert pair is not None
            assert all(clause_verdict(false, pair) is False and clause_verdict(true, pair) for false, true in turned)
            ways |= {(row["language"], one["by"]) for one in row["turned"]}
    assert ways == {(code, by) for code in LANGUAGES for by in ("side", "direction", "part", "degree", "landmark")}


def turned_clauses(ref: str, gt: str, language: str) -> list[tuple[Clause, Clause]]:
    plans = (read_plan(text, grammar(language)) for text in (ref, gt))
    return [(new, old) for new, old in zip(*plans, strict=True) if new != old]


def test_what_the_joints_cannot_judge_is_never_turned() -> None:
    described = read_pairs(FOLDER, "val_seen")[0]
    still = PosePair(described.pair.current, described.pair.current) if described.pair else None
    assert still is not None
    generator = np.random.default_rng(0)
    assert contradiction("Raise your left arm. Turn your palm up.", "en", still, generator, 3) is None
    assert contradiction("", "hi", still, generator, 3) is None


def test_the_same_seed_gives_the_same_bytes_in_any_number_of_processes(tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    shutil.copytree(FOLDER, folder)
    for shard in set((folder / "captioning").iterdir()) - {*(folder / "captioning").glob("train-*")}:
        shard.unlink()
    made = []
    for seed, processes in ((4, 1), (3, 1), (3, 2)):
        done = run_here("edit-dataset", folder, "--seed", seed, "--processes", processes)
        assert done.returncode == 0, done.stderr
        made.append([path.read_bytes() for path in sorted((folder / "editing").iterdir())])
    assert made[0] != made[1] == made[2]


def test_the_card_counts_every_kind_and_shows_ten_examples(dataset: Path, rows: dict[str, list[Row]]) -> None:
    write_editing_card(dataset)
    card = (dataset / "README.md").read_text("utf-8")
    assert card.count("## Texts to edit") == 1
    assert card.count("    ref_cap: ") == 10
    singles = [row for row in rows["train"] if (row["language"], row["kind"]) == ("hi", "contradiction")]
    words = np.mean([len(row["gt_cap"].split()) for row in singles])
    assert f"| `train` | `hi` | `contradiction` | {len(singles)} |" in card
    assert f"| {words:.1f} | {np.mean([row['editing_steps'] for row in singles]):.2f} |" in card


def test_a_dataset_that_cannot_be_read_is_told_in_one_sentence_and_keeps_its_card(tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    shutil.copytree(FOLDER, folder)
    shard = next((folder / "captioning").glob("val_unseen-*"))
    shard.write_bytes(shard.read_bytes()[:2000])
    done = run_here("edit-dataset", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be read" in done.stderr.splitlines()[-1]
    assert not list((folder / "editing").glob("*.parquet"))
    assert (folder / "README.md").read_bytes() == (FOLDER / "README.md").read_bytes()
    (folder / "README.md").write_text("---\nconfigs: [\n---\n")
    with pytest.raises(BadInputError, match="not a dataset with a card"):
        write_editing(folder)

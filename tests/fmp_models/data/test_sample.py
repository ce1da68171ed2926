"""The committed sample keeps every rule that the whole dataset keeps, and is small enough to travel with the code."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
from PIL import Image

from fmp_models.data.features import acceptable, mean_distance
from fmp_models.data.folder import dataset_contents
from fmp_models.data.pairs import captioning_split, parse_picture, parse_uid, retrieval_split
from fmp_models.data.sample import FOLDER, ROWS, sample_rows, take_sample
from fmp_models.data.statistics import broken_rules
from fmp_models.geometry.lexicon import Direction
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.verdicts import agrees
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import PosePair, pose_pair
from tests.nonempty import nonempty
from tests.plans import mirror_plan

SPLITS = {
    "captioning": ("train", "val_seen", "val_unseen", "test_unseen"),
    "wide": ("train", "test_unseen"),
    "retrieval": ("train", "val_unseen", "test_unseen"),
}
PLACES = [(config, split) for config, splits in SPLITS.items() for split in splits]


def poses(row: dict[str, Any]) -> PosePair:
    return pose_pair(row["current_joints"], row["target_joints"], placed=row.get("placed", True))


def every_row() -> list[tuple[str, str, dict[str, Any]]]:
    return [(config, split, row) for config, split in PLACES for row in sample_rows(config, split)]


def test_it_has_a_few_pairs_of_each_split_and_stays_small() -> None:
    assert {(config, split): len(sample_rows(config, split)) for config, split in PLACES} == {
        (config, split): ROWS[config] for config, split in PLACES
    }
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 3_000_000


@pytest.mark.parametrize(("config", "split"), PLACES)
def test_load_dataset_reads_it_whole_and_streamed(config: str, split: str, tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(FOLDER), config, split=split, cache_dir=str(tmp_path))
    streamed = datasets.load_dataset(str(FOLDER), config, split=split, streaming=True, cache_dir=str(tmp_path))
    assert [row["uid"] for row in loaded] == [row["uid"] for row in streamed]
    assert config == "wide" or all(row["current"].size == row["target"].size == (448, 224) for row in loaded)


def test_no_room_of_an_unseen_split_is_trained_on_and_no_held_out_animation_either() -> None:
    for config, split, row in nonempty(every_row()):
        uid = parse_uid(row["uid"])
        of_captioning, of_retrieval = captioning_split(uid), retrieval_split(uid)
        assert (of_captioning, of_retrieval) == {
            "captioning": ("train" if split == "val_seen" else split, of_retrieval),
            "retrieval": (of_captioning, split),
            "wide": (split, "train"),
        }[config]
    uids = [row["uid"] for config, _, row in every_row() if config == "captioning"]
    assert len(set(uids)) == len(uids)


def test_evaluation_pairs_of_captioning_have_three_descriptions_and_the_others_one() -> None:
    for config, split, row in nonempty(every_row()):
        wanted = 3 if config != "retrieval" and split != "train" else 1
        assert len(row["descriptions_en"]) == len(row["descriptions_hi"]) == wanted
        assert len(set(row["descriptions_en"])) == wanted


def test_candidates_keep_the_five_rules() -> None:
    for split in nonempty(SPLITS["retrieval"]):
        for row in nonempty(sample_rows("retrieval", split)):
            current, target = np.array(row["current_joints"]), np.array(row["target_joints"])
            joints = np.array(row["candidate_joints"])
            others = np.delete(joints, row["answer"], axis=0)
            assert mean_distance(current, target) > 0.10
            assert acceptable(current, target, others).all()
            assert (np.abs(others - current).max(axis=(1, 2)) == 0).sum() == 1
            places = {parse_picture(image["path"]).uid for image in row["candidates"]}
            assert len({(uid.room, uid.character, uid.spot) for uid in places}) == 1
            assert len({image["bytes"] for image in row["candidates"]}) == 10
            assert row["candidates"][row["answer"]]["bytes"] == row["target"]["bytes"]
            assert row["current"]["bytes"] in {image["bytes"] for image in row["candidates"]}


def test_texts_keep_the_writing_rules_and_are_true_of_the_joints() -> None:
    for _, _, row in nonempty(every_row()):
        for code in nonempty(LANGUAGES):
            for text in nonempty(row[f"descriptions_{code}"]):
                assert broken_rules(text) == ()
                read = read_plan(text, grammar(code))
                assert len(read) >= 2
                assert all(agrees(clause, poses(row)) for clause in read)


def test_a_mirrored_pair_is_described_mirrored_and_a_swapped_one_reversed() -> None:
    for _, _, row in nonempty(every_row()):
        pair = poses(row)
        plan = make_plan(pair)
        assert make_plan(pair.mirrored) == mirror_plan(plan)
        moved = {(c.side, c.part, c.direction) for c in plan if c.direction is not Direction.KEEP}
        back = {
            (c.side, c.part, c.direction.reverse) for c in make_plan(pair.swapped) if c.direction is not Direction.KEEP
        }
        assert back == moved


def test_pictures_are_jpeg_files_without_metadata() -> None:
    for _, _, row in nonempty(every_row()):
        for which in ("current", "target"):
            assert parse_picture(row[which]["path"]).uid == parse_uid(row["uid"])
            with Image.open(io.BytesIO(row[which]["bytes"])) as picture:
                assert (picture.format, picture.mode) == ("JPEG", "RGB")
                assert not picture.getexif()


def test_a_sample_of_the_sample_has_the_same_splits(tmp_path: Path) -> None:
    take_sample(FOLDER, tmp_path)
    assert {config: set(splits) for config, splits in dataset_contents(tmp_path).items()} == {
        config: set(splits) for config, splits in SPLITS.items()
    }

"""A dataset folder becomes arrays; pictures are counted once; what evaluation holds back is not trained on."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmp_models.data.folder import ShardWriter
from fmp_models.data.sample import FOLDER, ROWS, sample_rows
from fmp_models.errors import BadInputError
from fmp_models.training.dataset_samples import NO_PICTURE, WIDE_TEST, Dataset, Task, read_dataset
from fmp_models.training.pictures import joint_places
from tests.nonempty import nonempty

Change = Callable[[dict[str, Any]], None]


def written(out: Path, config: str, split: str, change: Change = lambda _: None) -> Path:
    """Return the sample's rows of one split in a dataset of their own, each changed."""
    with ShardWriter(out, config, split) as writer:
        for row in sample_rows(config, split):
            change(row)
            writer.add(row)
    return out


def test_pairs_are_as_the_folder_has_them(captioning: Dataset) -> None:
    rows = sample_rows("captioning", "val_seen")
    samples = captioning.splits["val_seen"]
    names = captioning.pictures.names
    assert samples.uids == tuple(row["uid"] for row in rows)
    for number, row in enumerate(rows):
        assert [names[picture] for picture in samples.pictures[number]] == [
            f"current_{row['uid']}",
            f"target_{row['uid']}",
        ]
        assert samples.joints[number] == pytest.approx(np.array([row["current_joints"], row["target_joints"]]))
        assert samples.texts["hi"][number] == tuple(row["descriptions_hi"])
        about = [samples.animations[number], samples.rooms[number], samples.characters[number]]
        assert about == [row["animation"], row["room"], row["character"]]
    assert samples.known.all()
    assert samples.answers.tolist() == [-1] * len(rows)


def test_wide_pairs_are_mixed_into_training_alone(captioning: Dataset) -> None:
    without = read_dataset(FOLDER, "captioning", ["train", "val_seen"])
    assert captioning.splits["train"].uids[: len(without.splits["train"])] == without.splits["train"].uids
    assert len(captioning.splits["train"]) == len(without.splits["train"]) + ROWS["wide"]
    assert captioning.splits["val_seen"].uids == without.splits["val_seen"].uids
    assert captioning.fingerprint != without.fingerprint


def test_questions_count_every_picture_once(retrieval: Dataset) -> None:
    samples, names = retrieval.splits["train"], retrieval.pictures.names
    assert samples.pictures.shape == (ROWS["retrieval"], 11)
    assert len(set(names)) == len(names)
    for number, row in enumerate(sample_rows("retrieval", "train")):
        shown = [Path(image["path"]).stem for image in [row["current"], *row["candidates"]]]
        assert [names[picture] for picture in samples.pictures[number]] == shown
        # The current picture is one of the candidates, and is the same picture.
        assert (samples.pictures[number] == samples.pictures[number, 0]).sum() == 2
        assert names[samples.pictures[number, 1 + samples.answers[number]]] == f"target_{row['uid']}"
        assert samples.joints[number, 1:] == pytest.approx(np.array(row["candidate_joints"]))


@pytest.mark.parametrize("task", ["captioning", "retrieval"])
def test_joints_of_a_picture_are_those_of_its_samples(task: str, request: pytest.FixtureRequest) -> None:
    dataset: Dataset = request.getfixturevalue(task)
    for samples in nonempty(dataset.splits.values()):
        assert (dataset.pictures.joints[samples.pictures] == samples.joints).all()


def test_unknown_joints_and_missing_pictures_are_said_to_be(tmp_path: Path) -> None:
    def lose(row: dict[str, Any]) -> None:
        row.update(target=None, target_joints=None, descriptions_hi=["", " "])

    samples = read_dataset(written(tmp_path, "captioning", "train", lose), "captioning", ["train"]).splits["train"]
    assert (samples.pictures[:, 1] == NO_PICTURE).all()
    assert (samples.pictures[:, 0] != NO_PICTURE).all()
    assert samples.known.tolist() == [[True, False]] * len(samples)
    assert not samples.joints[:, 1].any()
    assert set(samples.texts["hi"]) == {()}


def test_pictures_without_a_file_name_are_named_by_their_pair(tmp_path: Path) -> None:
    def unname(row: dict[str, Any]) -> None:
        for moment in ("current", "target"):
            row[moment] = {"bytes": row[moment]["bytes"], "path": None}

    renamed = read_dataset(written(tmp_path, "captioning", "train", unname), "captioning", ["train"])
    assert renamed.pictures.names == read_dataset(FOLDER, "captioning", ["train"]).pictures.names


def test_rows_are_taken_and_joined(captioning: Dataset) -> None:
    samples = captioning.splits["train"]
    again = samples.subset([1]).joined(samples.subset([0, 2]))
    assert again.uids == tuple(samples.uids[row] for row in (1, 0, 2))
    assert again.texts["en"] == tuple(samples.texts["en"][row] for row in (1, 0, 2))
    assert (again.joints == samples.joints[[1, 0, 2]]).all()
    assert again.rooms.tolist() == samples.rooms[[1, 0, 2]].tolist()


@pytest.mark.parametrize(("task", "uid"), [("captioning", "0_21_3_0_0"), ("retrieval", "7_0_0_0_0")])
def test_a_training_pair_of_a_held_out_room_or_animation_is_refused(task: Task, uid: str, tmp_path: Path) -> None:
    folder = written(tmp_path, task, "train", lambda row: row.update(uid=uid))
    with pytest.raises(BadInputError, match=f"“{uid}” is in the training data but belongs to evaluation"):
        read_dataset(folder, task, ["train"])


@pytest.mark.parametrize("config", ["captioning", "wide"])
def test_a_training_pair_that_is_evaluated_on_is_refused(config: str, tmp_path: Path) -> None:
    written(written(tmp_path, "captioning", "train"), "captioning", "val_seen")
    uid = sample_rows("captioning", "val_seen")[0]["uid"]
    written(tmp_path, config, "train", lambda row: row.update(uid=uid))
    with pytest.raises(BadInputError, match="belongs to evaluation"):
        read_dataset(tmp_path, "captioning", ["train"], wide=True)


@pytest.mark.parametrize(("task", "split"), [("captioning", "train"), ("retrieval", "val_seen")])
def test_a_split_that_is_not_there_is_named(task: Task, split: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=f"has no split {task}/{split}"):
        read_dataset(tmp_path, task, [split])


def test_other_data_have_another_fingerprint_and_equal_data_the_same(tmp_path: Path) -> None:
    def change(row: dict[str, Any]) -> None:
        row["current_joints"][0][0] += 0.001

    original = read_dataset(FOLDER, "captioning", ["train"]).fingerprint
    same = written(tmp_path / "same", "captioning", "train")
    other = written(tmp_path / "other", "captioning", "train", change)
    assert read_dataset(same, "captioning", ["train"]).fingerprint == original
    assert read_dataset(other, "captioning", ["train"]).fingerprint != original


def test_wide_pairs_know_their_cameras_and_the_held_out_ones_never_train() -> None:
    read = read_dataset(FOLDER, "captioning", ["train", WIDE_TEST], wide=True)
    held_out = read.splits[WIDE_TEST]
    assert len(held_out) == ROWS["wide"]
    assert not set(held_out.uids) & set(read.splits["train"].uids)
    assert all(len(texts) == 3 for texts_of_language in held_out.texts.values() for texts in texts_of_language)
    numbers = held_out.pictures.ravel()
    assert np.isfinite(read.pictures.places[numbers]).all()
    np.testing.assert_array_equal(joint_places(read.pictures)[numbers], read.pictures.places[numbers])
    assert np.abs(read.pictures.tilts[numbers]).max() > 1
    others = np.setdiff1d(np.arange(len(read.pictures)), [*numbers, *read.splits["train"].pictures[-4:].ravel()])
    assert np.isnan(read.pictures.places[others]).all()
    assert np.isfinite(joint_places(read.pictures)[others]).all()


def test_a_held_out_wide_pair_among_those_of_training_is_refused(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "mixed")
    shards = tmp_path / "mixed" / "wide"
    shutil.copy(next(shards.glob("test_unseen-*")), next(shards.glob("train-*")))
    with pytest.raises(BadInputError, match="belongs to evaluation"):
        read_dataset(tmp_path / "mixed", "captioning", ["train"], wide=True)


def test_poses_of_two_cameras_are_not_compared_in_space() -> None:
    samples = read_dataset(FOLDER, "captioning", ["train"], wide=True).splits["train"]
    apart = replace(samples, placed=np.zeros(len(samples), dtype=np.bool_))
    assert all(pair is not None and not pair.placed for pair in apart.pose_pairs())
    assert all(pair is not None and not pair.placed for pair in samples.pose_pairs(placed=False))


def test_wide_pairs_of_an_older_simulator_are_read_as_they_are(tmp_path: Path) -> None:
    out = tmp_path / "older"
    shutil.copytree(FOLDER, out)
    shard = next((out / "wide").glob("train-*"))
    shutil.copy(next((out / "captioning").glob("train-*")), shard)
    samples = read_dataset(out, "captioning", ["train"], wide=True).splits["train"]
    assert samples.placed.all()

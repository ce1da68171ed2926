from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from fmp_models.data.estimated import MeasuredPicture, PictureKey, estimated_row, finish
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from hub_cards.datasets import dataset_files, render_dataset
from tests.thoroughness import thorough

NOTE = {"pairs": 16, "seed": 3, "recordings": [], "version": 1, "finished": True, "left_out": {"through an object": 2}}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Copy the sample as a folder that the simulator would have left."""
    shutil.copytree(FOLDER, tmp_path / "set")
    (tmp_path / "set" / "simulation.json").write_text(json.dumps(NOTE))
    return tmp_path / "set"


def test_the_card_of_a_simulated_dataset_is_written_anew_with_its_figures(dataset: Path) -> None:
    card = render_dataset(dataset)
    text = card.read_text(encoding="utf-8")
    assert "simulate OUT --pairs 16 --seed 3" in text
    assert "2 through an object" in text
    assert list((dataset / "plots").glob("*.png"))


@thorough
def test_the_names_of_motion_captures_are_told(dataset: Path) -> None:
    (dataset / "simulation.json").write_text(json.dumps({**NOTE, "recordings": ["ab"], "names": ["walk.bvh"]}))
    assert "--bvh walk.bvh" in render_dataset(dataset).read_text(encoding="utf-8")


@pytest.mark.parametrize("note", [None, "[]", "{}", "no json", json.dumps({**NOTE, "recordings": ["ab"]})])
def test_a_dataset_whose_making_is_not_noted_keeps_its_card(dataset: Path, note: str | None) -> None:
    (dataset / "simulation.json").unlink() if note is None else (dataset / "simulation.json").write_text(note)
    before = (dataset / "README.md").read_bytes()
    with pytest.raises(BadInputError) as error:
        render_dataset(dataset)
    assert error.value.code == "dataset_unknown"
    assert (dataset / "README.md").read_bytes() == before


def test_shards_card_and_figures_are_sent_and_nothing_else(dataset: Path) -> None:
    (dataset / "sheets").mkdir()
    for name in ("sheets/pairs.jpg", "notes.txt", ".hidden", "captioning/.train-00000.parquet.part"):
        (dataset / name).write_text("x")
    files = dataset_files(dataset)
    assert {"README.md", "sheets/pairs.jpg", "captioning/train-00000-of-00001.parquet"} <= set(files)
    assert {Path(name).suffix for name in files} == {".md", ".jpg", ".parquet"}
    assert not any(Path(name).name.startswith(".") for name in files)


def test_measured_joints_are_sent_too_and_the_card_tells_of_them(dataset: Path) -> None:
    assert "estimated_joints" not in render_dataset(dataset).read_text(encoding="utf-8")
    nobody, joints = PictureKey("target_0_0_0_0_0", "ab" * 32), np.zeros((20, 3))
    measured_picture = MeasuredPicture("mediapipe", joints, joints[:, :2], joints[:, 0])
    finish(
        dataset,
        [
            estimated_row(PictureKey("current_0_0_0_0_0", "cd" * 32), measured_picture),
            estimated_row(nobody, MeasuredPicture("mediapipe")),
        ],
    )
    shard = "estimated_joints/pictures-00000-of-00001.parquet"
    assert dataset_files(dataset)[shard] == dataset / shard
    short = (dataset / "README.md").read_text(encoding="utf-8")
    assert "config_name: estimated_joints" in short
    assert "as mediapipe measured them" in render_dataset(dataset).read_text(encoding="utf-8")
    assert "config_name: estimated_joints" in (dataset / "README.md").read_text(encoding="utf-8")


def test_a_folder_without_shards_or_card_is_refused(dataset: Path, tmp_path: Path) -> None:
    (dataset / "README.md").unlink()
    (tmp_path / "empty").mkdir()
    for folder in (dataset, tmp_path / "empty", tmp_path / "none"):
        with pytest.raises(BadInputError) as error:
            dataset_files(folder)
        assert error.value.code == "dataset_missing"
    with pytest.raises(BadInputError):
        render_dataset(tmp_path / "empty")

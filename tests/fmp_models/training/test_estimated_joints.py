from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import datasets
import numpy as np
import pytest

from fmp_models.__main__ import main
from fmp_models.data.features import ESTIMATED_JOINTS, FEATURES
from fmp_models.data.folder import ShardWriter, estimated_rows, measured_rows, read_rows
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.training import estimated_joints
from fmp_models.training.dataset_samples import Dataset, read_dataset
from fmp_models.training.estimated_joints import (
    Looks,
    MeasuringEstimator,
    estimated_fingerprint,
    measure_dataset,
    read_estimated_joints,
)
from fmp_models.workers import Workers
from tests.knowing_estimators import Knowing, Told
from tests.nonempty import nonempty
from tests.thoroughness import thorough


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "dataset"))


def eyes(log: Path, looks: Looks = "2", **how: object) -> MeasuringEstimator:
    return MeasuringEstimator(partial(Knowing, log, **how), "knowing", looks)  # type: ignore[arg-type]


def read(dataset: Path) -> Dataset:
    return read_dataset(dataset, "captioning", ["train", "val_seen"], wide=True)


def test_every_picture_is_measured_once_and_load_dataset_reads_it(dataset: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in dataset.rglob("*.parquet")}
    pictures, seen = measure_dataset(dataset, eyes(tmp_path / "log"), Workers(1))
    names = [row["picture"] for row in estimated_rows(dataset)]
    assert pictures == seen == len(names) == len((tmp_path / "log").read_text().splitlines()) > 50
    assert names == sorted(set(names))
    assert {path: path.read_bytes() for path in before} == before

    rows = datasets.load_dataset(str(dataset), "estimated_joints", cache_dir=str(tmp_path / "cache"))["pictures"]
    assert rows.features == ESTIMATED_JOINTS
    assert rows["picture"][:] == names
    assert np.array(rows[0]["estimated_joints"]).shape == (20, 3)
    assert np.array(rows[0]["image_joints"]).shape == (20, 2)
    assert rows[0]["visibility"] == pytest.approx(np.linspace(0, 1, 20), abs=1e-6)
    pairs = datasets.load_dataset(str(dataset), "captioning", cache_dir=str(tmp_path / "cache"))
    assert set(pairs) == {"train", "val_seen", "val_unseen", "test_unseen"}


@pytest.mark.parametrize(("looks", "hows"), [("1", {"plain", "mirrored"}), ("2", {"plain mirrored"}), ("all", {"all"})])
@thorough
def test_looks_are_as_many_as_asked_for(dataset: Path, tmp_path: Path, looks: Looks, hows: set[str]) -> None:
    measure_dataset(dataset, eyes(tmp_path / "log", looks), Workers(1))
    assert set((tmp_path / "log").read_text().splitlines()) == hows


@thorough
def test_people_of_cameras_that_no_name_tells_are_looked_for_where_their_rows_say(
    dataset: Path, tmp_path: Path
) -> None:
    measure_dataset(dataset, MeasuringEstimator(partial(Told, tmp_path / "log"), "told"), Workers(1))
    boxes = [json.loads(line) for line in (tmp_path / "log.boxes").read_text().splitlines()]
    rows = list(read_rows(dataset, "wide", "train", ["current_places", "target_places"]))
    wanted = [np.array(places) for row in rows for places in row.values()]
    assert wanted
    for places in wanted:
        box = [*places.min(axis=0), *places.max(axis=0)]
        assert any(np.allclose(one, box, atol=0.1) for one in boxes)


@pytest.mark.parametrize("code", ["no_person", "body_hidden"])
@thorough
def test_where_nobody_is_found_there_is_null(dataset: Path, tmp_path: Path, code: str) -> None:
    pictures, seen = measure_dataset(dataset, eyes(tmp_path / "log", blind=120.0, code=code), Workers(2))
    rows = list(estimated_rows(dataset))
    blind = [row for row in rows if row["estimated_joints"] is None]
    assert 0 < len(blind) == pictures - seen < pictures
    assert all(row["image_joints"] is None and row["visibility"] is None for row in blind)
    read_ = read(dataset)
    estimated = read_estimated_joints(read_, tmp_path / "cache")
    unseen = {row["picture"] for row in blind}
    assert [name not in unseen for name in read_.pictures.names] == estimated.known.tolist()
    assert not estimated.joints[~estimated.known].any()
    assert np.isnan(estimated.places[~estimated.known]).all()
    assert np.isfinite(estimated.places[estimated.known]).all()


@thorough
def test_another_refusal_ends_the_measuring(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as refused:
        measure_dataset(dataset, eyes(tmp_path / "log", blind=120.0, code="pose_model_unreadable"), Workers(2))
    assert refused.value.code == "pose_model_unreadable"


@thorough
def test_a_killed_measuring_goes_on(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimated_joints, "_LOT", 8)
    with pytest.raises(BadInputError, match="killed"):
        measure_dataset(dataset, eyes(tmp_path / "killed", most=40), Workers(1))
    assert list(estimated_rows(dataset)) == []
    kept = measured_rows(dataset, eyes(tmp_path / "log").noted)
    assert 16 <= len(kept) <= 40
    pictures, _ = measure_dataset(dataset, eyes(tmp_path / "log"), Workers(2))
    assert len((tmp_path / "log").read_text().splitlines()) == pictures - len(kept)
    assert [path.name for path in (dataset / "estimated_joints").iterdir()] == ["pictures-00000-of-00001.parquet"]

    measure_dataset(dataset, eyes(tmp_path / "again"), Workers(2))
    assert not (tmp_path / "again").exists()


@thorough
def test_the_same_is_written_however_many_processes_there_are(dataset: Path, tmp_path: Path) -> None:
    measure_dataset(dataset, eyes(tmp_path / "log"), Workers(1))
    one = estimated_fingerprint(dataset)
    shutil.rmtree(dataset / "estimated_joints")
    measure_dataset(dataset, eyes(tmp_path / "log"), Workers(3))
    assert estimated_fingerprint(dataset) == one


@thorough
def test_another_estimator_measures_anew(dataset: Path, tmp_path: Path) -> None:
    measure_dataset(dataset, eyes(tmp_path / "log"), Workers(2))
    pictures, _ = measure_dataset(dataset, eyes(tmp_path / "all", "all"), Workers(2))
    assert len((tmp_path / "all").read_text().splitlines()) == pictures


@thorough
def test_a_picture_that_was_made_anew_is_measured_anew_and_refused_until_then(dataset: Path, tmp_path: Path) -> None:
    measure_dataset(dataset, eyes(tmp_path / "log"), Workers(2))
    rows = list(read_rows(dataset, "wide", "train", list(FEATURES["wide"])))
    other = rows[1]["target"]["bytes"]
    assert other != rows[0]["target"]["bytes"]
    rows[0]["target"]["bytes"] = other
    with ShardWriter(dataset, "wide", "train") as writer:
        for row in rows:
            writer.add(row)
    with pytest.raises(BadInputError, match="1 pictures") as refused:
        read_estimated_joints(read(dataset), tmp_path / "cache")
    assert refused.value.code == "joints_unmeasured"
    measure_dataset(dataset, eyes(tmp_path / "again"), Workers(2))
    assert len((tmp_path / "again").read_text().splitlines()) == 1
    assert read_estimated_joints(read(dataset), tmp_path / "cache").known.all()


@thorough
def test_joints_are_those_of_their_picture(dataset: Path, tmp_path: Path) -> None:
    measure_dataset(dataset, eyes(tmp_path / "log"), Workers(2))
    read_ = read(dataset)
    estimated = read_estimated_joints(read_, tmp_path / "cache")
    by_name = {row["picture"]: row["estimated_joints"] for row in estimated_rows(dataset)}
    for name, joints in nonempty(zip(read_.pictures.names, estimated.joints, strict=True)):
        assert np.array_equal(joints, np.array(by_name[name], dtype=np.float32))


def test_a_dataset_that_was_not_measured_is_refused(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="measure-joints first"):
        read_estimated_joints(read(dataset), tmp_path / "cache")


@pytest.mark.parametrize(
    ("arguments", "message"), [(["nowhere"], "not a dataset"), (["nowhere", "--processes", "0"], "--processes must be")]
)
def test_the_command_refuses_in_one_sentence(
    arguments: list[str], message: str, pose_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure-joints", *arguments, "--pose-model", str(pose_model)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


@thorough
def test_a_damaged_shard_is_one_sentence(dataset: Path, tmp_path: Path) -> None:
    measure_dataset(dataset, eyes(tmp_path / "log"), Workers(1))
    (shard,) = (dataset / "estimated_joints").glob("*.parquet")
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(BadInputError) as refused:
        read_estimated_joints(read(dataset), tmp_path / "cache")
    assert refused.value.code == "dataset_damaged"


@thorough
def test_a_dataset_without_a_card_is_refused(dataset: Path, tmp_path: Path) -> None:
    (dataset / "README.md").unlink()
    with pytest.raises(BadInputError) as refused:
        measure_dataset(dataset, eyes(tmp_path / "log"), Workers(1))
    assert refused.value.code == "dataset_missing"

"""Dataset folders and the joints measured in their pictures."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from fmp_models.data.features import FEATURES, Shot, captioning_row, retrieval_row, wide_row
from fmp_models.data.folder import ShardWriter, dataset_contents, head, read_rows
from fmp_models.data.pairs import MOMENTS, PictureName, Uid
from tests.nonempty import nonempty

TEXTS = {"en": ["raise your left arm.", "lift your left hand."], "hi": ["अपनी बाईं बांह उठाएं।"]}
SPLITS = {
    "captioning": ("train", "val_seen", "val_unseen", "test_unseen"),
    "wide": ("train", "test_unseen"),
    "retrieval": ("train", "val_unseen", "test_unseen"),
}


def jpeg(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (44, 22), (shade % 256, 20, 90)).save(file, "JPEG")
    return file.getvalue()


def joints(seed: int) -> Any:  # noqa: ANN401
    return np.random.default_rng(seed).normal(0, 1, (20, 3)).astype(np.float32)


def shot(uid: Uid, moment: int, *, blind: bool = False) -> Shot:
    return Shot(
        PictureName(uid, MOMENTS[moment]), None if blind else jpeg(uid.capture), joints(uid.capture * 2 + moment)
    )


def captioning(number: int) -> dict[str, object]:
    uid = Uid(3, 4, 5, number, 2)
    unknown = Shot(PictureName(uid, "current"))
    return captioning_row(uid, unknown if number == 1 else shot(uid, 0), shot(uid, 1), TEXTS)


def retrieval(number: int) -> dict[str, object]:
    uid = Uid(3, 4, 5, number, 2)
    candidates = [shot(Uid(3, 4, 5, other, 2), 0, blind=other == 8) for other in range(10)]
    candidates[number] = shot(uid, 1)
    return retrieval_row(uid, shot(uid, 0), candidates, number, TEXTS)


def wide(number: int) -> dict[str, object]:
    seen = np.full((20, 2), number)
    uid = Uid(3, 4, 5, number, 2)
    return wide_row(
        captioning_row(uid, shot(uid, 0), shot(uid, 1), TEXTS), [seen, seen], [(4.0, 1.0), (30.0, -2.0)], placed=False
    )


def row(config: str, number: int) -> dict[str, object]:
    return {"retrieval": retrieval, "wide": wide, "captioning": captioning}[config](number)


def write(out: Path, rows: int = 3) -> None:
    for config, splits in SPLITS.items():
        for split in splits:
            with ShardWriter(out, config, split) as writer:
                for number in range(rows):
                    writer.add(row(config, number))
    (out / "README.md").write_text(head(out, {"license": "mit", "language": ["en", "hi"]}) + "# A card\n", "utf-8")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset")
    write(folder)
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def test_the_folder_names_its_configurations_with_captioning_first(out: Path) -> None:
    assert datasets.get_dataset_config_names(str(out)) == ["captioning", "wide", "retrieval"]
    assert set(datasets.load_dataset(str(out))) == set(SPLITS["captioning"])


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("config", list(SPLITS))
def test_every_configuration_loads_as_it_was_written(out: Path, config: str, streaming: bool) -> None:  # noqa: FBT001
    loaded = datasets.load_dataset(str(out), config, streaming=streaming)
    assert set(loaded) == set(SPLITS[config])
    for split in SPLITS[config]:
        assert loaded[split].features == FEATURES[config]
        for number, read in enumerate(loaded[split]):
            compare(read, row(config, number))


def compare(read: dict[str, Any], written: dict[str, Any]) -> None:
    assert read.keys() == written.keys()
    for column, value in written.items():
        if column in {"current", "target"}:
            assert same_picture(read[column], value)
        elif column == "candidates":
            assert all(same_picture(a, b) for a, b in zip(read[column], value, strict=True))
        else:
            assert read[column] == value


def same_picture(read: Image.Image | None, written: dict[str, Any] | None) -> bool:
    if read is None or written is None:
        return read is None and written is None
    return read.mode == "RGB" and read.tobytes() == Image.open(io.BytesIO(written["bytes"])).tobytes()


def test_unknown_joints_and_pictures_load_as_none(out: Path) -> None:
    second = datasets.load_dataset(str(out), "captioning", split="train")[1]
    assert second["current"] is None
    assert second["current_joints"] is None
    assert second["target_joints"] is not None


def test_joints_load_as_float32_arrays(out: Path) -> None:
    first = datasets.load_dataset(str(out), "wide", split="train").with_format("numpy")[0]
    assert first["current_joints"].dtype == np.float32
    np.testing.assert_array_equal(first["current_joints"], joints(0))
    retrieved = datasets.load_dataset(str(out), "retrieval", split="train").with_format("numpy")[0]
    assert retrieved["candidate_joints"].shape == (10, 20, 3)


def test_a_split_that_is_null_at_first_still_loads(tmp_path: Path) -> None:
    uid = Uid(0, 0, 0, 0, 0)
    blind = captioning_row(
        uid, Shot(PictureName(uid, "current")), Shot(PictureName(uid, "target")), {"en": ["up."], "hi": []}
    )
    for split, rows in {"train": [blind] * 3, "val_seen": [captioning(0)]}.items():
        with ShardWriter(tmp_path / "d", "captioning", split) as writer:
            for each in rows:
                writer.add(each)
    (tmp_path / "d" / "README.md").write_text(head(tmp_path / "d", {}), "utf-8")
    for streaming in (False, True):
        loaded = datasets.load_dataset(str(tmp_path / "d"), "captioning", streaming=streaming)
        assert next(iter(loaded["train"]))["current_joints"] is None
        assert next(iter(loaded["val_seen"]))["current_joints"] is not None


def test_it_loads_in_a_fresh_process_without_a_network(out: Path, tmp_path: Path) -> None:
    code = f"from datasets import load_dataset; print(load_dataset({str(out)!r}, 'retrieval')['train'][0]['answer'])"
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "HTTPS_PROXY": "http://127.0.0.1:9"}
    done = subprocess.run([sys.executable, "-c", code], env=offline, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "0", done.stderr


def test_large_splits_become_several_shards_that_read_as_one(tmp_path: Path) -> None:
    with ShardWriter(tmp_path, "captioning", "train", shard_bytes=200_000) as writer:
        for number in range(950):
            writer.add(captioning(number))
    files = sorted(path.name for path in (tmp_path / "captioning").iterdir())
    assert files == [f"train-{n:05d}-of-{len(files):05d}.parquet" for n in range(len(files))]
    assert len(files) > 2
    assert pq.ParquetFile(tmp_path / "captioning" / files[0]).metadata.row_group(0).num_rows == 100
    assert [row["uid"] for row in read_rows(tmp_path, "captioning", "train", ["uid"])] == [
        f"3_4_5_{number}_2" for number in range(950)
    ]


def test_writing_again_replaces_all_shards_of_the_split_and_no_other(tmp_path: Path) -> None:
    write(tmp_path)
    with ShardWriter(tmp_path, "captioning", "train", shard_bytes=1) as writer:
        for number in range(201):
            writer.add(captioning(number))
    with ShardWriter(tmp_path, "captioning", "train") as writer:
        writer.add(captioning(7))
    assert {split: size.rows for split, size in dataset_contents(tmp_path)["captioning"].items()} == {
        "train": 1,
        "val_seen": 3,
        "val_unseen": 3,
        "test_unseen": 3,
    }


def test_an_error_leaves_the_split_as_it_was(tmp_path: Path) -> None:
    write(tmp_path)
    before = sorted((tmp_path / "captioning").iterdir())

    def failing() -> Iterator[dict[str, object]]:
        yield from (captioning(number) for number in range(150))
        raise OSError

    with pytest.raises(OSError), ShardWriter(tmp_path, "captioning", "train") as writer:  # noqa: PT011, PT012
        for each in failing():
            writer.add(each)
    assert sorted((tmp_path / "captioning").iterdir()) == before
    assert dataset_contents(tmp_path)["captioning"]["train"].rows == 3


@pytest.mark.parametrize("change", [{"spot": 3}, {"uid": None}])
def test_a_row_with_other_columns_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    wrong = {key: value for key, value in {**captioning(0), **change}.items() if value is not None}
    with (
        pytest.raises(ValueError, match="the columns are uid, current"),
        ShardWriter(tmp_path, "wide", "train") as writer,
    ):
        writer.add(wrong)


def test_equal_rows_make_equal_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a")
    write(tmp_path / "b")
    files = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(files) == 10
    assert all((tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes() for file in files)


def test_rows_are_read_without_decoding_pictures(out: Path) -> None:
    rows = list(read_rows(out, "captioning", "train", ["uid", "current_joints"]))
    assert rows[0] == {"uid": "3_4_5_0_2", "current_joints": joints(0).tolist()}
    assert rows[1]["current_joints"] is None


def test_a_dataset_older_than_a_language_has_no_texts_in_it(tmp_path: Path) -> None:
    write(tmp_path)
    for shard in nonempty((tmp_path / "captioning").glob("*.parquet")):
        pq.write_table(pq.read_table(shard).drop_columns(["descriptions_hi"]), shard)

    rows = list(read_rows(tmp_path, "captioning", "train", ["uid", "descriptions_en", "descriptions_hi"]))

    assert [row["descriptions_hi"] for row in rows] == [[], [], []]
    assert all(row["descriptions_en"] for row in rows)

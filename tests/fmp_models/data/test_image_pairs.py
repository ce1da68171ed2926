"""The import of image-difference sets."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
from PIL import Image

from fmp_models.data.folder import read_rows
from fmp_models.data.image_pairs import PairsOptions, import_pairs
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from tests.commands import run_here

COLUMNS = ["uid", "current", "target", "current_joints", "animation", "room", "character", "descriptions_en"]
PAIR = {"img0": "a.png", "img1": "b.jpg", "sents": ["a cup is gone", "no cup"], "uid": "first"}
CLEVR = {
    "change_captions.json": {"CLEVR_default_000007.png": ["the cube moved"], "CLEVR_default_000008.png": ["a ball"]},
    "no_change_captions.json": {"CLEVR_default_000007.png": ["nothing changed"]},
    "splits.json": {"train": [8], "val": [], "test": [7]},
}


def picture(path: Path, side: int = 64) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(abs(hash(path.name)) % 1000).integers(0, 255, (side, side, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    return path


def written(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def rows(out: Path, split: str) -> list[Mapping[str, Any]]:
    return list(read_rows(out, "captioning", split, COLUMNS))


@pytest.fixture
def images(tmp_path: Path) -> Path:
    """Give a folder with the two pictures of :data:`PAIR`, in folders of their own."""
    picture(tmp_path / "images" / "before" / "a.png")
    picture(tmp_path / "images" / "after" / "b.jpg")
    return tmp_path / "images"


@pytest.mark.parametrize(
    ("name", "count"), [("image_editing_request_valid.json", 383), ("spot_the_diff_val.json", 1634)]
)
def test_the_published_files_need_their_pictures_and_give_their_texts_alone_if_asked(
    name: str, count: int, shared: Path, tmp_path: Path
) -> None:
    file = shared / "data" / "pairs" / name
    done = run_here("import-pairs", file, tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"None of the {count:,} pairs has both pictures" in done.stderr
    assert not (tmp_path / "out").exists()
    done = run_here("import-pairs", file, tmp_path / "out", "--without-pictures")
    assert done.stdout == f"Imported {count} rows of captioning val_seen.\n"
    loaded = datasets.load_dataset(str(tmp_path / "out"), split="val_seen", cache_dir=str(tmp_path / "cache"))
    assert len(loaded) == len({row["uid"] for row in loaded}) == count


def test_pairs_have_pictures_and_texts_and_nothing_of_a_body(images: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    import_pairs([written(tmp_path / "train.json", [PAIR])], images, out, PairsOptions())
    streamed = datasets.load_dataset(str(out), split="train", streaming=True)
    (row,) = streamed
    assert (row["current"].size, row["target"].size) == ((64, 64), (64, 64))
    assert row["descriptions_en"] == PAIR["sents"]
    assert [row[name] for name in ("current_joints", "animation", "room", "character")] == [None] * 4
    (stored,) = rows(out, "train")
    assert (stored["current"]["path"], stored["target"]["path"]) == ("current_first.png", "target_first.jpg")


def test_missing_damaged_and_ambiguous_pictures_are_counted_and_named(
    images: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    picture(images / "one" / "c.png")
    picture(images / "two" / "c.png")
    written(images / "broken.png", "no picture")
    pairs = [{**PAIR, "img1": name, "uid": name} for name in ("gone.png", "c.png", "broken.png", "two/c.png")]
    options = PairsOptions(split="val")
    with caplog.at_level(logging.WARNING):
        summary = import_pairs([written(tmp_path / "v.json", pairs)], images, tmp_path / "out", options)
    assert summary.rows == {"captioning": {"val_seen": 1}}
    assert [row["uid"] for row in rows(tmp_path / "out", "val_seen")] == ["two-c.png"]
    assert summary.findings == {"missing_name": 2, "damaged_name": 1, "without_picture": 3}
    assert "2 names of pictures that no file has, or several have (gone.png; c.png)" in caplog.messages
    assert "3 pairs without both pictures: left out (gone.png; c.png; broken.png)" in caplog.messages


def test_a_path_never_leaves_the_folder_of_pictures(images: Path, tmp_path: Path) -> None:
    picture(tmp_path / "secret.png")
    pairs = [PAIR, *({**PAIR, "img1": name, "uid": name} for name in ("../secret.png", str(tmp_path / "secret.png")))]
    summary = import_pairs([written(tmp_path / "train.json", pairs)], images, tmp_path / "out", PairsOptions())
    assert summary.rows == {"captioning": {"train": 1}}


def test_spot_the_diff_keeps_each_persons_row(tmp_path: Path) -> None:
    picture(tmp_path / "images" / "12.png")
    picture(tmp_path / "images" / "12_2.png")
    entries = [{"img_id": "12", "sentences": ["a car left"]}, {"img_id": "12", "sentences": ["two people", " "]}]
    import_pairs([written(tmp_path / "test.json", entries)], tmp_path / "images", tmp_path / "out", PairsOptions())
    assert {row["uid"]: row["descriptions_en"] for row in rows(tmp_path / "out", "test_unseen")} == {
        "12_0": ["a car left"],
        "12_1": ["two people"],
    }


@pytest.mark.parametrize("true_only", [True, False])
@pytest.mark.parametrize("published", [True, False], ids=["lines", "list"])
def test_false_statements_of_nlvr2_are_left_out_unless_wanted(
    tmp_path: Path, *, published: bool, true_only: bool
) -> None:
    entries = []
    for number, label in enumerate(("True", "False")):
        for side in (0, 1):
            picture(tmp_path / "images" / "dev" / f"dev-1-{number}-img{side}.png")
        entry = {"identifier": f"dev-1-{number}-0", "label": label, "sentence": "two dogs", "directory": 1}
        names = {f"img{side}": f"/data/images/dev/dev-1-{number}-img{side}.png" for side in (0, 1)}
        entries.append(entry if published else {**entry, **names, "sents": ["two dogs"], "uid": f"nlvr2_{number}"})
    content = "\n".join(map(json.dumps, entries)) if published else entries
    options = PairsOptions(true_only=true_only)
    import_pairs([written(tmp_path / "dev.json", content)], tmp_path / "images", tmp_path / "out", options)
    assert len(rows(tmp_path / "out", "val_seen")) == (1 if true_only else 2)


@pytest.mark.parametrize(
    ("subset", "uids"),
    [("all", {"clevr_000007", "clevr_000007_n"}), ("sc", {"clevr_000007"}), ("nsc", {"clevr_000007_n"})],
)
def test_clevr_change_has_changed_scenes_and_others_in_its_own_splits(
    subset: str, uids: set[str], tmp_path: Path
) -> None:
    for number in (7, 8):
        for folder, kind in (("images", "default"), ("sc_images", "semantic"), ("nsc_images", "nonsemantic")):
            picture(tmp_path / "data" / folder / f"CLEVR_{kind}_{number:06}.png")
    files = [written(tmp_path / "data" / name, content) for name, content in CLEVR.items()]
    import_pairs(files, tmp_path / "data", tmp_path / "out", PairsOptions(subset=subset))
    assert {row["uid"] for row in rows(tmp_path / "out", "test_unseen")} == uids
    changed = [row["uid"] for row in rows(tmp_path / "out", "train")]
    assert changed == ([] if subset == "nsc" else ["clevr_000008"])


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ([], "image_pairs_unusable"),
        ([1, None, "a"], "image_pairs_unusable"),
        ({"a.png": 3}, "image_pairs_unusable"),
        ([{"img0": 1, "img1": [], "sents": ["x"]}], "image_pairs_unusable"),
        ([{**PAIR, "sents": 7}], "image_pairs_unusable"),
        ([{**PAIR, "uid": "x" * 1000}], "image_pairs_unusable"),
        ([{**PAIR, "img0": "nowhere.png"}], "pairs_without_pictures"),
        ("[" * 100_000, "json_unexpected"),
        ('{"a', "json_broken"),
        ('{"a": 1}\n{"b"', "json_broken"),
    ],
)
def test_a_file_that_holds_no_pair_is_refused_and_leaves_nothing(
    content: object, code: str, images: Path, tmp_path: Path
) -> None:
    file, out = written(tmp_path / "train.json", content), tmp_path / "out"
    with pytest.raises(BadInputError) as refused:
        import_pairs([file], images, out, PairsOptions())
    assert refused.value.code == code
    assert not list(out.rglob("*.parquet"))


def test_a_split_that_no_name_tells_is_asked_for(images: Path, tmp_path: Path) -> None:
    file = written(tmp_path / "pairs.json", [PAIR])
    with pytest.raises(BadInputError, match="--split train, val or test"):
        import_pairs([file], images, tmp_path / "out", PairsOptions())
    import_pairs([file], images, tmp_path / "out", PairsOptions(split="test", language="hi"))
    (row,) = read_rows(tmp_path / "out", "captioning", "test_unseen", ["descriptions_en", "descriptions_hi"])
    assert row == {"descriptions_en": [], "descriptions_hi": PAIR["sents"]}


@pytest.mark.parametrize(
    "command",
    [("import-pairs", "PAIRS", "OUT", "--without-pictures"), ("dialogue", "generate", FOLDER, "OUT", "--pairs", 1)],
)
def test_a_place_that_cannot_be_written_is_one_sentence(command: tuple[object, ...], tmp_path: Path) -> None:
    out = written(tmp_path / "train.json", [PAIR]) / "out"
    done = run_here(*({"PAIRS": out.parent, "OUT": out}.get(word, word) for word in command))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "cannot be written" in done.stderr

"""The import of the official release, and its joint files."""

import json
import logging
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
from PIL import Image

from fmp_models.data import released
from fmp_models.data.features import Joints
from fmp_models.data.folder import head, read_rows
from fmp_models.data.released import (
    JOINT_LINES,
    ImportSummary,
    import_release,
    read_joints,
    split_of_file,
    toes_ahead,
    write_shards,
)
from fmp_models.errors import BadInputError
from fmp_models.files import MAX_VALUES
from fmp_models.pose import INDEX, JOINTS

# A person who faces the camera from three metres, in our frame: x right, y down, z away; their left is at +x.
STANDING: dict[str, tuple[float, float, float]] = {
    "hip": (0.0, 0.2, 3.0),
    "spine": (0.0, 0.0, 3.0),
    "neck": (0.0, -0.3, 3.0),
    "head": (0.0, -0.5, 3.0),
    **{
        f"{side}_{part}": (sign * x, y, z)
        for side, sign in (("left", 1), ("right", -1))
        for part, (x, y, z) in {
            "shoulder": (0.2, -0.25, 3.0),
            "elbow": (0.25, 0.0, 3.0),
            "wrist": (0.25, 0.2, 2.9),
            "hand": (0.25, 0.3, 2.9),
            "hip": (0.1, 0.25, 3.0),
            "knee": (0.1, 0.6, 3.0),
            "ankle": (0.1, 1.0, 3.0),
            "foot": (0.1, 1.05, 2.85),
        }.items()
    },
}


def file_of(flips: tuple[int, int, int] = (1, -1, 1), bones: int = 65) -> str:
    """Return the text of a joint file whose axes differ from ours by ``flips``."""
    points = np.full((bones, 3), 9.0)
    for joint, lines in JOINT_LINES.items():
        for line, aside in zip(lines, (-0.1, 0.1) if len(lines) == 2 else (0.0,), strict=True):
            points[line] = np.add(STANDING[joint], (0, aside, 0)) * flips
    return "\n".join(f"mixamorig:Bone{i}:({x}, {y}, {z})" for i, (x, y, z) in enumerate(points.tolist())) + "\n"


def standing() -> Joints:
    return np.array([STANDING[joint] for joint in JOINTS])


def test_every_one_of_our_joints_has_its_line() -> None:
    assert set(JOINT_LINES) == set(JOINTS)
    assert sorted(line for lines in JOINT_LINES.values() for line in lines) == sorted(
        [0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 15, 16, 17, 22, 38, 39, 40, 42, 43, 44, 49]
    )


@pytest.mark.parametrize("flips", [(1, -1, 1), (1, -1, -1)], ids=["camera frame", "rendering frame"])
def test_both_frames_of_unity_become_ours(flips: tuple[int, int, int]) -> None:
    joints = read_joints(file_of(flips))
    assert joints.dtype == np.float32
    np.testing.assert_allclose(joints, standing(), atol=1e-6)
    assert joints[INDEX["head"], 1] < joints[INDEX["hip"], 1] < joints[INDEX["left_ankle"], 1]
    assert (joints[:, 2] > 0).all()


def test_toes_point_ahead_unless_the_frame_is_mirrored() -> None:
    assert toes_ahead(read_joints(file_of()))
    assert not toes_ahead(read_joints(file_of((-1, -1, 1))))


def test_spaces_signs_and_exponents_are_read() -> None:
    text = file_of().replace("mixamorig:Bone0:(0.0, -0.2, 3.0)", "Hips: ( 1e-3,-2.5E-1 , +3 ) ")
    np.testing.assert_allclose(read_joints(text)[INDEX["hip"]], (0.001, 0.25, 3.0), atol=1e-6)


@pytest.mark.parametrize("point", ["", "(1, 2)", "(1, 2, 3, 4)", "(a, b, c)", "(nan, 0, 1)", "(inf, 0, 1)", "1, 2, 3"])
def test_a_line_that_is_no_point_is_refused(point: str) -> None:
    text = file_of().replace("Bone0:(0.0, -0.2, 3.0)", f"Bone0:{point}")
    with pytest.raises(ValueError, match="line 0"):
        read_joints(text)


def test_a_file_that_ends_early_is_refused() -> None:
    with pytest.raises(ValueError, match="49 lines"):
        read_joints("\n".join(file_of().splitlines()[:49]))
    with pytest.raises(ValueError, match="0 lines"):
        read_joints("")


FOLDER = "/ssd/yoga/yoga_images"
TEXT = "lift your left hand up to your chin"
HINDI = "अपना बायां हाथ ठोड़ी तक उठाएं"


def captioning(uid: str, texts: int = 1, **changed: object) -> dict[str, Any]:
    return {
        "uid": uid,
        "img0": f"{FOLDER}/current_{uid}.png",
        "img1": f"{FOLDER}/target_{uid}.png",
        "sents": [TEXT] * texts,
        "sents_hindi": [HINDI] * texts,
        **changed,
    }


def retrieval(uid: str, answer: int = 3, **changed: object) -> dict[str, Any]:
    start = uid.rsplit("_", 2)[0]
    others = [f"{FOLDER}/current_{uid}.png", *(f"{FOLDER}/target_{start}_{n}_0.png" for n in range(20, 28))]
    names = [*others[:answer], f"{FOLDER}/target_{uid}.png", *others[answer:]]
    return {
        "uid": uid,
        "img0": f"{FOLDER}/current_{uid}.png",
        **{f"trg{number}": name for number, name in enumerate(names)},
        "ans_idx": answer,
        "sents": [TEXT],
        "sents_hindi": [HINDI],
        **changed,
    }


class Release:
    """A released folder in the making, and its import."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.out = root / "out"
        for name in ("annotations", "images", "joints"):
            (root / name).mkdir()

    def annotate(self, name: str, entries: object) -> None:
        (self.root / "annotations" / name).write_text(json.dumps(entries), "utf-8")

    def picture(self, name: str) -> bytes:
        path = self.root / "images" / name
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (128, 64), (len(name), 90, 30)).save(path)
        return path.read_bytes()

    def joints(self, name: str, *, hip: str = "(0.5, 1.0, 3.0)") -> None:
        lines = [f"bone{number}:(0.{number:02d}, 1.5, 3.0)" for number in range(65)]
        lines[0] = f"Hips:{hip}"
        (self.root / "joints" / name).write_text("\n".join(lines), "utf-8")

    def read(self, *, images: bool = False, joints: bool = False) -> ImportSummary:
        """Import without drawing the card, which takes a second."""
        folders = (self.root / "images" if images else None, self.root / "joints" if joints else None)
        summary = write_shards(self.root / "annotations", *folders, self.out)
        (self.out / "README.md").write_text(head(self.out, {}), "utf-8")
        return summary

    def rows(self, config: str, split: str) -> list[dict[str, Any]]:
        return list(datasets.load_dataset(str(self.out), config, split=split, streaming=True))


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(tmp_path)


@pytest.mark.parametrize(
    ("stem", "split"),
    [
        ("train_NC", "train"),
        ("valid_seen_NC", "val_seen"),
        ("valid_unseen_NC", "val_unseen"),
        ("test_unseen_NC", "test_unseen"),
        ("train_ret_NC", "train"),
        ("valid_ret_NC.first592", "val_unseen"),
        ("test_ret_NC", "test_unseen"),
        ("pairs", None),
    ],
)
def test_the_names_of_the_released_files_tell_the_split(stem: str, split: str | None) -> None:
    assert split_of_file(stem) == split


def test_each_file_becomes_its_split(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0"), captioning("2_24_1_0_1")])
    release.annotate("valid_unseen_NC.json", [captioning("1_19_3_0_0", 3)])
    release.annotate("valid_ret_NC.json", [retrieval("6_0_0_0_0")])
    summary = release.read()
    assert summary.rows == {"captioning": {"train": 2, "val_unseen": 1}, "retrieval": {"val_unseen": 1}}
    assert summary.findings == {}
    assert (
        str(summary)
        == "Imported 2 rows of captioning train, 1 rows of captioning val_unseen, 1 rows of retrieval val_unseen."
    )
    assert [row["uid"] for row in release.rows("captioning", "train")] == ["1_0_0_0_0", "2_24_1_0_1"]


def test_a_file_of_any_other_name_is_split_by_room_and_animation(release: Release) -> None:
    uids = ("1_0_0_0_0", "1_20_0_0_0", "1_21_3_0_0")
    release.annotate("all.json", [*map(captioning, uids), captioning("1_1_3_0_0", 3), retrieval("7_0_0_0_0")])
    assert release.read().rows == {
        "captioning": {"test_unseen": 1, "train": 1, "val_seen": 1, "val_unseen": 1},
        "retrieval": {"test_unseen": 1},
    }


def test_without_pictures_and_joints_texts_load_beside_nulls(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0")])
    release.read()
    (row,) = release.rows("captioning", "train")
    assert row == {
        "uid": "1_0_0_0_0",
        **dict.fromkeys(("current", "target", "current_joints", "target_joints")),
        "descriptions_en": [TEXT],
        "descriptions_hi": [HINDI],
        "animation": 1,
        "room": 0,
        "character": 0,
    }


def test_pictures_are_kept_as_released_and_found_in_sub_folders(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0")])
    current, target = (release.picture(f"{name}_1_0_0_0_0.png") for name in ("yoga/current", "target"))
    release.read(images=True)
    (raw,) = read_rows(release.out, "captioning", "train", ["current", "target"])
    assert raw == {
        "current": {"bytes": current, "path": "current_1_0_0_0_0.png"},
        "target": {"bytes": target, "path": "target_1_0_0_0_0.png"},
    }
    assert release.rows("captioning", "train")[0]["current"].size == (128, 64)


def test_missing_and_damaged_pictures_are_null_and_said_once(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0"), captioning("1_0_0_1_0")])
    release.annotate("train_ret_NC.json", [retrieval("1_0_0_0_0")])
    whole = release.picture("current_1_0_0_0_0.png")
    (release.root / "images/target_1_0_0_0_0.png").write_bytes(whole[: len(whole) // 2])
    (release.root / "images/current_1_0_0_1_0.png").write_bytes(b"")
    summary = release.read(images=True)
    assert summary.findings == {"damaged_picture": 2, "missing_picture": 9}
    rows = release.rows("captioning", "train")
    assert [(row["current"] is None, row["target"] is None) for row in rows] == [(False, True), (True, True)]
    candidates = release.rows("retrieval", "train")[0]["candidates"]
    assert [candidate is None for candidate in candidates] == [False] + [True] * 9
    assert any(line.startswith("2 damaged pictures: null in the rows (target_1_0_0_0_0") for line in summary.remarks)
    assert any(line.startswith("9 missing pictures") and line.endswith("; ...)") for line in summary.remarks)


def test_joints_come_into_our_frame(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0")])
    release.annotate("train_ret_NC.json", [retrieval("1_0_0_0_0")])
    for name in ("current_1_0_0_0_0.txt", "target_1_0_0_0_0.txt"):
        release.joints(name)
    summary = release.read(joints=True)
    joints = np.array(release.rows("captioning", "train")[0]["current_joints"])
    np.testing.assert_allclose(joints[INDEX["hip"]], (0.5, -1.0, 3.0))
    np.testing.assert_allclose(joints[INDEX["head"]], (0.395, -1.5, 3.0))
    np.testing.assert_allclose(joints[INDEX["left_knee"], 0], JOINT_LINES["left_knee"][0] / 100)
    row = release.rows("retrieval", "train")[0]
    assert row["candidate_joints"][row["answer"]] == row["target_joints"] is not None
    assert summary.findings["missing_joints"] == 8


def test_damaged_joints_are_null(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0")])
    release.joints("current_1_0_0_0_0.txt", hip="(what, 1, 2)")
    (release.root / "joints/target_1_0_0_0_0.txt").write_bytes(b"\xff\xfe")
    assert release.read(joints=True).findings == {"damaged_joints": 2}
    assert release.rows("captioning", "train")[0]["current_joints"] is None


def test_empty_texts_are_dropped_and_a_fourth_is_kept(release: Release) -> None:
    uid = "13_19_4_13_1"
    release.annotate("valid_unseen_NC.json", [captioning(uid, 4, sents_hindi=[HINDI, HINDI, " ", HINDI])])
    summary = release.read()
    (row,) = release.rows("captioning", "val_unseen")
    assert (len(row["descriptions_en"]), len(row["descriptions_hi"])) == (4, 3)
    assert summary.findings == {"empty_text": 1, "unusual_number": 1}
    assert "1 empty descriptions: dropped (13_19_4_13_1[2])" in summary.remarks


def test_duplicates_are_left_out_but_the_two_tasks_do_not_compete(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("6_0_0_0_0"), captioning("6_0_0_0_0")])
    release.annotate("valid_ret_NC.json", [retrieval("6_0_0_0_0")])
    release.annotate("valid_seen_NC.json", [captioning("6_0_0_0_0", 3)])
    summary = release.read()
    assert summary.rows == {"captioning": {"train": 1}, "retrieval": {"val_unseen": 1}}
    assert summary.findings["duplicate"] == 2


def test_a_file_is_followed_where_it_disagrees_with_the_room(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_19_3_0_0")])
    summary = release.read()
    assert summary.rows == {"captioning": {"train": 1}}
    assert summary.findings == {"other_split": 1}


@pytest.mark.parametrize(
    "broken",
    [
        {},
        [],
        "1_0_0_0_0",
        None,
        captioning("1_0_0_0"),
        {**captioning("1_0_0_0_0"), "uid": 7},
        captioning("1_0_0_0_0", img0=f"{FOLDER}/current_9_0_0_0_0.png"),
        captioning("1_0_0_0_0", img0=None),
        captioning("1_0_0_0_0", img1=f"{FOLDER}/target_9_0_0_0_0.png"),
        {key: value for key, value in retrieval("6_0_0_0_0").items() if key != "ans_idx"},
        captioning("1_0_0_0_0", sents="lift it"),
        captioning("1_0_0_0_0", sents=[None]),
        retrieval("6_0_0_0_0", ans_idx=4),
        retrieval("6_0_0_0_0", ans_idx="3"),
        retrieval("6_0_0_0_0", ans_idx=10),
        retrieval("6_0_0_0_0", trg0=f"{FOLDER}/target_6_0_0_20_0.png"),
        {key: value for key, value in retrieval("6_0_0_0_0").items() if key != "trg9"},
    ],
)
def test_entries_that_are_not_as_released_are_left_out_and_named(release: Release, broken: object) -> None:
    release.annotate("valid_NC.json", [captioning("1_19_3_0_0"), broken])
    summary = release.read()
    assert summary.rows == {"captioning": {"val_unseen": 1}}
    assert summary.findings == {"malformed": 1}
    assert any(line.startswith("1 malformed entries: left out (valid_NC.json, entry 1") for line in summary.remarks)


def test_json_of_another_kind_is_passed_over(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0")])
    release.annotate("vocabulary.json", {"the": 1})
    assert release.read().findings == {"not_annotations": 1}


def _no_folder(release: Release) -> None:
    (release.root / "annotations").rmdir()


def _a_file_in_its_place(release: Release) -> None:
    _no_folder(release)
    (release.root / "annotations").write_text("[]")


def _not_json(release: Release) -> None:
    (release.root / "annotations/train_NC.json").write_text("<html>")


def _not_text(release: Release) -> None:
    (release.root / "annotations/train_NC.json").write_bytes(b"\xff\xfe\x00")


def _endless_nesting(release: Release) -> None:
    (release.root / "annotations/train_NC.json").write_text("[" * 200_000)


def _endless(release: Release) -> None:
    with (release.root / "annotations/train_NC.json").open("wb") as file:
        file.truncate(10**12)  # a hole, which takes no room on the disk


def _nothing(_release: Release) -> None:
    pass


def _nothing_usable(release: Release) -> None:
    release.annotate("train_NC.json", [{}, 7])


def _full_out(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0")])
    release.out.mkdir()
    (release.out / "thesis.txt").touch()


@pytest.mark.parametrize(
    ("prepare", "code"),
    [
        (_no_folder, "folder_missing"),
        (_a_file_in_its_place, "folder_missing"),
        (_not_json, "not_json"),
        (_not_text, "not_json"),
        (_endless_nesting, "not_json"),
        (_endless, "file_too_large"),
        (_nothing, "nothing_to_import"),
        (_nothing_usable, "nothing_to_import"),
        (_full_out, "folder_not_empty"),
    ],
)
def test_what_cannot_be_imported_is_refused_in_one_sentence(
    release: Release, prepare: Callable[[Release], None], code: str
) -> None:
    prepare(release)
    with pytest.raises(BadInputError) as refusal:
        release.read()
    assert refusal.value.code == code
    assert "\n" not in refusal.value.sentence


@pytest.mark.parametrize("folder", ["images", "joints"])
def test_a_folder_without_a_released_file_is_refused_before_anything_is_written(release: Release, folder: str) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0")])
    (release.root / folder / "holiday.png").touch()
    with pytest.raises(BadInputError) as refusal:
        release.read(**{folder: True})
    assert refusal.value.code == "folder_without"
    assert not release.out.exists()


def test_importing_twice_gives_the_same_bytes(release: Release, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    release.annotate("train_NC.json", [captioning(f"1_0_0_{capture}_0") for capture in range(20)])
    release.picture("current_1_0_0_3_0.png")
    written = []
    for name in ("one", "two"):
        out = release.root / name
        import_release(release.root / "annotations", release.root / "images", None, out)
        written.append({path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()})
    assert written[0] == written[1]
    assert {path.suffix for path in written[0]} == {".parquet", ".md", ".png"}
    rows, missing = caplog.messages[:2]
    assert caplog.messages == [rows, missing] * 2
    assert rows == "captioning train: 20 rows"
    assert missing.startswith("39 missing pictures: null in the rows (current_1_0_0_0_0; target_1_0_0_0_0; ")
    assert missing.encode() in written[0][Path("README.md")]


@pytest.mark.real
def test_the_real_release_imports_whole(shared: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    out = tmp_path / "out"
    summary = import_release(shared / "data/fixmypose", None, None, out)
    assert summary.rows == {"captioning": {"val_seen": 562}, "retrieval": {"val_unseen": 592}}
    assert summary.findings == {"empty_text": 1}
    assert caplog.messages[-1] == "1 empty descriptions: dropped (14_18_2_9_2[1])"
    captions = datasets.load_dataset(str(out), "captioning", split="val_seen", cache_dir=str(tmp_path / "cache"))
    assert sum(map(len, captions["descriptions_en"])) == 1686
    assert sum(map(len, captions["descriptions_hi"])) == 1685
    assert captions[0]["uid"] == "10_7_3_1_0"
    candidates = datasets.load_dataset(str(out), "retrieval", split="val_unseen", streaming=True)
    first = next(iter(candidates))
    assert (first["uid"], first["answer"], first["animation"], first["room"]) == ("6_9_5_16_2", 8, 6, 9)
    assert {row["animation"] for row in candidates} == {6, 16}
    assert "| `captioning` | `val_seen` | 562 | 1,686 | 1,685 | 562 | 1,686 |" in (out / "README.md").read_text("utf-8")


@pytest.mark.parametrize("junk", ["{}", "[]", "1", '"a":0'])
def test_a_file_of_millions_of_values_is_refused_before_it_is_read(release: Release, junk: str) -> None:
    opening, closing = ("[{", "}]") if ":" in junk else ("[", "]")
    data = opening + ",".join([junk] * (MAX_VALUES + 2)) + closing
    (release.root / "annotations" / "train_NC.json").write_text(data, "utf-8")
    tracemalloc.start()
    try:
        with pytest.raises(BadInputError, match="holds more than 2,000,000 values"):
            release.read()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000_000


def test_more_pairs_than_a_release_can_have_are_refused(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(released, "MAX_PAIRS", 3)
    for name in ("train_NC", "valid_seen_NC"):
        release.annotate(f"{name}.json", [captioning("1_0_0_0_0"), {}])
    with pytest.raises(BadInputError) as refused:
        release.read()
    assert refused.value.code == "release_too_large"


def test_descriptions_that_nobody_wrote_are_dropped_and_counted(release: Release) -> None:
    long, half = "x" * 1_000_000, "lift \ud800"
    texts = {"sents": [long, TEXT, half], "sents_hindi": [" ".join(["घुटना"] * 200_000)]}
    many = captioning("1_0_0_1_0", released.MAX_TEXTS + 1)
    release.annotate("train_NC.json", [captioning("1_0_0_0_0", **texts), many])
    summary = release.read()
    assert summary.findings == {"long_text": 2, "broken_text": 1, "malformed": 1}
    (row,) = release.rows("captioning", "train")
    assert (row["descriptions_en"], row["descriptions_hi"]) == ([TEXT], [])


def test_a_joint_file_of_a_million_lines_is_damaged(release: Release) -> None:
    release.annotate("train_NC.json", [captioning("1_0_0_0_0")])
    release.joints("current_1_0_0_0_0.txt")
    whole = (release.root / "joints" / "current_1_0_0_0_0.txt").read_text("utf-8")
    (release.root / "joints" / "target_1_0_0_0_0.txt").write_text(whole + "\n" * 1_000_000, "utf-8")
    summary = release.read(joints=True)
    assert summary.findings["damaged_joints"] == 1

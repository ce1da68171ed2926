from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.common.picture_files import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.evaluation.real_pairs import SLOTS, read_real_pairs
from tests.fmp_models.evaluation.labelled_folders import SQUAT, WARRIOR, make_folder


def refused(folder: Path) -> BadInputError:
    with pytest.raises(BadInputError) as error:
        read_real_pairs(folder)
    assert "\n" not in error.value.sentence
    return error.value


def test_four_keys_and_a_must_are_enough(tmp_path: Path) -> None:
    plain = {key: SQUAT[key] for key in ("id", "current", "target", "truth", "must")}
    (pair,) = read_real_pairs(make_folder(tmp_path / "mine", plain)).pairs
    assert pair.id == "squat"
    assert pair.current.read_bytes()[:2] == b"\xff\xd8"
    assert pair.must == ("left_knee_bend", "right_knee_bend")
    assert (pair.end, pair.view) == ({}, None)


def test_what_is_for_people_may_stand_there_too(tmp_path: Path) -> None:
    told = {**SQUAT, "note": "A squat.", "source": "me", "same_camera": True, "split": "held"}
    assert len(read_real_pairs(make_folder(tmp_path, told)).pairs) == 1


def test_a_pair_in_which_nothing_must_be_said_is_a_pair(tmp_path: Path) -> None:
    (pair,) = read_real_pairs(make_folder(tmp_path, {**SQUAT, "must": []})).pairs
    assert pair.must == ()


def test_the_fingerprint_changes_with_a_label_and_with_a_picture_alone(tmp_path: Path) -> None:
    first = read_real_pairs(make_folder(tmp_path, SQUAT)).fingerprint
    noted = read_real_pairs(make_folder(tmp_path, {**SQUAT, "note": "new"})).fingerprint
    assert noted == first
    labelled = read_real_pairs(make_folder(tmp_path, {**SQUAT, "truth": {**SQUAT["truth"], "stand": 0}})).fingerprint
    (make_folder(tmp_path, SQUAT) / "squat_target.jpg").write_bytes(b"another picture")
    assert len({first, labelled, read_real_pairs(tmp_path).fingerprint}) == 3


@pytest.mark.parametrize("key", ["id", "current", "target", "truth", "must"])
def test_a_missing_key_is_named(tmp_path: Path, key: str) -> None:
    error = refused(make_folder(tmp_path, WARRIOR, {name: SQUAT[name] for name in SQUAT if name != key}))
    assert error.code == "pairs_unusable"
    assert f"pair 2, {key}: it is missing" in error.sentence


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"truth": {"left_arm_pu": 1}}, "there is no slot “left_arm_pu”"),
        ({"truth": {"stand": 2}}, "truth.stand: it must be -1, 0, 1 or null"),
        ({"truth": {"stand": True}}, "truth.stand: it must be -1, 0, 1 or null"),
        ({"truth": {"stand": "1"}}, "truth.stand"),
        ({"truth": {"stand": [1]}}, "truth.stand"),
        ({"truth": None}, "truth: it must be an object"),
        ({"must": ["dance"]}, "there is no slot “dance”"),
        ({"must": ["left_leg_up"]}, "“left_leg_up” in must, so truth must have 1 or -1"),
        ({"must": ["feet_apart"]}, "“feet_apart” in must, so truth must have 1 or -1"),
        ({"must": ["stand"]}, "“stand” in must, so truth must have 1 or -1"),
        ({"must": "stand"}, "must: "),
        ({"end": {"left_arm_level": "sky"}}, "must be one of hip, chest"),
        ({"end": {"left_arm": "hip"}}, "there is no end state “left_arm”"),
        ({"id": ""}, "id: it must be a line"),
        ({"id": "a\nb"}, "id: it must be a line"),
        ({"id": "\ud800"}, "id: "),
        ({"id": 7}, "id: "),
        ({"view": "x" * 101}, "view: it must be a line"),
    ],
)
def test_a_label_that_cannot_be_is_named(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    error = refused(make_folder(tmp_path, {**SQUAT, **changed}))
    assert error.code == "pairs_unusable"
    assert said in error.sentence


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "json_broken"),
        (b"[", "json_broken"),
        (b"\xff\xfe", "not_utf8"),
        (b"{}", "json_unexpected"),
        (b"[" * 100_000, "json_unexpected"),
        (b"[]", "pairs_none"),
        (b"[1]", "pairs_unusable"),
        (b'[{"id": "a", "id": "b"}]', "uid_twice"),
        (b" " * 10_000_001, "file_too_large"),
    ],
)
def test_a_file_that_is_no_list_of_pairs_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    (make_folder(tmp_path) / "truth.json").write_bytes(content)
    assert refused(tmp_path).code == code


def test_a_folder_or_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "none").code == "folder_missing"
    assert refused(tmp_path).code == "file_unreadable"


def test_one_id_for_two_pairs_is_refused(tmp_path: Path) -> None:
    assert refused(make_folder(tmp_path, SQUAT, {**WARRIOR, "id": "squat"})).code == "uid_twice"


@pytest.mark.parametrize("name", ["none.jpg", "", ".", "a\0b", "x" * 5000, "squat_current.jpg/x"])
def test_a_picture_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    error = refused(make_folder(tmp_path, {**SQUAT, "target": name}))
    assert error.code == "picture_missing"
    assert "“squat”" in error.sentence


def test_a_picture_outside_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jpg"
    outside.write_bytes(b"secret")
    inside = make_folder(tmp_path / "pairs", SQUAT)
    (inside / "link.jpg").symlink_to(outside)
    for name in ("../outside.jpg", str(outside), "link.jpg"):
        assert refused(make_folder(inside, {**SQUAT, "current": name})).code == "picture_outside"


def test_a_huge_picture_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (make_folder(tmp_path, SQUAT) / "squat_current.jpg").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert refused(tmp_path).code == "file_too_large"


def test_the_document_names_every_slot_and_its_example_is_a_usable_folder(tmp_path: Path) -> None:
    document = (Path(__file__).resolve().parents[3] / "docs" / "real_pairs.md").read_text(encoding="utf-8")
    for slot in SLOTS:
        assert slot.removeprefix("left_").removeprefix("right_") in document
    example = json.loads(document.split("```json\n")[1].split("```")[0])
    for pair in example:
        for which in ("current", "target"):
            (tmp_path / pair[which]).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / pair[which]).write_bytes(b"picture")
    (tmp_path / "truth.json").write_text(json.dumps(example), encoding="utf-8")
    assert read_real_pairs(tmp_path).pairs

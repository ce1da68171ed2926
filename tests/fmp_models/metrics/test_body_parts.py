"""Poses of pairs, groups of joints that move, and body-part-match, as released and as intended."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from fmp_models.data.features import Shot, captioning_row, wide_row
from fmp_models.data.folder import ShardWriter, read_rows
from fmp_models.data.pairs import PictureName, parse_uid
from fmp_models.data.released import JOINT_LINES
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.metrics.body_parts import (
    GROUPS,
    body_part_match,
    find_moved,
    find_poses,
    moved_groups,
    read_moved_groups,
)
from fmp_models.pose import INDEX, Array

ROW = next(iter(read_rows(FOLDER, "captioning", "val_seen", ["uid", "current_joints", "target_joints"])))


def test_poses_are_those_of_a_dataset() -> None:
    nobody, pair = find_poses(FOLDER, ["99_0_0_0_0", ROW["uid"]])
    assert nobody is None
    assert pair is not None
    assert pair.placed
    np.testing.assert_allclose(pair.current.joints, ROW["current_joints"])
    np.testing.assert_allclose(pair.target.joints, ROW["target_joints"])


def written(folder: Path, name: str, metres: float) -> None:
    lines = [f"Bone{number}:({number / 100}, {metres}, 2.0)" for number in range(65)]
    (folder / name).write_text("\n".join(lines), encoding="utf-8")


def test_poses_are_those_of_joint_files_of_the_release(tmp_path: Path) -> None:
    written(tmp_path, "current_13_19_4_13_1.txt", 1.0)
    written(tmp_path, "target_13_19_4_13_1.txt", 1.5)
    pair, other = find_poses(tmp_path, ["13_19_4_13_1", "../13_19_4_13_1"])
    assert other is None
    assert pair is not None
    assert pair.current.joints[:, 1] == pytest.approx(-1.0)  # up in the file, down in our frame
    assert pair.target.joints[:, 1] == pytest.approx(-1.5)


def test_a_damaged_joint_file_is_named(tmp_path: Path) -> None:
    written(tmp_path, "current_13_19_4_13_1.txt", 1.0)
    (tmp_path / "target_13_19_4_13_1.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(BadInputError) as refused:
        find_poses(tmp_path, ["13_19_4_13_1"])
    assert refused.value.code == "joints_unreadable"


UID, OTHER = "13_19_4_13_1", "0_1_2_3_4"
PLACES = np.random.default_rng(4).normal(size=(20, 3))


def shifted(**metres: float) -> Array:
    """Return the places with some joints further right."""
    joints = PLACES.copy()
    for joint, distance in metres.items():
        joints[INDEX[joint], 0] += distance
    return joints


def names(moved: NDArray[np.bool_]) -> set[str]:
    return {group for group, moves in zip(GROUPS, moved, strict=True) if moves}


def file_of(joints: Array, head: tuple[Array, Array] | None = None) -> str:
    """Return the text of a released joint file; both points of the head are the joint if they are not given."""
    points = np.zeros((65, 3))
    for joint, lines in JOINT_LINES.items():
        points[list(lines)] = joints[INDEX[joint]]
    if head is not None:
        points[list(JOINT_LINES["head"])] = head
    return "".join(f"mixamorig:Bone{i}:({x}, {y}, {z})\n" for i, (x, y, z) in enumerate(points.tolist()))


def write_pair(folder: Path, uid: str, current: str, target: str) -> None:
    (folder / f"current_{uid}.txt").write_text(current, encoding="utf-8")
    (folder / f"target_{uid}.txt").write_text(target, encoding="utf-8")


def write_dataset(folder: Path, rows: dict[str, tuple[Array, Array] | None], config: str = "captioning") -> None:
    with ShardWriter(folder, config, "val_seen") as writer:
        for text, joints in rows.items():
            uid = parse_uid(text)
            current, target = joints if joints is not None else (None, None)
            shots = Shot(PictureName(uid, "current"), joints=current), Shot(PictureName(uid, "target"), joints=target)
            row = captioning_row(uid, *shots, {"en": ["up"], "hi": ["ऊपर"]})
            seen = [np.zeros((20, 2))] * 2
            writer.add(wide_row(row, seen, [(0, 0)] * 2, placed=True) if config == "wide" else row)


def test_groups_are_those_of_the_release(shared: Path) -> None:
    released_groups = json.loads((shared / "facts" / "metric_words.json").read_bytes())["joint_line_groups"]
    groups = [{max(JOINT_LINES[joint]) for joint in joints} for joints in GROUPS.values()]
    assert groups == [set(lines) for lines in released_groups]


def test_a_still_body_moves_nothing() -> None:
    assert not moved_groups(PLACES, PLACES).any()


@pytest.mark.parametrize(
    ("metres", "groups"),
    [
        ({"left_knee": 0.11}, {"left knee"}),
        ({"left_knee": 0.31}, {"left knee", "left leg"}),  # the mean of the leg is over 10 cm
        ({"left_knee": 0.09}, set()),
        ({"right_foot": 0.25}, {"right toe", "right foot"}),
        ({"neck": 0.21}, {"neck", "head", "torso"}),
        ({"spine": 0.25}, {"torso"}),
        ({"spine": 0.45}, {"torso", "waist"}),
    ],
)
def test_a_group_moves_if_its_joints_do_on_average(metres: dict[str, float], groups: set[str]) -> None:
    assert names(moved_groups(PLACES, shifted(**metres))) == groups


def test_just_ten_centimetres_are_not_moved() -> None:
    current, target = np.zeros((20, 3)), np.zeros((20, 3))
    target[INDEX["neck"], 1] = 0.10
    assert names(moved_groups(current, target)) == set()
    target[INDEX["neck"], 1] = np.nextafter(0.10, 1)
    assert names(moved_groups(current, target)) == {"neck"}


def test_the_head_goes_one_and_a_half_times_as_far_in_the_release() -> None:
    target = shifted(head=0.15)
    assert names(moved_groups(PLACES, target)) == {"head"}
    assert names(moved_groups(PLACES, target, intended=True)) == set()


def test_many_pairs_are_measured_together() -> None:
    targets = np.stack([shifted(neck=0.3), PLACES, shifted(left_hand=0.11)])
    moved = moved_groups(np.stack([PLACES] * 3), targets)
    assert moved.shape == (3, 22)
    assert [names(one) for one in moved] == [names(moved_groups(PLACES, target)) for target in targets]


@pytest.mark.parametrize(
    ("current", "target"),
    [
        (np.zeros((20, 2)), np.zeros((20, 2))),
        (np.zeros((21, 3)), np.zeros((21, 3))),
        (np.zeros((20, 3)), np.zeros((2, 20, 3))),
        (np.zeros((20, 3)), np.full((20, 3), np.nan)),
        (np.full((20, 3), np.inf), np.zeros((20, 3))),
        (np.full((20, 3), 1e6), np.zeros((20, 3))),
    ],
)
def test_other_shapes_and_numbers_are_refused(current: Array, target: Array) -> None:
    with pytest.raises(ValueError, match="numbers"):
        moved_groups(current, target)


@pytest.mark.parametrize("metres", [{"left_knee": 0.31}, {"head": 0.15}, {"head": 0.13}, {"right_hand": 0.5}])
def test_files_of_the_release_tell_what_our_joints_tell(tmp_path: Path, metres: dict[str, float]) -> None:
    write_pair(tmp_path, UID, file_of(PLACES), file_of(shifted(**metres)))
    files = tmp_path / f"current_{UID}.txt", tmp_path / f"target_{UID}.txt"
    for intended in (False, True):
        moved = read_moved_groups(*files, intended=intended)
        np.testing.assert_array_equal(moved, moved_groups(PLACES, shifted(**metres), intended=intended))


def test_the_lower_point_of_the_head_counts_half_in_the_release(tmp_path: Path) -> None:
    base, crown, aside = PLACES[INDEX["head"]], PLACES[INDEX["head"]] + [0, 0.2, 0], np.array([0.38, 0, 0])
    current = file_of(PLACES, (base, crown))
    # Half of 38 cm are 19 for the point of the release and for the mean; 9.5 of the group, with a neck at rest.
    write_pair(tmp_path, UID, current, file_of(PLACES, (base + aside, crown)))
    # All of 38 cm are 38 for the point of the release and 19 for the mean.
    write_pair(tmp_path, OTHER, current, file_of(PLACES, (base, crown + aside)))
    moved = find_moved(tmp_path, [UID, OTHER])
    assert [names(groups) for groups in moved.groups] == [set(), {"head"}]
    assert not moved.intended_groups.any()


def by_files(folder: Path) -> None:
    write_pair(folder, UID, file_of(PLACES), file_of(shifted(left_knee=0.2, head=0.15)))


def by_dataset(folder: Path) -> None:
    write_dataset(folder, {UID: (PLACES, shifted(left_knee=0.2, head=0.15)), OTHER: None})


def by_wide_dataset(folder: Path) -> None:
    write_dataset(folder, {UID: (PLACES, shifted(left_knee=0.2, head=0.15))}, "wide")


@pytest.mark.parametrize("write", [by_files, by_dataset, by_wide_dataset])
def test_what_moves_is_found_by_name_in_either_kind_of_folder(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path)
    moved = find_moved(tmp_path, [OTHER, UID, "13_19_4_13_2"])
    assert moved.known.tolist() == [False, True, False]
    assert moved.groups.shape == moved.intended_groups.shape == (3, 22)
    assert [names(groups) for groups in moved.groups] == [set(), {"left knee", "head"}, set()]
    assert [names(groups) for groups in moved.intended_groups] == [set(), {"left knee"}, set()]


@pytest.mark.parametrize("write", [by_files, by_dataset])
def test_no_pair_is_asked_for(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path)
    moved = find_moved(tmp_path, [])
    assert (moved.known.shape, moved.groups.shape, moved.intended_groups.shape) == ((0,), (0, 22), (0, 22))


def test_names_never_lead_out_of_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    (inside / "current_").mkdir(parents=True)
    by_files(inside)
    by_files(tmp_path)
    uids = [f"../{UID}", f"/../{UID}", str(tmp_path / UID), "", "\0", f"{UID}.txt", f" {UID}", "*"]
    assert not find_moved(inside, uids).known.any()


def test_a_pair_with_one_file_is_not_known(tmp_path: Path) -> None:
    by_files(tmp_path)
    (tmp_path / f"target_{UID}.txt").unlink()
    assert find_moved(tmp_path, [UID]).known.tolist() == [False]


def test_folders_without_joints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as caught:
        find_moved(tmp_path / "none", [UID])
    assert caught.value.code == "folder_missing"
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(BadInputError) as caught:
        find_moved(tmp_path, [UID])
    assert caught.value.code == "joints_missing"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "0 lines"),
        (file_of(PLACES)[:200].encode(), "lines instead of 50"),
        (file_of(PLACES).replace("Bone40:(", "Bone40:(x").encode(), "line 40"),
        (b"\xff\xfe" * 60, "utf-8"),
        (b"a" * 1_000_001, "longer than 1 MB"),
    ],
)
def test_a_damaged_joint_file_is_named_with_what_is_wrong(tmp_path: Path, text: bytes, reason: str) -> None:
    by_files(tmp_path)
    damaged = tmp_path / f"target_{UID}.txt"
    damaged.write_bytes(text)
    with pytest.raises(BadInputError, match=reason) as caught:
        find_moved(tmp_path, [UID])
    assert caught.value.code == "joints_unreadable"
    assert caught.value.details["path"] == str(damaged)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"uid": [UID]}, "no column 'current_joints'"),
        ({"uid": [UID], "current_joints": [[[1.0]]], "target_joints": [[[1.0]]]}, "numbers"),
        ({"uid": [UID], "current_joints": [[[None]]], "target_joints": [[[1.0]]]}, "numbers"),
        ({"uid": [UID], "current_joints": [["a"]], "target_joints": [["b"]]}, "could not convert"),
    ],
)
def test_a_dataset_of_other_columns_is_refused(tmp_path: Path, table: dict[str, list[object]], reason: str) -> None:
    shard = tmp_path / "captioning" / "train-00000-of-00001.parquet"
    shard.parent.mkdir()
    pq.write_table(pa.table(table), shard)
    with pytest.raises(BadInputError, match=reason) as caught:
        find_moved(tmp_path, [UID])
    assert caught.value.code == "joints_unreadable"


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    shard = tmp_path / "captioning" / "train-00000-of-00001.parquet"
    shard.parent.mkdir()
    shard.write_bytes(b"no table")
    with pytest.raises(BadInputError) as caught:
        find_moved(tmp_path, [UID])
    assert (caught.value.code, caught.value.details["path"]) == ("dataset_damaged", str(shard))


def test_joints_of_the_committed_sample_are_found() -> None:
    uids = [
        row["uid"]
        for row in pq.read_table(next((FOLDER / "captioning").glob("*.parquet")), columns=["uid"]).to_pylist()
    ]
    moved = find_moved(FOLDER, uids)
    assert moved.known.all()
    assert moved.groups.any(axis=1).all()
    assert (moved.intended_groups <= moved.groups).all()


ALL = tuple(GROUPS)


def score(prediction: str, reference: str, moved: tuple[str, ...], language: str = "en", *, intended: bool) -> float:
    groups = np.array([[group in moved for group in GROUPS]])
    return body_part_match([prediction], [[reference]], groups, language, intended=intended).value


def test_every_instance_scores_as_in_the_release_when_all_moved(oracle: dict[str, Any], language: str) -> None:
    instances = oracle["instances"].values()
    scores = body_part_match(
        [instance["prediction"] for instance in instances],
        [instance["references"] for instance in instances],
        np.ones((len(instances), len(GROUPS)), dtype=np.bool_),
        language,
    )
    released_scores = [instance["scores"]["body_part_match_all_moved"] for instance in instances]
    np.testing.assert_allclose(scores.instances, released_scores, atol=1e-6)
    assert scores.value == pytest.approx(oracle["corpus"]["body_part_match_all_moved"], abs=1e-6)


@pytest.mark.parametrize(
    ("prediction", "reference", "moved", "as_released", "as_intended"),
    [
        ("bend your elbows", "bend both elbows", ("left elbow",), 2, 1),  # "elbow" and "elbows"
        ("bend your left knee", "bend your right knee", ("left knee", "right knee"), 0, 0),
        ("bend your left knee", "bend your right knee", ("right knee",), 1, 0),  # "knee", of either side
        ("bend your left knee", "bend your left knee", ("left knee",), 1, 1),  # the phrase blocks "knee" in the release
        ("bend your left knee", "bend your left knee", ("right knee",), 1, 0),  # the side that does not move
        ("bend your left knee", "bend your knee", ("left knee", "right knee"), 0, 1),  # a side against none
        ("bend your knees", "bend both knees", ("left knee", "right knee"), 2, 2),
        ("lower your shoulders", "lower the shoulders", ("right shoulder",), 1, 1),  # the list lacks "shoulders"
        ("look ahead", "turn around", ALL, 0, 0),
        ("a charming smile", "stand on the farm", ALL, 1, 0),  # "arm" in "charming" and "farm"
        ("Raise your hand", "raise a hand.", ("left hand",), 1, 1),
        ("tilt your head", "tilt your head", (), 0, 0),
        ("raise your leg", "raise your thigh", ("left leg",), 0, 1),  # two words of a group
        ("raise left and right hands", "raise your left hand", ("left hand", "right hand"), 1, 1),
        ("raise left and right hands", "raise both hands", ("left hand", "right hand"), 2, 2),
    ],
)
def test_a_moved_body_part_scores_if_both_name_it(
    prediction: str, reference: str, moved: tuple[str, ...], as_released: int, as_intended: int
) -> None:
    assert score(prediction, reference, moved, intended=False) == as_released
    assert score(prediction, reference, moved, intended=True) == as_intended


@pytest.mark.parametrize(
    ("prediction", "reference", "moved", "as_released", "as_intended"),
    [
        ("अपनी एड़ी उठाएं", "अपनी एड़ी उठाएं।", ("right foot",), 0, 1),  # the typing error of the list
        ("बाएं घुटने को मोड़ें", "दाहिने घुटने को मोड़ें", ("left knee", "right knee"), 0, 0),
        ("बाएं घुटने को मोड़ें", "बाईं ओर घुटने को मोड़ें", ("left knee", "right knee"), 0, 1),
        ("दाएं और बाएं हाथ", "बाएं हाथ", ("left hand", "right hand"), 1, 1),
        ("पैर की अंगुली", "पैर की अंगुली", ("left leg", "left toe"), 2, 1),  # a toe is no leg
    ],
)
def test_hindi_is_read_alike(
    prediction: str, reference: str, moved: tuple[str, ...], as_released: int, as_intended: int
) -> None:
    assert score(prediction, reference, moved, "hi", intended=False) == as_released
    assert score(prediction, reference, moved, "hi", intended=True) == as_intended


def test_the_mean_is_over_the_first_three_references() -> None:
    moved = np.ones((1, len(GROUPS)), dtype=np.bool_)
    assert body_part_match(["neck"], [["neck", "neck", "head", "neck"]], moved, "en").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("shape", [(2, 22), (1, 21), (22,)])
def test_groups_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="moved groups"):
        body_part_match(["neck"], [["neck"]], np.ones(shape, dtype=np.bool_), "en")


def test_a_language_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="“de”"):
        body_part_match(["neck"], [["neck"]], np.ones((1, 22), dtype=np.bool_), "de")


@pytest.mark.parametrize("side", ["बाएं", "बाएँ", "बायां", "बायीं"])
def test_a_side_is_told_however_it_is_spelt(side: str) -> None:
    """The release's lists lack most of these."""
    moved = np.ones((1, 22), dtype=np.bool_)
    for other, expected in (("दाहिने", 0), ("बाईं", 1)):
        texts = [f"{side} घुटने को मोड़ें"], [[f"{other} घुटने को मोड़ें"]]
        assert body_part_match(*texts, moved, "hi", intended=True).value == expected

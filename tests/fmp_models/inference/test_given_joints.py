"""Joints of other programs: every format, unit and system of axes gives the same text; hostile ones give none."""

from __future__ import annotations

import json
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models import BadInputError, correct_joints, read_joints
from fmp_models.inference.corrector import correct_pair
from fmp_models.inference.given_joints import AXES, FORMATS, UNITS, camera_axes
from fmp_models.pose import INDEX, JOINTS, Array, PosePair, pose_pair
from tests.bodies import Arm, Body, Leg, random_pairs
from tests.commands import run_here

STANDING = Body()
WARRIOR = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90), left_leg=Leg(lift=60, swing=10, bend=60))
WHOLE = [name for name, known in FORMATS.items() if not known.shares()[1]]
ALL_AXES = ["".join(letters) for kinds in permutations(("RL", "UD", "FB")) for letters in product(*kinds)]
DECLARED = {"units": "m", "axes": "RDF"}


def points_of(joints: Array, name: str) -> Array:
    """Return points of a format that give the joints, or the nearest ones that its mixtures allow."""
    return np.linalg.pinv(FORMATS[name].shares()[0]) @ joints


def written(joints: Array, name: str, units: str = "m", axes: str = "RDF") -> dict[str, Any]:
    """Return a body as a file of another program has it."""
    points = points_of(joints, name) @ np.linalg.inv(camera_axes(axes, "current")) / UNITS[units]
    return {"format": name, "units": units, "axes": axes, "joints": points.tolist()}


def text_of(current: dict[str, Any], target: dict[str, Any], language: str = "en") -> str:
    """Return the text for two bodies alone."""
    return correct_pair(PosePair(read_joints(current), read_joints(target)), language).text


def test_every_format_that_has_all_joints_is_found() -> None:
    assert WHOLE == ["fixmypose-20", "mediapipe-33", "smpl-24"]
    assert {name: len(known.points) for name, known in FORMATS.items()} == {
        "fixmypose-20": 20,
        "mediapipe-33": 33,
        "coco-17": 17,
        "h36m-17": 17,
        "smpl-24": 24,
    }
    assert (
        FORMATS["coco-17"].shares()[1]
        == FORMATS["h36m-17"].shares()[1]
        == frozenset(f"{side}_{part}" for side in ("left", "right") for part in ("hand", "foot"))
    )


def test_points_are_in_the_order_of_the_programs_that_write_them() -> None:
    assert " ".join(FORMATS["coco-17"].points) == (
        "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow left_wrist "
        "right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle"
    )
    assert " ".join(FORMATS["h36m-17"].points) == (
        "hip right_hip right_knee right_ankle left_hip left_knee left_ankle spine neck nose crown left_shoulder "
        "left_elbow left_wrist right_shoulder right_elbow right_wrist"
    )
    assert " ".join(FORMATS["smpl-24"].points) == (
        "hip left_hip right_hip spine1 left_knee right_knee spine2 left_ankle right_ankle spine3 left_foot right_foot "
        "neck left_collar right_collar head left_shoulder right_shoulder left_elbow right_elbow left_wrist right_wrist "
        "left_hand right_hand"
    )


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("language", ["en", "hi"])
def test_a_format_with_all_joints_gives_the_text_of_the_body(name: str, language: str) -> None:
    pairs = random_pairs(12, seed=5)
    given_files = [[written(pose.joints, name) for pose in (pair.current, pair.target)] for pair in pairs]
    mixed = [
        pose_pair(*(FORMATS[name].shares()[0] @ np.array(body["joints"]) for body in pair), placed=False)
        for pair in given_files
    ]

    texts = [text_of(*bodies, language) for bodies in given_files]
    assert texts == [correct_pair(pair, language).text for pair in mixed]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", ["coco-17", "h36m-17"])
def test_joints_that_a_format_lacks_are_not_mentioned_and_all_others_are(name: str) -> None:
    pose = read_joints(written(WARRIOR.pose().joints, name))
    assert {JOINTS[number] for number in np.flatnonzero(pose.visibility == 0)} == FORMATS[name].shares()[1]
    correction = correct_joints(written(STANDING.pose().joints, name), written(WARRIOR.pose().joints, name))
    said = {(clause.part, clause.direction) for clause in correction.clauses}
    assert {("left knee", "bend"), ("both arms", "up")} <= said
    assert not {part for part, _ in said if "hand" in part}
    assert "seen" not in correction.text


@given(
    st.sampled_from([name for name in FORMATS if name != "mediapipe-33"]),
    st.sampled_from(sorted(UNITS)),
    st.sampled_from(ALL_AXES),
    st.floats(-180, 180),
)
def test_units_axes_and_where_the_person_faces_do_not_change_the_text(
    name: str, units: str, axes: str, degrees: float
) -> None:
    turn = np.radians(degrees)
    about = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    plain = [body.pose().joints for body in (STANDING, WARRIOR)]
    expected = text_of(*(written(joints, name) for joints in plain))
    assert text_of(*(written(joints @ about, name, units, axes) for joints in plain)) == expected


def test_a_missing_point_is_not_seen_and_only_its_parts_are_left_unsaid() -> None:
    bodies = [written(body.pose().joints, "fixmypose-20") for body in (STANDING, WARRIOR)]
    for body, nothing in zip(bodies, (None, [float("nan")] * 3), strict=True):
        for name in ("right_elbow", "right_wrist", "right_hand"):
            body["joints"][INDEX[name]] = nothing
    correction = correct_joints(*bodies)
    said = {clause.part for clause in correction.clauses}
    assert "left arm" in said
    assert not {part for part in said if "right arm" in part or part == "both arms"}
    without = correct_joints(*(body.pose() for body in (STANDING, WARRIOR)), leave_out=["arms"])
    assert not {clause.part for clause in without.clauses if "arm" in clause.part}


FINE = written(STANDING.pose().joints, "coco-17")
FLAT = [[x, y] for x, y, _ in FINE["joints"]]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"joints": []}, "joints_malformed"),
        ({"joints": None}, "joints_malformed"),
        ({"joints": {"nose": [0, 0, 0]}}, "joints_malformed"),
        ({"joints": [["1", 2, 3]] * 17}, "joints_malformed"),
        ({"joints": [[True, 2, 3]] * 17}, "joints_malformed"),
        ({"joints": [[10**400, 2, 3]] * 17}, "joints_malformed"),
        ({"joints": [[float("inf"), 2, 3]] * 17}, "joints_malformed"),
        ({"joints": [[1, 2, 3, 4]] * 17}, "joints_malformed"),
        ({"joints": nested(200)}, "joints_malformed"),
        ({"joints": FINE["joints"] * 6000}, "joints_count"),
        ({"joints": FINE["joints"][:16]}, "joints_count"),
        ({"joints": [None] * 17}, "joints_few"),
        ({"joints": FLAT}, "joints_flat"),
        ({"joints": [[*point, 0.0] for point in FLAT]}, "joints_flat"),
        ({"joints": [[100 * x, 100 * y, 0.5 + n / 40] for n, (x, y) in enumerate(FLAT)]}, "joints_flat"),
        ({"joints": [[0.0, 0.0, 0.0]] * 17}, "joints_flat"),
        ({"joints": (np.array(FINE["joints"]) * 1e-3).tolist()}, "joints_no_size"),
        ({"joints": (np.array(FINE["joints"]) + 1e5).tolist()}, "joints_far"),
        ({"joints": [FINE["joints"][5 if n == 7 else n] for n in range(17)]}, "joints_together"),
        ({"format": None}, "joints_unknown_format"),
        ({"format": "openpose-25"}, "joints_unknown_format"),
        ({"format": ["coco-17"]}, "joints_unknown_format"),
        ({"units": "feet"}, "joints_units"),
        ({"units": ["m"]}, "joints_units"),
        ({"units": None, "joints": (np.array(FINE["joints"]) * 1000).tolist()}, "joints_units"),
        ({"axes": None}, "joints_axes"),
        ({"axes": "RRR"}, "joints_axes"),
        ({"axes": "RDX"}, "joints_axes"),
        ({"axes": 7}, "joints_axes"),
    ],
)
def test_joints_that_cannot_be_used_get_one_sentence(change: dict[str, Any], code: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        read_joints({**FINE, **change}, "target")
    assert refusal.value.code == code
    assert "target" in refusal.value.sentence
    assert len(refusal.value.sentence.splitlines()) == 1


def test_units_are_known_from_a_body_of_a_plain_size_and_axes_and_format_from_some_formats() -> None:
    undeclared = {key: FINE[key] for key in ("format", "axes", "joints")}
    assert np.allclose(read_joints(undeclared).joints, read_joints(FINE).joints)
    ours = STANDING.pose().joints
    assert np.allclose(read_joints(ours.tolist()).joints, ours)
    assert np.allclose(read_joints(ours).joints, ours)
    told = {**FINE, "units": None, "joints": (np.array(FINE["joints"]) * 1000).tolist()}
    assert np.allclose(read_joints(told, units="mm").joints, read_joints(FINE).joints)
    assert AXES["y-down"] == "RDF"


def saved(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_the_command_describes_two_files(tmp_path: Path) -> None:
    files = [
        saved(tmp_path, f"{number}.json", points_of(body.pose().joints, "h36m-17").tolist())
        for number, body in enumerate((STANDING, WARRIOR))
    ]
    declared = ("--format", "h36m-17", "--axes", "y-down")
    done = run_here("correct", "--joints", *files, *declared, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    expected = correct_joints(*(written(body.pose().joints, "h36m-17") for body in (STANDING, WARRIOR)))
    assert printed["text"] == expected.text
    assert printed["goal_progress"] > 0.2
    assert printed["model"]["id"] == "geometry"
    hindi = run_here("correct", "--joints", *files, *declared, "--language", "hi")
    assert any("\u0900" <= letter <= "\u097f" for letter in hindi.stdout)
    for wrong in (("--axes", "y-down"), ("--format", "h36m-17"), (*declared, "--units", "feet")):
        refused = run_here("correct", "--joints", *files, *wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
    refused = run_here("correct", *files, "--units", "mm")
    assert "requires --joints" in refused.stderr
    refused = run_here("correct", "--joints", *files, *declared, "--mirror-current")
    assert (refused.returncode, refused.stderr.split()[:3]) == (2, ["--mirror-current", "cannot", "be"])


@pytest.mark.parametrize(
    "content", ["", "{", "[" * 5000, "null", "NaN", '{"joints": 1e999}', '{"joints": [1], "joints": 2}']
)
def test_a_hostile_file_gets_one_sentence(content: str, tmp_path: Path) -> None:
    path = saved(tmp_path, "a.json", content)
    refused = run_here("correct", "--joints", path, path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.splitlines()) == 1
    assert refused.stderr.strip().endswith(".")

"""``describe-motion`` and captures as joints: BVH of several programs and films, as text, subtitles or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from fmp_models import read_joints
from fmp_models.pose import INDEX, JOINTS
from tests.commands import run_here
from tests.films import HELD, RATE, STANDS, film
from tests.fmp_models.sim.test_motion_capture import ARMS_DOWN, Row, cmu, mixamo, poser, write
from tests.thoroughness import thorough

STAMP = r"\d\d:\d\d:\d\d,\d{3}"
UP: Row = {"LeftArm": (0, 0, 60), "RightArm": (0, 0, -60)}
_SMPL = {"Hips": "Pelvis", "Spine": "Spine1", "UpLeg": "Hip", "Leg": "Knee", "Foot": "Ankle", "ToeBase": "Foot"}
_SMPL |= {"Shoulder": "Collar", "Arm": "Shoulder", "ForeArm": "Elbow", "Hand": "Wrist"}


def smpl(name: str) -> str:
    for side in ("Left", "Right"):
        if name.startswith(side):
            return f"{side[0]}_{_SMPL[name.removeprefix(side)]}"
    return _SMPL.get(name, name)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """Give a capture in which a person stands for a second, raises both arms, and lowers the left one."""
    path = tmp_path / "capture.bvh"
    rows = [*[ARMS_DOWN] * 30, *[UP] * 30, *[{**UP, "LeftArm": (0.0, 0.0, -80.0)}] * 30]
    path.write_text(write(rows), encoding="utf-8")
    return path


def test_a_capture_is_told_as_text_json_and_subtitles_with_the_same_words(capture: Path) -> None:
    done = {kind: run_here("describe-motion", capture, "--format", kind) for kind in ("text", "srt", "json")}
    assert {run.returncode for run in done.values()} == {0}, done
    steps = json.loads(done["json"].stdout)["steps"]
    assert [[(one["part"], one["direction"]) for one in step["clauses"]] for step in steps] == [
        [("both arms", "up")],
        [("left arm", "down")],
    ]
    assert [(step["start"], step["end"]) for step in steps] == [(0.5, 1.0), (1.5, 2.0)]
    assert done["text"].stdout.splitlines() == [
        f"{step['start']:.1f}–{step['end']:.1f} s: {step['text']}" for step in steps
    ]
    blocks = done["srt"].stdout.strip().split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == ["1", "2"]
    assert [block.splitlines()[2] for block in blocks] == [step["text"] for step in steps]
    assert [bool(re.fullmatch(f"{STAMP} --> {STAMP}", block.splitlines()[1])) for block in blocks] == [True, True]
    assert blocks[0].splitlines()[1] == "00:00:00,500 --> 00:00:01,000"
    hindi = run_here("describe-motion", capture, "--language", "hi", "--every", 1)
    assert len(re.findall("[\u0900-\u097f]", hindi.stdout)) > 20


@pytest.mark.parametrize("spell", [mixamo, cmu, poser, smpl])
def test_the_joint_names_of_other_programs_give_the_same_text(
    tmp_path: Path, capture: Path, spell: Callable[[str], str]
) -> None:
    path = tmp_path / "other.bvh"
    path.write_text(write([ARMS_DOWN, UP], spell, unit=1.0, order="XYZ"), encoding="utf-8")
    frames = ("--frame-current", 0, "--frame-target", 1)
    told = run_here("correct", "--joints", path, path, *frames)
    assert told.returncode == 0, told.stderr
    assert told.stdout == run_here("correct", "--joints", capture, capture, "--frame-target", 45).stdout
    refused = run_here("correct", "--joints", path, path, "--frame-target", 2)
    assert (refused.returncode, refused.stderr) == (2, "--frame-target must be a number from 0 to 1.\n")


def test_a_capture_gives_upright_joints_of_usual_size_and_hands_only_if_it_has_them(capture: Path) -> None:
    pose = read_joints(capture)
    assert [JOINTS[number] for number in np.flatnonzero(pose.visibility == 0)] == ["right_hand", "left_hand"]
    head, hip, ankle = (pose.joints[INDEX[name]] for name in ("head", "hip", "left_ankle"))
    assert head[1] < hip[1] < ankle[1]
    assert ankle[1] - hip[1] == pytest.approx(0.85, abs=0.05)
    assert pose.joints[INDEX["left_hip"], 0] > pose.joints[INDEX["right_hip"], 0]
    text = capture.read_text(encoding="utf-8").replace("OFFSET 0 0 0\n}", "OFFSET 8 0 0\n}")
    capture.write_text(text, encoding="utf-8")
    assert read_joints(capture, frame=40).visibility.all()


def test_another_axis_can_point_up(tmp_path: Path, capture: Path) -> None:
    lying = re.sub(r"OFFSET (\S+) (\S+) (\S+)", r"OFFSET \1 -\3 \2", write([ARMS_DOWN])).replace("--", "")
    path = tmp_path / "up.bvh"
    path.write_text(lying.replace("Yrotation", "Wrotation").replace("Zrotation", "Yrotation").replace("Wrot", "Zrot"))
    assert read_joints(path, axes="z-up").joints[INDEX["head"], 1] < read_joints(path, axes="z-up").joints[0, 1]
    refused = run_here("describe-motion", capture, "--axes", "up")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "RUB" in refused.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.bvh", b""),
        ("a.bvh", b"HIERARCHY\nROOT"),
        ("a.bvh", write([ARMS_DOWN]).replace("LeftForeArm", "Tentacle").encode()),
        ("a.bvh", re.sub(r"OFFSET .*", "OFFSET 1e308 1e308 1e308", write([ARMS_DOWN])).encode()),
        ("a.bvh", re.sub(r"OFFSET .*", "OFFSET 0 0 0", write([ARMS_DOWN])).encode()),
        ("a.bvh", write([ARMS_DOWN] * 400, seconds=1.0).encode().replace(b"Frame Time: 1.0", b"Frame Time: 1e3")),
        ("a.bvh", write([ARMS_DOWN] * 4).encode().replace(b"Frame Time: 0.0333333", b"Frame Time: 1e300")),
        ("a.mp4", b""),
        ("a.mp4", b"\0\0\0\x18ftypmp42" * 1000),
        ("a.mp4", b"not a film"),
    ],
)
def test_a_hostile_file_gets_one_sentence(name: str, content: bytes, tmp_path: Path, pose_model: Path) -> None:
    (tmp_path / name).write_bytes(content)
    refused = run_here("describe-motion", tmp_path / name, "--every", 0.1, FMP_POSE_MODEL=pose_model)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.splitlines()) == 1
    assert refused.stderr.strip().endswith(".")


@pytest.mark.parametrize("every", ["0", "nan", "-1", "1e9"])
def test_poses_cannot_be_compared_more_often_than_they_are_measured(capture: Path, every: str) -> None:
    refused = run_here("describe-motion", capture, f"--every={every}")
    assert (refused.returncode, refused.stderr) == (2, "--every must be a number from 0.1 to 60.0.\n")


def made_film(path: Path, frames: list[np.ndarray]) -> Path:
    height, width, _ = frames[0].shape
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), RATE, (width, height))
    for frame in frames:
        video.write(np.ascontiguousarray(frame[..., ::-1]))
    video.release()
    return path


@thorough
def test_a_film_is_told_as_what_the_person_in_it_does(tmp_path: Path, pose_model: Path) -> None:
    frames = [np.asarray(frame) for frame in film("arms").frames[(STANDS - 2) * RATE : HELD + 2 * RATE]]
    path = made_film(tmp_path / "arms.mp4", frames)
    done = run_here("describe-motion", path, "--format", "json", "--every", 1, FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    steps = json.loads(done.stdout)["steps"]
    said = [(one["part"], one["direction"]) for step in steps for one in step["clauses"]]
    assert ("both arms", "up") in said
    assert not {("both arms", "down"), ("left arm", "down"), ("right arm", "down")} & set(said)
    assert [step["end"] for step in steps if step["end"] < 1.5 or step["end"] > 6.5] == []


def test_a_film_without_a_person_is_refused(tmp_path: Path, pose_model: Path) -> None:
    path = made_film(tmp_path / "grey.mp4", [np.full((240, 320, 3), 90, np.uint8)] * 5)
    refused = run_here("describe-motion", path, FMP_POSE_MODEL=pose_model)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "No person was found in the film" in refused.stderr

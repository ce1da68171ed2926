"""BVH files of known poses in the naming of Mixamo, CMU and Poser, broken ones, and their part in the repertoire."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.__main__ import main
from fmp_models.data.pairs import retrieval_split
from fmp_models.errors import BadInputError
from fmp_models.pose import INDEX
from fmp_models.sim.capture import RenderJob, Unit, captures_of
from fmp_models.sim.motion_capture import parse_bvh, read_bvh, repertoire
from fmp_models.sim.motions import FRAMES_PER_SECOND, MOTIONS
from tests.fmp_models.sim.bones import bones
from tests.nonempty import nonempty
from tests.thoroughness import thorough

Row = dict[str, tuple[float, float, float]]  # degrees about x, y, z by plain joint name

# name, parent, offset in metres: a body in a T pose that looks along z
BODY: list[tuple[str, str | None, tuple[float, float, float]]] = [
    ("Hips", None, (0, 0.95, 0)),
    ("LeftUpLeg", "Hips", (0.1, -0.03, 0)),
    ("LeftLeg", "LeftUpLeg", (0, -0.44, 0)),
    ("LeftFoot", "LeftLeg", (0, -0.40, 0)),
    ("LeftToeBase", "LeftFoot", (0, -0.06, 0.13)),
    ("RightUpLeg", "Hips", (-0.1, -0.03, 0)),
    ("RightLeg", "RightUpLeg", (0, -0.44, 0)),
    ("RightFoot", "RightLeg", (0, -0.40, 0)),
    ("RightToeBase", "RightFoot", (0, -0.06, 0.13)),
    ("Spine", "Hips", (0, 0.2, 0)),
    ("Neck", "Spine", (0, 0.3, 0)),
    ("Head", "Neck", (0, 0.1, 0)),
    ("LeftShoulder", "Spine", (0.05, 0.25, 0)),
    ("LeftArm", "LeftShoulder", (0.13, 0, 0)),
    ("LeftForeArm", "LeftArm", (0.28, 0, 0)),
    ("LeftHand", "LeftForeArm", (0.25, 0, 0)),
    ("RightShoulder", "Spine", (-0.05, 0.25, 0)),
    ("RightArm", "RightShoulder", (-0.13, 0, 0)),
    ("RightForeArm", "RightArm", (-0.28, 0, 0)),
    ("RightHand", "RightForeArm", (-0.25, 0, 0)),
]
ARMS_DOWN: Row = {"LeftArm": (0, 0, -80), "RightArm": (0, 0, 80)}
POSES: dict[str, Row] = {
    "arms to the sides": {},
    "arms hanging": ARMS_DOWN,
    "left elbow bent forward": {"LeftForeArm": (0, -90, 0)},
    "right knee raised": {**ARMS_DOWN, "RightUpLeg": (-80, 0, 0), "RightLeg": (80, 0, 0)},
    "leaning forward": {**ARMS_DOWN, "Spine": (30, 0, 0)},
    "bending to the left": {"Spine": (0, 0, -20)},
    "arms overhead": {"LeftArm": (0, 0, 80), "RightArm": (0, 0, -80)},
}
SEGMENTS = [
    (f"{side}_{start}", f"{side}_{end}")
    for side in ("left", "right")
    for start, end in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
]
OURS = {"shoulder": "Arm", "elbow": "ForeArm", "wrist": "Hand", "hip": "UpLeg", "knee": "Leg", "ankle": "Foot"}


def mixamo(name: str) -> str:
    return f"mixamorig:{name}"


def cmu(name: str) -> str:
    return name


_POSERS = {"UpLeg": "Thigh", "Leg": "Shin", "ToeBase": "Toe", "Arm": "Shldr", "Shoulder": "Collar"}


def poser(name: str) -> str:
    for word in ("Left", "Right"):
        if name.startswith(word):
            kind = name.removeprefix(word)
            return word[0].lower() + _POSERS.get(kind, kind)
    return {"Hips": "hip", "Spine": "chest"}.get(name, name.lower())


def write(rows: list[Row], spell=mixamo, *, unit: float = 0.01, order: str = "ZXY", seconds: float = 1 / 30) -> str:  # noqa: ANN001
    """Return a BVH text of the body in poses; ``unit`` is in metres; CMU puts hip joints in between."""
    lines = ["HIERARCHY"]
    named: list[str] = []
    children = {name: [c for c, parent, _ in BODY if parent == name] for name, _, _ in BODY}
    offsets = {name: offset for name, _, offset in BODY}

    def joint(name: str, depth: int, word: str) -> None:
        if spell is cmu and name.endswith("UpLeg"):
            lines.extend([f"JOINT {name[0]}HipJoint", "{", "OFFSET 0 0 0", "CHANNELS 3 Zrotation Yrotation Xrotation"])
            named.append("")
        lines.extend([f"{word} {spell(name)}", "{", "OFFSET " + " ".join(f"{v / unit:.6f}" for v in offsets[name])])
        turns = " ".join(f"{axis}rotation" for axis in order)
        lines.append(f"CHANNELS {'6 Xposition Yposition Zposition' if not depth else '3'} {turns}")
        named.append(name)
        for child in children[name]:
            joint(child, depth + 1, "JOINT")
        if not children[name]:
            lines.extend(["End Site", "{", "OFFSET 0 0 0", "}"])
        lines.append("}")
        if spell is cmu and name.endswith("UpLeg"):
            lines.append("}")

    joint("Hips", 0, "ROOT")
    lines.extend(["MOTION", f"Frames: {len(rows)}", f"Frame Time: {seconds:.7f}"])
    for row in rows:
        values = [v / unit for v in offsets["Hips"]]
        for name in named:
            turn = dict(zip("XYZ", row.get(name, (0, 0, 0)), strict=True))
            values += [turn[axis] for axis in (order if name else "ZYX")]
        lines.append(" ".join(f"{value:.6f}" for value in values))
    return "\n".join(lines) + "\n"


def saved(folder: Path, text: str) -> Path:
    path = folder / "capture.bvh"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("spell", "unit", "order"),
    [(mixamo, 0.01, "ZXY"), (cmu, 0.0564, "ZYX"), (cmu, 1.0, "XYZ"), (poser, 0.0254, "XYZ")],
)
@pytest.mark.parametrize("name", POSES)
def test_limbs_point_where_the_capture_points_them(tmp_path: Path, name: str, spell, unit: float, order: str) -> None:  # noqa: ANN001
    text = write([POSES[name]] * 4, spell, unit=unit, order=order)
    recording = parse_bvh(text.encode())
    places = recording.placed()[1][0]
    joints = bones().joints(read_bvh(saved(tmp_path, text)).pose(0))
    columns = {joint.name: i for i, joint in enumerate(recording.joints)}
    for start, end in SEGMENTS:
        side, first = start.split("_")
        last = end.split("_")[1]
        a, b = (places[columns[spell(side.capitalize() + OURS[part])]] for part in (first, last))
        # y up, looking along z -> z up, looking along -y
        wanted = np.array([b[0] - a[0], -(b[2] - a[2]), b[1] - a[1]])
        given = joints[INDEX[end]] - joints[INDEX[start]]
        cosine = wanted @ given / np.linalg.norm(wanted) / np.linalg.norm(given)
        assert np.degrees(np.arccos(min(cosine, 1.0))) < 16, (start, end)


def test_conversions_that_ask_to_be_acknowledged_are_known_by_their_names(tmp_path: Path) -> None:
    assert [read_bvh(saved(tmp_path, write([{}], spell))).poser for spell in (mixamo, cmu, poser)] == [
        False,
        False,
        True,
    ]


def test_trunk_and_heading_come_back(tmp_path: Path) -> None:
    rows = [ARMS_DOWN, {**ARMS_DOWN, "Hips": (0, 40, 0)}, {**ARMS_DOWN, "Spine": (30, 0, 0)}]
    take = read_bvh(saved(tmp_path, write(rows, seconds=1 / FRAMES_PER_SECOND)))
    assert [take.pose(i).heading for i in range(3)] == pytest.approx([0, 40, 0], abs=0.1)
    assert take.pose(2).chest.forward == pytest.approx(30, abs=2)
    assert take.pose(2).pelvis.forward == pytest.approx(0, abs=2)


def test_a_capture_keeps_its_time_when_frames_are_resampled(tmp_path: Path) -> None:
    rows: list[Row] = [{**ARMS_DOWN, "RightArm": (0, 0, 80 - i)} for i in range(121)]
    take = read_bvh(saved(tmp_path, write(rows, seconds=1 / 120)))
    assert take.frames == FRAMES_PER_SECOND + 1
    out, up, _ = take.pose(12).arms["R"].upper  # type: ignore[union-attr]
    assert np.degrees(np.arctan2(-up, out)) == pytest.approx(20, abs=1)


def test_feet_that_stand_keep_their_place_in_a_trembling_capture(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows: list[Row] = [{**ARMS_DOWN, "LeftUpLeg": (float(v), 0, 0)} for v in rng.normal(0, 0.02, 60)]
    take = read_bvh(saved(tmp_path, write(rows)))
    feet = np.array([take.pose(frame).legs["L"].ankle for frame in range(take.frames)])
    assert take.planted(10) == {"L", "R"}
    assert np.ptp(feet, axis=0).max() < 1e-6
    assert feet[0][1] == 0


def test_one_frame_is_enough(tmp_path: Path) -> None:
    assert read_bvh(saved(tmp_path, write([ARMS_DOWN]))).frames == 1


GOOD = write([ARMS_DOWN, POSES["leaning forward"]])
BROKEN = {
    "bvh_empty": b"  \n",
    "bvh_not_text": b"\x89PNG\r\n\x1a\n\x00\xff",
    "bvh_truncated": GOOD[: GOOD.index("MOTION") - 3].encode(),
    "bvh_unexpected": GOOD.replace("OFFSET", "OFSET", 1).encode(),
    "bvh_not_number": GOOD.replace("0.000000", "zero", 1).encode(),
    "bvh_timing": GOOD.replace("Frames: 2", "Frames: 0").encode(),
    "bvh_frame_count": GOOD.replace("Frames: 2", "Frames: 3").encode(),
    "bvh_joint_missing": GOOD.replace("LeftForeArm", "Something").encode(),
    "bvh_no_size": write([ARMS_DOWN], unit=1e300).encode(),
}


def test_frames_without_numbers_are_refused() -> None:
    nothing = "HIERARCHY ROOT Hips { OFFSET 0 0 0 CHANNELS 0 } MOTION Frames: 300000000 Frame Time: 0.04"
    with pytest.raises(BadInputError) as caught:
        parse_bvh(nothing.encode())
    assert caught.value.code == "bvh_frame_count"


def test_a_body_without_a_forearm_is_refused(tmp_path: Path) -> None:
    lines = write([ARMS_DOWN]).splitlines()
    hand = next(i for i, line in enumerate(lines) if line.endswith("LeftHand"))
    lines[hand + 2] = "OFFSET 0 0 0"
    with pytest.raises(BadInputError) as caught:
        read_bvh(saved(tmp_path, "\n".join(lines) + "\n"))
    assert caught.value.code == "bvh_no_size"


@pytest.mark.parametrize("code", BROKEN)
def test_a_broken_file_is_named_for_what_is_wrong_with_it(tmp_path: Path, code: str) -> None:
    path = tmp_path / "broken.bvh"
    path.write_bytes(BROKEN[code])
    with pytest.raises(BadInputError) as caught:
        read_bvh(path)
    assert caught.value.code == code


def test_a_file_that_is_not_there_a_huge_one_and_one_with_endless_joints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_bvh(tmp_path / "nothing.bvh")
    huge = tmp_path / "huge.bvh"
    with huge.open("wb") as stream:
        stream.truncate(65 * 2**20)
    with pytest.raises(BadInputError, match="larger than"):
        read_bvh(huge)
    nested = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 0 " + "JOINT a { OFFSET 0 0 0 CHANNELS 0 " * 5000
    with pytest.raises(BadInputError, match="joints"):
        parse_bvh(nested.encode())


@given(st.integers(0, len(GOOD)), st.binary(max_size=12))
def test_a_file_cut_or_changed_anywhere_is_read_or_refused_and_never_fails(at: int, put: bytes) -> None:
    for content in (GOOD.encode()[:at], GOOD.encode()[:at] + put + GOOD.encode()[at + len(put) :]):
        try:
            recording = parse_bvh(content)
        except BadInputError:
            continue
        assert len(recording.values) >= 1
        assert recording.values.shape[1] == sum(len(joint.channels) for joint in recording.joints)


@given(st.lists(st.tuples(*[st.floats(-180, 180)] * 3), min_size=1, max_size=5), st.sampled_from(["XYZ", "ZXY", "YZX"]))
def test_what_is_written_is_read_back(turns: list[tuple[float, float, float]], order: str) -> None:
    rows: list[Row] = [{"Hips": turn} for turn in turns]
    recording = parse_bvh(write(rows, order=order, unit=1.0).encode())
    own = recording.values[:, 3:6][:, [order.index(axis) for axis in "XYZ"]]
    np.testing.assert_allclose(own, np.array(turns), atol=1e-6)
    rotations, places = recording.placed()
    np.testing.assert_allclose(np.linalg.det(rotations), 1.0, atol=1e-9)
    bone = np.linalg.norm(places[:, 2] - places[:, 1], axis=-1)
    np.testing.assert_allclose(bone, 0.44, atol=1e-9)


SECONDS = 2.2


def waving(folder: Path, frames: int = round(SECONDS * FRAMES_PER_SECOND)) -> Path:
    """Both arms swing between hanging and overhead, once a second."""
    lifts = 80 * -np.cos(np.arange(frames) / FRAMES_PER_SECOND * 2 * np.pi)
    rows = [{"LeftArm": (0, 0, lift), "RightArm": (0, 0, -lift)} for lift in lifts]
    return saved(folder, write(rows, seconds=1 / FRAMES_PER_SECOND))


def test_a_recording_is_numbered_after_the_catalogue_and_trains(tmp_path: Path) -> None:
    motions = repertoire([waving(tmp_path)])
    assert motions[: len(MOTIONS)] == MOTIONS
    assert (motions[-1].number, motions[-1].captures) == (20, 2)
    captures = [c for c in captures_of(Unit(0, 1), 0, motions=motions) if c.uid.animation == 20]
    assert [str(c.uid) for c in captures] == ["20_0_1_0_1", "20_0_1_1_1"]
    assert {retrieval_split(c.uid) for c in captures} == {"train"}


@thorough
def test_a_character_performs_it(tmp_path: Path) -> None:
    motions = repertoire([waving(tmp_path)])
    shoot = RenderJob(Unit(0, 1), motions)
    for capture in nonempty(captures_of(shoot.unit, 0, motions=motions)[-2:]):
        pair = shoot.take(capture)
        assert pair.flaw is None
        assert pair.pictures[0] != pair.pictures[1]
        for side in ("left", "right"):
            wrist = INDEX[f"{side}_wrist"]
            risen = pair.joints[0][wrist, 1] - pair.joints[1][wrist, 1]
            assert abs(risen) > 0.3


def test_a_recording_that_is_too_short_for_a_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="too short"):
        repertoire([waving(tmp_path, frames=12)])


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"HIERARCHY\nROOT Hips\n{"])
def test_a_broken_recording_is_refused_before_anything_is_made(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.bvh"
    path.write_bytes(content)
    assert main(["simulate", str(tmp_path / "out"), "--bvh", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()

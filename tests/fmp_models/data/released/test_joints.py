import numpy as np
import pytest

from fmp_models.data.features import Joints
from fmp_models.data.released.joints import LINES, read_joints, toes_ahead
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
    for joint, lines in LINES.items():
        for line, aside in zip(lines, (-0.1, 0.1) if len(lines) == 2 else (0.0,), strict=True):
            points[line] = np.add(STANDING[joint], (0, aside, 0)) * flips
    return "\n".join(f"mixamorig:Bone{i}:({x}, {y}, {z})" for i, (x, y, z) in enumerate(points.tolist())) + "\n"


def standing() -> Joints:
    return np.array([STANDING[joint] for joint in JOINTS])


def test_every_one_of_our_joints_has_its_line() -> None:
    assert set(LINES) == set(JOINTS)
    assert sorted(line for lines in LINES.values() for line in lines) == sorted(
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

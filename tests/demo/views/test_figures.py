from __future__ import annotations

import base64
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw

from demo.views import figures
from demo.views.uncertain_joints import uncertain_joints
from fmp_models.estimators.base import PoseEstimate
from fmp_models.inference.corrector import MeasuredPhotographs
from fmp_models.pose import INDEX, JOINTS, Array, Pose
from fmp_models.preprocessing.photograph import Photograph

# Someone who stands facing the camera, in metres from the hips: right of the picture is the person's left.
STANDING = {
    "hip": (0, 0), "spine": (0, -0.25), "neck": (0, -0.5), "head": (0, -0.68),
    "right_shoulder": (-0.18, -0.48), "right_elbow": (-0.22, -0.2),
    "right_wrist": (-0.24, 0.05), "right_hand": (-0.24, 0.12),
    "left_shoulder": (0.18, -0.48), "left_elbow": (0.22, -0.2), "left_wrist": (0.24, 0.05), "left_hand": (0.24, 0.12),
    "right_hip": (-0.1, 0), "right_knee": (-0.11, 0.42), "right_ankle": (-0.12, 0.82), "right_foot": (-0.14, 0.88),
    "left_hip": (0.1, 0), "left_knee": (0.11, 0.42), "left_ankle": (0.12, 0.82), "left_foot": (0.14, 0.88),
}  # fmt: skip


def standing() -> Array:
    return np.array([[*STANDING[name], 0.0] for name in JOINTS])


def arm_out() -> Array:
    joints = standing()
    for name, x in (("left_elbow", 0.45), ("left_wrist", 0.7), ("left_hand", 0.78)):
        joints[INDEX[name]] = (x, -0.48, 0.0)
    return joints


def seen_at(
    joints: Array, size: tuple[int, int], scale: float, hip: tuple[float, float]
) -> tuple[Photograph, PoseEstimate]:
    """Return a photograph in which the person is painted white on grey, and its estimate."""
    at = joints[:, :2] * scale + np.array(hip)
    image = Image.new("RGB", size, (90, 110, 120))
    draw = ImageDraw.Draw(image)
    for parent, child in figures.BONES:
        draw.line([tuple(at[parent]), tuple(at[child])], fill="white", width=max(round(0.08 * scale), 1))
    low, high = at.min(axis=0), at.max(axis=0)
    return Photograph(image), PoseEstimate(Pose(joints, np.ones(20)), at, (*low, *high), 1)


def seen(first: tuple[Photograph, PoseEstimate], second: tuple[Photograph, PoseEstimate]) -> MeasuredPhotographs:
    return MeasuredPhotographs((first[0], second[0]), (first[1], second[1]))


def decoded(uri: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))


def test_ramp_can_be_told_apart_without_red_green_vision() -> None:
    # Deuteranopia after Machado, Oliveira and Fernandes (2009), on linear light.
    machado = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])
    colours = (np.array(figures.RAMP) / 255) ** 2.2
    seen_colours = np.clip(colours @ machado.T, 0, 1) ** (1 / 2.2)

    for i in range(3):
        for j in range(i):
            assert np.linalg.norm(seen_colours[i] - seen_colours[j]) > 0.3


def test_ramp_runs_from_still_to_far_and_stays_there() -> None:
    assert figures.ramp_colour(0) == "#56b4e9"
    assert figures.ramp_colour(figures.FAR_CM) == figures.ramp_colour(500) == "#d55e00"


def test_skeleton_lies_on_the_body_of_the_picture_it_covers() -> None:
    both = seen(seen_at(standing(), (900, 900), 220, (300, 420)), seen_at(arm_out(), (900, 900), 220, (300, 420)))
    skeleton, _ = figures.skeletons(both, uncertain_joints(both.pair, ()))

    picture = np.asarray(decoded(skeleton.picture).convert("L"), float)
    assert picture.shape == (skeleton.size[1], skeleton.size[0])
    dots = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', skeleton.drawing)]
    assert len(dots) == 20
    assert all(picture[round(y) - 4 : round(y) + 5, round(x) - 4 : round(x) + 5].max() > 220 for x, y in dots)


def test_moved_joints_are_drawn_larger_and_hidden_bones_dashed() -> None:
    photograph, estimate = seen_at(standing(), (600, 600), 200, (300, 300))
    visibility = np.ones(20)
    visibility[INDEX["right_hand"]] = 0.1
    hidden = PoseEstimate(Pose(standing(), visibility), estimate.image_joints, estimate.box, 1)
    both = seen((photograph, hidden), seen_at(arm_out(), (600, 600), 200, (300, 300)))
    skeleton, goal = figures.skeletons(both, uncertain_joints(both.pair, ()))

    radii = [float(r) for r in re.findall(r' r="([\d.]+)"', skeleton.drawing)]
    assert radii[INDEX["left_hand"]] > 1.5 * radii[INDEX["right_foot"]]
    assert skeleton.drawing.count("stroke-dasharray") == 2  # the one bone that ends in the hidden hand, and its halo
    assert "stroke-dasharray" not in goal.drawing  # where the same hand is seen


def test_one_camera_leaves_the_goal_where_it_was() -> None:
    first = seen_at(standing(), (640, 480), 150, (300, 220))
    second = seen_at(arm_out(), (640, 480), 150, (330, 220))

    picture = figures.difference(seen(first, second))

    assert not picture.aligned
    start, red = decoded(picture.start), decoded(picture.goal)
    assert start.size == red.size == picture.size
    alpha = np.asarray(red.getchannel("A"), float)
    assert alpha.max() > 240
    assert alpha[:, :3].max() == alpha[:3].max() == 0  # nothing at the border: only the person is red
    rgb = np.asarray(red.convert("RGB"), float)[alpha > 200]
    assert rgb[:, 0].mean() > 2 * rgb[:, 1].mean()


def test_other_framing_is_brought_hip_on_hip_and_to_one_size() -> None:
    first = seen_at(standing(), (400, 640), 200, (200, 300))
    second = seen_at(arm_out(), (1000, 700), 80, (700, 350))

    picture = figures.difference(seen(first, second))

    assert picture.aligned
    start = np.asarray(decoded(picture.start).convert("L"), float) > 225  # white, not the grey beyond the picture
    goal = np.asarray(decoded(picture.goal).getchannel("A"), float) > 200
    rows_start, rows_goal = np.flatnonzero(start.any(axis=1)), np.flatnonzero(goal.any(axis=1))
    height = rows_start[-1] - rows_start[0]
    assert abs(rows_goal[-1] - rows_start[-1]) < 0.1 * height
    assert abs(rows_goal[0] - rows_start[0]) < 0.1 * height


def test_a_moved_camera_is_noticed_though_the_sizes_are_equal() -> None:
    first = seen_at(standing(), (640, 480), 150, (300, 220))
    photograph, estimate = seen_at(arm_out(), (640, 480), 150, (330, 220))
    painted = np.asarray(photograph.image).copy()
    painted[:, 480:] = np.random.default_rng(0).integers(0, 255, (480, 160, 3))
    painted[:, :160] = 255
    second = (Photograph(Image.fromarray(painted)), estimate)

    assert figures.difference(seen(first, second)).aligned


def test_figures_carry_no_metadata() -> None:
    image = Image.new("RGB", (80, 80))
    exif = image.getexif()
    exif[0x010F] = "Maker"
    image.info["exif"] = exif.tobytes()

    assert not decoded(figures.data_uri(image, "JPEG")).getexif()
    assert b"Exif" not in base64.b64decode(figures.data_uri(image, "JPEG").partition(",")[2])


def test_heads_of_others_are_told_where_the_cut_shows_them() -> None:
    photograph, estimate = seen_at(standing(), (900, 600), 200, (450, 300))
    beside, away = (510.0, 160.0, 30.0), (850.0, 160.0, 30.0)
    pair = seen((photograph, replace(estimate, heads=(beside, away))), (photograph, estimate))

    current, target = figures.skeletons(pair, (np.zeros(20, bool), np.zeros(20, bool)))

    ((x, y, radius),) = current.heads
    assert (x / current.zoom + current.origin[0], y / current.zoom + current.origin[1]) == pytest.approx(
        beside[:2], abs=0.2
    )
    assert radius / current.zoom == pytest.approx(beside[2], abs=0.2)
    assert target.heads == ()

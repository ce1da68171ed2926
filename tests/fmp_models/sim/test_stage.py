from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import pyvista as pv
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from fmp_models.data.pictures import PICTURE_SIZE
from fmp_models.sim.light import Camera, Colour, FloatArray, Surface, project, sharp, smooth, to_camera
from fmp_models.sim.stage import Stage
from tests.thoroughness import thorough

CAMERA = Camera((0.0, -4.0, 1.2), (0.0, 0.0, 1.2), 2.6, PICTURE_SIZE)
ROOT = Path(__file__).resolve().parents[3]
WALL: Colour = (0.75, 0.75, 0.72)


class Doll:
    """Balls of one colour each: something that a stage can photograph like a person."""

    def __init__(self, balls: Sequence[tuple[tuple[float, float, float], float, Colour]]) -> None:
        meshes = [
            smooth(pv.Sphere(radius=radius, center=centre, theta_resolution=40, phi_resolution=40))
            for centre, radius, _ in balls
        ]
        counts = [mesh.n_points for mesh in meshes]
        firsts = np.cumsum([0, *counts[:-1]])
        self.triangles = np.concatenate([m.regular_faces + first for m, first in zip(meshes, firsts, strict=True)])
        self.colours = np.repeat([colour for *_, colour in balls], counts, axis=0)
        self.gloss = np.zeros(sum(counts))
        self.points = np.concatenate([np.asarray(mesh.points) for mesh in meshes])
        self.normals = np.concatenate([np.asarray(mesh.point_data["Normals"]) for mesh in meshes])


@dataclass(frozen=True)
class StageObject:
    surfaces: tuple[Surface, ...]


def box(centre: tuple[float, float, float], size: tuple[float, float, float], colour: Colour) -> Surface:
    low, high = np.subtract(centre, np.array(size) / 2), np.add(centre, np.array(size) / 2)
    return Surface(sharp(pv.Box(bounds=tuple(np.stack([low, high], axis=1).ravel()))), colour)


def shell() -> list[Surface]:
    floor = pv.Plane(center=(0, 0, 0), i_size=14, j_size=14)
    wall = pv.Plane(center=(0, 3, 2.5), direction=(0, -1, 0), i_size=5, j_size=14)
    return [
        Surface(sharp(floor), (0.6, 0.5, 0.4), shadow=False),
        Surface(sharp(wall), lambda place: np.broadcast_to(WALL, place.shape), shadow=False),
    ]


@pytest.fixture(scope="module")
def empty() -> Stage:
    return Stage(shell(), [], CAMERA)


@pytest.fixture(scope="module")
def furnished() -> Stage:
    near = StageObject((box((-1.0, -1.0, 0.4), (0.8, 0.2, 0.8), (0.1, 0.2, 0.7)),))
    far = StageObject(
        (
            box((1.0, 1.0, 0.3), (0.5, 0.5, 0.6), (0.1, 0.6, 0.1)),
            box((1.0, 1.0, 0.7), (0.3, 0.3, 0.2), (0.7, 0.6, 0.1)),
        )
    )
    behind_the_camera = StageObject((box((0.0, -6.0, 0.3), (0.5, 0.5, 0.6), (0.5, 0.5, 0.5)),))
    return Stage(shell(), [near, far, behind_the_camera], CAMERA)


def pixels(picture: Image.Image) -> FloatArray:
    return np.asarray(picture, np.float64)


def photograph(stage: Stage, doll: Doll) -> FloatArray:
    return pixels(stage.photograph(doll, doll))


def reddish(picture: FloatArray) -> NDArray[np.bool_]:
    return picture[..., 0] > 2 * picture[..., 1:].max(axis=-1)


RED: Colour = (0.9, 0.05, 0.05)


def test_camera_frame_has_x_right_y_down_and_z_away() -> None:
    right, higher, further = to_camera(np.array([[0.5, 0.0, 1.2], [0.0, 0.0, 1.7], [0.0, 1.0, 1.2]]), CAMERA)
    assert right == pytest.approx([0.5, 0.0, 4.0])
    assert higher == pytest.approx([0.0, -0.5, 4.0])
    assert further == pytest.approx([0.0, 0.0, 5.0])


@given(st.floats(0, 6.28), st.lists(st.floats(-3, 3), min_size=6, max_size=6))
def test_camera_frame_keeps_distances_and_handedness(turn: float, numbers: list[float]) -> None:
    camera = replace(CAMERA, place=(3 * np.cos(turn), 3 * np.sin(turn), 1.2))
    points = np.reshape(numbers, (2, 3))
    local = to_camera(points, camera)
    assert np.linalg.norm(local[0] - local[1]) == pytest.approx(np.linalg.norm(points[0] - points[1]), abs=1e-9)
    axes = to_camera(np.concatenate([np.eye(3), np.zeros((1, 3))]), camera)
    assert np.linalg.det(axes[:3] - axes[3]) == pytest.approx(1.0)


def test_focus_lies_in_the_middle_and_height_fits_the_picture() -> None:
    top, middle = project(np.array([[0.0, 0.0, 1.2 + 1.3], [0.0, 0.0, 1.2]]), CAMERA)
    assert middle == pytest.approx([224, 112])
    assert top == pytest.approx([224, 0])


@pytest.mark.parametrize("centre", [(0.0, 0.0, 1.2), (-1.2, 0.4, 0.6), (1.3, -0.8, 1.8), (0.6, 1.5, 0.3)])
def test_a_ball_is_drawn_where_it_is_projected(empty: Stage, centre: tuple[float, float, float]) -> None:
    rows, columns = np.nonzero(reddish(photograph(empty, Doll([(centre, 0.06, RED)]))))
    x, y = project(np.array(centre), CAMERA)
    assert len(rows) > 20
    assert columns.mean() + 0.5 == pytest.approx(x, abs=1)
    assert rows.mean() + 0.5 == pytest.approx(y, abs=1)


@thorough
def test_the_room_is_drawn_where_it_is_projected() -> None:
    ball = Surface(smooth(pv.Sphere(radius=0.15, center=(-0.9, 0.5, 0.9))), RED)
    stage = Stage(shell(), [StageObject((ball,))], CAMERA)
    nobody = Doll([((0.0, 0.0, 50.0), 0.01, WALL)])
    rows, columns = np.nonzero(reddish(photograph(stage, nobody)))
    x, y = project(np.array([-0.9, 0.5, 0.9]), CAMERA)
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == (pytest.approx(x, abs=1), pytest.approx(y, abs=1))


def test_furniture_in_front_hides_and_furniture_behind_does_not(furnished: Stage) -> None:
    behind = Doll([((-1.0, 0.0, 0.3), 0.2, RED)])
    before = Doll([((-1.0, -1.6, 0.3), 0.2, RED)])
    assert not reddish(photograph(furnished, behind)).any()
    assert reddish(photograph(furnished, before)).sum() > 200


def test_a_body_hides_its_own_far_side(empty: Stage) -> None:
    doll = Doll([((0.0, -0.5, 1.2), 0.3, (0.05, 0.05, 0.9)), ((0.0, 0.5, 1.2), 0.3, RED)])
    assert not reddish(photograph(empty, doll)).any()


@thorough
def test_visible_shares_are_those_of_whole_items_without_a_person(furnished: Stage) -> None:
    width, height = (0.8, 0.8)
    corners = project(np.array([[-1.0 - width / 2, -1.1, height], [-1.0 + width / 2, -1.1, 0.0]]), CAMERA)
    front = np.prod(np.minimum(corners[1], PICTURE_SIZE) - corners[0]) / np.prod(PICTURE_SIZE)
    assert set(furnished.visible) == {0, 1, 2}
    assert front < furnished.visible[0] < 1.35 * front
    assert furnished.visible[2] == 0
    before = dict(furnished.visible)
    photograph(furnished, Doll([((-1.0, -1.6, 0.8), 0.7, RED)]))
    assert furnished.visible == before
    alone = [Stage(shell(), [StageObject((surface,))], CAMERA).visible[0] for surface in _surfaces_of_the_far_item()]
    assert max(alone) < furnished.visible[1] < sum(alone)


def _surfaces_of_the_far_item() -> list[Surface]:
    return [
        box((1.0, 1.0, 0.3), (0.5, 0.5, 0.6), (0.1, 0.6, 0.1)),
        box((1.0, 1.0, 0.7), (0.3, 0.3, 0.2), (0.7, 0.6, 0.1)),
    ]


def test_a_person_darkens_the_floor_below_and_only_near(empty: Stage) -> None:
    nobody = photograph(empty, Doll([((0.0, 0.0, 50.0), 0.01, WALL)]))
    somebody = photograph(empty, Doll([((0.0, 0.0, 0.35), 0.3, WALL)]))
    x, y = project(np.array([0.0, 0.0, 0.0]), CAMERA)
    beneath = slice(int(y), int(y) + 3), slice(int(x) - 6, int(x) + 6)
    assert somebody[beneath].mean() < 0.8 * nobody[beneath].mean()
    assert np.array_equal(somebody[:, :40], nobody[:, :40])
    assert (somebody - nobody)[int(y) + 2 :].max() <= 1


def test_the_shadow_lies_away_from_the_window(empty: Stage) -> None:
    nobody = photograph(empty, Doll([((0.0, 0.0, 50.0), 0.01, WALL)]))
    lost = (nobody - photograph(empty, Doll([((0.0, 0.0, 0.8), 0.25, WALL)]))).sum(axis=2)
    lost[: int(project(np.array([0.0, 0.0, 0.3]), CAMERA)[1])] = 0
    columns = np.arange(PICTURE_SIZE[0]) - PICTURE_SIZE[0] / 2
    assert (np.maximum(lost, 0) * columns).sum() > 0


@thorough
def test_walls_that_turn_their_back_to_the_camera_are_looked_through(empty: Stage) -> None:
    front = pv.Plane(center=(0, -3, 2.5), direction=(0, 1, 0), i_size=5, j_size=14)
    closed = Stage([*shell(), Surface(sharp(front), (0.1, 0.1, 0.9), shadow=False)], [], CAMERA)
    doll = Doll([((0.0, 0.0, 0.9), 0.4, RED)])
    assert closed.photograph(doll, doll).tobytes() == empty.photograph(doll, doll).tobytes()


def test_nothing_is_black_or_burnt_out(empty: Stage) -> None:
    picture = photograph(empty, Doll([((0.0, 0.0, 0.9), 0.4, (0.5, 0.5, 0.5))]))
    assert (picture.max(axis=2) < 12).mean() < 0.002
    assert (picture.min(axis=2) > 250).mean() < 0.002


def test_photographs_leave_no_trace(furnished: Stage) -> None:
    first, second = Doll([((0.2, 0.0, 0.5), 0.3, RED)]), Doll([((0.9, 0.2, 0.9), 0.5, (0.1, 0.8, 0.1))])
    once = furnished.photograph(first, first).tobytes()
    furnished.photograph(second, second)
    assert furnished.photograph(first, first).tobytes() == once


@pytest.mark.parametrize("centre", [(9.0, 0.0, 1.0), (0.0, -9.0, 1.0)])
def test_a_person_out_of_view_changes_nothing_but_shadows(empty: Stage, centre: tuple[float, float, float]) -> None:
    picture = empty.photograph(doll := Doll([(centre, 0.3, RED)]), doll)
    assert picture.size == PICTURE_SIZE
    assert picture.mode == "RGB"
    assert not reddish(pixels(picture)).any()


SCRIPT = """
import hashlib, importlib.util, sys
spec = importlib.util.spec_from_file_location("stage_tests", sys.argv[1])
tests = importlib.util.module_from_spec(spec)
sys.modules["stage_tests"] = tests
spec.loader.exec_module(tests)
doll = tests.Doll([((0.2, 0.0, 0.5), 0.3, tests.RED)])
stage = tests.Stage(tests.shell(), [], tests.CAMERA)
print("digest", hashlib.sha256(stage.photograph(doll, doll).tobytes()).hexdigest())
"""


@thorough
def test_another_process_draws_the_same_bytes() -> None:
    command = [sys.executable, "-c", SCRIPT, __file__]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    doll = Doll([((0.2, 0.0, 0.5), 0.3, RED)])
    here = hashlib.sha256(Stage(shell(), [], CAMERA).photograph(doll, doll).tobytes()).hexdigest()
    assert printed.split("digest ")[1].strip() == here

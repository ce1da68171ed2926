"""Several cameras find the joints in the room, whatever one of them saw wrongly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.evaluation.films.triangulation import triangulated
from fmp_models.pose import INDEX, MIRROR
from tests.bodies import Body, bodies
from tests.fmp_models.evaluation.films.film_of_body import CAMERAS, SIZE, camera_at, in_room

VIEWS = [*CAMERAS.values()]
LENS = (-0.05, 0.03, 0.001, -0.002)


@given(bodies)
def test_what_all_cameras_see_is_found(body: Body) -> None:
    room = in_room(body)
    moment = triangulated(VIEWS, np.stack([camera.pixels(room) for camera in VIEWS]), SIZE[1])
    assert np.allclose(moment.joints, room, atol=1e-6)
    assert moment.error.max() < 1e-3
    assert all(moment.rightly)


def test_a_lens_is_taken_away() -> None:
    room = in_room(Body())
    bent = [camera_at(angle, lens=LENS) for angle in (-30, 40, 150)]
    seen = np.stack([camera.pixels(room) for camera in bent])
    straight = np.stack([camera_at(angle).pixels(room) for angle in (-30, 40, 150)])
    assert np.abs(seen - straight).max() > 0.1
    assert np.allclose(triangulated(bent, seen, SIZE[1]).joints, room, atol=1e-4)


@pytest.mark.parametrize("camera", range(len(VIEWS)))
def test_a_camera_that_took_a_front_for_a_back_is_put_right(camera: int) -> None:
    room = in_room(Body(lean=15))
    seen = np.stack([view.pixels(room) for view in VIEWS])
    seen[camera] = seen[camera][list(MIRROR)]
    moment = triangulated(VIEWS, seen, SIZE[1])
    assert np.allclose(moment.joints, room, atol=1e-6)
    assert [number for number, rightly in enumerate(moment.rightly) if not rightly] == [camera]


@given(st.integers(0, 3), st.sampled_from(["left_wrist", "right_foot", "head"]), st.floats(20, 90))
def test_a_joint_that_one_camera_sees_elsewhere_is_found_by_the_others(camera: int, joint: str, away: float) -> None:
    room = in_room(Body())
    seen = np.stack([view.pixels(room) for view in VIEWS])
    seen[camera, INDEX[joint]] += (away, away / 2)
    assert np.allclose(triangulated(VIEWS, seen, SIZE[1]).joints, room, atol=1e-6)

"""Several cameras find the joints in the room, whatever one of them saw wrongly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fmp_models.evaluation.films.triangulation import triangulated
from fmp_models.pose import INDEX, MIRROR, Array
from tests.bodies import Body, bodies
from tests.fmp_models.evaluation.films.film_of_body import CAMERAS, SIZE, camera_at, enlarged, in_room
from tests.thoroughness import examples

VIEWS = [*CAMERAS.values()]
HEIGHTS = np.full(len(VIEWS), SIZE[1])
LENS = (-0.05, 0.03, 0.001, -0.002)


@given(bodies)
def test_what_all_cameras_see_is_found(body: Body) -> None:
    room = in_room(body)
    moment = triangulated(VIEWS, np.stack([camera.pixels(room) for camera in VIEWS]), HEIGHTS)
    assert np.allclose(moment.joints, room, atol=1e-6)
    assert moment.error.max() < 1e-5


def test_a_lens_is_taken_away() -> None:
    room = in_room(Body())
    bent = [camera_at(angle, lens=LENS) for angle in (-30, 40, 150)]
    seen = np.stack([camera.pixels(room) for camera in bent])
    straight = np.stack([camera_at(angle).pixels(room) for angle in (-30, 40, 150)])
    assert np.abs(seen - straight).max() > 0.1
    assert np.allclose(triangulated(bent, seen, HEIGHTS[:3]).joints, room, atol=1e-4)


@pytest.mark.parametrize("camera", range(len(VIEWS)))
def test_a_camera_that_took_a_front_for_a_back_is_put_right(camera: int) -> None:
    room = in_room(Body(lean=15))
    seen = np.stack([view.pixels(room) for view in VIEWS])
    seen[camera] = seen[camera][list(MIRROR)]
    assert np.allclose(triangulated(VIEWS, seen, HEIGHTS).joints, room, atol=1e-6)


@given(st.integers(0, 3), st.sampled_from(["left_wrist", "right_foot", "head"]), st.floats(20, 90))
def test_a_joint_that_one_camera_sees_elsewhere_is_found_by_the_others(camera: int, joint: str, away: float) -> None:
    room = in_room(Body())
    seen = np.stack([view.pixels(room) for view in VIEWS])
    seen[camera, INDEX[joint]] += (away, away / 2)
    assert np.allclose(triangulated(VIEWS, seen, HEIGHTS).joints, room, atol=1e-6)


@example(Body(yaw=40), [3, 2, 1, 0], 2)  # two cameras could each have taken the back for the front
@examples(100, 3)
@given(bodies, st.permutations(range(len(VIEWS))), st.integers(0, 2**32 - 1))
def test_in_whatever_order_cameras_come_the_same_is_found(body: Body, order: list[int], seed: int) -> None:
    seen = _badly_seen(body, seed)
    some = triangulated(VIEWS, seen, HEIGHTS)
    other = triangulated([VIEWS[number] for number in order], seen[order], HEIGHTS)
    assert np.allclose(some.joints, other.joints, atol=1e-6)


@examples(100, 3)
@given(bodies, st.integers(0, len(VIEWS) - 1), st.integers(0, 2**32 - 1))
def test_larger_pictures_of_one_camera_change_nothing(body: Body, camera: int, seed: int) -> None:
    seen = _badly_seen(body, seed)
    size = np.ones(len(VIEWS))
    size[camera] = 8
    views = [enlarged(view, times) for view, times in zip(VIEWS, size, strict=True)]
    some, other = triangulated(VIEWS, seen, HEIGHTS), triangulated(views, seen * size[:, None, None], HEIGHTS * size)
    assert np.allclose(some.joints, other.joints, atol=1e-6)
    assert np.allclose(some.error, other.error, atol=1e-6)


def _badly_seen(body: Body, seed: int) -> Array:
    """Where cameras see a body: some pixels off, one took its back for its front, and one cannot tell them apart."""
    dice = np.random.default_rng(seed)
    seen = np.stack([view.pixels(in_room(body)) for view in VIEWS])
    turned, undecided = dice.permutation(len(VIEWS))[:2]
    for camera, share in ((turned, 1.0), (undecided, dice.uniform(0.3, 1))):
        seen[camera] += share * (seen[camera][list(MIRROR)] - seen[camera])
    return np.asarray(seen + dice.normal(0, 4, seen.shape))

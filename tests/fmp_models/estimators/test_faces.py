"""Where a face points, of MediaPipe's landmarks: seen, mirrored, levelled with its body, or not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.estimators.base import estimate_of, sampled_gazes, sampled_joints
from fmp_models.estimators.landmarks import LANDMARK, LANDMARK_MIRROR, LANDMARKS, FoundPerson, person_from
from fmp_models.estimators.pair_alignment import levelled_alike
from fmp_models.pose import INDEX, Array
from fmp_models.preprocessing import Photograph
from tests.bodies import Body
from tests.fmp_models.estimators.test_pair_alignment import blotches, estimate
from tests.nonempty import nonempty

STANDING = Body().pose().joints
SIZE = (300, 400)


def seen(gaze: Array, visibility: float = 1.0) -> FoundPerson:
    """Somebody at the origin whose face points there, of the camera; all else lies in one place."""
    places, visible = np.zeros((len(LANDMARKS), 3)), np.ones(len(LANDMARKS))
    for name in ("left_eye", "right_eye", "mouth_left", "mouth_right"):
        places[LANDMARK[name]] = 0.09 * gaze + (0.03 if "left" in name else -0.03, 0.0, 0.0)
    for name, x in (("left_ear", 0.07), ("right_ear", -0.07)):
        places[LANDMARK[name], 0] = x
    visible[LANDMARK["left_eye"]] = visibility
    return person_from(places[:, :2] * 100 + 150, places, visible, mirrored=False)


units = st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 1)).map(
    lambda v: np.array(v) / float(np.linalg.norm(v))
)


@given(units)
def test_a_face_points_from_the_ears_to_eyes_and_mouth(gaze: Array) -> None:
    found = seen(gaze).gaze
    assert found is not None
    assert np.allclose(found, gaze)


@given(units)
def test_a_mirrored_look_sees_the_same_face(gaze: Array) -> None:
    person = seen(gaze)
    assert person.landmarks is not None
    in_mirror = person.landmarks[LANDMARK_MIRROR]
    points, metres = in_mirror[:, :2], in_mirror[:, 2:5]
    found = person_from(points, metres, in_mirror[:, 5], mirrored=True).gaze
    assert found is not None
    assert np.allclose(found, gaze)


def test_a_face_that_is_hardly_seen_or_averaged_points_nowhere() -> None:
    assert seen(np.array([0.0, 0.0, -1.0]), visibility=0.3).gaze is None
    assert replace(seen(np.array([0.0, 0.0, -1.0])), landmarks=None).gaze is None


@given(st.lists(units, min_size=1, max_size=5))
def test_plausible_gazes_are_near_the_looks_and_mirrored_with_them(looks: list[Array]) -> None:
    gazes = sampled_gazes(looks)
    assert np.allclose(np.linalg.norm(gazes, axis=-1), 1.0)
    assert len(gazes) == len(sampled_joints(STANDING[None], np.ones(20), np.ones(20, dtype=bool)))
    away = np.degrees(np.arccos(np.clip((gazes[:, None] * np.array(looks)).sum(axis=-1).max(axis=1), -1, 1)))
    assert np.median(away) < 20
    mirrored = sampled_gazes(np.array(looks) * (-1, 1, 1)) * (-1, 1, 1)
    half = len(gazes) // 2
    assert np.allclose(np.concatenate([mirrored[half:], mirrored[:half]]), gazes)


@pytest.mark.parametrize("head_seen", [True, False])
def test_a_head_outside_the_picture_has_no_gaze(head_seen: bool) -> None:  # noqa: FBT001
    pixels = STANDING[:, :2] * 100 + (150, 200)
    if not head_seen:
        pixels[INDEX["head"]] = (150, -60)
    gaze = np.array([[0.0, 0.0, -1.0]])
    found = estimate_of(
        STANDING, pixels, np.ones(20), (50, 20, 250, 390), SIZE, looks=STANDING[None], gazes=gaze
    ).pose.gazes
    assert (found is not None) is head_seen
    without = estimate_of(STANDING, pixels, np.ones(20), (50, 20, 250, 390), SIZE, looks=STANDING[None]).pose.gazes
    assert without is None


def test_faces_are_levelled_with_their_bodies() -> None:
    rooms = Photograph(blotches()), Photograph(blotches())
    ahead = np.array([[0.0, 0.0, -1.0]])
    estimates = []
    for photograph, joints in zip(rooms, (STANDING, Body(lean=30).pose().joints), strict=True):
        person = estimate(photograph, joints=joints)
        gazes = np.concatenate([ahead, sampled_gazes(ahead)])
        estimates.append(replace(person, pose=replace(person.pose, gazes=gazes)))
    first, second = levelled_alike(rooms, (estimates[0], estimates[1]))
    for before, after in nonempty(zip(estimates, (first, second), strict=True)):
        assert after is not None
        assert before.tilt is not None
        assert after.tilt is not None
        assert after.pose.gazes is not None
        assert not np.allclose(after.pose.gazes[0], ahead[0], atol=1e-3)
        assert np.allclose(after.tilt.tilted(after.pose.gazes[0]), before.tilt.tilted(ahead[0]))

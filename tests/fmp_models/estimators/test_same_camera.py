"""The room behind the people tells whether one camera took both photographs, and then both are levelled by one tilt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

from fmp_models.data.camera import tilted
from fmp_models.estimators.base import Box, PoseEstimate
from fmp_models.estimators.camera_tilt import tilt_by, tilt_evidence
from fmp_models.estimators.plausible_joints import plausible_joints
from fmp_models.estimators.same_camera import levelled_alike, same_camera
from fmp_models.pose import INDEX, Array, Pose
from fmp_models.preprocessing.photograph import Photograph
from tests.bodies import Arm, Body
from tests.tilted_rooms import SIZE, room

PITCH, ROLL = 16, -9
LEFT, RIGHT = (40.0, 120.0, 180.0, 600.0), (250.0, 100.0, 420.0, 600.0)
STANDING, ARM_UP = Body().pose().joints, Body(left_arm=Arm(150, 60)).pose().joints
# Told from these joints alone the camera is turned further than it is.
LEANING = STANDING @ np.array([[np.cos(0.3), np.sin(0.3), 0], [-np.sin(0.3), np.cos(0.3), 0], [0, 0, 1]])


def photograph(image: Image.Image, box: Box = LEFT, colour: str = "firebrick") -> Photograph:
    """Somebody stands in the picture, as large as a person is."""
    shown = image.copy()
    ImageDraw.Draw(shown).ellipse(box, fill=colour)
    return Photograph(shown)


def estimate(photograph: Photograph, box: Box = LEFT, joints: Array = STANDING) -> PoseEstimate:
    """Somebody measured by a camera of the room's tilt."""
    metres = tilted(joints, PITCH, ROLL)
    evidence = tilt_evidence(photograph.image, metres, np.full((20, 2), -1000.0))
    levelled = tilt_by([evidence]).levelled(metres)
    everything = np.ones(20)
    pose = Pose(levelled, everything, plausible=plausible_joints(levelled[None], everything, everything))
    return PoseEstimate(pose, metres[:, :2] * 100, box, 1, tilt_evidence=evidence)


def are_one(first: Image.Image, second: Image.Image, boxes: tuple[Box, Box] = (LEFT, RIGHT)) -> bool:
    photographs = photograph(first, boxes[0]), photograph(second, boxes[1], "navy")
    estimates = estimate(photographs[0], boxes[0]), estimate(photographs[1], boxes[1])
    answer = same_camera(photographs, estimates)
    assert same_camera(photographs[::-1], estimates[::-1]) is answer
    return answer


def test_a_room_that_stays_where_it_is_was_taken_by_one_camera_wherever_its_people_stand() -> None:
    assert are_one(room(PITCH, ROLL), room(PITCH, ROLL))


@pytest.mark.parametrize("aside", [8, -14])
def test_a_hand_that_moved_a_little_held_one_camera(aside: int) -> None:
    assert are_one(room(PITCH, ROLL), ImageChops.offset(room(PITCH, ROLL), aside, aside // 2))


@settings(max_examples=10)
@given(st.floats(0.5, 1.6), st.integers(-30, 30))
def test_light_and_haste_do_not_make_another_camera(contrast: float, light: int) -> None:
    other = room(PITCH, ROLL).point(lambda value: value * contrast + light).filter(ImageFilter.GaussianBlur(1.5))
    assert are_one(room(PITCH, ROLL), other)


@pytest.mark.parametrize("other", [room(PITCH, ROLL + 15), room(PITCH, ROLL, posts=9), room(0, 0)])
def test_another_tilt_and_another_room_are_another_camera(other: Image.Image) -> None:
    assert not are_one(room(PITCH, ROLL), other)


def test_a_picture_cut_otherwise_a_plain_wall_and_one_full_of_people_tell_no_camera() -> None:
    same = room(PITCH, ROLL)
    assert not are_one(same, same.resize((240, 320)))
    assert not are_one(Image.new("RGB", SIZE, "white"), Image.new("RGB", SIZE, "white"))
    assert not are_one(same, same, ((0, 0, 300, 640), (180, 0, 480, 640)))


@pytest.mark.parametrize("size", [(1, 1), (1, 400), (900, 3)])
def test_pictures_of_any_size_are_compared(size: tuple[int, int]) -> None:
    picture = Image.effect_noise(size, 60).convert("RGB")
    nobody = (0.0, 0.0, 0.0, 0.0)
    alone = estimate(Photograph(picture), nobody)
    assert same_camera((Photograph(picture), Photograph(picture)), (alone, alone)) in {True, False}


def test_who_moves_an_arm_before_one_camera_does_not_lean() -> None:
    photographs = photograph(room(PITCH, ROLL)), photograph(room(PITCH, ROLL), RIGHT)
    seen = estimate(photographs[0]), estimate(photographs[1], RIGHT, LEANING)
    current, target = levelled_alike(photographs, seen)

    assert current is not None
    assert target is not None
    evidence = [one.tilt_evidence for one in seen if one.tilt_evidence is not None]
    tilt = tilt_by(evidence)
    for levelled, joints in ((current, STANDING), (target, LEANING)):
        assert np.allclose(levelled.pose.joints, tilt.levelled(tilted(joints, PITCH, ROLL)))
        assert levelled.pose.plausible is not None
        away = levelled.pose.plausible - levelled.pose.joints
        assert np.abs(away.mean(axis=0)).max() < 0.03


def test_whoever_is_seen_the_other_way_round_is_levelled_too() -> None:
    photographs = photograph(room(PITCH, ROLL)), photograph(room(PITCH, ROLL), RIGHT)
    first, second = estimate(photographs[0]), estimate(photographs[1], RIGHT, LEANING)
    current, _ = levelled_alike(photographs, (replace(first, turned=first, turned_share=0.4), second))

    assert current is not None
    assert current.turned is not None
    assert np.array_equal(current.turned.pose.joints, current.pose.joints)
    assert not np.array_equal(current.pose.joints, first.pose.joints)


def test_two_cameras_keep_their_tilts_and_so_does_whoever_is_alone() -> None:
    photographs = photograph(room(PITCH, ROLL)), photograph(room(0, 0))
    first, second = estimate(photographs[0]), estimate(photographs[1])
    for seen in ((first, second), (None, second), (first, None), (first, replace(second, tilt_evidence=None))):
        assert levelled_alike(photographs, seen) is seen


def test_mirrored_photographs_are_levelled_as_in_a_mirror() -> None:
    images = photograph(room(PITCH, ROLL)).image, photograph(room(PITCH, ROLL), RIGHT).image
    people = (LEFT, STANDING), (RIGHT, ARM_UP)
    mirrored_people = [
        ((SIZE[0] - box[2], box[1], SIZE[0] - box[0], box[3]), joints * np.array([-1.0, 1.0, 1.0]))
        for box, joints in people
    ]

    def measured(image: Image.Image, box: Box, joints: Array, roll: float) -> tuple[Photograph, PoseEstimate]:
        shown, metres = Photograph(image), tilted(joints, PITCH, roll)
        evidence = tilt_evidence(image, metres, np.full((20, 2), -1000.0))
        pose = Pose(tilt_by([evidence]).levelled(metres), np.ones(20))
        return shown, PoseEstimate(pose, metres[:, :2], box, 1, tilt_evidence=evidence)

    plain = [measured(image, *person, ROLL) for image, person in zip(images, people, strict=True)]
    mirrored = [
        measured(ImageOps.mirror(image), *person, -ROLL) for image, person in zip(images, mirrored_people, strict=True)
    ]
    (first, second), (third, fourth) = ([shown for shown, _ in pair] for pair in (plain, mirrored))
    seen = levelled_alike((first, second), (plain[0][1], plain[1][1]))
    in_mirror = levelled_alike((third, fourth), (mirrored[0][1], mirrored[1][1]))
    for one, other in zip(seen, in_mirror, strict=True):
        assert one is not None
        assert other is not None
        assert other.pose.joints * [-1, 1, 1] == pytest.approx(one.pose.joints, abs=0.01)
        assert one.pose.joints[INDEX["neck"]] @ [0, -1, 0] > 0

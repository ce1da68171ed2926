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
from fmp_models.estimators.pose_samples import sampled_joints
from fmp_models.estimators.same_camera import levelled_alike, same_camera
from fmp_models.pose import INDEX, Array, Pose
from fmp_models.preprocessing import Photograph
from tests.bodies import Arm, Body
from tests.nonempty import nonempty
from tests.tilted_rooms import NOWHERE, SIZE, room

PITCH, ROLL = 16, -9
LEFT, RIGHT = (40.0, 120.0, 180.0, 600.0), (250.0, 100.0, 420.0, 600.0)
STANDING = Body().pose().joints
REACHING = Body(lean=25, left_arm=Arm(150, 60)).pose().joints  # off balance, as whoever is about to step


def photograph(image: Image.Image, box: Box = LEFT, colour: str = "firebrick") -> Photograph:
    """Somebody stands in the picture, as large as a person is."""
    shown = image.copy()
    ImageDraw.Draw(shown).ellipse(box, fill=colour)
    return Photograph(shown)


def estimate(photograph: Photograph, box: Box = LEFT, joints: Array = STANDING, roll: float = ROLL) -> PoseEstimate:
    """Somebody measured by a camera of this tilt, levelled by what the photograph shows of it."""
    metres = tilted(joints, PITCH, roll)
    evidence = tilt_evidence(photograph.image, metres, NOWHERE)
    tilt = tilt_by([evidence])
    levelled, everything = tilt.levelled(metres), np.ones(20)
    pose = Pose(levelled, everything, pose_samples=sampled_joints(levelled[None], everything, everything))
    return PoseEstimate(pose, metres[:, :2] * 100, box, 1, tilt=tilt, tilt_evidence=evidence)


def are_one(first: Image.Image, second: Image.Image, boxes: tuple[Box, Box] = (LEFT, RIGHT)) -> bool:
    photographs = photograph(first, boxes[0]), photograph(second, boxes[1], "navy")
    estimates = estimate(photographs[0], boxes[0]), estimate(photographs[1], boxes[1])
    answer = same_camera(photographs, estimates)
    assert same_camera(photographs[::-1], estimates[::-1]) is answer
    return answer


def blotches(seed: int = 0) -> Image.Image:
    """Return a room without lines: it shows that the camera stood still, and nothing of its tilt."""
    noise = np.random.default_rng(seed).integers(0, 256, (16, 12), dtype=np.uint8)
    return Image.fromarray(noise).resize(SIZE, Image.Resampling.BICUBIC).convert("RGB")


def lean(estimate: PoseEstimate | None) -> float:
    """Degrees that a trunk leans to the right of the picture."""
    assert estimate is not None
    across, down, _ = estimate.pose.joints[INDEX["neck"]] - estimate.pose.joints[INDEX["hip"]]
    return float(np.degrees(np.arctan2(across, -down)))


def test_a_room_that_stays_where_it_is_was_taken_by_one_camera_wherever_its_people_stand() -> None:
    assert are_one(room(PITCH, ROLL), room(PITCH, ROLL))
    assert are_one(blotches(), blotches())


@pytest.mark.parametrize("aside", [8, -14])
def test_a_hand_that_moved_a_little_held_one_camera(aside: int) -> None:
    assert are_one(room(PITCH, ROLL), ImageChops.offset(room(PITCH, ROLL), aside, aside // 2))


@settings(max_examples=10)
@given(st.floats(0.5, 1.6), st.integers(-30, 30))
def test_light_and_haste_do_not_make_another_camera(contrast: float, light: int) -> None:
    other = room(PITCH, ROLL).point(lambda value: value * contrast + light).filter(ImageFilter.GaussianBlur(1.5))
    assert are_one(room(PITCH, ROLL), other)


@pytest.mark.parametrize(
    "other", [room(PITCH, ROLL + 15), room(PITCH - 14, ROLL), room(PITCH, ROLL, posts=9), room(0, 0), blotches()]
)
def test_another_tilt_and_another_room_are_another_camera(other: Image.Image) -> None:
    assert not are_one(room(PITCH, ROLL), other)
    assert not are_one(blotches(1), other)


def test_a_picture_cut_otherwise_and_one_full_of_people_tell_no_camera() -> None:
    same = room(PITCH, ROLL)
    assert not are_one(same, same.resize((240, 320)))
    assert not are_one(same, same, ((0, 0, 300, 640), (180, 0, 480, 640)))


def test_where_somebody_stands_tells_no_camera_before_a_plain_wall() -> None:
    for walls in (("white", "white"), ("white", "gray"), ("gray", "black")):
        first, second = (Image.new("RGB", SIZE, wall) for wall in walls)
        assert not are_one(first, second, (LEFT, LEFT))


@pytest.mark.parametrize("border", [(0, 30), (30, 0)])
def test_bars_beside_a_still_tell_no_camera(border: tuple[int, int]) -> None:
    def barred(image: Image.Image) -> Image.Image:
        across, down = border
        return ImageOps.expand(image.crop((across, down, SIZE[0] - across, SIZE[1] - down)), border, "black")

    for first, second in ((Image.new("RGB", SIZE, "white"), Image.new("RGB", SIZE, "gray")), (blotches(), blotches(1))):
        assert not are_one(barred(first), barred(second))
    assert are_one(barred(room(PITCH, ROLL)), barred(room(PITCH, ROLL)))


@pytest.mark.parametrize("size", [(1, 1), (1, 400), (900, 3)])
def test_a_strip_of_a_picture_shows_no_room(size: tuple[int, int]) -> None:
    picture = Photograph(Image.effect_noise(size, 60).convert("RGB"))
    alone = estimate(picture, (0.0, 0.0, 0.0, 0.0))
    assert not same_camera((picture, picture), (alone, alone))


def test_between_two_photographs_of_one_camera_a_trunk_leans_as_far_as_it_does() -> None:
    photographs = photograph(blotches()), photograph(blotches(), RIGHT)
    apart = estimate(photographs[0], roll=0), estimate(photographs[1], RIGHT, REACHING, roll=0)
    together = levelled_alike(photographs, apart)

    off, still_off = (abs(lean(target) - lean(current) - 25.0) for current, target in (apart, together))
    assert off > 0.5
    assert still_off < off / 3
    for levelled in together:
        assert levelled is not None
        assert levelled.pose.pose_samples is not None
        assert np.abs((levelled.pose.pose_samples - levelled.pose.joints).mean(axis=0)).max() < 0.03


def test_the_order_of_two_photographs_does_not_matter_and_once_levelled_they_stay_so() -> None:
    photographs = photograph(blotches()), photograph(blotches(), RIGHT)
    apart = estimate(photographs[0]), estimate(photographs[1], RIGHT, REACHING)
    together = levelled_alike(photographs, apart)
    turned_round = levelled_alike(photographs[::-1], apart[::-1])[::-1]
    again = levelled_alike(photographs, together)
    for one, others in nonempty(zip(together, zip(turned_round, again, strict=True), strict=True)):
        assert one is not None
        for other in others:
            assert other is not None
            assert other.pose.joints == pytest.approx(one.pose.joints, abs=1e-9)


def test_a_person_who_is_seen_the_other_way_round_is_levelled_too() -> None:
    photographs = photograph(blotches()), photograph(blotches(), RIGHT)
    first, second = estimate(photographs[0]), estimate(photographs[1], RIGHT, REACHING)
    current, _ = levelled_alike(photographs, (replace(first, turned=first, turned_share=0.4), second))

    assert current is not None
    assert current.turned is not None
    assert np.array_equal(current.turned.pose.joints, current.pose.joints)
    assert not np.array_equal(current.pose.joints, first.pose.joints)


def test_two_cameras_keep_their_tilts_and_so_does_anybody_who_is_alone() -> None:
    photographs = photograph(room(PITCH, ROLL)), photograph(room(0, 0))
    first, second = estimate(photographs[0]), estimate(photographs[1])
    for seen in ((first, second), (None, second), (first, None), (first, replace(second, tilt_evidence=None))):
        assert levelled_alike(photographs, seen) is seen


def test_mirrored_photographs_are_levelled_as_in_a_mirror() -> None:
    photographs = photograph(room(PITCH, ROLL)), photograph(room(PITCH, ROLL), RIGHT)
    in_mirror = tuple(Photograph(ImageOps.mirror(one.image)) for one in photographs)
    people = (LEFT, STANDING), (RIGHT, REACHING)
    apart = [estimate(one, *person) for one, person in zip(photographs, people, strict=True)]
    mirrored = [
        estimate(one, (SIZE[0] - box[2], box[1], SIZE[0] - box[0], box[3]), joints * [-1, 1, 1], -ROLL)
        for one, (box, joints) in zip(in_mirror, people, strict=True)
    ]
    seen = levelled_alike(photographs, (apart[0], apart[1]))
    seen_in_mirror = levelled_alike((in_mirror[0], in_mirror[1]), (mirrored[0], mirrored[1]))
    for before, one, other in nonempty(zip(apart, seen, seen_in_mirror, strict=True)):
        assert one is not None
        assert other is not None
        assert not np.array_equal(one.pose.joints, before.pose.joints)
        assert other.pose.joints * [-1, 1, 1] == pytest.approx(one.pose.joints, abs=0.01)

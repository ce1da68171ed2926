"""The estimates of a pair face alike, and are levelled by one tilt if one camera took both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

from fmp_models.data.pictures import tilted_joints
from fmp_models.estimators.base import Box, PoseEstimate, sampled_joints
from fmp_models.estimators.camera_tilt import LEVEL, CameraTilt, tilt_by, tilt_evidence
from fmp_models.estimators.pair_alignment import (
    face_opposite_ways,
    facing_alike,
    facing_as,
    levelled_alike,
    same_camera,
    upside_down,
)
from fmp_models.pose import INDEX, MIRROR, Array, Pose
from fmp_models.preprocessing import Photograph
from tests.bodies import Arm, Body, Leg
from tests.nonempty import nonempty
from tests.tilted_rooms import NOWHERE, SIZE, room

FRONT = Body().pose()
# What a look sees that takes a front for a back: the outline stays, left and right and near and far change places.
BACK = Pose(FRONT.joints[list(MIRROR)] * np.array([1.0, 1.0, -1.0]), FRONT.visibility)


def facing_estimate(pose: Pose, turned: Pose | None = None, share: float = 0.0) -> PoseEstimate:
    plain = PoseEstimate(pose, pose.joints[:, :2] * 100, (0.0, 0.0, 100.0, 200.0), 1)
    return plain if turned is None else replace(plain, turned=facing_estimate(turned), turned_share=share)


def test_a_back_is_known_from_a_front() -> None:
    assert face_opposite_ways(FRONT.joints, BACK.joints)
    assert not face_opposite_ways(FRONT.joints, FRONT.joints)


@pytest.mark.parametrize("doubted", [0, 1])
def test_a_doubtful_back_becomes_the_front_that_the_other_photograph_shows(doubted: int) -> None:
    given = [facing_estimate(FRONT), facing_estimate(FRONT)]
    given[doubted] = facing_estimate(BACK, FRONT, 0.4)
    seen = facing_alike(*given)
    assert all(one is not None and np.array_equal(one.pose.joints, FRONT.joints) for one in seen)
    assert seen[1 - doubted] is given[1 - doubted]


def test_who_is_surely_seen_from_behind_once_has_turned() -> None:
    given = facing_estimate(FRONT), facing_estimate(BACK)
    assert facing_alike(*given) == given


def test_a_person_who_agrees_already_stays_as_seen() -> None:
    given = facing_estimate(BACK, FRONT, 0.4), facing_estimate(BACK, FRONT, 0.4)
    assert facing_alike(*given) == given


def test_of_two_doubtful_ones_the_way_counts_that_most_looks_saw() -> None:
    current, target = facing_alike(facing_estimate(FRONT, BACK, 0.25), facing_estimate(BACK, FRONT, 0.45))
    assert current is not None
    assert target is not None
    assert np.array_equal(current.pose.joints, FRONT.joints)
    assert np.array_equal(target.pose.joints, FRONT.joints)


def test_of_ways_that_as_many_looks_saw_the_front_counts_in_either_order() -> None:
    front, back = facing_estimate(FRONT, BACK, 0.25), facing_estimate(BACK, FRONT, 0.25)
    for first, second in ((front, back), (back, front)):
        for one in nonempty(facing_alike(first, second)):
            assert one is not None
            assert np.array_equal(one.pose.joints, FRONT.joints)


def test_who_lies_on_a_side_faces_no_way() -> None:
    lying = FRONT.joints[:, [1, 0, 2]]
    noise = np.random.default_rng(0).normal(scale=0.03, size=(50, 20, 3))
    assert not any(face_opposite_ways(lying + one, lying - one) for one in noise)


def test_a_candidate_faces_as_a_known_person_who_stays_as_seen() -> None:
    known, doubtful = facing_estimate(FRONT, BACK, 0.4), facing_estimate(BACK, FRONT, 0.3)
    assert facing_as(known, doubtful) is doubtful.turned
    assert facing_as(known, known) is known
    assert facing_as(None, doubtful) is doubtful
    assert facing_as(known, None) is None


def test_where_nobody_is_measured_nothing_is_compared() -> None:
    doubtful = facing_estimate(BACK, FRONT, 0.4)
    assert facing_alike(None, doubtful) == (None, doubtful)
    assert facing_alike(doubtful, None) == (doubtful, None)


@pytest.mark.parametrize("tilts", [(None, None), (LEVEL, LEVEL), (LEVEL, replace(LEVEL, pitch=3.0))])
def test_photographs_of_two_cameras_say_so_and_those_of_one_do_not(tilts: tuple[CameraTilt | None, ...]) -> None:
    people = [replace(facing_estimate(FRONT, BACK, 0.3), tilt=tilt) for tilt in tilts]
    apart = tilts[0] != tilts[1]
    for person in nonempty(facing_alike(people[0], people[1])):
        assert person is not None
        assert person.pose.own_camera is apart
        assert person.turned is not None
        assert person.turned.pose.own_camera is apart


TURNED_OVER = np.array([-1.0, -1.0, 1.0])
ARMS = {
    "hanging": Arm(),
    "level": Arm(lift=90),
    "hands_on_hips": Arm(lift=45, bend=100, roll=-90),
    "overhead": Arm(lift=175),
}


@pytest.mark.parametrize("arms", ["hanging", "level", "hands_on_hips"])
@pytest.mark.parametrize("yaw", [0, 50, 180])
def test_a_person_who_stands_is_upside_down_in_a_photograph_that_is(arms: str, yaw: float) -> None:
    body = Body(yaw=yaw, left_arm=ARMS[arms], right_arm=ARMS[arms]).pose().joints
    assert upside_down(body * TURNED_OVER)
    assert not upside_down(body)


def test_a_handstand_is_not_upside_down() -> None:
    body = Body(left_arm=ARMS["overhead"], right_arm=ARMS["overhead"]).pose().joints
    assert not upside_down(body * TURNED_OVER)


def test_a_shoulder_stand_is_not_upside_down() -> None:
    body = Body(left_arm=Arm(), right_arm=Arm(), nod=80).pose().joints  # the head lies level with the shoulders
    assert not upside_down(body * TURNED_OVER)


@pytest.mark.parametrize("pitch", [90, 130])
def test_a_person_who_bends_over_on_their_feet_is_not_upside_down(pitch: float) -> None:
    assert not upside_down(Body(pitch=pitch, left_leg=Leg(), right_leg=Leg()).pose().joints)


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
    metres = tilted_joints(joints, PITCH, roll)
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

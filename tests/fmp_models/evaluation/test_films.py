"""Films become labelled pairs by triangulation and measured labels."""

from __future__ import annotations

import logging
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PersonPoint, PoseEstimate
from fmp_models.evaluation.films import measured_truth, triangulated, write_film_pairs
from fmp_models.evaluation.real_pairs import SLOTS, read_real_pairs
from fmp_models.pose import INDEX, MIRROR, Array
from fmp_models.preprocessing import Photograph
from tests.bodies import Arm, Body, Leg, bodies
from tests.fmp_models.evaluation.film_of_body import (
    CAMERAS,
    SIZE,
    SeesTheBody,
    camera_at,
    claim_length,
    enlarged,
    in_room,
    write_film,
)
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


STANDING = Body()
RAISED = Body(left_arm=Arm(lift=150))
SQUAT = Body(left_leg=Leg(lift=80, bend=95), right_leg=Leg(lift=80, bend=95), pitch=15)

FOLD = Body(pitch=95, lean=-3)  # the neck is below the hips


@pytest.mark.parametrize(
    ("target", "slot", "sign"),
    [
        (RAISED, "left_arm_up", 1),
        (RAISED, "left_hand_up", 1),
        (RAISED, "right_arm_up", 0),
        (Body(right_arm=Arm(lift=85)), "right_arm_out", 1),
        (Body(right_arm=Arm(lift=85, swing=90)), "right_arm_forward", 1),
        (Body(right_arm=Arm(bend=90)), "right_elbow_bend", 1),
        (SQUAT, "left_knee_bend", 1),
        (SQUAT, "hips_down", 1),
        (SQUAT, "left_leg_up", 0),
        (Body(right_leg=Leg(lift=60, bend=60)), "right_leg_up", 1),
        (Body(left_leg=Leg(lift=25, swing=0)), "left_foot_side", 1),
        (Body(left_leg=Leg(lift=25, swing=0)), "feet_apart", 1),
        (Body(right_leg=Leg(lift=30)), "right_foot_forward", 1),
        (Body(pitch=40), "trunk_forward", 1),
        (Body(lean=25), "trunk_left", 1),
        (FOLD, "trunk_forward", 1),
        (FOLD, "trunk_left", 0),
        (Body(yaw=40), "body_turn_left", 1),
        (Body(twist=40), "trunk_twist_left", 1),
    ],
)
def test_a_movement_has_its_sign_and_the_way_back_the_other(target: Body, slot: str, sign: int) -> None:
    there, _ = measured_truth(in_room(STANDING), in_room(target))
    back, _ = measured_truth(in_room(target), in_room(STANDING))
    assert there[slot] == sign
    assert back[slot] == -sign


@given(bodies)
def test_who_stays_has_no_change_and_nothing_that_must_be_said(body: Body) -> None:
    truth, must = measured_truth(in_room(body), in_room(body))
    assert set(truth.values()) == {0}
    assert must == ()
    assert set(truth) <= set(SLOTS)


def test_what_anybody_would_mention_is_the_largest_and_an_arm_is_mentioned_once() -> None:
    _, must = measured_truth(in_room(STANDING), in_room(Body(left_arm=Arm(lift=150), right_arm=Arm(bend=60))))
    assert len(must) == 2
    assert must[0] in {"left_arm_up", "left_hand_up"}
    assert must[1] == "right_elbow_bend"


def test_what_changes_by_neither_little_nor_much_has_no_label() -> None:
    truth, _ = measured_truth(in_room(STANDING), in_room(Body(left_arm=Arm(lift=20))))
    assert truth["left_arm_up"] is None


def test_a_stride_is_no_other_stance_though_the_feet_come_apart_or_together() -> None:
    aside, ahead = Body(left_leg=Leg(lift=25, swing=0)), Body(left_leg=Leg(lift=35, swing=60))
    wider, must = measured_truth(in_room(STANDING), in_room(aside))
    stride, _ = measured_truth(in_room(STANDING), in_room(ahead))
    back, _ = measured_truth(in_room(ahead), in_room(STANDING))
    assert wider["feet_apart"] == 1
    assert "feet_apart" in must
    assert stride["left_foot_side"] == 1
    assert stride["feet_apart"] is None
    assert back["feet_apart"] is None


def test_feet_that_stay_have_no_other_stance_however_they_are_measured() -> None:
    unsteady = Body(left_leg=Leg(lift=6), right_leg=Leg(lift=3))
    truth, _ = measured_truth(in_room(STANDING), in_room(unsteady))
    assert truth["feet_apart"] == 0


BODIES = [Body(), Body(left_arm=Arm(lift=150)), Body(lean=25), Body(right_arm=Arm(lift=85))]


def test_every_camera_has_every_pair_of_moments_with_what_all_of_them_measured(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    film = write_film(tmp_path / "film", len(BODIES))
    written = write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES, backwards=[(1, 1)]))
    pairs = read_real_pairs(tmp_path / "pairs").pairs
    assert len(pairs) == written == 6 * len(CAMERAS)
    assert {pair.view for pair in pairs} == {*CAMERAS}
    assert all(pair.id == f"{pair.current.stem}_{pair.target.stem[-5:]}" for pair in pairs)
    signs = {"00000_00001": 1, "00001_00000": -1}  # there and back
    raised = [pair for pair in pairs if pair.id[5:] in signs]
    assert len(raised) == len(CAMERAS)
    assert all(pair.truth["left_arm_up"] == signs[pair.id[5:]] for pair in raised)
    assert caplog.messages == [f"film: frame {number}" for number in range(len(BODIES))]


def test_a_camera_of_smaller_pictures_does_not_make_the_others_less_exact(tmp_path: Path) -> None:
    first, *others = CAMERAS
    cameras = {first: CAMERAS[first], **{name: enlarged(CAMERAS[name], 3) for name in others}}
    film = write_film(tmp_path / "film", len(BODIES), cameras)
    written = write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES, off=3))
    assert written == 6 * len(CAMERAS)


class SeesTwo(SeesTheBody):
    """Whoever is not asked for by their place is somebody else."""

    def estimate(self, photograph: Photograph) -> PoseEstimate:  # noqa: ARG002
        raise BadInputError("no_person", which="given")

    def estimate_near(self, photograph: Photograph, place: PersonPoint) -> PoseEstimate:
        self.asked = [*getattr(self, "asked", []), place]
        return super().estimate(photograph)


def test_of_several_people_the_one_is_measured_whom_each_camera_is_told_and_is_cut_out(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film", len(BODIES))
    estimator = SeesTwo(BODIES)
    person_points = {"cam1": (0.5, 0.4), "cam2": (0.4, 0.5), "cam4": (0.6, 0.5)}
    assert write_film_pairs(film, tmp_path / "pairs", estimator, person_points) == 6 * len(person_points)
    assert estimator.asked == [*person_points.values()] * len(BODIES)
    pairs = read_real_pairs(tmp_path / "pairs").pairs
    assert {pair.view for pair in pairs} == {*person_points}
    for pair in pairs:
        with Image.open(pair.current) as picture:
            # As wide as high around the whole person, where the picture lets it.
            assert picture.width < SIZE[0]
            assert 0.9 < picture.height / picture.width < 1.1


def test_an_estimator_that_cannot_be_told_whom_to_measure_measures_nobody_of_several(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film", 2)
    person_points = dict.fromkeys(("cam1", "cam2", "cam4"), (0.5, 0.5))
    with pytest.raises(BadInputError) as refused:
        write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES), person_points)
    assert refused.value.code == "whom_unusable"


@pytest.mark.parametrize(
    ("cameras", "why"),
    [(("cam1", "cam2", "cam9"), "cam9 is not a camera of the film"), (("cam1", "cam2"), "2 cameras are too few")],
)
def test_cameras_that_are_told_must_be_enough_and_the_films_own(
    tmp_path: Path, cameras: tuple[str, ...], why: str
) -> None:
    film = write_film(tmp_path / "film", 2)
    with pytest.raises(BadInputError, match=why):
        write_film_pairs(film, tmp_path / "pairs", SeesTwo(BODIES), dict.fromkeys(cameras, (0.5, 0.5)))


def test_a_moment_in_which_a_camera_sees_nobody_is_left_out(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film", len(BODIES))
    written = write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES, nobody=2))
    assert written == 3 * len(CAMERAS)


@pytest.mark.parametrize("claimed", [0, 1, 100_000, 2**32 - 1])
def test_what_a_video_says_of_its_length_is_not_believed(tmp_path: Path, claimed: int) -> None:
    film = write_film(tmp_path / "film", len(BODIES))
    for video in (film / "videos").iterdir():
        claim_length(video, claimed)
    assert write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES)) == 6 * len(CAMERAS)


class Undecoded:
    """A video of which no frame may be decoded."""

    def __init__(self, path: str) -> None:
        capture = _OPENED(path)
        self.get, self.release = capture.get, capture.release

    def grab(self) -> bool:
        pytest.fail("a frame was decoded")


_OPENED = cv2.VideoCapture


def test_large_frames_are_refused_before_one_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = CAMERAS
    large = enlarged(CAMERAS[first], 15)  # 3,600 by 4,800 pixels
    film = write_film(tmp_path / "film", 1, {first: large, **{name: CAMERAS[name] for name in others}})
    monkeypatch.setattr(cv2, "VideoCapture", Undecoded)
    with pytest.raises(BadInputError) as refusal:
        write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES))
    assert refusal.value.code == "film_unusable"
    assert "frames of cam1.avi are 3600 by 4800 pixels" in str(refusal.value)


def test_the_shortest_video_ends_the_film(tmp_path: Path) -> None:
    film, shorter = (write_film(tmp_path / str(frames), frames) for frames in (len(BODIES), len(BODIES) - 1))
    (shorter / "videos" / "cam2.avi").replace(film / "videos" / "cam2.avi")
    assert write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES)) == 3 * len(CAMERAS)


def test_pictures_of_one_moment_are_held_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = cv2.VideoCapture
    taken: list[object] = []

    class Counted:  # OpenCV's own class does not survive being a parent
        def __init__(self, path: str) -> None:
            self._capture = opened(path)
            self.get, self.grab, self.release = self._capture.get, self._capture.grab, self._capture.release

        def retrieve(self) -> tuple[bool, object]:
            taken.append(self)
            return self._capture.retrieve()

    class Looking(SeesTheBody):
        looks = 0

        def estimate(self, photograph: Photograph) -> PoseEstimate:
            moment, _ = divmod(self.looks, len(CAMERAS))
            assert len(taken) == (moment + 1) * len(CAMERAS)
            self.looks += 1
            return super().estimate(photograph)

    monkeypatch.setattr(cv2, "VideoCapture", Counted)
    write_film_pairs(write_film(tmp_path / "film", len(BODIES)), tmp_path / "pairs", Looking(BODIES))
    assert len(taken) == len(BODIES) * len(CAMERAS)


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text("[]")
    with pytest.raises(BadInputError) as refusal:
        write_film_pairs(tmp_path / "film", tmp_path, SeesTheBody(BODIES))
    assert refusal.value.code == "folder_not_empty"
    assert (tmp_path / "truth.json").read_text() == "[]"


@pytest.mark.parametrize("place", [".", "below"])
def test_where_a_file_lies_no_folder_is_made(tmp_path: Path, place: str) -> None:
    film = write_film(tmp_path / "film", len(BODIES))
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInputError) as refusal:
        write_film_pairs(film, tmp_path / "file" / place, SeesTheBody(BODIES))
    assert refusal.value.code == "folder_unusable"
    assert (tmp_path / "file").read_text() == "mine"


NUMBERS = {
    "a place without end": ('x="', 'x="1e400" was="'),
    "axes without end": ('r21="', 'r21="1e400" was="'),
    "no focal length": ('focalLengthU="', 'focalLengthU="0" was="'),
    "a focal length below nothing": ('focalLengthV="', 'focalLengthV="-1" was="'),
}


@pytest.mark.parametrize(
    "broken", ["nothing", "calibration", *NUMBERS, "two cameras", "two of one", "videos", "one moment"]
)
def test_what_is_no_film_of_calibrated_cameras_is_refused(tmp_path: Path, broken: str) -> None:
    film = tmp_path / "film"
    if broken != "nothing":
        write_film(film, 1 if broken == "one moment" else len(BODIES))
    calibration = film / "calibration" / "room.qca.txt"
    videos = [*(film / "videos").glob("*")]
    if broken == "calibration":
        calibration.write_bytes(b"\x00<cameras>")
    elif broken in NUMBERS:
        calibration.write_text(calibration.read_text().replace(*NUMBERS[broken]))
    elif broken == "two of one":
        (film / "videos" / "cam1.mkv").write_bytes(videos[0].read_bytes())
    elif broken == "two cameras":
        for video in videos[2:]:
            video.unlink()
    elif broken == "videos":
        videos[0].write_bytes(b"no video")
    with pytest.raises(BadInputError) as refusal:
        write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES))
    assert refusal.value.code == "film_unusable"
    assert not (tmp_path / "pairs").exists()

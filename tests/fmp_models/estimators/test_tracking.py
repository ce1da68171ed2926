"""Following somebody over frames gives the joints of photographs, and says when nobody is there."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.examples.catalogue import EXAMPLES
from fmp_models.errors import BadInputError
from fmp_models.estimators import tracking
from fmp_models.estimators.camera_tilt import TILTS, CameraTilt
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.estimators.tracking import (
    FrameLandmarks,
    LandmarkTracker,
    MediaPipeTracker,
    TrackedPerson,
    TrackingEstimator,
)
from fmp_models.pose import INDEX, in_pelvis_frame
from fmp_models.preprocessing import Photograph

WARRIOR = next(pair for pair in EXAMPLES if pair.name == "warrior")


def picture(data: bytes = WARRIOR.target) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def followed(tracker: MediaPipeTracker, frame: Image.Image, frames: int = 5) -> TrackedPerson | None:
    """Return the result at the last of several equal frames."""
    tracked = [tracker.track(frame, number / 15) for number in range(frames)]
    return tracked[-1]


def test_joints_of_frames_are_those_of_a_photograph(estimator: MediaPipeEstimator) -> None:
    person = followed(estimator.new_tracker(), picture())
    assert person is not None
    measured = estimator.estimate(Photograph(picture()))
    apart = np.linalg.norm(in_pelvis_frame(person.pose.joints) - in_pelvis_frame(measured.pose.joints), axis=1)
    assert apart.mean() < 0.06
    off = np.linalg.norm(person.places * picture().size - measured.image_joints, axis=1)
    assert off.max() < 0.05 * picture().height
    assert person.pose.pose_samples is not None


@pytest.mark.parametrize("size", [(480, 360), (270, 480), (64, 64)])
def test_nobody_is_seen_in_an_empty_frame_of_any_shape(estimator: MediaPipeEstimator, size: tuple[int, int]) -> None:
    assert followed(estimator.new_tracker(), Image.new("RGB", size, (90, 120, 100))) is None


def test_a_person_who_comes_back_is_seen_again(estimator: MediaPipeEstimator) -> None:
    tracker = estimator.new_tracker()
    assert followed(tracker, picture()) is not None
    empty = Image.new("RGB", picture().size, (90, 120, 100))
    assert [tracker.track(empty, 1 + number / 15) for number in range(10)][-1] is None
    assert [tracker.track(picture(), 2 + number / 15) for number in range(5)][-1] is not None


def test_a_moment_that_goes_back_is_taken_as_the_next_one(estimator: MediaPipeEstimator) -> None:
    tracker = estimator.new_tracker()
    tracker.track(picture(), 5.0)
    assert tracker.track(picture(), 1.0) is not None


def test_joints_outside_the_frame_are_not_visible(estimator: MediaPipeEstimator) -> None:
    whole = picture()
    person = followed(estimator.new_tracker(), whole.crop((0, 0, whole.width, round(whole.height * 0.6))))
    assert person is not None
    feet = [INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("ankle", "foot")]
    assert person.pose.visibility[feet].max() == 0
    assert person.pose.visibility[INDEX["left_shoulder"]] > 0.5


def test_an_estimator_of_mediapipe_follows_people(estimator: MediaPipeEstimator) -> None:
    assert isinstance(estimator, TrackingEstimator)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pose_landmarker_full.task").write_bytes(b"nothing")
    with pytest.raises(BadInputError) as caught:
        MediaPipeTracker(tmp_path / "pose_landmarker_full.task", None)
    assert caught.value.code == "pose_model_unreadable"


def test_a_camera_that_is_held_askew_leans_nobody(estimator: MediaPipeEstimator) -> None:
    askew = picture().rotate(12, expand=False, fillcolor=(128, 128, 128))
    person = followed(estimator.new_tracker(), askew)
    assert person is not None
    # The bodies agree with what was measured only if they are seen through the same camera.
    flat = person.tilt.tilted(person.pose.joints)[:, :2]
    places = person.places * askew.size
    scale = np.ptp(places[:, 1]) / np.ptp(flat[:, 1])
    assert np.abs((flat - flat[0]) * scale - (places - places[0])).mean() < 0.05 * np.ptp(places[:, 1])


def test_the_tilt_is_looked_at_now_and_then_and_forgotten_when_the_camera_is_moved(
    estimator: MediaPipeEstimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[CameraTilt] = []

    def tilt_of(*_: object) -> CameraTilt:
        looks.append(CameraTilt(10.0 if len(looks) < 3 else -20.0, 0.0, 1.0, 1.0))
        return looks[-1]

    monkeypatch.setattr(tracking, "camera_tilt", tilt_of)
    tracker = estimator.new_tracker()
    people = [tracker.track(picture(), float(number)) for number in range(45)]
    assert 10 <= len(looks) <= 13
    assert people[0] is not None
    assert people[-1] is not None
    assert people[0].tilt.pitch == pytest.approx(10.0)
    assert people[-1].tilt.pitch == pytest.approx(-20.0)


def test_lines_of_the_room_tilt_landmarks_that_balance_alone_leaves_nearly_level() -> None:
    standing = FrameLandmarks(np.zeros((33, 2)) + 240.0, np.zeros((33, 3)), np.ones(33), (480, 640))
    pitch, roll = np.meshgrid(np.linspace(-40, 40, 21), np.linspace(-30, 30, TILTS // 21), indexing="ij")
    lines = -((pitch - 20) ** 2 + roll**2).ravel() / 2
    tracked = [LandmarkTracker(None).track(replace(standing, lines=told), 0.0) for told in (None, lines)]
    level, tilted = [person.tilt.pitch for person in tracked if person is not None]
    assert abs(level) < 1
    assert tilted == pytest.approx(20, abs=1)


def test_nobody_is_followed_where_nobody_was_found_or_the_trunk_cannot_be_seen() -> None:
    hidden = FrameLandmarks(np.zeros((33, 2)) + 240.0, np.zeros((33, 3)), np.full(33, 0.1), (480, 640))
    assert LandmarkTracker(None).track(None, 0.0) is None
    assert LandmarkTracker(None).track(hidden, 0.1) is None

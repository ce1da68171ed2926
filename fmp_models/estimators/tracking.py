"""Tracking: frames of a video stream -> joints, smoothed over time by MediaPipe's VIDEO mode; one tracker per person.

Between frames MediaPipe follows the known body, which takes a third of the time of a detection, and smooths
its landmarks (with its own One Euro filter). Each frame is padded to a square, like every crop of a
photograph. Joints are levelled by the camera's tilt; the camera stands still during an exercise, so the tilt
is averaged over time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from PIL import Image

from fmp_models.estimators.base import TRUNK, shown
from fmp_models.estimators.camera_tilt import LEVEL, CameraTilt, camera_tilt, evidence_of, mean_tilt, tilt_by
from fmp_models.estimators.landmark_joints import FoundPerson, Lift, landmarks_of, person_from
from fmp_models.estimators.pose_samples import sampled_joints
from fmp_models.pose import Array, Pose

_SEEN = 0.3  # minimum mean visibility of the trunk; below it furniture was mistaken for a person
_TILT_EVERY, _MAX_TILTS = 4.0, 8  # seconds between tilt estimates; recent estimates averaged, as cameras move
CERTAIN = 0.5  # MediaPipe's own thresholds for detection and tracking


@dataclass(frozen=True)
class TrackedPerson:
    """A person in one frame: the pose, and the joints' positions (20, 2) as shares of the frame's width and height.

    Joints can lie outside the frame; their visibility is then 0, and nearly any position is plausible.
    """

    pose: Pose
    places: Array
    size: tuple[int, int]  # size of the frame in pixels
    tilt: CameraTilt = LEVEL  # tilt that the pose was levelled by


class Tracker(Protocol):
    """A tracker of one person from frame to frame."""

    def track(self, frame: Image.Image, at: float) -> TrackedPerson | None:
        """Return the person in the RGB ``frame`` at the time ``at`` in seconds; ``None`` if no person is visible."""
        ...


@runtime_checkable
class TrackingEstimator(Protocol):
    """An estimator of photographs that can also track a person over frames."""

    def new_tracker(self) -> Tracker:
        """Return a separate tracker for one person; raise ``pose_model_unreadable``."""
        ...


@runtime_checkable
class LandmarkTrackingEstimator(TrackingEstimator, Protocol):
    """A tracking estimator that also accepts landmarks found by its pose model elsewhere, such as in a browser."""

    pose_model: Path

    def new_landmark_tracker(self) -> LandmarkTracker:
        """Return a tracker that converts the landmarks of each frame to a person."""
        ...


@dataclass(frozen=True)
class FrameLandmarks:
    """MediaPipe's 33 landmarks of a person in a frame of this ``size``: pixels, metres (33, 3), visibility (33,).

    ``lines`` is the evidence of the camera's tilt in the frame's upright lines, as in :class:`TiltEvidence`;
    ``None`` if the lines were not detected.
    """

    points: Array
    metres: Array
    visibility: Array
    size: tuple[int, int]
    lines: Array | None = None


class LandmarkTracker:
    """Landmarks of one person over a sequence of frames -> joints, levelled by the tilt averaged over time."""

    def __init__(self, lift: Lift | None) -> None:
        """Create a tracker; ``lift`` is that of :func:`person_from`."""
        self._lift = lift
        self._tilts: list[CameraTilt] = []
        self._tilt_seen = 0.0

    def track(self, frame: FrameLandmarks | None, at: float) -> TrackedPerson | None:
        """Return the person at the time ``at`` in seconds; None if no person is visible."""
        if frame is None:
            return None
        return self.track_in(frame, at, lambda person: tilt_by([evidence_of(person.metres, frame.lines)]))

    def track_in(
        self, frame: FrameLandmarks, at: float, tilt_of: Callable[[FoundPerson], CameraTilt]
    ) -> TrackedPerson | None:
        """Return the person as in :meth:`track`; call ``tilt_of`` every few seconds and for each frame with lines."""
        person = person_from(frame.points, frame.metres, frame.visibility, mirrored=False, lift=self._lift)
        within = shown(person.pixels, person.visibility, frame.size)
        visibility = np.where(within, person.visibility, 0.0)
        if person.visibility[TRUNK].mean() < _SEEN:
            return None
        if not self._tilts or frame.lines is not None or at - self._tilt_seen >= _TILT_EVERY:
            self._tilt_seen = at
            self._tilts = [*self._tilts[-_MAX_TILTS + 1 :], tilt_of(person)]
        tilt = mean_tilt(self._tilts)
        joints = tilt.levelled(person.metres)
        pose = Pose(joints, visibility, pose_samples=sampled_joints([joints], visibility, within))
        return TrackedPerson(pose, person.pixels / np.array(frame.size), frame.size, tilt)


class MediaPipeTracker:
    """MediaPipe's pose landmarker over one sequence of frames; not thread-safe."""

    def __init__(self, model_path: Path, lift: Lift | None) -> None:
        """Open a ``pose_landmarker_*.task`` file; raise ``pose_model_unreadable``.

        ``lift`` is that of :func:`person_from`.
        """
        from fmp_models.estimators.landmarks import landmarkers  # noqa: PLC0415  loads MediaPipe, which is slow

        self._landmarker = landmarkers.open_video_landmarker(self, model_path, CERTAIN)
        self._picture, self._detected = landmarkers.picture, landmarkers.detected
        self._landmarks = LandmarkTracker(lift)
        self._last = -1

    def track(self, frame: Image.Image, at: float) -> TrackedPerson | None:
        """Return the person as in :class:`Tracker`; a time not after the last one counts as a millisecond after it."""
        self._last = max(self._last + 1, round(at * 1000))
        side = max(frame.size)
        square = np.ascontiguousarray(np.asarray(frame.crop((0, 0, side, side))))
        seen = self._detected(self._landmarker.detect_for_video, self._picture(square), self._last)
        found = next(landmarks_of(seen, side), None)
        if found is None:
            return None
        return self._landmarks.track_in(
            FrameLandmarks(*found, frame.size),
            self._last / 1000,
            lambda person: camera_tilt(frame, person.metres, person.pixels),
        )

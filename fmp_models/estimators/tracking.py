"""Tracking, the frames of a live picture -> joints, steadied over time: MediaPipe's VIDEO mode, a tracker a person.

From one frame to the next MediaPipe follows the body that it knows, which costs a third of finding it, and smooths its
landmarks (its own One Euro filter). A frame is set into a square, as every look at a photograph is. Joints are levelled
by the tilt of the camera, which stands still while somebody exercises: what all moments show of it is averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import mediapipe
import numpy as np
from mediapipe.tasks.python.vision import PoseLandmarkerOptions, RunningMode
from PIL import Image

from fmp_models.estimators.base import TRUNK, shown
from fmp_models.estimators.camera_tilt import LEVEL, CameraTilt, camera_tilt, mean_tilt
from fmp_models.estimators.landmark_joints import FoundPerson, Lift, landmarks_of, person_from
from fmp_models.estimators.landmarks.landmarkers import base_options, open_landmarker
from fmp_models.estimators.plausible_joints import plausible_joints
from fmp_models.pose import Array, Pose

_SEEN = 0.3  # mean visibility of the trunk below which furniture was taken for a person
_TILT_EVERY, _MOST_TILTS = 4000, 8  # milliseconds between looks at the tilt; those that count, as cameras get moved
_CERTAIN = 0.5  # MediaPipe's own bounds: of finding somebody, and of following them


@dataclass(frozen=True)
class TrackedPerson:
    """A person in one frame: the pose, and where the joints lie, (20, 2) in shares of the frame's width and height.

    Joints may lie outside the frame; their visibility is 0 then, and nearly any place is plausible.
    """

    pose: Pose
    places: Array
    size: tuple[int, int]  # of the frame, in pixels
    tilt: CameraTilt = LEVEL  # by which the pose was levelled


class Tracker(Protocol):
    """Anything that follows one person from frame to frame."""

    def track(self, frame: Image.Image, at: float) -> TrackedPerson | None:
        """The person in the ``frame``, RGB, of the moment ``at`` in seconds; ``None`` where nobody is seen."""
        ...


@runtime_checkable
class TrackingEstimator(Protocol):
    """An estimator of photographs that can follow somebody over frames as well."""

    def new_tracker(self) -> Tracker:
        """A tracker of its own for one person; ``pose_model_unreadable``."""
        ...


class MediaPipeTracker:
    """MediaPipe's pose landmarker over one sequence of frames; not to be shared between threads at the same time."""

    def __init__(self, model_path: Path, lift: Lift | None) -> None:
        """``model_path``: a ``pose_landmarker_*.task`` file; raises ``pose_model_unreadable``.

        ``lift`` as of :func:`person_from`.
        """
        self._lift = lift
        options = PoseLandmarkerOptions(
            base_options=base_options(model_path),
            running_mode=RunningMode.VIDEO,
            min_pose_detection_confidence=_CERTAIN,
            min_tracking_confidence=_CERTAIN,
        )
        self._landmarker = open_landmarker(self, options)
        self._last = -1
        self._tilts: list[CameraTilt] = []
        self._tilt_seen = -1

    def track(self, frame: Image.Image, at: float) -> TrackedPerson | None:
        """As :class:`Tracker` says; a moment that is not after the last one counts as a millisecond after it."""
        self._last = max(self._last + 1, round(at * 1000))
        side = max(frame.size)
        square = np.ascontiguousarray(np.asarray(frame.crop((0, 0, side, side))))
        image = mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=square)
        result = self._landmarker.detect_for_video(image, self._last)
        landmarks = next(landmarks_of(result, side), None)
        if landmarks is None:
            return None
        person = person_from(*landmarks, mirrored=False, lift=self._lift)
        within = shown(person.pixels, person.visibility, frame.size)
        visibility = np.where(within, person.visibility, 0.0)
        if person.visibility[TRUNK].mean() < _SEEN:
            return None
        tilt = self._tilt(frame, person)
        joints = tilt.levelled(person.metres)
        pose = Pose(joints, visibility, plausible=plausible_joints([joints], visibility, within))
        return TrackedPerson(pose, person.pixels / np.array(frame.size), frame.size, tilt)

    def _tilt(self, frame: Image.Image, person: FoundPerson) -> CameraTilt:
        """Of the camera, by the last moments that were looked at."""
        if not self._tilts or self._last - self._tilt_seen >= _TILT_EVERY:
            self._tilt_seen = self._last
            self._tilts = [*self._tilts[-_MOST_TILTS + 1 :], camera_tilt(frame, person.metres, person.pixels)]
        return mean_tilt(self._tilts)

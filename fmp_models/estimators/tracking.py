"""Tracking, the frames of a live picture -> joints, steadied over time: MediaPipe's VIDEO mode, a tracker a person.

From one frame to the next MediaPipe follows the body that it knows, which costs a third of finding it, and smooths its
landmarks (its own One Euro filter). A frame is set into a square, as every look at a photograph is. Joints are levelled
by the tilt of the camera, which stands still while somebody exercises: what all moments show of it is averaged.
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

_SEEN = 0.3  # mean visibility of the trunk below which furniture was taken for a person
_TILT_EVERY, _MAX_TILTS = 4.0, 8  # seconds between looks at the tilt; those that count, as cameras get moved
CERTAIN = 0.5  # MediaPipe's own bounds: of finding somebody, and of following them


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


@runtime_checkable
class LandmarkTrackingEstimator(TrackingEstimator, Protocol):
    """One that can also go on from landmarks that its pose model gave elsewhere, in a browser say."""

    pose_model: Path

    def new_landmark_tracker(self) -> LandmarkTracker:
        """What makes a person of the landmarks of each frame."""
        ...


@dataclass(frozen=True)
class FrameLandmarks:
    """MediaPipe's 33 landmarks of a person in a frame of this ``size``: pixels, metres (33, 3), visibility (33,).

    ``lines`` are what the upright lines of the frame show of the camera's tilt, as of :class:`TiltEvidence`; ``None``
    where nobody looked at them.
    """

    points: Array
    metres: Array
    visibility: Array
    size: tuple[int, int]
    lines: Array | None = None


class LandmarkTracker:
    """The landmarks of one person over a sequence of frames -> joints, levelled by what all moments show."""

    def __init__(self, lift: Lift | None) -> None:
        """``lift`` as of :func:`person_from`."""
        self._lift = lift
        self._tilts: list[CameraTilt] = []
        self._tilt_seen = 0.0

    def track(self, frame: FrameLandmarks | None, at: float) -> TrackedPerson | None:
        """Return the person at the moment ``at`` in seconds; None where nobody is seen."""
        if frame is None:
            return None
        return self.track_in(frame, at, lambda person: tilt_by([evidence_of(person.metres, frame.lines)]))

    def track_in(
        self, frame: FrameLandmarks, at: float, tilt_of: Callable[[FoundPerson], CameraTilt]
    ) -> TrackedPerson | None:
        """As :meth:`track`, where ``tilt_of`` tells the tilt by this frame: now and then, and where it has lines."""
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
    """MediaPipe's pose landmarker over one sequence of frames; not to be shared between threads at the same time."""

    def __init__(self, model_path: Path, lift: Lift | None) -> None:
        """``model_path``: a ``pose_landmarker_*.task`` file; raises ``pose_model_unreadable``.

        ``lift`` as of :func:`person_from`.
        """
        from fmp_models.estimators.landmarks import landmarkers  # noqa: PLC0415  loads MediaPipe, which is slow

        self._landmarker = landmarkers.open_video_landmarker(self, model_path, CERTAIN)
        self._picture, self._detected = landmarkers.picture, landmarkers.detected
        self._landmarks = LandmarkTracker(lift)
        self._last = -1

    def track(self, frame: Image.Image, at: float) -> TrackedPerson | None:
        """As :class:`Tracker` says; a moment that is not after the last one counts as a millisecond after it."""
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

"""The 20 joints as mixtures of MediaPipe's 33 landmarks: one person as one look sees them.

MediaPipe gives the landmarks of a person twice: as pixels, and as metres from the middle of the hips with x to the
right of the picture, y down and z away from the camera, which is the camera frame of :mod:`fmp_models.pose` before it
is levelled (:mod:`fmp_models.estimators.camera_tilt`). The joints are fixed mixtures (``JOINT_SOURCES``), the same for
pixels and metres; a joint is as visible as the least visible landmark it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from mediapipe.tasks.python.vision import PoseLandmarkerResult
from mediapipe.tasks.python.vision.pose_landmarker import PoseLandmark

from fmp_models.estimators.base import LIMBS, TRUNK, Box, Head
from fmp_models.pose import INDEX, JOINTS, MIRROR, Array

# Joint: the landmarks it is made of, with their shares. A joint not listed is the landmark of the same name.
JOINT_SOURCES: dict[str, dict[str, float]] = {
    "hip": {"left_hip": 0.5, "right_hip": 0.5},
    "spine": {"left_hip": 0.25, "right_hip": 0.25, "left_shoulder": 0.25, "right_shoulder": 0.25},
    # The root of the neck lies a fifth of the way from the shoulder line to the ears.
    "neck": {"left_shoulder": 0.4, "right_shoulder": 0.4, "left_ear": 0.1, "right_ear": 0.1},
    "head": {"left_ear": 0.5, "right_ear": 0.5},
    "right_hand": {"right_index": 0.5, "right_pinky": 0.5},
    "left_hand": {"left_index": 0.5, "left_pinky": 0.5},
    "right_foot": {"right_foot_index": 1.0},
    "left_foot": {"left_foot_index": 1.0},
}
_SHARES = np.zeros((len(JOINTS), len(PoseLandmark)))
for _joint in JOINTS:
    for _landmark, _share in JOINT_SOURCES.get(_joint, {_joint: 1.0}).items():
        _SHARES[INDEX[_joint], PoseLandmark[_landmark.upper()]] = _share

_TO_NECK, _SHOULDERS, _LENGTH = 1.4, 0.55, 0.07  # a head's radius: in ways to the neck, widths of shoulders, lengths

_ABOUT_THE_HEAD = ("head", "neck", "right_shoulder", "left_shoulder")
_SAME_TRUNK = 0.35  # detections whose trunks are closer than this share of their length are one person found twice


@dataclass(frozen=True)
class FoundPerson:
    """One person's joints as seen in one look, or averaged over several."""

    pixels: Array  # (20, 2)
    metres: Array  # (20, 3)
    visibility: Array  # (20,)
    box: Box

    @property
    def clarity(self) -> float:
        """How visible the limbs are on mean, 0 to 1."""
        return float(self.visibility[LIMBS].mean())

    @property
    def length(self) -> float:
        """The longer side of the box."""
        return max(self.box[2] - self.box[0], self.box[3] - self.box[1])

    @property
    def area(self) -> float:
        """Of the box."""
        return (self.box[2] - self.box[0]) * (self.box[3] - self.box[1])

    @property
    def head(self) -> Head:
        """Where the head is, drawn too large rather than too small, for whoever must not be known by it."""
        crown, neck, *shoulders = self.pixels[[INDEX[name] for name in _ABOUT_THE_HEAD]]
        radii = _TO_NECK * np.linalg.norm(crown - neck), _SHOULDERS * np.linalg.norm(shoulders[0] - shoulders[1])
        return float(crown[0]), float(crown[1]), max(*map(float, radii), _LENGTH * self.length)

    def is_same(self, other: FoundPerson) -> bool:
        """Whether both trunks lie in one place."""
        apart = float(np.linalg.norm(self.pixels[TRUNK].mean(axis=0) - other.pixels[TRUNK].mean(axis=0)))
        return apart < _SAME_TRUNK * max(self.length, other.length)


def landmarks_of(result: PoseLandmarkerResult, side: float) -> Iterator[tuple[Array, Array, Array]]:
    """Everybody found in a square picture of this ``side``: pixels (33, 2), metres (33, 3), visibility (33,)."""
    for flat, world in zip(result.pose_landmarks, result.pose_world_landmarks, strict=True):
        points = np.array([(mark.x, mark.y) for mark in flat]) * side
        metres = np.array([(mark.x, mark.y, mark.z) for mark in world])
        visibility = np.array([mark.visibility for mark in flat])
        if all(np.isfinite(values).all() for values in (points, metres, visibility)):
            yield points, metres, visibility


def person_from(points: Array, metres: Array, landmark_visibility: Array, *, mirrored: bool) -> FoundPerson:
    """33 landmarks as 20 joints; ``mirrored`` landmarks carry the name of the other side."""
    order = list(MIRROR) if mirrored else list(range(len(JOINTS)))
    visibility = np.where(_SHARES > 0, landmark_visibility, np.inf).min(axis=1)
    left, top = points.min(axis=0)
    right, bottom = points.max(axis=0)
    return FoundPerson(
        pixels=(_SHARES @ points)[order],
        metres=(_SHARES @ metres)[order],
        visibility=visibility[order],
        box=(float(left), float(top), float(right), float(bottom)),
    )

"""Conversion of MediaPipe's 33 landmarks to 20 joints, for one person in one look.

MediaPipe gives a person's landmarks twice: in pixels, and in metres from the middle of the hips with x to the
right of the picture, y down and z away from the camera. The latter is the camera frame of
:mod:`fmp_models.pose` before it is levelled (:mod:`fmp_models.estimators.camera_tilt`). Joints are fixed
mixtures of landmarks (``landmarks.mixtures``), the same for pixels and, unless lifted (``landmarks.lifting``),
for metres. A joint is as visible as the least visible landmark in its mixture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fmp_models.estimators.base import LIMBS, TRUNK, Box, Head
from fmp_models.estimators.landmarks.mixtures import JOINT_SHARES, LANDMARK, LANDMARK_MIRROR, joints_of
from fmp_models.pose import INDEX, JOINTS, MIRROR, Array

if TYPE_CHECKING:
    from mediapipe.tasks.python.vision import PoseLandmarkerResult

Lift = Callable[[Array], Array]  # landmarks (33, 6) -> joints (20, 3)

_TO_NECK, _SHOULDERS, _LENGTH = 1.4, 0.55, 0.07  # a head's radius in neck distances, shoulder widths and body lengths

_ABOUT_THE_HEAD = ("head", "neck", "right_shoulder", "left_shoulder")
_FACE = [LANDMARK[name] for name in ("left_eye", "right_eye", "mouth_left", "mouth_right")]
_EARS = [LANDMARK[name] for name in ("left_ear", "right_ear")]
_SEEN_FACE = 0.5  # minimum visibility of these landmarks for a visible face
_WITHIN = 0.7  # share of a box
_SAME_TRUNK = 0.35  # detections with trunks closer than this share of their length are the same person


@dataclass(frozen=True)
class FoundPerson:
    """One person's joints in one look, or averaged over several."""

    pixels: Array  # (20, 2)
    metres: Array  # (20, 3)
    visibility: Array  # (20,)
    box: Box
    landmarks: Array | None = None  # only of a single look, (33, 6): pixels, metres, visibility

    @property
    def clarity(self) -> float:
        """The mean visibility of the limbs, 0 to 1."""
        return float(self.visibility[LIMBS].mean())

    @property
    def gaze(self) -> Array | None:
        """The unit vector (3,) that the face points to: from between the ears to between eyes and mouth.

        ``None`` for an average of looks, or if the face is not visible.
        """
        if self.landmarks is None or self.landmarks[[*_FACE, *_EARS], 5].min() < _SEEN_FACE:
            return None
        face, ears = (self.landmarks[places, 2:5].mean(axis=0) for places in (_FACE, _EARS))
        length = float(np.linalg.norm(face - ears))
        return (face - ears) / length if length else None

    @property
    def length(self) -> float:
        """The longer side of the box."""
        return max(self.box[2] - self.box[0], self.box[3] - self.box[1])

    @property
    def area(self) -> float:
        """The area of the box."""
        return (self.box[2] - self.box[0]) * (self.box[3] - self.box[1])

    @property
    def head(self) -> Head:
        """The circle of the head, rather too large than too small, since it is used to hide faces."""
        crown, neck, *shoulders = self.pixels[[INDEX[name] for name in _ABOUT_THE_HEAD]]
        radii = _TO_NECK * np.linalg.norm(crown - neck), _SHOULDERS * np.linalg.norm(shoulders[0] - shoulders[1])
        return float(crown[0]), float(crown[1]), max(*map(float, radii), _LENGTH * self.length)

    def within(self, other: FoundPerson) -> bool:
        """Return whether most of the box lies in another's, as for a body part mistaken for a person."""
        left, top, right, bottom = self.box
        other_left, other_top, other_right, other_bottom = other.box
        width = max(0.0, min(right, other_right) - max(left, other_left))
        height = max(0.0, min(bottom, other_bottom) - max(top, other_top))
        return width * height > _WITHIN * self.area

    def is_same(self, other: FoundPerson) -> bool:
        """Return whether both trunks are in the same place."""
        apart = float(np.linalg.norm(self.pixels[TRUNK].mean(axis=0) - other.pixels[TRUNK].mean(axis=0)))
        return apart < _SAME_TRUNK * max(self.length, other.length)


def landmarks_of(result: PoseLandmarkerResult, side: float) -> Iterator[tuple[Array, Array, Array]]:
    """Yield each person in a square picture of this ``side``: pixels (33, 2), metres (33, 3), visibility (33,)."""
    for flat, world in zip(result.pose_landmarks, result.pose_world_landmarks, strict=True):
        points = np.array([(mark.x, mark.y) for mark in flat]) * side
        metres = np.array([(mark.x, mark.y, mark.z) for mark in world])
        visibility = np.array([mark.visibility for mark in flat])
        if all(np.isfinite(values).all() for values in (points, metres, visibility)):
            yield points, metres, visibility


def person_from(
    points: Array, metres: Array, visibility: Array, *, mirrored: bool, lift: Lift | None = None
) -> FoundPerson:
    """Return 33 landmarks as 20 joints; ``mirrored`` landmarks have left and right swapped.

    ``lift`` computes joints (20, 3) in metres from landmarks (33, 6), instead of the mixtures.
    """
    order = list(MIRROR) if mirrored else list(range(len(JOINTS)))
    left, top = points.min(axis=0)
    right, bottom = points.max(axis=0)
    landmarks = np.column_stack([points, metres, visibility])[LANDMARK_MIRROR if mirrored else slice(None)]
    return FoundPerson(
        pixels=joints_of(points)[order],
        metres=joints_of(metres)[order] if lift is None else lift(landmarks),
        visibility=np.where(JOINT_SHARES > 0, visibility, np.inf).min(axis=1)[order],
        box=(float(left), float(top), float(right), float(bottom)),
        landmarks=landmarks,
    )

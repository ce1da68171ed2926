"""Landmarks of a frame sent by a visitor's browser: little-endian floats, accepted only if they are plausible.

First the width and height of the frame. Then, if a person was found, for each of MediaPipe's 33 landmarks: pixel across
and down; metres to the right, down and away; and visibility. Then, in some frames, the log-likelihoods of the camera's
tilts from the frame's upright lines. Forged landmarks affect only their sender.
"""

from __future__ import annotations

import numpy as np

from fmp_models.errors import BadInputError
from fmp_models.estimators.camera_tilt import TILTS
from fmp_models.estimators.landmarks.lifting import VALUES
from fmp_models.estimators.landmarks.mixtures import LANDMARK
from fmp_models.estimators.tracking import FrameLandmarks

_SIZE, _LANDMARKS = 2, len(LANDMARK) * VALUES  # floats
LENGTHS = {4 * count for count in (_SIZE, _SIZE + _LANDMARKS, _SIZE + _LANDMARKS + TILTS)}  # bytes
_MAX_PIXELS = 10_000.0  # of a side of the frame
_MAX_OUTSIDE = 10.0  # distance of a landmark from the frame's origin, in longer sides of the frame
_MAX_METRES = 10.0  # from the hips
_MAX_LIKELIHOOD = 10_000.0


def read_landmarks(body: bytes) -> FrameLandmarks | None:
    """Return the landmarks; None if the browser found no person. Raise ``live_landmarks_other`` if they are invalid."""
    if len(body) not in LENGTHS:
        raise BadInputError("live_landmarks_other")
    numbers = np.frombuffer(body, "<f4").astype(np.float64)
    size, landmarks, lines = np.split(numbers, [_SIZE, _SIZE + _LANDMARKS])
    points, metres, visibility = np.split(landmarks.reshape(-1, VALUES), [2, 5], axis=1)
    true = (
        (size >= 1).all()
        and (size <= _MAX_PIXELS).all()
        and (np.abs(points) <= _MAX_OUTSIDE * size.max()).all()  # comparisons with NaN are false
        and (np.abs(metres) <= _MAX_METRES).all()
        and ((visibility >= 0) & (visibility <= 1)).all()
        and (np.abs(lines) <= _MAX_LIKELIHOOD).all()
    )
    if not true:
        raise BadInputError("live_landmarks_other")
    if not len(landmarks):
        return None
    width, height = map(round, size.tolist())
    return FrameLandmarks(points, metres, visibility[:, 0], (width, height), lines if len(lines) else None)

"""Lifting: landmarks of one look -> joints with better depth, by a small network trained on MediaPipe's errors.

MediaPipe finds landmarks well in the picture, but its depth is poor: elbows come out too straight, and upright
trunks lean. The network gets positions and depths and returns the offset of each joint. It also processes
every body mirrored, so that both sides are treated alike. It was trained on simulated people, who stand with
softer knees than real ones. Hips and legs therefore keep MediaPipe's values, and so do people who lie or hang
head down.

MediaPipe sees a square crop around a person, so depth runs along the ray from the camera to that person.
Converting it to the axes of the whole picture, with a usual lens, made statements about legs and heights worse
on a film with known truth.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks.mixtures import LANDMARK_MIRROR, joints_of
from fmp_models.pose import BODY_SIDES, BONES, INDEX, JOINTS, Array, mirrored_joints

Floats = NDArray[np.float32]
Offsets = Callable[[Floats], Floats]  # features (n, FEATURES) -> joint offsets (n, 20, 3)

# Values of each landmark: pixels across and down, metres to the right, down and away, visibility.
VALUES = 6
FEATURES = len(LANDMARK_MIRROR) * VALUES
BODY = 4.0  # total bone length in metres of a body in the network's input

_HIPS = [INDEX["left_hip"], INDEX["right_hip"]]
_LOWER = [INDEX["hip"], *(INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("hip", "knee", "ankle", "foot"))]
# Minimum cosine between the trunk and the picture's up for lifting: people who lie or hang head down, and photographs
# on their side, were too rare in training.
_UPRIGHT = 0.5
_VERSION = 2  # of how the network is applied; part of the revision
_SMALLEST = 1e-6  # minimum length of a body in pixels or metres

_LIFTER = Path(__file__).parents[2] / "checkpoints" / "lifter"
_CONFIG, _WEIGHTS = "config.json", "model.safetensors"


@dataclass(frozen=True)
class LandmarkLifter:
    """The network for inference only; ``revision`` distinguishes its joints from those of other versions."""

    weights: Mapping[str, Floats]
    blocks: int
    revision: str

    def joints(self, landmarks: Array) -> Array:
        """Return joints (20, 3) in metres from the hip, for ``landmarks`` (33, 6).

        Hips and legs are the landmarks' own; so are all joints if the trunk does not point up in the picture.
        """
        joints, rough = lifted(np.asarray(landmarks, dtype=np.float32)[None], self._offsets)
        trunk = rough[0, INDEX["neck"]]
        if -trunk[1] < _UPRIGHT * np.linalg.norm(trunk):
            joints = rough
        joints[:, _LOWER] = rough[:, _LOWER]
        return np.asarray(joints[0], dtype=np.float64)

    def _offsets(self, features: Floats) -> Floats:
        """Return the network's offsets, computed as in ``networks.lifting_network``."""
        weights = self.weights
        hidden = features @ weights["enter.weight"].T + weights["enter.bias"]
        for block in range(self.blocks):
            part = f"blocks.{block}"
            inner = _normal(hidden, weights, f"{part}.norm") @ weights[f"{part}.widen.weight"].T
            inner = np.maximum(inner + weights[f"{part}.widen.bias"], 0)
            hidden = hidden + inner @ weights[f"{part}.narrow.weight"].T + weights[f"{part}.narrow.bias"]
        offsets = _normal(hidden, weights, "norm") @ weights["leave.weight"].T + weights["leave.bias"]
        return np.asarray(offsets.reshape(-1, len(JOINTS), 3), dtype=np.float32)


@cache
def bundled_lifter(folder: Path = _LIFTER) -> LandmarkLifter:
    """Return the bundled lifter.

    Raise :class:`BadInputError`: ``model_incomplete``, ``model_damaged``, ``model_wrong_kind``. It is loaded
    without the Hub's client and torch, which would delay a photograph by seconds.
    """
    for file in (_CONFIG, _WEIGHTS):
        if not (folder / file).is_file():
            raise BadInputError("model_incomplete", model=folder.name, file=file)
    try:
        described = json.loads((folder / _CONFIG).read_bytes())
        kind, blocks = described["kind"], int(described["network"]["blocks"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInputError("model_damaged", model=folder.name, file=_CONFIG, reason="it has no network") from None
    if kind != "lifter":
        raise BadInputError("model_wrong_kind", model=folder.name, wanted="lifter", found=str(kind))
    try:
        data = (folder / _WEIGHTS).read_bytes()
        weights = {name: values.astype(np.float32) for name, values in load(data).items()}
        revision = hashlib.sha256(bytes([_VERSION]) + data).hexdigest()[:8]
        lifter = LandmarkLifter(weights, blocks, revision)
        joints = lifter.joints(np.zeros((len(LANDMARK_MIRROR), VALUES)))
    except (OSError, ValueError, KeyError, SafetensorError):
        joints = np.array(np.nan)
    if not np.isfinite(joints).all():
        reason = "its weights do not match its configuration"
        raise BadInputError("model_damaged", model=folder.name, file=_WEIGHTS, reason=reason)
    return lifter


def lifting_inputs(landmarks: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the input for ``landmarks`` (n, 33, 6): features (n, FEATURES), joints (n, 20, 3) and scales (n,).

    Both kinds of coordinates start at the middle of the hips and are scaled to a body of ``BODY`` metres. The
    joints are the landmarks' own at that size, and the scales are the factors to that size.
    """
    places, metres, visibility = landmarks[..., :2], landmarks[..., 2:5], landmarks[..., 5:]
    rough = joints_of(metres)
    scales = BODY / np.maximum(body_length(rough), _SMALLEST)
    pixels = joints_of(places)
    places = places - pixels[:, _HIPS].mean(axis=1, keepdims=True)
    metres = (metres - rough[:, _HIPS].mean(axis=1, keepdims=True)) * scales[:, None, None]
    wide = np.linalg.norm(metres[..., :2] - metres[..., :2].mean(axis=1, keepdims=True), axis=-1).mean(axis=1)
    seen = np.linalg.norm(places - places.mean(axis=1, keepdims=True), axis=-1).mean(axis=1)
    places = places * (wide / np.maximum(seen, _SMALLEST))[:, None, None]
    features = np.concatenate([places, metres, visibility], axis=-1).reshape(len(landmarks), FEATURES)
    rough = (rough - rough[:, :1]) * scales[:, None, None]
    return np.asarray(features, dtype=np.float32), np.asarray(rough, dtype=np.float32), np.asarray(scales)


def lifted(landmarks: Floats, offsets: Offsets) -> tuple[Floats, Floats]:
    """Return joints (n, 20, 3) in metres from the hip: the network's, and those of the landmarks (n, 33, 6)."""
    features, rough, scales = lifting_inputs(landmarks)
    in_mirror, *_ = lifting_inputs(mirrored_landmarks(landmarks))
    plain, mirrored = np.split(offsets(np.concatenate([features, in_mirror])), 2)
    joints = rough + (plain + mirrored_joints(mirrored)) / 2
    metres = (joints - joints[:, :1]) / scales[:, None, None]
    return np.asarray(metres, dtype=np.float32), np.asarray(rough / scales[:, None, None], dtype=np.float32)


def in_size(joints: Floats) -> Floats:
    """Scale bodies (n, 20, 3) to a total bone length of ``BODY`` metres."""
    return np.asarray(joints * (BODY / body_length(joints))[:, None, None])


def mirrored_landmarks(landmarks: Floats) -> Floats:
    """Return the landmarks (..., 33, 6) of the mirrored person."""
    return np.asarray(landmarks[..., LANDMARK_MIRROR, :] * np.array([-1, 1, -1, 1, 1, 1], dtype=np.float32))


def body_length(joints: Floats) -> Floats:
    """Return the total bone length (n,) of joints (n, 20, 3)."""
    parents, children = np.array(BONES).T
    return np.asarray(np.linalg.norm(joints[..., parents, :] - joints[..., children, :], axis=-1).sum(axis=-1))


def _normal(values: Floats, weights: Mapping[str, Floats], name: str) -> Floats:
    """Apply layer normalisation as in torch."""
    centred = values - values.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    return np.asarray(centred / deviation * weights[f"{name}.weight"] + weights[f"{name}.bias"])

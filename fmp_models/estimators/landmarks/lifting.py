"""Lifting, landmarks of one look -> joints with a better depth, by a small network that saw where MediaPipe's are off.

MediaPipe sees well where landmarks lie in the picture and guesses badly how deep they are: elbows come out too
straight, and trunks lean that do not. The network is shown places and depths, and says how far each joint lies from
where they put it; it sees every body in a mirror too, so that sides are alike to it. It learned from simulated people,
who stand with softer knees than people do, so hips and legs stay as MediaPipe has them, and so does whoever lies or
hangs head down.

MediaPipe sees a square cut around a person: depth runs along the ray from the camera to that person. Turning it into
the axes of the whole picture, by a usual lens, made what is said of legs and heights worse on a film of known truth.
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
Offsets = Callable[[Floats], Floats]  # features (n, FEATURES) -> how far joints lie off, (n, 20, 3)

# Of each landmark: pixels across and down, metres to the right, down and away, visibility.
VALUES = 6
FEATURES = len(LANDMARK_MIRROR) * VALUES
BODY = 4.0  # metres that all bones of a body are long together, as the network is shown it

_HIPS = [INDEX["left_hip"], INDEX["right_hip"]]
_LOWER = [INDEX["hip"], *(INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("hip", "knee", "ankle", "foot"))]
# Cosine between a trunk and the picture's up below which it is not lifted: of people who lie or hang head down, and of
# photographs that lie on their side, training had too few.
_UPRIGHT = 0.5
_VERSION = 2  # of how a network is used; what was measured otherwise has another name
_SMALLEST = 1e-6  # pixels or metres that a body is long, below which it is none

_LIFTER = Path(__file__).parents[2] / "checkpoints" / "lifter"
_CONFIG, _WEIGHTS = "config.json", "model.safetensors"


@dataclass(frozen=True)
class LandmarkLifter:
    """The network as it computes, without what trains it; ``revision`` tells its joints from another's."""

    weights: Mapping[str, Floats]
    blocks: int
    revision: str

    def joints(self, landmarks: Array) -> Array:
        """Joints (20, 3) in metres from the hip, of ``landmarks`` (33, 6).

        Hips and legs are the landmarks' own, and all joints of whose trunk does not point up in the picture.
        """
        joints, rough = lifted(np.asarray(landmarks, dtype=np.float32)[None], self._offsets)
        trunk = rough[0, INDEX["neck"]]
        if -trunk[1] < _UPRIGHT * np.linalg.norm(trunk):
            joints = rough
        joints[:, _LOWER] = rough[:, _LOWER]
        return np.asarray(joints[0], dtype=np.float64)

    def _offsets(self, features: Floats) -> Floats:
        """As ``networks.estimating.lifting_network`` computes it."""
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
    """The one that comes with the project.

    Raises :class:`BadInputError`: ``model_incomplete``, ``model_damaged``, ``model_wrong_kind``. The Hub's client and
    torch, which read models elsewhere, cost seconds, for which a photograph need not wait.
    """
    for file in (_CONFIG, _WEIGHTS):
        if not (folder / file).is_file():
            raise BadInputError("model_incomplete", model=folder.name, file=file)
    try:
        described = json.loads((folder / _CONFIG).read_bytes())
        kind, blocks = described["kind"], int(described["network"]["blocks"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInputError("model_damaged", model=folder.name, file=_CONFIG, reason="it says no network") from None
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
        reason = "it holds no lifter of this size"
        raise BadInputError("model_damaged", model=folder.name, file=_WEIGHTS, reason=reason)
    return lifter


def lifting_inputs(landmarks: Floats) -> tuple[Floats, Floats, Floats]:
    """What the network is shown of ``landmarks`` (n, 33, 6): features (n, FEATURES); joints, (n, 20, 3), and scales.

    Both kinds of coordinates begin at the middle of the hips and are as large as a body of ``BODY`` metres; the joints
    are the landmarks' own, in that size, and the scales (n,) are how many times larger they are in it.
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
    """Joints (n, 20, 3) in metres from the hip, as the network has them and as the landmarks (n, 33, 6) had them."""
    features, rough, scales = lifting_inputs(landmarks)
    in_mirror, *_ = lifting_inputs(mirrored_landmarks(landmarks))
    plain, mirrored = np.split(offsets(np.concatenate([features, in_mirror])), 2)
    joints = rough + (plain + mirrored_joints(mirrored)) / 2
    metres = (joints - joints[:, :1]) / scales[:, None, None]
    return np.asarray(metres, dtype=np.float32), np.asarray(rough / scales[:, None, None], dtype=np.float32)


def in_size(joints: Floats) -> Floats:
    """Bodies (n, 20, 3) whose bones are ``BODY`` metres long together."""
    return np.asarray(joints * (BODY / body_length(joints))[:, None, None])


def mirrored_landmarks(landmarks: Floats) -> Floats:
    """The landmarks (..., 33, 6) of the person in a mirror."""
    return np.asarray(landmarks[..., LANDMARK_MIRROR, :] * np.array([-1, 1, -1, 1, 1, 1], dtype=np.float32))


def body_length(joints: Floats) -> Floats:
    """How long (n,) all bones of joints (n, 20, 3) are together."""
    parents, children = np.array(BONES).T
    return np.asarray(np.linalg.norm(joints[..., parents, :] - joints[..., children, :], axis=-1).sum(axis=-1))


def _normal(values: Floats, weights: Mapping[str, Floats], name: str) -> Floats:
    """Layer normalisation, as torch has it."""
    centred = values - values.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    return np.asarray(centred / deviation * weights[f"{name}.weight"] + weights[f"{name}.bias"])

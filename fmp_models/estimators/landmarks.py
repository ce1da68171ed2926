"""MediaPipe's 33 landmarks -> 20 joints: mixtures, lifting, agreement of several looks, and tracking over frames.

This module does not import MediaPipe, so that models can be trained on landmarks without it.

MediaPipe gives a person's landmarks twice: in pixels, and in metres from the middle of the hips with x to the right
of the picture, y down and z away from the camera. The latter is the camera frame of :mod:`fmp_models.pose` before
it is levelled (:mod:`fmp_models.estimators.camera_tilt`). Joints are fixed mixtures of landmarks, the same for
pixels and, unless lifted, for metres. A joint is as visible as the least visible landmark in its mixture.

Lifting gives the landmarks of one look a better depth, by a small network trained on MediaPipe's errors. MediaPipe
finds landmarks well in the picture, but its depth is poor: elbows come out too straight, and upright trunks lean.
The network gets positions and depths and returns the offset of each joint. It also processes every body mirrored,
so that both sides are treated alike. It was trained on simulated people, who stand with softer knees than real
ones. Hips and legs therefore keep MediaPipe's values, and so do people who lie or hang head down. MediaPipe sees a
square crop around a person, so depth runs along the ray from the camera to that person. Converting it to the axes
of the whole picture, with a usual lens, made statements about legs and heights worse on a film with known truth.

A look is one run of the pose model on one crop. Looks at one photograph can show two bodies: a lifted leg as the
left or as the right one. Their mean would be a body that no look shows, so the looks are divided into modes and
averaged within one mode. A limb is disputed if many looks contradict the mode.

A tracker follows one person over the frames of a video. Between frames MediaPipe follows the known body, which
takes a third of the time of a detection, and smooths its landmarks (with its own One Euro filter). Each frame is
padded to a square, like every crop of a photograph. Joints are levelled by the camera's tilt; the camera stands
still during an exercise, so the tilt is averaged over time.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from safetensors import SafetensorError
from safetensors.numpy import load

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import LIMBS, TRUNK, Box, Head, sampled_joints, shown
from fmp_models.estimators.camera_tilt import LEVEL, CameraTilt, evidence_of, mean_tilt, tilt_by
from fmp_models.pose import BODY_SIDES, BONES, INDEX, JOINTS, MIRROR, Array, Pose, mirrored_joints

if TYPE_CHECKING:
    from mediapipe.tasks.python.vision import PoseLandmarkerResult


LANDMARKS: tuple[str, ...] = (
    "nose",
    "left_eye_inner",
    "left_eye",
    "left_eye_outer",
    "right_eye_inner",
    "right_eye",
    "right_eye_outer",
    "left_ear",
    "right_ear",
    "mouth_left",
    "mouth_right",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
    "left_pinky",
    "right_pinky",
    "left_index",
    "right_index",
    "left_thumb",
    "right_thumb",
    "left_hip",
    "right_hip",
    "left_knee",
    "right_knee",
    "left_ankle",
    "right_ankle",
    "left_heel",
    "right_heel",
    "left_foot_index",
    "right_foot_index",
)
LANDMARK: dict[str, int] = {name: number for number, name in enumerate(LANDMARKS)}
LANDMARK_MIRROR: list[int] = [
    LANDMARK[name.replace("left", "*").replace("right", "left").replace("*", "right")] for name in LANDMARKS
]

# Joint: its landmarks with their shares. An unlisted joint is the landmark of the same name.
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

JOINT_SHARES = np.zeros((len(JOINTS), len(LANDMARKS)))
for _joint in JOINTS:
    for _landmark, _share in JOINT_SOURCES.get(_joint, {_joint: 1.0}).items():
        JOINT_SHARES[INDEX[_joint], LANDMARK[_landmark]] = _share


def joints_of(landmarks: NDArray[Any]) -> NDArray[Any]:
    """Return landmarks (..., 33, n) as joints (..., 20, n), mixtures of landmarks."""
    return np.asarray(JOINT_SHARES.astype(landmarks.dtype, copy=False) @ landmarks)


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


Floats = NDArray[np.float32]
Offsets = Callable[[Floats], Floats]  # features (n, FEATURES) -> joint offsets (n, 20, 3)

# Values of each landmark: pixels across and down, metres to the right, down and away, visibility.
LANDMARK_VALUES = 6
FEATURES = len(LANDMARK_MIRROR) * LANDMARK_VALUES
BODY = 4.0  # total bone length in metres of a body in the network's input

_HIPS = [INDEX["left_hip"], INDEX["right_hip"]]
_LOWER = [INDEX["hip"], *(INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("hip", "knee", "ankle", "foot"))]
# Minimum cosine between the trunk and the picture's up for lifting: people who lie or hang head down, and photographs
# on their side, were too rare in training.
_UPRIGHT = 0.5
_VERSION = 2  # of how the network is applied; part of the revision
_SMALLEST = 1e-6  # minimum length of a body in pixels or metres

_LIFTER = Path(__file__).parents[1] / "checkpoints" / "lifter"
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
        joints, rough = lifted_joints(np.asarray(landmarks, dtype=np.float32)[None], self._offsets)
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
        joints = lifter.joints(np.zeros((len(LANDMARK_MIRROR), LANDMARK_VALUES)))
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


def lifted_joints(landmarks: Floats, offsets: Offsets) -> tuple[Floats, Floats]:
    """Return joints (n, 20, 3) in metres from the hip: the network's, and those of the landmarks (n, 33, 6)."""
    features, rough, scales = lifting_inputs(landmarks)
    in_mirror, *_ = lifting_inputs(mirrored_landmarks(landmarks))
    plain, mirrored = np.split(offsets(np.concatenate([features, in_mirror])), 2)
    joints = rough + (plain + mirrored_joints(mirrored)) / 2
    metres = (joints - joints[:, :1]) / scales[:, None, None]
    return np.asarray(metres, dtype=np.float32), np.asarray(rough / scales[:, None, None], dtype=np.float32)


def in_body_size(joints: Floats) -> Floats:
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


ALIKE = 0.2  # maximum mean joint distance in metres between two looks at one body
LIMB_RADIUS = 0.25  # metres from the middle of a mode; two places half a metre apart are two modes
_CLEAR_SHARE = 0.7  # minimum share of the clearest look's clarity
MIN_SUPPORT = 0.6  # minimum share of looks that place a joint where the mode does

_CHAINS = (("elbow", "wrist", "hand"), ("knee", "ankle", "foot"))  # outwards along a limb
_PAIRS = [[[INDEX[f"{side}_{part}"] for part in chain] for side in BODY_SIDES] for chain in _CHAINS]


def same_body(looks: Sequence[FoundPerson]) -> list[FoundPerson]:
    """Return the looks that show the majority's body, even if left and right of an arm or leg pair are swapped."""
    if not looks:
        return []
    metres, clarities = _metres(looks), np.array([look.clarity for look in looks])
    alike = _distances_of_bodies(metres[:, None], metres) < ALIKE
    return [looks[index] for index in _largest_set(alike, clarities)]


def agreed(looks: Sequence[FoundPerson]) -> FoundPerson:
    """Return the mean of the looks at one body; for arms and legs, the mean of the mode with most looks.

    Both limbs of a pair come from the same mode, so that the same leg is not lifted twice.
    """
    metres, clarities = _metres(looks), np.array([look.clarity for look in looks])
    alike = np.linalg.norm(metres[:, None] - metres, axis=-1).mean(axis=-1) < ALIKE
    body = _largest_set(alike, clarities)
    modes = [(list(range(metres.shape[1])), body)]
    for pair in _PAIRS:
        joints = [joint for limb in pair for joint in limb]
        limbs = metres[np.ix_(body, joints)]
        # Plain and mirrored looks err to opposite sides, so a mode's middle may lie between two looks.
        middles = (limbs[:, None] + limbs)[np.triu_indices(len(body))] / 2
        near = np.linalg.norm(middles[:, None] - limbs, axis=-1).max(axis=-1) < LIMB_RADIUS
        modes.append((joints, [body[index] for index in _largest_set(near, clarities[body])]))
    pixels, places, visibility = (
        _mean_of_modes(np.array([getattr(look, name) for look in looks]), modes)
        for name in ("pixels", "metres", "visibility")
    )
    left, top, right, bottom = np.mean([looks[index].box for index in body], axis=0)
    return FoundPerson(pixels, places, visibility, (float(left), float(top), float(right), float(bottom)))


def clear_looks(looks: Sequence[FoundPerson]) -> list[FoundPerson]:
    """Return the looks about as clear as the clearest one; the other looks show things that are not there."""
    least = _CLEAR_SHARE * max(look.clarity for look in looks)
    return [look for look in looks if look.clarity >= least]


def disputed_joints(looks: Sequence[FoundPerson]) -> NDArray[np.bool_]:
    """Return which joints (20,) are disputed: too few looks place them, or a joint nearer the trunk, as the mode does.

    Only positions along the picture count: depth is uncertain in every look, which the pose samples express.
    """
    distances = np.linalg.norm((_metres(looks) - agreed(looks).metres)[..., :2], axis=-1)
    disputed = (distances < LIMB_RADIUS).mean(axis=0) < MIN_SUPPORT
    result = np.zeros(len(disputed), dtype=bool)
    for limb in (limb for pair in _PAIRS for limb in pair):
        result[limb] = np.logical_or.accumulate(disputed[limb])
    return result


def other_heads(person: FoundPerson, seen: Sequence[FoundPerson]) -> tuple[Head, ...]:
    """Return each head except the person's own, even if uncertain: people who hold each other can share a trunk."""
    heads = [person.head]
    for x, y, radius in (look.head for look in seen):
        if all(math.dist((x, y), known[:2]) > max(radius, known[2]) / 2 for known in heads):
            heads.append((x, y, radius))
    return tuple(heads[1:])


def clearest_within(box: Box, people: Sequence[FoundPerson]) -> FoundPerson | None:
    """Return the clearest of ``people`` whose trunk lies in the box."""
    left, top, right, bottom = box

    def there(person: FoundPerson) -> bool:
        x, y = person.pixels[TRUNK].mean(axis=0)
        return bool(left <= x <= right and top <= y <= bottom)

    return max((person for person in people if there(person)), key=lambda person: person.clarity, default=None)


def looks_at_one(person: FoundPerson, every: Sequence[Sequence[FoundPerson]]) -> list[FoundPerson]:
    """Return the person in each look that shows them.

    If fewer than half of the looks do, return the person that most looks show at that place instead.
    """
    looks = [look for seen in every if (look := _same_person(person, seen)) is not None]
    if 2 * len(looks) < len(every):
        (left, top, right, bottom) = person.box
        middle = (left + right) / 2, (top + bottom) / 2
        for other in itertools.chain(*every):
            left, top, right, bottom = other.box
            if left <= middle[0] <= right and top <= middle[1] <= bottom:
                others = [look for seen in every if (look := _same_person(other, seen)) is not None]
                looks = max(looks, others, key=len)
    return looks


def _same_person(person: FoundPerson, people: Sequence[FoundPerson]) -> FoundPerson | None:
    """Return the clearest of ``people`` that is the same person as ``person``."""
    return max((look for look in people if look.is_same(person)), key=lambda look: look.clarity, default=None)


def _metres(looks: Sequence[FoundPerson]) -> Array:
    return np.array([look.metres for look in looks])


def _largest_set(near: NDArray[np.bool_], clarities: Array) -> list[int]:
    """Return the largest set of looks that are ``near`` (sets, looks) a common middle; of equal sets the clearest."""
    largest = max(near, key=lambda looks: (int(looks.sum()), float(clarities[looks].sum())))
    return np.flatnonzero(largest).tolist()


def _mean_of_modes(values: Array, modes: Sequence[tuple[list[int], list[int]]]) -> Array:
    """Return means of ``values`` (looks, joints, ...) over looks; later modes override earlier ones."""
    means = values.mean(axis=0)
    for joints, looks in modes:
        means[joints] = values[np.ix_(looks, joints)].mean(axis=0)
    return np.asarray(means)


def _distances_of_bodies(bodies: Array, others: Array) -> Array:
    """Return mean joint distances (...,) in metres; left and right of a limb pair may be swapped."""
    distances = np.linalg.norm(bodies - others, axis=-1)
    for left, right in _PAIRS:
        joints, exchanged_joints = [*left, *right], [*right, *left]
        exchanged = np.linalg.norm(bodies[..., exchanged_joints, :] - others[..., joints, :], axis=-1)
        nearer = exchanged.mean(axis=-1) < distances[..., joints].mean(axis=-1)
        distances[..., joints] = np.where(nearer[..., None], exchanged, distances[..., joints])
    return np.asarray(distances.mean(axis=-1))


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

"""MediaPipe's landmarks in every picture of a dataset with the true joints, and their augmentation, for the lifter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from fmp_models.data import tilted_joints
from fmp_models.errors import BadInputError
from fmp_models.estimators import LANDMARK, LANDMARK_VALUES, LANDMARKS, file_revision, in_body_size
from fmp_models.pose import BODY_SIDES, INDEX
from fmp_models.training.config import Amount
from fmp_models.training.dataset_samples import Dataset, PictureList
from fmp_models.training.pictures import encoded_pictures, joint_places, stored

if TYPE_CHECKING:  # MediaPipe is not installed on all machines
    from fmp_models.estimators import MediaPipeEstimator


LOOKS = 2  # detections per picture

_VERSION = 1  # version of the detection; a new version recomputes the cache
_LOT = 64  # pictures per stored part


@dataclass(frozen=True)
class LandmarkLooks:
    """Detections in p pictures: ``landmarks`` (p, k, 33, 6) as the lifter's input, NaN where no person was found.

    ``truth`` (p, 20, 3) are joints relative to the hip, with axes along the ray to the person, scaled to the total
    bone length of ``estimators.landmarks.BODY``; NaN where they are not known. ``estimator`` holds the
    estimator's ``id`` and the pose model's ``revision``, a hash.
    """

    landmarks: NDArray[np.float32]
    truth: NDArray[np.float32]
    estimator: Mapping[str, str]

    @property
    def seen(self) -> NDArray[np.bool_]:
        """The mask of detections (p, k) that show a person with known joints."""
        known = np.asarray(np.isfinite(self.truth).all(axis=(1, 2)))
        return np.asarray(np.isfinite(self.landmarks).all(axis=(2, 3)) & known[:, None])


def landmark_looks(dataset: Dataset, cache: Path, pose_model: Path) -> LandmarkLooks:
    """Detect landmarks in every picture of ``dataset`` with the file ``pose_model``; results are kept in ``cache``.

    Raises :class:`BadInputError`: ``mediapipe_missing``, ``pose_model_unreadable``, ``dataset_picture_damaged``.
    """
    try:
        from fmp_models.estimators import MediaPipeEstimator  # noqa: PLC0415
    except (ImportError, OSError):
        raise BadInputError("mediapipe_missing") from None
    estimator, revision = MediaPipeEstimator(pose_model, lifts=False), file_revision(pose_model)
    estimator.load()
    encoded = encoded_pictures(dataset, cache)
    places = joint_places(dataset.pictures)
    key = hashlib.sha256(f"{encoded.key} {estimator.name} {revision} {_VERSION}".encode()).hexdigest()[:16]

    def fill(array: NDArray[Any], first: int) -> Iterator[int]:
        for begin in range(first, len(encoded), _LOT):
            numbers = range(begin, min(begin + _LOT, len(encoded)))
            array[begin : numbers.stop] = np.nan
            for number in numbers:
                if np.isfinite(places[number]).all():
                    for look, seen in enumerate(_looks(estimator, encoded.image(number), places[number], number)):
                        array[number, look] = seen
            yield numbers.stop

    shape = (len(encoded), LOOKS, len(LANDMARKS), LANDMARK_VALUES)
    landmarks = stored(cache / f"landmarks-{key}.npy", shape, np.float32, fill)
    return LandmarkLooks(landmarks, ray_truth(dataset.pictures), {"id": estimator.name, "revision": revision})


def ray_truth(pictures: PictureList) -> NDArray[np.float32]:
    """Return the joints of every picture in the form of ``LandmarkLooks.truth``."""
    joints = np.where(pictures.known[:, None, None], tilted_joints(pictures.joints, *pictures.tilts.T), np.nan)
    rays = joints.mean(axis=1)
    x, y, z = (rays / np.linalg.norm(rays, axis=1, keepdims=True)).T
    zero = np.zeros_like(x)
    across = np.moveaxis(np.array([[zero, zero, x], [zero, zero, y], [-x, -y, zero]]), -1, 0)
    rotations = np.eye(3) + across + across @ across / (1 + z)[:, None, None]
    return in_body_size(((joints - joints[:, INDEX["hip"], None]) @ rotations).astype(np.float32))


def _looks(
    estimator: MediaPipeEstimator, image: Image.Image, places: NDArray[np.float32], number: int
) -> Iterator[NDArray[np.float64]]:
    """Yield detections in one picture, in squares of different sizes, some mirrored; fewer if some find no person."""
    from fmp_models.estimators import CROP_ZOOMS  # noqa: PLC0415

    (left, top), (right, bottom) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    views = [
        (
            CROP_ZOOMS[(number + look * len(CROP_ZOOMS) // LOOKS) % len(CROP_ZOOMS)],
            bool((number // len(CROP_ZOOMS) + look) % 2),
        )
        for look in range(LOOKS)
    ]
    for person in estimator.looks_at(image, (left, top, right, bottom), views):
        assert person.landmarks is not None  # noqa: S101  a single detection has landmarks
        yield person.landmarks


Floats = NDArray[np.float32]

# A bone by the names of its ends, without side, and the joints and landmarks beyond its far end.
_LIMBS: Sequence[Sequence[tuple[str, str, tuple[str, ...], tuple[str, ...]]]] = (
    (
        ("shoulder", "elbow", ("wrist", "hand"), ("wrist", "pinky", "index", "thumb")),
        ("elbow", "wrist", ("hand",), ("pinky", "index", "thumb")),
    ),
    (
        ("hip", "knee", ("ankle", "foot"), ("ankle", "heel", "foot_index")),
        ("knee", "ankle", ("foot",), ("heel", "foot_index")),
    ),
)

_UNEVEN = 0.4  # deviation between a limb's bones, as a share of the limb's deviation


@dataclass(frozen=True)
class LandmarkVariation:
    """Standard deviations: ``turn`` in degrees within the picture, ``limbs`` of the logarithm of limb lengths.

    Both are exact except for perspective: a rotation or a longer limb in space is applied in the picture as well.
    """

    turn: Amount = 20.0
    limbs: Amount = 0.06


def varied(
    landmarks: Floats, joints: Floats, variation: LandmarkVariation, generator: torch.Generator
) -> tuple[Floats, Floats]:
    """Return landmarks (n, 33, 6) and true joints (n, 20, 3) with random rotation and limb lengths."""
    landmarks, joints = landmarks.copy(), joints.copy()

    def chance(deviation: float) -> Floats:
        return np.asarray(deviation * torch.randn(len(joints), generator=generator).numpy(), dtype=np.float32)

    angle = np.radians(chance(variation.turn))
    for values in (landmarks[..., :2], landmarks[..., 2:5], joints):
        _turn(values, angle)
    if variation.limbs:
        for bones in _LIMBS:
            longer = np.exp(chance(variation.limbs))
            for start, end, joint_tail, landmark_tail in bones:
                factor = longer * np.exp(_UNEVEN * chance(variation.limbs))
                for side in BODY_SIDES:
                    _lengthen(joints, INDEX, side, (start, end, *joint_tail), factor)
                    _lengthen(landmarks[..., :5], LANDMARK, side, (start, end, *landmark_tail), factor)
    return landmarks, joints


def _turn(points: Floats, angle: Floats) -> None:
    x, y = points[..., 0].copy(), points[..., 1].copy()
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    points[..., 0], points[..., 1] = cos * x - sin * y, sin * x + cos * y


def _lengthen(points: Floats, numbers: Mapping[str, int], side: str, names: Sequence[str], factor: Floats) -> None:
    """Multiply a bone's length by ``factor`` (n,) and move everything beyond its far end along."""
    start, end, *tail = (numbers[f"{side}_{name}"] for name in names)
    moved = (factor - 1)[:, None] * (points[:, end] - points[:, start])
    points[:, [end, *tail]] += moved[:, None]

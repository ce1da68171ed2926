"""Landmark looks: what MediaPipe sees in every picture of a dataset, and where the joints truly are, for lifting."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fmp_models.data.camera import tilted
from fmp_models.errors import BadInputError
from fmp_models.estimators.assets import revision_of
from fmp_models.estimators.landmarks.lifting import VALUES, in_size
from fmp_models.estimators.landmarks.mixtures import LANDMARKS
from fmp_models.pose import INDEX
from fmp_models.training.samples.dataset_samples import Dataset, PictureList
from fmp_models.training.samples.pictures import encoded_pictures, joint_places
from fmp_models.training.samples.stored_arrays import stored

if TYPE_CHECKING:  # there are machines without MediaPipe
    from fmp_models.estimators.mediapipe import MediaPipeEstimator

LOOKS = 2  # at each picture

_VERSION = 1  # of how pictures are looked at; what was seen otherwise is seen anew
_LOT = 64  # pictures between two notes of how far it is


@dataclass(frozen=True)
class LandmarkLooks:
    """Of p pictures: ``landmarks`` (p, k, 33, 6) as the lifter takes them, NaN where nobody was found.

    ``truth`` (p, 20, 3) are joints from the hip in the axes of the ray to the person, their bones as long together as
    ``estimators.landmarks.lifting.BODY`` says; NaN where they are not known. ``estimator`` has the ``id`` of whoever
    looked and the ``revision`` of the pose model, a hash.
    """

    landmarks: NDArray[np.float32]
    truth: NDArray[np.float32]
    estimator: Mapping[str, str]

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which looks (p, k) show somebody whose joints are known."""
        known = np.asarray(np.isfinite(self.truth).all(axis=(1, 2)))
        return np.asarray(np.isfinite(self.landmarks).all(axis=(2, 3)) & known[:, None])


def landmark_looks(dataset: Dataset, cache: Path, pose_model: Path) -> LandmarkLooks:
    """Looks at every picture of ``dataset`` with the file ``pose_model``, kept in ``cache``.

    Raises :class:`BadInputError`: ``mediapipe_missing``, ``pose_model_unreadable``, ``dataset_picture_damaged``.
    """
    try:
        from fmp_models.estimators.mediapipe import MediaPipeEstimator  # noqa: PLC0415
    except (ImportError, OSError):
        raise BadInputError("mediapipe_missing") from None
    estimator, revision = MediaPipeEstimator(pose_model, lifts=False), revision_of(pose_model)
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

    shape = (len(encoded), LOOKS, len(LANDMARKS), VALUES)
    landmarks = stored(cache / f"landmarks-{key}.npy", shape, np.float32, fill)
    return LandmarkLooks(landmarks, ray_truth(dataset.pictures), {"id": estimator.name, "revision": revision})


def ray_truth(pictures: PictureList) -> NDArray[np.float32]:
    """The joints of every picture as :class:`LandmarkLooks` has them."""
    joints = np.where(pictures.known[:, None, None], tilted(pictures.joints, *pictures.tilts.T), np.nan)
    rays = joints.mean(axis=1)
    x, y, z = (rays / np.linalg.norm(rays, axis=1, keepdims=True)).T
    zero = np.zeros_like(x)
    across = np.moveaxis(np.array([[zero, zero, x], [zero, zero, y], [-x, -y, zero]]), -1, 0)
    rotations = np.eye(3) + across + across @ across / (1 + z)[:, None, None]
    return in_size(((joints - joints[:, INDEX["hip"], None]) @ rotations).astype(np.float32))


def _looks(
    estimator: MediaPipeEstimator, image: Image.Image, places: NDArray[np.float32], number: int
) -> Iterator[NDArray[np.float64]]:
    """Looks at one picture in squares of different sizes, some of them mirrored; fewer where nobody is seen in some."""
    from fmp_models.estimators.mediapipe import ZOOMS  # noqa: PLC0415

    (left, top), (right, bottom) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    views = [
        (ZOOMS[(number + look * len(ZOOMS) // LOOKS) % len(ZOOMS)], bool((number // len(ZOOMS) + look) % 2))
        for look in range(LOOKS)
    ]
    for person in estimator.looks_at(image, (left, top, right, bottom), views):
        assert person.landmarks is not None  # noqa: S101  a single look has them
        yield person.landmarks

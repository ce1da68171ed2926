"""Joints that an evaluated model is given: the dataset's own, an estimator's, or none.

An estimator sees each picture separately, like a photograph: the origin of its joints is their own hip, and
the person crop lies where the estimator finds the person. Its results are kept in the cache folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fmp_models.estimators.base import estimate_if_seen
from fmp_models.pose import JOINTS
from fmp_models.preprocessing import Photograph
from fmp_models.training.dataset_samples import Dataset, Samples
from fmp_models.training.estimated_joints import EstimatedJoints, read_estimated_joints
from fmp_models.training.pictures import EncodedPictures, encoded_pictures, joint_places, stored

if TYPE_CHECKING:
    from fmp_models.estimators.base import PoseEstimator  # importing it loads MediaPipe

Source = Literal["true", "estimated", "learned", "mediapipe", "none"]


@dataclass(frozen=True)
class GivenEstimator:
    """An estimator with the name, revision and ``code`` that identify its results in the cache."""

    estimator: PoseEstimator
    name: str
    revision: str = ""
    code: str = ""


@dataclass(frozen=True)
class GivenJoints(EstimatedJoints):
    """Joints of every picture; ``placed`` says whether the poses of a pair share one room coordinate system."""

    placed: bool

    def of(self, samples: Samples) -> Samples:
        """Return the samples with these joints instead of their own."""
        joints, known = self.at(samples.pictures)
        return replace(samples, joints=joints, known=known)


def kept_joints(dataset: Dataset, cache: Path) -> GivenJoints:
    """Return the joints that ``measure-joints`` stored in the dataset; raises the errors of reading them."""
    estimates = read_estimated_joints(dataset, cache)
    return GivenJoints(estimates.joints, estimates.places, estimates.known, placed=False)


def given_joints(dataset: Dataset, eyes: GivenEstimator | None, cache: Path, *, none: bool = False) -> GivenJoints:
    """Return the joints of every picture of a dataset: the true ones, or those that the estimator ``eyes`` finds.

    With ``none`` no joints are given, but the pictures are cropped as with the true joints.
    """
    pictures = dataset.pictures
    if eyes is None:
        known = np.zeros_like(pictures.known) if none else pictures.known
        return GivenJoints(pictures.joints, joint_places(pictures), known, placed=True)
    estimated = estimated_joints(encoded_pictures(dataset, cache), eyes, cache)
    known = np.asarray(np.isfinite(estimated).all(axis=(1, 2)))
    return GivenJoints(np.nan_to_num(estimated[..., :3]), estimated[..., 3:], known, placed=False)


def estimated_joints(encoded: EncodedPictures, eyes: GivenEstimator, cache: Path) -> NDArray[np.float32]:
    """Return the estimate of every picture: (p, 20, 5), metres and then pixels; NaN if no person is found."""
    key = hashlib.sha256(f"{encoded.key} {eyes.name} {eyes.revision} {eyes.code}".encode()).hexdigest()[:16]

    def fill(array: NDArray[Any], first: int) -> Iterator[int]:
        for number in range(first, len(encoded)):
            estimate = estimate_if_seen(eyes.estimator, Photograph(encoded.image(number)))
            array[number] = (
                np.nan if estimate is None else np.concatenate([estimate.pose.joints, estimate.image_joints], axis=1)
            )
            yield number + 1

    return stored(cache / f"joints-{key}.npy", (len(encoded), len(JOINTS), 5), np.float32, fill)

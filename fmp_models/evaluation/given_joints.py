"""The joints that an evaluated model is given: the dataset's own, an estimator's, or none.

An estimator sees each picture by itself, as it would a photograph: its joints have their own hip as origin, and the
square around the person is cut where it finds the person. What it finds is kept in the cache folder.
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
from fmp_models.preprocessing.photograph import Photograph
from fmp_models.training.samples.dataset_samples import Dataset, Samples
from fmp_models.training.samples.estimated_joints import EstimatedJoints, read_estimated_joints
from fmp_models.training.samples.pictures import EncodedPictures, encoded_pictures, joint_places
from fmp_models.training.samples.stored_arrays import stored

if TYPE_CHECKING:
    from fmp_models.estimators.base import PoseEstimator  # it loads MediaPipe

Source = Literal["true", "estimated", "learned", "mediapipe", "none"]


@dataclass(frozen=True)
class GivenEstimator:
    """An estimator, and what tells it from others that find other joints: its name, revision and ``code``."""

    estimator: PoseEstimator
    name: str
    revision: str = ""
    code: str = ""


@dataclass(frozen=True)
class GivenJoints(EstimatedJoints):
    """As of an estimator; but ``placed`` says whether the poses lie in one room."""

    placed: bool

    def of(self, samples: Samples) -> Samples:
        """The samples with these joints in place of their own."""
        joints, known = self.at(samples.pictures)
        return replace(samples, joints=joints, known=known)


def kept_joints(dataset: Dataset, cache: Path) -> GivenJoints:
    """Those that ``measure-joints`` found and kept in the dataset; raises what reading them does."""
    estimates = read_estimated_joints(dataset, cache)
    return GivenJoints(estimates.joints, estimates.places, estimates.known, placed=False)


def given_joints(dataset: Dataset, eyes: GivenEstimator | None, cache: Path, *, none: bool = False) -> GivenJoints:
    """The joints of every picture of a dataset: true ones, or those that ``eyes`` find.

    With ``none`` no joints are given, but the pictures are framed as with the true ones.
    """
    pictures = dataset.pictures
    if eyes is None:
        known = np.zeros_like(pictures.known) if none else pictures.known
        return GivenJoints(pictures.joints, joint_places(pictures), known, placed=True)
    estimated = estimated_joints(encoded_pictures(dataset, cache), eyes, cache)
    known = np.asarray(np.isfinite(estimated).all(axis=(1, 2)))
    return GivenJoints(np.nan_to_num(estimated[..., :3]), estimated[..., 3:], known, placed=False)


def estimated_joints(encoded: EncodedPictures, eyes: GivenEstimator, cache: Path) -> NDArray[np.float32]:
    """What the estimator finds in every picture: (p, 20, 5), metres and then pixels; NaN where it finds nobody."""
    key = hashlib.sha256(f"{encoded.key} {eyes.name} {eyes.revision} {eyes.code}".encode()).hexdigest()[:16]

    def fill(array: NDArray[Any], first: int) -> Iterator[int]:
        for number in range(first, len(encoded)):
            estimate = estimate_if_seen(eyes.estimator, Photograph(encoded.image(number)))
            array[number] = (
                np.nan if estimate is None else np.concatenate([estimate.pose.joints, estimate.image_joints], axis=1)
            )
            yield number + 1

    return stored(cache / f"joints-{key}.npy", (len(encoded), len(JOINTS), 5), np.float32, fill)

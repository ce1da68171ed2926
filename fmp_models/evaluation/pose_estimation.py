"""Joint errors of a learned estimator or of a lifter, and the joints that an evaluated model is given.

Given joints are the dataset's own, an estimator's, or none. An estimator sees each picture separately, like a
photograph: the origin of its joints is their own hip, and the person crop lies where the estimator finds the
person. Its results are kept in the cache folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from fmp_models.errors import BadInputError
from fmp_models.estimators import Floats, estimate_if_seen, in_body_size, lifted_joints
from fmp_models.geometry import elbow_angle
from fmp_models.networks import LiftingNetwork, PoseNetwork, as_images, joint_errors
from fmp_models.pose import BODY_SIDES, JOINTS
from fmp_models.preprocessing import Photograph
from fmp_models.training import (
    NO_PICTURE,
    Dataset,
    EncodedPictures,
    EstimatedJoints,
    LandmarkLooks,
    PersonCropSampler,
    SampleRequirements,
    Samples,
    encoded_pictures,
    joint_places,
    on_device,
    read_estimated_joints,
    stored,
)

if TYPE_CHECKING:
    from fmp_models.estimators import PoseEstimator  # importing it loads MediaPipe


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


_BATCH = 64


def estimator_scores(
    network: PoseNetwork, eyes: GivenEstimator, dataset: Dataset, split: str, cache: Path
) -> dict[str, Any]:
    """Return the mean ``error`` in metres from the hip, and in ``places`` as a share of the crop side, of n pictures.

    The crops lie around the true joints, so that only the joints are judged. ``photographs`` are the scores on
    whole pictures, in which the estimator must find the person first. Raises ``BadInputError``
    (``training_no_samples``) if no picture has joints.
    """
    numbers = _judged_pictures(dataset, split)
    if not len(numbers):
        raise _no_samples(dataset, split)
    encoded = encoded_pictures(dataset, cache)
    crops = PersonCropSampler(encoded, dataset.pictures, network.config.side)
    device = next(network.parameters()).device
    errors, places = [], []
    for begin in range(0, len(numbers), _BATCH):
        batch = on_device(crops.cut(numbers[begin : begin + _BATCH].tolist(), None, torch.Generator()), device)
        with torch.inference_mode():
            prediction = network.look(as_images(batch.pixels))
            errors.append(joint_errors(prediction.metres, batch.metres).cpu())
            places.append((prediction.places - batch.places).norm(dim=-1).cpu())
    error = torch.cat(errors)
    return {
        "n": len(numbers),
        "error": float(error.mean()),
        "places": float(torch.cat(places).mean()),
        "joints": dict(zip(JOINTS, error.mean(dim=0).tolist(), strict=True)),
        "photographs": _photograph_scores(encoded, eyes, dataset, numbers, cache),
    }


def lifter_scores(network: LiftingNetwork, looks: LandmarkLooks, dataset: Dataset, split: str) -> dict[str, Any]:
    """Return the mean ``error`` from the hip, and that of ``elbow`` angles, over the n looks with a detected person.

    A person is detected if MediaPipe finds landmarks. Every body is scaled so that its bones are ``BODY`` metres
    long together, and errors are in these metres; elbow errors are absolute degrees. Scores ending in
    ``unlifted`` are of the landmarks before lifting. Legs are judged as the network predicts them, though lifting
    leaves them alone. Raises ``BadInputError`` (``training_no_samples``) if there is no such look.
    """
    numbers = _judged_pictures(dataset, split)
    seen = looks.seen[numbers]
    if not seen.any():
        raise _no_samples(dataset, split, "a person that MediaPipe detects")
    landmarks, truth = looks.landmarks[numbers][seen], looks.truth[numbers][np.nonzero(seen)[0]]
    after, before = (_off(in_body_size(joints), truth) for joints in lifted_joints(landmarks, network.offsets_of))
    return {
        "n": len(landmarks),
        "error": float(after.metres.mean()),
        "error_unlifted": float(before.metres.mean()),
        "elbow": after.elbow,
        "elbow_unlifted": before.elbow,
        "joints": dict(zip(JOINTS, after.metres.mean(axis=0).tolist(), strict=True)),
        "estimator": dict(looks.estimator),
    }


@dataclass(frozen=True)
class _JointErrors:
    """Joint errors: ``metres`` (n, 20), and the mean error of both elbow angles in degrees."""

    metres: Floats
    elbow: float


def _off(joints: Floats, truth: Floats) -> _JointErrors:
    seen, true = (
        np.stack([elbow_angle(body.astype(np.float64), side) for side in BODY_SIDES]) for body in (joints, truth)
    )
    return _JointErrors(np.linalg.norm(joints - truth, axis=-1), float(np.abs(seen - true).mean()))


def _judged_pictures(dataset: Dataset, split: str) -> NDArray[np.int64]:
    """Return the indices of the pictures of a split whose joints are known."""
    pictures = dataset.splits[split].pictures
    numbers = np.unique(pictures[pictures != NO_PICTURE])
    return np.asarray(numbers[dataset.pictures.known[numbers]])


def _no_samples(dataset: Dataset, split: str, *more: str) -> BadInputError:
    needs = ", ".join([str(SampleRequirements((), pictures=True, joints=True)), *more])
    return BadInputError("training_no_samples", path=str(dataset.folder), split=split, needs=needs)


def _photograph_scores(
    encoded: EncodedPictures, eyes: GivenEstimator, dataset: Dataset, numbers: np.ndarray[Any, Any], cache: Path
) -> dict[str, Any]:
    """Return the scores on the whole pictures in which a person is ``found``; ``pixels`` is the error in them."""
    estimated = estimated_joints(encoded, eyes, cache)[numbers]
    detected = np.isfinite(estimated).all(axis=(1, 2))
    metres, pixels = torch.from_numpy(estimated[detected, :, :3]), estimated[detected, :, 3:]
    truth = torch.from_numpy(dataset.pictures.joints[numbers][detected])
    off = np.linalg.norm(pixels - joint_places(dataset.pictures)[numbers][detected], axis=-1)
    return {
        "n": len(numbers),
        "found": int(detected.sum()),
        "error": float(joint_errors(metres, truth).mean()) if detected.any() else None,
        "pixels": float(off.mean()) if detected.any() else None,
    }

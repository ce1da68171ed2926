"""Joint errors of a learned estimator or of a lifter, against the true joints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks.lifting import Floats, in_size, lifted
from fmp_models.evaluation.given_joints import GivenEstimator, estimated_joints
from fmp_models.geometry.pose_values import elbow_angle
from fmp_models.networks.backbone import as_images
from fmp_models.networks.lifting_network import LiftingNetwork
from fmp_models.networks.pose_network import PoseNetwork, joint_errors
from fmp_models.pose import BODY_SIDES, JOINTS
from fmp_models.training.dataset_samples import NO_PICTURE, Dataset
from fmp_models.training.engine import on_device
from fmp_models.training.estimator import PersonCropSampler
from fmp_models.training.landmarks import LandmarkLooks
from fmp_models.training.pictures import EncodedPictures, encoded_pictures, joint_places
from fmp_models.training.preparation import SampleRequirements

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
    after, before = (_off(in_size(joints), truth) for joints in lifted(landmarks, network.offsets_of))
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

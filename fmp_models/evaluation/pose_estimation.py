"""Estimation error: how far the joints of an estimator of our own lie from the true ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from fmp_models.errors import BadInputError
from fmp_models.evaluation.given_joints import GivenEstimator, estimated_joints
from fmp_models.networks.backbones.backbone import as_images
from fmp_models.networks.estimating.pose_network import PoseNetwork, joint_errors
from fmp_models.pose import JOINTS
from fmp_models.training.engine import on_device
from fmp_models.training.recipes.start import Needs
from fmp_models.training.samples.crops import PersonCrops
from fmp_models.training.samples.dataset_samples import NO_PICTURE, Dataset
from fmp_models.training.samples.pictures import EncodedPictures, encoded_pictures, joint_places

_BATCH = 64


def estimator_scores(
    network: PoseNetwork, eyes: GivenEstimator, dataset: Dataset, split: str, cache: Path
) -> dict[str, Any]:
    """The mean ``error`` in metres from the hip over n pictures, and ``places`` off as a share of the square's side.

    The squares lie around the true joints, so that the joints alone are judged; ``photographs`` is what the estimator
    makes of the whole pictures, in which it has to find the person first. Raises ``BadInputError``
    (``training_no_samples``) where no picture has joints.
    """
    pictures = dataset.splits[split].pictures
    numbers = np.unique(pictures[pictures != NO_PICTURE])
    numbers = numbers[dataset.pictures.known[numbers]]
    if not len(numbers):
        needs = str(Needs((), pictures=True, joints=True))
        raise BadInputError("training_no_samples", path=str(dataset.folder), split=split, needs=needs)
    encoded = encoded_pictures(dataset, cache)
    crops = PersonCrops(encoded, dataset.pictures, network.config.side)
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


def _photograph_scores(
    encoded: EncodedPictures, eyes: GivenEstimator, dataset: Dataset, numbers: np.ndarray[Any, Any], cache: Path
) -> dict[str, Any]:
    """As above, in the pictures in which somebody is ``found``; ``places`` are pixels of the pictures."""
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

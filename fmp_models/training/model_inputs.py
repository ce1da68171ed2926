"""Model inputs of samples: pictures or a frozen backbone's features, and joints; with or without augmentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fmp_models.networks import VisionModel, as_images, mirrored_joints, mirrored_pixels
from fmp_models.preprocessing import centred
from fmp_models.training.augmentation import InputDropout, JointNoise, LightJitter, dropped, noisy, relit
from fmp_models.training.config import Share
from fmp_models.training.dataset_samples import NO_PICTURE, Samples
from fmp_models.training.estimated_joints import EstimatedJoints
from fmp_models.training.pictures import CroppedPictures, Features


@dataclass(frozen=True)
class Variation:
    """The augmentation of samples; by default none, as in the paper.

    ``mirror`` is the share of mirrored samples, ``unplaced`` of samples whose poses each have their own origin, as in
    photographs. ``noisy`` is the share of samples whose true joints get simulated estimator errors. ``estimated`` is
    the share of others that use the joints estimated in their pictures (which are never placed), or simulated errors
    where there is no picture. Raises ``ValueError`` if the sum of the last two is above 1.
    """

    mirror: Share = 0.0
    unplaced: Share = 0.0
    noisy: Share = 0.0
    estimated: Share = 0.0
    noise: JointNoise = field(default_factory=JointNoise)
    missing: InputDropout = field(default_factory=InputDropout)
    light: LightJitter | None = None  # if the backbone is trained as well

    def __post_init__(self) -> None:
        """Raise ValueError if the shares of noisy and estimated joints overlap."""
        if self.noisy + self.estimated > 1:
            raise ValueError("the shares of noisy and of estimated joints must together be at most 1")


@dataclass(frozen=True)
class ModelInputs:
    """b samples of k poses each.

    ``pixels`` (b, k, s, s, 3) uint8 or ``positions`` (b, k, n, c); neither for a model without pictures. ``joints``
    (b, k, 20, 3) are metres as returned by :func:`fmp_models.preprocessing.centred`; ``bodies`` are the
    true joints, each relative to its own hip. ``image_known`` and ``joints_known`` (b, k) mark the poses that have
    them.
    """

    pixels: Tensor | None
    positions: Tensor | None
    joints: Tensor
    bodies: Tensor
    image_known: Tensor
    joints_known: Tensor

    def seen_by(self, model: VisionModel[Any]) -> Tensor | None:
        """Return the positions (b, k, n, c), computed from ``pixels`` if there are any; ``None`` without pictures."""
        return self.positions if self.pixels is None else model.positions(as_images(self.pixels))


@dataclass(frozen=True)
class Views:
    """A network's view of a dataset's pictures: ``squares``, or the features of the plain and the mirrored pictures."""

    squares: CroppedPictures | None = None
    features: tuple[Features, Features] | None = None

    def at(self, numbers: NDArray[np.int64], mirrored: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Return ``pixels`` and ``positions`` of :class:`ModelInputs`; ``mirrored`` (b,) marks the mirrored samples."""
        if self.features is not None:
            plain, turned = self.features
            positions = plain.maps.shape[1:]
            maps = torch.empty(*numbers.shape, *positions)
            for which, features in ((~mirrored, plain), (mirrored, turned)):  # maps are large: read each once
                maps[which] = features.at(numbers[which.numpy()])
            return None, maps
        if self.squares is not None:
            pixels = self.squares.at(numbers)
            return torch.where(mirrored.view(-1, 1, 1, 1, 1), mirrored_pixels(pixels), pixels), None
        return None, None


@dataclass(frozen=True)
class SampleInputs:
    """A source of model inputs; safe in several threads. Joints that are not ``placed`` each have their own origin.

    ``estimated`` are the joints estimated in the pictures. If no person was found in one of a sample's pictures, the
    true joints are used; with ``partly`` only if no person was found in the current picture.
    """

    samples: Samples
    views: Views
    placed: bool = True
    estimated: EstimatedJoints | None = None
    partly: bool = False

    def plain(self, rows: Sequence[int]) -> ModelInputs:
        """Return the inputs of these samples without augmentation."""
        return self._inputs(rows, torch.zeros(len(rows), dtype=torch.bool), Variation(), torch.Generator())

    def varied(
        self, rows: Sequence[int], mirrorable: Tensor, variation: Variation, generator: torch.Generator
    ) -> tuple[ModelInputs, Tensor]:
        """Return the augmented inputs, and which samples (b,) are mirrored; only ``mirrorable`` (b,) ones are."""
        mirrored = mirrorable & (torch.rand(len(rows), generator=generator) < variation.mirror)
        return self._inputs(rows, mirrored, variation, generator), mirrored

    def _inputs(
        self, rows: Sequence[int], mirrored: Tensor, variation: Variation, generator: torch.Generator
    ) -> ModelInputs:
        indices = np.asarray(rows, dtype=np.int64)
        numbers = self.samples.pictures[indices]
        turned = mirrored.view(-1, 1, 1, 1)
        joints = torch.from_numpy(self.samples.joints[indices])
        joints = torch.where(turned, mirrored_joints(joints), joints)
        count = len(indices)
        lot = torch.rand(count, generator=generator)
        is_drawn = torch.from_numpy((numbers == NO_PICTURE).all(axis=1))
        rough = ((lot < variation.noisy) | (is_drawn & (lot >= 1 - variation.estimated))).view(-1, 1, 1, 1)
        shown_joints = torch.where(rough, noisy(joints, variation.noise, generator), joints)
        together = torch.from_numpy(self.samples.placed[indices]) & self.placed
        placed = (torch.rand(count, generator=generator) >= variation.unplaced) & together
        image_known = torch.from_numpy(numbers != NO_PICTURE)
        joints_known = torch.from_numpy(self.samples.known[indices])
        if self.estimated is not None:
            estimated, estimated_known = map(torch.from_numpy, self.estimated.at(numbers))
            measured = (lot >= 1 - variation.estimated) & (
                estimated_known[:, 0] if self.partly else estimated_known.all(dim=1)
            )
            estimated = torch.where(turned, mirrored_joints(estimated), estimated)
            shown_joints = torch.where(measured.view(-1, 1, 1, 1), estimated, shown_joints)
            joints_known = torch.where(measured[:, None], estimated_known, joints_known)
            placed = placed & ~measured
        complete = image_known.all(dim=1), joints_known.all(dim=1)
        image_left, joints_left = dropped(*complete, variation.missing, generator)
        pixels, positions = self.views.at(numbers, mirrored)
        if pixels is not None and variation.light is not None:
            pixels = relit(pixels.flatten(0, 1), variation.light, generator).view(pixels.shape)
        return ModelInputs(
            pixels,
            positions,
            torch.from_numpy(centred(shown_joints.numpy(), placed=placed.numpy())),
            torch.from_numpy(centred(joints.numpy(), placed=False)),
            image_known & ~(complete[0] & ~image_left)[:, None],
            joints_known & ~(complete[1] & ~joints_left)[:, None],
        )

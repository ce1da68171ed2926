"""Model inputs of samples: pictures, or what a frozen backbone saw in them, and joints; varied or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fmp_models.networks.backbones.backbone import as_images
from fmp_models.networks.backbones.vision_model import VisionModel
from fmp_models.networks.mirror import mirrored_joints, mirrored_pixels
from fmp_models.preprocessing.joint_origin import centred
from fmp_models.training.config import Share
from fmp_models.training.samples.augmentation import InputDropout, JointNoise, LightJitter, dropped, noisy, relit
from fmp_models.training.samples.backbone_features import Features
from fmp_models.training.samples.dataset_samples import NO_PICTURE, Samples
from fmp_models.training.samples.estimated_joints import EstimatedJoints
from fmp_models.training.samples.pictures import CroppedPictures


@dataclass(frozen=True)
class Variation:
    """The variation of a sample from look to look; by default none at all, as in the paper.

    ``mirror`` is the share of samples that are mirrored, ``unplaced`` of those whose poses each have their own origin,
    as photographs give them, ``noisy`` of those whose true joints are given errors as an estimator's are thought to be,
    and ``estimated`` of others that have the joints that an estimator measured in their pictures (which are never
    placed), or such errors where there is no picture. ``ValueError`` where the last two are more than all.
    """

    mirror: Share = 0.0
    unplaced: Share = 0.0
    noisy: Share = 0.0
    estimated: Share = 0.0
    noise: JointNoise = field(default_factory=JointNoise)
    missing: InputDropout = field(default_factory=InputDropout)
    light: LightJitter | None = None  # where the backbone is trained too

    def __post_init__(self) -> None:
        """Refuse shares that would overlap."""
        if self.noisy + self.estimated > 1:
            message = "the shares of noisy and of estimated joints must together be at most 1"
            raise ValueError(message)


@dataclass(frozen=True)
class ModelInputs:
    """b samples of k poses each.

    ``pixels`` (b, k, s, s, 3) uint8 or ``positions`` (b, k, n, c), neither where there is no seeing; ``joints``
    (b, k, 20, 3) metres as :func:`fmp_models.preprocessing.joint_origin.centred` has them, and ``bodies`` the true
    ones, each from its own hip; ``image_known`` and ``joints_known`` (b, k) say of which poses there are any.
    """

    pixels: Tensor | None
    positions: Tensor | None
    joints: Tensor
    bodies: Tensor
    image_known: Tensor
    joints_known: Tensor

    def seen_by(self, model: VisionModel[Any]) -> Tensor | None:
        """The positions (b, k, n, c), computed now from ``pixels``; ``None`` where there is nothing to see."""
        return self.positions if self.pixels is None else model.positions(as_images(self.pixels))


@dataclass(frozen=True)
class Views:
    """The views of a dataset's pictures: ``squares``, or the features of the plain and mirrored ones."""

    squares: CroppedPictures | None = None
    features: tuple[Features, Features] | None = None

    def at(self, numbers: NDArray[np.int64], mirrored: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """``pixels`` and ``positions`` of :class:`ModelInputs`; ``mirrored`` (b,) says which samples are."""
        if self.features is not None:
            plain, turned = self.features
            positions = plain.maps.shape[1:]
            maps = torch.empty(*numbers.shape, *positions)
            for which, features in ((~mirrored, plain), (mirrored, turned)):  # each map is read once: they are large
                maps[which] = features.at(numbers[which.numpy()])
            return None, maps
        if self.squares is not None:
            pixels = self.squares.at(numbers)
            return torch.where(mirrored.view(-1, 1, 1, 1, 1), mirrored_pixels(pixels), pixels), None
        return None, None


@dataclass(frozen=True)
class SampleInputs:
    """Shows samples; safe in several threads. Joints that are not ``placed`` have each their own origin.

    ``estimated`` are the joints that were measured in the pictures; where nobody was found in one of a sample's, the
    true ones are shown, but with ``partly`` only of samples whose current pose was not found.
    """

    samples: Samples
    views: Views
    placed: bool = True
    estimated: EstimatedJoints | None = None
    partly: bool = False

    def plain(self, rows: Sequence[int]) -> ModelInputs:
        """The inputs of these samples as they are."""
        return self._inputs(rows, torch.zeros(len(rows), dtype=torch.bool), Variation(), torch.Generator())

    def varied(
        self, rows: Sequence[int], mirrorable: Tensor, variation: Variation, generator: torch.Generator
    ) -> tuple[ModelInputs, Tensor]:
        """These samples' inputs in some variation, and which (b,) are mirrored; only ``mirrorable`` (b,) ones are."""
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

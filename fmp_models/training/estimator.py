"""Training of our own estimator: joints of the simulator's people from square crops around them; its recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fmp_models.data import parse_uid, retrieval_split, tilted_joints
from fmp_models.networks import (
    JointPrediction,
    JointTruth,
    PoseNetwork,
    PoseNetworkConfig,
    as_images,
    joint_errors,
    mirrored_joints,
    mirrored_pixels,
    mirrored_places,
    pose_losses,
)
from fmp_models.preprocessing import PERSON, PersonCrop, centred, cut
from fmp_models.training.augmentation import LightJitter, relit
from fmp_models.training.batching import shuffled
from fmp_models.training.config import Count, Positive, Share
from fmp_models.training.dataset_samples import PictureList, read_dataset
from fmp_models.training.engine import fit, on_device
from fmp_models.training.objective import Objective, Save, saver
from fmp_models.training.pictures import EncodedPictures, encoded_pictures, joint_places
from fmp_models.training.preparation import (
    TRAINED_ON,
    Recipe,
    SampleRequirements,
    TrainingOrder,
    deciding_parts,
    init_backbone_from,
    load_weights,
    read_recipe,
    spread,
    usable,
)


@dataclass(frozen=True)
class Jitter:
    """Ranges of random crops: ``zooms`` of the side in lengths of the person, ``shift`` in shares of the side.

    ``zooms`` are the minimum and the maximum.
    """

    zooms: tuple[Positive, Positive] = (PERSON - 0.2, PERSON + 0.45)
    shift: Share = 0.12


@dataclass(frozen=True)
class Crops:
    """A batch: ``pixels`` (b, s, s, 3) uint8; ``places`` (b, 20, 2), from 0 to 1, right and down across the square.

    ``metres`` (b, 20, 3) are in the camera frame, relative to the hip; ``inside`` (b, 20) marks joints in the square.
    """

    pixels: Tensor
    places: Tensor
    metres: Tensor
    inside: Tensor


class PersonCropSampler:
    """Square crops of ``size`` pixels around the people in the simulator's pictures; safe in several threads."""

    def __init__(self, encoded: EncodedPictures, pictures: PictureList, size: int) -> None:
        self._encoded = encoded
        self._size = size
        self._points = joint_places(pictures)
        # In one square the picture's own vertical is the only one that the network can see.
        joints = tilted_joints(pictures.joints, *pictures.tilts.T).astype(np.float32)
        self._metres = centred(joints[:, None], placed=False)[:, 0]

    def cut(self, numbers: Sequence[int], jitter: Jitter | None, generator: torch.Generator) -> Crops:
        """Crop the pictures of these numbers, whose joints are known; without ``jitter`` the person is centred."""
        indices = np.asarray(numbers, dtype=np.int64)
        squares = [_square(points, jitter, generator) for points in self._points[indices]]
        pixels = [
            cut(self._encoded.image(int(number)), square, self._size)
            for number, square in zip(indices, squares, strict=True)
        ]
        places = torch.from_numpy(
            np.stack([square.places(points) for square, points in zip(squares, self._points[indices], strict=True)])
        )
        return Crops(
            torch.from_numpy(np.stack(pixels)),
            places,
            torch.from_numpy(self._metres[indices]),
            ((places >= 0) & (places <= 1)).all(dim=-1),
        )


def _square(points: NDArray[np.float32], jitter: Jitter | None, generator: torch.Generator) -> PersonCrop:
    if jitter is None:
        return PersonCrop.around(points, PERSON)
    zoom, right, down = torch.rand(3, generator=generator).tolist()
    least, most = jitter.zooms
    square = PersonCrop.around(points, least * (most / least) ** zoom)
    reach = 2 * jitter.shift * square.side
    return PersonCrop(square.left + (right - 0.5) * reach, square.top + (down - 0.5) * reach, square.side)


_BATCH = 64


@dataclass(frozen=True)
class EstimationConfig:
    """The configuration of estimation: data and augmentation; ``wide`` adds the simulator's wide pairs."""

    batch: Count = 32
    wide: bool = True
    mirror: Share = 0.5
    jitter: Jitter = field(default_factory=Jitter)
    light: LightJitter = field(default_factory=LightJitter)
    validation_pictures: Count | None = None  # None: all


@dataclass
class Estimation(Objective):
    """The estimation task; ``pictures`` and ``validation`` (n,) are numbers of pictures with known joints."""

    model: PoseNetwork
    config: EstimationConfig
    crops: PersonCropSampler
    pictures: NDArray[np.int64]
    validation: NDArray[np.int64]
    keep: Save
    metric = "error"
    higher_is_better = False

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return batches that contain every picture once per epoch."""
        return shuffled(len(self.pictures), self.config.batch, generator)

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> Crops:
        """Return crops with random jitter and light, some of them mirrored."""
        config = self.config
        crops = self.crops.cut(self.pictures[list(samples)].tolist(), config.jitter, generator)
        turned = (torch.rand(len(samples), generator=generator) < config.mirror).view(-1, 1, 1)
        mirrored_crops = _mirrored(crops)
        pixels = torch.where(turned[..., None], mirrored_crops.pixels, crops.pixels)
        return Crops(
            relit(pixels, config.light, generator),
            torch.where(turned, mirrored_crops.places, crops.places),
            torch.where(turned, mirrored_crops.metres, crops.metres),
            torch.where(turned[..., 0], mirrored_crops.inside, crops.inside),
        )

    def loss(self, batch: Crops) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the sum of ``pose_losses``, its parts, and the mean joint error in metres."""
        prediction: JointPrediction = self.model(as_images(batch.pixels))
        losses = pose_losses(prediction, JointTruth(batch.places, batch.metres, batch.inside))
        error = joint_errors(prediction.metres.detach(), batch.metres).mean()
        return torch.stack(list(losses.values())).sum(), {**losses, "error": error}

    def validate(self) -> dict[str, float]:
        """Return the mean ``error`` in metres relative to the hip, and ``places`` as a share of the crop's side."""
        errors, places = [], []
        device = next(self.model.parameters()).device
        for begin in range(0, len(self.validation), _BATCH):
            crops = self.crops.cut(self.validation[begin : begin + _BATCH].tolist(), None, torch.Generator())
            crops = on_device(crops, device)
            estimate = self.model.look(as_images(crops.pixels))
            errors.append(joint_errors(estimate.metres, crops.metres))
            places.append((estimate.places - crops.places).norm(dim=-1))
        return {"error": float(torch.cat(errors).mean()), "places": float(torch.cat(places).mean())}


def _mirrored(crops: Crops) -> Crops:
    places = mirrored_places(crops.places)
    inside = ((places >= 0) & (places <= 1)).all(dim=-1)
    return Crops(mirrored_pixels(crops.pixels), places, mirrored_joints(crops.metres), inside)


@dataclass(frozen=True)
class EstimatorRecipe(Recipe):
    """An estimator's configuration."""

    data: EstimationConfig = field(default_factory=EstimationConfig)
    network: PoseNetworkConfig = field(default_factory=PoseNetworkConfig)


def train_estimator(order: TrainingOrder) -> None:
    """Train an estimator or resume its run; raise ``BadInputError`` as described in ``train``."""
    recipe = read_recipe(EstimatorRecipe, "estimator", order)
    config, network = recipe.data, recipe.network
    dataset = read_dataset(order.dataset, *TRAINED_ON["estimator"], wide=config.wide)
    needs = SampleRequirements((), pictures=True, joints=True)
    samples, validation = (usable(dataset, split, needs) for split in ("train", "val_unseen"))
    # Retrievers use the backbone too, and their evaluation holds out movements, not rooms.
    samples = samples.subset(
        [row for row, uid in enumerate(samples.uids) if retrieval_split(parse_uid(uid)) == "train"]
    )
    torch.manual_seed(recipe.engine.seed)
    model = PoseNetwork(network)
    if order.backbone is not None:
        init_backbone_from(model.backbone, order.backbone)
    if order.start is not None:
        load_weights(model, order.start)
    task = Estimation(
        model,
        config,
        PersonCropSampler(encoded_pictures(dataset, order.cache_folder), dataset.pictures, network.side),
        np.unique(samples.pictures),
        spread(np.unique(validation.pictures), config.validation_pictures),
        saver("estimator", asdict(network), {}),
    )
    fit(task, recipe.engine, order.out, deciding_parts("estimator", recipe, order, dataset.fingerprint))

"""The pose network of our own estimator: a picture of one person -> their joints.

Not of the paper, which takes joints as given. Where each joint lies in the picture, and how deep, is the mean of a
heat map in three dimensions (integral regression: Sun et al. 2018, "Integral Human Pose Regression"). Metres follow
from places: the offset from the hip in the picture times the metres that the crop is wide, and a correction for
perspective and for what lies outside the crop, both read off the whole picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import torch
from torch import Tensor, nn
from torch.nn import functional

from fmp_models.networks.backbones.backbone import Backbone, BackboneConfig
from fmp_models.networks.limits import MAX_FEATURES, keep
from fmp_models.networks.mirror import mirrored_joints, mirrored_places
from fmp_models.pose import INDEX, JOINTS, MIRROR

_HIP = INDEX["hip"]
_SIZES = {"side": (32, 1024), "head": (1, MAX_FEATURES), "depths": (2, 128)}  # one position of the map; near and far
_REACH = 1.2  # metres before and behind the hip that the heat maps cover
_WIDE = 2.2  # metres that a crop is wide to begin with; learned for each picture
_VISIBILITY_WEIGHT = 0.1  # of the loss, against errors in metres and in shares of the crop


@dataclass(frozen=True)
class PoseNetworkConfig:
    """Sizes of a ``PoseNetwork``: crops of ``side`` pixels, ``head`` channels before the heat maps, ``depths`` of them.

    ``flip_test`` says that the estimator looks twice, the second time in a mirror. ValueError for what is no network.
    """

    backbone: BackboneConfig = field(default_factory=lambda: BackboneConfig("narrow18", width=32))
    side: int = 192
    head: int = 128
    depths: int = 16
    flip_test: bool = True

    def __post_init__(self) -> None:
        """Refuse sizes that are none."""
        keep(
            (least <= getattr(self, name) <= most, f"{name} must be from {least} to {most}")
            for name, (least, most) in _SIZES.items()
        )


@dataclass(frozen=True)
class JointPrediction:
    """What the network sees in b crops; joints in the order of ``fmp_models.pose.JOINTS``.

    ``places`` (b, 20, 2) from 0 to 1 right and down across the crop; ``metres`` (b, 20, 3) in the camera frame from the
    hip; ``inside`` (b, 20) logits of the joint's lying inside the crop; ``spread`` (b, 20) the standard deviation of
    the heat map in the picture, in shares of the crop: how little is known of the place.
    """

    places: Tensor
    metres: Tensor
    inside: Tensor
    spread: Tensor

    @property
    def mirrored(self) -> JointPrediction:
        """The same bodies in a mirror: left and right exchanged."""
        order = list(MIRROR)
        places, metres = mirrored_places(self.places), mirrored_joints(self.metres)
        return JointPrediction(places, metres, self.inside[:, order], self.spread[:, order])


@dataclass(frozen=True)
class JointTruth:
    """The joints of b crops: as in ``JointPrediction``, but ``inside`` (b, 20) is true or false."""

    places: Tensor
    metres: Tensor
    inside: Tensor


class PoseNetwork(nn.Module):
    """Backbone, one step of enlarging, heat maps of (depth, row, column) for each joint."""

    def __init__(self, config: PoseNetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.backbone = Backbone(config.backbone)
        channels = self.backbone.channels
        self.enlarge = nn.Sequential(
            nn.ConvTranspose2d(channels, config.head, 4, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(config.head),
            nn.ReLU(inplace=True),
        )
        self.heat = nn.Conv2d(config.head, len(JOINTS) * config.depths, 1)
        # Metres of the crop's width, a correction in metres and a logit for each joint, off the whole picture.
        self.whole = nn.Linear(channels, 1 + 4 * len(JOINTS))
        nn.init.normal_(self.heat.weight, std=0.01)
        nn.init.normal_(self.whole.weight, std=0.001)
        nn.init.zeros_(self.whole.bias)
        self.to(memory_format=torch.channels_last)

    def forward(self, crops: Tensor) -> JointPrediction:
        """``crops`` (b, 3, s, s) between 0 and 1 to joints."""
        maps = self.backbone.maps(crops)
        heat = self.heat(self.enlarge(maps)).float()
        heat = heat.reshape(len(crops), len(JOINTS), self.config.depths, *heat.shape[2:])
        likely = heat.flatten(2).softmax(dim=2).reshape(heat.shape)
        across, along = likely.sum(dim=(2, 3)), likely.sum(dim=(2, 4))
        right, down = _mean(across), _mean(along)
        depth = (2 * _mean(likely.sum(dim=(3, 4))) - 1) * _REACH
        places = torch.stack([right, down], dim=-1)
        whole = self.whole(maps.mean(dim=(2, 3))).float()
        wide = _WIDE * torch.exp(whole[:, 0])[:, None, None]
        metres = torch.cat([places * wide, depth[..., None]], dim=-1)
        metres = metres + whole[:, 1 : 1 + 3 * len(JOINTS)].reshape(metres.shape)
        spread = (_variance(across, right) + _variance(along, down)).sqrt()
        return JointPrediction(places, metres - metres[:, _HIP, None], whole[:, 1 + 3 * len(JOINTS) :], spread)

    def looks(self, crops: Tensor) -> list[JointPrediction]:
        """What ``forward`` sees, and with ``flip_test`` what it sees in the mirrored crops, mirrored back."""
        plain: JointPrediction = self(crops)
        return [plain, self(crops.flip(3)).mirrored] if self.config.flip_test else [plain]

    def look(self, crops: Tensor) -> JointPrediction:
        """The mean of ``looks``: with ``flip_test`` a mirrored picture gives the mirrored pose, but for rounding."""
        looks = self.looks(crops)
        return JointPrediction(
            **{
                field.name: torch.stack([getattr(look, field.name) for look in looks]).mean(dim=0)
                for field in fields(JointPrediction)
            }
        )


def pose_losses(prediction: JointPrediction, truth: JointTruth, known: Tensor | None = None) -> dict[str, Tensor]:
    """What to make small: "places" in shares of the crop, "metres", "inside", each weighed, to be summed.

    ``known`` (b, 20) says which joints have a truth, all when it is None. A place counts only inside the crop.
    """
    counts = torch.ones_like(truth.inside, dtype=torch.bool) if known is None else known
    inside = truth.inside.bool()
    # Absolute errors: a few joints that cannot be seen must not outweigh the rest.
    places = (prediction.places - truth.places).abs().sum(dim=-1)
    metres = (prediction.metres - truth.metres).abs().sum(dim=-1)
    visibility = functional.binary_cross_entropy_with_logits(prediction.inside, inside.float(), reduction="none")
    return {
        "places": _mean_of(places, counts & inside),
        "metres": _mean_of(metres, counts),
        "inside": _VISIBILITY_WEIGHT * _mean_of(visibility, counts),
    }


def joint_errors(metres: Tensor, truth: Tensor) -> Tensor:
    """Metres (b, 20) between joints (b, 20, 3) and where they are, both seen from the hip (root-aligned)."""
    distances: Tensor = torch.linalg.vector_norm(
        (metres - metres[:, _HIP, None]) - (truth - truth[:, _HIP, None]), dim=-1
    )
    return distances


def _mean(likely: Tensor) -> Tensor:
    """Where (…) from 0 to 1 the mass of ``likely`` (…, n) lies; each of the n cells counts at its middle."""
    return likely @ _middles(likely)


def _variance(likely: Tensor, mean: Tensor) -> Tensor:
    """How widely (…) the mass of ``likely`` (…, n) lies about its ``mean`` (…)."""
    variance: Tensor = (likely * (_middles(likely) - mean[..., None]).square()).sum(dim=-1)
    return variance


def _middles(likely: Tensor) -> Tensor:
    cells = likely.shape[-1]
    return (torch.arange(cells, device=likely.device, dtype=likely.dtype) + 0.5) / cells


def _mean_of(values: Tensor, counts: Tensor) -> Tensor:
    """The mean where ``counts``; 0 where nothing does. What does not count may even be no number."""
    return torch.where(counts, values, torch.zeros_like(values)).sum() / counts.sum().clamp(min=1)

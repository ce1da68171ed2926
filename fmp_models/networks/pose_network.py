"""The pose network of our own estimator: from a picture of one person to that person's joints.

It is not part of the paper, which takes joints as given. A joint's place in the picture and its depth are the mean of
a three-dimensional heat map (integral regression: Sun et al. 2018, "Integral Human Pose Regression"). Metres follow
from the places: the offset from the hip in the picture times the crop's width in metres, plus a correction for
perspective and for joints outside the crop. Width and correction are predicted from the whole picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import torch
from torch import Tensor, nn
from torch.nn import functional

from fmp_models.networks.backbone import Backbone, BackboneConfig
from fmp_models.networks.layers import MAX_FEATURES, keep
from fmp_models.networks.transforms import mirrored_joints, mirrored_places
from fmp_models.pose import INDEX, JOINTS, MIRROR

_HIP = INDEX["hip"]
_SIZES = {"side": (32, 1024), "head": (1, MAX_FEATURES), "depths": (2, 128)}  # 32 px: one position; 2: near and far
_REACH = 1.2  # metres that the heat maps cover in front of and behind the hip
_WIDE = 2.2  # initial width of a crop in metres; the network predicts it for each picture
_VISIBILITY_WEIGHT = 0.1  # weight of this loss relative to errors in metres and in shares of the crop


@dataclass(frozen=True)
class PoseNetworkConfig:
    """Sizes of a ``PoseNetwork``: ``side`` of crops in pixels, channels of the ``head``, ``depths`` of heat maps.

    With ``flip_test`` the estimator runs on the crop and its mirror image. Raises ValueError for invalid values.
    """

    backbone: BackboneConfig = field(default_factory=lambda: BackboneConfig("narrow18", width=32))
    side: int = 192
    head: int = 128
    depths: int = 16
    flip_test: bool = True

    def __post_init__(self) -> None:
        """Raise ValueError if a size is out of range."""
        keep(
            (least <= getattr(self, name) <= most, f"{name} must be from {least} to {most}")
            for name, (least, most) in _SIZES.items()
        )


@dataclass(frozen=True)
class JointPrediction:
    """The network's output for b crops; joints are in the order of ``fmp_models.pose.JOINTS``.

    ``places`` (b, 20, 2) run from 0 to 1 right and down across the crop. ``metres`` (b, 20, 3) are in the camera
    frame, relative to the hip. ``inside`` (b, 20) are logits that the joint lies inside the crop. ``spread`` (b, 20)
    is the standard deviation of the heat map in the picture, in shares of the crop: the uncertainty of the place.
    """

    places: Tensor
    metres: Tensor
    inside: Tensor
    spread: Tensor

    @property
    def mirrored(self) -> JointPrediction:
        """The prediction for the mirrored bodies: left and right exchanged."""
        order = list(MIRROR)
        places, metres = mirrored_places(self.places), mirrored_joints(self.metres)
        return JointPrediction(places, metres, self.inside[:, order], self.spread[:, order])


@dataclass(frozen=True)
class JointTruth:
    """The true joints of b crops, as in ``JointPrediction``; ``inside`` (b, 20) is true or false."""

    places: Tensor
    metres: Tensor
    inside: Tensor


class PoseNetwork(nn.Module):
    """A backbone, one upsampling layer, and a heat map over (depth, row, column) for each joint."""

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
        # From the whole picture: the crop's width in metres, and a correction in metres and a logit per joint.
        self.whole = nn.Linear(channels, 1 + 4 * len(JOINTS))
        nn.init.normal_(self.heat.weight, std=0.01)
        nn.init.normal_(self.whole.weight, std=0.001)
        nn.init.zeros_(self.whole.bias)
        self.to(memory_format=torch.channels_last)

    def forward(self, crops: Tensor) -> JointPrediction:
        """Predict the joints in ``crops`` (b, 3, s, s) between 0 and 1."""
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
        """Return the prediction and, with ``flip_test``, that of the mirrored crops, mirrored back."""
        plain: JointPrediction = self(crops)
        return [plain, self(crops.flip(3)).mirrored] if self.config.flip_test else [plain]

    def look(self, crops: Tensor) -> JointPrediction:
        """Return the mean of ``looks``; with ``flip_test`` a mirrored crop gives the mirrored pose up to rounding."""
        looks = self.looks(crops)
        return JointPrediction(
            **{
                field.name: torch.stack([getattr(look, field.name) for look in looks]).mean(dim=0)
                for field in fields(JointPrediction)
            }
        )


def pose_losses(prediction: JointPrediction, truth: JointTruth, known: Tensor | None = None) -> dict[str, Tensor]:
    """Return the weighted losses to be summed: "places" in shares of the crop, "metres" and "inside".

    ``known`` (b, 20) marks the joints that have a truth; None means all. A place counts only if it lies inside the
    crop.
    """
    counts = torch.ones_like(truth.inside, dtype=torch.bool) if known is None else known
    inside = truth.inside.bool()
    # Absolute errors: a few joints that are hidden must not outweigh the rest.
    places = (prediction.places - truth.places).abs().sum(dim=-1)
    metres = (prediction.metres - truth.metres).abs().sum(dim=-1)
    visibility = functional.binary_cross_entropy_with_logits(prediction.inside, inside.float(), reduction="none")
    return {
        "places": _mean_of(places, counts & inside),
        "metres": _mean_of(metres, counts),
        "inside": _VISIBILITY_WEIGHT * _mean_of(visibility, counts),
    }


def joint_errors(metres: Tensor, truth: Tensor) -> Tensor:
    """Return the distances (b, 20) in metres between joints (b, 20, 3) and their truth, aligned at the hip."""
    distances: Tensor = torch.linalg.vector_norm(
        (metres - metres[:, _HIP, None]) - (truth - truth[:, _HIP, None]), dim=-1
    )
    return distances


def _mean(likely: Tensor) -> Tensor:
    """Return the mean (…) from 0 to 1 of the distribution ``likely`` (…, n); a cell counts at its centre."""
    return likely @ _middles(likely)


def _variance(likely: Tensor, mean: Tensor) -> Tensor:
    """Return the variance (…) of the distribution ``likely`` (…, n) about its ``mean`` (…)."""
    variance: Tensor = (likely * (_middles(likely) - mean[..., None]).square()).sum(dim=-1)
    return variance


def _middles(likely: Tensor) -> Tensor:
    cells = likely.shape[-1]
    return (torch.arange(cells, device=likely.device, dtype=likely.dtype) + 0.5) / cells


def _mean_of(values: Tensor, counts: Tensor) -> Tensor:
    """Return the mean of ``values`` where ``counts`` is true, 0 if it never is; other values can be NaN."""
    return torch.where(counts, values, torch.zeros_like(values)).sum() / counts.sum().clamp(min=1)

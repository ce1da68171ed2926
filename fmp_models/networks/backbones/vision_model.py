"""A network and the backbone it sees by, which are trained, saved and loaded as one."""

from __future__ import annotations

from typing import Generic, TypeVar

from torch import Tensor, nn

from fmp_models.networks.backbones.backbone import Backbone

Network = TypeVar("Network", bound=nn.Module)


class VisionModel(nn.Module, Generic[Network]):
    """``network`` works on positions, which ``backbone`` makes of pictures; one that sees nothing has none."""

    def __init__(self, network: Network, backbone: Backbone | None) -> None:
        super().__init__()
        self.network = network
        self.backbone = backbone

    def positions(self, images: Tensor) -> Tensor:
        """Pictures (..., 3, h, w) between 0 and 1 to positions (..., n, c); ``ValueError`` without a backbone."""
        if self.backbone is None:
            message = "a model without a backbone sees no pictures"
            raise ValueError(message)
        positions: Tensor = self.backbone(images.flatten(0, -4))
        return positions.view(*images.shape[:-3], *positions.shape[1:])

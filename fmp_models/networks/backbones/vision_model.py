"""A network together with its backbone; the two are trained, saved and loaded as one module."""

from __future__ import annotations

from typing import Generic, TypeVar

from torch import Tensor, nn

from fmp_models.networks.backbones.backbone import Backbone

Network = TypeVar("Network", bound=nn.Module)


class VisionModel(nn.Module, Generic[Network]):
    """A ``network`` on positions, and the ``backbone`` that computes positions of pictures; None without pictures."""

    def __init__(self, network: Network, backbone: Backbone | None) -> None:
        super().__init__()
        self.network = network
        self.backbone = backbone

    def positions(self, images: Tensor) -> Tensor:
        """Compute positions (..., n, c) of pictures (..., 3, h, w) between 0 and 1; ValueError without backbone."""
        if self.backbone is None:
            raise ValueError("a model without a backbone cannot process pictures")
        positions: Tensor = self.backbone(images.flatten(0, -4))
        return positions.view(*images.shape[:-3], *positions.shape[1:])

"""Joints as features (paper section 6.1): one linear layer and a positional encoding over the 20 joints."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fmp_models.networks.layers import linear
from fmp_models.pose import JOINTS

_BASE = 10000.0  # base of the wavelengths (Vaswani et al. 2017; released code)


def positional_encoding(positions: int, size: int) -> Tensor:
    """Return sinusoids (positions, size): sine on even channels, cosine on odd ones; ``size`` must be even."""
    rates = _BASE ** (-torch.arange(0, size, 2) / size)
    angles = torch.arange(positions)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class JointEncoder(nn.Module):
    """PE(W_j^T J); one W_j serves the current joints, the target joints and their difference."""

    places: Tensor

    def __init__(self, size: int, coordinates: int = 3) -> None:
        super().__init__()
        self.w_j = linear(coordinates, size)
        self.register_buffer("places", positional_encoding(len(JOINTS), size), persistent=False)

    def forward(self, joints: Tensor) -> Tensor:
        """Encode ``joints`` (b, 20, c), in metres or as differences, as (b, 20, d)."""
        encoded: Tensor = self.w_j(joints.to(self.w_j.weight.dtype)) + self.places
        return encoded

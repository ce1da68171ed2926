"""Joints predicted from a picture's positions: the captioner's second task (sim-to-real, paper section 8.1)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from fmp_models.networks.attention import attend
from fmp_models.networks.layers import linear
from fmp_models.pose import JOINTS

_PART = 32  # features of each joint before the layer that combines all joints


class JointHead(nn.Module):
    """One attention query for each joint over the positions; a last layer combines them into 20 points in metres."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.randn(len(JOINTS), size) * size**-0.5)
        self.part = linear(size + 2, _PART)
        self.points = linear(len(JOINTS) * _PART, len(JOINTS) * 3)

    def forward(self, positions: Tensor) -> Tensor:
        """Compute joints (b, 20, 3) from ``positions`` (b, n, d) of a square map; ValueError if it is not square."""
        attended, weights = attend(self.queries.expand(len(positions), -1, -1), positions)
        places = weights @ _grid(positions.shape[1]).to(positions)
        parts = torch.relu(self.part(torch.cat([attended, places], dim=-1)))
        points: Tensor = self.points(parts.flatten(1))
        return points.view(-1, len(JOINTS), 3)


def _grid(positions: int) -> Tensor:
    """Return column and row (n, 2) of each position of a square map, from -1 to 1."""
    side = math.isqrt(positions)
    if side * side != positions:
        raise ValueError(f"{positions} positions do not form a square map")
    line = torch.linspace(-1, 1, side)
    return torch.cartesian_prod(line, line).flip(-1)

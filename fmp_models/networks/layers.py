"""Small layers that the networks share: linear ones, started as in the released code, and stand-ins."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn


def linear(inputs: int, outputs: int, activation: Literal["linear", "tanh"] = "linear") -> nn.Linear:
    """A linear layer whose weights start Kaiming-uniform with its activation's gain (released code, ``LinearAct``)."""
    layer = nn.Linear(inputs, outputs)
    nn.init.kaiming_uniform_(layer.weight, nonlinearity=activation)
    return layer


def without_unknown(values: Tensor, known: Tensor | None) -> Tensor:
    """``values`` (b, n, c) with zeros in the rows that ``known`` (b,) denies, so that not even NaN there does harm."""
    return values if known is None else torch.where(known[:, None, None], values, torch.zeros_like(values))


class StandIn(nn.Module):
    """A learned vector in the place of every feature of what is not known."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.vector = nn.Parameter(torch.randn(size) * size**-0.5)

    def forward(self, features: Tensor, known: Tensor | None) -> Tensor:
        """``features`` (b, n, d), the vector in the rows that ``known`` (b,) denies; all are known when it is None."""
        return features if known is None else torch.where(known[:, None, None], features, self.vector)

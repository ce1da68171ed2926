"""Small layers that the networks share: linear layers initialised as in the released code, dropout, embeddings."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

_BYTES = 256  # number of values of a byte


def linear(inputs: int, outputs: int, activation: Literal["linear", "tanh"] = "linear") -> nn.Linear:
    """Return a linear layer with Kaiming-uniform weights for its activation's gain (released code, ``LinearAct``)."""
    layer = nn.Linear(inputs, outputs)
    nn.init.kaiming_uniform_(layer.weight, nonlinearity=activation)
    return layer


def without_unknown(values: Tensor, known: Tensor | None) -> Tensor:
    """Return ``values`` (b, n, c) with zeros in the rows that are not ``known`` (b,), so that NaN has no effect."""
    return values if known is None else torch.where(known[:, None, None], values, torch.zeros_like(values))


class Dropout(nn.Dropout):
    """Dropout at a rate rounded to 1/256, because on a CPU a byte mask is drawn five times as fast as a float mask.

    Torch's own dropout takes a fifth of a retriever's training step.
    """

    def forward(self, values: Tensor) -> Tensor:
        """Apply dropout to ``values`` of any shape: in training set some to zero and scale the others up."""
        dropped = round(_BYTES * self.p)
        if not self.training or not 0 < dropped < _BYTES or values.device.type != "cpu":
            dropout: Tensor = super().forward(values)
            return dropout
        drawn = torch.empty(values.numel() // 8 + 1, dtype=torch.int64).random_(torch.iinfo(torch.int64).min, None)
        mask = drawn.view(torch.uint8)[: values.numel()].reshape(values.shape) >= dropped
        return values * mask.to(values.dtype).mul_(_BYTES / (_BYTES - dropped))


class MissingEmbedding(nn.Module):
    """A learned vector that replaces the features of missing inputs."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.vector = nn.Parameter(torch.randn(size) * size**-0.5)

    def forward(self, features: Tensor, known: Tensor | None) -> Tensor:
        """Return ``features`` (b, n, d) with the vector in rows that are not ``known`` (b,); None means all known."""
        return features if known is None else torch.where(known[:, None, None], features, self.vector)

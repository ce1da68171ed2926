"""The lifting network: predicts offsets of 20 joints from the features of 33 landmarks.

It is not part of the paper, which takes joints as given. It is a residual network of fully connected layers, after
Martinez et al. 2017, "A simple yet effective baseline for 3d human pose estimation". At inference
:mod:`fmp_models.estimators.landmarks` computes it without torch, so it has linear layers, layer normalisation
and ReLU only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fmp_models.networks.layers import MAX_FEATURES, Dropout, keep
from fmp_models.pose import JOINTS

FEATURES = 198  # six for each of 33 landmarks
_MAX_BLOCKS = 16


@dataclass(frozen=True)
class LiftingConfig:
    """Sizes of a ``LiftingNetwork``: input ``features``, hidden ``size``, ``blocks``; ValueError if out of range."""

    features: int = FEATURES
    size: int = 256
    blocks: int = 2
    dropout: float = 0.2

    def __post_init__(self) -> None:
        """Raise ValueError if a value is out of range."""
        keep(
            [
                (self.features == FEATURES, f"features must be {FEATURES}"),
                (1 <= self.size <= MAX_FEATURES, f"size must be from 1 to {MAX_FEATURES}"),
                (1 <= self.blocks <= _MAX_BLOCKS, f"blocks must be from 1 to {_MAX_BLOCKS}"),
                (0 <= self.dropout < 1, "dropout must be from 0 and below 1"),
            ]
        )


class LiftingNetwork(nn.Module):
    """Maps features (n, f) to offsets (n, 20, 3), which are zero before training."""

    def __init__(self, config: LiftingConfig) -> None:
        super().__init__()
        self.config = config
        self.enter = nn.Linear(config.features, config.size)
        self.blocks = nn.ModuleList(_Block(config) for _ in range(config.blocks))
        self.norm = nn.LayerNorm(config.size)
        self.leave = nn.Linear(config.size, len(JOINTS) * 3)
        nn.init.zeros_(self.leave.weight)
        nn.init.zeros_(self.leave.bias)

    def forward(self, features: Tensor) -> Tensor:
        """Compute the offsets, in units of ``estimators.landmarks.BODY``."""
        hidden = self.enter(features)
        for block in self.blocks:
            hidden = block(hidden)
        offsets: Tensor = self.leave(self.norm(hidden))
        return offsets.view(-1, len(JOINTS), 3)

    @torch.inference_mode()
    def offsets_of(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Compute offsets of a NumPy array as a NumPy array, on the device of the weights."""
        weight = next(self.parameters())
        return np.asarray(self(torch.from_numpy(features).to(weight.device)).cpu().numpy())


class _Block(nn.Module):
    def __init__(self, config: LiftingConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.size)
        self.widen = nn.Linear(config.size, config.size)
        self.dropout = Dropout(config.dropout)
        self.narrow = nn.Linear(config.size, config.size)

    def forward(self, hidden: Tensor) -> Tensor:
        inner = self.dropout(torch.relu(self.widen(self.norm(hidden))))
        outer: Tensor = hidden + self.narrow(inner)
        return outer

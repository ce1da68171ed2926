"""The lifting network: what is seen of 33 landmarks -> how far 20 joints lie from where these put them.

Not of the paper, which takes joints as given. A residual network of whole vectors, after Martinez et al. 2017, "A
simple yet effective baseline for 3d human pose estimation". The product computes it without torch, in
:mod:`fmp_models.estimators.landmarks.lifting`, so it has linear layers, layer normalisation and rectifiers alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fmp_models.networks.layers import Dropout
from fmp_models.networks.limits import MAX_FEATURES, keep
from fmp_models.pose import JOINTS

FEATURES = 198  # six of each of 33 landmarks
_MAX_BLOCKS = 16


@dataclass(frozen=True)
class LiftingConfig:
    """Sizes of a ``LiftingNetwork``: ``features`` in, ``size`` inside, ``blocks``; ValueError for what is none."""

    features: int = FEATURES
    size: int = 256
    blocks: int = 2
    dropout: float = 0.2

    def __post_init__(self) -> None:
        """Refuse sizes that are none."""
        keep(
            [
                (self.features == FEATURES, f"features must be {FEATURES}"),
                (1 <= self.size <= MAX_FEATURES, f"size must be from 1 to {MAX_FEATURES}"),
                (1 <= self.blocks <= _MAX_BLOCKS, f"blocks must be from 1 to {_MAX_BLOCKS}"),
                (0 <= self.dropout < 1, "dropout must be from 0 and below 1"),
            ]
        )


class LiftingNetwork(nn.Module):
    """Features (n, f) to offsets (n, 20, 3); at first there are none."""

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
        """Offsets in the size of ``estimators.landmarks.lifting.BODY``."""
        hidden = self.enter(features)
        for block in self.blocks:
            hidden = block(hidden)
        offsets: Tensor = self.leave(self.norm(hidden))
        return offsets.view(-1, len(JOINTS), 3)

    @torch.inference_mode()
    def offsets_of(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same of and as arrays, computed where the weights lie."""
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

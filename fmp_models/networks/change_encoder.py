"""Encoder of pose changes: one vector for each part of the body, computed from measured change features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fmp_models.geometry.measured_changes import FEATURE_SIZES, pose_changes
from fmp_models.networks.layers import Dropout


def measured_changes(current: Tensor, target: Tensor) -> Tensor:
    """Return ``pose_changes`` (..., n) of joints (..., 20, 3) in metres, on their device, without gradients."""
    before, after = (joints.detach().float().cpu().numpy() for joints in (current, target))
    return torch.from_numpy(pose_changes(before, after)).to(current.device)


class ChangeEncoder(nn.Module):
    """An encoder that gives one vector for each part of the body, from that part's features and the whole change."""

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        self.whole = nn.Sequential(
            nn.Linear(sum(FEATURE_SIZES.values()), 2 * size), nn.GELU(), nn.Linear(2 * size, size)
        )
        self.parts = nn.ModuleDict({part: nn.Linear(numbers, size) for part, numbers in FEATURE_SIZES.items()})
        self.dropout = Dropout(dropout)
        self.mixed = nn.ModuleDict(
            {
                part: nn.Sequential(nn.GELU(), nn.Linear(size, size), nn.GELU(), nn.Linear(size, size))
                for part in FEATURE_SIZES
            }
        )

    def forward(self, changes: Tensor) -> Tensor:
        """Encode ``pose_changes`` (..., n) as (..., parts, d)."""
        whole = self.whole(changes)
        of_parts = torch.split(changes, list(FEATURE_SIZES.values()), dim=-1)
        mixed = [
            self.mixed[part](self.dropout(self.parts[part](values) + whole))
            for part, values in zip(FEATURE_SIZES, of_parts, strict=True)
        ]
        return torch.stack(mixed, dim=-2)

"""A task of a few numbers, to see what the engine does; run as a program, it trains in a folder.

python tiny_task.py OUT '{"steps": 40}' '{"slow": 0.1}'
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from fmp_models.common import log_to_standard_error
from fmp_models.training.config import EngineConfig
from fmp_models.training.engine import fit

ABOUT = {"kind": "tiny"}


@dataclass(frozen=True)
class Points:
    given: Tensor
    wanted: Tensor


@dataclass
class TinyTask:
    """Learn a plane from noisy points, with dropout and batch statistics, so that every kind of chance is there."""

    samples: int = 48
    size: int = 8
    slow: float = 0.0  # seconds a batch takes
    plain: bool = False  # a model without chance and memory
    metric: str = "error"
    higher_is_better: bool = False
    scores: list[float] = field(default_factory=list)  # given instead of the true ones, in turn

    def __post_init__(self) -> None:
        """Make the model and its points."""
        torch.manual_seed(1)
        self.model: nn.Module = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 1))
        if self.plain:
            self.model = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 1))
        self._given = torch.randn(self.samples, 3)
        self._wanted = self._given.sum(dim=1, keepdim=True)

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        return torch.randperm(self.samples, generator=generator).reshape(-1, self.size).tolist()

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> Points:
        time.sleep(self.slow)
        given = self._given[list(samples)]
        return Points(given + 0.1 * torch.randn(given.shape, generator=generator), self._wanted[list(samples)])

    def loss(self, batch: Points) -> tuple[Tensor, dict[str, Tensor]]:
        error = (self.model(batch.given) - batch.wanted).abs().mean()
        return error, {"error": error}

    def validate(self) -> dict[str, float]:
        error = float((self.model(self._given) - self._wanted).abs().mean())
        return {"error": self.scores.pop(0) if self.scores else error}

    def save(self, folder: Path) -> None:
        folder.mkdir()
        save_file(self.model.state_dict(), folder / "model.safetensors")


if __name__ == "__main__":
    out, settings, task = sys.argv[1:]
    with log_to_standard_error():
        fit(TinyTask(**json.loads(task)), EngineConfig(**json.loads(settings)), Path(out), ABOUT)

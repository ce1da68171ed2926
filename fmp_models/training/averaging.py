"""A moving average of a model's weights, which often does better than the weights themselves."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

_SHORT = 10  # steps after which the average reaches back further than a few


class MovingAverage:
    """The average of weights and running statistics over steps, each weighing ``decay`` times the next one.

    Over the first steps the decay is smaller, so that the weights a model began with are soon forgotten.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.model = copy.deepcopy(model).requires_grad_(requires_grad=False)
        self._decay = decay

    @torch.no_grad()
    def update(self, model: nn.Module, step: int) -> None:
        """Take in the weights after a step."""
        weight = 1 - min(self._decay, (1 + step) / (_SHORT + step))
        weights = model.state_dict()
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                value.lerp_(weights[name].to(value.dtype), weight)
            else:
                value.copy_(weights[name])

    @contextmanager
    def within(self, model: nn.Module) -> Iterator[None]:
        """For a while, give a model the averaged weights."""
        weights = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(self.model.state_dict())
        try:
            yield
        finally:
            model.load_state_dict(weights)

"""A moving average of a model's weights, which often performs better than the weights themselves."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

_SHORT = 10  # the warm-up of the decay: (1 + step) / (10 + step)


class MovingAverage:
    """An exponential moving average of weights and running statistics; a step weighs ``decay`` times the next one.

    The decay is smaller in the first steps, so that the initial weights are soon forgotten.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.model = copy.deepcopy(model).requires_grad_(requires_grad=False)
        self._decay = decay

    @torch.no_grad()
    def update(self, model: nn.Module, step: int) -> None:
        """Add the weights after a step to the average."""
        weight = 1 - min(self._decay, (1 + step) / (_SHORT + step))
        weights = model.state_dict()
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                value.lerp_(weights[name].to(value.dtype), weight)
            else:
                value.copy_(weights[name])

    @contextmanager
    def within(self, model: nn.Module) -> Iterator[None]:
        """Give a model the averaged weights within the context."""
        weights = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(self.model.state_dict())
        try:
            yield
        finally:
            model.load_state_dict(weights)

"""A metric's result: a value for each instance, and statistics that give the value of any sample.

BLEU and METEOR of a corpus are not means over its instances, so an interval cannot be computed from per-instance
scores alone. Each metric therefore keeps the statistics of every instance that it sums, and the function from their
total to its value; a mean is the simplest such function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from fmp_models.pose import Array


@dataclass(frozen=True)
class Measurement:
    """One metric over n instances: ``instances`` (n,), ``statistics`` (n, k), ``of_totals`` (..., k) -> (...)."""

    instances: Array
    statistics: Array
    of_totals: Callable[[Array], Array]

    @classmethod
    def mean(cls, instances: Sequence[float] | Array) -> Self:
        """Build the measurement of a mean over instances (n,); ``nan`` marks an instance that was not measured."""
        values = np.asarray(instances, dtype=np.float64)
        known = ~np.isnan(values)
        return cls(values, np.stack([np.where(known, values, 0), known], axis=1), _ratio)

    @property
    def value(self) -> float:
        """The value for all instances together; ``nan`` if there is none."""
        return float(self.of_totals(self.statistics.sum(axis=0)))


def _ratio(totals: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(totals[..., 0] / totals[..., 1])

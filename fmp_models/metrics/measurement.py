"""A metric's result: a value for each instance, statistics that give the value of any sample, and an interval.

BLEU and METEOR of a corpus are not means over its instances, so an interval cannot be computed from per-instance
scores alone. Each metric therefore keeps the statistics of every instance that it sums, and the function from their
total to its value; a mean is the simplest such function. The interval is a percentile bootstrap over the instances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

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

    @classmethod
    def share(cls, counts: Array) -> Self:
        """Build the measurement of a share by the numerator and denominator of each instance (n, 2)."""
        return cls(_ratio(counts), counts, _ratio)

    @property
    def value(self) -> float:
        """The value for all instances together; ``nan`` if there is none."""
        return float(self.of_totals(self.statistics.sum(axis=0)))


def _ratio(totals: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(totals[..., 0] / totals[..., 1])


RESAMPLES = 1000
CONFIDENCE = 0.95
_AT_ONCE = 2_000_000  # resampled instances in memory at a time


def confidence_interval(
    measurement: Measurement, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float] | None:
    """Return the ends of the 95 % interval of ``value`` (Efron and Tibshirani 1993, percentile method).

    Whole instances are resampled. Quantities computed from all instances stay fixed (CIDEr's document frequencies).
    With the same seed, all metrics that measure all instances use the same resamples. Instances that were not
    measured (``nan``) are left out. Returns ``None`` for fewer than two instances.
    """
    from scipy.stats import bootstrap  # noqa: PLC0415  slow to import, and few that measure need an interval

    statistics = measurement.statistics[~np.isnan(measurement.instances)]
    count = len(statistics)
    if count < 2:  # noqa: PLR2004  one instance has no variance
        return None

    def value_of(instances: NDArray[np.int64], axis: int = -1) -> NDArray[np.float64]:
        return measurement.of_totals(statistics[np.moveaxis(instances, axis, -1)].sum(axis=-2))

    ends = bootstrap(
        (np.arange(count),),
        value_of,
        n_resamples=resamples,
        batch=max(1, _AT_ONCE // count),
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(ends.low), float(ends.high)

"""Confidence intervals of a score by percentile bootstrap over the instances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from fmp_models.metrics.measurement import Measurement

RESAMPLES = 1000
CONFIDENCE = 0.95
_AT_ONCE = 2_000_000  # resampled instances in memory at a time


def interval(measurement: Measurement, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float] | None:
    """Return the ends of the 95 % interval of ``value`` (Efron and Tibshirani 1993, percentile method).

    Whole instances are resampled. Quantities computed from all instances stay fixed (CIDEr's document frequencies).
    With the same seed, all metrics that measure all instances use the same resamples. Instances that were not
    measured (``nan``) are left out. Returns ``None`` for fewer than two instances.
    """
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

"""Bootstrap intervals over annotators: how far a number would move had other people been asked.

People differ more than their single answers do, so whole annotators are drawn anew, each with everything they gave.
With few of them the plain percentiles are too narrow; they are widened as Student's t asks (Hesterberg 2015, "What
teachers should know about the bootstrap", the expanded percentile interval).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

Array = NDArray[np.float64]

CONFIDENCE = 0.95
FEW = 10  # annotators below which an interval is a rough one
RESAMPLES = 1000
_NO_SPREAD = 1e-9
_AT_ONCE = 2_000_000  # drawn annotators in memory at a time


@dataclass(frozen=True)
class Estimate:
    """A number with the lower and upper end of its 95 % interval.

    There is none where fewer than two people answered, or where they all answered so alike that drawing says nothing.
    """

    value: float
    interval: tuple[float, float] | None


def resampled(totals: Array, seed: int = 0) -> Array:
    """Sums over annotators drawn with replacement: (annotators, ...) gives (RESAMPLES, ...)."""
    people = len(totals)
    flat = totals.reshape(people, -1)
    rng, sums = np.random.default_rng(seed), []
    batch = max(1, _AT_ONCE // max(people, 1))
    for start in range(0, RESAMPLES, batch):
        times = rng.multinomial(people, np.full(people, 1 / people), size=min(batch, RESAMPLES - start))
        sums.append(times @ flat)
    return np.concatenate(sums).reshape(RESAMPLES, *totals.shape[1:])


def estimates(values: Array, drawn: Array, people: int) -> list[Estimate]:
    """Each of ``values`` (n,) with the interval that ``drawn`` (RESAMPLES, n) gives it; ``people`` were drawn."""
    if people < 2:  # noqa: PLR2004  one person has no spread
        return [Estimate(float(value), None) for value in values]
    tail = norm.cdf(np.sqrt(people / (people - 1)) * t.ppf((1 - CONFIDENCE) / 2, people - 1))
    low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    ends = [(float(a), float(b)) if b - a > _NO_SPREAD else None for a, b in zip(low, high, strict=True)]
    return [Estimate(float(value), end) for value, end in zip(values, ends, strict=True)]


def share_estimates(values: Array, drawn: Array, people: int) -> list[Estimate]:
    """As :func:`estimates` for parts of 1, also where nobody or everybody did: then by Clopper and Pearson.

    Each person counts once there, since all their answers were the same.
    """
    surest = 1 - float((1 - CONFIDENCE) / 2) ** (1 / max(people, 1))
    unanimous = {0.0: (0.0, surest), 1.0: (1 - surest, 1.0)} if people > 1 else {}
    found = estimates(values, drawn, people)
    return [Estimate(one.value, one.interval or unanimous.get(one.value)) for one in found]

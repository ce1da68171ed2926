"""Bootstrap intervals over annotators: how far a number would move had other people been asked.

People differ more than their single answers do, so whole annotators are drawn anew, each with everything they gave.
With few of them the plain percentiles are too narrow; they are widened as Student's t asks (Hesterberg 2015, "What
teachers should know about the bootstrap", the expanded percentile interval).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

Array = NDArray[np.float64]

CONFIDENCE = 0.95
FEW_ANNOTATORS = 10  # annotators below which an interval is a rough one
RESAMPLES = 1000
_NO_SPREAD = 1e-9
_AT_ONCE = 2_000_000  # drawn annotators in memory at a time


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


def estimates(values: Array, drawn: Array, people: int) -> pd.DataFrame:
    """Each ``value`` of (n,) with the ends ``low`` and ``high`` that ``drawn`` (RESAMPLES, n) gives its interval.

    ``people`` were drawn. There are no ends where they are fewer than two, or where they all answered so alike that
    drawing says nothing.
    """
    if people < 2:  # noqa: PLR2004  one person has no spread
        return pd.DataFrame({"value": values, "low": np.nan, "high": np.nan})
    # Of the normal distribution and of Student's; scipy.stats would be half a second of each start of the app.
    tail = ndtr(np.sqrt(people / (people - 1)) * stdtrit(people - 1, (1 - CONFIDENCE) / 2))
    ends = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    low, high = np.where(ends[1] - ends[0] > _NO_SPREAD, ends, np.nan)
    return pd.DataFrame({"value": values, "low": low, "high": high})


def share_estimates(values: Array, drawn: Array, people: int) -> pd.DataFrame:
    """As :func:`estimates` for parts of 1, also where nobody or everybody did: then by Clopper and Pearson.

    Each person counts once there, since all their answers were the same.
    """
    table = estimates(values, drawn, people)
    if people < 2:  # noqa: PLR2004
        return table
    surest = 1 - float((1 - CONFIDENCE) / 2) ** (1 / people)
    unanimous = [table["low"].isna() & (values == part) for part in (0, 1)]
    low = np.select(unanimous, [0.0, 1 - surest], table["low"])
    high = np.select(unanimous, [surest, 1.0], table["high"])
    return pd.DataFrame({"value": values, "low": low, "high": high})

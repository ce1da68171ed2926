"""Bootstrap intervals over annotators: how far a number would move if other people had been asked.

People differ more than their single answers do, so whole annotators are resampled, each with all of their
answers. For few annotators the plain percentiles are too narrow. They are widened by Student's t (Hesterberg
2015, "What teachers should know about the bootstrap", the expanded percentile interval).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

Array = NDArray[np.float64]

CONFIDENCE = 0.95
FEW_ANNOTATORS = 10  # with fewer annotators an interval is rough
RESAMPLES = 1000
_NO_SPREAD = 1e-9
_AT_ONCE = 2_000_000  # maximum number of drawn annotators in memory


def resampled(totals: Array, seed: int = 0) -> Array:
    """Return sums over annotators drawn with replacement: (annotators, ...) becomes (RESAMPLES, ...)."""
    people = len(totals)
    flat = totals.reshape(people, -1)
    rng, sums = np.random.default_rng(seed), []
    batch = max(1, _AT_ONCE // max(people, 1))
    for start in range(0, RESAMPLES, batch):
        times = rng.multinomial(people, np.full(people, 1 / people), size=min(batch, RESAMPLES - start))
        sums.append(times @ flat)
    return np.concatenate(sums).reshape(RESAMPLES, *totals.shape[1:])


def estimates(values: Array, drawn: Array, people: int) -> pd.DataFrame:
    """Return each ``value`` of (n,) with its interval ``low`` to ``high`` from ``drawn`` (RESAMPLES, n).

    ``people`` is the number of annotators. ``low`` and ``high`` are NaN for fewer than two people, or if they all
    answered so alike that resampling tells nothing.
    """
    if people < 2:  # noqa: PLR2004  one person has no variance
        return pd.DataFrame({"value": values, "low": np.nan, "high": np.nan})
    # Normal and Student's t functions; importing scipy.stats would add half a second to each start of the app.
    tail = ndtr(np.sqrt(people / (people - 1)) * stdtrit(people - 1, (1 - CONFIDENCE) / 2))
    ends = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    low, high = np.where(ends[1] - ends[0] > _NO_SPREAD, ends, np.nan)
    return pd.DataFrame({"value": values, "low": low, "high": high})


def share_estimates(values: Array, drawn: Array, people: int) -> pd.DataFrame:
    """Return :func:`estimates` of shares; for a share of 0 or 1 the interval is that of Clopper and Pearson.

    There each person counts once, since all of their answers are the same.
    """
    table = estimates(values, drawn, people)
    if people < 2:  # noqa: PLR2004
        return table
    surest = 1 - float((1 - CONFIDENCE) / 2) ** (1 / people)
    unanimous = [table["low"].isna() & (values == part) for part in (0, 1)]
    low = np.select(unanimous, [0.0, 1 - surest], table["low"])
    high = np.select(unanimous, [surest, 1.0], table["high"])
    return pd.DataFrame({"value": values, "low": low, "high": high})

"""Calibration bins: chances and truths sorted into ten bins, and how often what was held so likely is true."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmp_models.pose import Array

BINS = 10


@dataclass(frozen=True)
class FilledBin:
    """How many chances a bin holds, their mean, and the share that is true; NaN where it holds none."""

    count: int
    chance: float
    true: float


def calibration_bins(chances: Array, true: Array) -> list[FilledBin]:
    """The bins of chances (n,) from 0 to 1 of what is ``true`` (n,); one that lies between two is in the lower."""
    place = np.clip(np.ceil(chances * BINS) - 1, 0, BINS - 1)
    inside = [place == number for number in range(BINS)]
    return [
        FilledBin(
            int(in_bin.sum()), *(float(values[in_bin].mean()) if in_bin.any() else np.nan for values in (chances, true))
        )
        for in_bin in inside
    ]


def calibration_error(chances: Array, true: Array) -> float:
    """The expected calibration error of chances (n,) of what is ``true`` (n,): how far they lie apart, 0 of nothing."""
    filled = [filled_bin for filled_bin in calibration_bins(chances, true) if filled_bin.count]
    return sum(filled_bin.count * abs(filled_bin.chance - filled_bin.true) for filled_bin in filled) / max(
        len(chances), 1
    )

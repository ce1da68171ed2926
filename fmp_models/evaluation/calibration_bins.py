"""Calibration bins: probabilities sorted into ten bins, each with its share of true cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmp_models.pose import Array

BINS = 10


@dataclass(frozen=True)
class FilledBin:
    """One bin: the number of probabilities, their mean, and the share that is true; both are NaN if it is empty."""

    count: int
    chance: float
    true: float


def calibration_bins(chances: Array, true: Array) -> list[FilledBin]:
    """Return the bins of probabilities (n,) with their truth (n,); a value on a boundary is in the lower bin."""
    place = np.clip(np.ceil(chances * BINS) - 1, 0, BINS - 1)
    inside = [place == number for number in range(BINS)]
    return [
        FilledBin(
            int(in_bin.sum()), *(float(values[in_bin].mean()) if in_bin.any() else np.nan for values in (chances, true))
        )
        for in_bin in inside
    ]


def calibration_error(chances: Array, true: Array) -> float:
    """Return the expected calibration error of probabilities (n,) with truth (n,); 0 if there are none."""
    filled = [filled_bin for filled_bin in calibration_bins(chances, true) if filled_bin.count]
    return sum(filled_bin.count * abs(filled_bin.chance - filled_bin.true) for filled_bin in filled) / max(
        len(chances), 1
    )

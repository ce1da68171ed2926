"""Smooth curves through keys: monotone cubics that rest at their ends, hold between equal keys and never overshoot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from fmp_models.pose import Array


@dataclass(frozen=True)
class Curve:
    """Values (N, D) at increasing times (N,) in frames; ``spline`` is ``None`` if there is only one key."""

    times: Array
    values: Array
    spline: CubicHermiteSpline | None

    def at(self, frame: float) -> Array:
        """Return the value (D,) at a frame; before the first and after the last key it is constant."""
        if self.spline is None:
            return np.asarray(self.values[0])
        return np.asarray(self.spline(np.clip(frame, self.times[0], self.times[-1])))

    def segment(self, frame: float) -> tuple[int, float]:
        """Return the index i of the keys i and i + 1 around a frame, and the share of the way between them, 0 to 1."""
        last = len(self.times) - 2
        if last < 0:
            return 0, 0.0
        i = int(np.clip(np.searchsorted(self.times, frame, side="right") - 1, 0, last))
        return i, float(np.clip((frame - self.times[i]) / (self.times[i + 1] - self.times[i]), 0.0, 1.0))


def curve(times: Sequence[float], values: Sequence[Array], rests: Sequence[bool] | None = None) -> Curve:
    """Return the curve through keys; its slope is zero at both ends and wherever ``rests`` is true."""
    when, what = np.array(times, dtype=np.float64), np.array(values, dtype=np.float64)
    if len(when) == 1:
        return Curve(when, what, None)
    slopes = np.asarray(PchipInterpolator(when, what)(when, 1))
    still = np.array(rests if rests is not None else [False] * len(when))
    still[[0, -1]] = True
    slopes[still] = 0.0
    return Curve(when, what, CubicHermiteSpline(when, what, slopes))


def along_arcs(quaternions: Array) -> Array:
    """Return the same rotations (N, 4), each quaternion with the sign nearer to the previous one."""
    signs = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return np.asarray(quaternions * np.concatenate([[1.0], np.cumprod(signs)])[:, None])

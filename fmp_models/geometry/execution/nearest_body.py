"""Least squares over the turns of the joints, by Levenberg's method: the nearest body that does what is asked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fmp_models.geometry.execution.body_tree import BOTH_WAYS, EFFORT, TRIED, UNKNOWNS, moved, slopes
from fmp_models.pose import Array

_WIDTH = 1e-4  # metres and radians that slopes are taken over
_ROUNDS, _LONGEST = 10, 0.7  # at most, and the radians of one round
_SETTLED = 0.02  # the gain, as a share of the cost, that is worth no other round
_DAMPINGS = np.array([1e-3, 0.1, 1.0, 10.0, 100.0, 1000.0])


def nearest_body(residuals: Callable[[Array], Array], start: Array) -> Array:
    """The body (20, 3) with the least sum of squared ``residuals`` (n, k), asked of bodies (n, 20, 3), and of effort.

    Each round tries steps of several dampings at once, which costs no more than one.
    """
    joints, spent = start, np.zeros(UNKNOWNS)
    for _ in range(_ROUNDS):
        now, jacobian = _linear(residuals, joints)
        gradient = jacobian @ now + EFFORT**2 * spent
        curvature = jacobian @ jacobian.T + np.diag(EFFORT**2)
        damped = curvature + _DAMPINGS[:, None, None] * np.eye(UNKNOWNS)
        steps = -np.linalg.solve(damped, np.broadcast_to(gradient, (len(_DAMPINGS), UNKNOWNS))[..., None])[..., 0]
        longest = np.linalg.norm(steps[:, :-3].reshape(len(steps), -1, 3), axis=-1).max(axis=-1)
        steps *= np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-9))[:, None]
        tried = np.stack([moved(joints, step) for step in steps])
        costs = (residuals(tried) ** 2).sum(axis=-1) + ((EFFORT * (spent + steps)) ** 2).sum(axis=-1)
        before = float(now @ now + (EFFORT * spent) @ (EFFORT * spent))
        best = int(np.argmin(costs))
        if costs[best] >= before:
            break
        joints, spent = tried[best], spent + steps[best]
        if costs[best] > before * (1 - _SETTLED):
            break
    return joints


def _linear(residuals: Callable[[Array], Array], joints: Array) -> tuple[Array, Array]:
    """The residuals (k,) of a body and how they begin to change with each number (UNKNOWNS, k)."""
    shifts = _WIDTH * slopes(joints)
    at_each = residuals(
        np.concatenate([joints[None], joints + TRIED[:, None, None] * shifts, joints - shifts[BOTH_WAYS]])
    )
    now, tried, back = at_each[0], at_each[1 : UNKNOWNS + 1], at_each[UNKNOWNS + 1 :]
    jacobian = (tried - now) / (TRIED[:, None] * _WIDTH)
    jacobian[BOTH_WAYS] = (tried[BOTH_WAYS] - back) / (2 * _WIDTH)
    return now, jacobian
